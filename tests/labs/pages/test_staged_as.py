"""Which scenario stands for a failure event, and why."""

from __future__ import annotations

import pytest
from django.test import Client

from advisor.reasoning.failures import all_events
from labs.engine.scenarios import find
from labs.models import State
from labs.templatetags.labs_tags import staged_as, stands_for
from tests.labs import make


def test_an_event_that_borrows_a_scenario_says_why() -> None:
    owners = {event.name for event in all_events()}
    for event in all_events():
        borrows = event.scenario != event.name and event.scenario in owners
        if borrows:
            assert event.staged_as, f"{event.name} is staged as {event.scenario}, without a word"


def test_the_title_of_the_scenario_is_shown_if_it_differs() -> None:
    text = staged_as("broker-disk-lost")
    assert text.startswith(f"{find('leader-disk-fails').title}: a broker whose disk is replaced")
    assert staged_as("leader-killed") == ""
    assert staged_as("not-an-event") == ""


def test_a_scenario_says_which_events_of_another_title_it_stands_for() -> None:
    (event,) = (item for item in all_events() if item.name == "broker-disk-lost")
    assert (event.title, event.staged_as) in stands_for("leader-disk-fails")
    assert stands_for("leader-killed") == []


@pytest.mark.django_db
def test_the_page_of_a_run_names_those_events_too(client: Client) -> None:
    experiment = make.experiment(State.QUEUED, scenario="leader-disk-fails")
    html = client.get(experiment.get_absolute_url()).content.decode()
    assert "stands for the failure “Brokers are lost for good, disks included”: a broker" in html
