"""The data with which a page replays an experiment, read from the ledgers and stored nowhere
else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from labs.engine.record import fault_words, replay, story, why
from labs.engine.record.replay import Moment, Replay
from labs.engine.record.story import Story
from labs.engine.record.why import TimedSentence
from labs.models import Experiment, Run
from labs.pages import sentences
from labs.pages.experiments import presentation

_TO_FOLLOW = 3
"""Messages offered of each anomaly."""

_COLUMNS = (
    "leader", "leads", "epoch", "isr", "high_watermark", "last_stable", "lag",
    "sent", "acknowledged", "failed", "delivered",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """A moment of the table, and what was done since the row before."""

    moment: Moment
    done: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Follow:
    """Messages of one anomaly that can be followed."""

    words: str
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ArmReplay:
    """One arm's replay as the page shows it before, or without, any script.

    `explanation` says why it went as it did, `events` what was done, each with its second of the
    replay; `opens_at` is where the harm begins, if an election did any.
    """

    run: Run
    label: str
    replay: Replay
    partitions: tuple[int, ...]
    rows: tuple[Row, ...]
    follow: tuple[Follow, ...]
    explanation: tuple[TimedSentence, ...]
    events: tuple[TimedSentence, ...]
    opens_at: float | None


def arms(experiment: Experiment, partition: int = 0) -> list[ArmReplay]:
    """The arms that can be played back; none while the experiment is not over.

    An arm that lacks the partition shows its first one.
    """
    if experiment.is_live:
        return []
    replays = (_arm(experiment, run, partition) for run in experiment.runs.all())
    return [arm for arm in replays if arm is not None]


def _arm(experiment: Experiment, run: Run, partition: int) -> ArmReplay | None:
    """One arm, in seconds since its first send; None without a ledger, or without telemetry."""
    began_ns = _began_ns(run)
    # An arm that was not judged may be one that is just being ended, its tables half written.
    if began_ns is None or not (numbers := replay.partitions(run.ledger)):
        return None
    seen = replay.read(run.ledger, began_ns, partition if partition in numbers else numbers[0])
    if seen is None or not seen.brokers:
        return None
    lost = run.counts.get("lost_write")
    return ArmReplay(
        run, presentation.label(experiment, run.name), seen, numbers,
        tuple(_rows(seen)), tuple(_follow(run)),
        why.explain(seen, _entries(run), lost), tuple(_events(seen)),
        why.opens_at(seen) if lost != 0 else None,
    )  # fmt: skip


def _entries(run: Run) -> str:
    """Returns the meaning of an offset: in transactions, markers have offsets as well."""
    return "entries" if replay.rows(run.ledger, "transactions") else "messages"


def _events(seen: Replay) -> Iterator[TimedSentence]:
    """What was done, in plain words."""
    for done in seen.faults:
        yield TimedSentence(done.at_s, fault_words.sentence(done.fault, done.target))


def message(run: Run, value: int) -> Story | None:
    """Returns the fate of one message of a run; None if it is not in the ledger."""
    began_ns = _began_ns(run)
    return None if began_ns is None else story.message_story(run.ledger, began_ns, value)


def data(experiment: Experiment, partition: int = 0) -> dict[str, Any]:
    """The replays as plain data, all on one axis: `seconds` long and `offsets` high."""
    shown = arms(experiment, partition)
    ends = [end for arm in shown for m in arm.replay.moments for end in m.ends.values()]
    return {
        "seconds": max((arm.replay.moments[-1].at_s for arm in shown), default=0),
        "offsets": max((end for end in ends if end is not None), default=0),
        "arms": [_data(arm) for arm in shown],
    }


def _data(arm: ArmReplay) -> dict[str, Any]:
    moments, brokers = arm.replay.moments, arm.replay.brokers
    drawn = presentation.run_plot(arm.run)
    return {
        "name": arm.run.name,
        "label": arm.label,
        "partition": arm.replay.partition,
        "brokers": brokers,
        "at": [moment.at_s for moment in moments],
        "states": {id_: [m.states.get(id_, "dead") for m in moments] for id_ in brokers},
        "ends": {id_: [m.ends.get(id_) for m in moments] for id_ in brokers},
        **{name: [getattr(moment, name) for moment in moments] for name in _COLUMNS},
        "events": [[event.at_s, event.text] for event in arm.events],
        "opens_at": arm.opens_at,
        "marks": [[mark.second, mark.text, mark.row] for mark in drawn.marks] if drawn else [],
        "lost": _lost(arm.run),
    }


def _lost(run: Run) -> list[float]:
    """When messages were acknowledged that are gone: seconds, one a bucket of the judge's."""
    timeline = run.result["timeline"]
    half = timeline["bucket_ms"] / 2
    return [(bucket["t_ms"] + half) / 1000 for bucket in timeline["buckets"] if bucket.get("lost")]


def _began_ns(run: Run) -> int | None:
    timeline = run.result.get("timeline")
    return timeline["start_ns"] if timeline else None


def _rows(seen: Replay) -> Iterator[Row]:
    """A row a second, and one for each change of a leader, an in-sync set or a broker's state."""
    done = [(fault.at_s, fault_words.mark(fault.fault, fault.target)) for fault in seen.faults]
    last = float("-inf")
    for moment in _of_note(seen.moments):
        yield Row(moment, tuple(words for at, words in done if last < at <= moment.at_s))
        last = moment.at_s


def _of_note(moments: Sequence[Moment]) -> Iterator[Moment]:
    yield moments[0]
    for before, moment in pairwise(moments):
        changed = _standing(before) != _standing(moment)
        if changed or int(before.at_s) != int(moment.at_s) or moment is moments[-1]:
            yield moment


def _standing(moment: Moment) -> tuple[Any, ...]:
    return moment.live_leader, moment.epoch, moment.isr, moment.states


def _follow(run: Run) -> Iterator[Follow]:
    examples: Mapping[str, Sequence[Mapping[str, Any]]] = run.result.get("examples") or {}
    for name, results in examples.items():
        values = dict.fromkeys(row["value"] for row in results if "value" in row)
        if values:
            yield Follow(sentences.COUNT_WORDS.get(name, name), tuple(values)[:_TO_FOLLOW])
