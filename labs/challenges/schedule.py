"""The schedule of a scenario, from a dry run of its steps on no cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Concatenate

from labs.engine.faults.rig import Condition, Rig, Rows
from labs.engine.faults.roles import Role
from labs.engine.record import fault_words
from labs.engine.record.fault_words import Fault
from labs.engine.scenarios import find
from labs.engine.scenarios.model import Durations, P, Scenario, Topology, draw

_LEDGER_NAMES: Mapping[str, str] = {
    "kill_client": "kill", "pause_client": "pause", "stop_client": "terminate",
    "start_successor": "restart", "cure": "mend", "resume_client": "resume",
    "forget_group": "forget", "release": "mend", "accept": "mend", "replace_ended": "restart",
    "delete_read_records": "delete", "add_copies": "mend-copies",
}  # fmt: skip
"""Functions of faults whose name in the ledger differs."""
_IN_WORDS: Mapping[str, str] = {"disable_retention": "retention ended", "elect": "leader elected"}
"""Words for cures that the ledger only calls mended."""
_WAIT_S = 2.0
"""The drawn length of a wait, whose real length is unknown before a run."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: `fault`, `heal` or `wait`, at a second of the drawn axis."""

    at_s: float
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps in order, and the total length in seconds; a wait counts as two."""

    steps: tuple[Step, ...]
    seconds: float
    brokers: int


def plan(
    scenario: str, settings: Mapping[str, Mapping[str, Any]], staging: Mapping[str, float]
) -> Plan:
    """Returns the schedule with the middle of each duration. Raises `ScenarioError`."""
    staged = find(scenario)
    drawn = draw(staged, 0, staging).durations
    middle = {name: sum(ends) / 2 for name, ends in staged.durations.items()}
    durations = {name: staging.get(name, middle[name]) for name in drawn}
    return on(staged.topology(settings), staged, durations)


def on(topology: Topology, scenario: Scenario, durations: Durations) -> Plan:
    """Returns the schedule of a scenario on a cluster of this topology."""
    stage = _RecordingStage(topology)
    scenario.run(stage, durations)
    return Plan(tuple(stage.steps), stage.now_s, topology.brokers)


class _RecordingStage:
    """A `labs.engine.scenarios.model.Stage` that only records the calls."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.steps: list[Step] = []
        self.now_s = 0.0

    def let_run(self, seconds: float) -> None:
        self.now_s += seconds

    def do(
        self, fault: Callable[Concatenate[Rig, P], Rows], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        self._add_step("fault", fault.__name__, args)

    def heal(
        self, heal: Callable[Concatenate[Rig, P], Rows], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        self._add_step("heal", heal.__name__, args)

    def not_applicable(self, fault: Fault, target: str, why: str) -> None:
        """Draws nothing, since the fault does not apply to these settings."""

    def wait(self, condition: Condition, limit_s: float) -> None:
        self.steps.append(Step(self.now_s, "wait", f"until {condition.words}"))
        self.now_s += _WAIT_S

    def _add_step(self, kind: str, name: str, args: tuple[Any, ...]) -> None:
        first = args[0] if args else ""
        target = first.name if isinstance(first, Role) else str(first)
        word = _LEDGER_NAMES.get(name, name)
        kind = "heal" if word in fault_words.HEALS else kind
        has_words = word in fault_words.WORDS
        words = fault_words.mark(word, target) if has_words else name.replace("_", " ")
        text = _IN_WORDS.get(name, words)
        self.steps.append(Step(self.now_s, kind, text))
