"""A minimal Debian in a folder: Python and make, and nothing else that one may have."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from labs.engine.base.cache import cache_dir
from tests.house.files import ROOT, files, name

SUITE = "bookworm"
HAS = "python3-venv,make,ca-certificates"
USER = 1234
HOME = Path("/home/some one")
PROJECT = HOME / "delivery lab"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
PIP = ("PIP_CERT", "PIP_INDEX_URL", "http_proxy", "https_proxy", "no_proxy")
"""How this machine reaches the packages, so far as its environment says it."""

UNFINISHED = shutil.ignore_patterns(".*", "classes")
"""Of the cache what somebody may be making at this moment; the rest are jars, which stay."""

_TOOLS = ("debootstrap", "unshare", "chroot", "ip")
_ENTER = """
set -e
mount --rbind /dev "$1/dev"
mount -t proc proc "$1/proc"
ip link set lo up
tree=$1 user=$2
shift 2
exec chroot --userspec="$user:$user" "$tree" env -i "$@"
"""
_INSIDE = 'cd "$HOME/delivery lab" && exec "$@"'


def why_not() -> str:
    """Why no such machine can be made here; empty if one can."""
    if os.geteuid() != 0:
        return "only root may change the root folder of a process"
    missing = [tool for tool in _TOOLS if shutil.which(tool) is None]
    return f"{', '.join(missing)}: not installed" if missing else ""


class Machine:
    """The project lies in it at a path with spaces; `network` ends where set-up ends.

    Its mounts, its network and its processes are namespaces that end with what was run.
    """

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        self._home = tree / HOME.relative_to("/")
        build = ["debootstrap", "--variant=minbase", f"--include={HAS}", SUITE, str(tree)]
        subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
        for file in (CERTIFICATES, Path("/etc/resolv.conf"), Path("/etc/pip.conf")):
            if file.exists():
                shutil.copy(file, tree / file.relative_to("/"))
        # Debian's installer writes it, debootstrap does not.
        (tree / "etc/hosts").write_text("127.0.0.1 localhost\n", "utf-8")
        user = ["--uid", str(USER), "--create-home", "--home-dir", str(HOME), "someone"]
        subprocess.run(["chroot", tree, "useradd", *user], check=True)
        for file in files():
            there = self._home / PROJECT.name / name(file)
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, there)
        shutil.copytree(cache_dir(), self._home / ".cache" / "delivery-lab", ignore=UNFINISHED)

    def belongs_to(self, user: int) -> None:
        """Gives a user all that lies in the home folder."""
        subprocess.run(["chown", "-R", f"{user}:{user}", self._home], check=True)

    def run(
        self, user: int, *command: str, network: bool = False, limit_s: float = 3600
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command in the project's folder; what it prints is `stdout`.

        Raises `subprocess.TimeoutExpired`; nothing that it started is left then.
        """
        apart = ["--mount", "--pid", "--fork", "--kill-child", *(() if network else ("--net",))]
        stated = {key: os.environ[key] for key in PIP if network and key in os.environ}
        by_name = {"HOME": HOME, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"} | stated
        words = [f"{key}={value}" for key, value in by_name.items()]
        inside = ["sh", "-c", _INSIDE, "sh", *command]
        return subprocess.run(
            ["unshare", *apart, "sh", "-c", _ENTER, "sh", self.tree, str(user), *words, *inside],
            cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit_s,
        )  # fmt: skip
