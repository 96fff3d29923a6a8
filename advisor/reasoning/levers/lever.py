"""The shape of a lever, and the parts that levers are made of."""

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
"""`producer.id.expiration.ms`, the brokers' default: longer than any client tries by default."""

Targets = Callable[[Pipeline], Sequence[Value]]
Price = Callable[[Pipeline, Pipeline], str]


def no_values(pipeline: Pipeline) -> Sequence[Value]:
    """No value, for any pipeline."""
    return ()


class Restart(StrEnum):
    """What has to be started again, one instance at a time, for a change to hold."""

    NOTHING = "nothing"
    PRODUCERS = "producers"
    CONSUMERS = "consumers"
    BROKERS = "brokers"


@dataclass(frozen=True, slots=True)
class Procedure:
    """How a change is made to a running system.

    `after` names the settings whose change, if there is one, comes first.
    """

    restart: Restart
    how: str
    verify: str
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lever:
    """One setting: the values worth trying for a pipeline, and the price of the change.

    A value of None leaves the setting's line out. `price` sees the pipeline as described and as
    recommended; `source` says where it is from, and `confidence` whether what the change does was
    read and run, or inferred. `trades` are values that give up a message where another one would
    repeat it: no stronger, and worth trying only for who forbids the repeat and not the loss.
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
    "close(), so that the group continues at once.",
    "Read what is in force where the client starts: Java logs its ConsumerConfig; librdkafka "
    "logs with debug=conf.",
)

TOPIC_CONFIG = Procedure(
    Restart.NOTHING,
    "kafka-configs.sh --alter --entity-type topics --entity-name TOPIC --add-config, while the "
    "topic is in use; it takes effect at once.",
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
    """Any of the values that is not in force already."""
    return lambda pipeline: [v for v in values if pipeline.value(component, name) != v]


def only_from(component: Component, name: str, now: Value, value: Value) -> Targets:
    """The value, where another one is in force; what nobody stated is left alone."""
    return lambda pipeline: [value] if pipeline.value(component, name) == now else []


def not_spark(targets: Targets) -> Targets:
    """Spark decides these itself, so nobody may state them."""
    return lambda pipeline: () if pipeline.family is Family.SPARK else targets(pipeline)


def not_engines(targets: Targets) -> Targets:
    """Spark and Kafka Streams do this themselves, where other clients leave it to the code."""
    return lambda pipeline: (
        () if pipeline.family in (Family.SPARK, Family.STREAMS) else targets(pipeline)
    )


def not_streams(targets: Targets) -> Targets:
    """In Kafka Streams this is what a processor does, and nothing that the engine can take back."""
    return lambda pipeline: () if pipeline.family is Family.STREAMS else targets(pipeline)


def only(family: Family, targets: Targets) -> Targets:
    """A setting that one family alone has."""
    return lambda pipeline: targets(pipeline) if pipeline.family is family else ()


def minimums(pipeline: Pipeline, now: int, factors: Iterable[Value]) -> Sequence[Value]:
    """f + 1, and one more than may stand in one rack of each of these factors."""
    lost = pipeline.requirement.survive
    counted = [n for n in factors if isinstance(n, int)]
    gone = [(n, simultaneous_loss(pipeline, n)) for n in counted if lost]
    in_rack = {(n, at_once.count - at_once.removed + 1) for n, at_once in gone}
    wanted = {lost + 1} | {least for n, least in in_rack if least <= n}
    return sorted(least for least in wanted if now < least <= pipeline.brokers)


class Cost(TypedDict, total=False):
    """What a change costs, in sentences; where nothing is said, it costs nothing."""

    latency: str
    throughput: str
    availability: str
    disk: str
    more: str
    """Anything else, with its own name in front: memory, code, work."""


def price_text(**cost: Unpack[Cost]) -> str:
    """A price in words, which answers for latency, throughput, availability and disk."""
    more = cost.pop("more", "")
    words = [f"{name.capitalize()}: {answer}" for name, answer in cost.items()]
    free = [name for name in ("latency", "throughput", "availability", "disk") if name not in cost]
    none = f"{', '.join(free).capitalize()}: none." if free else ""
    return " ".join(filter(None, [*words, more, none]))


def costs(**cost: Unpack[Cost]) -> Price:
    """A price that is the same for every pipeline."""
    price = price_text(**cost)
    return lambda before, after: price


def spare_brokers(topic: Replication) -> str:
    """What is left of the availability, with its formula."""
    return (
        f"replication.factor - min.insync.replicas = {topic.factor} - {topic.min_isr} = "
        f"{topic.spares} of its brokers may be down while writes with acks=all continue."
    )
