"""An edge is a boundary of the failure model: one setting changes what is permitted."""

from __future__ import annotations

from collections import Counter

import pytest

from advisor.catalog import Component
from advisor.reasoning.dependence import dependence
from advisor.reasoning.failures import all_events
from advisor.services import in_force
from labs.calibration.edges import LINE, OPERATED, TRIED, UNSTAGED, UNTRIED, Edge, edges, permitted
from labs.challenges import schedule
from labs.engine.scenarios import all_scenarios, find
from labs.engine.scenarios.model import Topology, draw

pytestmark = pytest.mark.wide


def described(edge: Edge) -> list[object]:
    return [edge.event.name, edge.key, edge.values(), edge.sides[0].family]


def test_sides_of_an_edge_are_valid_and_differ_in_one_setting_and_in_what_is_permitted():
    for edge in edges(1):
        first, second = edge.sides
        assert not first.problems()
        assert not second.problems()
        assert permitted(edge.event, first) != permitted(edge.event, second)
        differing = {
            (component, name)
            for component in Component
            for name in {*first.stated(component), *second.stated(component)}
            if first.stated(component).get(name) != second.stated(component).get(name)
        }
        # A shorter delivery timeout needs a shorter request timeout, or the client refuses it.
        differing |= {LINE} if first.kafka != second.kafka else set()
        # Some lines of brokers also need what operators do to be stated.
        operated = OPERATED.get(edge.event.scenario, {})
        differing -= {(Component.APPLICATION, name) for name in operated} - {edge.key}
        assert differing - {(Component.PRODUCER, "request.timeout.ms")} == {edge.key}


def test_edges_are_drawn_between_neighbouring_lines_of_brokers():
    line_edges = {(edge.event.name, *edge.values()) for edge in edges(1) if edge.key == LINE}
    assert ("isr-shrunk-leader-lost", "4.1", "4.0") in line_edges, (
        "eligible leader replicas begin there"
    )
    for name, newer, older in line_edges:
        scenario = find(next(event for event in all_events() if event.name == name).scenario)
        assert scenario.lines.index(older) == scenario.lines.index(newer) + 1


def test_the_same_seed_draws_the_same_edges_and_another_seed_draws_others():
    first, again, other = ([described(edge) for edge in edges(seed)] for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_every_event_has_an_edge_unless_only_outages_differ():
    edges_per_event = Counter(edge.event.name for edge in edges(1))
    assert {event.name for event in all_events()} - edges_per_event.keys() <= {
        "only-replica-down", "brokers-below-min-isr", "transaction-hanging",
        "transactional-id-shared", "controllers-lost", "static-member-lost",
        "spark-task-retried", "keys-moved", "transactional-id-expired", "dead-letter-refused",
        "order-given-up", "offsets-unclean-election", "query-falls-behind",
        "streams-unclean-election",
    }  # fmt: skip


def test_both_sides_of_each_edge_can_be_run():
    for edge in edges(1):
        settings = [in_force(side) for side in edge.sides]
        assert [find(edge.event.scenario).topology(setting) for setting in settings]
    for name, setting in UNSTAGED:
        events = (event for event in all_events() if event.scenario == name)
        assert setting in {key for event in events for _, key in dependence(event).settings}


def test_one_replica_is_not_tried_where_the_failure_would_have_no_effect():
    idle = set()
    for scenario in all_scenarios():
        one_replica = Topology(3, 1, controllers=3)
        if not schedule.on(one_replica, scenario, draw(scenario, 1, {}).durations).steps:
            idle.add(scenario.name)
    idle.add("reassignment-during-failure")  # this scenario refuses one replica
    settings_of = {
        event.scenario: {key for _, key in dependence(event).settings} for event in all_events()
    }
    affected = {name for name in idle if "replication.factor" in settings_of[name]}
    assert affected == {name for name, setting in UNSTAGED if setting == "replication.factor"}


def test_each_setting_that_an_event_depends_on_is_tried_or_listed_as_untried():
    keys = {key for event in all_events() for key in dependence(event).settings}
    names = {name for component, name in keys if component is not Component.BROKER}
    assert names - TRIED.keys() - UNTRIED.keys() == set()
