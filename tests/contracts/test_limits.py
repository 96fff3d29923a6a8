"""The limits by which brokers refuse settings, compared with KafkaConfig, Errors and librdkafka."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import pytest
from confluent_kafka import KafkaError, Producer
from py4j.protocol import Py4JError, Py4JJavaError

from advisor import services
from advisor.catalog import Component, Family, Value, kafka_versions, validate
from advisor.catalog.versions import at_least
from advisor.intake.inputs import Inputs
from advisor.intake.origins import Origin
from advisor.reasoning.behaviour.sizes import KIB
from labs.maintenance.products.releases import class_path
from tests.contracts.jvm import Jvm, jvm, root_message
from tests.contracts.lines import mostly_nightly

pytestmark = pytest.mark.contract

_BROKER = {
    "process.roles": "broker", "node.id": "1", "controller.quorum.voters": "2@127.0.0.1:1",
    "controller.listener.names": "C", "listeners": "PLAINTEXT://127.0.0.1:1",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,C:PLAINTEXT",
}  # fmt: skip

_WITH_ZOOKEEPER = {"broker.id": "1", "zookeeper.connect": "127.0.0.1:1"}
_LINES = kafka_versions()
_WITH_LOG_CONFIG = [version for version in _LINES if at_least(version, "3.6")]
"""The lines whose LogConfig is a Java class with remote storage."""


def _broker(line: str) -> dict[str, str]:
    """The required settings of a broker of this line; KRaft mode was a preview before 3.3."""
    return _BROKER if at_least(line, "3.3") else _WITH_ZOOKEEPER


def _timeout_files(line: str) -> list[dict[str, int]]:
    """Files that change one or two of the bounds and values of group timeouts."""
    changes: list[tuple[str, int]] = []
    for group in ["consumer", *(["streams"] if at_least(line, "4.1") else [])]:
        for timeout, values in (("session.timeout", (5000, 44999, 60001)),
                             ("heartbeat.interval", (4999, 15001, 70000))):  # fmt: skip
            for bound, value in itertools.product(("", "min.", "max."), values):
                changes.append((f"group.{group}.{bound}{timeout}.ms", value))
    pairs = itertools.combinations(changes, 2)
    return [dict(row) for row in [*((one,) for one in changes), *pairs]]


_FILES: list[dict[str, str]] = [
    {"replica.lag.time.max.ms": "400"}, {"replica.lag.time.max.ms": "500"},
    {"replica.lag.time.max.ms": "400", "replica.fetch.wait.max.ms": "400"},
    {"replica.fetch.wait.max.ms": "30001"}, {"replica.fetch.wait.max.ms": "30000"},
    {"replica.socket.timeout.ms": "499"}, {"replica.socket.timeout.ms": "500"},
    {"offsets.commit.required.acks": "4"}, {"offsets.commit.required.acks": "3"},
    {"offsets.commit.required.acks": "-2"}, {"offsets.commit.required.acks": "-1"},
    {"offsets.commit.required.acks": "4", "replica.lag.time.max.ms": "400"},
    {"log.retention.ms": "0"}, {"log.retention.minutes": "0"}, {"log.retention.hours": "0"},
    {"log.retention.ms": "1"}, {"log.retention.ms": "-1"},
    {"log.roll.ms": "0"}, {"log.roll.ms": "1"},
    {"queued.max.request.bytes": "100"}, {"queued.max.request.bytes": "-1"},
    {"queued.max.request.bytes": "100", "socket.request.max.bytes": "100"},
    {"log.cleaner.dedupe.buffer.size": "1048576"}, {"log.cleaner.dedupe.buffer.size": "1048577"},
    {"log.cleaner.threads": "128"}, {"log.cleaner.threads": "127"},
    {"max.connections.per.ip": "0"}, {"max.connections.per.ip": "2"},
    {"max.connections.per.ip": "0", "max.connections.per.ip.overrides": "127.0.0.1:1"},
    {"connections.max.idle.ms": "100"}, {"connections.max.idle.ms": "101"},
    {"connections.max.idle.ms": "-1"}, {"connection.failed.authentication.delay.ms": "600000"},
    {"connection.failed.authentication.delay.ms": "599999"},
    {"num.io.threads": "0"}, {"num.partitions": "0"},
    {"min.insync.replicas": "0"},
    {"broker.id": "1"},
    {"broker.session.timeout.ms": "2000"}, {"broker.heartbeat.interval.ms": "2147483647"},
]  # fmt: skip
"""Settings of a broker, in addition to those of `_BROKER`."""

_LISTENERS: list[dict[str, str]] = [
    {"process.roles": "broker,broker"},
    {"listeners": "PLAINTEXT://:1,PLAINTEXT://:2"}, {"listeners": "PLAINTEXT://:1,C://:2"},
    {"listeners": "PLAINTEXT://:1,SSL://:1"}, {"advertised.listeners": "PLAINTEXT://a"},
    {"advertised.listeners": "PLAINTEXT://a:1"}, {"advertised.listeners": "SSL://a:1"},
    {"listeners": "PLAINTEXT://[::1]:1"}, {"early.start.listeners": "Q"},
    {"early.start.listeners": "C"}, {"inter.broker.listener.name": "X"},
    {"inter.broker.listener.name": "plaintext"}, {"security.inter.broker.protocol": "SSL"},
    {"inter.broker.listener.name": "PLAINTEXT", "security.inter.broker.protocol": "PLAINTEXT"},
    {"controller.listener.names": "PLAINTEXT"}, {"controller.listener.names": "Z"},
    {"listener.security.protocol.map": "PLAINTEXT:FOO,C:PLAINTEXT"},
    {"listener.security.protocol.map": "C:PLAINTEXT"},
    {"controller.quorum.voters": "x@a:1"}, {"controller.quorum.voters": "2@a"},
    {"controller.quorum.voters": "2@a:1, 3@b:1"}, {"controller.quorum.voters": "2@[::1]:1"},
    *({name: ""} for name in ("listeners", "advertised.listeners", "controller.listener.names")),
    *({f"group.{kind}.assignors": text} for kind in ("consumer", "share") for text in (
        "", "foo", "uniform", "Range", " range , uniform ", "range,range",
        "simple", "simple,simple",
        *(f"org.apache.kafka.coordinator.group.assignor.{name}Assignor"
          for name in ("Range", "Simple", "range", "Foo")),
    )),
]  # fmt: skip
"""Listeners, roles and classes. Only whether the server starts is compared, since its message
contains names that differ from team to team."""

_FETCHERS: list[dict[str, str]] = [{"num.replica.fetchers": "0"}]
"""Before 4.2 brokers start with it and replicate nothing; the advisor does not cover that."""

_GROUPS: list[dict[str, str]] = [
    {"group.coordinator.rebalance.protocols": "consumer"},
    {"group.coordinator.rebalance.protocols": "classic"},
    {"group.share.session.timeout.ms": "44999"}, {"group.share.session.timeout.ms": "60001"},
    {"group.share.min.session.timeout.ms": "60001"}, {"group.share.heartbeat.interval.ms": "4999"},
    {"group.share.heartbeat.interval.ms": "15001"}, {"group.share.max.heartbeat.interval.ms": "1"},
    {"remote.log.manager.copier.thread.pool.size": "0"},
    {"remote.log.manager.expiration.thread.pool.size": "1"},
    {"group.consumer.max.assignment.interval.ms": "1"},
    {"group.consumer.min.assignment.interval.ms": "15001"},
    {"group.share.assignment.interval.ms": "15001"},
    {"group.streams.max.assignment.interval.ms": "1000"},
    {"group.streams.num.standby.replicas": "3"}, {"group.streams.num.standby.replicas": "2"},
]  # fmt: skip

_TOPICS: list[dict[str, str]] = [
    {"min.compaction.lag.ms": "1000", "max.compaction.lag.ms": "999"},
    {"min.compaction.lag.ms": "1000", "max.compaction.lag.ms": "1000"},
    {"remote.storage.enable": "true"},
    {"remote.storage.enable": "true", "cleanup.policy": "compact"},
    {"remote.storage.enable": "true", "cleanup.policy": "compact,delete"},
    {"remote.storage.enable": "false", "cleanup.policy": "compact"},
    {"remote.storage.enable": "true", "local.retention.ms": "604800001"},
    {"remote.storage.enable": "true", "local.retention.ms": "604800000"},
    {"remote.storage.enable": "true", "local.retention.ms": "1", "retention.ms": "-1"},
    {"remote.storage.enable": "true", "local.retention.bytes": "11", "retention.bytes": "10"},
    {"remote.storage.enable": "true", "local.retention.bytes": "11"},
    {"local.retention.ms": "604800001"}, {"max.compaction.lag.ms": "0"},
    {"delete.retention.ms": "-1"}, {"segment.bytes": "1048575"}, {"segment.bytes": "1048576"},
]  # fmt: skip


def _advisor_refusal(line: str, component: Component, file: Mapping[str, str]) -> str | None:
    """The first refusal of this file, whichever part of the advisor states it; or None."""
    inputs = Inputs()
    inputs.set_field("kafka", line, Origin("test"))
    text = "".join(f"{name}={value}\n" for name, value in file.items())
    inputs.add_text("f", text, f"{component}-properties")
    pipeline, problems = services.from_fields(inputs.fields)
    refusals = [*inputs.problems, *(problem.message for problem in problems)]
    assert pipeline is not None or refusals
    return refusals[0] if refusals else None


def _agrees(ours: str | None, actual: str | None) -> bool:
    """Whether both accept it or both refuse it with the same message.

    The message is not compared when it is about the bound of a single value.
    """
    if ours is None or actual is None:
        return ours is actual
    return actual in ours or actual.startswith("Invalid value")


@pytest.mark.parametrize("line", mostly_nightly(_LINES))
def test_a_broker_refuses_the_settings_that_we_say_it_refuses(line: str) -> None:
    files = [*_FILES, *(_GROUPS if at_least(line, "3.9") else [])]
    files += _FETCHERS if at_least(line, "4.2") else []
    required = _broker(line)
    with jvm(class_path(line)) as java:
        compared: list[tuple[Mapping[str, str], str | None, str | None]] = [
            (
                file,
                _advisor_refusal(line, Component.BROKER, {**required, **file}),
                _broker_refusal(java, file, required),
            )
            for file in files
        ]
        compared += [
            (topic, _advisor_refusal(line, Component.TOPIC, topic), _topic_refusal(java, topic))
            for topic in (_TOPICS if line in _WITH_LOG_CONFIG else [])
        ]
    differing = [row for row in compared if not _agrees(*row[1:])]
    assert not differing, f"{len(differing)} of {len(compared)} differ: {differing}"
    assert sum(actual is not None for _, _, actual in compared) > 15
    assert sum(actual is None for _, _, actual in compared) > 10


@pytest.mark.parametrize("line", mostly_nightly([line for line in _LINES if at_least(line, "3.3")]))
def test_a_server_does_not_start_with_listeners_that_we_refuse(line: str) -> None:
    with jvm(class_path(line)) as java:
        actual = [_broker_refusal(java, file, _BROKER) for file in _LISTENERS]
    ours = [_advisor_refusal(line, Component.BROKER, {**_BROKER, **file}) for file in _LISTENERS]
    rows = zip(_LISTENERS, ours, actual, strict=True)
    differing = [row for row in rows if (row[1] is None) is not (row[2] is None)]
    assert not differing, f"{len(differing)} differ: {differing}"


def _topic_refusal(java: Jvm, topic: Mapping[str, str]) -> str | None:
    """Why brokers with remote storage refuse a topic's settings, or None."""
    config = java.kafka.storage.internals.log.LogConfig
    none, some = java.java.java.util.HashMap(), java.java.java.util.HashMap()
    some.put("min.insync.replicas", "1")
    settings = java.properties(topic)
    # The number of its arguments changed with the needs of ZooKeeper mode.
    for arguments in (
        (none, settings, some, True), (none, settings, some, True, False), (settings, some, True),
    ):  # fmt: skip
        try:
            config.validate(*arguments)
        except Py4JJavaError as error:
            return root_message(error.java_exception)
        except Py4JError:
            continue
        return None
    raise AssertionError("LogConfig.validate takes other arguments")


