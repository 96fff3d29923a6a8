"""The links between the nodes of a cluster: cut, slow, break, mend, and count them."""

from __future__ import annotations

import json
import select
import subprocess
import sys
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from labs.engine.base import processes
from labs.engine.base.wait import WaitTimeout, until
from labs.engine.network.flows import Key

ANSWER_S = 10.0


class LinksFailed(OSError):
    """The proxy of the links did not do what was asked; the message has the end of its log."""


@dataclass(frozen=True, slots=True)
class FlowCounts:
    """What flows carried since they were impaired or mended last.

    Bytes that wait, and in how many connections; pieces that came in since and left, and the
    shortest time that one of them took; bytes that left.
    """

    waiting: int
    connections: int
    late: int
    soonest_s: float | None
    bytes: int


@dataclass(frozen=True, slots=True)
class Severed:
    """What was broken: connections, and bytes that were in them and are lost."""

    connections: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ProxyPort:
    """The advertised port of a listener, and the port on which the node really listens."""

    at: int
    to: int
    node: str
    listener: str


class Links:
    """A proxy process that every way into some nodes leads through, by its doors.

    `homes` maps the working folder of each process of the cluster to its node's id, which is how
    the proxy knows who connects. The process dies with us. Raises `LinksFailed` if it does not
    start.
    """

    def __init__(self, doors: Iterable[ProxyPort], homes: Mapping[Path, int], log: Path) -> None:
        self.impaired: dict[int, frozenset[Key]] = {}
        self._log, self._stopped = log, False
        self._lock = Lock()
        self._process = processes.spawn(
            [sys.executable, "-m", "labs.engine.network.proxy"], log=log, cwd=processes.ROOT,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        named = {str(home.resolve()): str(id_) for home, id_ in homes.items()}
        self._exchange({"homes": named, "doors": [asdict(door) for door in doors]})

    def impair(
        self, node: int, flows: Collection[Key], *,
        cut: bool = False, delay_s: float = 0, rate: float = 0,
    ) -> None:  # fmt: skip
        """What happens to the bytes of these flows of a node from now on, in all connections.

        `cut`: none passes, as if packets were dropped: nothing is closed and nothing refused.
        `delay_s`: each is that late. `rate`: so many bytes a second in each connection, 0 means
        as they come. `impaired` keeps which flows these were.
        """
        self.impaired[node] = self.impaired.get(node, frozenset()) | frozenset(flows)
        self._request("shape", flows, cut=cut, delay_s=delay_s, rate=rate)

    def mend(self, node: int) -> frozenset[Key]:
        """Makes whole what was impaired of a node; returns its flows."""
        flows = self.impaired.pop(node)
        self._request("shape", flows, cut=False, delay_s=0, rate=0)
        return flows

    def sever(self, flows: Collection[Key]) -> Severed:
        """Breaks all connections of these flows; data that waited in them is lost."""
        return Severed(**self._request("sever", flows))

    def counts(self, flows: Collection[Key]) -> FlowCounts:
        """What these flows have done since they were impaired or healed last."""
        return FlowCounts(**self._request("seen", flows))

    @property
    def pids(self) -> list[int]:
        """Its processes."""
        return [self._process.pid]

    @property
    def lost(self) -> str:
        """How it ended, in words, if that was not by `stop`; else ''."""
        code = self._process.poll()
        if code is None or self._stopped:
            return ""
        return f"the proxy of the links {processes.describe_exit(code)}, and not by this run"

    def stop(self) -> None:
        """Ends the process, and with it every connection."""
        self._stopped = True
        processes.end(self._process, grace_s=0)
        for wire in (self._process.stdin, self._process.stdout):
            if wire:
                with suppress(BrokenPipeError):  # of what it did not hear any more
                    wire.close()

    def _request(self, do: str, flows: Collection[Key], **options: Any) -> dict[str, Any]:
        return self._exchange({"do": do, "flows": sorted(flows), **options})

    def _exchange(self, message: dict[str, Any]) -> dict[str, Any]:
        wires = self._process.stdin, self._process.stdout
        if not (wires[0] and wires[1]):
            raise LinksFailed("the links have no wires")
        with self._lock:
            try:
                wires[0].write(json.dumps(message).encode() + b"\n")
                wires[0].flush()
                output = wires[1]
                until(lambda: select.select([output], [], [], 0)[0], ANSWER_S, "no answer", 0.005)
                answer: dict[str, Any] = json.loads(output.readline())
            except (OSError, ValueError, WaitTimeout) as silent:
                words = self._log.read_text("utf-8", "replace") if self._log.exists() else ""
                raise LinksFailed(f"the links do not answer: {words[-1000:]}") from silent
        return answer
