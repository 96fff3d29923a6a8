"""A client process, seen from its owner: its reports, and how to hold, stop and kill it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from labs.engine.base import processes
from labs.engine.base.wait import WaitTimeout, until

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_LAST_REPORTS_S, _LAST_REPORT_OF_FAILED_S = 5.0, 0.5


class ClientFailed(Exception):
    """A client process ended unexpectedly; the message includes the end of its log."""


class ClientProcess:
    """`python -m labs.engine.clients.<module>` with its configuration, log and reports.

    It dies with this process (`processes.spawn`). `latest` holds the latest value of each reported
    field. `name` distinguishes several processes of one module; by default it is the module's name.
    """

    def __init__(
        self, module: str, config: DataclassInstance, folder: Path, logs: Path, name: str = ""
    ) -> None:
        self.module, self.name = module, name or module
        self.latest: dict[str, Any] = {}
        self._log = logs / f"{self.name}.log"
        self._killed_by_us = False
        self._timeout_text = ""
        path = folder / f"{self.name}.json"
        path.write_text(json.dumps(asdict(config)), "utf-8")
        self._process = processes.spawn(
            [sys.executable, "-m", f"labs.engine.clients.{module}", path],
            log=self._log, cwd=processes.ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self._listener = Thread(target=self._listen, name=f"listen-{self.name}", daemon=True)
        self._listener.start()

    def __str__(self) -> str:
        """Returns its module and name (`consumer: consumer-1`), as faults name their targets."""
        return f"{self.module}: {self.name}"

    @property
    def pid(self) -> int:
        return self._process.pid

    def _listen(self) -> None:
        for line in self._process.stdout or ():
            self.latest = {**self.latest, **json.loads(line)}

    def await_ready(self, limit_s: float) -> None:
        """Waits until it has reported `ready`; it may have ended normally since then.

        Raises `ClientFailed` or `WaitTimeout`.
        """

        def ready() -> bool:
            if self._process.poll() is not None:
                self._listener.join(_LAST_REPORTS_S)
                if self._process.returncode or not self.latest.get("ready"):
                    raise self._failure()
            return bool(self.latest.get("ready"))

        until(ready, limit_s, f"the {self.name} was not ready",
              awaits=f"for {self.name} to be ready")  # fmt: skip

    @property
    def returncode(self) -> int | None:
        """None while it runs; negative if a signal ended it."""
        return self._process.poll()

    @property
    def killed(self) -> bool:
        """Whether our SIGKILL ended it; a SIGKILL from outside is a failure."""
        return self._killed_by_us and self.returncode == -signal.SIGKILL

    @property
    def lost(self) -> str:
        """How it or its JVM ended, in words, if the run did not cause the end; otherwise ''.

        A client that ends normally says so in its last report. Its ledger is complete by then, so
        the end of its process no longer matters.
        """
        if lost := self.latest.get("lost"):
            return f"{lost[0]} of the {self.name} {lost[1]}, and not by this run"
        code = self.returncode
        if code is None or self.killed:
            return ""
        if not self.latest.get("ended"):  # or the report has not arrived yet
            self._listener.join(_LAST_REPORTS_S if code == 0 else _LAST_REPORT_OF_FAILED_S)
        if self.latest.get("ended"):
            return ""
        return f"the {self.name} {processes.describe_exit(code)}, and not by this run"

    def hold(self, point: str, limit_s: float) -> str:
        """Holds it at a point of its work; returns its report from there.

        Raises `ClientFailed` or `WaitTimeout`.
        """
        self.send(f"hold {point}")

        def is_held() -> bool:
            if self.returncode is not None:
                raise self._failure()
            return self.latest.get("standing") == point

        until(is_held, limit_s, f"the {self.name} did not come to `{point}`",
              awaits=f"for {self.name} to come to `{point}`")  # fmt: skip
        return str(self.latest.get("stands", point))

    def send(self, line: str) -> None:
        """Sends it one command line (`clients.control`); does nothing if it has died."""
        if self._process.stdin is None or self._process.stdin.closed:
            return
        with suppress(BrokenPipeError):
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()

    def ask_to_stop(self) -> None:
        """Closes its standard input, upon which a client finishes its work."""
        if self._process.stdin:
            with suppress(BrokenPipeError):  # of a dead process: commands are left in the buffer
                self._process.stdin.close()

    def await_end(self, limit_s: float) -> dict[str, Any]:
        """Waits up to `limit_s` seconds until it has ended; returns `latest`.

        Raises `ClientFailed` if it is still running then, or ended without its last report.
        """
        try:
            until(lambda: self.returncode is not None, limit_s, f"the {self.name} has not ended",
                  awaits=f"for {self.name} to finish")  # fmt: skip
        except WaitTimeout:
            self.kill()
            self._timeout_text = f"the {self.name} did not finish in {limit_s:g} s{self._failures}"
            raise self._failure() from None
        self._listener.join(_LAST_REPORTS_S)
        if not self.latest.get("ended"):
            raise self._failure()
        return self.latest

    def kill(self) -> None:
        """Ends it immediately by SIGKILL, if it is still running."""
        self._killed_by_us = self._killed_by_us or self.returncode is None
        processes.end(self._process, grace_s=0)
        self.ask_to_stop()  # too late for the process, but closes the pipe

    @property
    def _failures(self) -> str:
        """The number of failed sends, in words; the application may be sending them again."""
        sent, failed = self.latest.get("sent", 0), self.latest.get("failed", 0)
        return f": {failed:,} of its {sent:,} sends failed" if failed else ""

    def _failure(self) -> ClientFailed:
        """Returns the error for a process that ended or overran, with the end of its log."""
        if self._timeout_text:
            return ClientFailed(self._timeout_text)
        text = self._log.read_text("utf-8", "replace").strip() if self._log.exists() else ""
        why = self.lost or f"the {self.name} ended with code {self.returncode}"
        return ClientFailed(f"{why}:\n{text[-2000:]}")
