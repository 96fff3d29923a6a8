"""A house for tests: `manage.py up` with a temporary data folder and a free port."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

from labs.engine.base.processes import spawn
from labs.engine.base.wait import until

ROOT = Path(__file__).resolve().parent.parent.parent
START_LIMIT_S = 150  # jars may have to be fetched first


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def processes_of(data: Path) -> dict[int, str]:
    """The command lines of all living processes that use this data folder, by pid.

    They are found by their environment or command line, not by their parent, so orphans are
    included.
    """
    results = {}
    for proc in Path("/proc").glob("[0-9]*"):
        try:
            command = (proc / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            environment = (proc / "environ").read_bytes()
        except OSError:
            continue
        if command and (os.fsencode(data) in environment or str(data) in command):
            results[int(proc.name)] = command
    return results


class House:
    """One `manage.py up`; `output()` is what it has printed so far.

    It dies with the test session, even if that is killed and cannot clean up. It boots no brokers
    ahead, so every broker belongs to a run.
    """

    def __init__(self, data: Path, port: int) -> None:
        self.data, self.port = data, port
        data.mkdir(parents=True, exist_ok=True)
        self._log = data.parent / f"up-{port}.txt"
        env = {name: value for name, value in os.environ.items() if name != "REDIS_URL"}
        self._log.unlink(missing_ok=True)
        self.process = spawn(
            [sys.executable, ROOT / "manage.py", "up", "--port", str(port)],
            log=self._log,
            env={**env, "LAB_DATA_DIR": str(data), "LAB_WARM_POOL": "no"},
        )

    def output(self) -> str:
        return self._log.read_text(errors="replace")

    def says(self, text: str) -> bool:
        return text in self.output()

    def wait_until_ready(self) -> None:
        until(self._ready, START_LIMIT_S, "the address was not printed")

    def _ready(self) -> bool:
        assert self.process.poll() is None, self.output()
        return self.says(f"http://127.0.0.1:{self.port}/")

    def get(self, path: str = "/") -> tuple[int, str]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def pid_of(self, part: str) -> int | None:
        """The pid of the child of `up` whose command line contains `part`, or None."""
        children = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        child_pids = {int(pid) for file in children for pid in file.read_text().split()}
        numbers = [
            pid for pid, cmd in processes_of(self.data).items() if pid in child_pids and part in cmd
        ]
        return numbers[0] if numbers else None

    def replaced(self, part: str, pid: int) -> bool:
        """Whether that child has been replaced by another process."""
        return self.pid_of(part) not in (pid, None)

    def nothing_left(self, limit_s: float) -> None:
        """Waits until no process of this house is alive."""
        before = processes_of(self.data)
        until(lambda: not processes_of(self.data), limit_s, f"of {before} some are left")


@contextmanager
def house(data: Path, port: int | None = None):
    """Starts a house. At the end it is killed if it still runs, and must leave no process."""
    started = House(data, port or free_port())
    try:
        yield started
    finally:
        if started.process.poll() is None:
            started.process.kill()
        started.process.wait()
        started.nothing_left(20)
