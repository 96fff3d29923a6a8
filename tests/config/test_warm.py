"""What is computed before a process serves its first page."""

from __future__ import annotations

import pytest

from advisor.advisories import advisories
from advisor.intake.registry import all_readers
from advisor.pages import reference
from config.warm import warm
from labs.evidence import trials


def test_expensive_values_are_cached_and_every_template_compiles() -> None:
    warm()
    for cached in (reference.entries, advisories, all_readers):
        before = cached.cache_info().misses
        cached()
        assert cached.cache_info().misses == before


@pytest.mark.django_db
def test_advice_for_shipped_runs_is_cached_and_own_runs_need_no_more() -> None:
    warm()
    before = trials.release_predictions.cache_info().misses
    trials.comparison()
    assert trials.release_predictions.cache_info().misses == before
