"""Settings with which nothing can work: every send is refused, or a group can never read.

Brokers and clients start with them, so they are valid input. But no message gets through, so they
give no guarantee. Defaults are treated like stated values: a team with fewer brokers than
offsets.topic.replication.factor requires has to state the value that they use, as the sample file
that ships with Kafka does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.hopeless import hopeless_settings
from advisor.reasoning.behaviour.replication import Replication, kafka_at_least
from advisor.reasoning.behaviour.streams import INTERNAL_MINIMUM as STATE_MINIMUM
from advisor.reasoning.behaviour.streams import Streams, is_transactional
from advisor.reasoning.failures.offsets_topic_lost import MINIMUM as OFFSETS_MINIMUM
from advisor.reasoning.failures.offsets_topic_lost import NAME as OFFSETS
from advisor.reasoning.failures.offsets_topic_lost import waits_for_all
from advisor.reasoning.failures.transaction_log_lost import FACTOR as TRANSACTIONS
from advisor.reasoning.failures.transaction_log_lost import MINIMUM as TRANSACTIONS_MINIMUM
from advisor.reasoning.pipeline import Pipeline, derived_rows
from advisor.reasoning.plural import counted


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A setting with which nothing works, the reason, and what to set instead."""

    component: Component
    setting: str
    why: str
    instead: str


def obstacles(pipeline: Pipeline) -> tuple[Obstacle, ...]:
    """Returns the obstacles to all messages; empty if messages get through."""
    return (*_never_reached(pipeline), *blocked(pipeline))


def blocked(pipeline: Pipeline) -> tuple[Obstacle, ...]:
    """The same for a pipeline that requires no more replicas than it has brokers."""
    return (
        *_refused_sends(pipeline),
        *_topics_never_made(pipeline),
        *_refused_by_minimum(pipeline),
        *(
            Obstacle(
                field.component,
                field.setting,
                field.why,
                f"Set {field.setting} to {field.usual}, the product's default, or leave it unset.",
            )
            for field in hopeless_settings(pipeline)
        ),
    )


def within_cluster(pipeline: Pipeline) -> Pipeline:
    """Returns the pipeline with no more replicas than the cluster can have."""
    most = min(pipeline.requirement.survive + 2, pipeline.brokers)
    for problem in pipeline.problems():
        if problem.needs_more_brokers:
            pipeline = pipeline.with_setting(problem.component, problem.setting, most)
    return pipeline


def _never_reached(pipeline: Pipeline) -> Iterator[Obstacle]:
    """A topic that requires more brokers than there are cannot be created like that."""
    brokers = counted(pipeline.brokers, "broker")
    for problem in pipeline.problems():
        if problem.needs_more_brokers:
            yield Obstacle(
                problem.component,
                problem.setting,
                problem.message,
                f"Set {problem.setting} to {pipeline.brokers} at most: the cluster has {brokers}. "
                "Or add brokers.",
            )


@derived_rows
def _refused_sends(pipeline: Pipeline) -> Iterator[Obstacle]:
    """Before 3.7 a minimum above the factor refuses acks=all (KAFKA-15583)."""
    topic = Replication(pipeline)
    if topic.spares < 0 and topic.waits_for_followers:
        is_stated = "replication.factor" in pipeline.stated(Component.TOPIC) or (
            "default.replication.factor" in pipeline.stated(Component.BROKER)
        )
        by_default = "" if is_stated else " (not stated, so Kafka's default)"
        yield Obstacle(
            Component.TOPIC,
            "min.insync.replicas",
            f"min.insync.replicas={topic.min_isr} is above replication.factor={topic.factor}"
            f"{by_default}: before Kafka 3.7 every send with acks=all is refused, even if all "
            "brokers are up.",
            f"Set min.insync.replicas to {topic.factor} at most, or add replicas."
            if is_stated
            else "State topic.replication.factor if the topic has more replicas, or add some.",
        )


@derived_rows
def _topics_never_made(pipeline: Pipeline) -> Iterator[Obstacle]:
    """An internal topic that requires more brokers than there are is not created (finding B003)."""
    needs = []
    if pipeline.family is not Family.SPARK:
        needs.append((OFFSETS, "the group can never read"))
    if is_transactional(pipeline):
        needs.append((TRANSACTIONS, "no transaction can ever begin"))
    for name, consequence in needs:
        copies = pipeline.number(Component.BROKER, name)
        if copies > pipeline.brokers:
            brokers = counted(pipeline.brokers, "broker")
            by_default = "" if name in pipeline.stated(Component.BROKER) else " by default"
            yield Obstacle(
                Component.BROKER,
                name,
                f"{name}={copies}{by_default} with {brokers}: the topic cannot be created, and "
                f"{consequence}.",
                f"Set {name} to {pipeline.brokers} at most, as the sample file that ships with "
                "Kafka does for 1. If your file sets it, state it here. Or add brokers.",
            )


@dataclass(frozen=True, slots=True)
class _Internal:
    """An internal topic.

    `factor` is the setting of its replicas and `copies` their number, `minimum` its minimum in sync
    and `minimum_key` where that is stated. `consequence` is the effect if nothing can be written.
    """

    factor: str
    copies: int
    minimum: int
    minimum_key: tuple[Component, str]
    consequence: str


@derived_rows
def _refused_by_minimum(pipeline: Pipeline) -> Iterator[Obstacle]:
    """Before 3.7 an internal topic also refuses everything if its minimum is above its replicas."""
    if kafka_at_least(pipeline, "3.7"):
        return
    for topic in _internal_topics(pipeline):
        component, setting = topic.minimum_key
        is_stated = setting in pipeline.stated(component)
        if topic.minimum > topic.copies and (
            is_stated or topic.factor in pipeline.stated(component)
        ):
            by_default = "" if is_stated else " by default"
            yield Obstacle(
                component,
                setting,
                f"{setting}={topic.minimum}{by_default} is above {topic.factor}={topic.copies}: "
                f"before Kafka 3.7 {topic.consequence}.",
                f"Set {setting} to {topic.copies} at most, or add replicas.",
            )


def _internal_topics(pipeline: Pipeline) -> Iterator[_Internal]:
    """Yields the internal topics that are written with acks=all."""
    if pipeline.family is not Family.SPARK and waits_for_all(pipeline):
        yield _Internal(
            OFFSETS,
            pipeline.number(Component.BROKER, OFFSETS),
            pipeline.number(Component.APPLICATION, OFFSETS_MINIMUM),
            _stated_in(pipeline, Component.APPLICATION, OFFSETS_MINIMUM),
            "no group can commit, and no member can join one",
        )
    if is_transactional(pipeline):
        yield _Internal(
            TRANSACTIONS,
            pipeline.number(Component.BROKER, TRANSACTIONS),
            pipeline.number(Component.BROKER, TRANSACTIONS_MINIMUM),
            (Component.BROKER, TRANSACTIONS_MINIMUM),
            "no transaction can ever begin",
        )
    if pipeline.family is Family.STREAMS and Streams(pipeline).logs_with_acks_all:
        yield _Internal(
            "replication.factor",
            Streams(pipeline).internal_factor,
            pipeline.number(Component.STREAMS, STATE_MINIMUM),
            _stated_in(pipeline, Component.STREAMS, STATE_MINIMUM),
            "no change of the state can be written to its changelog, and no message is processed",
        )


def _stated_in(pipeline: Pipeline, component: Component, name: str) -> tuple[Component, str]:
    """Returns where a topic's minimum is stated: its own setting, or the brokers' for all
    topics."""
    stated = name in pipeline.stated(component)
    return (component, name) if stated else (Component.BROKER, "min.insync.replicas")
