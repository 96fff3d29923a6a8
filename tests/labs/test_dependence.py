"""The table of what failures depend on matches today's failure model."""

from __future__ import annotations

import pytest

from advisor.reasoning.dependence import TABLE
from advisor.reasoning.failures import all_events
from labs.maintenance.dependence import text

REMEDY = "the failure model says otherwise: `make dependence` writes the table anew"


def test_every_failure_has_a_line() -> None:
    missing = [event.name for event in all_events() if f'"{event.name}"' not in TABLE.read_text()]
    assert not missing, REMEDY


@pytest.mark.wide
def test_the_table_matches_the_failure_model() -> None:
    assert text() == TABLE.read_text(encoding="utf-8"), REMEDY
