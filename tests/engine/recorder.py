"""A stage on which nothing happens: it keeps what a scenario asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec

from labs.engine.faults import Rig, Role, Rows
from labs.engine.scenarios.model import Topology

P = ParamSpec("P")


class Recorder:
    """A stage that writes down what a scenario asks for: `kill leader`, `hold consumer handed`."""

    def __init__(self, replicas: int) -> None:
        self.topology = Topology(3, replicas, controllers=3)
        self.asked: list[str] = []

    def go_on(self, seconds: float) -> None:
        self.asked.append("go on")

    def do(
        self, fault: Callable[Concatenate[Rig, P], Rows], *args: P.args, **named: P.kwargs
    ) -> None:
        to = [str(getattr(arg, "name", arg)) for arg in args if isinstance(arg, Role | str)]
        self.asked.append(" ".join([fault.__name__, *to]))

    def heal(
        self, heal: Callable[Concatenate[Rig, P], Rows], *args: P.args, **named: P.kwargs
    ) -> None:
        self.do(heal, *args, **named)

    def not_applicable(self, fault: str, target: str, why: str) -> None:
        self.asked.append(f"no {fault} {target}")

    def await_position(self, limit_s: float) -> None:
        self.asked.append("position")

    def await_new_leader(self, limit_s: float) -> None:
        self.asked.append("new leader")

    def await_controller(self, limit_s: float) -> None:
        self.asked.append("active controller")

    def await_isr(self, size: int, limit_s: float) -> None:
        self.asked.append(f"{size} in sync")

    def await_fenced(self, limit_s: float) -> None:
        self.asked.append("fenced")

    def await_in_sync(self, limit_s: float) -> None:
        self.asked.append("in sync")
