"""Settings of clients that the model does not cover, so that no answer would hold for them.

They are real, and the product starts with them. Ignoring one would answer for another client.
Sources: KIP-932 and group.share.* of the brokers (share groups); KIP-939 (two-phase commit: a
transaction that is open never times out).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.catalog.model import Component, Family, Problem

_SHARE = (
    "is of a share consumer (KIP-932). A share group has no position and keeps no order: brokers "
    "lend each record to some member until it is acknowledged, and pass over it after "
    "group.share.delivery.count.limit loans. That is not advised on; leave the line out for a "
    "consumer group."
)
_TWO_PHASES = (
    "hands the end of each transaction to a coordinator of your own (KIP-939). One that is left "
    "open never times out and holds its readers back for ever. That is not advised on; leave the "
    "line out for transactions that Kafka ends."
)
_STATED: Mapping[tuple[Component, str], str] = {
    (Component.CONSUMER, "share.acknowledgement.mode"): _SHARE,
    (Component.CONSUMER, "share.acquire.mode"): _SHARE,
}
_SWITCHED_ON: Mapping[tuple[Component, str], str] = {
    (Component.PRODUCER, "transaction.two.phase.commit.enable"): _TWO_PHASES,
}


def not_advised(
    family: Family, component: Component, texts: Mapping[str, str]
) -> Iterator[Problem]:
    """What of these settings (by name, as written) makes it another client."""
    if family is Family.SPARK:
        return  # the connector makes consumers of a group, whatever else is handed on
    for name, text in texts.items():
        words = _STATED.get((component, name))
        if words is None and text.strip().lower() == "true":
            words = _SWITCHED_ON.get((component, name))
        if words:
            yield Problem(component, name, f"{name} {words}")
