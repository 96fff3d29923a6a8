"""A topic whose older messages are only in remote storage.

What it is
    remote.storage.enable=true: messages beyond local.retention.ms or local.retention.bytes are in
    the remote storage, and the brokers delete their copies.

Why it matters
    No Kafka setting says how safe a message is there. Only __remote_log_metadata, a topic with its
    own replication.factor and min.insync.replicas, records where it is.

Use instead
    Remote storage that keeps several copies itself, and 3 copies of __remote_log_metadata with
    min.insync.replicas=2.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.failures.broker_disk_lost import remote_copies
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plural import counted


def check(pipeline: Pipeline) -> str | None:
    """Reports tiered storage."""
    copies = remote_copies(pipeline)
    if copies is None:
        return None
    return (
        "remote.storage.enable=true: this answer covers the messages that the brokers keep, and "
        f"the record of where the others are (guaranteed on {counted(copies, 'broker')}). How safe "
        "those are depends on the remote storage."
    )


RULE = Rule(
    code="T007",
    name="tiered-storage",
    severity=Severity.LOW,
    component=Component.TOPIC,
    setting="remote.storage.enable",
    check=check,
    sources=(
        "KIP-405",
        "KIP-1235 (__remote_log_metadata)",
        "Kafka operations/tiered-storage.md",
    ),
    valid=(
        {"family": "java"},
        {"family": "java", "kafka": "3.5"},
    ),
    invalid=({"family": "java", "topic.remote.storage.enable": "true"},),
)
