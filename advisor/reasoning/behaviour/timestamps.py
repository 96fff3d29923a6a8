"""How old, or how far in the future, a record's timestamp may be.

A broker refuses a record whose timestamp is too far from its own clock, and the error is final
(INVALID_TIMESTAMP; LogValidator.validateTimestamp). A record gets its timestamp once, in send(): a
retry after a pause still has the old one.
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.catalog import Component
from advisor.reasoning.pipeline import Pipeline, derived

AFTER = "message.timestamp.after.max.ms"
BEFORE, DIFFERENCE = "message.timestamp.before.max.ms", "message.timestamp.difference.max.ms"
ANY_AGE = 2**63 - 1
"""The default of these settings: no record is refused for its timestamp."""


CLOCK_SKEW = "clock.skew.ms"
"""The setting of the largest difference between the clocks of the team's machines, in ms."""

_USUAL_MS = 1000
"""The assumed difference between clocks that nobody monitors."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A setting of the topic, and its value in ms."""

    setting: str
    ms: int

    def __str__(self) -> str:
        return f"{self.setting}={self.ms}"


@derived
def max_age(pipeline: Pipeline) -> Limit | None:
    """Returns the limit on a record's age, or None if any age is accepted."""
    return _limit(pipeline, BEFORE)


def max_ahead(pipeline: Pipeline) -> Limit | None:
    """Returns the limit on how far in the future a timestamp may be, or None."""
    return _limit(pipeline, AFTER)


def clock_skew(pipeline: Pipeline) -> Limit:
    """Returns the largest difference between the clocks of two machines."""
    stated = pipeline.value(Component.APPLICATION, CLOCK_SKEW)
    return Limit(f"application.{CLOCK_SKEW}", stated if isinstance(stated, int) else _USUAL_MS)


def stamped_by_sender(pipeline: Pipeline) -> bool:
    """Whether records have the sender's timestamp. A broker's own is never refused (KIP-32)."""
    return pipeline.text(Component.TOPIC, "message.timestamp.type") == "CreateTime"


def _limit(pipeline: Pipeline, setting: str) -> Limit | None:
    """Returns the setting for one direction or, if that is the default or does not exist yet, the
    older setting for both (LogConfig.getMessageTimestampBeforeMaxMs, 3.6 to 3.9)."""
    if not stamped_by_sender(pipeline):
        return None
    for name in (setting, DIFFERENCE):
        if pipeline.knows(Component.TOPIC, name):
            value_ms = pipeline.number(Component.TOPIC, name)
            if value_ms != ANY_AGE:
                return Limit(name, value_ms)
    return None
