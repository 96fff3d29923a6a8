"""How the readers of a run commit: explicitly, as the application does, or automatically."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from labs.engine.clients.consumer import Commit

Consumer = Mapping[str, str | int | bool]
COMMITS: Mapping[str, Commit] = {
    "before-processing": "before-processing",
    "after-processing": "after-processing",
    "in-transaction": "after-processing",
}
"""The described `commit` → how an application commits explicitly."""


def commit_style(application: str, consumer: Consumer) -> Commit:
    """Returns how the group commits: as the application does, or automatically as its client does.

    Only librdkafka has `enable.auto.offset.store`. Without it the client is Java's, which commits
    at a poll the records of earlier polls.
    """
    if application in COMMITS:
        return COMMITS[application]
    stores = consumer.get("enable.auto.offset.store")
    if stores is None:
        return "next-poll-stores"
    return "client-stores" if stores else "application-stores"


def commits_differ(application: str, consumer: Consumer, *, in_transactions: bool) -> Iterator[str]:
    """Yields a sentence for each difference between the commits of a run's group and the team's."""
    if application == "in-transaction" and not in_transactions:
        yield (
            "application commit=in-transaction: offsets are committed after processing, because "
            "this workload has no transactions"
        )
    if consumer.get("enable.auto.commit", False) and application in COMMITS:
        yield (
            f"consumer enable.auto.commit=true is left out because of {application}: only the "
            "application commits"
        )
