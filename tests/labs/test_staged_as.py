"""Which scenario stands for a failure event, and why."""

from __future__ import annotations

from advisor.reasoning.failures import all_events
from labs.engine.scenarios import find
from labs.templatetags.labs_tags import staged_as


def test_an_event_that_borrows_a_scenario_says_why_it_stands_for_it() -> None:
    owners = {event.name for event in all_events()}
    for event in all_events():
        borrows = event.scenario != event.name and event.scenario in owners
        if borrows:
            assert event.staged_as, f"{event.name} is staged as {event.scenario}, without a word"


def test_the_title_of_the_scenario_is_said_where_it_is_another() -> None:
    text = staged_as("broker-disk-lost")
    assert text.startswith(f"{find('leader-disk-fails').title}: a broker whose disk fails")
    assert staged_as("leader-killed") == ""
    assert staged_as("not-an-event") == ""
