"""Validation of settings: one example per rule, and the limits of the cluster.

tests/contracts compares the messages with those of the clients.
"""

from __future__ import annotations

import re

import pytest
from django.test import Client

from advisor.catalog import (
    Component,
    Family,
    Problem,
    SettingError,
    Value,
    client_line,
    kafka_line,
    validate,
)

P, C, S, T, B, A = Component
Settings = dict[Component, dict[str, Value]]


def _problems(
    settings: Settings, family: Family = Family.JAVA, version: str = "4.3", brokers: int = 3
) -> list[Problem]:
    return validate(family, version, "4.3", brokers, settings)


@pytest.mark.parametrize(
    ("family", "version"),
    [(Family.JAVA, "4.3"), (Family.LIBRDKAFKA, "2.16"), (Family.SPARK, "4.2")],
)
def test_defaults_are_valid(family: Family, version: str) -> None:
    assert _problems({}, family, version) == []


@pytest.mark.parametrize(
    ("family", "version", "settings", "setting"),
    [
        (Family.JAVA, "4.3", {"acks": "1", "enable.idempotence": True}, "acks"),
        (Family.JAVA, "4.3", {"acks": "1", "max.in.flight.requests.per.connection": 6},
         "max.in.flight.requests.per.connection"),
        (Family.JAVA, "4.3", {"acks": "1", "transactional.id": "t"}, "transactional.id"),
        (Family.JAVA, "4.3", {"delivery.timeout.ms": 30004}, "delivery.timeout.ms"),
        (Family.SPARK, "4.2", {"delivery.timeout.ms": 29999}, "delivery.timeout.ms"),
        (Family.LIBRDKAFKA, "2.16", {"delivery.timeout.ms": 5, "linger.ms": 5}, "linger.ms"),
        (Family.LIBRDKAFKA, "2.16", {"retries": 0, "enable.idempotence": True}, "retries"),
    ],
)  # fmt: skip
def test_a_conflict_of_the_client_is_reported_at_its_setting(
    family: Family, version: str, settings: dict[str, Value], setting: str
) -> None:
    (problem,) = _problems({P: settings}, family, version)
    assert (problem.component, problem.setting, problem.product) == (P, setting, True)


@pytest.mark.parametrize(
    ("family", "version", "settings"),
    [
        (Family.JAVA, "4.3", {"acks": "1"}),
        (Family.JAVA, "4.3",
         {"enable.idempotence": False, "max.in.flight.requests.per.connection": 6}),
        (Family.JAVA, "3.9", {"max.in.flight.requests.per.connection": 6}),
        (Family.JAVA, "3.9", {"delivery.timeout.ms": 30004}),
        (Family.JAVA, "4.3", {"linger.ms": 9_000_000}),
        (Family.LIBRDKAFKA, "2.16", {"delivery.timeout.ms": 0, "linger.ms": 900000}),
    ],
)  # fmt: skip
def test_values_that_the_client_accepts_are_valid(
    family: Family, version: str, settings: dict[str, Value]
) -> None:
    assert _problems({P: settings}, family, version) == []


@pytest.mark.parametrize(
    ("settings", "brokers", "component", "setting"),
    [
        ({T: {"replication.factor": 4}}, 3, T, "replication.factor"),
        ({B: {"default.replication.factor": 3}}, 2, B, "default.replication.factor"),
        ({}, 0, B, "brokers"),
        ({}, 1001, B, "brokers"),
        ({C: {"session.timeout.ms": 5999}}, 3, C, "session.timeout.ms"),
        ({C: {"session.timeout.ms": 1_800_001}}, 3, C, "session.timeout.ms"),
        ({P: {"transactional.id": "t", "transaction.timeout.ms": 900_001}}, 3, P,
         "transaction.timeout.ms"),
        ({A: {"commit": "auto"}, C: {"enable.auto.commit": False}}, 3, A, "commit"),
        ({A: {"commit": "in-transaction"}}, 3, A, "commit"),
    ],
)  # fmt: skip
def test_values_that_the_cluster_or_the_code_cannot_have_are_refused(
    settings: Settings, brokers: int, component: Component, setting: str
) -> None:
    (problem,) = _problems(settings, brokers=brokers)
    assert (problem.component, problem.setting) == (component, setting)


@pytest.mark.parametrize(("family", "version", "settings", "setting"), [
    (Family.JAVA, "4.3", {"heartbeat.interval.ms": 45000}, "heartbeat.interval.ms"),
    (Family.JAVA, "2.8", {"heartbeat.interval.ms": 10000}, "heartbeat.interval.ms"),
    (Family.STREAMS, "4.3", {"heartbeat.interval.ms": 7000, "session.timeout.ms": 7000},
     "session.timeout.ms"),
    (Family.JAVA, "3.9", {"heartbeat.interval.ms": 7000, "session.timeout.ms": 6000,
                          "group.protocol": "classic"}, "session.timeout.ms"),
])  # fmt: skip
def test_a_heartbeat_interval_not_below_the_session_timeout_is_refused(
    family: Family, version: str, settings: dict[str, Value], setting: str
) -> None:
    (problem,) = _problems({C: settings}, family, version)
    assert (problem.setting, problem.message) == (
        setting, "Heartbeat must be set lower than the session timeout",
    )  # fmt: skip


@pytest.mark.parametrize(("version", "settings"), [
    ("4.3", {"heartbeat.interval.ms": 44999}),
    ("3.0", {"heartbeat.interval.ms": 10000}),
    ("3.9", {"heartbeat.interval.ms": 50000, "group.protocol": "consumer"}),
    ("4.3", {"session.timeout.ms": 6000, "heartbeat.interval.ms": 5999}),
])  # fmt: skip
def test_a_valid_or_unused_heartbeat_interval_is_accepted(
    version: str, settings: dict[str, Value]
) -> None:
    assert _problems({C: settings}, Family.JAVA, version) == []


