"""Brokers with ZooKeeper, taken for granted before 3.3 and asked for until 3.9."""

from __future__ import annotations

import pytest

from advisor.catalog import Component, Family, SettingError, kafka_versions, lookup, settings_of
from advisor.catalog.facts import facts
from advisor.pages.presentation import not_staged
from advisor.reasoning.answer import answer
from advisor.reasoning.assess import assess
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.dependence import events_measured_by
from advisor.reasoning.failures import events_for
from advisor.reasoning.fields import from_fields
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.numbers import numbers
from advisor.reasoning.serial import from_data, to_data
from labs.engine.distributions.distribution import brokers_to_run
from tests.advisor.pipelines import SAFE, described

pytestmark = pytest.mark.wide

OLD = ("3.2", "3.1", "3.0", "2.8")
EITHER = tuple(line for line in kafka_versions() if line.startswith("3.") and line not in OLD)
MODE = "application.metadata.mode"
TIMEOUT = "broker.zookeeper.session.timeout.ms"
EACH = pytest.mark.parametrize("line", OLD)
HAVE = pytest.mark.parametrize(
    "brokers", [{"kafka": line} for line in OLD] + [{"kafka": line, MODE: "zookeeper"}
    for line in EITHER], ids=(*OLD, *EITHER))  # fmt: skip


def reason(fields: dict[str, str], name: str, anomaly: Anomaly) -> str:
    pipeline = described(fields)
    (event,) = (event for event in events_for(pipeline) if event.name == name)
    return event.permits(pipeline)[anomaly]


@HAVE
@pytest.mark.parametrize("family", Family)
def test_whoever_runs_them_gets_a_whole_answer(brokers: dict[str, str], family: Family):
    pipeline = described({"family": family, "topic.replication.factor": "3"} | brokers)
    assert from_data(to_data(pipeline)) == pipeline
    given = answer(pipeline)
    assert given.judgement.failures
    assert "B008" in {finding.code for finding in given.judgement.findings}
    assert f"Kafka {brokers['kafka']} with ZooKeeper" in not_staged(pipeline)


def test_each_line_has_the_setting_that_decides_when_a_dead_broker_is_given_up():
    for line in kafka_versions():
        names = {
            setting.name for setting in settings_of(Family.JAVA, "4.3", line, Component.BROKER)
        }
        zookeeper, kraft = "zookeeper.session.timeout.ms", "broker.session.timeout.ms"
        assert (zookeeper in names) == line.startswith(("2.", "3."))
        assert (kraft in names) == (line not in OLD)
        assert Replication(described({"kafka": line})).session_setting in names
    assert facts("broker", "2.8")["zookeeper.session.timeout.ms"].default == 18_000


@EACH
def test_controllers_and_eligible_replicas_are_of_later_brokers(line: str):
    for name in ("controllers", "eligible.leader.replicas.version"):
        with pytest.raises(SettingError):
            lookup(Family.JAVA, "4.3", line, Component.APPLICATION, name)
        pipeline, problems = from_fields({"kafka": line, f"application.{name}": "1"})
        assert pipeline is None
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
    for brokers in ({"kafka": "3.1"}, {"kafka": "3.9", MODE: "zookeeper"}):
        results = {number.name: number for number in numbers(described(SAFE | brokers | fields))}
        assert results["stall-on-crash"].value == stall_ms
        assert "zookeeper.session.timeout.ms" in results["stall-on-crash"].formula
        assert "controllers-down" not in results
    kraft = {number.name: number for number in numbers(described(SAFE | {"kafka": "3.3"}))}
    assert kraft["stall-on-crash"].value == 10_000


PATIENCE = {
    "producer.acks": "1", "producer.enable.idempotence": "false",
    "producer.request.timeout.ms": "5000", "producer.linger.ms": "0",
    "producer.delivery.timeout.ms": "15000", "topic.replication.factor": "3",
}  # fmt: skip
"""More than a broker of KRaft counts as alive in its silence, and less than one of ZooKeeper."""


def test_a_client_that_waits_for_kraft_and_not_for_a_session_gives_up():
    for brokers, gives_up in (
        ({"kafka": "3.3"}, False), ({"kafka": "3.2"}, True),
        ({"kafka": "3.3", MODE: "zookeeper"}, True),
    ):  # fmt: skip
        pipeline = described(PATIENCE | brokers)
        (killed,) = (assessment for assessment in assess(pipeline).failures
                     if assessment.event.name == "leader-killed")  # fmt: skip
        assert (Anomaly.GIVEN_UP in killed.permits) == gives_up


