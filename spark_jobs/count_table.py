"""Every count of a judged run: its name, its texts, the tables that it needs, its kind of harm.

The one place where a count is declared. `spark_jobs.counts` implements it, and `docs/ledger.md`
defines it in words; `labs` takes names and texts from here for results and pages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Harm = Literal["repeats", "losses", "halves", ""]
"""The kind of harm, which decides the guarantees that forbid it; `""` if none does."""


@dataclass(frozen=True, slots=True)
class Count:
    """One count.

    Without one of the ledger's tables in `needs` it is null: not judged. `label` follows the number
    in a table. `sentence` reports the harm: it has the fields `{n}` and `{ok}`, and in brackets the
    words that agree with the number: `[one is|many are]`. `harm` decides which guarantees forbid
    it. `always` is whether it is forbidden if no guarantee was named: every anomaly that nobody
    intends. A `plain` count is no anomaly and has no examples.
    """

    name: str
    needs: tuple[str, ...]
    label: str
    sentence: str = ""
    harm: Harm = ""
    always: bool = False
    plain: bool = False

    def sentence_for(self, number: int | None) -> str:
        """The sentence with the words that agree with the number, still with `{n}` and `{ok}`."""
        return inflected(self.sentence, number)


_FORMS = re.compile(r"\[([^|\[\]]*)\|([^|\[\]]*)\]")


def inflected(text: str, number: int | None) -> str:
    """A text like `[effect was|effects were] applied`, with the words that agree with a number."""
    return _FORMS.sub(lambda forms: forms[1] if number == 1 else forms[2], text)


_SENDS, _LOG, _DELIVERIES = ("sends",), ("log",), ("deliveries",)
_SENT_AND_LOGGED, _ALL = (*_SENDS, *_LOG), (*_SENDS, *_LOG, *_DELIVERIES)

TABLE: tuple[Count, ...] = (
    Count("sent", _SENDS, "sent", plain=True),
    Count("ok", _SENDS, "acknowledged", plain=True),
    Count("fail", _SENDS, "refused (definitely not written)", plain=True),
    Count("info", _SENDS, "unknown to the client (timeout)", plain=True),
    Count("obliged", _SENT_AND_LOGGED, "acknowledged and not aborted", plain=True),
    Count("in_log", _LOG, "in the log at the end", plain=True),
    Count("delivered", _DELIVERIES, "delivered to any reader", plain=True),
    Count(
        "lost_write", _SENT_AND_LOGGED, "acknowledged and gone",
        "{n} of {ok} acknowledged messages [is|are] gone", "losses", always=True,
    ),
    Count("unseen", _ALL, "in the log, never delivered"),
    Count("late", _ALL, "in the log, delivered late"),
    Count(
        "duplicate", _LOG, "surplus copies in the log",
        "{n} surplus [copy of a message is|copies of messages are] in the log",
        "repeats", always=True,
    ),
    Count(
        "redelivery", _DELIVERIES, "delivered again",
        "{n} [message was|messages were] delivered again", "repeats",
    ),
    Count(
        "skipped", (*_LOG, *_DELIVERIES), "skipped by the group",
        "{n} [message was|messages were] skipped by the group and never delivered",
        "losses", always=True,
    ),
    Count(
        "given_up", _SENT_AND_LOGGED, "given up by the client",
        "{n} [message was|messages were] given up by the client", "losses",
    ),
    Count(
        "reordered", _SENT_AND_LOGGED, "out of order",
        "{n} [message is|messages are] out of order", always=True,
    ),
    Count(
        "key_reordered", (*_SENDS, *_DELIVERIES), "read after a later one of their key",
        "{n} [message was|messages were] delivered after a later one with the same key",
    ),
    Count("expired", (*_SENT_AND_LOGGED, "partitions"), "deleted by retention"),
    Count("compacted", (*_SENT_AND_LOGGED, "partitions"), "replaced by compaction"),
    Count(
        "aborted_read", _DELIVERIES, "aborted, yet delivered",
        "{n} [message of an aborted transaction was|messages of aborted transactions were] "
        "delivered", "halves", always=True,
    ),
    Count(
        "torn_transaction", (*_SENDS, *_DELIVERIES), "transactions delivered in part",
        "{n} [transaction was|transactions were] delivered in part", "halves", always=True,
    ),
    Count(
        "diverged", _LOG, "offsets with different messages",
        "{n} [offset holds|offsets hold] different messages, on two replicas or over time",
        always=True,
    ),
    Count(
        "effect_missing", (*_SENDS, "effects"), "without an effect",
        "{n} [message|messages] left no effect", "losses", always=True,
    ),
    Count(
        "effect_duplicated", ("effects",), "effects applied more than once",
        "{n} [effect was|effects were] applied more than once", "repeats", always=True,
    ),
    Count(
        "state_lost", ("state",), "keys that lost state",
        "{n} [key|keys] lost state", "halves", always=True,
    ),
    Count(
        "phantom", _SENT_AND_LOGGED, "never sent, yet there",
        "{n} [message was delivered that was|messages were delivered that were] never sent",
        always=True,
    ),
    Count("nonmonotonic_poll", _DELIVERIES, "polls that went backwards"),
    Count("poll_skip", (*_LOG, *_DELIVERIES), "polls that left a gap"),
    Count("unavailable_ms", _SENDS, "ms without any acknowledgement"),
    Count("blocked_ms", _ALL, "ms of waiting without any delivery"),
)  # fmt: skip

COUNTS: Mapping[str, Count] = {count.name: count for count in TABLE}
"""All counts by name, in the order in which pages show them."""


def harms(kind: Harm) -> frozenset[str]:
    """The counts of one kind of harm."""
    return frozenset(count.name for count in TABLE if count.harm == kind)
