"""A picture of an arm while it runs: the producer, each broker's log, the readers, the faults.

It uses only the runner's newest sample and the faults that it recorded. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labs.engine.cluster.zookeeper import NAME as ZOOKEEPER
from labs.engine.record.fault_words import HEALS, WORDS, FaultEvent
from labs.pages.plots import round_up

_PRODUCER, _READER, _TOPIC = "producer", "reader", "topic"
_SENDING_S = 8
"""The approximate sending time of a run, so that the scale of the logs rarely changes."""

_READERS = {"produce-consume": "Consumer", "spark-query": "Spark query", "streams": "Streams"}
_CALM: Mapping[str, str] = {
    "": "Waiting for its turn",
    "waiting": "Waiting for a place on this machine",
    "booting": "The brokers are starting",
    "ready": "The brokers are ready",
    "producing": "Messages flow. Nothing has failed yet",
    "faulting": "The failure is next",
}
"""The news by phase, as long as there was no fault."""

_LATER: Mapping[str, str] = {
    "reading": "New clients read the whole log from its beginning",
    "judging": "Spark counts what became of every message",
}
"""The news by phase, regardless of earlier faults."""


@dataclass(frozen=True, slots=True)
class Sign:
    """The last fault at a place; `kind` is its symbol and colour."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Lane:
    """A broker and its log of partition 0; the shares are percent of the scale.

    `end` is None if the broker has no copy, or if no sample has it yet. `held` is the part that
    consumers may read, `beyond` the rest; `mark` is the high watermark. It is None while no leader
    reports it, and then all of the log is `held`.
    """

    number: str
    state: str
    leader: bool
    in_sync: bool | None
    end: int | None
    held: float
    beyond: float
    mark: float | None
    committed: float | None
    behind: int
    sign: Sign | None

    @property
    def full(self) -> float:
        return self.held + self.beyond


@dataclass(frozen=True, slots=True)
class Picture:
    """The picture of an arm. `news` is the newest event, `at_s` its second (None for a phase).

    `sending` and `reading` tell whether messages were acknowledged or delivered in the last second,
    so that the picture moves only if the run does.
    """

    news: str
    at_s: float | None
    harm: bool
    lanes: tuple[Lane, ...]
    reader: str
    producer_sign: Sign | None
    reader_sign: Sign | None
    topic_sign: Sign | None
    sending: bool
    reading: bool
    acknowledged: int
    acknowledged_per_s: int
    delivered: int
    committed: int | None


def scale(ends: Iterable[int | None], rate_per_s: float) -> int:
    """Returns the offset at which lanes are full: the usual size of a log, or the longest log."""
    longest = max((end for end in ends if end is not None), default=0)
    usual = rate_per_s * _SENDING_S
    return int(round_up(max(usual, longest, 1.0)))


def ends(live: Mapping[str, Any]) -> list[int | None]:
    """Returns the ends of the logs in a sample."""
    return list((live.get("ends") or {}).values())


def picture(
    phase: str, live: Mapping[str, Any], faults: Sequence[Mapping[str, Any]],
    events: Sequence[FaultEvent], workload: str, full: int,
) -> Picture:  # fmt: skip
    """Returns the picture of an arm. `live` is its newest sample, `events` its faults in words, and
    `full` the offset at which a lane is full."""
    signs = _signs(faults)
    news, at_s, harm = _news(phase, faults, events)
    return Picture(
        news, at_s, harm, tuple(_lanes(live, signs, full)),
        _READERS.get(workload, "Application"),
        signs.get(_PRODUCER), signs.get(_READER), signs.get(_TOPIC),
        sending=bool(live.get("acknowledged_per_s")),
        reading=bool(live.get("delivered_per_s")),
        acknowledged=live.get("acknowledged") or 0,
        acknowledged_per_s=live.get("acknowledged_per_s") or 0,
        delivered=live.get("delivered") or 0,
        committed=live.get("committed"),
    )  # fmt: skip


def _news(
    phase: str, faults: Sequence[Mapping[str, Any]], events: Sequence[FaultEvent]
) -> tuple[str, float | None, bool]:
    if phase in _LATER or not events:
        return _LATER.get(phase) or _CALM.get(phase, ""), None, False
    newest = events[-1]
    healed = bool(faults) and faults[-1].get("fault") in HEALS
    return newest.text, newest.at_s, newest.state == "done" and not healed


def _signs(faults: Iterable[Mapping[str, Any]]) -> dict[str, Sign]:
    """Returns the last fault at each place; faults without evidence are not drawn."""
    results: dict[str, Sign] = {}
    for row in faults:
        fault = str(row.get("fault"))
        if row.get("phase") != "complete" or fault not in WORDS:
            continue
        kind = "holds" if fault in HEALS else "late" if fault == "pause" else "lost"
        results[_place(str(row.get("target")))] = Sign(WORDS[fault].mark, kind)
    return results


def _place(target: str) -> str:
    """Returns where a fault is drawn: `follower: broker 2` at broker 2, `consumer-1` at the reader.

    ZooKeeper and dedicated controllers are not in the picture.
    """
    name = target.rpartition(": ")[2]
    kind, _, number = name.rpartition(" ")
    if kind in ("broker", "node"):  # a dedicated controller has no lane
        return number
    if name == ZOOKEEPER:
        return name
    if target.startswith(_TOPIC):
        return _TOPIC
    return _PRODUCER if name.startswith(_PRODUCER) else _READER


def _lanes(live: Mapping[str, Any], signs: Mapping[str, Sign], full: int) -> Iterable[Lane]:
    isr, ends_ = live.get("isr"), live.get("ends") or {}
    high, committed = live.get("high_watermark"), live.get("committed")
    longest = max((end for end in ends_.values() if end is not None), default=0)
    for number, state in sorted((live.get("brokers") or {}).items()):
        end, running = ends_.get(number), state == "running"
        leads = running and str(live.get("leader")) == number
        held = min(end or 0, end or 0 if high is None else high)
        yield Lane(
            number, str(state), leads,
            in_sync=_in_sync(number, isr, end),
            end=end,
            held=_share(held, full),
            beyond=_share((end or 0) - held, full),
            mark=None if high is None or end is None else _share(high, full),
            committed=None if committed is None or not leads else _share(committed, full),
            behind=0 if end is None else longest - end,
            sign=signs.get(number),
        )  # fmt: skip


def _in_sync(number: str, isr: Sequence[int] | None, end: int | None) -> bool | None:
    """Whether a broker is in sync; None if that is unknown, or if it has no copy."""
    if not isr or (int(number) not in isr and end is None):
        return None
    return int(number) in isr


def _share(offset: int, full: int) -> float:
    return round(min(100.0, 100 * offset / full), 2)
