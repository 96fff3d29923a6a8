"""The history of one message, from the ledger of its run.

A log end offset says how far a log reaches, not what it contains. A story says that a replica has a
message only if the replica's log reaches beyond the message's offset in the leader epoch in which
the message was acknowledged.
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

_CUT_OFF = "The run ended before the client had an answer. The client did not give up."
_MAX_DELIVERIES = 20
_ENDED: Mapping[str, str] = {
    "committed": "was committed",
    "aborted": "was aborted: consumers that read committed messages skip it",
    "unknown": "ended, but its producer does not know how",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One event in the history; `at_s` is None for what was found at the end.

    `kind` is the source: `client`, `sample` (of the brokers), `fault`, `found` (in the log at the
    end) or `gone`. `proof` is the evidence of a fault, as recorded in the ledger.
    """

    at_s: float | None
    kind: str
    text: str
    proof: str = ""


@dataclass(frozen=True, slots=True)
class Story:
    """The lines in order, and where and when the message was acknowledged, to mark it in a replay.

    `track` shows the message in the brokers' logs; None without an offset or without samples.
    """

    value: int
    lines: tuple[Line, ...]
    partition: int | None = None
    offset: int | None = None
    acked_s: float | None = None
    track: Track | None = None


def message_story(ledger: Path, began_ns: int, value: int) -> Story | None:
    """The story of a value, or None if the ledger does not contain it."""
    has_value = ds.field("value") == value
    sends = sorted(replay.rows(ledger, "sends", has_value), key=_first_ns)
    copies = replay.rows(ledger, "log", has_value)
    deliveries = sorted(
        replay.rows(ledger, "deliveries", has_value), key=lambda row: row["time_ns"]
    )
    if not (sends or copies or deliveries):
        return None
    acked = next((row for row in sends if row["outcome"] == "ok"), None)
    partition = acked["partition"] if acked else copies[0]["partition"] if copies else None
    history = None if partition is None else replay.read(ledger, began_ns, partition)
    ends = _transactions(ledger, sends)
    lines = [*_send_lines(sends, began_ns), *_delivery_lines(deliveries, began_ns)]
    lines += [*_transaction_lines(ends, began_ns), *_effect_lines(ledger, has_value, began_ns)]
    offset, acked_s, shown_track = None, None, None
    if acked is not None and acked["offset"] is not None:
        offset, acked_s = acked["offset"], (acked["completed_ns"] - began_ns) / 1e9
        if history is not None:
            lines += _broker_lines(history, offset, acked_s)
            sent_s = (_first_ns(acked) - began_ns) / 1e9
            delivered_s = [
                (row["time_ns"] - began_ns) / 1e9 for row in deliveries[:_MAX_DELIVERIES]
            ]
            shown_track = track(
                history, offset, sent_s, acked_s, delivered_s, _leader_epoch(copies, offset)
            )
    lines.sort(key=lambda line: inf if line.at_s is None else line.at_s)
    lines += _final_lines(ledger, copies, deliveries, partition, offset)
    must_arrive = acked is not None and "aborted" not in (end["outcome"] for end in ends)
    if must_arrive:
        lines += _skip_lines(ledger, copies, {row["group"] for row in deliveries})
    if must_arrive and _has_no_effect(ledger, has_value):
        lines.append(Line(None, "gone", "It had no effect."))
    return Story(value, tuple(lines), partition, offset, acked_s, shown_track)


def _leader_epoch(copies: Sequence[Mapping[str, Any]], offset: int) -> int | None:
    """The leader epoch of the copy at an offset."""
    return next((row.get("leader_epoch") for row in copies if row["offset"] == offset), None)


