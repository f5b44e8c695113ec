"""Reading flat YAML: one `key: value` on each line."""


def load(path):
    """The mapping in the file at `path`, comments skipped."""
    mapping = {}
    with open(path, encoding="utf-8") as stream:
        for line in stream:
            text = line.split("#", 1)[0].strip()
            if text:
                key, _, value = text.partition(":")
                mapping[key.strip()] = scalar(value.strip())
    return mapping


def scalar(text):
    """The value a plain scalar stands for: a boolean, a number, or the text itself."""
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.lstrip("-").isdigit() else text
