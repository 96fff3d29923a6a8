"""Whether a setting in a topic's description is the topic's own or the brokers'.

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
ON_BOTH = (MIN_ISR, "unclean.leader.election.enable")


def level(name: str, source: str) -> Component:
    """The component of an entry in a topic's description that is not the product's own default.

    What the cluster keeps for all brokers is in force for the topic whatever the brokers'
    files say, and so the topic's: eligible leader replicas keep their minimum there (KIP-966).
    """
    of_topic = name not in ON_BOTH or source in (ON_TOPIC, OF_CLUSTER)
    return Component.TOPIC if of_topic else Component.BROKER
