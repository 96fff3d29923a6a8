"""Whether a setting in a topic's description belongs to the topic or to its brokers.

Kafka names the source of a value (DescribeConfigsResponse, config_source). For most settings of a
topic the source does not matter: the value in force counts as the topic's. Two settings have the
same name on topics and on brokers, and some rules distinguish the two levels.
"""

from __future__ import annotations

from advisor.catalog import Component

DYNAMIC_TOPIC = "DYNAMIC_TOPIC_CONFIG"
DYNAMIC_BROKER = "DYNAMIC_BROKER_CONFIG"
DYNAMIC_DEFAULT = "DYNAMIC_DEFAULT_BROKER_CONFIG"
STATIC_BROKER = "STATIC_BROKER_CONFIG"
DEFAULT = "DEFAULT_CONFIG"

MIN_ISR = "min.insync.replicas"
SHARED_NAMES = (MIN_ISR, "unclean.leader.election.enable")


def level(name: str, source: str) -> Component:
    """The component of an entry in a topic's description that is not a default of the product.

    A cluster-wide default is in force for the topic whatever the brokers' files state, so it counts
    as the topic's: with eligible leader replicas the minimum is stored there (KIP-966).
    """
    is_topic = name not in SHARED_NAMES or source in (DYNAMIC_TOPIC, DYNAMIC_DEFAULT)
    return Component.TOPIC if is_topic else Component.BROKER
