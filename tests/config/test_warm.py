"""What is worked out before a process serves its first page."""

from __future__ import annotations

from advisor.pages import reference
from advisor.reasoning import dependence
from config.warm import warm


def test_what_costs_most_is_there_and_every_template_can_be_read() -> None:
    warm()
    for costly in (dependence.table, reference.entries):
        before = costly.cache_info().misses
        costly()
        assert costly.cache_info().misses == before
