"""A minimal Debian in a folder, with Python and make and nothing else that is optional."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from labs.engine.base.cache import cache_dir
from tests.house.files import ROOT, files, name

SUITE = "bookworm"
PACKAGES = "python3-venv,make,ca-certificates"
USER = 1234
HOME = Path("/home/some one")
PROJECT = HOME / "delivery lab"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
NETWORK_VARIABLES = ("PIP_CERT", "PIP_INDEX_URL", "http_proxy", "https_proxy", "no_proxy")
"""Environment variables that say how this machine reaches package registries."""

UNFINISHED = shutil.ignore_patterns(".*", "classes")
"""Ignores parts of the cache that may be under construction; the rest are finished jars."""

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


def missing_requirements() -> str:
    """The reason why no such machine can be made here; empty if one can."""
    if os.geteuid() != 0:
        return "only root may change the root folder of a process"
    missing = [tool for tool in _TOOLS if shutil.which(tool) is None]
    return f"{', '.join(missing)}: not installed" if missing else ""


class Machine:
    """A machine with the project at a path with spaces. Only set-up has a network.

    Each command runs in its own mount, network and process namespaces, which end with it.
    """

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        self._home = tree / HOME.relative_to("/")
        build = ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, str(tree)]
        subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
        for file in (CERTIFICATES, Path("/etc/resolv.conf"), Path("/etc/pip.conf")):
            if file.exists():
                shutil.copy(file, tree / file.relative_to("/"))
        # Debian's installer writes this file, debootstrap does not.
        (tree / "etc/hosts").write_text("127.0.0.1 localhost\n", "utf-8")
        user = ["--uid", str(USER), "--create-home", "--home-dir", str(HOME), "someone"]
        subprocess.run(["chroot", tree, "useradd", *user], check=True)
        for file in files():
            target = self._home / PROJECT.name / name(file)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)
        shutil.copytree(cache_dir(), self._home / ".cache" / "delivery-lab", ignore=UNFINISHED)

    def give_home_to(self, user: int) -> None:
        """Makes a user the owner of the home folder and everything in it."""
        subprocess.run(["chown", "-R", f"{user}:{user}", self._home], check=True)

    def run(
        self, user: int, *command: str, network: bool = False, limit_s: float = 3600
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command in the project's folder; `stdout` has all its output.

        Raises `subprocess.TimeoutExpired` after `limit_s`; all its processes have ended then.
        """
        namespaces = [
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            *(() if network else ("--net",)),
        ]
        network_variables = {
            key: os.environ[key] for key in NETWORK_VARIABLES if network and key in os.environ
        }
        variables = {"HOME": HOME, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"} | network_variables
        words = [f"{key}={value}" for key, value in variables.items()]
        inside = ["sh", "-c", _INSIDE, "sh", *command]
        return subprocess.run(
            ["unshare", *namespaces, "sh", "-c", _ENTER, "sh", self.tree, str(user), *words,
             *inside],
            cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit_s,
        )  # fmt: skip
