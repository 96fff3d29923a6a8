"""Whose setting it is that a topic's description shows: the topic's own, or its brokers'.

Kafka names where a value comes from (DescribeConfigsResponse, config_source). For most settings of
a topic it does not matter: what is in force is taken as the topic's. Two settings go by one name
on topics and on brokers, and rules tell the two levels apart.
"""

from __future__ import annotations

from advisor.catalog import Component

ON_TOPIC = "DYNAMIC_TOPIC_CONFIG"
ON_BROKER = "DYNAMIC_BROKER_CONFIG"
OF_CLUSTER = "DYNAMIC_DEFAULT_BROKER_CONFIG"
IN_FILE = "STATIC_BROKER_CONFIG"
DEFAULT = "DEFAULT_CONFIG"

MIN_ISR = "min.insync.replicas"
_ON_BOTH = (MIN_ISR, "unclean.leader.election.enable")


def level(name: str, source: str) -> Component:
    """The component of an entry in a topic's description that is not the product's own default.

    A minimum that the cluster keeps for all brokers is in force for the topic whatever the
    brokers' files say, and so the topic's: that is how eligible leader replicas keep it (KIP-966).
    """
    if source == ON_TOPIC or name not in _ON_BOTH or (name, source) == (MIN_ISR, OF_CLUSTER):
        return Component.TOPIC
    return Component.BROKER
