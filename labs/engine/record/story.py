"""The history of one message, from the ledger of its run.

A log end says how far a log goes, not what it holds: that a replica has a message is said only
where its log, in the term in which the message was acknowledged, reaches beyond its offset.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds

from labs.engine.record import fault_words, replay
from labs.engine.record.replay import Moment, Replay
from labs.engine.record.track import Track, track

_CUT_OFF = "The run ended before the client had an answer. It was not given up."
_MOST_DELIVERIES = 20
_ENDED: Mapping[str, str] = {
    "committed": "was committed",
    "aborted": "was aborted: who reads committed messages passes over it",
    "unknown": "has an end that its producer does not know",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that happened; `at_s` is None for what was found at the end.

    `kind` is whose word it is: `client`, `sample` (of the brokers), `fault`, `found` (in the log,
    at the end) or `gone`. `proof` is the evidence of a fault, as the ledger has it.
    """

    at_s: float | None
    kind: str
    text: str
    proof: str = ""


@dataclass(frozen=True, slots=True)
class Story:
    """The lines in order; where it was acknowledged, for a mark in the replay.

    `track` is its way through the brokers' logs, None where no offset or no samples tell it.
    """

    value: int
    lines: tuple[Line, ...]
    partition: int | None = None
    offset: int | None = None
    acked_s: float | None = None
    track: Track | None = None


def message_story(ledger: Path, began_ns: int, value: int) -> Story | None:
    """The story of a value; None if the ledger does not contain it."""
    is_it = ds.field("value") == value
    sends = sorted(replay.rows(ledger, "sends", is_it), key=_first_ns)
    copies = replay.rows(ledger, "log", is_it)
    handed = sorted(replay.rows(ledger, "deliveries", is_it), key=lambda row: row["time_ns"])
    if not (sends or copies or handed):
        return None
    acked = next((row for row in sends if row["outcome"] == "ok"), None)
    partition = acked["partition"] if acked else copies[0]["partition"] if copies else None
    seen = None if partition is None else replay.read(ledger, began_ns, partition)
    ends = _ends(ledger, sends)
    lines = [*_sent(sends, began_ns), *_delivered(handed, began_ns)]
    lines += [*_transactions(ends, began_ns), *_effects(ledger, is_it, began_ns)]
    offset, acked_s, way = None, None, None
    if acked is not None and acked["offset"] is not None:
        offset, acked_s = acked["offset"], (acked["completed_ns"] - began_ns) / 1e9
        if seen is not None:
            lines += _on_the_brokers(seen, offset, acked_s)
            sent_s = (_first_ns(acked) - began_ns) / 1e9
            delivered_s = [(row["time_ns"] - began_ns) / 1e9 for row in handed[:_MOST_DELIVERIES]]
            way = track(seen, offset, sent_s, acked_s, delivered_s, _term(copies, offset))
    lines.sort(key=lambda line: inf if line.at_s is None else line.at_s)
    lines += _at_the_end(ledger, copies, handed, partition, offset)
    obliged = acked is not None and "aborted" not in (end["outcome"] for end in ends)
    if obliged:
        lines += _passed_over(ledger, copies, {row["group"] for row in handed})
    if obliged and _without_effect(ledger, is_it):
        lines.append(Line(None, "gone", "It left no effect."))
    return Story(value, tuple(lines), partition, offset, acked_s, way)


def _term(copies: Sequence[Mapping[str, Any]], offset: int) -> int | None:
    """The leader epoch of the copy that stands at its offset."""
    return next((row.get("leader_epoch") for row in copies if row["offset"] == offset), None)


def _sent(sends: Sequence[Mapping[str, Any]], began_ns: int) -> Iterator[Line]:
    for number, row in enumerate(sends, 1):
        attempt = f", attempt {number}" if len(sends) > 1 else ""
        taken = row["invoked_ns"] is not None
        text = f"Sent by {row['producer']}" if taken else f"Not taken by {row['producer']}"
        yield _line(_first_ns(row), began_ns, "client", f"{text}{attempt}.")
        if row["completed_ns"] is not None:
            yield _line(row["completed_ns"], began_ns, "client", _outcome(row))
        elif row.get("cut_off"):
            yield Line(None, "client", _CUT_OFF)
        else:
            yield Line(None, "client", "The client never learned what became of it.")


