"""Offsets committed in a transaction and by the client as well.

What it is
    application.commit=in-transaction with enable.auto.commit=true.

Why it matters
    The client also commits the position outside the transaction. When the transaction is aborted,
    its output is taken back, but the position is not: the input is skipped.

Use instead
    enable.auto.commit=false.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.group import Group
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports automatic commits outside a transaction that commits the offsets as well."""
    group = Group.of(pipeline)
    if group is None or not group.commits_outside_transaction:
        return None
    return (
        "enable.auto.commit=true with application.commit=in-transaction: an abort does not take "
        "back what the client committed by itself, so input is skipped."
    )


RULE = Rule(
    code="C004",
    name="auto-commit-beside-a-transaction",
    severity=Severity.HIGH,
    component=Component.CONSUMER,
    setting="enable.auto.commit",
    check=check,
    sources=("Kafka design.md, Using Transactions",),
    valid=(
        {
            "family": "java",
            "producer.transactional.id": "orders-1",
            "application.commit": "in-transaction",
            "consumer.enable.auto.commit": "false",
        },
    ),
    invalid=(
        {
            "family": "java",
            "producer.transactional.id": "orders-1",
            "application.commit": "in-transaction",
        },
    ),
)
