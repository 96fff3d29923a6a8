"""`manage.py up`: starts all services on one machine, until Ctrl-C."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import socket
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from advisor.management.exact import ExactCommand
from config import env, exposure, places, services
from config.redis_server import RedisMissing
from config.supervisor import ServiceFailed, Stopped, Supervisor
from labs.engine.base.wait import WaitTimeout, until
from labs.engine.cluster.prepare import prepare
from labs.engine.cluster.storage import FormatFailed
from labs.engine.distributions import distribution
from labs.engine.distributions.download import DownloadFailed
from labs.engine.distributions.java import JavaMissing, find_java

TAKEN = 2
"""The exit code if the port or the data folder cannot be used; nothing was started."""
_FAILURES = (
    ServiceFailed,
    RedisMissing,
    JavaMissing,
    DownloadFailed,
    distribution.WrongChecksum,
    FormatFailed,
)


class Command(ExactCommand):
    """Prepares missing files, starts the services, and runs until it is stopped."""

    help = "Start web, worker, Redis and database; print the address. Ctrl-C stops all of it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", help="where the web server listens (LAB_PORT, 8000)")
        parser.add_argument("--host", help="the address that it is bound to (LAB_HOST, loopback)")

    def handle(self, *_: Any, **options: Any) -> None:
        if options["port"] is None:
            port = env.integer("LAB_PORT", lambda: 8000, least=1, most=65535)
        else:
            port = _port(str(options["port"]))
        host = options["host"] or env.text("LAB_HOST", services.LOOPBACK)
        if refusal := exposure.refusal(host):
            raise CommandError(refusal, returncode=TAKEN)
        # Until the services run, a signal may interrupt anywhere, as Ctrl-C does.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            with _hold_data_folder(), _supervisor(self._say) as supervisor:
                _check_port(port, host)
                self._prepare()
                self._run(supervisor, port, host)
        except KeyboardInterrupt:
            self._say("Stopped before the start was complete")
        except Stopped:
            pass
        except _FAILURES as failure:
            raise CommandError(str(failure)) from None

    def _prepare(self) -> None:
        java = find_java()
        self._say(f"Java {java.version} ({java.origin})")
        prepare(self._say)

    def _run(self, supervisor: Supervisor, port: int, host: str) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: supervisor.stopping.set())
        if settings.REDIS_URL == settings.OWN_REDIS:
            supervisor.start(services.redis_service())
            supervisor.wait()
        else:
            _wait_for_given_redis()
        call_command("migrate", verbosity=0, interactive=False)
        supervisor.start(services.worker_service())
        supervisor.start(services.web_service(port, host))
        supervisor.wait()
        self._say(f"\nDelivery Lab is at http://{host}:{port}/ (Ctrl-C stops it)\n")
        supervisor.watch()

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def _port(value: str) -> int:
    if re.fullmatch("[0-9]{1,5}", value) and 1 <= int(value) <= 65535:
        return int(value)
    text = f"--port must be between 1 and 65535, not {value[:20]!r}: make up PORT=8000"
    raise CommandError(text, returncode=TAKEN)


@contextmanager
def _supervisor(say: Any) -> Iterator[Supervisor]:
    supervisor = Supervisor(say)
    try:
        yield supervisor
    finally:
        supervisor.stop()


@contextmanager
def _hold_data_folder() -> Iterator[None]:
    """Locks the data folder for this process; the kernel releases the lock however it ends."""
    path = settings.LAB_DATA_DIR / "up.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    # Runs, logs and the database are private to this user.
    os.umask(0o077)
    if path.parent.stat().st_uid == os.getuid():
        path.parent.chmod(0o700)
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise CommandError(
                f"Delivery Lab already runs on {settings.LAB_DATA_DIR} (process {file.read()}). "
                "Stop that process, or set LAB_DATA_DIR to another folder.",
                returncode=TAKEN,
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        try:
            yield
        finally:
            places.remove_sockets(settings.LAB_DATA_DIR)


def _check_port(port: int, host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CommandError(
                f"Port {port} of {host} cannot be used ({error.strerror}). "
                f"Choose another one: make up PORT={port + 1}",
                returncode=TAKEN,
            ) from None


def _wait_for_given_redis() -> None:
    try:
        until(services.redis_answers, 15, "The Redis of REDIS_URL does not answer")
    except WaitTimeout as timeout:
        raise ServiceFailed(f"{timeout}.") from None
