"""What a team can change, to which value, and what each change costs.

Only changes that make a pipeline stronger are levers; the order is that of preference between
solutions of equal size. A price has a number wherever there is a formula for one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from advisor.catalog import Component, Family, Value
from advisor.reasoning.group import Commit, Group
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.replication import ELECTION_MARGIN_MS, Replication

_INT_MAX = 2**31 - 1
_PATIENCE_MS = 120_000
"""`delivery.timeout.ms` of the Java client (KIP-91)."""


@dataclass(frozen=True, slots=True)
class Lever:
    """One setting: the values worth trying for a pipeline, and the price of the change.

    `price` sees the pipeline as described and as recommended; `source` says where it is from.
    """

    component: Component
    setting: str
    targets: Callable[[Pipeline], Sequence[Value]]
    price: Callable[[Pipeline, Pipeline], str]
    source: str


def levers(pipeline: Pipeline) -> list[tuple[Lever, tuple[Value, ...]]]:
    """The levers that this pipeline leaves to pull, each with its values in order."""
    found = ((lever, tuple(lever.targets(pipeline))) for lever in _LEVERS)
    return [(lever, targets) for lever, targets in found if targets]


def _becomes(component: Component, name: str, *values: Value) -> Callable[..., Sequence[Value]]:
    """Any of the values that is not in force already."""
    return lambda pipeline: [v for v in values if pipeline.value(component, name) != v]


def _not_spark(targets: Callable[..., Sequence[Value]]) -> Callable[[Pipeline], Sequence[Value]]:
    """Spark decides these itself, so nobody may state them."""
    return lambda pipeline: () if pipeline.family is Family.SPARK else targets(pipeline)


def _only(
    family: Family, targets: Callable[..., Sequence[Value]]
) -> Callable[[Pipeline], Sequence[Value]]:
    return lambda pipeline: targets(pipeline) if pipeline.family is family else ()


def _factors(pipeline: Pipeline) -> Sequence[Value]:
    """f + 1 copies survive f brokers; one more keeps writes going while a broker is down."""
    now = pipeline.number(Component.TOPIC, "replication.factor")
    lost = pipeline.requirement.survive
    wanted = min(lost + 2, pipeline.brokers)
    return [wanted] if lost and now < wanted else []


def _minimums(pipeline: Pipeline) -> Sequence[Value]:
    wanted = pipeline.requirement.survive + 1
    return [wanted] if pipeline.number(Component.TOPIC, "min.insync.replicas") < wanted else []


def _in_flight(pipeline: Pipeline) -> Sequence[Value]:
    now = pipeline.number(Component.PRODUCER, "max.in.flight.requests.per.connection")
    return [most for most in (5, 1) if most < now]


def _retries(pipeline: Pipeline) -> Sequence[Value]:
    now = pipeline.number(Component.PRODUCER, "retries")
    return [_INT_MAX] if now < _INT_MAX else []


def _timeouts(pipeline: Pipeline) -> Sequence[Value]:
    topic = Replication.of(pipeline)
    longest = max(topic.failover_ms, topic.lag_max_ms * 3 // 2 + ELECTION_MARGIN_MS)
    wanted = max(_PATIENCE_MS, longest)
    now = pipeline.number(Component.PRODUCER, "delivery.timeout.ms")
    return [wanted] if now < wanted <= _INT_MAX else []


def _resets(pipeline: Pipeline) -> Sequence[Value]:
    stop = "error" if pipeline.family is Family.LIBRDKAFKA else "none"
    return _becomes(Component.CONSUMER, "auto.offset.reset", "earliest", stop)(pipeline)


def _commits(pipeline: Pipeline) -> Sequence[Value]:
    """After processing cures a skip; before processing is offered only where a skip is possible
    already, because elsewhere it would trade a repeat for a loss."""
    group = Group.of(pipeline)
    if group is None or group.skips() is None:
        return ()
    return ["after-processing"] if group.commit is Commit.BEFORE else ["before-processing"]


def _acks_price(before: Pipeline, after: Pipeline) -> str:
    topic = Replication.of(after)
    return (
        "Latency: each send waits for the slowest replica in sync, one network round trip more. "
        f"A hard crash of any of them holds writes up for up to "
        f"broker.session.timeout.ms={topic.session_timeout_ms}."
    )


def _factor_price(before: Pipeline, after: Pipeline) -> str:
    was, now = Replication.of(before), Replication.of(after)
    return (
        f"Disk and replication traffic: {now.factor} copies of each byte instead of {was.factor}. "
        f"{_spare(now)} An existing topic needs a reassignment of its partitions."
    )


def _minimum_price(before: Pipeline, after: Pipeline) -> str:
    return f"Availability: {_spare(Replication.of(after))}"


def _spare(topic: Replication) -> str:
    return (
        f"replication.factor - min.insync.replicas = {topic.factor} - {topic.min_isr} = "
        f"{topic.spares} of its brokers may be down while writes with acks=all go on."
    )


def _timeout_price(before: Pipeline, after: Pipeline) -> str:
    timeout_ms = after.number(Component.PRODUCER, "delivery.timeout.ms")
    return (
        f"Time: an error is reported after {timeout_ms:,} ms at the latest, not before; until then "
        "unsent records wait in the producer's memory."
    )


def _in_flight_price(before: Pipeline, after: Pipeline) -> str:
    most = after.number(Component.PRODUCER, "max.in.flight.requests.per.connection")
    return f"Throughput: at most {most} unanswered requests to a broker at a time."


def _says(price: str) -> Callable[[Pipeline, Pipeline], str]:
    return lambda before, after: price


_PRODUCER, _CONSUMER = Component.PRODUCER, Component.CONSUMER
_TOPIC, _APPLICATION = Component.TOPIC, Component.APPLICATION

_LEVERS = (
    Lever(
        _PRODUCER, "acks", _becomes(_PRODUCER, "acks", "all"), _acks_price,
        "Kafka ConfigDef, acks; KIP-679",
    ),
    Lever(
        _PRODUCER, "enable.idempotence", _becomes(_PRODUCER, "enable.idempotence", True),
        _says("Next to none: a producer id and a sequence number in each batch; acks=all and at "
              "most 5 unanswered requests to a broker become a condition."),
        "KIP-98; KIP-679",
    ),
    Lever(
        _PRODUCER, "retries", _retries,
        _says("Time: errors that pass are tried again until delivery.timeout.ms, so a real one is "
              "reported later."),
        "KIP-91",
    ),
    Lever(_PRODUCER, "delivery.timeout.ms", _timeouts, _timeout_price, "KIP-91"),
    Lever(
        _PRODUCER, "max.in.flight.requests.per.connection", _in_flight, _in_flight_price,
        "Kafka ConfigDef, max.in.flight.requests.per.connection",
    ),
    Lever(
        _TOPIC, "replication.factor", _factors, _factor_price,
        "Kafka design.md, Replication; KIP-455 (reassignment)",
    ),
    Lever(
        _TOPIC, "min.insync.replicas", _minimums, _minimum_price,
        "Kafka design.md, Availability and Durability Guarantees; KAFKA-15583",
    ),
    Lever(
        _TOPIC, "unclean.leader.election.enable",
        _becomes(_TOPIC, "unclean.leader.election.enable", False),
        _says("Availability: with every in-sync replica down, the partition waits for one of them "
              "instead of going on without the records."),
        "Kafka design.md, Unclean leader election",
    ),
    Lever(
        _CONSUMER, "auto.offset.reset", _not_spark(_resets),
        _says("Work: a group without a position reads the whole log (earliest), or stops until "
              "somebody sets one (none, error)."),
        "Kafka ConfigDef, auto.offset.reset",
    ),
    Lever(
        _CONSUMER, "startingOffsets",
        _only(Family.SPARK, _becomes(_CONSUMER, "startingOffsets", "earliest")),
        _says("Work: a query without a checkpoint reads the whole log first."),
        "Spark structured-streaming-kafka-integration.md, startingOffsets",
    ),
    Lever(
        _CONSUMER, "enable.auto.offset.store",
        _only(Family.LIBRDKAFKA, _becomes(_CONSUMER, "enable.auto.offset.store", False)),
        _says("Code: the application calls store_offsets() for each message once it is processed. "
              "No measurable cost at run time."),
        "librdkafka INTRODUCTION.md, At-least-once processing",
    ),
    Lever(
        _CONSUMER, "enable.auto.commit",
        _not_spark(_becomes(_CONSUMER, "enable.auto.commit", False)),
        _says("Code: the application commits by itself; one request to the group's coordinator for "
              "each commit."),
        "Kafka design.md, Message Delivery Semantics",
    ),
    Lever(
        _APPLICATION, "commit",
        _commits,
        _says("Code: one commit for each batch of records, at its right place; a synchronous one "
              "adds a round trip to the coordinator to each batch."),
        "Kafka design.md, Message Delivery Semantics",
    ),
    Lever(
        _CONSUMER, "isolation.level", _becomes(_CONSUMER, "isolation.level", "read_committed"),
        _says("Latency: records are visible when their transaction is committed; one left open "
              "hides what follows it for up to transaction.timeout.ms plus 10,000 ms."),
        "KIP-98; Kafka ConfigDef, isolation.level",
    ),
    Lever(
        _APPLICATION, "delivery.errors",
        _not_spark(_becomes(_APPLICATION, "delivery.errors", "handled")),
        _says("Code: a callback on every send that records failures, and a flush before the end."),
        "KafkaProducer javadoc, send()",
    ),
    Lever(
        _APPLICATION, "resend", _not_spark(_becomes(_APPLICATION, "resend", "never")),
        _says("Work: the client's own retries do it until delivery.timeout.ms; what fails after "
              "that needs somebody to look whether it is in the log."),
        "KafkaProducer javadoc, idempotent producer (avoid application level re-sends)",
    ),
    Lever(
        _APPLICATION, "sink", _becomes(_APPLICATION, "sink", "idempotent"),
        _says("Code and storage: each effect is keyed by the message (an upsert by its key, or the "
              "offset or batchId stored in the same database transaction)."),
        "Kafka design.md, Message Delivery Semantics; Spark foreachBatch",
    ),
)  # fmt: skip
