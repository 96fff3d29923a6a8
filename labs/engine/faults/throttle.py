"""Throttled replication, as during a reassignment, and its release.

The settings are those of `kafka-reassign-partitions.sh --throttle` (KIP-73), on the leader's side.
They throttle a replica only while it is out of sync (ReplicaManager.scala, `shouldLeaderThrottle`).
So they push no replica out of the ISR, but keep out a replica that has left it. The bytes of
in-sync replicas also count (KafkaApis.scala, `sizeOfThrottledPartitions`): if the limit is below
the rate of new records, nothing is left for a replica that must catch up.

The throttle can still stop acks=all. In two runs with a follower that restarted after some seconds,
0 of 500 sends were acknowledged within 20 s. According to the code, the high watermark also waits
for a live replica that was caught up within replica.lag.time.max.ms, before it rejoins the ISR
(Partition.scala, `shouldWaitForReplicaToJoinIsr`).
"""

from __future__ import annotations

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from labs.engine.base.wait import WaitTimeout, until
from labs.engine.faults.rig import Rig, Rows
from labs.engine.protocol.admin import BROKER, TOPIC, alter_config, config, quiet_admin

_REQUEST_S, _LIMIT_S = 10.0, 20.0
_TROUBLE = (KafkaException, ValueError, TimeoutError, WaitTimeout)
_RATE = "leader.replication.throttled.rate"
_REPLICAS = "leader.replication.throttled.replicas"
_EVERY_REPLICA = "*"


def throttle(rig: Rig, topic: str, bytes_per_s: int) -> Rows:
    """Limits the rate at which each leader sends a topic to all of its followers together.

    All brokers must be running. The evidence is the rate in each broker's configuration.
    """

    def act() -> str:
        brokers = _set(rig.cluster.bootstrap, topic, str(bytes_per_s), _EVERY_REPLICA)
        return f"{_RATE}={bytes_per_s} on brokers {brokers}, for all replicas of {topic}"

    return (rig.log.attempt("throttle", f"topic: {topic}", act, _TROUBLE),)


def release(rig: Rig, topic: str) -> Rows:
    """Removes the throttle. The evidence is that no broker has the rate in its configuration."""

    def act() -> str:
        brokers = _set(rig.cluster.bootstrap, topic, None, None)
        return f"no {_RATE} on brokers {brokers} any more"

    return (rig.log.attempt("mend", f"topic: {topic}", act, _TROUBLE),)


def _set(bootstrap: str, topic: str, rate: str | None, replicas: str | None) -> str:
    """Sets or removes rate and replicas; waits until every broker has them; returns their ids."""
    with quiet_admin(bootstrap) as admin:
        brokers = [str(id_) for id_ in sorted(admin.list_topics(timeout=_REQUEST_S).brokers)]
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
    """Returns the rate in a broker's configuration; None if it has none."""
    entry = config(admin, BROKER, broker, _REQUEST_S).get(_RATE)
    return entry.value if entry else None