def _first_ns(row: Mapping[str, Any]) -> int:
    """When the client took a record, or, where it never did, when it said so (docs/ledger.md)."""
    first: int = row["completed_ns"] if row["invoked_ns"] is None else row["invoked_ns"]
    return first


def _outcome(row: Mapping[str, Any]) -> str:
    if row["outcome"] == "ok":
        place = "" if row["offset"] is None else (
            f" for partition {row['partition']}, offset {row['offset']:,}"
        )  # fmt: skip
        return f"Acknowledged{place}."
    if row["outcome"] == "fail":
        return f"Refused, and certainly not written: {row['error']}."
    if row.get("cut_off"):
        return _CUT_OFF
    return f"The client does not know whether it was written: {row['error']}."


def _delivered(handed: Sequence[Mapping[str, Any]], began_ns: int) -> Iterator[Line]:
    for row in handed[:_MOST_DELIVERIES]:
        whom = "the final reader" if row["group"] == "final" else f"group {row['group']}"
        text = f"Handed to {whom} ({row['consumer']}) from offset {row['offset']:,}."
        yield _line(row["time_ns"], began_ns, "client", text)


def _ends(ledger: Path, sends: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """How the transactions ended in which a value was sent; none of one whose end is not known."""
    names = {row["transaction"] for row in sends} - {None}
    if not names:
        return []
    return replay.rows(ledger, "transactions", ds.field("transaction").isin(list(names)))


def _transactions(ends: Sequence[Mapping[str, Any]], began_ns: int) -> Iterator[Line]:
    for row in ends:
        text = f"Its transaction {row['transaction']} {_ENDED[row['outcome']]}."
        yield _line(row.get("ended_ns"), began_ns, "client", text)


def _effects(ledger: Path, is_it: ds.Expression, began_ns: int) -> Iterator[Line]:
    for row in replay.rows(ledger, "effects", is_it):
        times = "" if row["applied"] == 1 else f", {row['applied']} times by the end"
        text = f"It left its effect in {row['sink']}{times}."
        yield _line(row["time_ns"], began_ns, "client", text)


def _without_effect(ledger: Path, is_it: ds.Expression) -> bool:
    recorded = (ledger / "effects.parquet").exists()
    return recorded and not replay.rows(ledger, "effects", is_it)


def _on_the_brokers(seen: Replay, offset: int, acked_s: float) -> Iterator[Line]:
    """The leader at the acknowledgement, the replicas reached, the faults, and the next leader."""
    at = seen.before(acked_s)
    if at is None:
        return
    yield Line(at.at_s, "sample", _led(at))
    term = [m for m in seen.moments if m.epoch == at.epoch and m.at_s > acked_s and m.live_leader]
    moments = [m for m in term if m.high_watermark is not None]
    readable = next((m for m in moments if (m.high_watermark or 0) > offset), None)
    term_moments = {m.at_s: m for m in (*term[:1], *([readable] if readable else moments[-1:]))}
    before = ""
    for moment in term_moments.values():
        text = f"{_reach(moment, offset)} {_readable(moment, offset)}".strip()
        still = "No change in the last sample under this leader."
        yield Line(moment.at_s, "sample", still if text == before else text)
        before = text
    for done in seen.faults:
        if done.at_s > acked_s:
            words = fault_words.sentence(done.fault, done.target)
            yield Line(done.at_s, "fault", f"{words}.", done.evidence)
    yield from _next_leader(seen, at, offset)


def _next_leader(seen: Replay, at: Moment, offset: int) -> Iterator[Line]:
    later = (m for m in seen.moments if m.live_leader and (m.epoch or 0) > (at.epoch or 0))
    first = next(later, None)
    if first is None:
        return
    end = first.ends.get(first.leader or 0)
    if end is None or end > offset:
        yield Line(first.at_s, "sample", _led(first))
    else:
        text = f"{_led(first)} Its log ends at {end:,}: offset {offset:,} is not in it."
        yield Line(first.at_s, "gone", text)


def _led(moment: Moment) -> str:
    if moment.leader is None:
        return "No leader."
    mark = "" if moment.high_watermark is None else f" High watermark {moment.high_watermark:,}."
    in_sync = ", ".join(map(str, moment.isr))
    return f"Broker {moment.leader} leads (epoch {moment.epoch}), in sync: {in_sync}.{mark}"


def _reach(moment: Moment, offset: int) -> str:
    """Which logs go beyond the offset; one out of sync may do so with other messages."""
    beyond = {id_ for id_, end in moment.ends.items() if (end or 0) > offset}
    short = sorted(set(moment.ends) - beyond)
    sure = sorted(beyond & {*moment.isr, moment.leader})
    lines = [f"{_logs(sure, 'goes', 'go')} beyond this offset"] if sure else []
    lines += [f"{_logs(short, 'ends', 'end')} at it or before"] if short else []
    text = "; ".join(lines)
    return f"{text[:1].upper()}{text[1:]}."


def _readable(moment: Moment, offset: int) -> str:
    mark = moment.high_watermark
    if mark is None:
        return ""
    if mark > offset and moment.last_stable is not None and moment.last_stable <= offset:
        stable = f"High watermark {mark:,}, last stable offset {moment.last_stable:,}"
        return f"{stable}: only consumers that read uncommitted messages can read it yet."
    if mark > offset:
        return f"High watermark {mark:,}: consumers can read it."
    return f"High watermark {mark:,}: no consumer can read it yet."


def _logs(ids: Sequence[int], one: str, several: str) -> str:
    if len(ids) == 1:
        return f"the log of broker {ids[0]} {one}"
    *rest, last = map(str, ids)
    return f"the logs of brokers {', '.join(rest)} and {last} {several}"


def _at_the_end(
    ledger: Path, copies: Sequence[Mapping[str, Any]], handed: Sequence[Mapping[str, Any]],
    partition: int | None, offset: int | None,
) -> Iterator[Line]:  # fmt: skip
    readable = [row for row in copies if row.get("replica") is None] or copies
    places = sorted({(row["partition"], row["offset"]) for row in readable})
    if places:
        text = "; ".join(f"partition {where}, offset {at:,}" for where, at in places)
        times = "" if len(places) == 1 else f" {len(places)} times"
        yield Line(None, "found", f"In the log at the end{times}: {text}.")
    else:
        yield Line(None, "gone", "Not in the log at the end.")
        yield from _instead(ledger, partition, offset)
    if not handed:
        yield Line(None, "gone", "Never delivered, not even to the final reader.")


def _passed_over(
    ledger: Path, copies: Sequence[Mapping[str, Any]], got: Set[str]
) -> Iterator[Line]:
    """The groups that never received it and committed beyond every offset that it has."""
    last: dict[tuple[str, int], int] = {}
    for row in replay.rows(ledger, "commits", ds.field("outcome") == "ok"):
        at = (row["group"], row["partition"])
        last[at] = max(row["offset"], last.get(at, 0))
    for group in sorted({name for name, _ in last if name} - got):
        beyond = [last.get((group, copy["partition"]), 0) > copy["offset"] for copy in copies]
        if beyond and all(beyond):
            text = f"Group {group} passed it over: it committed beyond it and never got it."
            yield Line(None, "gone", text)


def _instead(ledger: Path, partition: int | None, offset: int | None) -> Iterator[Line]:
    """What the log has at the message's offset, and why the message may be absent."""
    if offset is None:
        return
    for row in replay.rows(ledger, "partitions", ds.field("partition") == partition):
        begins, policy = row["log_start_offset"], row["cleanup_policy"] or ""
        if begins is not None and begins > offset:
            text = f"The log begins at offset {begins:,} by then: what lay before was deleted."
            yield Line(None, "gone", text)
        elif "compact" in policy:
            yield Line(None, "gone", "Its topic is compacted: of each key the last message stays.")
    place = (ds.field("offset") == offset) & (ds.field("partition") == partition)
    for row in replay.rows(ledger, "log", place)[:1]:
        now = f"the log holds message {row['value']:,}."
        yield Line(None, "gone", f"At the offset of its acknowledgement, {offset:,}, {now}")


def _line(time_ns: int | None, began_ns: int, kind: str, text: str) -> Line:
    return Line(None if time_ns is None else (time_ns - began_ns) / 1e9, kind, text)
