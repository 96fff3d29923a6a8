"""What one producer session does about errors: tries again, repeats, reorders, gives up."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.catalog import Component, Family
from advisor.reasoning.event import Permits
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.streams import Streams

RETRY_BACKOFF_MAX_MS = 1_000
"""The longest pause between two tries (`retry.backoff.max.ms`, KIP-580 and librdkafka)."""


@dataclass(frozen=True, slots=True)
class Session:
    """The producer's settings in force, and what the application does with its errors.

    `restart` is `resumes`, `forgets` or, where nobody said, the empty word.
    """

    acks: str
    idempotent: bool
    retries: int
    in_flight: int
    request_timeout_ms: int
    delivery_timeout_ms: int | None
    errors_handled: bool
    application_resends: bool
    engine_resends: bool
    restart: str

    @classmethod
    def of(cls, pipeline: Pipeline) -> Session:
        """As these settings make it."""
        return pipeline.derived(cls._of)

    @classmethod
    def _of(cls, pipeline: Pipeline) -> Session:
        timeout_ms = pipeline.number(Component.PRODUCER, "delivery.timeout.ms")
        librdkafka = pipeline.family is Family.LIBRDKAFKA
        handled = pipeline.text(Component.APPLICATION, "delivery.errors") == "handled"
        resend = pipeline.text(Component.APPLICATION, "resend") == "on-error"
        engine = pipeline.family in (Family.SPARK, Family.STREAMS)
        if pipeline.family is Family.STREAMS:
            handled = not Streams.of(pipeline).drops_results
        return cls(
            acks=pipeline.text(Component.PRODUCER, "acks"),
            idempotent=pipeline.flag(Component.PRODUCER, "enable.idempotence"),
            retries=pipeline.number(Component.PRODUCER, "retries"),
            in_flight=pipeline.number(Component.PRODUCER, "max.in.flight.requests.per.connection"),
            request_timeout_ms=pipeline.number(Component.PRODUCER, "request.timeout.ms"),
            # librdkafka reads 0 as "never" (CONFIGURATION.md, message.timeout.ms).
            delivery_timeout_ms=None if librdkafka and timeout_ms == 0 else timeout_ms,
            errors_handled=handled,
            application_resends=resend and handled and not engine,
            # A failed write fails the Spark task, which runs again (KafkaWriteTask.scala), or the
            # Streams thread, whose input is processed again (KIP-210).
            engine_resends=engine and handled,
            restart="resumes" if engine else _restart(pipeline, resend and handled),
        )

    @property
    def hears_errors(self) -> bool:
        """With acks=0 the broker answers nothing, so no error is reported and none retried."""
        return self.acks != "0"

    @property
    def retries_blindly(self) -> bool:
        """Whether a retry may write a record again: no broker tells the copies apart."""
        return self.hears_errors and self.retries > 0 and not self.idempotent

    def repeats(self) -> Permits:
        """What a retry may do in one session (KIP-98; librdkafka INTRODUCTION, "Reordering")."""
        if not self.retries_blindly:
            return {}
        off = "enable.idempotence=false"
        permits = {
            Anomaly.DUPLICATE: f"{off} with retries={self.retries}: when only the acknowledgement "
            "is lost or late, the client sends the batch again and the broker writes it twice.",
        }
        if self.in_flight > 1:
            permits[Anomaly.REORDERED] = (
                f"{off} with max.in.flight.requests.per.connection={self.in_flight}: a batch that "
                "is sent again lands behind a later one that went through."
            )
        return permits

    def gives_up(self, pause_ms: int, pause: str) -> Permits:
        """Whether the client stops trying before a passing pause of `pause_ms` is over.

        An application or engine that sends again closes this; acks=0 hears of no error at all.
        """
        if not self.hears_errors or self.application_resends or self.engine_resends:
            return {}
        reason = self.impatience(pause_ms)
        if reason is None:
            return {}
        return {Anomaly.GIVEN_UP: f"{reason} {pause} lasts up to {pause_ms:,} ms."}

    def impatience(self, pause_ms: int) -> str | None:
        """Why the client stops trying before a pause is over, or None if it does not."""
        if self.retries == 0:
            return "retries=0: the first error is final, and nobody sends the record again."
        if self.retries * RETRY_BACKOFF_MAX_MS < pause_ms:
            return (
                f"retries={self.retries} may be used up in "
                f"{self.retries * RETRY_BACKOFF_MAX_MS:,} ms (one each retry.backoff.max.ms)."
            )
        timeout_ms = self.delivery_timeout_ms
        if timeout_ms is not None and timeout_ms < pause_ms:
            return f"delivery.timeout.ms={timeout_ms}: the client stops trying after that."
        return None


def _restart(pipeline: Pipeline, resends: bool) -> str:
    """Who sends again after an error does so after a restart too, unless it was denied."""
    said = pipeline.text(Component.APPLICATION, "restart")
    return said or ("resumes" if resends else "")