def _send_lines(sends: Sequence[Mapping[str, Any]], began_ns: int) -> Iterator[Line]:
    for number, row in enumerate(sends, 1):
        attempt = f", attempt {number}" if len(sends) > 1 else ""
        accepted = row["invoked_ns"] is not None
        text = f"Sent by {row['producer']}" if accepted else f"Not accepted by {row['producer']}"
        yield _line(_first_ns(row), began_ns, "client", f"{text}{attempt}.")
        if row["completed_ns"] is not None:
            yield _line(row["completed_ns"], began_ns, "client", _outcome(row))
        elif row.get("cut_off"):
            yield Line(None, "client", _CUT_OFF)
        else:
            yield Line(None, "client", "The client never received an answer.")


def _first_ns(row: Mapping[str, Any]) -> int:
    """When the client accepted a record, or else when it refused it (docs/ledger.md)."""
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


def _delivery_lines(deliveries: Sequence[Mapping[str, Any]], began_ns: int) -> Iterator[Line]:
    for row in deliveries[:_MAX_DELIVERIES]:
        reader = "the final reader" if row["group"] == "final" else f"group {row['group']}"
        text = f"Delivered to {reader} ({row['consumer']}) from offset {row['offset']:,}."
        yield _line(row["time_ns"], began_ns, "client", text)


