"""The settings whose effect no experiment shows, each with the reason."""

from __future__ import annotations

from collections.abc import Mapping

_BOUND = "it decides only whether the brokers start, or let a client in"
_WORKS = "it decides only whether anything gets through at all"
_GATHERS = "no run's reader waits for more messages"
_WITH_LIMIT = "it decides only with a max.message.bytes of the topic that is smaller"

UNSHOWN: Mapping[str, str] = {
    "producer.batch.num.messages": _WITH_LIMIT,
    "producer.message.max.bytes": _WITH_LIMIT,
    "producer.socket.timeout.ms": "it decides only whether librdkafka starts beside "
    "transaction.timeout.ms",
    **dict.fromkeys(
        (
            "producer.connections.max.idle.ms",
            "consumer.connections.max.idle.ms",
            "broker.connections.max.idle.ms",
            "broker.offsets.commit.timeout.ms",
            "consumer.socket.timeout.ms",
            "consumer.default.api.timeout.ms",
            "consumer.kafkaConsumer.pollTimeoutMs",
        ),
        _WORKS,
    ),
    **dict.fromkeys(("consumer.fetch.max.wait.ms", "consumer.fetch.wait.max.ms"), _GATHERS),
    "application.transaction.version": "no run holds up a message on its way into the next "
    "transaction",
    "consumer.check.crcs": "no run damages what is on a disk or on its way",
    "consumer.group.id": "no run has two Spark queries that read as one group",
    "consumer.maxTriggerDelay": _GATHERS,
    "streams.application.id": "a run's application has an id of its own",
    "streams.errors.dead.letter.queue.topic.name": "no run's application goes on without a message",
    "streams.windowstore.changelog.additional.retention.ms": "no run's application is away for a "
    "day",
    "application.rate": "it is the load that some numbers are worked out for, and no run is of it",
    "broker.group.min.session.timeout.ms": _BOUND,
    "broker.group.max.session.timeout.ms": _BOUND,
    "broker.transaction.max.timeout.ms": _BOUND,
    "broker.replica.fetch.wait.max.ms": _BOUND,
    "broker.replica.socket.timeout.ms": _BOUND,
    **{
        f"broker.group.{group}.{bound}": _BOUND
        for group in ("consumer", "streams")
        for bound in (
            "min.session.timeout.ms",
            "max.session.timeout.ms",
            "heartbeat.interval.ms",
            "min.heartbeat.interval.ms",
            "max.heartbeat.interval.ms",
        )
    },
    "broker.group.coordinator.rebalance.protocols": "of a group that the brokers refuse, a run "
    "shows nothing",
    "broker.group.streams.session.timeout.ms": "a run's application has group.protocol=classic",
}
"""By the setting's field; no failure's outcome depends on it."""
