"""Brokers of 2.8 to 3.2, which are taken to have ZooKeeper: what hangs on it, and what is said."""

from __future__ import annotations

import pytest

from advisor.catalog import Component, Family, SettingError, kafka_versions, lookup, settings_of
from advisor.catalog.facts import facts
from advisor.presentation import not_staged
from advisor.reasoning.answer import answer
from advisor.reasoning.assess import assess
from advisor.reasoning.failures import events_for
from advisor.reasoning.fields import from_fields
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.numbers import numbers
from advisor.reasoning.replication import Replication
from advisor.reasoning.serial import from_data, to_data
from labs.engine.kafka.distribution import to_run
from tests.advisor.pipelines import SAFE, described

OLD = ("3.2", "3.1", "3.0", "2.8")
TIMEOUT = "broker.zookeeper.session.timeout.ms"
EACH = pytest.mark.parametrize("line", OLD)


def reason(fields: dict[str, str], name: str, anomaly: Anomaly) -> str:
    pipeline = described(fields)
    (event,) = (each for each in events_for(pipeline) if each.name == name)
    return event.permits(pipeline)[anomaly]


@EACH
@pytest.mark.parametrize("family", Family)
def test_whoever_runs_them_gets_a_whole_answer(line: str, family: Family):
    pipeline = described({"family": family, "kafka": line, "topic.replication.factor": "3"})
    assert from_data(to_data(pipeline)) == pipeline
    given = answer(pipeline)
    assert given.judgement.failures
    assert "B008" in {each.code for each in given.judgement.findings}
    assert f"Kafka {line}" in not_staged(pipeline)


def test_each_line_has_the_setting_that_decides_when_a_dead_broker_is_given_up():
    for line in kafka_versions():
        names = {each.name for each in settings_of(Family.JAVA, "4.3", line, Component.BROKER)}
        zookeeper, kraft = "zookeeper.session.timeout.ms", "broker.session.timeout.ms"
        assert (zookeeper in names, kraft in names) == ((line in OLD), (line not in OLD))
        assert Replication(described({"kafka": line})).session_setting in names
    assert facts("broker", "2.8")["zookeeper.session.timeout.ms"].default == 18_000


@EACH
def test_controllers_and_eligible_replicas_are_of_later_brokers(line: str):
    for name in ("controllers", "eligible.leader.replicas.version"):
        with pytest.raises(SettingError):
            lookup(Family.JAVA, "4.3", line, Component.APPLICATION, name)
        found, problems = from_fields({"kafka": line, f"application.{name}": "1"})
        assert found is None
        assert problems
    assert not Replication(described({"kafka": line})).eligible_replicas


@pytest.mark.parametrize(("fields", "stall_ms"), [
    # The session, one tick of ZooKeeper's, one retry.
    ({}, 18_000 + 3_000 + 1_000),
    ({TIMEOUT: "30000"}, 30_000 + 3_000 + 1_000),
    # No session is granted below 2 ticks or above 20.
    ({TIMEOUT: "100"}, 6_000 + 3_000 + 1_000),
    ({TIMEOUT: "2147483647"}, 60_000 + 3_000 + 1_000),
])  # fmt: skip
def test_the_stall_on_a_crash_is_that_of_a_session(fields: dict[str, str], stall_ms: int):
    found = {each.name: each for each in numbers(described(SAFE | {"kafka": "3.1"} | fields))}
    assert found["stall-on-crash"].value == stall_ms
    assert "zookeeper.session.timeout.ms" in found["stall-on-crash"].formula
    assert "controllers-down" not in found
    kraft = {each.name: each for each in numbers(described(SAFE | {"kafka": "3.3"}))}
    assert kraft["stall-on-crash"].value == 10_000


def test_a_client_that_waits_for_kraft_and_not_for_a_session_gives_up():
    patience = {
        "producer.acks": "1", "producer.enable.idempotence": "false",
        "producer.request.timeout.ms": "5000", "producer.linger.ms": "0",
        "producer.delivery.timeout.ms": "15000", "topic.replication.factor": "3",
    }  # fmt: skip
    for line, gives_up in (("3.3", False), ("3.2", True)):
        pipeline = described(patience | {"kafka": line})
        (killed,) = (each for each in assess(pipeline).failures
                     if each.event.name == "leader-killed")  # fmt: skip
        assert (Anomaly.GIVEN_UP in killed.permits) == gives_up


def test_who_says_that_a_broker_is_dead_is_named():
    names = ("leader-killed", "leader-cut-off", "controllers-lost")
    for name in names:
        old = reason(SAFE | {"kafka": "2.8"}, name, Anomaly.UNAVAILABLE)
        new = reason(SAFE | {"kafka": "3.3"}, name, Anomaly.UNAVAILABLE)
        assert "zookeeper" in old.lower()
        assert "zookeeper" not in new.lower()
    cut = reason(SAFE | {"kafka": "2.8"}, "leader-cut-off", Anomaly.UNAVAILABLE)
    assert "as long as it reaches ZooKeeper" in cut


def test_a_brokers_file_counts_for_unclean_elections_where_a_broker_is_the_controller():
    stated = {"broker.unclean.leader.election.enable": "true"}
    for line, found in (("3.3", True), ("3.2", False)):
        codes = {each.rule.code for each in assess(described(stated | {"kafka": line})).findings}
        assert ("B005" in codes) == found


def test_the_oldest_line_that_can_be_run_stands_for_them_and_for_no_other():
    for line in kafka_versions():
        release, instead_of = to_run(line)
        assert instead_of == (line if line in OLD else None)
        assert release.startswith("3.3." if line in OLD else f"{line}.")
        assert (not_staged(described({"kafka": line})) == "") == (line not in OLD)
    with pytest.raises(SettingError):
        to_run("2.7")
