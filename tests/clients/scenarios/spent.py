"""An edit of several lines that is written over, alone and within one answer; then all is asked."""

PATH = "app/errors.py"
FIRST = "class AppError(Exception):\n    code = 1\n\n    def told(self):\n        return 'first'\n"
SECOND = FIRST.replace("code = 1", "code = 2").replace("'first'", "'second'")
THIRD = "def nothing():\n    return None\n\n\ndef again():\n    return nothing()\n"
