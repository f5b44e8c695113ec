"""What the paper prints of its own benchmark: other sessions, other labels.

From its text (§3.1.2, §4.2, §4.3, Appendix E). Never to stand in one column with ours.
"""

from typing import NamedTuple


class Measured(NamedTuple):
    """A row of the paper's Table 2 or 3; None: not in its text. Shares 0 to 1, `added` tokens."""

    name: str
    ce: float | None = None
    cleared: float | None = None
    re: float | None = None
    found: float | None = None
    added: int | None = None
    resolved: float | None = None
    """Change of the mean resolve rate without the part, in points."""


METHODS = (
    Measured("StateTape", 6.18, 0.742, 10.47, 0.681, 6_502),
    Measured("evict-all", 2.75),
)

ABLATIONS = (
    Measured("StateTape", 6.18, 0.742, 10.47, 0.681, 6_502),
    Measured("without the graph", 3.14, found=0.443, resolved=-3.4),
    Measured("without the tape", 2.86, found=0.217, resolved=-3.1),
    Measured("without the manager", 4.91, found=0.312, resolved=-2.0),
)

RUNS = 48
POINTS = 403
SKIPPED = 148
UNNEEDED = 0.734
STALE = 0.723
MISSING = 0.585
NEEDED_HELD = 1_943_649
"""Tokens of held records that overlap what is needed, each in full."""
GOLD_HELD = 289_600
"""Tokens of needed regions that are held, about."""
REGIONS = 3_545
OFF_SITE = 2_721
"""Of the regions, those that are not the site of the edit."""
GROWTH = (("1", 5_900, 4_400), (">30", 28_600, 23_000))
"""Figure 2's ends: which edit comes next, tokens held, tokens of those unneeded, at one point."""
