"""The track of one message: when each broker's log had it, according to the samples.

As in a story, that a replica has the message is said only where it is sure: while its log reaches
beyond the offset and it is in sync, or leads, in the term in which the message was acknowledged or
under a later leader that has it. A log that follows a leader which lacks the message may be cut and
grow again between two samples: nothing is said of it unless it was seen to end before the offset.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from labs.engine.record.replay import Moment, ProvenFault, Replay

Kind = Literal["held", "on-disk"]
_AROUND_S = 0.5
"""Seconds that are shown before the send and after the last change."""


@dataclass(frozen=True, slots=True)
class Span:
    """A time in which a broker had the message; `on-disk` while its process did not run."""

    kind: Kind
    begin_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Lane:
    """A broker: when it had the message, and when its log was seen cut before it (or never)."""

    broker: int
    spans: tuple[Span, ...]
    cut_s: float | None

    @property
    def first_s(self) -> float | None:
        """The first sample that shows the message here."""
        return self.spans[0].begin_s if self.spans else None


@dataclass(frozen=True, slots=True)
class Track:
    """All times are seconds since the first send; the drawing goes from `begin_s` to `end_s`."""

    begin_s: float
    end_s: float
    sent_s: float
    acked_s: float
    lanes: tuple[Lane, ...]
    delivered_s: tuple[float, ...]
    faults: tuple[ProvenFault, ...]


def track(
    seen: Replay, offset: int, sent_s: float, acked_s: float, delivered_s: Sequence[float],
    term: int | None = None,
) -> Track | None:  # fmt: skip
    """The track of a message that was acknowledged at an offset of the replay's partition.

    `term` is the leader epoch that the log has it from. Without it, it is that of the samples
    around the acknowledgement; None where these have different ones.
    """
    if term is None:
        before, after = seen.before(acked_s), seen.after(acked_s)
        if before is None or after is None or before.epoch != after.epoch:
            return None
        term = before.epoch
    states = _states(seen.moments, offset, acked_s, term)
    lanes = tuple(_lane(seen.moments, states, offset, broker) for broker in seen.brokers)
    ends = [span.end_s for lane in lanes for span in lane.spans]
    cuts = [lane.cut_s for lane in lanes if lane.cut_s is not None]
    last = seen.moments[-1].at_s
    until = min(last, max([acked_s, *delivered_s, *cuts, *(end for end in ends if end < last)]))
    done = tuple(fault for fault in seen.faults if sent_s <= fault.at_s)
    led = (m.at_s for m in seen.moments if m.live_leader and (m.epoch or 0) > (term or 0))
    until = max([until, next(led, until), *(fault.at_s for fault in done[:1])]) + _AROUND_S
    return Track(
        sent_s - _AROUND_S, until, sent_s, acked_s,
        tuple(_until(lane, until) for lane in lanes), tuple(delivered_s),
        tuple(fault for fault in done if fault.at_s <= until),
    )  # fmt: skip


def _states(
    moments: Sequence[Moment], offset: int, acked_s: float, term: int | None
) -> list[frozenset[int]]:
    """At each sample the brokers that surely have the message."""
    have: frozenset[int] = frozenset()
    results = []
    for moment in moments:
        if moment.at_s > acked_s:
            have = _have(moment, offset, have, same_term=moment.epoch == term)
        results.append(have)
    return results


def _have(moment: Moment, offset: int, have: frozenset[int], *, same_term: bool) -> frozenset[int]:
    kept = frozenset(
        broker for broker in have
        if moment.states.get(broker) == "dead" or _reaches(moment, offset, broker)
    )  # fmt: skip
    leader = moment.live_leader
    if leader is None:
        return kept
    if not same_term and leader not in kept:
        # Its followers are cut to its log, seen or not.
        return frozenset(number for number in kept if moment.states.get(number) != "running")
    copied = frozenset(number for number in moment.isr if _reaches(moment, offset, number))
    return kept | copied | ({leader} if _reaches(moment, offset, leader) else frozenset())


def _reaches(moment: Moment, offset: int, broker: int | None) -> bool:
    return (moment.ends.get(broker or 0) or 0) > offset


def _lane(
    moments: Sequence[Moment], states: Sequence[frozenset[int]], offset: int, broker: int
) -> Lane:
    spans = tuple(_spans(moments, states, broker))
    first = spans[0].begin_s if spans else None
    cut = next(
        (m.at_s for m in moments
         if first is not None and m.at_s > first and m.ends.get(broker) is not None
         and not _reaches(m, offset, broker)),
        None,
    )  # fmt: skip
    return Lane(broker, spans, cut)


def _spans(
    moments: Sequence[Moment], states: Sequence[frozenset[int]], broker: int
) -> Iterator[Span]:
    """The samples in a row in which a broker had it, in one state of its process."""
    begun: tuple[Kind, float] | None = None
    for moment, have in zip(moments, states, strict=True):
        kind: Kind | None = None
        if broker in have:
            kind = "on-disk" if moment.states.get(broker) == "dead" else "held"
        if begun is not None and kind != begun[0]:
            yield Span(*begun, moment.at_s)
            begun = None
        if begun is None and kind is not None:
            begun = kind, moment.at_s
    if begun is not None:
        yield Span(*begun, moments[-1].at_s)


def _until(lane: Lane, end_s: float) -> Lane:
    """The lane up to the end of the drawing."""
    spans = (
        Span(span.kind, span.begin_s, min(span.end_s, end_s))
        for span in lane.spans if span.begin_s < end_s
    )  # fmt: skip
    return Lane(lane.broker, tuple(spans), lane.cut_s)
