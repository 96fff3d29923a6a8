"""What a team can change, to which values, the price of each change, and how to make it.

Only changes that make a pipeline stronger are levers. Their order is the order of preference
between solutions of equal size. A price has a number wherever there is a formula for one.
"""

from __future__ import annotations

from advisor.catalog import Value
from advisor.reasoning.levers import (
    application,
    cluster,
    compaction,
    consumer,
    controllers,
    producer,
    sizes,
    streams,
    tiered,
    transactions,
    waits,
)
from advisor.reasoning.levers.lever import Lever, Procedure, Restart
from advisor.reasoning.pipeline import Pipeline

__all__ = ["ALL", "Lever", "Procedure", "Restart", "levers"]

ALL = (
    *producer.LEVERS,
    *streams.LEVERS,
    *cluster.LEVERS,
    *compaction.LEVERS,
    *controllers.LEVERS,
    *tiered.LEVERS,
    *transactions.LEVERS,
    *waits.LEVERS,
    *sizes.LEVERS,
    *consumer.LEVERS,
    *application.LEVERS,
)


def levers(pipeline: Pipeline) -> list[tuple[Lever, tuple[Value, ...]]]:
    """Returns the levers that change this pipeline, each with its values in order of preference."""
    levers = ((lever, tuple(lever.targets(pipeline))) for lever in ALL)
    return [(lever, targets) for lever, targets in levers if targets]
