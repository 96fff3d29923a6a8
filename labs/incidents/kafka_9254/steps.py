"""The second change of a cluster-wide log default discards topics' own settings in memory."""

from __future__ import annotations

from confluent_kafka import KafkaError

from labs.engine.base.wait import until
from labs.incidents import clients
from labs.incidents.model import Exhibit, Outcome
from labs.incidents.past_cluster import PastCluster

BROKERS = 2
SETTINGS: dict[str, str | int] = {}
_TOPIC, _SENDS = "payments", 5
_CONFIG = "kafka.admin.ConfigCommand"


def play(past: PastCluster) -> Outcome:
    """Counts messages of five acknowledged by one replica, although the topic requires two."""
    clients.create(past.bootstrap, _TOPIC, {"min.insync.replicas": "2"}, copies=2)
    past.stop(2)
    past.await_in_sync(_TOPIC, 1)
    answers = {"Before any change": _answers(past)}
    for number, retention_ms in enumerate((600_000_000, 500_000_000), 1):
        _change_default(past, retention_ms)
        past.timeline.add(f"the default of log.retention.ms is {retention_ms}")
        answers[f"After change {number} of the default of log.retention.ms"] = _answers(past)
    *_, last = answers.values()
    described = clients.described(past.bootstrap, _TOPIC, "min.insync.replicas")
    text = "\n".join(f"{when}: {', '.join(names)}" for when, names in answers.items())
    return Outcome(
        last.count("acknowledged"),
        _SENDS,
        (
            Exhibit("Answers to acks=all", text),
            Exhibit("What describe says of the topic afterwards", described),
        ),
    )


def _change_default(past: PastCluster, retention_ms: int) -> None:
    """Changes it for all brokers at run time (KIP-226); waits until the broker has it."""
    past.tool(
        _CONFIG, "--bootstrap-server", past.bootstrap, "--alter",
        "--entity-type", "brokers", "--entity-default",
        "--add-config", f"log.retention.ms={retention_ms}",
    )  # fmt: skip
    until(lambda: f"log.retention.ms={retention_ms}" in _defaults(past), 20, "no default changed")


def _defaults(past: PastCluster) -> str:
    return past.tool(
        _CONFIG, "--bootstrap-server", past.bootstrap, "--describe",
        "--entity-type", "brokers", "--entity-default",
    )  # fmt: skip


def _answers(past: PastCluster) -> list[str]:
    """Returns the results of sends with acks=all and one replica in sync."""
    producer = clients.producer(past.bootstrap, acks="all", retries=0, message_timeout_ms=10_000)
    errors = [clients.send(producer, _TOPIC, None, b"1") for _ in range(_SENDS)]
    answers = ["acknowledged" if error is None else _name(error) for error in errors]
    past.timeline.add(f"{_SENDS} sends with acks=all: {answers.count('acknowledged')} acknowledged")
    return answers


def _name(error: KafkaError) -> str:
    return str(error.name())
