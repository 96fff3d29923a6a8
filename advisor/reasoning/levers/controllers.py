"""The lever of the controllers: how many there are."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.catalog import Component, Value
from advisor.reasoning.failures.controllers_lost import lost_for_good
from advisor.reasoning.levers.lever import Lever, Procedure, Restart, costs
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.replication import controllers


def _controllers(pipeline: Pipeline) -> Sequence[Value]:
    """2f + 1, of which a majority is left without f; where nobody said how many, none."""
    now, lost = controllers(pipeline), lost_for_good(pipeline)
    return [2 * lost + 1] if now is not None and now <= lost else []


LEVERS = (
    Lever(
        Component.APPLICATION, "controllers", _controllers,
        costs(more="Machines: each new controller, with a disk of its own, in another rack."),
        "Kafka operations/kraft.md, Controllers; KIP-853",
        Procedure(
            Restart.NOTHING,
            "From Kafka 3.9 on, in a quorum with kraft.version=1: format each new controller with "
            "--no-initial-controllers, start it, then kafka-metadata-quorum.sh add-controller, one "
            "after the other. A quorum of controller.quorum.voters is changed in a new cluster.",
            "kafka-metadata-quorum.sh describe --status shows them all as CurrentVoters.",
        ),
    ),
)  # fmt: skip
