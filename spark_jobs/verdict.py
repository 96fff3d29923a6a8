"""The verdict on counts: pure functions, in the order that `docs/ledger.md` defines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spark_jobs.count_table import COUNTS, TABLE, harms, inflected

Counts = Mapping[str, int | None]
"""Counts by name; None is not judged."""

_REPEATS, _LOSSES, _HALVES = harms("repeats"), harms("losses"), harms("halves")

FORBIDS: Mapping[str, frozenset[str]] = {
    "at-most-once": _REPEATS,
    "at-least-once": _LOSSES,
    "exactly-once": _REPEATS | _LOSSES | _HALVES,
    "none": frozenset(),
}
"""The counts that each guarantee forbids; a test compares them with the advisor's table."""

WITHOUT_WANT = frozenset(count.name for count in TABLE if count.always)
"""The counts that are forbidden if no guarantee was named: anomalies that nobody intends."""

_OPTIONAL_COUNTS = frozenset({"effect_missing", "effect_duplicated", "state_lost"})
"""Counts of parts that many pipelines lack (a sink, a state): not judged if not recorded."""

_TRANSACTION_COUNTS = frozenset({"aborted_read", "torn_transaction"})
"""Counts that are 0 if no send was in a transaction."""

_MAX_NAMED = 3
"""The most faults without proof that a reason lists."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The facts besides counts on which a verdict depends.

    - `proved`: the number of faults with a completion and evidence, without heals.
    - `unproved`: the other faults, and the heals that failed, each in words.
    - `failed`: those of them that failed, and disturbances of the run.
    - `given_up_breaks`: whether the outage of the scenario is shorter than a patient client waits.
    - `transactional`: whether sends were in transactions, whose outcomes must then be judged.
    - `outcomes_recorded`: whether the table `transactions` was recorded.
    - `effects_decide`: whether the pipeline ends in its sink, so that repeats count by effects.
    - `unrecorded`: the number of values in transactions without a row in `transactions`.
    - `sealed`: whether the ledger is known to be complete, as its recorder left it.
    - `seal_follows`: whether its recorder seals each ledger at the end of its run.
    """

    proved: int
    final_read_completed: bool
    given_up_breaks: bool = False
    effects_decide: bool = False
    transactional: bool = False
    outcomes_recorded: bool = False
    unproved: Sequence[str] = ()
    failed: Sequence[str] = ()
    unrecorded: int = 0
    sealed: bool = True
    seal_follows: bool = False


def forbidden(want: str | None, circumstances: Circumstances, counts: Counts) -> frozenset[str]:
    """The counts that break the guarantee if they are above 0.

    Repeats are judged by their effects, if the pipeline ends in a sink and its effects were judged.
    """
    names = WITHOUT_WANT if want is None else FORBIDS[want]
    if not circumstances.given_up_breaks:
        names -= {"given_up"}
    absorbs = circumstances.effects_decide and counts.get("effect_duplicated") is not None
    return names - {"redelivery", "duplicate"} if absorbs and want is not None else names


def verdict(counts: Counts, want: str | None, circumstances: Circumstances) -> tuple[str, str]:
    """The verdict (`holds`, `broken` or `unknown`), and its reason in one sentence."""
    if not counts.get("ok"):
        return "unknown", "No send was acknowledged, so no message had to be kept."
    if circumstances.failed:  # something else may have caused a loss
        return "unknown", _unproved(circumstances.failed)
    ruled_out = sorted(forbidden(want, circumstances, counts))
    seen = [name for name in ruled_out if counts[name]]
    if seen:
        return "broken", _sentence("; ".join(_in_words(name, counts) for name in seen))
    if not circumstances.proved:
        return "unknown", "No fault is proved to have happened."
    if circumstances.unproved:
        return "unknown", _unproved(circumstances.unproved)
    if not circumstances.final_read_completed:
        return "unknown", "The final read did not complete, so a missing message may only be late."
    if not circumstances.sealed and (doubt := _doubt(counts, circumstances)):
        return "unknown", f"The ledger is not sealed, and {doubt}"
    unjudged = [name for name in ruled_out if counts[name] is None]
    optional = _optional_counts(want, circumstances)
    needed = [name for name in unjudged if name not in optional]
    if want == "exactly-once" and circumstances.transactional:
        needed += [] if circumstances.outcomes_recorded else ["transactions"]
    if needed:
        return "unknown", f"Not judged, because a table was not recorded: {', '.join(needed)}."
    summary = f"{counts['ok']:,} messages were acknowledged, and nothing forbidden happened to any"
    note = f" (not recorded: {', '.join(unjudged)})" if unjudged else ""
    return "holds", _sentence(summary + note)


def _doubt(counts: Counts, circumstances: Circumstances) -> str:
    """The sign that a ledger without a seal may have lost a part; empty if there is none."""
    if circumstances.seal_follows:
        return "its recorder seals every ledger at the end of a run: this one may have lost a part."
    if phantom := counts.get("phantom"):
        return (
            f"{_messages_are(phantom)} in it that were never sent:"
            " a part of its sends may be missing, and with it a loss."
        )
    if circumstances.unrecorded:
        return (
            f"{_messages_are(circumstances.unrecorded)} in transactions that it has no row of:"
            " a part of its transactions may be missing."
        )
    return ""


def _messages_are(number: int) -> str:
    return inflected(f"{number:,} [message is|messages are]", number)


def _optional_counts(want: str | None, circumstances: Circumstances) -> frozenset[str]:
    """The counts that may be null, because this pipeline lacks their part."""
    if want is None or circumstances.transactional:
        return _OPTIONAL_COUNTS
    return _OPTIONAL_COUNTS | _TRANSACTION_COUNTS


def _unproved(faults: Sequence[str]) -> str:
    more = f"; and {len(faults) - _MAX_NAMED} more" if len(faults) > _MAX_NAMED else ""
    listed = "; ".join(faults[:_MAX_NAMED])
    return f"Not everything planned is proved to have happened: {listed}{more}."


def _in_words(name: str, counts: Counts) -> str:
    return (
        COUNTS[name]
        .sentence_for(counts[name])
        .format(n=f"{counts[name]:,}", ok=f"{counts['ok'] or 0:,}")
    )


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."
