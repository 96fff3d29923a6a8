"""From counts to a verdict: pure, and in the order that `docs/ledger.md` lays down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spark_jobs.count_table import COUNTS, TABLE, harms, inflected

Counts = Mapping[str, int | None]
"""A count by name; None was not judged."""

_REPEATS, _LOSSES, _HALVES = harms("repeats"), harms("losses"), harms("halves")

FORBIDS: Mapping[str, frozenset[str]] = {
    "at-most-once": _REPEATS,
    "at-least-once": _LOSSES,
    "exactly-once": _REPEATS | _LOSSES | _HALVES,
    "none": frozenset(),
}
"""What each guarantee forbids; a test holds this against `advisor.reasoning.guarantees`."""

WITHOUT_WANT = frozenset(count.name for count in TABLE if count.always)
"""What is forbidden where no guarantee was named: every anomaly that is nobody's intention."""

_BESIDE_THE_PATH = frozenset({"effect_missing", "effect_duplicated", "state_lost"})
"""Counts of parts that many pipelines lack (a sink, a state): not judged when not recorded."""

_OF_TRANSACTIONS = frozenset({"aborted_read", "torn_transaction"})
"""Counts that nothing can bear where no send was in a transaction."""

_NAMED = 3
"""Faults without proof that a reason names."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The facts besides counts on which a verdict depends.

    `proved` is the number of faults with a completion and evidence, heals not counted;
    `unproved` says of the others, and of heals that failed, what is not known to have happened;
    `failed` are those of them that failed, what disturbed the run among them;
    `given_up_breaks` is what the scenario says of its outage: shorter than a patient client waits.
    `transactional` says that sends were in transactions: what became of those must be judged.
    `outcomes_recorded` says that the table `transactions` was recorded.
    `effects_decide` says that the pipeline ends in its sink: what comes twice counts there.
    `untold` is the number of values in transactions that `transactions` has no row of.
    `sealed` is whether the ledger is known to be whole, as its recorder left it;
    `seal_follows` that its recorder seals each ledger at the end of its run.
    """

    proved: int
    final_read_completed: bool
    given_up_breaks: bool = False
    effects_decide: bool = False
    transactional: bool = False
    outcomes_recorded: bool = False
    unproved: Sequence[str] = ()
    failed: Sequence[str] = ()
    untold: int = 0
    sealed: bool = True
    seal_follows: bool = False


def forbidden(want: str | None, circumstances: Circumstances, counts: Counts) -> frozenset[str]:
    """The counts that break the guarantee when above 0.

    Repeats count by their effects only where those were judged.
    """
    named = WITHOUT_WANT if want is None else FORBIDS[want]
    if not circumstances.given_up_breaks:
        named -= {"given_up"}
    absorbs = circumstances.effects_decide and counts.get("effect_duplicated") is not None
    return named - {"redelivery", "duplicate"} if absorbs and want is not None else named


def verdict(counts: Counts, want: str | None, circumstances: Circumstances) -> tuple[str, str]:
    """(`holds`, `broken` or `unknown`; the reason in one sentence)."""
    if not counts.get("ok"):
        return "unknown", "No send was acknowledged, so nothing was owed to anybody."
    if circumstances.failed:  # what was lost may be somebody else's deed
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
        return "unknown", "The final read did not complete, and late is not lost."
    if not circumstances.sealed and (doubt := _doubt(counts, circumstances)):
        return "unknown", f"The ledger is not sealed, and {doubt}"
    unjudged = [name for name in ruled_out if counts[name] is None]
    aside_here = _beside_the_path(want, circumstances)
    needed = [name for name in unjudged if name not in aside_here]
    if want == "exactly-once" and circumstances.transactional:
        needed += [] if circumstances.outcomes_recorded else ["transactions"]
    if needed:
        return "unknown", f"Not judged, because a table was not recorded: {', '.join(needed)}."
    kept = f"{counts['ok']:,} messages were acknowledged, and nothing forbidden happened to any"
    aside = f" (not recorded: {', '.join(unjudged)})" if unjudged else ""
    return "holds", _sentence(kept + aside)


def _doubt(counts: Counts, circumstances: Circumstances) -> str:
    """What shows that a ledger without a seal may have lost a part; empty where nothing does."""
    if circumstances.seal_follows:
        return "its recorder seals each at the end of the run: this one may have lost a part."
    if phantom := counts.get("phantom"):
        return (
            f"{_messages_are(phantom)} there that it says were never sent:"
            " a part of its sends may be missing, and with it a loss."
        )
    if circumstances.untold:
        return (
            f"{_messages_are(circumstances.untold)} in transactions that it says nothing of:"
            " a part of its transactions may be missing."
        )
    return ""


def _messages_are(number: int) -> str:
    return inflected(f"{number:,} [message is|messages are]", number)


def _beside_the_path(want: str | None, circumstances: Circumstances) -> frozenset[str]:
    """What may go unjudged: parts that this pipeline lacks."""
    if want is None or circumstances.transactional:
        return _BESIDE_THE_PATH
    return _BESIDE_THE_PATH | _OF_TRANSACTIONS


def _unproved(faults: Sequence[str]) -> str:
    more = f"; and {len(faults) - _NAMED} more" if len(faults) > _NAMED else ""
    named = "; ".join(faults[:_NAMED])
    return f"Not everything planned is proved to have happened: {named}{more}."


def _in_words(name: str, counts: Counts) -> str:
    return (
        COUNTS[name]
        .sentence_for(counts[name])
        .format(n=f"{counts[name]:,}", ok=f"{counts['ok'] or 0:,}")
    )


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."
