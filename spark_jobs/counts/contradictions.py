"""Rows of one value that contradict each other, so that the ledger is refused.

Messages are told apart by their value alone. Where two producers use one value, or a value stands
in a log to which it was never sent, a copy of another message would pass for the one that is gone.
"""

from __future__ import annotations

from collections.abc import Mapping

TOPIC_BIT = "if(topic = '', -1L, shiftleft(1L, CAST(pmod(hash(topic), 63) AS int)))"
PARTITION_BIT = "if(partition < 0, -1L, shiftleft(1L, CAST(pmod(partition, 63) AS int)))"
"""Places as sets of one bit each; unknown is all of them, so that it contradicts nothing."""

PLACE_HASH = "if(topic = '' OR partition < 0, NULL, xxhash64(topic, partition))"
"""A place as one number: by the lowest and the highest, two single places are told apart also
where they fall on one bit."""

BOTH, UNTOLD = "both", "untold"
"""Fates of a transaction that has rows for both ends, or no row."""

_PLACED = " AND ".join(
    f"{bits} <> -1L"
    for bits in ("sent_topics", "sent_partitions", "found_topics", "found_partitions")
)
_ELSEWHERE = f"""(
    (sent_topics & found_topics) = 0 OR (sent_partitions & found_partitions) = 0
    OR ({_PLACED} AND (sent_last < found_first OR found_last < sent_first)))"""

CONTRADICTIONS: Mapping[str, tuple[str, str]] = {
    "two_senders": (
        "first_sender <> last_sender",
        "was sent by more than one producer, and a value is one producer's",
    ),
    "elsewhere": (
        f"standing AND copies > 0 AND {_ELSEWHERE}",
        "was acknowledged in one topic and partition, and the log has it in another only",
    ),
    "both_ends": (
        "both_ends",
        "is in a transaction that `transactions` says was committed, and that it was aborted",
    ),
}
"""By name: the condition on a row of `each_value`, and what is said of the value."""
