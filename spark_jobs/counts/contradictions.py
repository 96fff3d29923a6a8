"""Contradictions between the rows of one value, for which a ledger is refused.

Messages are distinguished by their value alone. If two producers use one value, or a value is in a
log to which it was never sent, a copy of another message could hide the loss of this one.
"""

from __future__ import annotations

from collections.abc import Mapping

TOPIC_BIT = "if(topic = '', -1L, shiftleft(1L, CAST(pmod(hash(topic), 63) AS int)))"
PARTITION_BIT = "if(partition < 0, -1L, shiftleft(1L, CAST(pmod(partition, 63) AS int)))"
"""A place as a set of one bit. An unknown place has all bits, so that it contradicts nothing."""

PLACE_HASH = "if(topic = '' OR partition < 0, NULL, xxhash64(topic, partition))"
"""A place as one number. Its minimum and maximum distinguish two single places that share a bit."""

BOTH, UNRECORDED = "both", "unrecorded"
"""Fates of a transaction that is recorded as committed and as aborted, or not at all."""

_PLACES_KNOWN = " AND ".join(
    f"{bits} <> -1L" for bits in ("sent_topics", "sent_partitions", "log_topics", "log_partitions")
)
_ELSEWHERE = f"""(
    (sent_topics & log_topics) = 0 OR (sent_partitions & log_partitions) = 0
    OR ({_PLACES_KNOWN} AND (sent_last < log_first OR log_last < sent_first)))"""

CONTRADICTIONS: Mapping[str, tuple[str, str]] = {
    "two_senders": (
        "first_sender <> last_sender",
        "was sent by more than one producer, but a value belongs to one producer",
    ),
    "elsewhere": (
        f"obliged AND copies > 0 AND {_ELSEWHERE}",
        "was acknowledged in one topic and partition, but the log has it only in another",
    ),
    "both_ends": (
        "both_ends",
        "is in a transaction that `transactions` records both as committed and as aborted",
    ),
}
"""By name: the condition on a row of `each_value`, and the text that follows the value."""
