"""The fallback for what no grammar reads: one symbol per file, the residue. Coarse but sound."""

from statetape.code import treesitter
from statetape.code.facts import Facts


def facts(path: str, data: bytes) -> Facts:
    """The facts of any file as a single symbol, of text and binary files alike."""
    digest = treesitter.digest(data)
    outline = treesitter.outline(data, ())
    return Facts(path, "text", digest, outline.definitions, layout=outline.layout)
