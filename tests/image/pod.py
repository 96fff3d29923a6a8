"""Runs the services of docker-compose.yml without a container engine, in namespaces.

Their root folder is a tmpfs with this machine's system folders and with the project, its packages
and its jars at the image's paths. They have a network of their own, so every service gets its port,
and a process namespace, so all of them end with it. /etc/hosts has the names of the services.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from labs.engine.base.cache import cache_dir
from labs.engine.base.processes import end, process_tree, spawn
from labs.engine.base.wait import until
from tests.bare.machine import UNFINISHED
from tests.house.files import ROOT
from tests.image import image
from tests.postgresql.server import PROGRAMS

LAB = 10001
_TOOLS = ("unshare", "nsenter", "chroot", "ip", "redis-server", "redis-cli")
_SYSTEM = ("bin", "dev", "etc", "lib", "lib64", "sbin", "sys", "usr")

_BEGIN = """
set -e
root=$1 stage=$2 venv=$3 python=$4
mount -t tmpfs -o mode=755 none "$root"
shift 4
for each; do
  [ -e "/$each" ] || continue
  mkdir "$root/$each"
  mount --rbind "/$each" "$root/$each"
done
mkdir "$root/proc" "$root/run" "$root/tmp" "$root/app" "$root/venv" "$root/cache" "$root/data"
mkdir -p "$root/run/postgresql" "$root/srv/static" "$root$venv" "$root$python" "$root/state"
mkdir "$root/var"
ln -s /run "$root/var/run"
chmod 1777 "$root/tmp"
mount -t proc proc "$root/proc"
mount --bind "$stage/app" "$root/app"
mount --bind "$stage/cache" "$root/cache"
mount --bind "$stage/static" "$root/srv/static"
mount --bind "$stage/data" "$root/data"
mount --bind "$stage/state" "$root/state"
mount --bind "$stage/hosts" "$root/etc/hosts"
mount --bind "$venv" "$root/venv"
mount --bind "$venv" "$root$venv"
mount --bind "$python" "$root$python"
chown postgres "$root/run/postgresql"
ip link set lo up
echo ready
exec cat
"""


def missing_requirements() -> str:
    """The reason why no pod can be made here; empty if one can."""
    if os.geteuid() != 0:
        return "only root may change the root folder of a process"
    missing = [tool for tool in _TOOLS if shutil.which(tool) is None]
    if not (PROGRAMS / "initdb").exists():
        missing.append("postgresql")
    return f"{', '.join(missing)}: not installed" if missing else ""


class Pod:
    """A pod with its files in `folder`. It ends with `close`, or when the test session dies."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        stage = folder / "stage"
        _lay_out(stage)
        (root := folder / "root").mkdir()
        namespaces = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child"]
        venv = Path(sys.prefix).resolve()
        paths: list[str | Path] = [root, stage, venv, Path(sys.base_prefix), *_SYSTEM]
        self._keeper = spawn(
            [*namespaces, "sh", "-c", _BEGIN, "sh", *paths], log=folder / "pod.log",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert self._keeper.stdout is not None
        assert self._keeper.stdout.readline() == b"ready\n", (folder / "pod.log").read_text()
        children = Path(f"/proc/{self._keeper.pid}/task/{self._keeper.pid}/children")
        (inside,) = children.read_text().split()
        self._enter = ["nsenter", "--target", inside, "--mount", "--net", "--pid", "--"]
        self._enter += ["chroot"]
        self._root = root
        self._started: dict[str, subprocess.Popen[bytes]] = {}
        self._env: dict[str, Mapping[str, str] | None] = {}

    def start(
        self, name: str, argv: Sequence[str], *, user: str = str(LAB), cwd: str = "/app",
        env: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        """Starts a service; its output goes to its own log."""
        words = self._words(argv, user, cwd, env)
        self._env[name] = env
        self._started[name] = spawn(words, log=self.folder / f"{name}.log")

    def run(
        self, argv: Sequence[str], *, user: str = str(LAB), cwd: str = "/app",
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:  # fmt: skip
        """Runs a command for at most 120 s; `stdout` has all its output."""
        return subprocess.run(
            self._words(argv, user, cwd, env), text=True, timeout=120,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def healthy(self, name: str, check: Sequence[str], limit_s: float) -> None:
        """Waits until a service's health check succeeds; it has the variables of the service."""

        def succeeds() -> bool:
            assert self._started[name].poll() is None, self.log(name)
            return self.run(check, env=self._env[name]).returncode == 0

        until(succeeds, limit_s, f"{name} is not healthy", every_s=1.0)

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")[-4000:]

    def processes(self, word: str) -> list[int]:
        """The pids outside of the pod of its processes with this word in their command.

        Parents come first.
        """
        pids = [
            pid
            for process in (*self._started.values(), self._keeper)
            for pid in process_tree(process.pid)
        ]
        return [pid for pid in pids if word.encode() in _command(pid)]

    def close(self) -> None:
        for process in (*self._started.values(), self._keeper):
            end(process, 20)

    def _words(
        self, argv: Sequence[str], user: str, cwd: str, env: Mapping[str, str] | None
    ) -> list[str | Path]:
        stated = {**image.environment(), **(env or {}), "HOME": "/tmp"}
        stated["PATH"] = f"{PROGRAMS}:{stated['PATH']}"
        inside = ["sh", "-c", f'cd {cwd} && exec "$@"', "sh", *argv]
        group = user if user in ("root", "postgres") else "nogroup"
        words = ["env", "-i", *(f"{key}={value}" for key, value in stated.items()), *inside]
        return [*self._enter, f"--userspec={user}:{group}", self._root, *words]


def _command(pid: int) -> bytes:
    """The command line of a process; empty if it is gone or a zombie."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _lay_out(stage: Path) -> None:
    """Creates the folders of the image. LAB owns the cache and the data, not the project."""
    for path in image.content():
        (target := stage / "app" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, target)
    shutil.copytree(cache_dir(), stage / "cache", ignore=UNFINISHED)
    for folder_name in ("data", "state", "static"):
        (stage / folder_name).mkdir()
    names = " ".join(["localhost", *image.services()])
    (stage / "hosts").write_text(f"127.0.0.1 {names}\n")
    (stage / "state").chmod(0o777)
    (stage / "data").chmod(0o700)
    for owned in (stage / "data", stage / "cache", *(stage / "cache").rglob("*")):
        os.chown(owned, LAB, LAB, follow_symlinks=False)
