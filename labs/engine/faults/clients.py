"""Faults of client processes: held at a point of the work, paused, killed, continued, failing.

A client is killed only after it wrote its part of the ledger, so everything that it received and
handed over is known.
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
"""The point between two polls, which every client comes to; it writes its ledger there."""

_TROUBLE = (ClientFailed, WaitTimeout)
_LIMIT_S = 30.0
_FINISH_S = 25.0
"""Less than a producer's own 30 s for its last sends: what it cuts off after these is excused, as
if the run had ended. Here the run goes on, and an application has lost it."""


def hold(rig: Rig, role: Client, point: str) -> Rows:
    """Holds a client at a point of its work; evidence is its report from there."""
    client = rig.clients.client(role)

    def act() -> str:
        return f"it stands at {point}: {client.hold(point, _LIMIT_S)}"

    return (rig.log.attempt("hold", str(client), act, _TROUBLE),)


def fail(rig: Rig, role: Client) -> Rows:
    """Makes the work of a client fail where it stands; evidence is what it says it did then."""
    return _mishap(rig, "fail", role)


def spoil(rig: Rig, role: Client) -> Rows:
    """Makes the first message in hand unprocessable; evidence is what the client does about it."""
    return _mishap(rig, "spoil", role)


def _mishap(rig: Rig, fault: Literal["fail", "spoil"], role: Client) -> Rows:
    client = rig.clients.client(role)

    def act() -> str:
        client.send(fault)
        answer = until(lambda: client.latest.get("mishap"), _LIMIT_S, "nothing was heard of it")
        return str(answer)

    return (rig.log.attempt(fault, str(client), act, _TROUBLE),)


def cure(rig: Rig, role: Client) -> Rows:
    """Heals: the message can be processed; evidence is that the client is handed more.

    One that ended by itself over it has a successor instead.
    """
    client = rig.clients.client(role)
    if client.latest.get("stopped"):
        return replace_ended(rig, role)

    def act() -> str:
        before = client.latest.get("delivered", 0)
        client.send("cure")
        more = until(
            lambda: client.latest.get("delivered", 0) - before, _LIMIT_S, "it was handed no more"
        )
        return f"pid {client.pid} was handed {more:,} more records"

    return (rig.log.attempt("mend", str(client), act, _TROUBLE),)


def pause_client(rig: Rig, role: Client) -> Rows:
    """Stops a whole client by SIGSTOP, as a long collection or a frozen machine would.

    Its JVM, if it has one, is stopped with it. Evidence is the kernel's state of every thread: T.
    It writes its ledger down first.
    """
    client = rig.clients.client(role)

    def act() -> str:
        _signal(client, signal.SIGSTOP)
        until(lambda: set(_threads(client)) == {"T"}, _LIMIT_S, "not all its threads were stopped")
        return f"pid {client.pid} state T in all {len(_threads(client))} threads"

    return (rig.log.attempt("pause", str(client), act, _TROUBLE),)


def pause_executor(rig: Rig, role: Client) -> Rows:
    """Makes a Spark query stop one of its executors by SIGSTOP, in the middle of a task.

    Evidence is the kernel's state of every thread, T, and which task Spark had given to it.
    """
    client = rig.clients.client(role)

    def act() -> str:
        client.send("pause")
        return str(until(lambda: client.latest.get("paused"), _LIMIT_S, "no executor was stopped"))

    return (rig.log.attempt("pause", f"executor: {client.name}", act, _TROUBLE),)


def resume_executor(rig: Rig, role: Client) -> Rows:
    """Heals: it continues; evidence is that none of its threads is stopped.

    The evidence also has how many other attempts Spark started meanwhile.
    """
    client = rig.clients.client(role)

    def act() -> str:
        client.send("resume")
        return str(until(lambda: client.latest.get("resumed"), _LIMIT_S, "it is still stopped"))

    return (rig.log.attempt("resume", f"executor: {client.name}", act, _TROUBLE),)


def resume_client(rig: Rig, role: Client) -> Rows:
    """Lets a client continue that is held or paused; evidence is its report that it does."""
    client = rig.clients.held_client(role)

    def act() -> str:
        _signal(client, signal.SIGCONT)
        until(lambda: "T" not in _threads(client), _LIMIT_S, "its threads are still stopped")
        client.send("go")
        until(lambda: not client.latest.get("standing"), _LIMIT_S, "it still stands")
        return f"pid {client.pid} goes on"

    return (rig.log.attempt("resume", str(client), act, _TROUBLE),)


def _signal(client: ClientProcess, number: signal.Signals) -> None:
    for pid in processes.process_tree(client.pid):
        os.kill(pid, number)


def _threads(client: ClientProcess) -> list[str]:
    pids = processes.process_tree(client.pid)
    return [state for pid in pids for state in processes.thread_states(pid)]


def kill_client(rig: Rig, role: Client) -> Rows:
    """Kills a client by SIGKILL where it stands, or between two polls.

    Evidence is the wait status that the kernel gave for exactly this process.
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
    """Deletes the checkpoint of a query that is dead; evidence is that its folder is gone.

    A checkpoint that is kept outside the query's machines cannot be lost.
    """
    folder = rig.clients.checkpoint
    if folder is None:
        why = "application.checkpoint is durable: it is lost with no machine of the query"
        return (rig.log.not_applicable("wipe", "checkpoint", why),)

    def act() -> str:
        batches = len(list(folder.glob("commits/[0-9]*")))
        shutil.rmtree(folder)
        if folder.exists():
            raise FileExistsError(f"{folder} is still there")
        return f"the folder is gone; batches that it called done: {batches:,}"

    return (rig.log.attempt("wipe", "checkpoint", act, (OSError,)),)


