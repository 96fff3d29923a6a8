"""Topologies that scenarios can stage, and the settings that they refuse."""

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
    """A topology with the described replication.factor, at most `most`, on at least three brokers.

    `why` ends the message of the `ScenarioError` for a higher one.
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
    "this scenario stages at most 3, because its brokers are controllers too, and stopping more "
    "followers would first remove the controllers' majority",
)
"""For scenarios that stop every follower cleanly, one after the other: the last of two can still
request a controlled shutdown from a majority of three controllers, the last of four cannot."""


def with_controllers(count: int) -> Callable[[Settings], Topology]:
    """For scenarios in which so many brokers die that controllers on them would lose a majority."""

    def topology(settings: Settings) -> Topology:
        plural = "s" if count > 1 else ""
        note = f"{count} dedicated controller{plural} besides the brokers, unless others are chosen"
        return replace(up_to_five(settings), controllers=count, note=note)

    return topology


def on_one_broker(partitions: int) -> Callable[[Settings], Topology]:
    """For scenarios in which no broker fails: one broker, with the only copy."""

    def topology(settings: Settings) -> Topology:
        replicas = int(settings["topic"]["replication.factor"])
        text = f"topic replication.factor: 1 instead of {replicas}, on one broker: none fails here"
        return Topology(1, 1, partitions, note="" if replicas == 1 else text)

    return topology


one_broker = on_one_broker(partitions=1)


def with_offsets_topic(settings: Settings) -> Topology:
    """For scenarios in which the broker with a group's offsets fails.

    Raises `ScenarioError` for Spark.
    """
    _refuse_spark(settings)
    return _with_internal_topic(OFFSETS_COPIES, settings)


def with_grown_topics(settings: Settings) -> Topology:
    """Like `with_offsets_topic`, for a cluster that had one broker when topics were created."""
    topology = with_offsets_topic(settings)
    copies = int(settings["broker"][OFFSETS_COPIES])
    return replace(topology, grown={TOPIC: topology.replication_factor, OFFSETS: copies})


def with_transaction_log(settings: Settings) -> Topology:
    """For scenarios in which the broker with the state of transactions fails.

    Raises `ScenarioError` if the producer has no transactions.
    """
    _refuse_without_transactions(settings)
    return _with_internal_topic(TRANSACTIONS_COPIES, settings)


def _with_internal_topic(copies: str, settings: Settings) -> Topology:
    """Three copies of the topic itself, so that it loses nothing with one broker.

    `copies` is the setting with the copies of an internal topic. Raises `ScenarioError` if it is
    higher than the number of brokers.
    """
    if (required := int(settings["broker"][copies])) > _LEAST_BROKERS:
        raise ScenarioError(
            f"broker {copies} is {required}: this scenario boots {_LEAST_BROKERS} brokers"
        )
    replicas = int(settings["topic"]["replication.factor"])
    note = f"topic replication.factor: 3 instead of {replicas}, so that the topic loses nothing"
    return Topology(_LEAST_BROKERS, 3, note="" if replicas == 3 else note)


def one_broker_and_polls_that_fail(settings: Settings) -> Topology:
    """For scenarios in which processing fails.

    Raises `ScenarioError` if separate threads process.
    """
    if settings["application"].get("processing") == "asynchronous":
        raise ScenarioError("application processing is asynchronous: no poll fails as a whole")
    return one_broker(settings)


def one_broker_and_transactions(settings: Settings) -> Topology:
    """For scenarios about transactions. Raises `ScenarioError` if the producer has none."""
    _refuse_without_transactions(settings)
    return one_broker(settings)


def one_broker_and_offsets_in_transactions(settings: Settings) -> Topology:
    """For scenarios about reading and writing in one transaction.

    Raises `ScenarioError` if offsets are not committed in the transaction.
    """
    commit = settings["application"].get("commit")
    if commit != "in-transaction":
        raise ScenarioError(f"application commit is {commit}: no offsets are in a transaction")
    return one_broker_and_transactions(settings)


def one_broker_and_a_group(settings: Settings) -> Topology:
    """For scenarios in which auto.offset.reset decides. Raises `ScenarioError` for Spark."""
    _refuse_spark(settings)
    return one_broker(settings)


def one_broker_and_a_query(settings: Settings) -> Topology:
    """For scenarios about a Spark query. Raises `ScenarioError` for other readers."""
    if not _reads_by_spark(settings):
        raise ScenarioError("what is described is not a Spark query")
    return one_broker(settings)


def two_brokers_and_a_query(settings: Settings) -> Topology:
    """For scenarios in which a Spark query waits for a follower; one follower is enough.

    Raises `ScenarioError` for other readers.
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
    """For scenarios about Kafka Streams. Raises `ScenarioError` for another application."""
    _refuse_other_applications(settings)
    return one_broker(settings)


def _refuse_without_transactions(settings: Settings) -> None:
    if not settings["producer"].get("transactional.id"):
        raise ScenarioError("producer transactional.id is not stated: there are no transactions")


def one_broker_and_state(settings: Settings) -> Topology:
    """For scenarios about the state of Kafka Streams. Raises `ScenarioError` without state."""
    _state(settings)
    return one_broker(settings)


def three_brokers_and_state(settings: Settings) -> Topology:
    """For scenarios about the state's changelog. Raises `ScenarioError` if there is none."""
    if _state(settings) != "logged":
        raise ScenarioError("application state is unlogged: there is no changelog")
    return up_to_three(settings)


def _refuse_other_applications(settings: Settings) -> None:
    """Raises `ScenarioError` unless a dead instance is noticed within a run.

    It is noticed when its session ends. Brokers that assign the tasks (KIP-1071) decide on the
    session.
    """
    streams = settings.get("streams")
    if not streams:
        raise ScenarioError("the application is not a Kafka Streams application")
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
