"""Faults of client processes: held at a point of their work, paused, killed, continued, failing.

A client is killed only after it has written its part of the ledger, so all of its sends and
deliveries are known.
"""

from __future__ import annotations

import os
import shutil
import signal
from typing import Literal

from labs.engine.base import processes
from labs.engine.base.wait import WaitTimeout, until
from labs.engine.clients.process import ClientFailed, ClientProcess
from labs.engine.faults.rig import Client, Rig, Rows

WRITES_AT = "polling"
"""The point between two polls, which every client reaches and where it writes its ledger."""

_TROUBLE = (ClientFailed, WaitTimeout)
_LIMIT_S = 30.0
_FINISH_S = 25.0
"""Less than the 30 s that a producer allows for its last sends: sends that it cuts off then count
as cut off by the end of the run. Here the run continues, and the application has lost them."""


def hold(rig: Rig, role: Client, point: str) -> Rows:
    """Holds a client at a point of its work; the evidence is its report from there."""
    client = rig.clients.client(role)

    def act() -> str:
        return f"held at {point}: {client.hold(point, _LIMIT_S)}"

    return (rig.log.attempt("hold", str(client), act, _TROUBLE),)


def fail(rig: Rig, role: Client) -> Rows:
    """Makes the work of a held client fail; the evidence is its report of the reaction."""
    return _cause_mishap(rig, "fail", role)


def spoil(rig: Rig, role: Client) -> Rows:
    """Makes the first message in hand unprocessable; the evidence is the client's reaction."""
    return _cause_mishap(rig, "spoil", role)


def _cause_mishap(rig: Rig, fault: Literal["fail", "spoil"], role: Client) -> Rows:
    client = rig.clients.client(role)

    def act() -> str:
        client.send(fault)
        reaction = until(
            lambda: client.latest.get("mishap"), _LIMIT_S, "the client did not report it"
        )
        return str(reaction)

    return (rig.log.attempt(fault, str(client), act, _TROUBLE),)


def cure(rig: Rig, role: Client) -> Rows:
    """Heals: the message can be processed; the evidence is that the client receives more records.

    A client that ended because of the message gets a successor instead.
    """
    client = rig.clients.client(role)
    if client.latest.get("stopped"):
        return replace_ended(rig, role)

    def act() -> str:
        before = client.latest.get("delivered", 0)
        client.send("cure")
        more = until(
            lambda: client.latest.get("delivered", 0) - before, _LIMIT_S, "it received no more"
        )
        return f"pid {client.pid} received {more:,} more records"

    return (rig.log.attempt("mend", str(client), act, _TROUBLE),)


def pause_client(rig: Rig, role: Client) -> Rows:
    """Stops a whole client by SIGSTOP, like a long garbage collection or a frozen machine.

    Its JVM, if it has one, is also stopped. The evidence is the kernel's state of every thread: T.
    """
    client = rig.clients.client(role)

    def act() -> str:
        _signal(client, signal.SIGSTOP)
        until(lambda: set(_threads(client)) == {"T"}, _LIMIT_S, "not all its threads were stopped")
        return f"pid {client.pid} state T in all {len(_threads(client))} threads"

    return (rig.log.attempt("pause", str(client), act, _TROUBLE),)


def pause_executor(rig: Rig, role: Client) -> Rows:
    """Makes a Spark query stop one of its executors by SIGSTOP, in the middle of a task.

    The evidence is the kernel's state of every thread, T, and the task that Spark had assigned.
    """
    client = rig.clients.client(role)

    def act() -> str:
        client.send("pause")
        return str(until(lambda: client.latest.get("paused"), _LIMIT_S, "no executor was stopped"))

    return (rig.log.attempt("pause", f"executor: {client.name}", act, _TROUBLE),)


def resume_executor(rig: Rig, role: Client) -> Rows:
    """Heals: the executor continues; the evidence is that none of its threads is stopped.

    The evidence includes the number of other attempts that Spark started meanwhile.
    """
    client = rig.clients.client(role)

    def act() -> str:
        client.send("resume")
        return str(until(lambda: client.latest.get("resumed"), _LIMIT_S, "it is still stopped"))

    return (rig.log.attempt("resume", f"executor: {client.name}", act, _TROUBLE),)


def resume_client(rig: Rig, role: Client) -> Rows:
    """Lets a held or paused client continue; the evidence is its report that it does."""
    client = rig.clients.held_client(role)

    def act() -> str:
        _signal(client, signal.SIGCONT)
        until(lambda: "T" not in _threads(client), _LIMIT_S, "its threads are still stopped")
        client.send("go")
        until(lambda: not client.latest.get("standing"), _LIMIT_S, "it is still held")
        return f"pid {client.pid} continues"

    return (rig.log.attempt("resume", str(client), act, _TROUBLE),)


def _signal(client: ClientProcess, number: signal.Signals) -> None:
    for pid in processes.process_tree(client.pid):
        os.kill(pid, number)


