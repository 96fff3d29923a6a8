"""Windows whose changelog forgets them during an outage.

What it is
    An application with a logged state that may be away for one day, or as long as
    windowstore.changelog.additional.retention.ms says, or longer.

Why it matters
    The changelog of a windowed store is compacted and also deleted by age: a change is kept for as
    long as its window, and for this additional time. While the application is away, windows stay
    open, and brokers delete their changes. An instance that still has its state.dir is not
    affected. One that comes back without it, such as a new container, restores windows without
    these changes, and its counts are too low. Stores without windows are not affected: their
    changelogs are only compacted.

Use instead
    A windowstore.changelog.additional.retention.ms above the longest outage. An existing changelog
    keeps its retention.ms: change that with kafka-configs.sh.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.absence import longest_absence
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.finding import Confidence, Rule, Severity
from advisor.reasoning.pipeline import Pipeline

_RETENTION = "windowstore.changelog.additional.retention.ms"
_TWO_DAYS = {"family": "streams", "application.outage.ms": "172800000"}


def check(pipeline: Pipeline) -> str | None:
    """Reports a logged state whose windows may be away for longer than the changelog keeps them."""
    if pipeline.family is not Family.STREAMS or Streams(pipeline).state != "logged":
        return None
    retention_ms, absence = (
        pipeline.number(Component.STREAMS, _RETENTION),
        longest_absence(pipeline),
    )
    if absence.ms < retention_ms:
        return None
    return (
        f"{_RETENTION}={retention_ms}, and the application may be away for {absence.ms:,} ms "
        f"({absence.reason}): brokers delete the changes of windows that are still open. If the "
        "local state is lost, too, these windows are restored without those changes."
    )


RULE = Rule(
    code="S007",
    name="windows-forgotten-in-an-outage",
    severity=Severity.MEDIUM,
    confidence=Confidence.MEDIUM,
    component=Component.STREAMS,
    setting=_RETENTION,
    check=check,
    sources=(
        "Kafka StreamsConfig, windowstore.changelog.additional.retention.ms",
        "apache/kafka WindowedChangelogTopicConfig.java; KIP-71",
    ),
    valid=(
        {"family": "streams"},
        {**_TWO_DAYS, f"streams.{_RETENTION}": "345600000"},
        {**_TWO_DAYS, "application.state": "none"},
    ),
    invalid=(
        _TWO_DAYS,
        {"family": "streams", "application.outage.ms": "86400000"},
        {"family": "streams", f"streams.{_RETENTION}": "0"},
    ),
)