def stop_client(rig: Rig, role: Client) -> Rows:
    """Stops a client gracefully: it finishes its work and ends, like an application at shutdown.

    Evidence is its process's exit code, after its last word.
    """
    client = rig.clients.first_client(role)

    def act() -> str:
        client.ask_to_stop()
        client.await_end(_FINISH_S)
        return f"pid {client.pid} ended in an orderly way, with code {client.returncode}"

    return (rig.log.attempt("terminate", str(client), act, _TROUBLE),)


def prepare_deletion(rig: Rig) -> Rows:
    """Stops all clients before an operator deletes their topic, the reader once it has read all.

    Where the team does not stop them, the reader's process is paused: it is behind then, and does
    not even fetch ahead, as the process of a slow reader on a busy machine.
    """
    if not rig.clients.stopped_for_operators:
        return pause_client(rig, "consumer")
    return (*stop_client(rig, "producer"), *stop_client(rig, "consumer"))


def resume_clients(rig: Rig) -> Rows:
    """Heals: clients that were stopped are started again, and one that was paused goes on."""
    if not rig.clients.stopped_for_operators:
        return resume_client(rig, "consumer")
    return (*start_successor(rig, "producer"), *start_successor(rig, "consumer"))


def misdate(rig: Rig, role: Client) -> Rows:
    """Replaces a client by a successor whose clock is ahead (simulated).

    Evidence is the configuration of its timestamps.
    """
    stopped = stop_client(rig, role)

    def act() -> str:
        ahead_ms = rig.clients.set_clock(right=False)
        client = rig.clients.start_successor(role)
        return f"{client.name}, pid {client.pid}, gives timestamps {ahead_ms:,} ms ahead"

    return (*stopped, rig.log.attempt("misdate", role, act, _TROUBLE))


def correct_clock(rig: Rig, role: Client) -> Rows:
    """Heals: another successor continues with a correct clock."""
    ahead = rig.clients.client(role)

    def act() -> str:
        ahead.ask_to_stop()
        ahead.await_end(_FINISH_S)
        rig.clients.set_clock(right=True)
        client = rig.clients.start_successor(role)
        return f"{client.name}, pid {client.pid}, gives the right time"

    return (rig.log.attempt("restart", role, act, _TROUBLE),)


def start_successor(rig: Rig, role: Client) -> Rows:
    """Starts a client's successor; evidence is its process, once it was ready."""

    def act() -> str:
        client = rig.clients.start_successor(role)
        if client.returncode is not None:
            raise ClientFailed(f"{client.name} ended with code {client.returncode}")
        return f"{client.name} runs: pid {client.pid}"

    return (rig.log.attempt("restart", role, act, _TROUBLE),)


def replace_ended(rig: Rig, role: Client) -> Rows:
    """Starts a successor if the client ended by itself; else does nothing."""
    client = rig.clients.client(role)
    if not client.latest.get("stopped"):
        return ()
    client.await_end(_FINISH_S)
    return start_successor(rig, role)


def join(rig: Rig) -> Rows:
    """Starts one more member of a group; evidence is its process, which asks for its part."""

    def act() -> str:
        client = rig.clients.join()
        return f"{client.name} asks the group for its part: pid {client.pid}"

    return (rig.log.attempt("join", "consumer", act, _TROUBLE),)
