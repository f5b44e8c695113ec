"""The errors a user can cause. Each message is one line: what is wrong, where, what to do."""


class StatetapeError(Exception):
    """A fault with a one-line message fit for the user. The command line exits with 1."""


class BadInput(StatetapeError):
    """Unreadable or unusable input, or bad use. The command line exits with 2."""
