"""Writes the events of a runner into the database, no more often than a viewer needs.

Samples arrive several times a second for each arm; only the newest matters, so they are written two
or three times a second. Phases, faults and results are written immediately.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from labs.models import Experiment, Run, State

WRITE_EVERY_S = 0.4
MOST_SAMPLES = 240
"""A sparkline is about this many pixels wide. When full, every second sample is dropped."""

Event = Mapping[str, Any]


class Recorder:
    """Records the events of one attempt in order; writes only while `owner` owns the run."""

    def __init__(self, experiment: Experiment, owner: str) -> None:
        self._owner = owner
        self._runs = {run.name: run for run in experiment.runs.all()}
        self._written: dict[str, float] = {}
        self._errors: list[str] = []
        self.killed = False
        """Whether a process of the run was killed from outside."""
        self._handlers: dict[str, Callable[[Run, Event], bool]] = {
            "phase": _phase,
            "sample": _sample,
            "wait": _wait,
            "fault": _fault,
            "arm": _arm,
        }

    @property
    def error(self) -> str:
        """Returns what could not be run or judged, and why; empty if everything was."""
        return " ".join(self._errors)

    def take(self, event: Event) -> None:
        """Records one event; unknown events and arms are ignored."""
        event = _storable(event)
        kind, arm = event.get("event"), event.get("arm")
        if kind == "error":
            self._errors.append(f"{arm}: {event['message']}" if arm else str(event["message"]))
            self.killed = self.killed or bool(event.get("killed"))
        if kind == "result":
            for result in event["experiment"]["arms"]:
                self._complete(result)
        elif kind in self._handlers and arm in self._runs:
            run = self._runs[arm]
            if self._handlers[kind](run, event) or self._is_due(run):
                self._write(run)

    def _complete(self, result: Event) -> None:
        """Records arms without an `arm` event from the last event, which repeats every arm."""
        run = self._runs.get(result.get("name", ""))
        if run is not None and not run.verdict:
            _arm(run, {"result": result})
            self._write(run)

    def _is_due(self, run: Run) -> bool:
        return time.monotonic() - self._written.get(run.name, 0.0) >= WRITE_EVERY_S

    def _write(self, run: Run) -> None:
        self._written[run.name] = time.monotonic()
        # A run that was ended in the meantime may already belong to another attempt.
        Run.objects.filter(
            pk=run.pk, experiment__owner=self._owner, experiment__state=State.RUNNING
        ).update(
            phase=run.phase,
            live=run.live,
            samples=run.samples,
            faults=run.faults,
            verdict=run.verdict,
            result=run.result,
        )


def _storable(data: Any) -> Any:
    """Returns the data with `␀` for each NUL, and `?` for each lone surrogate.

    PostgreSQL accepts neither in text or JSON (its manual, 8.14); a dump of a segment has NULs.
    """
    if isinstance(data, str):
        return data.encode("utf-8", "replace").decode("utf-8").replace("\0", "␀")
    if isinstance(data, Mapping):
        return {_storable(name): _storable(value) for name, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_storable(value) for value in data]
    return data


def _phase(run: Run, event: Event) -> bool:
    run.phase = str(event["phase"])
    answers = {"place": event.get("place"), "detail": event.get("detail")}
    began = {run.phase: event.get("at_s"), **run.live.get("began", {})}
    run.live = {**run.live, **answers, "began": began}
    if "axis_at" not in run.live and event.get("at_s") is not None:
        # The runner counts from its start, which is seconds after, or long before, the claim.
        run.live["axis_at"] = time.time() - event["at_s"]
    return True


def _wait(run: Run, event: Event) -> bool:
    run.live = {**run.live, "awaits": event["awaits"], "left_s": event["left_s"]}
    return True


def _sample(run: Run, event: Event) -> bool:
    values = {name: value for name, value in event.items() if name not in ("event", "arm")}
    run.live = {**run.live, **values}
    leader = event["leader"]
    if event["brokers"].get(str(leader)) != "running":
        leader = None  # until the controller notices, a dead broker is still reported as leader
    per_s = event["acknowledged_per_s"]
    run.samples.append({"at_s": event["at_s"], "acknowledged_per_s": per_s, "leader": leader})
    if len(run.samples) > MOST_SAMPLES:
        run.samples = run.samples[::2]
    return False


def _fault(run: Run, event: Event) -> bool:
    run.faults.append({name: event[name] for name in event if name not in ("event", "arm")})
    return True


def _arm(run: Run, event: Event) -> bool:
    run.result = dict(event["result"])
    run.verdict = run.result.get("verdict", "unknown")
    run.phase = "done"
    return True
