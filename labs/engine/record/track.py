"""The track of one message: when each broker's log had it, according to the samples.

As in a story, a replica has the message only if that is certain: its log reaches beyond the offset,
and the replica is in sync or leads, in the leader epoch in which the message was acknowledged or
under a later leader that has the message. A log that follows a leader without the message may be
truncated and grow again between two samples. It counts as cut only if a sample shows that it ended
before the offset.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from labs.engine.record.replay import Moment, ProvenFault, Replay

Kind = Literal["held", "on-disk"]
_AROUND_S = 0.5
"""The seconds shown before the send and after the last change."""


@dataclass(frozen=True, slots=True)
class Span:
    """A period in which a broker had the message; `on-disk` while its process did not run."""

    kind: Kind
    begin_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Lane:
    """The spans in which a broker had the message, and when its log was first seen without it."""

    broker: int
    spans: tuple[Span, ...]
    cut_s: float | None

    @property
    def first_s(self) -> float | None:
        """The time of the first sample that shows the message in this log."""
        return self.spans[0].begin_s if self.spans else None


@dataclass(frozen=True, slots=True)
class Track:
    """A message's times and lanes, drawn from `begin_s` to `end_s`.

    All times are seconds since the first send.
    """

    begin_s: float
    end_s: float
    sent_s: float
    acked_s: float
    lanes: tuple[Lane, ...]
    delivered_s: tuple[float, ...]
    faults: tuple[ProvenFault, ...]


def track(
    replay: Replay, offset: int, sent_s: float, acked_s: float, delivered_s: Sequence[float],
    epoch: int | None = None,
) -> Track | None:  # fmt: skip
    """The track of a message that was acknowledged at an offset of the replay's partition.

    `epoch` is the leader epoch of the message in the log. Without it, the epoch of the samples
    around the acknowledgement is used; returns None if these differ.
    """
    if epoch is None:
        before, after = replay.before(acked_s), replay.after(acked_s)
        if before is None or after is None or before.epoch != after.epoch:
            return None
        epoch = before.epoch
    states = _states(replay.moments, offset, acked_s, epoch)
    lanes = tuple(_lane(replay.moments, states, offset, broker) for broker in replay.brokers)
    ends = [span.end_s for lane in lanes for span in lane.spans]
    cuts = [lane.cut_s for lane in lanes if lane.cut_s is not None]
    last = replay.moments[-1].at_s
    until = min(last, max([acked_s, *delivered_s, *cuts, *(end for end in ends if end < last)]))
    faults = tuple(fault for fault in replay.faults if sent_s <= fault.at_s)
    later_leaders = (
        m.at_s for m in replay.moments if m.live_leader and (m.epoch or 0) > (epoch or 0)
    )
    until = (
        max([until, next(later_leaders, until), *(fault.at_s for fault in faults[:1])]) + _AROUND_S
    )
    return Track(
        sent_s - _AROUND_S, until, sent_s, acked_s,
        tuple(_cut_lane(lane, until) for lane in lanes), tuple(delivered_s),
        tuple(fault for fault in faults if fault.at_s <= until),
    )  # fmt: skip


def _states(
    moments: Sequence[Moment], offset: int, acked_s: float, epoch: int | None
) -> list[frozenset[int]]:
    """For each sample, the brokers that certainly have the message."""
    have: frozenset[int] = frozenset()
    results = []
    for moment in moments:
        if moment.at_s > acked_s:
            have = _have(moment, offset, have, same_epoch=moment.epoch == epoch)
        results.append(have)
    return results


def _have(moment: Moment, offset: int, have: frozenset[int], *, same_epoch: bool) -> frozenset[int]:
    kept = frozenset(
        broker for broker in have
        if moment.states.get(broker) == "dead" or _reaches(moment, offset, broker)
    )  # fmt: skip
    leader = moment.live_leader
    if leader is None:
        return kept
    if not same_epoch and leader not in kept:
        # Its followers truncate to its log, whether a sample shows it or not.
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
    """The runs of samples in which a broker had the message, in one state of its process."""
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


def _cut_lane(lane: Lane, end_s: float) -> Lane:
    """The lane, cut off at the end of the drawing."""
    spans = (
        Span(span.kind, span.begin_s, min(span.end_s, end_s))
        for span in lane.spans if span.begin_s < end_s
    )  # fmt: skip
    return Lane(lane.broker, tuple(spans), lane.cut_s)
