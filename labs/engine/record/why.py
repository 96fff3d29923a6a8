"""Explains a run in sentences, from its telemetry and its faults alone.

Each sentence has a time in the replay at which it can be seen. Nothing is stated that no sample
shows. A sentence says that a new leader lacks messages only if the old leader did not run, so that
no replica could copy from it. The number is the difference of their log end offsets at that time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from labs.engine.record import fault_words
from labs.engine.record.replay import Moment, ProvenFault, Replay

_MAX_SENTENCES = 3


@dataclass(frozen=True, slots=True)
class TimedSentence:
    """One sentence, and the time in the replay, in seconds, that shows it."""

    at_s: float
    text: str


@dataclass(frozen=True, slots=True)
class Election:
    """A change of the leader. `last` is the last sample in which the old leader ran, `gap` the last
    one before the new leader led, and `first` the first one in which it led."""

    last: Moment
    gap: Moment
    first: Moment

    @property
    def old(self) -> int:
        return self.last.leader or 0

    @property
    def new(self) -> int:
        return self.first.leader or 0

    @property
    def shortfall(self) -> int | None:
        """How many records the new leader's log was missing when it began to lead.

        None if that is uncertain: the old leader was still running, or a log was not sampled.
        """
        if self.gap.states.get(self.old, "dead") == "running" or self.old == self.new:
            return None
        old, new = self.gap.ends.get(self.old), self.gap.ends.get(self.new)
        return None if old is None or new is None else max(0, old - new)


def explain(
    replay: Replay, entries: str = "messages", lost: int | None = None
) -> tuple[TimedSentence, ...]:
    """Up to three sentences in the order of time; `entries` is the word for what offsets count.

    `lost` is the number of acknowledged messages that the judge found lost, or None if that was
    not judged. The sentences explain the election that dropped most records; if none dropped any,
    the first election; and without an election, the faults.
    """
    certain = [election for election in elections(replay) if election.shortfall is not None]
    worst = max(certain, key=lambda election: election.shortfall or 0, default=None)
    if worst is None:
        return tuple(_fault_sentences(replay))[:_MAX_SENTENCES]
    return tuple(_election_sentences(replay, worst, entries, lost))


def opens_at(replay: Replay) -> float | None:
    """When the harm of the worst election begins: the last sample before its leader was gone.

    None if no election dropped anything.
    """
    harmful = [election for election in elections(replay) if election.shortfall]
    worst = max(harmful, key=lambda election: election.shortfall or 0, default=None)
    return None if worst is None else worst.last.at_s


def elections(replay: Replay) -> Iterator[Election]:
    """The changes of the leader that the samples show."""
    led = [at for at, moment in enumerate(replay.moments) if moment.live_leader is not None]
    for before, after in pairwise(led):
        last, first = replay.moments[before], replay.moments[after]
        if (first.epoch or 0) > (last.epoch or 0):
            yield Election(last, replay.moments[after - 1], first)


def _election_sentences(
    replay: Replay, change: Election, entries: str, lost: int | None
) -> Iterator[TimedSentence]:
    old, new, gap = change.old, change.new, change.gap
    old_end = gap.ends[old] or 0
    loss = _leader_lost(replay, change)
    yield loss
    after = (m for m in replay.moments if loss.at_s <= m.at_s <= gap.at_s)
    at = next((m for m in after if m.ends.get(old) == old_end), gap)
    yield TimedSentence(at.at_s, _compared(old, old_end, gap.ends, entries))
    led = f"Then broker {new} led (epoch {change.first.epoch})"
    if change.shortfall:
        text = f"{led}. Its log had ended {change.shortfall:,} {entries} before broker {old}'s."
        if lost == 0:
            text += " No acknowledged message is lost: these were unacknowledged or sent again."
    else:
        text = f"{led}. Its log was at least as long as broker {old}'s."
    yield TimedSentence(change.first.at_s, text)


def _leader_lost(replay: Replay, change: Election) -> TimedSentence:
    """A sentence on how the process of the old leader ended or stopped."""
    name = f"broker {change.old}"
    faults = [
        event for event in replay.faults
        if event.fault not in fault_words.HEALS and event.target.endswith(name)
        and change.last.at_s - 1 < event.at_s < change.first.at_s
    ]  # fmt: skip
    if faults:
        return TimedSentence(
            faults[-1].at_s, f"{fault_words.sentence(faults[-1].fault, faults[-1].target)}."
        )
    at = next(m for m in replay.moments if m.at_s > change.last.at_s)
    return TimedSentence(at.at_s, f"Broker {change.old}, the leader, no longer ran.")


def _compared(old: int, old_end: int, ends: Mapping[int, int | None], entries: str) -> str:
    others = {id_: end for id_, end in ends.items() if id_ != old and end is not None}
    alone = old_end - max(others.values(), default=0)
    addition = " and ".join(f"broker {id_}'s at {end:,}" for id_, end in sorted(others.items()))
    text = f"Its log ended at offset {old_end:,}, {addition}"
    if alone > 0:
        return f"{text}: {alone:,} {entries} were on broker {old} alone."
    return f"{text}: another log was at least as long."


def _fault_sentences(replay: Replay) -> Iterator[TimedSentence]:
    """A sentence for each fault, with the group's position before it."""
    for event in replay.faults:
        yield TimedSentence(
            event.at_s, f"{fault_words.sentence(event.fault, event.target)}.{_group(replay, event)}"
        )


def _group(replay: Replay, event: ProvenFault) -> str:
    at = replay.before(event.at_s)
    if event.fault != "kill" or at is None or at.committed is None or "broker" in event.target:
        return ""
    return (
        f" The group's committed offset was {at.committed:,} then, and {at.delivered:,} "
        "messages had been delivered."
    )
