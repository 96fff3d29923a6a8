"""Aborts hanging transactions, as an operator would (KIP-664)."""

from __future__ import annotations

import time

from labs.engine.base.wait import WaitTimeout, until
from labs.engine.cluster.cluster import Cluster
from labs.engine.faults.rig import Rig, Rows
from labs.engine.protocol import hanging

_REQUEST_S, _LIMIT_S = 5.0, 20.0
_IDLE_S = 2.0
"""A run's transactions are open for a tenth of that, so one without a record for so long hangs."""


def abort_hanging(rig: Rig, topic: str) -> Rows:
    """Aborts the transactions that hang in a topic, as kafka-transactions.sh does (KIP-664).

    A transaction without a record in the last two seconds hangs. The evidence is where each began
    and that it is no longer open, or that none hangs.
    """

    def act() -> str:
        transactions = _hanging(rig.cluster, topic)
        for port, partition, transaction in transactions:
            hanging.abort(port, topic, partition, transaction, _REQUEST_S)
        until(lambda: not _hanging(rig.cluster, topic), _LIMIT_S, "a transaction still hangs")
        texts = [
            f"producer id {item.producer}, open since offset {item.start:,} of partition {number}"
            for _, number, item in transactions
        ]
        return f"aborted: {'; '.join(texts)}" if texts else "no transaction hangs"

    return (rig.log.attempt("mend", f"topic: {topic}", act, (OSError, WaitTimeout)),)


def _hanging(cluster: Cluster, topic: str) -> list[tuple[int, int, hanging.OpenTransaction]]:
    """Returns the hanging transactions as (leader's port, partition, transaction)."""
    latest_ms = (time.time() - _IDLE_S) * 1000
    leaders = [
        (cluster.brokers[state.leader].port, state.partition)
        for state in cluster.describe(topic)
        if state.leader is not None
    ]
    return [
        (port, partition, transaction)
        for port, partition in leaders
        for transaction in hanging.open_transactions(port, topic, partition, _REQUEST_S)
        if transaction.wrote_ms < latest_ms
    ]
