"""How the one topic may lie on brokers: what a scenario can stage, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from labs.engine.plan.spec import Settings
from labs.engine.scenarios.model import NEVER, TOPIC, ScenarioError, Topology

_LEAST_BROKERS = 3
OFFSETS = "__consumer_offsets"
OFFSETS_COPIES = "offsets.topic.replication.factor"
TRANSACTIONS_COPIES = "transaction.state.log.replication.factor"


def replicas_up_to(most: int, why: str) -> Callable[[Settings], Topology]:
    """The described replication.factor, at most `most`, on three brokers or more.

    `why` ends the sentence of the `ScenarioError` for more.
    """

    def topology(settings: Settings) -> Topology:
        replicas = int(settings["topic"]["replication.factor"])
        if not 1 <= replicas <= most:
            raise ScenarioError(f"replication.factor is {replicas}: {why}")
        flush = int(settings["topic"].get("flush.messages", NEVER))
        unclean = bool(settings["topic"].get("unclean.leader.election.enable"))
        brokers = max(_LEAST_BROKERS, replicas)
        return Topology(brokers, replicas, flush_messages=flush, unclean=unclean)

    return topology


up_to_five = replicas_up_to(5, "the lab boots at most 5 brokers")


up_to_three = replicas_up_to(
    3,
    "this scenario stages at most 3, because its brokers are controllers too, and to stop the "
    "followers of more would first take the controllers' majority away",
)
"""For scenarios that stop every follower cleanly, one after the other: the last of two can still
ask a majority of three controllers to let it go, the last of four cannot."""


def with_controllers(count: int) -> Callable[[Settings], Topology]:
    """For scenarios in which so many brokers die that a majority of controllers would, too."""

    def topology(settings: Settings) -> Topology:
        several = "s" if count > 1 else ""
        text = f"{count} dedicated controller{several} beside the brokers, unless others are chosen"
        return replace(up_to_five(settings), controllers=count, note=text)

    return topology


def on_one_broker(partitions: int) -> Callable[[Settings], Topology]:
    """For scenarios in which no broker fails: one, with the only copy."""

    def topology(settings: Settings) -> Topology:
        replicas = int(settings["topic"]["replication.factor"])
        text = f"topic replication.factor: 1 instead of {replicas}, on one broker: none fails here"
        return Topology(1, 1, partitions, note="" if replicas == 1 else text)

    return topology


one_broker = on_one_broker(partitions=1)


def with_offsets_topic(settings: Settings) -> Topology:
    """For scenarios in which the broker with a group's offsets fails; `ScenarioError` for Spark."""
    _refuse_spark(settings)
    return _with_internal_topic(OFFSETS_COPIES, settings)


def with_grown_topics(settings: Settings) -> Topology:
    """The same, of a cluster that had one broker when its topics were made."""
    topology = with_offsets_topic(settings)
    copies = int(settings["broker"][OFFSETS_COPIES])
    return replace(topology, grown={TOPIC: topology.replication_factor, OFFSETS: copies})


def with_transaction_log(settings: Settings) -> Topology:
    """For scenarios in which the broker with the state of transactions fails.

    `ScenarioError` where the producer has none.
    """
    _refuse_without_transactions(settings)
    return _with_internal_topic(TRANSACTIONS_COPIES, settings)


def _with_internal_topic(copies: str, settings: Settings) -> Topology:
    """Three copies of the topic itself, so that the loss of one broker takes nothing of it.

    `ScenarioError` where an internal topic is to have more `copies` than there are brokers.
    """
    if (wanted := int(settings["broker"][copies])) > _LEAST_BROKERS:
        raise ScenarioError(
            f"broker {copies} is {wanted}: this scenario boots {_LEAST_BROKERS} brokers"
        )
    replicas = int(settings["topic"]["replication.factor"])
    text = f"topic replication.factor: 3 instead of {replicas}: what is lost is not the topic's"
    return Topology(_LEAST_BROKERS, 3, note="" if replicas == 3 else text)


def one_broker_and_polls_that_fail(settings: Settings) -> Topology:
    """For scenarios in which processing fails; `ScenarioError` where threads of its own do it."""
    if settings["application"].get("processing") == "asynchronous":
        raise ScenarioError("application processing is asynchronous: no poll fails as a whole")
    return one_broker(settings)


def one_broker_and_transactions(settings: Settings) -> Topology:
    """For scenarios about transactions; `ScenarioError` where the producer has none."""
    _refuse_without_transactions(settings)
    return one_broker(settings)


def one_broker_and_offsets_in_transactions(settings: Settings) -> Topology:
    """For scenarios about what is read and written in one transaction; else `ScenarioError`."""
    commit = settings["application"].get("commit")
    if commit != "in-transaction":
        raise ScenarioError(f"application commit is {commit}: no offsets are in a transaction")
    return one_broker_and_transactions(settings)


def one_broker_and_a_group(settings: Settings) -> Topology:
    """For scenarios in which auto.offset.reset decides; `ScenarioError` for Spark's reader."""
    _refuse_spark(settings)
    return one_broker(settings)


def one_broker_and_a_query(settings: Settings) -> Topology:
    """For scenarios about a Spark query; `ScenarioError` for other readers."""
    if not _reads_by_spark(settings):
        raise ScenarioError("what is described is not a Spark query")
    return one_broker(settings)


def two_brokers_and_a_query(settings: Settings) -> Topology:
    """For scenarios in which a query waits for a follower, of which one is enough.

    `ScenarioError` for other readers.
    """
    one_broker_and_a_query(settings)
    described = int(settings["topic"]["replication.factor"])
    copies = min(described, 2)
    text = f"topic replication.factor: {copies} instead of {described}, on two brokers"
    return Topology(2, copies, note="" if copies == described else text)


def _refuse_spark(settings: Settings) -> None:
    if _reads_by_spark(settings):
        raise ScenarioError("Spark keeps its position in a checkpoint, and not in a group")


def _reads_by_spark(settings: Settings) -> bool:
    return "failOnDataLoss" in settings.get("consumer", {})


def one_broker_and_streams(settings: Settings) -> Topology:
    """For scenarios about Kafka Streams; `ScenarioError` for another application."""
    _refuse_other_applications(settings)
    return one_broker(settings)


def _refuse_without_transactions(settings: Settings) -> None:
    if not settings["producer"].get("transactional.id"):
        raise ScenarioError("producer transactional.id is not stated: there are no transactions")


def one_broker_and_state(settings: Settings) -> Topology:
    """For scenarios about the state of Kafka Streams; `ScenarioError` where there is none."""
    _state(settings)
    return one_broker(settings)


def three_brokers_and_state(settings: Settings) -> Topology:
    """For scenarios about its changelog; `ScenarioError` where there is none."""
    if _state(settings) != "logged":
        raise ScenarioError("application state is unlogged: there is no changelog")
    return up_to_three(settings)


def _refuse_other_applications(settings: Settings) -> None:
    """An instance that is gone is missed when its session ends.

    Brokers that assign the tasks (KIP-1071) decide on that.
    """
    streams = settings.get("streams")
    if not streams:
        raise ScenarioError("the application is no Kafka Streams application")
    if streams.get("group.protocol") == "streams":
        raise ScenarioError(
            "streams group.protocol is streams: the brokers decide on the session, which is longer "
            "than a run"
        )


def _state(settings: Settings) -> str:
    _refuse_other_applications(settings)
    state = str(settings["application"].get("state", "logged"))
    if state == "none":
        raise ScenarioError("application state is none: there is nothing to lose")
    return state
