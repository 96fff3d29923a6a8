"""The stage on which a scenario plays: faults and waits on one arm's cluster."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from labs.engine import faults
from labs.engine.base.wait import WaitTimeout, rest, until
from labs.engine.clients.process import ClientProcess
from labs.engine.cluster.cluster import Cluster
from labs.engine.faults import Fault, FaultLog, FaultRow, Role
from labs.engine.faults import admin as on_admin
from labs.engine.faults import clients as on_clients
from labs.engine.faults.links import Peers, Way
from labs.engine.scenarios.model import TOPIC, Client, Topology
from labs.engine.workloads import ProduceConsume
from labs.engine.workloads.group import GROUP

_CLIENT_LIMIT_S = 30.0


class LiveStage:
    """Does to a cluster what a scenario says (`scenarios.model.Stage`), and keeps the proof.

    `unproved` lists the faults that could not be shown to have happened. `phase` is told when
    the arm comes to faults and to healing. A `quiet` stage lets time pass and does nothing.
    """

    def __init__(
        self, cluster: Cluster, topology: Topology, clients: ProduceConsume, log: FaultLog,
        phase: Callable[[str], None], quiet: bool = False,
    ) -> None:  # fmt: skip
        self.topology = topology
        self.unproved: list[str] = []
        self.notes: list[str] = []
        self._clients = clients
        self._cluster, self._log, self._phase, self._quiet = cluster, log, phase, quiet
        self._phases: list[str] = []
        self._leaders_before = self._leaders()

    def go_on(self, seconds: float) -> None:
        rest(seconds)

    def pause(self, role: Role) -> None:
        self._do("faulting", lambda: faults.pause(self._cluster, role, self._log))

    def kill(self, role: Role) -> None:
        self._do("faulting", lambda: faults.kill(self._cluster, role, self._log))

    def terminate(self, role: Role) -> None:
        self._do("faulting", lambda: faults.terminate(self._cluster, role, self._log))

    def wipe(self, role: Role) -> None:
        self._do("faulting", lambda: faults.wipe(self._cluster, role, self._log))

    def cut_tail(self, role: Role) -> None:
        flush_messages = {TOPIC: self.topology.flush_messages}
        self._do(
            "faulting", lambda: faults.cut_tail(self._cluster, role, self._log, flush_messages)
        )

    def read_only(self, role: Role) -> None:
        self._do("faulting", lambda: faults.read_only(self._cluster, role, self._log))

    def throttle(self, bytes_per_s: int) -> None:
        at = self._cluster.bootstrap
        self._hit(lambda: faults.throttle(at, TOPIC, bytes_per_s, self._log))

    def release(self) -> None:
        at = self._cluster.bootstrap
        self._do("healing", lambda: (faults.release(at, TOPIC, self._log),))

    def cut(self, role: Role, peers: Peers, way: Way = "both") -> None:
        self._do("faulting", lambda: faults.cut(self._cluster, role, self._log, peers, way))

    def slow(self, role: Role, delay_s: float, bytes_per_s: float) -> None:
        self._do(
            "faulting", lambda: faults.slow(self._cluster, role, self._log, delay_s, bytes_per_s)
        )

    def sever(self, role: Role, peers: Peers) -> None:
        self._do("faulting", lambda: faults.sever(self._cluster, role, self._log, peers))

    def mend(self, role: Role) -> None:
        self._do("healing", lambda: faults.mend(self._cluster, role, self._log))

    def resume(self, role: Role) -> None:
        self._do("faulting", lambda: faults.resume(self._cluster, role, self._log))

    def restart(self, role: Role) -> None:
        self._do("healing", lambda: faults.restart(self._cluster, role, self._log))

    def hold(self, client: Client, point: str) -> None:
        self._hit(lambda: on_clients.hold(self._of(client), point, self._log, _CLIENT_LIMIT_S))

    def let_go(self, client: Client) -> None:
        still = self._clients.standing
        self._hit(lambda: on_clients.let_go(still(client), self._log, _CLIENT_LIMIT_S))

    def pause_client(self, client: Client) -> None:
        self._hit(lambda: on_clients.pause(self._of(client), self._log, _CLIENT_LIMIT_S))

    def pause_executor(self, client: Client) -> None:
        self._hit(lambda: on_clients.pause_executor(self._of(client), self._log, _CLIENT_LIMIT_S))

    def resume_executor(self, client: Client) -> None:
        resume = partial(on_clients.resume_executor, self._of(client), self._log, _CLIENT_LIMIT_S)
        self._do("healing", lambda: (resume(),))

    def fail(self, client: Client) -> None:
        self._hit(lambda: on_clients.fail(self._of(client), self._log, _CLIENT_LIMIT_S))

    def spoil(self, client: Client) -> None:
        self._hit(lambda: on_clients.spoil(self._of(client), self._log, _CLIENT_LIMIT_S))

    def cure(self, client: Client) -> None:
        if self._of(client).latest.get("stopped"):
            self.replace_ended(client)
            return
        cure = partial(on_clients.cure, self._of(client), self._log, _CLIENT_LIMIT_S)
        self._do("healing", lambda: (cure(),))

    def delete_read(self) -> None:
        read = self._clients.client("consumer").latest.get("position", {})
        before = {int(partition): int(offset) for partition, offset in read.items()}
        self._hit(lambda: on_admin.delete(self._cluster.bootstrap, TOPIC, before, self._log))

    def forget_group(self) -> None:
        self._hit(
            lambda: on_admin.forget(self._cluster.bootstrap, GROUP, self._log, _CLIENT_LIMIT_S)
        )

    def lose_checkpoint(self) -> None:
        folder = self._clients.checkpoint
        if folder is None:
            why = "application.checkpoint is durable: it is lost with no machine of the query"
            self.not_applicable("wipe", "checkpoint", why)
        else:
            self._hit(lambda: on_clients.lose_checkpoint(folder, self._log))

    def widen(self) -> None:
        self._hit(
            lambda: on_admin.widen(self._cluster.bootstrap, TOPIC, self._log, _CLIENT_LIMIT_S)
        )

    def refuse(self) -> None:
        self._hit(lambda: on_admin.refuse(self._cluster.bootstrap, TOPIC, self._log))

    def accept(self) -> None:
        accept = partial(on_admin.accept, self._cluster.bootstrap, TOPIC, self._log)
        self._do("healing", lambda: (accept(),))

    def keep_all(self) -> None:
        keep = partial(on_admin.keep, self._cluster.bootstrap, TOPIC, self._log)
        self._do("healing", lambda: (keep(),))

    def elect(self, topic: str) -> None:
        at = self._cluster.bootstrap
        self._do("healing", lambda: (on_admin.elect(at, topic, self._log, _CLIENT_LIMIT_S),))

    def abort_hanging(self) -> None:
        self._do("healing", lambda: (faults.abort_hanging(self._cluster, TOPIC, self._log),))

    def join(self) -> None:
        self._hit(lambda: on_clients.join("consumer", self._clients.join, self._log))

    def stop_client(self, client: Client) -> None:
        first = self._clients.first(client)
        self._hit(lambda: on_clients.stop(first, self._log, _CLIENT_LIMIT_S))

    def kill_client(self, client: Client) -> None:
        self._hit(lambda: on_clients.kill(self._of(client), self._log, _CLIENT_LIMIT_S))

    def start_again(self, client: Client) -> None:
        start = partial(self._clients.start_again, client)
        self._do("healing", lambda: (on_clients.restart(client, start, self._log),))

    def replace_ended(self, client: Client) -> None:
        if not self._quiet and self._of(client).latest.get("stopped"):
            self._of(client).await_end(_CLIENT_LIMIT_S)
            self.start_again(client)

    def await_position(self, limit_s: float) -> None:
        if self._quiet:
            return
        try:
            until(self._clients.saved, limit_s, "the group saved no position",
                  awaits="for the group to save a position")  # fmt: skip
        except WaitTimeout as never:
            self.notes.append(str(never))

    def not_applicable(self, fault: Fault, target: str, why: str) -> None:
        if not self._quiet:
            self._log.record(fault, target, "invoke")
            self._log.record(fault, target, "not_applicable", why)
            self.notes.append(f"no {fault} of a {target}: {why}")

    def await_new_leader(self, limit_s: float) -> None:
        if not self._quiet:
            until(self._new_leader, limit_s, "no follower became leader",
                  awaits="for a follower to become leader")  # fmt: skip

    def await_controller(self, limit_s: float) -> None:
        if not self._quiet:
            until(self._cluster.active_controller, limit_s, "there is no active controller",
                  awaits="for a controller to become active")  # fmt: skip

    def await_isr(self, size: int, limit_s: float) -> None:
        if not self._quiet:
            self._cluster.wait_in_sync(TOPIC, self.topology.partitions, size, limit_s)

    def await_fenced(self, limit_s: float) -> None:
        if not self._quiet:
            until(self._fenced, limit_s, "a dead broker still counts as leader",
                  awaits="for the controller to notice that the leader is gone")  # fmt: skip

    def await_in_sync(self, limit_s: float) -> None:
        self.await_isr(self.topology.replication_factor, limit_s)

    def _of(self, client: Client) -> ClientProcess:
        return self._clients.client(client)

    def _hit(self, act: Callable[[], FaultRow]) -> None:
        self._do("faulting", lambda: (act(),))

    def _do(self, phase: str, act: Callable[[], tuple[FaultRow, ...]]) -> None:
        if self._quiet:
            return
        if phase not in self._phases:
            self._phases.append(phase)
            self._phase(phase)
        self.unproved += [
            f"{row.fault} of {row.target}: {row.evidence}" for row in act() if row.phase == "failed"
        ]

    def _leaders(self) -> dict[int, int | None]:
        return {state.partition: state.leader for state in self._cluster.describe(TOPIC)}

    def _running(self) -> set[int]:
        return {id_ for id_, state in self._cluster.states().items() if state == "running"}

    def _new_leader(self) -> bool:
        leader, before = self._leaders().get(0), self._leaders_before.get(0)
        return leader in self._running() and leader != before

    def _fenced(self) -> bool:
        leaders = self._leaders()
        return bool(leaders) and set(leaders.values()) <= {None, *self._running()}