@pytest.mark.parametrize(("version", "first"), [
    ("2.8", "delivery.timeout.ms"), ("3.0", "max.in.flight.requests.per.connection"),
])  # fmt: skip
def test_the_first_of_two_problems_depends_on_the_version(version: str, first: str) -> None:
    (problem,) = _problems({P: {
        "enable.idempotence": True, "max.in.flight.requests.per.connection": 6,
        "delivery.timeout.ms": 5,
    }}, Family.JAVA, version)  # fmt: skip
    assert problem.setting == first


def test_group_protocol_consumer_refuses_both_timeouts() -> None:
    (problem,) = _problems({C: {
        "session.timeout.ms": 6000, "heartbeat.interval.ms": 9000, "group.protocol": "consumer",
    }})  # fmt: skip
    assert problem.message == (
        "heartbeat.interval.ms, session.timeout.ms cannot be set when group.protocol=CONSUMER"
    )


def test_min_isr_above_the_replication_factor_is_valid() -> None:
    # The broker caps it (KAFKA-15583). Its effect on the guarantee is tested elsewhere.
    assert _problems({T: {"replication.factor": 1, "min.insync.replicas": 2}}) == []


def test_problems_of_clients_and_cluster_are_reported_together() -> None:
    settings: Settings = {
        P: {"acks": "0", "enable.idempotence": True},
        C: {"session.timeout.ms": 3000},
        T: {"replication.factor": 9},
    }
    assert [(problem.component, problem.product) for problem in _problems(settings)] == [
        (P, True), (C, True), (T, True), (C, True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("stated", "refused"),
    [
        ({C: {"session.timeout.ms": 5999}}, [(C, "session.timeout.ms")]),
        ({C: {"session.timeout.ms": 5999}, B: {"group.min.session.timeout.ms": 5000}}, []),
        ({C: {"session.timeout.ms": 20000}, B: {"group.max.session.timeout.ms": 10000}},
         [(C, "session.timeout.ms")]),
        # The client's default is outside of the limits of these brokers.
        ({B: {"group.max.session.timeout.ms": 30000}}, [(B, "group.max.session.timeout.ms")]),
        ({B: {"group.min.session.timeout.ms": 45001}}, [(B, "group.min.session.timeout.ms")]),
        ({B: {"group.max.session.timeout.ms": 30000}, C: {"group.protocol": "consumer"}}, []),
        ({P: {"transactional.id": "t", "transaction.timeout.ms": 1800000},
          B: {"transaction.max.timeout.ms": 3600000}}, []),
        ({P: {"transactional.id": "t"}, B: {"transaction.max.timeout.ms": 59999}},
         [(B, "transaction.max.timeout.ms")]),
        ({P: {"transaction.timeout.ms": 1800000}}, []),
        ({B: {"group.consumer.session.timeout.ms": 30000}},
         [(B, "group.consumer.session.timeout.ms")]),
        ({B: {"group.consumer.session.timeout.ms": 30000,
              "group.consumer.min.session.timeout.ms": 30000}}, []),
        ({B: {"group.streams.max.session.timeout.ms": 40000}},
         [(B, "group.streams.max.session.timeout.ms")]),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("client", [(Family.JAVA, "4.3"), (Family.LIBRDKAFKA, "2.16")])
def test_stated_limits_of_the_brokers_replace_their_defaults(
    stated: Settings, refused: list[tuple[Component, str]], client: tuple[Family, str]
) -> None:
    problems = _problems(stated, *client)
    assert [(problem.component, problem.setting) for problem in problems] == refused
    assert all(problem.product for problem in problems)


def test_exactly_once_of_streams_uses_a_transaction_timeout_of_10_seconds() -> None:
    eos: Settings = {S: {"processing.guarantee": "exactly_once_v2"}}
    stated: Settings = {**eos, B: {"transaction.max.timeout.ms": 10000}}
    assert _problems(stated, Family.STREAMS) == []
    stated[B] = {"transaction.max.timeout.ms": 9999}
    (problem,) = _problems(stated, Family.STREAMS)
    assert problem.setting == "transaction.max.timeout.ms"


def test_an_unknown_version_is_an_error() -> None:
    with pytest.raises(SettingError, match="is none of them"):
        _problems({}, version="1.0")


@pytest.mark.django_db
@pytest.mark.parametrize("version", ["2.7", "2.6.1", "1.1", "0.11", "0.10.2.2"])
def test_an_older_version_is_refused_with_a_link_to_its_known_bugs(version: str) -> None:
    """The guarantee of 2.7 is unknown, but its bugs are known."""
    for look_up in (
        lambda: kafka_line(version),
        lambda: client_line(Family.JAVA, version),
        lambda: client_line(Family.STREAMS, version),
    ):
        with pytest.raises(SettingError) as refused:
            look_up()
        address = re.search(r"\((/advisories/\?version=\S+)\)", str(refused.value))
        assert address
        page = Client().get(address[1]).content.decode()
        assert re.search(r"[1-9]\d* known bugs? of (Kafka )?" + re.escape(version), page)


def test_other_unknown_versions_get_no_link_to_known_bugs() -> None:
    for look_up in (
        lambda: kafka_line("5.0"),
        lambda: kafka_line("old"),
        lambda: client_line(Family.LIBRDKAFKA, "1.9"),
    ):
        with pytest.raises(SettingError) as refused:
            look_up()
        assert "advisories" not in str(refused.value)
