"""Requirements that no settings meet, the obstacle, and the nearest that can be met."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.catalog import Component
from advisor.reasoning.behaviour.replication import Replication, in_fullest_rack
from advisor.reasoning.guarantees import Anomaly, Guarantee, Requirement
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plural import counted


@dataclass(frozen=True, slots=True)
class Impossible:
    """A requirement that no settings meet, the reason, and the nearest that can be met.

    With `only_waits` the guarantee can be met, at the price of a standstill.
    """

    wish: str
    why: str
    nearest: str
    only_waits: bool = False
    source: str = ""


def describe_requirement(wish: Requirement) -> str:
    """Returns a description of a requirement."""
    if wish.guarantee is Guarantee.NONE:
        return "Order, and no guarantee" if wish.ordering else "What these settings give now"
    brokers = counted(wish.survive, "broker")
    order = ", in order" if wish.ordering else ""
    return f"{wish.guarantee}{order}, with {brokers} lost for good"


def standstills(pipeline: Pipeline, after: Pipeline) -> tuple[Impossible, ...]:
    """Returns the requirement to survive the loss of brokers and continue writing, if no number of
    replicas gives both."""
    wish = pipeline.requirement
    if not wish.survive or Anomaly.LOST_WRITE not in wish.forbids():
        return ()
    return _for_a_rack(pipeline, after) or _for_a_broker(pipeline, after)


def _for_a_broker(pipeline: Pipeline, after: Pipeline) -> tuple[Impossible, ...]:
    """If f + 1 copies are required, writes continue without a broker from f + 2 replicas on."""
    wish, topic = pipeline.requirement, Replication(after)
    needed = wish.survive + 2
    if topic.spares > 0 or pipeline.brokers >= needed:
        return ()
    lost = counted(wish.survive, "broker")
    need = Impossible(
        wish=f"{describe_requirement(wish)}, and writes that continue while 1 broker is away",
        why=(
            f"brokers={pipeline.brokers}: a message that is to survive {lost} needs "
            f"min.insync.replicas={wish.survive + 1}, and with replication.factor={topic.factor} "
            "no broker may be away while writes continue."
        ),
        nearest=(
            f"{needed} brokers: replication.factor={needed} and "
            f"min.insync.replicas={wish.survive + 1} give both. With {pipeline.brokers} brokers: "
            f"{describe_requirement(wish)}, and writes that wait while one is away."
        ),
        only_waits=True,
        source="Kafka design.md, Availability and Durability Guarantees",
    )
    return (need,)


def _for_a_rack(pipeline: Pipeline, after: Pipeline) -> tuple[Impossible, ...]:
    """Returns the requirement to survive the loss of a rack and continue writing, if no number of
    replicas gives both.

    With c of the replicas in the fullest rack, a record survives if the minimum is above c, and
    writes continue if there are as many replicas outside it: that takes at least 2c + 1 replicas
    (KIP-36).
    """
    racks, wish = pipeline.value(Component.APPLICATION, "racks"), pipeline.requirement
    if not isinstance(racks, int) or racks < 2 or _both(pipeline.brokers, racks):
        return ()
    topic = Replication(after)
    fullest = in_fullest_rack(topic.factor, racks)
    remaining = topic.factor - fullest
    need = Impossible(
        wish=f"{wish.guarantee}, with 1 of {racks} racks lost for good and writes that continue",
        why=(
            f"application.racks={racks}, brokers={pipeline.brokers}: with "
            f"replication.factor={topic.factor}, {fullest} of the replicas may be in one rack. An "
            "acknowledged message is guaranteed a copy elsewhere from "
            f"min.insync.replicas={fullest + 1} on; outside that rack it may be {remaining}, so "
            f"writes continue only up to min.insync.replicas={remaining}. No replication.factor up "
            f"to {pipeline.brokers} gives both: it takes 2 × replicas in the fullest rack + 1."
        ),
        nearest=(
            "3 racks with a broker in each: replication.factor=3 and min.insync.replicas=2 give "
            f"both. With {racks} racks: {describe_requirement(wish)}, and writes that wait while a "
            "rack is away."
        ),
        only_waits=True,
        source="KIP-36; Kafka design.md, Availability and Durability Guarantees",
    )
    return (need,)


def _both(brokers: int, racks: int) -> bool:
    """Whether with some number of replicas the loss of a rack is survived and writes continue."""
    return any(n > 2 * in_fullest_rack(n, racks) for n in range(1, brokers + 1))
