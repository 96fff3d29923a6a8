"""What brokers refuse by limits, held against KafkaConfig, Errors and librdkafka."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import pytest
from confluent_kafka import KafkaError
from py4j.protocol import Py4JJavaError

from advisor.catalog import Component, Family, Value, kafka_versions, validate
from advisor.catalog.versions import at_least
from labs.maintenance.products.releases import class_path
from tests.contracts.jvm import Jvm, jvm, root_message

pytestmark = pytest.mark.contract

_BROKER = {
    "process.roles": "broker", "node.id": "1", "controller.quorum.voters": "2@127.0.0.1:1",
    "controller.listener.names": "C", "listeners": "PLAINTEXT://127.0.0.1:1",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,C:PLAINTEXT",
}  # fmt: skip


def _files(line: str) -> list[dict[str, int]]:
    """Bounds against each other and against what is given, one and two moved at a time."""
    moved: list[tuple[str, int]] = []
    for group in ["consumer", *(["streams"] if at_least(line, "4.1") else [])]:
        for what, values in (("session.timeout", (5000, 44999, 60001)),
                             ("heartbeat.interval", (4999, 15001, 70000))):  # fmt: skip
            for bound, value in itertools.product(("", "min.", "max."), values):
                moved.append((f"group.{group}.{bound}{what}.ms", value))
    pairs = itertools.combinations(moved, 2)
    return [dict(row) for row in [*((one,) for one in moved), *pairs]]


def _ours(line: str, file: Mapping[str, Value]) -> str | None:
    problems = validate(Family.JAVA, "4.3", line, 3, {Component.BROKER: file})
    return next((problem.message for problem in problems), None)


def _theirs(java: Jvm, file: Mapping[str, int]) -> str | None:
    texts = {name: str(value) for name, value in file.items()}
    try:
        java.java.kafka.server.KafkaConfig(java.properties({**_BROKER, **texts}))
    except Py4JJavaError as error:
        return root_message(error.java_exception)
    return None


@pytest.mark.parametrize(
    "line", [kafka_version for kafka_version in kafka_versions() if at_least(kafka_version, "3.7")]
)
def test_a_broker_refuses_its_own_file_in_these_words(line: str) -> None:
    with jvm(class_path(line)) as java:
        compared = [(file, _ours(line, file), _theirs(java, file)) for file in _files(line)]
    wrong = [row for row in compared if row[1] != row[2]]
    assert not wrong, f"{len(wrong)} of {len(compared)} differ: {wrong[:5]}"
    assert sum(theirs is not None for _, _, theirs in compared) > 50
    assert sum(theirs is None for _, _, theirs in compared) > 5


@pytest.mark.parametrize(
    ("component", "settings", "error", "code"),
    [
        (Component.CONSUMER, {"session.timeout.ms": 5000}, "INVALID_SESSION_TIMEOUT",
         KafkaError.INVALID_SESSION_TIMEOUT),
        (Component.PRODUCER, {"transactional.id": "t", "transaction.timeout.ms": 900001},
         "INVALID_TRANSACTION_TIMEOUT", KafkaError.INVALID_TRANSACTION_TIMEOUT),
    ],
)  # fmt: skip
def test_what_a_broker_answers_is_in_the_words_of_the_client(
    kafka_jvm: Jvm, component: Component, settings: dict[str, Value], error: str, code: int
) -> None:
    words = {
        Family.JAVA: str(getattr(kafka_jvm.kafka.common.protocol.Errors, error).message()),
        Family.LIBRDKAFKA: KafkaError(code).str(),
    }
    heartbeat: dict[str, Value] = {"heartbeat.interval.ms": 1000}
    both = settings | (heartbeat if component is Component.CONSUMER else {})
    for family, version in ((Family.JAVA, "4.3"), (Family.LIBRDKAFKA, "2.16")):
        (problem,) = validate(family, version, "4.3", 3, {component: both})
        assert problem.product
        assert problem.message.startswith(words[family])
