"""Starts a few processes in order, keeps them alive, and ends them together.

Every child is bound to this process by the kernel (`labs.engine.base.processes.spawn`), so that
none is left even after `kill -9`. The supervisor waits until each one answers,
restarts those that die, and ends all in reverse order.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from config import logs
from labs.engine.base.processes import end, spawn
from labs.engine.base.wait import WaitTimeout, until

TAIL_LINES = 20
LOGS_EVERY_S = 5.0
RESTARTS = 3
RESTARTS_WITHIN_S = 300.0
PAUSE_S = 60.0
"""The pause before a non-vital service that died too often is started again."""


class ServiceFailed(Exception):
    """A service did not start, or died too often; the message ends with the tail of its log."""


class Stopped(Exception):
    """A stop was requested while we were waiting for a service."""


@dataclass(frozen=True, slots=True)
class Service:
    """A process to run. `answers` returns whether it is ready, and is polled for `limit_s` seconds.

    `grace_s` is the time between SIGTERM and SIGKILL at the end. If one that is not `vital`
    dies too often, the others stay up.
    """

    name: str
    argv: Sequence[str]
    log: Path
    answers: Callable[[], bool]
    limit_s: float
    grace_s: float
    env: Mapping[str, str]
    vital: bool = True


@dataclass(slots=True)
class _Running:
    service: Service
    process: subprocess.Popen[bytes]
    deaths: list[float] = field(default_factory=list)
    paused_until: float = 0.0


class Supervisor:
    """Runs services. Not thread-safe, except for `stopping`, which a signal handler may set."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.stopping = threading.Event()
        self._say = say
        self.running: list[_Running] = []

    def start(self, service: Service) -> None:
        """Starts a service without waiting. Its log starts empty; the previous one is kept."""
        service.log.parent.mkdir(parents=True, exist_ok=True)
        if service.log.exists():
            service.log.replace(logs.before(service.log))
        self.running.append(_Running(service, self._spawn(service)))

    def wait(self) -> None:
        """Returns when every started service answers. Raises `ServiceFailed` or `Stopped`."""
        for running in self.running:
            service = running.service
            try:
                until(
                    partial(self._answers, running),
                    service.limit_s,
                    f"The {service.name} does not answer",
                    every_s=0.1,
                )
            except WaitTimeout as timeout:
                raise ServiceFailed(f"{timeout}.{tail(service.log)}") from None

    def watch(self) -> None:
        """Keeps the services alive, and their logs bounded, until `stopping` is set.

        Raises `ServiceFailed`.
        """
        checked_at = 0.0
        while not self.stopping.wait(0.25):
            if time.monotonic() - checked_at >= LOGS_EVERY_S:
                checked_at = time.monotonic()
                for running in self.running:
                    logs.bound(running.service.log)
            for running in self.running:
                is_due = time.monotonic() >= running.paused_until
                if is_due and running.process.poll() is not None:
                    self._restart(running)

    def stop(self) -> None:
        """Ends all services, the last started first. Never raises for a child that has ended."""
        while self.running:
            running = self.running.pop()
            if running.process.poll() is None:
                self._say(f"Ending the {running.service.name}")
            end(running.process, running.service.grace_s)

    def _spawn(self, service: Service) -> subprocess.Popen[bytes]:
        return spawn(service.argv, log=service.log, env=service.env)

    def _answers(self, running: _Running) -> bool:
        if self.stopping.is_set():
            raise Stopped
        if running.process.poll() is not None:
            service = running.service
            raise ServiceFailed(
                f"The {service.name} ended{_exit_words(running)}.{tail(service.log)}"
            )
        return running.service.answers()

    def _restart(self, running: _Running) -> None:
        service, now = running.service, time.monotonic()
        running.deaths = [at for at in running.deaths if now - at < RESTARTS_WITHIN_S] + [now]
        ended = f"The {service.name} ended{_exit_words(running)}"
        if running.paused_until:
            running.paused_until, running.deaths = 0.0, [now]
            self._say(f"Starting the {service.name} again")
            running.process = self._spawn(service)
            return
        if len(running.deaths) > RESTARTS and not service.vital:
            running.paused_until = now + PAUSE_S
            text = f"the rest stays up, and the next try is in {PAUSE_S:.0f} s"
            self._say(f"{ended}, too often: {text}.{tail(service.log)}")
            return
        if len(running.deaths) > RESTARTS:
            raise ServiceFailed(f"{ended}, too often.{tail(service.log)}")
        self._say(f"{ended}: starting it again ({len(running.deaths)} of {RESTARTS})")
        running.process = self._spawn(service)


def tail(log: Path) -> str:
    """Returns the last lines of a log, indented below its name; or that it is empty."""
    try:
        lines = log.read_text(errors="replace").splitlines()[-TAIL_LINES:]
    except OSError:
        lines = []
    if not lines:
        return f" It wrote nothing to {log}."
    return f" The end of {log}:\n" + "\n".join(f"    {line}" for line in lines)


def _exit_words(running: _Running) -> str:
    code = running.process.returncode
    return f" by signal {-code}" if code < 0 else f" with exit code {code}"
