"""A topic whose older messages are in remote storage alone.

What it is
    remote.storage.enable=true: what is older than local.retention.ms or .bytes is in the remote
    storage, and the brokers delete their copies.

Why it matters
    No setting of Kafka says how safe a message is there. Only __remote_log_metadata, a topic with
    copies and a minimum of its own, says where it is.

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
    """Tiered storage is on."""
    copies = remote_copies(pipeline)
    if copies is None:
        return None
    return (
        "remote.storage.enable=true: this answer is for what the brokers keep, and for knowing "
        f"where the rest is (guaranteed on {counted(copies, 'broker')}). How safe it is in the "
        "remote storage is the storage's matter."
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
