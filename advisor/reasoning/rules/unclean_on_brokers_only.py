"""Unclean elections that are set where the controllers may not read it.

What it is
    unclean.leader.election.enable is set for the brokers and not on the topic.

Why it matters
    The controller decides who leads. It reads the topic's setting, the dynamic settings of the
    cluster, and its own file. A line in the file of a broker that is not a controller has no
    effect. With ZooKeeper, one of the brokers is the controller, and its file is read.

Use instead
    Set it on the topic, or for the cluster with kafka-configs --entity-type brokers
    --entity-default, and write it into the controllers' files.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.finding import Confidence, Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports a value of the brokers that the controller may not read."""
    name = "unclean.leader.election.enable"
    stated = pipeline.stated(Component.BROKER).get(name)
    if stated is None or name in pipeline.stated(Component.TOPIC):
        return None
    if Replication(pipeline).zookeeper:
        return None
    return (
        f"{name}={str(stated).lower()} only in files of servers: controllers that are separate "
        "processes do not read a broker's file; kafka-configs --describe shows the value in "
        "force."
    )


RULE = Rule(
    code="B005",
    name="unclean-election-on-the-brokers-only",
    severity=Severity.LOW,
    component=Component.BROKER,
    setting="unclean.leader.election.enable",
    check=check,
    sources=(
        "apache/kafka#16866",
        "Kafka design.md, Unclean leader election",
        "PartitionStateMachine.scala, collectUncleanLeaderElectionState (2.8 to 3.9)",
    ),
    valid=(
        {"family": "java"},
        {
            "family": "java",
            "broker.unclean.leader.election.enable": "false",
            "topic.unclean.leader.election.enable": "false",
        },
        {"family": "java", "kafka": "3.2", "broker.unclean.leader.election.enable": "true"},
        {
            "family": "java",
            "kafka": "3.9",
            "application.metadata.mode": "zookeeper",
            "broker.unclean.leader.election.enable": "true",
        },
    ),
    invalid=(
        {"family": "java", "broker.unclean.leader.election.enable": "false"},
        {"family": "java", "kafka": "3.3", "broker.unclean.leader.election.enable": "false"},
    ),
    confidence=Confidence.MEDIUM,
)
