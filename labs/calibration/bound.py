"""An upper bound for the frequency of something that no run has shown."""

from __future__ import annotations

import math

CONFIDENCE = 0.95


def at_most(runs: int) -> float:
    """The upper bound of the share, with 95 % confidence, after `runs` without it: 1 - 0.05^(1/n).

    The exact one-sided bound of Clopper and Pearson for none of n.

    >>> at_most(59) < 0.05 < at_most(58)
    True
    """
    return float(1 - (1 - CONFIDENCE) ** (1 / runs))


def runs_for(share: float) -> int:
    """The fewest runs without it that bound its share below `share`, which is between 0 and 1.

    >>> runs_for(0.05)
    59
    """
    return math.ceil(math.log(1 - CONFIDENCE) / math.log(1 - share))


def bound_in_words(runs: int) -> str:
    """The upper bound in words; empty for 0 runs.

    >>> bound_in_words(59)
    'below 5% with 95% confidence'
    """
    return f"below {_percent(at_most(runs))} with 95% confidence" if runs else ""


def _percent(share: float) -> str:
    """A share as a percentage, rounded up, so that the text never claims more than the bound.

    >>> _percent(0.04951), _percent(0.3123), _percent(0.95)
    ('5%', '31.3%', '95%')
    """
    return f"{math.ceil(share * 1000 - 1e-9) / 10:g}%"