def _threads(client: ClientProcess) -> list[str]:
    pids = processes.process_tree(client.pid)
    return [state for pid in pids for state in processes.thread_states(pid)]


def kill_client(rig: Rig, role: Client) -> Rows:
    """Kills a client by SIGKILL where it is held, or else between two polls.

    The evidence is the kernel's wait status of this process.
    """
    client = rig.clients.client(role)

    def act() -> str:
        if not client.latest.get("written"):
            client.hold(WRITES_AT, _LIMIT_S)
        client.kill()
        if not client.killed:
            raise ClientFailed(f"pid {client.pid} ended with code {client.returncode}, not by us")
        return f"pid {client.pid} gone: its wait status says signal 9 (SIGKILL)"

    return (rig.log.attempt("kill", str(client), act, _TROUBLE),)


def lose_checkpoint(rig: Rig) -> Rows:
    """Deletes the checkpoint of a dead query; the evidence is that its folder is gone.

    A checkpoint that is stored outside the query's machines cannot be lost.
    """
    folder = rig.clients.checkpoint
    if folder is None:
        why = "application.checkpoint is durable: no machine of the query has it"
        return (rig.log.not_applicable("wipe", "checkpoint", why),)

    def act() -> str:
        batches = len(list(folder.glob("commits/[0-9]*")))
        shutil.rmtree(folder)
        if folder.exists():
            raise FileExistsError(f"{folder} is still there")
        return f"the folder is gone; it had {batches:,} finished batches"

    return (rig.log.attempt("wipe", "checkpoint", act, (OSError,)),)


def stop_client(rig: Rig, role: Client) -> Rows:
    """Stops a client gracefully: it finishes its work and ends, like an application at shutdown.

    The evidence is the exit code of its process, after its last report.
    """
    client = rig.clients.first_client(role)

    def act() -> str:
        client.ask_to_stop()
        client.await_end(_FINISH_S)
        return f"pid {client.pid} ended normally, with code {client.returncode}"

    return (rig.log.attempt("terminate", str(client), act, _TROUBLE),)


def prepare_deletion(rig: Rig) -> Rows:
    """Stops all clients before an operator deletes their topic; the reader first reads everything.

    If the team does not stop its clients, the reader's process is paused: it lags and does not even
    prefetch, like a slow reader on a busy machine.
    """
    if not rig.clients.stopped_for_operators:
        return pause_client(rig, "consumer")
    return (*stop_client(rig, "producer"), *stop_client(rig, "consumer"))


def resume_clients(rig: Rig) -> Rows:
    """Heals: stopped clients get successors, and a paused client continues."""
    if not rig.clients.stopped_for_operators:
        return resume_client(rig, "consumer")
    return (*start_successor(rig, "producer"), *start_successor(rig, "consumer"))


def misdate(rig: Rig, role: Client) -> Rows:
    """Replaces a client by a successor whose clock is ahead (simulated).

    The evidence is the configuration of its timestamps.
    """
    stopped = stop_client(rig, role)

    def act() -> str:
        ahead_ms = rig.clients.set_clock(right=False)
        client = rig.clients.start_successor(role)
        return f"{client.name}, pid {client.pid}, sets timestamps {ahead_ms:,} ms ahead"

    return (*stopped, rig.log.attempt("misdate", role, act, _TROUBLE))


def correct_clock(rig: Rig, role: Client) -> Rows:
    """Heals: another successor continues with a correct clock."""
    ahead = rig.clients.client(role)

    def act() -> str:
        ahead.ask_to_stop()
        ahead.await_end(_FINISH_S)
        rig.clients.set_clock(right=True)
        client = rig.clients.start_successor(role)
        return f"{client.name}, pid {client.pid}, sets correct timestamps"

    return (rig.log.attempt("restart", role, act, _TROUBLE),)


def start_successor(rig: Rig, role: Client) -> Rows:
    """Starts a client's successor; the evidence is its process, once it is ready."""

    def act() -> str:
        client = rig.clients.start_successor(role)
        if client.returncode is not None:
            raise ClientFailed(f"{client.name} ended with code {client.returncode}")
        return f"{client.name} runs: pid {client.pid}"

    return (rig.log.attempt("restart", role, act, _TROUBLE),)


def replace_ended(rig: Rig, role: Client) -> Rows:
    """Starts a successor if the client ended by itself; otherwise does nothing."""
    client = rig.clients.client(role)
    if not client.latest.get("stopped"):
        return ()
    client.await_end(_FINISH_S)
    return start_successor(rig, role)


def join(rig: Rig) -> Rows:
    """Starts one more member of a group; the evidence is its process, which asks to join."""

    def act() -> str:
        client = rig.clients.join()
        return f"{client.name} asks to join the group: pid {client.pid}"

    return (rig.log.attempt("join", "consumer", act, _TROUBLE),)
