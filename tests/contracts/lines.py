"""The lines of a product as parameters of a test: a JVM each, and so mostly for the night."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from _pytest.mark import ParameterSet


def mostly_by_night(lines: Sequence[str]) -> list[ParameterSet]:
    """The newest, the oldest and 4.0 for `make test`; the lines between them for `make nightly`.

    `lines` are in order. Kafka 4.0 removed more of what was deprecated than any line beside it.
    """
    by_day = {lines[0], lines[-1], "4.0"}
    return [
        pytest.param(line, marks=() if line in by_day else pytest.mark.thorough) for line in lines
    ]
