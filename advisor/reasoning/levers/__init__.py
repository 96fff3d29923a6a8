"""What a team can change, to which value, what each change costs, and how it is made.

Only changes that make a pipeline stronger are levers; the order is that of preference between
solutions of equal size. A price has a number wherever there is a formula for one.
"""

from __future__ import annotations

from advisor.catalog import Value
from advisor.reasoning.levers import (
    application,
    cluster,
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
    *controllers.LEVERS,
    *tiered.LEVERS,
    *transactions.LEVERS,
    *waits.LEVERS,
    *sizes.LEVERS,
    *consumer.LEVERS,
    *application.LEVERS,
)


def levers(pipeline: Pipeline) -> list[tuple[Lever, tuple[Value, ...]]]:
    """The levers that this pipeline leaves to pull, each with its values in order."""
    levers = ((lever, tuple(lever.targets(pipeline))) for lever in ALL)
    return [(lever, targets) for lever, targets in levers if targets]
