"""How old, or how far ahead, a record may be that a broker takes.

A broker refuses a record whose timestamp is too far from its own clock, and the error is final
(INVALID_TIMESTAMP; LogValidator.validateTimestamp). A record is stamped once, when it is sent: a
retry after a pause brings the old timestamp along.
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.catalog import Component
from advisor.reasoning.pipeline import Pipeline, derived

AFTER = "message.timestamp.after.max.ms"
BEFORE, DIFFERENCE = "message.timestamp.before.max.ms", "message.timestamp.difference.max.ms"
ANY_AGE = 2**63 - 1
"""The default of both: no record is refused for its timestamp."""


CLOCK_SKEW = "clock.skew.ms"
"""What the team says of the clocks of its machines, in ms."""

_USUAL_MS = 1000
"""By how much the clocks of machines differ that nobody watches."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A setting of the topic, and its value in ms."""

    setting: str
    ms: int

    def __str__(self) -> str:
        return f"{self.setting}={self.ms}"


@derived
def max_age(pipeline: Pipeline) -> Limit | None:
    """How old a record may be; None where any age is taken."""
    return _limit(pipeline, BEFORE)


def max_ahead(pipeline: Pipeline) -> Limit | None:
    """How far in the future a record's timestamp may be; None where any is taken."""
    return _limit(pipeline, AFTER)


def clock_skew(pipeline: Pipeline) -> Limit:
    """By how much the clocks of any two machines may differ."""
    stated = pipeline.value(Component.APPLICATION, CLOCK_SKEW)
    return Limit(f"application.{CLOCK_SKEW}", stated if isinstance(stated, int) else _USUAL_MS)


def stamped_by_sender(pipeline: Pipeline) -> bool:
    """Whether records bear the sender's time. A broker's own time is never refused (KIP-32)."""
    return pipeline.text(Component.TOPIC, "message.timestamp.type") == "CreateTime"


def _limit(pipeline: Pipeline, own: str) -> Limit | None:
    """The side's own setting; where that is the default or not there yet, the older one of both
    sides (LogConfig.getMessageTimestampBeforeMaxMs, 3.6 to 3.9)."""
    if not stamped_by_sender(pipeline):
        return None
    for name in (own, DIFFERENCE):
        if pipeline.knows(Component.TOPIC, name):
            value_ms = pipeline.number(Component.TOPIC, name)
            if value_ms != ANY_AGE:
                return Limit(name, value_ms)
    return None
