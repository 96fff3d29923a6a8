"""Expressions of Spark SQL that several counts share."""

from __future__ import annotations

PLACE = "topic, partition, offset"
"""The columns that name a record's place in a log."""

FINAL_GROUP = "final"
"""The group of the final readers, which read each log from its start after the run."""

IS_FINAL = f"coalesce(`group` = '{FINAL_GROUP}', false)"
"""Whether a row belongs to the final readers."""

READER = "coalesce('group ' || `group`, 'consumer ' || coalesce(consumer, ''))"
"""The owner of a read position: a group, or a consumer without a group."""

SHOWN_PLACE = ("nullif(topic, '') AS topic", "nullif(partition, -1L) AS partition", "offset")
"""Topic, partition and offset for an example; stand-ins for null become null again."""


def flag(condition: str) -> str:
    """1 where the condition is true, 0 where it is false or null, for summing."""
    return f"if({condition}, 1L, 0L)"
