"""What every module of benchmarks does with its figures: their `FIGURES`, printed at the end."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def _figures(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if figures := getattr(request.module, "FIGURES", ()):
        print("\n\n" + "\n".join(figures))  # noqa: T201 -- the figures are the point
