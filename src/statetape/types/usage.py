"""What one request cost, in tokens as its provider counts them."""

from msgspec import Struct


class Usage(Struct, frozen=True):
    """The tokens of one request, each counted once; all figures are tokens of the model's own.

    `input` are those that were neither read from the cache nor written to it, `cache_write_5m`
    and `cache_write_1h` those written for five minutes and for an hour.
    """

    input: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    output: int = 0

    def __bool__(self) -> bool:
        """Whether any token was counted at all."""
        return bool(self.prompt or self.output)

    @property
    def prompt(self) -> int:
        """The tokens of the whole prompt."""
        return self.input + self.cache_read + self.cache_write_5m + self.cache_write_1h