def test_who_says_that_a_broker_is_dead_is_named():
    names = ("leader-killed", "leader-cut-off", "controllers-lost")
    for name in names:
        for brokers, has_it in (
            ({"kafka": "2.8"}, True), ({"kafka": "3.3"}, False),
            ({"kafka": "3.9", MODE: "zookeeper"}, True), ({"kafka": "3.9", MODE: "kraft"}, False),
        ):  # fmt: skip
            text = reason(SAFE | brokers, name, Anomaly.UNAVAILABLE)
            assert ("zookeeper" in text.lower()) == has_it
    cut = reason(SAFE | {"kafka": "2.8"}, "leader-cut-off", Anomaly.UNAVAILABLE)
    assert "as long as it reaches ZooKeeper" in cut


def test_a_brokers_file_counts_for_unclean_elections_where_a_broker_is_the_controller():
    stated = {"broker.unclean.leader.election.enable": "true"}
    for brokers, is_found in (
        ({"kafka": "3.3"}, True), ({"kafka": "3.2"}, False),
        ({"kafka": "3.3", MODE: "zookeeper"}, False),
    ):  # fmt: skip
        codes = {finding.rule.code for finding in assess(described(stated | brokers)).findings}
        assert ("B005" in codes) == is_found


def test_the_nearest_that_can_be_run_stands_for_them_and_for_no_other():
    for line in kafka_versions():
        release, _, instead_of = brokers_to_run(line, zookeeper=line in OLD, staged=False)
        assert instead_of == (f"{line} with ZooKeeper" if line in OLD else None)
        assert release.startswith("3.3." if line in OLD else f"{line}.")
        assert (not_staged(described({"kafka": line})) == "") == (line not in OLD)
    in_kraft = brokers_to_run("3.8", zookeeper=False, staged=False)
    stands_for_it = in_kraft._replace(instead_of="3.8 with ZooKeeper")
    assert brokers_to_run("3.8", zookeeper=True, staged=False) == stands_for_it
    with pytest.raises(SettingError):
        brokers_to_run("2.7", zookeeper=True, staged=True)


def test_who_keeps_the_metadata_is_asked_where_it_may_be_either():
    for line in kafka_versions():
        names = {
            setting.name for setting in settings_of(Family.JAVA, "4.3", line, Component.APPLICATION)
        }
        assert ("metadata.mode" in names) == (line in EITHER)


@pytest.mark.parametrize(("fields", "lines"), [
    ({"kafka": "3.6"}, ["not stated: KRaft", "9,000 ms", "21,000 ms"]),
    ({"kafka": "3.6", TIMEOUT: "6000"}, ["9,000 ms (zookeeper.session.timeout.ms=6000)"]),
    ({"kafka": "3.6", MODE: "zookeeper"}, ["mode=zookeeper: a broker that crashes", "21,000 ms"]),
    ({"kafka": "3.6", MODE: "kraft"}, []),
    ({"kafka": "3.6", "application.controllers": "3"}, []),
    ({"kafka": "4.0"}, []),
])  # fmt: skip
def test_a_mode_that_nobody_said_is_a_finding_and_one_that_was_said_is_taken(
    fields: dict[str, str], lines: list[str]
):
    findings = [
        finding for finding in assess(described(fields)).findings if finding.rule.code == "B008"
    ]
    assert bool(findings) == bool(lines)
    assert all(words in findings[0].message for words in lines)


@pytest.mark.parametrize("key", [
    (Component.APPLICATION, "metadata.mode"), (Component.BROKER, "zookeeper.session.timeout.ms"),
])  # fmt: skip
def test_the_reference_names_the_failures_of_which_it_says_how_long(key: tuple[Component, str]):
    assert {"leader-killed", "leader-cut-off"} <= {event.name for event in events_measured_by(key)}


def test_what_hangs_on_a_mode_that_nobody_said_is_told_as_assumed():
    def assumed(fields: dict[str, str]) -> set[str]:
        return {assumption.setting for assumption in answer(described(PATIENCE | fields)).assumed}

    assert "metadata.mode" in assumed({"kafka": "3.6"})
    assert "metadata.mode" not in assumed({"kafka": "3.6", MODE: "kraft"})
    patient = {"producer.delivery.timeout.ms": "120000"}
    assert "metadata.mode" not in assumed({"kafka": "3.6"} | patient)


def test_controllers_are_not_counted_where_a_broker_is_the_controller():
    fields = {"kafka": "3.6", "application.controllers": "3"}
    assert from_fields(fields | {MODE: "kraft"})[0] is not None
    pipeline, problems = from_fields(fields | {MODE: "zookeeper"})
    assert pipeline is None
    assert [problem.setting for problem in problems] == ["controllers"]
