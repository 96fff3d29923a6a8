"""A stage on which nothing happens: it keeps what a scenario asks for."""

from __future__ import annotations

from labs.engine.faults import Role
from labs.engine.scenarios.model import Topology


class Recorder:
    """A stage that writes down what a scenario asks for."""

    def __init__(self, replicas: int) -> None:
        self.topology = Topology(3, replicas, controllers=3)
        self.asked: list[str] = []

    def go_on(self, seconds: float) -> None:
        self.asked.append("go on")

    def pause(self, role: Role) -> None:
        self.asked.append(f"pause {role.name}")

    def resume(self, role: Role) -> None:
        self.asked.append(f"resume {role.name}")

    def kill(self, role: Role) -> None:
        self.asked.append(f"kill {role.name}")

    def restart(self, role: Role) -> None:
        self.asked.append(f"restart {role.name}")

    def terminate(self, role: Role) -> None:
        self.asked.append(f"terminate {role.name}")

    def wipe(self, role: Role) -> None:
        self.asked.append(f"wipe {role.name}")

    def cut_tail(self, role: Role) -> None:
        self.asked.append(f"cut tail {role.name}")

    def read_only(self, role: Role) -> None:
        self.asked.append(f"read-only {role.name}")

    def throttle(self, bytes_per_s: int) -> None:
        self.asked.append("throttle")

    def release(self) -> None:
        self.asked.append("release")

    def cut(self, role: Role, peers: str, way: str = "both") -> None:
        self.asked.append(f"cut {role.name} {way} {peers}")

    def slow(self, role: Role, delay_s: float, bytes_per_s: float) -> None:
        self.asked.append(f"slow {role.name}")

    def sever(self, role: Role, peers: str) -> None:
        self.asked.append(f"sever {role.name} {peers}")

    def mend(self, role: Role) -> None:
        self.asked.append(f"mend {role.name}")

    def hold(self, client: str, point: str) -> None:
        self.asked.append(f"hold {client} {point}")

    def let_go(self, client: str) -> None:
        self.asked.append(f"let {client} go")

    def pause_client(self, client: str) -> None:
        self.asked.append(f"pause {client}")

    def pause_executor(self, client: str) -> None:
        self.asked.append(f"pause executor of {client}")

    def resume_executor(self, client: str) -> None:
        self.asked.append(f"resume executor of {client}")

    def fail(self, client: str) -> None:
        self.asked.append(f"fail {client}")

    def spoil(self, client: str) -> None:
        self.asked.append(f"spoil {client}")

    def cure(self, client: str) -> None:
        self.asked.append(f"cure {client}")

    def delete_read(self) -> None:
        self.asked.append("delete read")

    def forget_group(self) -> None:
        self.asked.append("forget group")

    def lose_checkpoint(self) -> None:
        self.asked.append("lose checkpoint")

    def widen(self) -> None:
        self.asked.append("widen")

    def refuse(self) -> None:
        self.asked.append("refuse")

    def accept(self) -> None:
        self.asked.append("accept")

    def keep_all(self) -> None:
        self.asked.append("keep all")

    def elect(self, topic: str) -> None:
        self.asked.append(f"elect {topic}")

    def abort_hanging(self) -> None:
        self.asked.append("abort hanging")

    def join(self) -> None:
        self.asked.append("join")

    def stop_client(self, client: str) -> None:
        self.asked.append(f"stop {client}")

    def kill_client(self, client: str) -> None:
        self.asked.append(f"kill {client}")

    def start_again(self, client: str) -> None:
        self.asked.append(f"start {client}")

    def replace_ended(self, client: str) -> None:
        self.asked.append(f"replace {client}")

    def await_position(self, limit_s: float) -> None:
        self.asked.append("position")

    def not_applicable(self, fault: str, target: str, why: str) -> None:
        self.asked.append(f"no {fault} {target}")

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