def _our_refusal(line: str, file: Mapping[str, Value]) -> str | None:
    problems = validate(Family.JAVA, "4.3", line, 3, {Component.BROKER: file})
    return next((problem.message for problem in problems), None)


def _broker_refusal(
    java: Jvm, file: Mapping[str, int | str], required: Mapping[str, str] = _BROKER
) -> str | None:
    texts = {name: str(value) for name, value in file.items()}
    try:
        java.java.kafka.server.KafkaConfig(java.properties({**required, **texts}))
    except Py4JJavaError as error:
        return root_message(error.java_exception)
    return None


@pytest.mark.parametrize("line", mostly_nightly([line for line in _LINES if at_least(line, "3.7")]))
def test_a_broker_refuses_group_timeouts_with_our_message(line: str) -> None:
    with jvm(class_path(line)) as java:
        compared = [
            (file, _our_refusal(line, file), _broker_refusal(java, file))
            for file in _timeout_files(line)
        ]
    differing = [row for row in compared if row[1] != row[2]]
    assert not differing, f"{len(differing)} of {len(compared)} differ: {differing[:5]}"
    assert sum(actual is not None for _, _, actual in compared) > 50
    assert sum(actual is None for _, _, actual in compared) > 5


@pytest.mark.parametrize(
    ("component", "settings", "error", "code"),
    [
        (Component.CONSUMER, {"session.timeout.ms": 5000}, "INVALID_SESSION_TIMEOUT",
         KafkaError.INVALID_SESSION_TIMEOUT),
        (Component.PRODUCER, {"transactional.id": "t", "transaction.timeout.ms": 900001},
         "INVALID_TRANSACTION_TIMEOUT", KafkaError.INVALID_TRANSACTION_TIMEOUT),
    ],
)  # fmt: skip
def test_the_message_for_a_broker_error_is_that_of_the_client(
    kafka_jvm: Jvm, component: Component, settings: dict[str, Value], error: str, code: int
) -> None:
    messages = {
        Family.JAVA: str(getattr(kafka_jvm.kafka.common.protocol.Errors, error).message()),
        Family.LIBRDKAFKA: KafkaError(code).str(),
    }
    heartbeat: dict[str, Value] = {"heartbeat.interval.ms": 1000}
    both = settings | (heartbeat if component is Component.CONSUMER else {})
    for family, version in ((Family.JAVA, "4.3"), (Family.LIBRDKAFKA, "2.16")):
        (problem,) = validate(family, version, "4.3", 3, {component: both})
        assert problem.product
        assert problem.message.startswith(messages[family])


def test_the_queue_of_librdkafka_is_bounded_in_kib_of_content() -> None:
    settings = {"bootstrap.servers": "127.0.0.1:1", "queue.buffering.max.kbytes": 1, "log_level": 0}
    fits, too_large = Producer(settings), Producer(settings)
    fits.produce("orders", b"x" * KIB)
    with pytest.raises(BufferError):
        too_large.produce("orders", b"x" * (KIB + 1))
    fits.purge()
