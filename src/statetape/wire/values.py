"""JSON values: decoded as everybody decodes them, encoded in one certain form, read without trust.

All that is valid JSON is read: a lone surrogate is a character, a number may have any size, of a
key that comes twice the last one counts.
"""

import json
from typing import Any

import msgspec

_LONGEST_NUMBER = 4000  # digits; beyond, Python refuses to make a whole number


class WireError(Exception):
    """These bytes are no JSON, or no request of the API that they were sent to."""


def decoded(data: bytes) -> object:
    """The value of a JSON text. WireError where it is none, or is nested too deeply."""
    try:
        return msgspec.json.decode(data)
    except RecursionError:
        raise WireError("nested too deeply") from None
    except (msgspec.MsgspecError, ValueError):
        return _decoded_leniently(data)


def _decoded_leniently(data: bytes) -> object:
    """What msgspec refuses and JSON allows: lone surrogates, numbers out of range."""
    try:
        return json.loads(
            data.decode(), parse_int=_whole_number, parse_constant=_no_number, strict=True
        )
    except RecursionError:
        raise WireError("nested too deeply") from None
    except ValueError as fault:
        raise WireError(f"no JSON: {fault}") from None


def _whole_number(digits: str) -> float:
    return int(digits) if len(digits) < _LONGEST_NUMBER else float(digits)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")


def encoded(value: object) -> bytes:
    """A value as JSON in one certain form: keys in order, no space. For digests."""
    try:
        try:
            return msgspec.json.encode(value, order="deterministic")
        except UnicodeEncodeError:  # a lone surrogate
            return json.dumps(value, sort_keys=True).encode()
    except RecursionError:
        raise WireError("nested too deeply") from None


def spelled_out(value: object) -> bytes:
    """A value as JSON without space, its keys in the order in which they came; plain UTF-8."""
    try:
        try:
            return msgspec.json.encode(value)
        except (UnicodeEncodeError, OverflowError):  # a lone surrogate, a long number
            return json.dumps(value).encode()
    except RecursionError:
        raise WireError("nested too deeply") from None


def quoted(text: str) -> bytes:
    """A JSON string of `text`: plain UTF-8, lone surrogates as escapes."""
    try:
        return msgspec.json.encode(text)
    except UnicodeEncodeError:
        return json.dumps(text).encode()


def mapping(value: object) -> dict[str, Any]:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """`value` if it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def string(value: object) -> str:
    """`value` if it is a string, else the empty one."""
    return value if isinstance(value, str) else ""
