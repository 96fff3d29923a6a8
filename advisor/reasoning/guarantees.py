"""The terms of the failure model: anomalies, guarantees, boundaries, requirements.

A guarantee is the set of anomalies that it forbids; everything else in the advisor is derived from
that table. The terms are those of `docs/glossary.md` and of the ledger. `spark_jobs.verify` uses
the same ones, and a test compares the two tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Anomaly(StrEnum):
    """An outcome of a message that should not happen. Definitions: `docs/ledger.md`.

    No failure event permits `phantom`: a run that shows one refutes the lab, or Kafka.
    """

    LOST_WRITE = "lost_write"
    UNSEEN = "unseen"
    DUPLICATE = "duplicate"
    REDELIVERY = "redelivery"
    SKIPPED = "skipped"
    EFFECT_MISSING = "effect_missing"
    EFFECT_DUPLICATED = "effect_duplicated"
    REORDERED = "reordered"
    KEY_REORDERED = "key_reordered"
    NONMONOTONIC_POLL = "nonmonotonic_poll"
    POLL_SKIP = "poll_skip"
    ABORTED_READ = "aborted_read"
    TORN_TRANSACTION = "torn_transaction"
    DIVERGED = "diverged"
    PHANTOM = "phantom"
    UNAVAILABLE = "unavailable"
    BLOCKED = "blocked"
    STATE_LOST = "state_lost"
    GIVEN_UP = "given_up"

    # A key of thousands of small tables in one search: the hash of str is implemented in C.
    __hash__ = str.__hash__


GRAVITY = (
    Anomaly.LOST_WRITE, Anomaly.DIVERGED, Anomaly.SKIPPED, Anomaly.EFFECT_MISSING,
    Anomaly.STATE_LOST, Anomaly.TORN_TRANSACTION, Anomaly.ABORTED_READ, Anomaly.GIVEN_UP,
    Anomaly.DUPLICATE, Anomaly.EFFECT_DUPLICATED, Anomaly.REDELIVERY, Anomaly.REORDERED,
    Anomaly.KEY_REORDERED, Anomaly.POLL_SKIP, Anomaly.NONMONOTONIC_POLL, Anomaly.UNSEEN,
    Anomaly.BLOCKED, Anomaly.UNAVAILABLE,
)  # fmt: skip
"""Anomalies, the gravest first: lost, then wrong, then repeated, then out of order, then late."""


class Guarantee(StrEnum):
    """A delivery guarantee, or `none` if messages may be both lost and repeated."""

    AT_MOST_ONCE = "at-most-once"
    AT_LEAST_ONCE = "at-least-once"
    EXACTLY_ONCE = "exactly-once"
    NONE = "none"


class Boundary(StrEnum):
    """The section of the pipeline that a guarantee covers. A guarantee always has a boundary."""

    PRODUCER_TO_LOG = "producer_to_log"
    LOG_TO_CONSUMER = "log_to_consumer"
    END_TO_END = "end_to_end"


REPEATED_DELIVERY = frozenset({Anomaly.REDELIVERY, Anomaly.DUPLICATE})
"""A message that is delivered twice: harmless if the sink recognizes its messages."""

_REPEATS = REPEATED_DELIVERY | {Anomaly.EFFECT_DUPLICATED}
_LOSSES = frozenset({Anomaly.LOST_WRITE, Anomaly.SKIPPED, Anomaly.EFFECT_MISSING, Anomaly.GIVEN_UP})
_ATOMICITY = frozenset({Anomaly.ABORTED_READ, Anomaly.TORN_TRANSACTION, Anomaly.STATE_LOST})
"""What exactly-once also forbids for transactions and state: partial results."""

FORBIDS: Mapping[Guarantee, frozenset[Anomaly]] = {
    Guarantee.AT_MOST_ONCE: _REPEATS,
    Guarantee.AT_LEAST_ONCE: _LOSSES,
    Guarantee.EXACTLY_ONCE: _REPEATS | _LOSSES | _ATOMICITY,
    Guarantee.NONE: frozenset(),
}


ORDER = frozenset({Anomaly.REORDERED, Anomaly.KEY_REORDERED})
"""Forbidden if messages have to stay in order, within a partition and for each key."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """What a team needs.

    `survive` is the number of brokers that may fail for good at the worst moment that the
    settings allow while every acknowledged record must still exist.
    """

    guarantee: Guarantee = Guarantee.AT_LEAST_ONCE
    survive: int = 1
    ordering: bool = False

    def forbids(self, *, absorbed: bool = False) -> frozenset[Anomaly]:
        """Returns the anomalies that must not be possible; ordering is separate from the guarantee.

        With `absorbed` the sink recognizes its messages, so repeated delivery is harmless.
        """
        order = ORDER if self.ordering else frozenset[Anomaly]()
        forbidden = FORBIDS[self.guarantee] | order
        return forbidden - REPEATED_DELIVERY if absorbed else forbidden


def strongest(permitted: Iterable[Anomaly]) -> Guarantee:
    """Returns the strongest guarantee that forbids none of the permitted anomalies."""
    possible = frozenset(permitted)
    for guarantee in (Guarantee.EXACTLY_ONCE, Guarantee.AT_LEAST_ONCE, Guarantee.AT_MOST_ONCE):
        if not FORBIDS[guarantee] & possible:
            return guarantee
    return Guarantee.NONE
