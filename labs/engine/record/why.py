"""Explains a run in sentences, from its telemetry and its faults alone.

Each names a moment of the replay at which it can be seen. What no sample shows is not said. That a
new leader lacks messages is said only if the old one did not run, so that no replica could copy
from it, and then by the ends of their logs at that time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from labs.engine.record import fault_words
from labs.engine.record.replay import Moment, ProvenFault, Replay

_MOST = 3


@dataclass(frozen=True, slots=True)
class TimedSentence:
    """One sentence, and the second of the replay that shows it."""

    at_s: float
    text: str


@dataclass(frozen=True, slots=True)
class Election:
    """A change of the leader, of which `last` is the last sample under the old one while it ran,
    `gap` the last before the new one led, and `first` the first in which it did."""

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
        """How many records the new leader's log was shorter by when it began to lead.

        None if that is unsure: the old leader was still running, or a log was not seen.
        """
        if self.gap.states.get(self.old, "dead") == "running" or self.old == self.new:
            return None
        old, new = self.gap.ends.get(self.old), self.gap.ends.get(self.new)
        return None if old is None or new is None else max(0, old - new)


def explain(
    seen: Replay, entries: str = "messages", lost: int | None = None
) -> tuple[TimedSentence, ...]:
    """Up to three sentences, in the order of time; `entries` is what an offset stands for here.

    `lost` is how many acknowledged messages the judge found gone, None where that was not judged.

    With an election that dropped something they are about the one that dropped most; else about
    the first, else about what was done.
    """
    sure = [election for election in elections(seen) if election.shortfall is not None]
    worst = max(sure, key=lambda election: election.shortfall or 0, default=None)
    if worst is None:
        return tuple(_done(seen))[:_MOST]
    return tuple(_elected(seen, worst, entries, lost))


def opens_at(seen: Replay) -> float | None:
    """Where the harm of the worst election begins: the last sample before its leader was gone.

    None where no election dropped anything.
    """
    sure = [election for election in elections(seen) if election.shortfall]
    worst = max(sure, key=lambda election: election.shortfall or 0, default=None)
    return None if worst is None else worst.last.at_s


def elections(seen: Replay) -> Iterator[Election]:
    """The changes of the leader that samples saw."""
    led = [at for at, moment in enumerate(seen.moments) if moment.live_leader is not None]
    for before, after in pairwise(led):
        last, first = seen.moments[before], seen.moments[after]
        if (first.epoch or 0) > (last.epoch or 0):
            yield Election(last, seen.moments[after - 1], first)


def _elected(
    seen: Replay, change: Election, entries: str, lost: int | None
) -> Iterator[TimedSentence]:
    old, new, gap = change.old, change.new, change.gap
    ended = gap.ends[old] or 0
    gone = _gone(seen, change)
    yield gone
    after = (m for m in seen.moments if gone.at_s <= m.at_s <= gap.at_s)
    at = next((m for m in after if m.ends.get(old) == ended), gap)
    yield TimedSentence(at.at_s, _compared(old, ended, gap.ends, entries))
    led = f"Then broker {new} led (epoch {change.first.epoch})"
    if change.shortfall:
        text = f"{led}. Its log had ended {change.shortfall:,} {entries} before broker {old}'s."
        if lost == 0:
            text += " None that was acknowledged is gone: they were not, or were sent again."
    else:
        text = f"{led}. Its log had gone as far as broker {old}'s."
    yield TimedSentence(change.first.at_s, text)


def _gone(seen: Replay, change: Election) -> TimedSentence:
    """How the process of the old leader ended or stopped."""
    name = f"broker {change.old}"
    faults = [
        done for done in seen.faults
        if done.fault not in fault_words.HEALS and done.target.endswith(name)
        and change.last.at_s - 1 < done.at_s < change.first.at_s
    ]  # fmt: skip
    if faults:
        return TimedSentence(
            faults[-1].at_s, f"{fault_words.sentence(faults[-1].fault, faults[-1].target)}."
        )
    at = next(m for m in seen.moments if m.at_s > change.last.at_s)
    return TimedSentence(at.at_s, f"Broker {change.old}, which led, did not run any more.")


def _compared(old: int, ended: int, ends: Mapping[int, int | None], entries: str) -> str:
    others = {id_: end for id_, end in ends.items() if id_ != old and end is not None}
    alone = ended - max(others.values(), default=0)
    addition = " and ".join(f"broker {id_}'s at {end:,}" for id_, end in sorted(others.items()))
    text = f"Its log ended at offset {ended:,}, {addition}"
    if alone > 0:
        return f"{text}: {alone:,} {entries} were on broker {old} alone."
    return f"{text}: another log went as far."


def _done(seen: Replay) -> Iterator[TimedSentence]:
    """What was done, each with what the sample before it saw of the group."""
    for done in seen.faults:
        yield TimedSentence(
            done.at_s, f"{fault_words.sentence(done.fault, done.target)}.{_group(seen, done)}"
        )


def _group(seen: Replay, done: ProvenFault) -> str:
    at = seen.before(done.at_s)
    if done.fault != "kill" or at is None or at.committed is None or "broker" in done.target:
        return ""
    return (
        f" The group's committed offset was {at.committed:,} then, and {at.delivered:,} "
        "messages had been handed out."
    )
