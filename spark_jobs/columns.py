"""Expressions of Spark SQL that several counts share."""

from __future__ import annotations

PLACE = "topic, partition, offset"
"""Where a record stands in a log."""

FINAL_GROUP = "final"
"""The group of the final readers, which show what is there and are judged for little else."""

IS_FINAL = f"coalesce(`group` = '{FINAL_GROUP}', false)"
"""Whether a row belongs to the final readers."""

READER = "coalesce('group ' || `group`, 'consumer ' || coalesce(consumer, ''))"
"""Who reads, and keeps a position: a group, or a consumer that is in none."""

SHOWN_PLACE = ("nullif(topic, '') AS topic", "nullif(partition, -1L) AS partition", "offset")
"""Topic, partition and offset for an example; stand-ins for null become null again."""


def flag(condition: str) -> str:
    """1 where the condition is true, 0 where it is false or null: to be summed."""
    return f"if({condition}, 1L, 0L)"
