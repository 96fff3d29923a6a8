"""Network namespaces of our own: made where the kernel lets us, gone with their last user.

A namespace is kept by a descriptor (namespaces(7)): when this process dies, and with it what it
started, nothing is left of it, its interfaces included. All of them belong to one user namespace,
in which we may set up interfaces although we may not outside (user_namespaces(7)).
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

from labs.engine.base import processes
from labs.engine.base.processes import Namespaces

_MADE_S = 10.0
_TOOLS = ("ip", "unshare")


class CannotMake(OSError):
    """Namespaces cannot be made here; says why."""


@dataclass(frozen=True, slots=True)
class Room:
    """A network namespace, and the user namespace that it belongs to, by open descriptors."""

    user: int
    network: int

    @classmethod
    def make(cls, beside: Room | None = None) -> Self:
        """A new one, in the user namespace of another or in one of its own. Raises `CannotMake`."""
        own = () if beside else ("--user", "--map-root-user")
        keeper = processes.spawn(
            ["unshare", *own, "--net", "cat"], log=Path(os.devnull), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, within=(beside.user,) if beside else (),
        )  # fmt: skip
        try:
            _await_inside(keeper)
            place = Path(f"/proc/{keeper.pid}/ns")
            user = os.dup(beside.user) if beside else _open(place / "user")
            return cls(user, _open(place / "net"))
        finally:
            processes.end(keeper, grace_s=0)
            for wire in (keeper.stdin, keeper.stdout):
                if wire:
                    wire.close()

    @property
    def within(self) -> Namespaces:
        """For `processes.spawn`."""
        return (self.user, self.network)

    def configure(self, *commands: str, peers: Sequence[Room] = ()) -> None:
        """Has `ip` do these in the namespace, one after another; `reach` names one of `peers`.

        Raises `CannotMake`.
        """
        ip = processes.spawn(
            ["sh", "-c", "exec ip -batch - 2>&1"], log=None, within=self.within,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, sockets=[each.network for each in peers],
        )  # fmt: skip
        said, _ = ip.communicate("".join(f"{each}\n" for each in commands).encode(), _MADE_S)
        if ip.returncode:
            raise CannotMake(f"ip could not do {'; '.join(commands)}: {said.decode()}")

    @property
    def reach(self) -> str:
        """The namespace in a command for another one, whose peer it is."""
        return f"/proc/self/fd/{self.network}"

    def close(self) -> None:
        """Gives it up; it is gone when nothing runs in it any more."""
        for each in self.within:
            with suppress(OSError):
                os.close(each)


def _await_inside(keeper: subprocess.Popen[bytes]) -> None:
    """Waits until it is in its namespaces: it answers only then."""
    if not (keeper.stdin and keeper.stdout):
        raise CannotMake("the keeper of a namespace has no wires")
    with suppress(BrokenPipeError):
        os.write(keeper.stdin.fileno(), b"\n")
    answers, _, _ = select.select([keeper.stdout], [], [], _MADE_S)
    if not answers or keeper.stdout.readline() != b"\n":
        raise CannotMake("unshare: this process may make no network namespaces")


def _open(namespace: Path) -> int:
    return os.open(namespace, os.O_RDONLY | os.O_CLOEXEC)


@cache
def why_not() -> str:
    """Why this process makes no namespaces for links; empty if it does. Tried once.

    `LAB_NAMESPACES=no` does without.
    """
    if os.environ.get("LAB_NAMESPACES", "yes").strip().lower() in ("no", "0", "false", "off"):
        return "LAB_NAMESPACES=no"
    if missing := [tool for tool in _TOOLS if shutil.which(tool) is None]:
        return f"{' and '.join(missing)}: not installed"
    try:
        one = Room.make()
        other = Room.make(one)
    except OSError as refused:
        return str(refused)
    try:
        one.configure(f"link add one type veth peer name two netns {other.reach}", peers=[other])
    except OSError as refused:
        return str(refused)
    finally:
        one.close()
        other.close()
    return ""
