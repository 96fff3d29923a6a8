"""Followers that may copy only so much: the throttle that a reassignment sets, and its release.

The settings are those of `kafka-reassign-partitions.sh --throttle` (KIP-73). They hold back a
replica only while it is out of sync (ReplicaManager.scala, `shouldLeaderThrottle`), so a
throttle pushes nobody out of the in-sync set; it keeps out who has left it. The bytes of those
that are in sync count, though (KafkaApis.scala, `sizeOfThrottledPartitions`): below the rate
of new records, nothing is left for the one that must catch up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._config import AlterConfigOpType, ConfigEntry, ConfigResource
from confluent_kafka.admin._resource import ResourceType

from labs.engine.faults.record import FaultLog, FaultRow
from labs.engine.kafka.admin import quiet_admin
from labs.engine.wait import WaitTimeout, until

_ASK_S = 10.0
_TROUBLE = (KafkaException, ValueError, TimeoutError, WaitTimeout)
_SIDES = ("leader", "follower")
_EVERY_REPLICA = "*"

_Wishes = Mapping[str, str | None]
"""Setting → value; None takes it away."""


def throttle(
    bootstrap: str, topic: str, bytes_per_s: int, log: FaultLog, limit_s: float = 20
) -> FaultRow:
    """Lets no broker send or copy more of a topic than so much a second, all replicas together.

    All brokers must run. Evidence is the rate that each of them says it has.
    """

    def act() -> str:
        brokers = _set(bootstrap, topic, str(bytes_per_s), _EVERY_REPLICA, limit_s)
        return f"{_rates(brokers)}: at most {bytes_per_s} bytes a second of {topic} are copied"

    return log.attempt("throttle", f"topic: {topic}", act, _TROUBLE)


def release(bootstrap: str, topic: str, log: FaultLog, limit_s: float = 20) -> FaultRow:
    """Takes the throttle away. Evidence is that each broker says it has no such rate."""

    def act() -> str:
        brokers = _set(bootstrap, topic, None, None, limit_s)
        return f"{_rates(brokers)}: no throttle any more"

    return log.attempt("mend", f"topic: {topic}", act, _TROUBLE)


def _set(
    bootstrap: str, topic: str, rate: str | None, replicas: str | None, limit_s: float
) -> list[str]:
    """Sets or removes rate and replicas, and waits until every broker says so; their ids."""
    lists = {f"{side}.replication.throttled.replicas": replicas for side in _SIDES}
    rates = {f"{side}.replication.throttled.rate": rate for side in _SIDES}
    with quiet_admin(bootstrap) as admin:
        brokers = [str(id_) for id_ in sorted(admin.list_topics(timeout=_ASK_S).brokers)]
        _alter(admin, ConfigResource(ResourceType.TOPIC, topic), lists)
        for broker in brokers:
            _alter(admin, ConfigResource(ResourceType.BROKER, broker), rates)

        def told() -> bool:
            return all(_told(admin, broker, rates) for broker in brokers)

        until(told, limit_s, "a broker does not have the rate")
    return brokers


def _alter(admin: AdminClient, target: ConfigResource, wishes: _Wishes) -> None:
    wish = ConfigResource(target.restype, target.name, incremental_configs=list(_entries(wishes)))
    for done in admin.incremental_alter_configs([wish], request_timeout=_ASK_S).values():
        done.result(_ASK_S)


def _entries(wishes: _Wishes) -> Iterator[ConfigEntry]:
    for name, value in wishes.items():
        how = AlterConfigOpType.DELETE if value is None else AlterConfigOpType.SET
        yield ConfigEntry(name, value, incremental_operation=how)


def _told(admin: AdminClient, broker: str, wishes: _Wishes) -> bool:
    """Whether a broker says of itself what was wished."""
    asked = admin.describe_configs([ConfigResource(ResourceType.BROKER, broker)])
    (answer,) = asked.values()
    known = answer.result(_ASK_S)
    return all(
        value == (known[name].value if name in known else None) for name, value in wishes.items()
    )


def _rates(brokers: list[str]) -> str:
    return f"{', '.join(f'{side}.replication.throttled.rate' for side in _SIDES)} of brokers " + (
        ", ".join(brokers)
    )
