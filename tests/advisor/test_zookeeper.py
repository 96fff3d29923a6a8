"""Brokers with ZooKeeper: always before 3.3, and by metadata.mode from 3.3 to 3.9."""

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
from tests.advisor.pipelines import SAFE, described, permits

pytestmark = pytest.mark.wide

OLD = ("3.2", "3.1", "3.0", "2.8")
BOTH_MODES = tuple(line for line in kafka_versions() if line.startswith("3.") and line not in OLD)
MODE = "application.metadata.mode"
TIMEOUT = "broker.zookeeper.session.timeout.ms"
EACH_OLD = pytest.mark.parametrize("line", OLD)
WITH_ZOOKEEPER = pytest.mark.parametrize(
    "brokers", [{"kafka": line} for line in OLD] + [{"kafka": line, MODE: "zookeeper"}
    for line in BOTH_MODES], ids=(*OLD, *BOTH_MODES))  # fmt: skip


def reason(fields: dict[str, str], name: str, anomaly: Anomaly) -> str:
    pipeline = described(fields)
    (event,) = (event for event in events_for(pipeline) if event.name == name)
    return event.permits(pipeline)[anomaly]


@WITH_ZOOKEEPER
@pytest.mark.parametrize("family", Family)
def test_brokers_with_zookeeper_get_a_complete_answer(brokers: dict[str, str], family: Family):
    pipeline = described({"family": family, "topic.replication.factor": "3"} | brokers)
    assert from_data(to_data(pipeline)) == pipeline
    result = answer(pipeline)
    assert result.judgement.failures
    assert "B008" in {finding.code for finding in result.judgement.findings}
    assert f"Kafka {brokers['kafka']} with ZooKeeper" in not_staged(pipeline)


def test_each_line_has_the_session_timeout_of_its_metadata_mode():
    for line in kafka_versions():
        names = {
            setting.name for setting in settings_of(Family.JAVA, "4.3", line, Component.BROKER)
        }
        zookeeper, kraft = "zookeeper.session.timeout.ms", "broker.session.timeout.ms"
        assert (zookeeper in names) == line.startswith(("2.", "3."))
        assert (kraft in names) == (line not in OLD)
        assert Replication(described({"kafka": line})).session_setting in names
    assert facts("broker", "2.8")["zookeeper.session.timeout.ms"].default == 18_000


@EACH_OLD
def test_old_brokers_have_no_controllers_and_no_eligible_replicas(line: str):
    for name in ("controllers", "eligible.leader.replicas.version"):
        with pytest.raises(SettingError):
            lookup(Family.JAVA, "4.3", line, Component.APPLICATION, name)
        pipeline, problems = from_fields({"kafka": line, f"application.{name}": "1"})
        assert pipeline is None
        assert problems
    assert not Replication(described({"kafka": line})).eligible_replicas


@pytest.mark.parametrize(("fields", "stall_ms"), [
    # The session timeout, one tick of ZooKeeper, and one retry.
    ({}, 18_000 + 3_000 + 1_000),
    ({TIMEOUT: "30000"}, 30_000 + 3_000 + 1_000),
    # A session timeout is limited to 2 to 20 ticks.
    ({TIMEOUT: "100"}, 6_000 + 3_000 + 1_000),
    ({TIMEOUT: "2147483647"}, 60_000 + 3_000 + 1_000),
])  # fmt: skip
def test_the_stall_on_a_crash_follows_the_zookeeper_session(fields: dict[str, str], stall_ms: int):
    for brokers in ({"kafka": "3.1"}, {"kafka": "3.9", MODE: "zookeeper"}):
        results = {number.name: number for number in numbers(described(SAFE | brokers | fields))}
        assert results["stall-on-crash"].value == stall_ms
        assert "zookeeper.session.timeout.ms" in results["stall-on-crash"].formula
        assert "controllers-down" not in results
    kraft = {number.name: number for number in numbers(described(SAFE | {"kafka": "3.3"}))}
    assert kraft["stall-on-crash"].value == 10_000


BETWEEN_TIMEOUTS = {
    "producer.acks": "1", "producer.enable.idempotence": "false",
    "producer.request.timeout.ms": "5000", "producer.linger.ms": "0",
    "producer.delivery.timeout.ms": "15000", "topic.replication.factor": "3",
}  # fmt: skip
"""The delivery timeout is above the session timeout of KRaft, and below that of ZooKeeper."""


def test_a_client_with_a_shorter_timeout_than_the_zookeeper_session_gives_up():
    for brokers, gives_up in (
        ({"kafka": "3.3"}, False), ({"kafka": "3.2"}, True),
        ({"kafka": "3.3", MODE: "zookeeper"}, True),
    ):  # fmt: skip
        permitted = permits(described(BETWEEN_TIMEOUTS | brokers), "leader-killed")
        assert (Anomaly.GIVEN_UP in permitted) == gives_up


