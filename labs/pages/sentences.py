"""Results in words: counts first, without adjectives, and only what the run showed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from advisor.reasoning.plural import agreed
from labs.engine.plan.spec import ExperimentSpec
from labs.pages.selectors import Evidence
from spark_jobs.count_table import COUNTS, TABLE, inflected

_ALWAYS_SHOWN = ("lost_write", "skipped", "late")
_FATES: Mapping[str, str] = {
    "lost_write": "{n} [is|are] gone from the log",
    "skipped": "{n} [is|are] in the log but [was|were] skipped",
    "late": "{n} [was|were] late (in the log, and read after the group had stopped)",
    "expired": "{n} [was|were] deleted by retention",
    "compacted": "{n} [was|were] replaced by compaction",
    "unseen": "{n} [is|are] in the log and [was|were] never delivered",
}
"""The fates of undelivered messages; those of `_ALWAYS_SHOWN` are stated even for 0."""

COUNT_WORDS: Mapping[str, str] = {count.name: count.label for count in TABLE}
"""Count → the words that follow its number."""

GUARANTEE_WORDS: Mapping[str, str] = {
    "exactly-once": "exactly once",
    "at-least-once": "at least once",
    "at-most-once": "at most once",
    "none": "no guarantee",
}


_EFFECTS = ("effect_missing", "effect_duplicated")
_ALSO_SHOWN = ("given_up", "key_reordered")
"""Counts that are shown even if the guarantee allows them."""


def number(value: int | None) -> str:
    """Returns `4,985` for `4985`, and `not judged` instead of 0 for None."""
    return "not judged" if value is None else f"{value:,}"


def base(result: Mapping[str, Any]) -> str:
    """Returns the base of a loss in words: with acks=0, no broker acknowledges a message."""
    producer = (result.get("settings") or {}).get("producer") or {}
    return (
        "messages reported as sent" if str(producer.get("acks")) == "0" else "acknowledged messages"
    )


def run_sentence(verdict: str, result: Mapping[str, Any], want: str) -> str:
    """Returns the result of one arm in one sentence."""
    counts = result.get("counts") or {}
    if verdict == "unknown":
        return f"Nothing can be concluded: {_reason(result)}"
    lost, ok = counts.get("lost_write"), counts.get("ok")
    loss = f"{number(lost)} of {number(ok)} {base(result)} {agreed(lost, 'is', 'are')} gone"
    if verdict == "broken":
        other_harms = [
            _seen(count.name, counts)
            for count in TABLE
            if count.sentence and count.name != "lost_write" and counts.get(count.name)
        ]
        return _sentence(loss, *other_harms)
    guarantee = GUARANTEE_WORDS.get(want)
    nothing = (
        f"nothing that “{guarantee}” forbids was seen"
        if guarantee
        else "nothing that breaks it was seen"
    )
    return f"{loss}, and {nothing} in this run.{_key_order_sentence(counts)}"


def _seen(name: str, counts: Mapping[str, Any]) -> str:
    return COUNTS[name].sentence_for(counts[name]).format(n=number(counts[name]))


def _key_order_sentence(counts: Mapping[str, Any]) -> str:
    """Returns a sentence on reordered keys, which no guarantee forbids; empty if there are none."""
    if not counts.get("key_reordered"):
        return ""
    late = _seen("key_reordered", counts)
    return f" {late}, which no guarantee forbids."


def substitution(spec: ExperimentSpec) -> str:
    """Returns what was run instead of the described brokers; empty if those were run."""
    if spec.instead_of is None:
        return ""
    reason = f"This scenario is not staged on Kafka {spec.instead_of}"
    if spec.controllers:
        reason = f"Kafka {spec.instead_of} has no dedicated controllers, and some were chosen"
    return (
        f"{reason}. Its brokers are {spec.kafka} in "
        "KRaft mode instead: their controllers decide what ZooKeeper does for those described, and "
        "a dead broker is fenced after broker.session.timeout.ms."
    )


def arm_sentences(arms: Iterable[tuple[str, str, Mapping[str, Any]]]) -> list[str]:
    """Returns a sentence for each arm, given as (label, verdict, result)."""
    results = []
    for label, verdict, result in arms:
        counts = result.get("counts") or {}
        if verdict == "unknown" or counts.get("lost_write") is None:
            results.append(f"{label}: nothing can be concluded.")
        else:
            lost, ok = number(counts["lost_write"]), number(counts.get("ok"))
            verb = agreed(counts["lost_write"], "is", "are")
            loss = f"{label}: {lost} of {ok} {base(result)} {verb} gone"
            results.append(_sentence(loss, *_beyond_the_log(counts)))
    return results


def _beyond_the_log(counts: Mapping[str, Any]) -> list[str]:
    """Returns the other fates of messages: in the sink, if a run has one, and in the log.

    They include all harm that breaks a guarantee, so that every broken arm has a reason.
    """
    names = [name for name in _EFFECTS if counts.get(name) is not None]
    names += [
        count.name for count in TABLE
        if (count.always or count.name in _ALSO_SHOWN) and counts.get(count.name)
        and count.name not in ("lost_write", *_EFFECTS)
    ]  # fmt: skip
    return [_seen(name, counts) for name in names]


def missing_sentence(counts: Mapping[str, Any]) -> str:
    """Returns the fates of messages that the group did not get; empty if none is missing."""
    if counts.get("late") is None or not any(counts.get(name) for name in _FATES):
        return ""
    parts = [
        inflected(text, counts[name]).format(n=number(counts[name]))
        for name, text in _FATES.items()
        if counts.get(name) or (name in _ALWAYS_SHOWN and counts.get(name) == 0)
    ]
    return f"Of the messages that were not delivered to the group, {'; '.join(parts)}."


def group_sentences(result: Mapping[str, Any]) -> list[str]:
    """Returns a sentence per group: the deliveries to each member, and the repeated ones."""
    return [_group_sentence(group) for group in result.get("groups") or ()]


def _group_sentence(group: Mapping[str, Any]) -> str:
    members = group["consumers"]
    total = number(sum(member["deliveries"] for member in members))
    by_member = (
        f"{member['consumer'] or 'a member'} {number(member['deliveries'])}" for member in members
    )
    repeats = (
        f"{number(repeat['records'])} {_times(repeat['times'])}" for repeat in group["again"]
    )
    again = ", ".join(repeats) or "none"
    deliveries = f"Deliveries to the {group['reader']}: {total} ({', '.join(by_member)})."
    return f"{deliveries} Messages delivered more than once: {again}."


def _times(times: int) -> str:
    return {2: "twice", 10: "ten times or more"}.get(times, f"{times} times")


def evidence_sentence(seen: Evidence) -> str:
    """Returns the evidence of all judged runs with the same settings, including this one."""
    runs = "1 run" if seen.runs == 1 else f"{seen.runs} runs"
    if seen.with_loss:
        return (
            "Acknowledged messages were lost, or left no effect, in "
            f"{seen.with_loss} of {runs} of this scenario with these settings."
        )
    if seen.broken:
        return (
            f"The guarantee was broken in {seen.broken} of {runs} of this scenario with these "
            "settings."
        )
    return (
        f"No loss in {runs} of this scenario with these settings. That is evidence, not proof: "
        "the advice says whether it can happen at all."
    )


def seconds(milliseconds: float | None) -> str:
    """Returns `6.3 s` for `6340`."""
    return "not judged" if milliseconds is None else f"{milliseconds / 1000:.1f} s"


def longest_pause(timeline: Mapping[str, Any]) -> str:
    """Returns the longest time between two deliveries, whether or not a message was waiting.

    Empty if nothing was delivered, or if every delivery was followed by one in the next bucket.
    """
    width = timeline.get("bucket_ms", 0)
    at = [bucket["t_ms"] for bucket in timeline.get("buckets", ()) if bucket.get("delivered")]
    longest = max((after - before for before, after in pairwise(at)), default=0) - width
    return seconds(longest) if longest > 0 else ""


def _sentence(*parts: str) -> str:
    return "; ".join(parts) + "."


def _reason(result: Mapping[str, Any]) -> str:
    reason = str(result.get("reason") or "no reason was recorded").strip()
    return reason if reason.endswith((".", "!", "?")) else f"{reason}."
