"""Followers that may copy only so much: the throttle that a reassignment sets, and its release.

The settings are those of `kafka-reassign-partitions.sh --throttle` (KIP-73), of its two sides the
leader's. They hold back a replica only while it is not in the in-sync set (ReplicaManager.scala,
`shouldLeaderThrottle`), so they push no replica out; they keep out one that has left. The bytes of
replicas in sync count, though (KafkaApis.scala, `sizeOfThrottledPartitions`): below the rate of
new records, nothing is left for the one that must catch up.

It can stop acks=all all the same. Seen twice: with a follower that was back after some seconds,
0 of 500 sends were acknowledged within 20 s. By the code, the high watermark also waits for one
that is alive and was caught up within replica.lag.time.max.ms, before it is in the in-sync set
again (Partition.scala, `shouldWaitForReplicaToJoinIsr`).
"""

from __future__ import annotations

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from labs.engine.base.wait import WaitTimeout, until
from labs.engine.faults.rig import Rig, Rows
from labs.engine.protocol.admin import BROKER, TOPIC, alter_config, config, quiet_admin

_ASK_S, _LIMIT_S = 10.0, 20.0
_TROUBLE = (KafkaException, ValueError, TimeoutError, WaitTimeout)
_RATE = "leader.replication.throttled.rate"
_REPLICAS = "leader.replication.throttled.replicas"
_EVERY_REPLICA = "*"


def throttle(rig: Rig, topic: str, bytes_per_s: int) -> Rows:
    """Lets no leader send its followers more of a topic than so much a second, all together.

    All brokers must run. Evidence is the rate that each of them says it has.
    """

    def act() -> str:
        brokers = _set(rig.cluster.bootstrap, topic, str(bytes_per_s), _EVERY_REPLICA)
        return f"{_RATE}={bytes_per_s} on brokers {brokers}, for all replicas of {topic}"

    return (rig.log.attempt("throttle", f"topic: {topic}", act, _TROUBLE),)


def release(rig: Rig, topic: str) -> Rows:
    """Takes the throttle away. Evidence is that each broker says it has no such rate."""

    def act() -> str:
        brokers = _set(rig.cluster.bootstrap, topic, None, None)
        return f"no {_RATE} on brokers {brokers} any more"

    return (rig.log.attempt("mend", f"topic: {topic}", act, _TROUBLE),)


def _set(bootstrap: str, topic: str, rate: str | None, replicas: str | None) -> str:
    """Sets or removes rate and replicas, and waits until every broker says so; their ids."""
    with quiet_admin(bootstrap) as admin:
        brokers = [str(id_) for id_ in sorted(admin.list_topics(timeout=_ASK_S).brokers)]
        alter_config(admin, TOPIC, topic, _REPLICAS, replicas)
        for broker in brokers:
            alter_config(admin, BROKER, broker, _RATE, rate)

        until(
            lambda: all(_rate(admin, broker) == rate for broker in brokers),
            _LIMIT_S,
            "a broker does not have the rate",
        )
    return ", ".join(brokers)


def _rate(admin: AdminClient, broker: str) -> str | None:
    """The rate that a broker says it has; None without one."""
    entry = config(admin, BROKER, broker, _ASK_S).get(_RATE)
    return entry.value if entry else None