def _transactions(ledger: Path, sends: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The recorded ends of the transactions in which a value was sent."""
    names = {row["transaction"] for row in sends} - {None}
    if not names:
        return []
    return replay.rows(ledger, "transactions", ds.field("transaction").isin(list(names)))


def _transaction_lines(ends: Sequence[Mapping[str, Any]], began_ns: int) -> Iterator[Line]:
    for row in ends:
        text = f"Its transaction {row['transaction']} {_ENDED[row['outcome']]}."
        yield _line(row.get("ended_ns"), began_ns, "client", text)


def _effect_lines(ledger: Path, has_value: ds.Expression, began_ns: int) -> Iterator[Line]:
    for row in replay.rows(ledger, "effects", has_value):
        times = "" if row["applied"] == 1 else f", {row['applied']} times by the end"
        text = f"It took effect in {row['sink']}{times}."
        yield _line(row["time_ns"], began_ns, "client", text)


def _has_no_effect(ledger: Path, has_value: ds.Expression) -> bool:
    recorded = (ledger / "effects.parquet").exists()
    return recorded and not replay.rows(ledger, "effects", has_value)


def _broker_lines(history: Replay, offset: int, acked_s: float) -> Iterator[Line]:
    """The leader at the acknowledgement, the replicas reached, the faults and the next leader."""
    at = history.before(acked_s)
    if at is None:
        return
    yield Line(at.at_s, "sample", _leader_text(at))
    same_epoch = [
        m for m in history.moments if m.epoch == at.epoch and m.at_s > acked_s and m.live_leader
    ]
    moments = [m for m in same_epoch if m.high_watermark is not None]
    readable = next((m for m in moments if (m.high_watermark or 0) > offset), None)
    shown = {m.at_s: m for m in (*same_epoch[:1], *([readable] if readable else moments[-1:]))}
    before = ""
    for moment in shown.values():
        text = f"{_reach_text(moment, offset)} {_readable_text(moment, offset)}".strip()
        unchanged = "No change in the last sample under this leader."
        yield Line(moment.at_s, "sample", unchanged if text == before else text)
        before = text
    for event in history.faults:
        if event.at_s > acked_s:
            words = fault_words.sentence(event.fault, event.target)
            yield Line(event.at_s, "fault", f"{words}.", event.evidence)
    yield from _next_leader_lines(history, at, offset)


def _next_leader_lines(history: Replay, at: Moment, offset: int) -> Iterator[Line]:
    later = (m for m in history.moments if m.live_leader and (m.epoch or 0) > (at.epoch or 0))
    first = next(later, None)
    if first is None:
        return
    end = first.ends.get(first.leader or 0)
    if end is None or end > offset:
        yield Line(first.at_s, "sample", _leader_text(first))
    else:
        text = f"{_leader_text(first)} Its log ends at {end:,}: offset {offset:,} is not in it."
        yield Line(first.at_s, "gone", text)


def _leader_text(moment: Moment) -> str:
    if moment.leader is None:
        return "No leader."
    mark = "" if moment.high_watermark is None else f" High watermark {moment.high_watermark:,}."
    in_sync = ", ".join(map(str, moment.isr))
    return f"Broker {moment.leader} leads (epoch {moment.epoch}), in sync: {in_sync}.{mark}"


def _reach_text(moment: Moment, offset: int) -> str:
    """The logs that reach beyond the offset; one out of sync may do so with other messages."""
    beyond = {id_ for id_, end in moment.ends.items() if (end or 0) > offset}
    short = sorted(set(moment.ends) - beyond)
    certain = sorted(beyond & {*moment.isr, moment.leader})
    clauses = [f"{_logs_text(certain, 'goes', 'go')} beyond this offset"] if certain else []
    clauses += [f"{_logs_text(short, 'ends', 'end')} at it or before"] if short else []
    text = "; ".join(clauses)
    return f"{text[:1].upper()}{text[1:]}."


def _readable_text(moment: Moment, offset: int) -> str:
    mark = moment.high_watermark
    if mark is None:
        return ""
    if mark > offset and moment.last_stable is not None and moment.last_stable <= offset:
        stable = f"High watermark {mark:,}, last stable offset {moment.last_stable:,}"
        return f"{stable}: only consumers that read uncommitted messages can read it yet."
    if mark > offset:
        return f"High watermark {mark:,}: consumers can read it."
    return f"High watermark {mark:,}: no consumer can read it yet."


def _logs_text(ids: Sequence[int], singular: str, plural: str) -> str:
    if len(ids) == 1:
        return f"the log of broker {ids[0]} {singular}"
    *rest, last = map(str, ids)
    return f"the logs of brokers {', '.join(rest)} and {last} {plural}"


def _final_lines(
    ledger: Path, copies: Sequence[Mapping[str, Any]], deliveries: Sequence[Mapping[str, Any]],
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
        yield from _replacement_lines(ledger, partition, offset)
    if not deliveries:
        yield Line(None, "gone", "Never delivered, not even to the final reader.")


def _skip_lines(
    ledger: Path, copies: Sequence[Mapping[str, Any]], receivers: Set[str]
) -> Iterator[Line]:
    """The groups that never received the message and committed beyond every offset of it."""
    last: dict[tuple[str, int], int] = {}
    for row in replay.rows(ledger, "commits", ds.field("outcome") == "ok"):
        at = (row["group"], row["partition"])
        last[at] = max(row["offset"], last.get(at, 0))
    for group in sorted({name for name, _ in last if name} - receivers):
        beyond = [last.get((group, copy["partition"]), 0) > copy["offset"] for copy in copies]
        if beyond and all(beyond):
            text = f"Group {group} skipped it: it committed a later offset and never received it."
            yield Line(None, "gone", text)


def _replacement_lines(ledger: Path, partition: int | None, offset: int | None) -> Iterator[Line]:
    """The message that the log has at this offset, and why the original may be absent."""
    if offset is None:
        return
    for row in replay.rows(ledger, "partitions", ds.field("partition") == partition):
        begins, policy = row["log_start_offset"], row["cleanup_policy"] or ""
        if begins is not None and begins > offset:
            text = f"By then the log begins at offset {begins:,}: everything before was deleted."
            yield Line(None, "gone", text)
        elif "compact" in policy:
            yield Line(
                None, "gone", "Its topic is compacted: only the last message of a key stays."
            )
    same_offset = (ds.field("offset") == offset) & (ds.field("partition") == partition)
    for row in replay.rows(ledger, "log", same_offset)[:1]:
        now = f"the log holds message {row['value']:,}."
        yield Line(None, "gone", f"At the offset of its acknowledgement, {offset:,}, {now}")


def _line(time_ns: int | None, began_ns: int, kind: str, text: str) -> Line:
    return Line(None if time_ns is None else (time_ns - began_ns) / 1e9, kind, text)
