"""What a Kafka Streams application does with its input, its state and its results."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.catalog import Component
from advisor.reasoning.pipeline import Pipeline

_FAILS = frozenset({
    "LogAndFailExceptionHandler", "LogAndFailProcessingExceptionHandler",
    "DefaultProductionExceptionHandler",
})  # fmt: skip
"""The handlers of org.apache.kafka.streams.errors that stop the application."""


@dataclass(frozen=True, slots=True)
class Streams:
    """The application as its settings make it.

    `internal` are the changelog and repartition topics: `internal_factor` is their
    replication.factor (-1 is the brokers' default, KIP-733), `internal_copies` what an
    acknowledged record of theirs is sure of. `passes_over` holds, with its value, each handler
    that may go on without a message, in the order in which a message meets them.
    """

    guarantee: str
    exactly_once: bool
    commit_ms: int
    state: str
    internal_factor: int
    internal_min_isr: int
    internal_copies: int
    standbys: int
    passes_over: tuple[str, ...]
    drops_results: str

    @classmethod
    def of(cls, pipeline: Pipeline) -> Streams:
        """As these settings make it; the pipeline's family must be `streams`."""
        return pipeline.derived(cls._of)

    @classmethod
    def _of(cls, pipeline: Pipeline) -> Streams:
        streams = Component.STREAMS
        guarantee = pipeline.text(streams, "processing.guarantee")
        factor = _factor(pipeline)
        least = min(pipeline.number(streams, "topic.min.insync.replicas"), factor)
        alone = {"0": 0, "1": 1}.get(pipeline.text(Component.PRODUCER, "acks"))
        return cls(
            guarantee=guarantee,
            exactly_once=guarantee.startswith("exactly_once"),
            commit_ms=pipeline.number(streams, "commit.interval.ms"),
            state=pipeline.text(Component.APPLICATION, "state"),
            internal_factor=factor,
            internal_min_isr=least,
            internal_copies=least if alone is None else alone,
            standbys=pipeline.number(streams, "num.standby.replicas"),
            passes_over=tuple(_passing(pipeline, ("deserialization", "processing"))),
            drops_results="".join(_passing(pipeline, ("production",))),
        )

    @property
    def named(self) -> str:
        """The setting that decides most, with its value."""
        return f"processing.guarantee={self.guarantee}"

    @property
    def counts_twice(self) -> bool:
        """Whether a message that is processed again changes the state again."""
        return self.state != "none" and not self.exactly_once


def handler(pipeline: Pipeline, what: str) -> str | None:
    """The name of an exception handler's setting in this version; None where there is none."""
    # KIP-1056 took "default." off.
    names = (f"{what}.exception.handler", f"default.{what}.exception.handler")
    return next((name for name in names if pipeline.knows(Component.STREAMS, name)), None)


def _passing(pipeline: Pipeline, kinds: tuple[str, ...]) -> list[str]:
    names = [name for each in kinds if (name := handler(pipeline, each))]
    said = {name: pipeline.text(Component.STREAMS, name) for name in names}
    return [
        f"{name}={value}" for name, value in said.items() if value.rpartition(".")[2] not in _FAILS
    ]


def _factor(pipeline: Pipeline) -> int:
    stated = pipeline.number(Component.STREAMS, "replication.factor")
    return stated if stated > 0 else pipeline.number(Component.BROKER, "default.replication.factor")
