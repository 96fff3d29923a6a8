"""Results in words: counts first, no adjectives, and never more than the run showed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from advisor.reasoning.plural import agreed
from labs.engine.plan.spec import ExperimentSpec
from labs.pages.selectors import Evidence
from spark_jobs.count_table import COUNTS, TABLE, inflected

_THREE_WAYS = ("lost_write", "skipped", "late")
_WENT: Mapping[str, str] = {
    "lost_write": "{n} [is|are] gone from the log",
    "skipped": "{n} [is|are] in the log but [was|were] skipped",
    "late": "{n} [was|were] late (in the log, and read after the group had stopped)",
    "expired": "{n} [was|were] deleted by retention",
    "compacted": "{n} [was|were] replaced by compaction",
    "unseen": "{n} [is|are] in the log and [was|were] never delivered",
}
"""Where missing messages may have gone; of the three ways 0 is said too."""

COUNT_WORDS: Mapping[str, str] = {count.name: count.label for count in TABLE}
"""What each count is called, after its number."""

GUARANTEE_WORDS: Mapping[str, str] = {
    "exactly-once": "exactly once",
    "at-least-once": "at least once",
    "at-most-once": "at most once",
    "none": "no guarantee",
}


_EFFECTS = ("effect_missing", "effect_duplicated")
_ALSO_SHOWN = ("given_up", "key_reordered")
"""Shown although a guarantee may allow it."""


def number(value: int | None) -> str:
    """`4985` → `4,985`; what was not judged is said so, not shown as 0."""
    return "not judged" if value is None else f"{value:,}"


def base(result: Mapping[str, Any]) -> str:
    """The messages that a loss is a part of: with acks=0 no broker acknowledges any."""
    producer = (result.get("settings") or {}).get("producer") or {}
    return (
        "messages reported as sent" if str(producer.get("acks")) == "0" else "acknowledged messages"
    )


def run_sentence(verdict: str, result: Mapping[str, Any], want: str) -> str:
    """One arm in one sentence."""
    counts = result.get("counts") or {}
    if verdict == "unknown":
        return f"Nothing can be concluded: {_reason(result)}"
    lost, ok = counts.get("lost_write"), counts.get("ok")
    gone = f"{number(lost)} of {number(ok)} {base(result)} {agreed(lost, 'is', 'are')} gone"
    if verdict == "broken":
        others = [
            _seen(count.name, counts)
            for count in TABLE
            if count.sentence and count.name != "lost_write" and counts.get(count.name)
        ]
        return _sentence(gone, *others)
    wanted = GUARANTEE_WORDS.get(want)
    kept = (
        f"nothing that “{wanted}” forbids was seen" if wanted else "nothing that breaks it was seen"
    )
    return f"{gone}, and {kept} in this run.{_of_keys(counts)}"


def _seen(name: str, counts: Mapping[str, Any]) -> str:
    return COUNTS[name].sentence_for(counts[name]).format(n=number(counts[name]))


def _of_keys(counts: Mapping[str, Any]) -> str:
    """What was seen of an order that no guarantee asks for; empty if nothing was."""
    if not counts.get("key_reordered"):
        return ""
    late = _seen("key_reordered", counts)
    return f" {late}, which no guarantee forbids."


def substitution(spec: ExperimentSpec) -> str:
    """What was run in place of the brokers described; empty where they were run."""
    if spec.instead_of is None:
        return ""
    why = f"This scenario is not staged on Kafka {spec.instead_of}"
    if spec.controllers:
        why = f"Kafka {spec.instead_of} has no dedicated controllers, and some were chosen"
    return (
        f"{why}. Its brokers are {spec.kafka} in "
        "KRaft mode instead: their controllers decide what ZooKeeper does for those described, and "
        "a dead broker is fenced after broker.session.timeout.ms."
    )


def arm_sentences(arms: Iterable[tuple[str, str, Mapping[str, Any]]]) -> list[str]:
    """A sentence for each arm: (label, verdict, result)."""
    results = []
    for label, verdict, result in arms:
        counts = result.get("counts") or {}
        if verdict == "unknown" or counts.get("lost_write") is None:
            results.append(f"{label}: nothing can be concluded.")
        else:
            lost, ok = number(counts["lost_write"]), number(counts.get("ok"))
            verb = agreed(counts["lost_write"], "is", "are")
            gone = f"{label}: {lost} of {ok} {base(result)} {verb} gone"
            results.append(_sentence(gone, *_beyond_the_log(counts)))
    return results


def _beyond_the_log(counts: Mapping[str, Any]) -> list[str]:
    """What else became of messages: in the sink, where a run has one, and in the log.

    Harm that breaks a guarantee is among them, so that no arm is broken without a word why.
    """
    names = [name for name in _EFFECTS if counts.get(name) is not None]
    names += [
        count.name for count in TABLE
        if (count.always or count.name in _ALSO_SHOWN) and counts.get(count.name)
        and count.name not in ("lost_write", *_EFFECTS)
    ]  # fmt: skip
    return [_seen(name, counts) for name in names]


def missing_sentence(counts: Mapping[str, Any]) -> str:
    """Where the messages went that the group was not handed; empty if none is missing."""
    if counts.get("late") is None or not any(counts.get(name) for name in _WENT):
        return ""
    parts = [
        inflected(text, counts[name]).format(n=number(counts[name]))
        for name, text in _WENT.items()
        if counts.get(name) or (name in _THREE_WAYS and counts.get(name) == 0)
    ]
    return f"Of the messages that were not delivered to the group, {'; '.join(parts)}."


def group_sentences(result: Mapping[str, Any]) -> list[str]:
    """For each group: how much each member was handed, and how often again."""
    return [_of_group(group) for group in result.get("groups") or ()]


def _of_group(group: Mapping[str, Any]) -> str:
    members = group["consumers"]
    total = number(sum(member["deliveries"] for member in members))
    named = (
        f"{member['consumer'] or 'a member'} {number(member['deliveries'])}" for member in members
    )
    often = (f"{number(repeat['records'])} {_times(repeat['times'])}" for repeat in group["again"])
    again = ", ".join(often) or "none"
    deliveries = f"Deliveries to the {group['reader']}: {total} ({', '.join(named)})."
    return f"{deliveries} Messages delivered more than once: {again}."


def _times(times: int) -> str:
    return {2: "twice", 10: "ten times or more"}.get(times, f"{times} times")


def evidence_sentence(seen: Evidence) -> str:
    """What all judged runs with the same settings say, this one among them."""
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
    """`6340` → `6.3 s`."""
    return "not judged" if milliseconds is None else f"{milliseconds / 1000:.1f} s"


def longest_pause(timeline: Mapping[str, Any]) -> str:
    """`5.0 s`: the longest time between two deliveries, whether or not a message waited then.

    Empty where nothing was delivered, or never later than in the next bucket.
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
