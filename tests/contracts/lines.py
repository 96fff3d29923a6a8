"""The release lines of a product as test parameters; each needs a JVM, so most are nightly."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from _pytest.mark import ParameterSet


def mostly_nightly(lines: Sequence[str]) -> list[ParameterSet]:
    """The newest, the oldest and 4.0 for `make test`; the other lines for `make nightly`.

    `lines` are in order. Kafka 4.0 removed more deprecated settings than any other line.
    """
    daily = {lines[0], lines[-1], "4.0"}
    return [
        pytest.param(line, marks=() if line in daily else pytest.mark.thorough) for line in lines
    ]
