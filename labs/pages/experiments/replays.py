"""The data of the replay of an experiment, read from the ledgers and stored nowhere else."""

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

_MOST_EXAMPLES = 3
"""The number of example messages for each anomaly."""

_COLUMNS = (
    "leader", "epoch", "isr", "high_watermark", "last_stable", "lag",
    "sent", "acknowledged", "failed", "delivered",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: a moment, and the faults since the previous row."""

    moment: Moment
    done: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Follow:
    """Example messages of one anomaly, whose story can be shown."""

    words: str
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ArmReplay:
    """The replay of one arm as the page shows it without a script.

    `explanation` has the reasons for its result and `events` the faults, each with its second of
    the replay. `opens_at` is the second at which the harm of an election begins, if there is any.
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
    """Returns the arms that can be replayed; none while the experiment is live.

    An arm without the partition shows its first one.
    """
    if experiment.is_live:
        return []
    replays = (_arm(experiment, run, partition) for run in experiment.runs.all())
    return [arm for arm in replays if arm is not None]


def _arm(experiment: Experiment, run: Run, partition: int) -> ArmReplay | None:
    """Returns one arm, in seconds since its first send; None without ledger or telemetry."""
    began_ns = _began_ns(run)
    # An arm that was not judged may have incomplete tables, because it is just being ended.
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
    """Yields the faults in plain words."""
    for event in seen.faults:
        yield TimedSentence(event.at_s, fault_words.sentence(event.fault, event.target))


def message(run: Run, value: int) -> Story | None:
    """Returns the fate of one message of a run; None if it is not in the ledger."""
    began_ns = _began_ns(run)
    return None if began_ns is None else story.message_story(run.ledger, began_ns, value)


def data(experiment: Experiment, partition: int = 0) -> dict[str, Any]:
    """Returns the replays as plain data on common axes, `seconds` long and `offsets` high."""
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
        "leads": [moment.live_leader for moment in moments],
        **{name: [getattr(moment, name) for moment in moments] for name in _COLUMNS},
        "events": [[event.at_s, event.text] for event in arm.events],
        "opens_at": arm.opens_at,
        "marks": [[mark.second, mark.text, mark.row] for mark in drawn.marks] if drawn else [],
        "lost": _lost(arm.run),
    }


def _lost(run: Run) -> list[float]:
    """Returns the seconds at which lost messages were acknowledged, one per bucket of the judge."""
    timeline = run.result["timeline"]
    half = timeline["bucket_ms"] / 2
    return [(bucket["t_ms"] + half) / 1000 for bucket in timeline["buckets"] if bucket.get("lost")]


def _began_ns(run: Run) -> int | None:
    timeline = run.result.get("timeline")
    return timeline["start_ns"] if timeline else None


def _rows(seen: Replay) -> Iterator[Row]:
    """Yields one row per second, and one per change of a leader, an ISR or a broker's state."""
    events = [(fault.at_s, fault_words.mark(fault.fault, fault.target)) for fault in seen.faults]
    last = float("-inf")
    for moment in _notable(seen.moments):
        yield Row(moment, tuple(words for at, words in events if last < at <= moment.at_s))
        last = moment.at_s


def _notable(moments: Sequence[Moment]) -> Iterator[Moment]:
    yield moments[0]
    for before, moment in pairwise(moments):
        changed = _state(before) != _state(moment)
        if changed or int(before.at_s) != int(moment.at_s) or moment is moments[-1]:
            yield moment


def _state(moment: Moment) -> tuple[Any, ...]:
    return moment.live_leader, moment.epoch, moment.isr, moment.states


def _follow(run: Run) -> Iterator[Follow]:
    examples: Mapping[str, Sequence[Mapping[str, Any]]] = run.result.get("examples") or {}
    for name, results in examples.items():
        values = dict.fromkeys(row["value"] for row in results if "value" in row)
        if values:
            yield Follow(sentences.COUNT_WORDS.get(name, name), tuple(values)[:_MOST_EXAMPLES])
