"""The structure of a lever, and the parts that levers are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypedDict, Unpack

from advisor.catalog import Component, Family, Value
from advisor.reasoning.behaviour.replication import Replication, simultaneous_loss
from advisor.reasoning.finding import Confidence
from advisor.reasoning.pipeline import Pipeline

INT_MAX, LONG_MAX = 2**31 - 1, 2**63 - 1
PRODUCER_EXPIRY_MS = 86_400_000
"""`producer.id.expiration.ms`, the brokers' default: longer than any client retries by default."""

Targets = Callable[[Pipeline], Sequence[Value]]
Price = Callable[[Pipeline, Pipeline], str]


def no_values(pipeline: Pipeline) -> Sequence[Value]:
    """Returns no value, for any pipeline."""
    return ()


class Restart(StrEnum):
    """The processes that must be restarted, one instance at a time, for a change to take effect."""

    NOTHING = "nothing"
    PRODUCERS = "producers"
    CONSUMERS = "consumers"
    BROKERS = "brokers"


@dataclass(frozen=True, slots=True)
class Procedure:
    """How to make a change on a running system.

    `after` has the settings whose change, if there is one, comes first.
    """

    restart: Restart
    how: str
    verify: str
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lever:
    """One setting: the values worth trying for a pipeline, and the price of the change.

    A value of None removes the setting's line. `price` gets the pipeline as described and as
    recommended. `source` is where the price is documented, and `confidence` is high if the effect
    of the change was read and run, not inferred. `trades` are values that give up a message where
    another value would repeat it: they are not stronger, and are tried only if the guarantee
    forbids the repeat and not the loss.
    """

    component: Component
    setting: str
    targets: Targets
    price: Price
    source: str
    procedure: Procedure
    confidence: Confidence = Confidence.HIGH
    trades: Targets = no_values


PRODUCER_RESTART = Procedure(
    Restart.PRODUCERS,
    "Change the configuration of the producer, and restart its instances one by one: each with "
    "flush() and close(), or the records in its buffer are lost.",
    "Read what is in force where the client starts: Java logs its ProducerConfig; librdkafka "
    "logs with debug=conf.",
)
CONSUMER_RESTART = Procedure(
    Restart.CONSUMERS,
    "Change the configuration of the consumer, and restart its members one by one, each with "
    "close(), so that the group continues immediately.",
    "Read what is in force where the client starts: Java logs its ConsumerConfig; librdkafka "
    "logs with debug=conf.",
)

TOPIC_CONFIG = Procedure(
    Restart.NOTHING,
    "kafka-configs.sh --alter --entity-type topics --entity-name TOPIC --add-config, while the "
    "topic is in use; it takes effect immediately.",
    "kafka-configs.sh --describe --all shows the value and that it is the topic's own "
    "(DYNAMIC_TOPIC_CONFIG).",
)

BROKER_FILE = Procedure(
    Restart.BROKERS,
    "A line in the properties file of every broker and controller; restart them one by one, each "
    "with SIGTERM and only when no partition is under-replicated.",
    "kafka-configs.sh --describe --all --entity-type brokers --entity-name ID shows it.",
)


def becomes(component: Component, name: str, *values: Value) -> Targets:
    """Returns those of the values that are not in force."""
    return lambda pipeline: [v for v in values if pipeline.value(component, name) != v]


def only_from(component: Component, name: str, now: Value, value: Value) -> Targets:
    """Returns the value if `now` is in force. A setting that was not stated is not changed."""
    return lambda pipeline: [value] if pipeline.value(component, name) == now else []


def not_spark(targets: Targets) -> Targets:
    """Returns no values for Spark, which decides these settings itself."""
    return lambda pipeline: () if pipeline.family is Family.SPARK else targets(pipeline)


def not_engines(targets: Targets) -> Targets:
    """Returns no values for Spark and Kafka Streams, which do this instead of the code."""
    return lambda pipeline: (
        () if pipeline.family in (Family.SPARK, Family.STREAMS) else targets(pipeline)
    )


def not_streams(targets: Targets) -> Targets:
    """Returns no values for Kafka Streams, where a processor does this and cannot be undone."""
    return lambda pipeline: () if pipeline.family is Family.STREAMS else targets(pipeline)


def only(family: Family, targets: Targets) -> Targets:
    """Returns no values for other families than this one."""
    return lambda pipeline: targets(pipeline) if pipeline.family is family else ()


def minimums(pipeline: Pipeline, now: int, factors: Iterable[Value]) -> Sequence[Value]:
    """Returns f + 1, and for each factor one more than the replicas that may be in one rack."""
    lost = pipeline.requirement.survive
    numbers = [n for n in factors if isinstance(n, int)]
    losses = [(n, simultaneous_loss(pipeline, n)) for n in numbers if lost]
    in_rack = {(n, at_once.count - at_once.removed + 1) for n, at_once in losses}
    wanted = {lost + 1} | {least for n, least in in_rack if least <= n}
    return sorted(least for least in wanted if now < least <= pipeline.brokers)


class Cost(TypedDict, total=False):
    """What a change costs, in sentences. What is not mentioned costs nothing."""

    latency: str
    throughput: str
    availability: str
    disk: str
    more: str
    """Anything else, after its name: memory, code, work."""


def price_text(**cost: Unpack[Cost]) -> str:
    """Returns a price in words, with latency, throughput, availability and disk."""
    more = cost.pop("more", "")
    words = [f"{name.capitalize()}: {answer}" for name, answer in cost.items()]
    free = [name for name in ("latency", "throughput", "availability", "disk") if name not in cost]
    none = f"{', '.join(free).capitalize()}: none." if free else ""
    return " ".join(filter(None, [*words, more, none]))


def costs(**cost: Unpack[Cost]) -> Price:
    """Returns a price that is the same for every pipeline."""
    price = price_text(**cost)
    return lambda before, after: price


def spare_brokers(topic: Replication) -> str:
    """Returns how many brokers may be down while writes continue, with the formula."""
    return (
        f"replication.factor - min.insync.replicas = {topic.factor} - {topic.min_isr} = "
        f"{topic.spares} of its brokers may be down while writes with acks=all continue."
    )
