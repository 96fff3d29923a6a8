"""How the readers of a run commit: as the application does, or as its client does by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from labs.engine.clients.consumer import Commit

Consumer = Mapping[str, str | int | bool]
COMMITS: Mapping[str, Commit] = {
    "before-processing": "before-processing",
    "after-processing": "after-processing",
    "in-transaction": "after-processing",
}
"""When an application commits, where it does so itself, by the described `commit`."""


def commit_style(application: str, consumer: Consumer) -> Commit:
    """How the group commits: the application's way, and for automatic commits the client's.

    Only librdkafka has `enable.auto.offset.store`; where it is absent the client is Java's,
    which commits at a poll what the polls before it returned.
    """
    if application in COMMITS:
        return COMMITS[application]
    stores = consumer.get("enable.auto.offset.store")
    if stores is None:
        return "next-poll-stores"
    return "client-stores" if stores else "application-stores"


def commits_differ(application: str, consumer: Consumer, *, in_transactions: bool) -> Iterator[str]:
    """How the commits of a run's group differ from those of the team's, a sentence each."""
    if application == "in-transaction" and not in_transactions:
        yield (
            "application commit=in-transaction: offsets are committed after processing, because "
            "this workload has no transactions"
        )
    if consumer.get("enable.auto.commit", False) and application in COMMITS:
        yield (
            f"consumer enable.auto.commit=true is left out beside {application}: only the "
            "application commits"
        )
