"""Checks of the cluster and of the team's code that no client makes: settings that make no
sense."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from advisor.catalog import limits
from advisor.catalog.effective import GROUP_PROTOCOL, TRANSACTIONAL_ID, Stated
from advisor.catalog.model import Component, Family, Problem
from advisor.catalog.values import items
from advisor.catalog.versions import at_least

MAX_BROKERS = 1_000
PROTOCOLS = "group.coordinator.rebalance.protocols"
"""The kinds of groups that brokers know (`consumer` is KIP-848, `streams` is KIP-1071)."""

StatedCheck = Callable[[Stated], Iterator[Problem]]

_MODE_SETTINGS = (
    (
        "controllers",
        "zookeeper",
        "controllers are those of KRaft mode; with ZooKeeper one of the brokers is the controller. "
        "State zookeeper.servers.",
    ),
    (
        "zookeeper.servers",
        "kraft",
        "zookeeper.servers is for brokers with ZooKeeper (metadata.mode=zookeeper); in KRaft mode "
        "state controllers.",
    ),
)
"""The settings of one metadata mode: name, the other mode, and the message of the problem there."""


def cluster(stated: Stated, brokers: int) -> Iterator[Problem]:
    """Checks the settings that depend on the number of brokers and on the metadata mode."""
    if not 1 <= brokers <= MAX_BROKERS:
        message = f"A cluster has from 1 to {MAX_BROKERS} brokers; {brokers} is not."
        yield Problem(Component.BROKER, "brokers", message)
        return
    copies = stated.number(Component.TOPIC, "replication.factor")
    if copies > brokers:
        # The message of ReplicationControlManager, with the numbers of this cluster.
        message = (
            f"Unable to replicate the partition {copies} time(s): "
            f"The target replication factor of {copies} cannot be reached because only "
            f"{brokers} broker(s) are registered."
        )
        of_topic = stated.get(Component.TOPIC, "replication.factor") is not None
        component = Component.TOPIC if of_topic else Component.BROKER
        name = "replication.factor" if of_topic else "default.replication.factor"
        yield Problem(component, name, message, product=True, needs_more_brokers=True)
    internal = stated.get(Component.STREAMS, "replication.factor")
    if isinstance(internal, int) and (internal == 0 or internal > brokers):
        message = (
            f"The internal topics cannot have {internal} copies: from 1 to {brokers} here, or -1 "
            "for default.replication.factor of the brokers."
        )
        too_many = internal > brokers
        yield Problem(Component.STREAMS, "replication.factor", message, needs_more_brokers=too_many)
    racks = stated.get(Component.APPLICATION, "racks")
    if isinstance(racks, int) and racks > brokers:
        message = (
            f"{brokers} broker(s) can be in {brokers} rack(s) at most, not in {racks}. State how "
            "many racks have a broker, or how many brokers there are."
        )
        yield Problem(Component.APPLICATION, "racks", message)
    yield from _replicas_in_sync(stated, copies)
    mode = stated.get(Component.APPLICATION, "metadata.mode")
    if mode is None and at_least(stated.kafka, "3.3"):
        mode = "kraft"
    for name, other, message in _MODE_SETTINGS:
        if mode == other and stated.get(Component.APPLICATION, name) is not None:
            yield Problem(Component.APPLICATION, name, message)


def _replicas_in_sync(stated: Stated, copies: int) -> Iterator[Problem]:
    """Every replica in sync is one of the topic's replicas (Partition.scala)."""
    in_sync = stated.get(Component.APPLICATION, "replicas.in.sync")
    if isinstance(in_sync, int) and in_sync > copies:
        message = (
            f"{in_sync} replicas cannot be in sync with replication.factor={copies}: state how "
            "many brokers are under Isr, in the partition that has the fewest."
        )
        yield Problem(Component.APPLICATION, "replicas.in.sync", message)


def _group_protocol(stated: Stated) -> Iterator[Problem]:
    """KIP-848 is ready for production since brokers 4.0, KIP-1071 since brokers 4.2."""
    for component, protocol, since in (
        (Component.CONSUMER, "consumer", "4.0"),
        (Component.STREAMS, "streams", "4.2"),
    ):
        is_requested = stated.get(component, GROUP_PROTOCOL) == protocol
        if is_requested and not at_least(stated.kafka, since):
            message = f"group.protocol={protocol} requires brokers of Kafka {since} or later."
            yield Problem(component, GROUP_PROTOCOL, message)
        supported = stated.get(Component.BROKER, PROTOCOLS)
        if is_requested and supported is not None and protocol not in items(str(supported)):
            message = f"{PROTOCOLS}={supported}: the brokers refuse group.protocol={protocol}."
            yield Problem(Component.BROKER, PROTOCOLS, message)


def _commits(stated: Stated) -> Iterator[Problem]:
    commit = stated.get(Component.APPLICATION, "commit")
    by_client = stated.get(Component.CONSUMER, "enable.auto.commit")
    if commit == "auto" and by_client is False and stated.family is not Family.SPARK:
        message = "commit is auto, but enable.auto.commit is false: nobody would commit."
        yield Problem(Component.APPLICATION, "commit", message)
    framework = stated.get(Component.APPLICATION, "framework")
    if framework == "connect" and commit not in (None, "after-processing"):
        message = "framework is connect, which commits only what a task has processed."
        yield Problem(Component.APPLICATION, "commit", message)
    if commit == "in-transaction" and not stated.get(Component.PRODUCER, TRANSACTIONAL_ID):
        message = "commit is in-transaction, which requires a transactional.id on the producer."
        yield Problem(Component.APPLICATION, "commit", message)


def _dead_letters(stated: Stated) -> Iterator[Problem]:
    """Connect's worker ignores the future of a dead letter, and its callback only logs an error
    (RetryWithToleranceOperator.execute, DeadLetterQueueReporter)."""
    names = ("framework", "dead.letter")
    if [stated.get(Component.APPLICATION, name) for name in names] == ["connect", "acknowledged"]:
        message = (
            "framework is connect, which commits without waiting for the dead letter of a message "
            "that it cannot convert: dead.letter is unacknowledged."
        )
        yield Problem(Component.APPLICATION, "dead.letter", message, suggestion="unacknowledged")


SETTING_CHECKS: tuple[StatedCheck, ...] = (
    _group_protocol, limits.file, limits.session, limits.transaction, _commits, _dead_letters,
)  # fmt: skip
"""The checks besides `cluster`, in the order of the components."""
