"""The configuration of an arm's topic, and notes on where it differs from the description."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.catalog import written
from labs.engine.plan.spec import Settings

_LEAST = "min.insync.replicas"
_KEYS = (
    _LEAST, "unclean.leader.election.enable", "retention.ms", "retention.bytes",
    "delete.retention.ms", "min.compaction.lag.ms", "cleanup.policy", "flush.messages",
    "message.timestamp.type", "message.timestamp.after.max.ms", "message.timestamp.before.max.ms",
    "message.timestamp.difference.max.ms", "max.message.bytes", "segment.bytes",
)  # fmt: skip


_RETENTION = ("retention.ms", "retention.bytes")
_LONGEST_RUN_MS = 3_600_000


def may_expire(config: Mapping[str, str]) -> bool:
    """Whether a topic with this config may delete messages during a run."""
    retention_ms, retention_bytes = (int(config.get(key, -1)) for key in _RETENTION)
    deletes = "delete" in config.get("cleanup.policy", "delete")
    return deletes and (0 <= retention_ms < _LONGEST_RUN_MS or retention_bytes >= 0)


def without_deletion(config: Mapping[str, str]) -> dict[str, str]:
    """The config of a topic that never deletes: the output of processing is counted at the end."""
    unlimited = {"cleanup.policy": "delete", **dict.fromkeys(_RETENTION, "-1")}
    return {**config, **unlimited}


def topic_config(settings: Settings, copies: int) -> tuple[dict[str, str], tuple[str, ...]]:
    """The config of a topic with this many `copies`, as Kafka writes it, and notes.

    The notes name the settings that the lab changed.
    """
    topic = settings["topic"]
    config = {key: written(topic[key]) for key in _KEYS if key in topic}
    if _LEAST not in topic:
        return config, ()
    described = int(topic[_LEAST])
    least = lab_min_isr(int(topic["replication.factor"]), described, copies)
    return config | {_LEAST: str(least)}, lowered_notes(f"topic {_LEAST}", least, described)


def lab_min_isr(described_copies: int, least: int, copies: int) -> int:
    """The min.insync.replicas of a topic that has fewer `copies` in the lab than were described.

    Brokers before 3.7 do not cap it at the number of copies (KAFKA-15583), so with too few copies
    nothing would ever be acknowledged. A minimum that the described copies could not reach either
    is the team's mistake, and stays.
    """
    is_reachable = least <= described_copies
    return min(least, copies) if is_reachable else least


def lowered_notes(setting: str, least: int, described: int) -> tuple[str, ...]:
    """A note if a minimum is lower than described."""
    note = f"{setting}: {least} instead of {described}, because the lab makes fewer copies"
    return (note,) if least < described else ()
