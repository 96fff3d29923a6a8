"""The lever of what brokers ask before they take a message of a transaction."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.catalog import Component, Value
from advisor.reasoning.failures.transaction_aborted import VERIFICATION
from advisor.reasoning.levers.lever import Lever, Procedure, Restart, costs
from advisor.reasoning.pipeline import Pipeline


def _verifications(pipeline: Pipeline) -> Sequence[Value]:
    known = pipeline.knows(Component.BROKER, VERIFICATION)
    return [] if not known or pipeline.flag(Component.BROKER, VERIFICATION) else [True]


LEVERS = (
    Lever(
        Component.BROKER, VERIFICATION, _verifications,
        costs(latency="the first message of a transaction in a partition waits for an answer of "
              "the coordinator."),
        "KIP-890",
        Procedure(
            Restart.NOTHING,
            f"kafka-configs.sh --alter --entity-type brokers --entity-default --add-config "
            f"{VERIFICATION}=true; it holds at once.",
            "kafka-configs.sh --describe --all --entity-type brokers --entity-name ID shows it.",
        ),
    ),
)  # fmt: skip
