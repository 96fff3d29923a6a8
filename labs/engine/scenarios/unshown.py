"""The settings whose effect no experiment shows, each with the reason."""

from __future__ import annotations

from collections.abc import Mapping

_BOUND = "it decides only whether the brokers start, or accept a client"
_CONNECTS = "it decides only whether anything gets through at all"
_FETCH_WAIT = "no reader of a run waits for more messages"
_WITH_LIMIT = "it decides only with a max.message.bytes of the topic that is smaller"

UNSHOWN: Mapping[str, str] = {
    "producer.batch.num.messages": _WITH_LIMIT,
    "producer.message.max.bytes": _WITH_LIMIT,
    "producer.socket.timeout.ms": "it decides only whether librdkafka starts with this "
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
        _CONNECTS,
    ),
    **dict.fromkeys(("consumer.fetch.max.wait.ms", "consumer.fetch.wait.max.ms"), _FETCH_WAIT),
    "application.transaction.version": "no run delays a message until the next transaction",
    "consumer.check.crcs": "no run damages records on a disk or in flight",
    "consumer.group.id": "no run has two Spark queries in one group",
    "consumer.maxTriggerDelay": _FETCH_WAIT,
    "streams.application.id": "a run's application has its own id",
    "streams.errors.dead.letter.queue.topic.name": "no run's application skips a message",
    "streams.windowstore.changelog.additional.retention.ms": "no run's application is away for a "
    "day",
    "application.rate": "some numbers are calculated for this load, and no run has it",
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
    "broker.group.coordinator.rebalance.protocols": "a run shows nothing of a group that the "
    "brokers refuse",
    "broker.group.streams.session.timeout.ms": "a run's application has group.protocol=classic",
}
"""The reasons by field of the setting; no failure's outcome depends on these settings."""