def test_reasons_name_zookeeper_only_in_its_mode():
    names = ("leader-killed", "leader-cut-off", "controllers-lost")
    for name in names:
        for brokers, mentions_zookeeper in (
            ({"kafka": "2.8"}, True), ({"kafka": "3.3"}, False),
            ({"kafka": "3.9", MODE: "zookeeper"}, True), ({"kafka": "3.9", MODE: "kraft"}, False),
        ):  # fmt: skip
            text = reason(SAFE | brokers, name, Anomaly.UNAVAILABLE)
            assert ("zookeeper" in text.lower()) == mentions_zookeeper
    cut = reason(SAFE | {"kafka": "2.8"}, "leader-cut-off", Anomaly.UNAVAILABLE)
    assert "as long as it reaches ZooKeeper" in cut


def test_the_finding_on_unclean_elections_is_for_kraft_only():
    stated = {"broker.unclean.leader.election.enable": "true"}
    for brokers, has_finding in (
        ({"kafka": "3.3"}, True), ({"kafka": "3.2"}, False),
        ({"kafka": "3.3", MODE: "zookeeper"}, False),
    ):  # fmt: skip
        codes = {finding.rule.code for finding in assess(described(stated | brokers)).findings}
        assert ("B005" in codes) == has_finding


def test_brokers_with_zookeeper_are_replaced_by_the_nearest_that_can_run():
    for line in kafka_versions():
        release, _, instead_of = brokers_to_run(line, zookeeper=line in OLD, staged=False)
        assert instead_of == (f"{line} with ZooKeeper" if line in OLD else None)
        assert release.startswith("3.3." if line in OLD else f"{line}.")
        assert (not_staged(described({"kafka": line})) == "") == (line not in OLD)
    in_kraft = brokers_to_run("3.8", zookeeper=False, staged=False)
    with_zookeeper = in_kraft._replace(instead_of="3.8 with ZooKeeper")
    assert brokers_to_run("3.8", zookeeper=True, staged=False) == with_zookeeper
    with pytest.raises(SettingError):
        brokers_to_run("2.7", zookeeper=True, staged=True)


def test_the_metadata_mode_is_a_setting_of_versions_with_both_modes():
    for line in kafka_versions():
        names = {
            setting.name for setting in settings_of(Family.JAVA, "4.3", line, Component.APPLICATION)
        }
        assert ("metadata.mode" in names) == (line in BOTH_MODES)


@pytest.mark.parametrize(("fields", "messages"), [
    ({"kafka": "3.6"}, ["KRaft is assumed", "9,000 ms", "21,000 ms"]),
    ({"kafka": "3.6", TIMEOUT: "6000"}, ["9,000 ms (zookeeper.session.timeout.ms=6000)"]),
    ({"kafka": "3.6", MODE: "zookeeper"}, ["mode=zookeeper: a broker that crashes", "21,000 ms"]),
    ({"kafka": "3.6", MODE: "kraft"}, []),
    ({"kafka": "3.6", "application.controllers": "3"}, []),
    ({"kafka": "4.0"}, []),
])  # fmt: skip
def test_an_unstated_metadata_mode_is_a_finding(fields: dict[str, str], messages: list[str]):
    findings = [
        finding for finding in assess(described(fields)).findings if finding.rule.code == "B008"
    ]
    assert bool(findings) == bool(messages)
    assert all(words in findings[0].message for words in messages)


@pytest.mark.parametrize("key", [
    (Component.APPLICATION, "metadata.mode"), (Component.BROKER, "zookeeper.session.timeout.ms"),
])  # fmt: skip
def test_the_mode_and_the_session_timeout_affect_these_durations(key: tuple[Component, str]):
    assert {"leader-killed", "leader-cut-off"} <= {event.name for event in events_measured_by(key)}


def test_an_unstated_metadata_mode_that_decides_is_an_assumption():
    def assumed(fields: dict[str, str]) -> set[str]:
        return {
            assumption.setting
            for assumption in answer(described(BETWEEN_TIMEOUTS | fields)).assumed
        }

    assert "metadata.mode" in assumed({"kafka": "3.6"})
    assert "metadata.mode" not in assumed({"kafka": "3.6", MODE: "kraft"})
    long_timeout = {"producer.delivery.timeout.ms": "120000"}
    assert "metadata.mode" not in assumed({"kafka": "3.6"} | long_timeout)


def test_controllers_cannot_be_stated_with_zookeeper():
    fields = {"kafka": "3.6", "application.controllers": "3"}
    assert from_fields(fields | {MODE: "kraft"})[0] is not None
    pipeline, problems = from_fields(fields | {MODE: "zookeeper"})
    assert pipeline is None
    assert [problem.setting for problem in problems] == ["controllers"]
