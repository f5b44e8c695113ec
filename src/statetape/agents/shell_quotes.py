"""Quoting of shell words, undone."""


def unescaped(text: str, escaped: frozenset[str] | None = None) -> str:
    """Text without its backslashes, those before other characters than `escaped` kept."""
    if "\\" not in text:
        return text
    out: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text):
            following = text[at + 1]
            if escaped is None or following in escaped:
                out.append("" if following == "\n" else following)
            else:
                out.append("\\" + following)
            at += 2
        else:
            out.append(text[at])
            at += 1
    return "".join(out)


def ansi_c(text: str) -> str:
    """The text between `$'` and `'` with its escapes made characters."""
    names = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "e": "\x1b", "a": "\a", "b": "\b"}
    out: list[str] = []
    escaped = False
    for character in text:
        if escaped:
            out.append(names.get(character, character))
        elif character != "\\":
            out.append(character)
        escaped = character == "\\" and not escaped
    return "".join(out)
