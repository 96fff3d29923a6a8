"""The lever of whether brokers ask the coordinator before they accept a transaction's message."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.catalog import Component, Value
from advisor.reasoning.failures.transaction_aborted import VERIFICATION, is_unverified
from advisor.reasoning.levers.lever import Lever, Procedure, Restart, costs
from advisor.reasoning.pipeline import Pipeline


def _verifications(pipeline: Pipeline) -> Sequence[Value]:
    return [True] if is_unverified(pipeline) else []


LEVERS = (
    Lever(
        Component.BROKER, VERIFICATION, _verifications,
        costs(latency="the first message of a transaction in a partition waits for a response "
              "of the coordinator."),
        "KIP-890",
        Procedure(
            Restart.NOTHING,
            "kafka-configs.sh --alter --entity-type brokers --entity-default --add-config "
            f"{VERIFICATION}=true; it takes effect immediately.",
            "kafka-configs.sh --describe --all --entity-type brokers --entity-name ID shows it.",
        ),
    ),
)  # fmt: skip
