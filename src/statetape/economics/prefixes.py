"""The beginnings of a prompt, each known by one digest: two are equal where their digests are."""

from hashlib import blake2b
from itertools import compress, count
from operator import ne
from typing import NamedTuple

from statetape.economics.prompt import Prompt


class Prefixes(NamedTuple):
    """All prefixes of a prompt: `keys[n]` and `tokens[n]` are of its first n blocks.

    A key knows of the model, of each block's layer and content, and behind the system prompt of
    the settings: what the entries of that layer depend on. Cache marks are no part of it.
    """

    prompt: Prompt
    keys: list[bytes]
    tokens: list[int]


def prefixes(prompt: Prompt, known: Prefixes | None = None) -> Prefixes:
    """The prefixes of a prompt. What it shares with the prompt of `known` is not digested again.

    About 1 µs for each new block, 0.05 µs for each shared one.
    """
    if known is None or known.prompt.model != prompt.model:
        known = Prefixes(prompt, [_key(b"", b"", prompt.model.encode())], [0])
        same = 0
    else:
        same = _shared(prompt, known.prompt)
    keys, tokens = known.keys[: same + 1], known.tokens[: same + 1]
    key, total = keys[-1], tokens[-1]
    messages = prompt.tools + prompt.system
    for n, block in enumerate(prompt.blocks[same:], same):
        if n == messages:
            key = _key(key, b"=", prompt.settings)
        layer = b"t" if n < prompt.tools else b"s" if n < messages else b"m"
        key = _key(key, layer, block.digest)
        total += block.tokens
        keys.append(key)
        tokens.append(total)
    return Prefixes(prompt, keys, tokens)


def _shared(prompt: Prompt, other: Prompt) -> int:
    """The number of blocks at the beginning of both whose keys are the same."""
    if (prompt.model, prompt.tools, prompt.system) != (other.model, other.tools, other.system):
        return 0
    most = min(len(prompt.blocks), len(other.blocks))
    if prompt.settings != other.settings:
        most = min(most, prompt.tools + prompt.system)
    # Blocks that differ only in their marks differ, too; there are few of them.
    for n in compress(count(), map(ne, prompt.blocks, other.blocks)):
        one, two = prompt.blocks[n], other.blocks[n]
        if (one.digest, one.tokens) != (two.digest, two.tokens):
            return min(n, most)
    return most


def _key(before: bytes, kind: bytes, what: bytes) -> bytes:
    """Of a key (16 bytes), one byte and the rest: no two triples are the same bytes."""
    return blake2b(before + kind + what, digest_size=16).digest()
