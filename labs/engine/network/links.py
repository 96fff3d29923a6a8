"""The links between the nodes of a cluster: they can be cut, slowed, broken and mended."""

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
    """The proxy of the links did not respond; the message includes the end of its log."""


@dataclass(frozen=True, slots=True)
class FlowCounts:
    """The counts of flows since they were last impaired or mended.

    `waiting` bytes are held in `connections`. `late` pieces arrived and left since then, and
    `soonest_s` is the shortest time that one of them took. `bytes` left since then.
    """

    waiting: int
    connections: int
    late: int
    soonest_s: float | None
    bytes: int


@dataclass(frozen=True, slots=True)
class Severed:
    """The numbers of broken connections and of the bytes that were lost in them."""

    connections: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ProxyPort:
    """The advertised port of a listener (`at`), and the port on which the node listens (`to`)."""

    at: int
    to: int
    node: str
    listener: str


class Links:
    """A proxy process for all connections to nodes, through its ports.

    `homes` maps the working folder of each process of the cluster to its node id, by which the
    proxy identifies the source of a connection. The process dies with this process. Raises
    `LinksFailed` if it does not start.
    """

    def __init__(self, ports: Iterable[ProxyPort], homes: Mapping[Path, int], log: Path) -> None:
        self.impaired: dict[int, frozenset[Key]] = {}
        self._log, self._stopped = log, False
        self._lock = Lock()
        self._process = processes.spawn(
            [sys.executable, "-m", "labs.engine.network.proxy"], log=log, cwd=processes.ROOT,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        ids = {str(home.resolve()): str(id_) for home, id_ in homes.items()}
        self._exchange({"homes": ids, "doors": [asdict(port) for port in ports]})

    def impair(
        self, node: int, flows: Collection[Key], *,
        cut: bool = False, delay_s: float = 0, rate: float = 0,
    ) -> None:  # fmt: skip
        """Sets what happens to the bytes of these flows of a node, in all connections.

        `cut`: no byte passes, as if packets were dropped; nothing is closed or refused. `delay_s`:
        every byte is delayed. `rate`: bytes per second in each connection, 0 for no limit.
        `impaired` maps the node to these flows.
        """
        self.impaired[node] = self.impaired.get(node, frozenset()) | frozenset(flows)
        self._request("shape", flows, cut=cut, delay_s=delay_s, rate=rate)

    def mend(self, node: int) -> frozenset[Key]:
        """Mends the impaired flows of a node; returns these flows."""
        flows = self.impaired.pop(node)
        self._request("shape", flows, cut=False, delay_s=0, rate=0)
        return flows

    def sever(self, flows: Collection[Key]) -> Severed:
        """Breaks all connections of these flows; their waiting bytes are lost."""
        return Severed(**self._request("sever", flows))

    def counts(self, flows: Collection[Key]) -> FlowCounts:
        """Returns the counts of these flows since they were last impaired or mended."""
        return FlowCounts(**self._request("seen", flows))

    @property
    def pids(self) -> list[int]:
        """The ids of its processes."""
        return [self._process.pid]

    @property
    def lost(self) -> str:
        """How the proxy ended, in words, if not by `stop`; otherwise ''."""
        code = self._process.poll()
        if code is None or self._stopped:
            return ""
        return f"the proxy of the links {processes.describe_exit(code)}, and not by this run"

    def stop(self) -> None:
        """Ends the process, and with it all connections."""
        self._stopped = True
        processes.end(self._process, grace_s=0)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with suppress(BrokenPipeError):  # of bytes that it did not read
                    pipe.close()

    def _request(self, do: str, flows: Collection[Key], **options: Any) -> dict[str, Any]:
        return self._exchange({"do": do, "flows": sorted(flows), **options})

    def _exchange(self, message: dict[str, Any]) -> dict[str, Any]:
        pipes = self._process.stdin, self._process.stdout
        if not (pipes[0] and pipes[1]):
            raise LinksFailed("the proxy of the links has no pipes")
        with self._lock:
            try:
                pipes[0].write(json.dumps(message).encode() + b"\n")
                pipes[0].flush()
                output = pipes[1]
                until(lambda: select.select([output], [], [], 0)[0], ANSWER_S, "no answer", 0.005)
                answer: dict[str, Any] = json.loads(output.readline())
            except (OSError, ValueError, WaitTimeout) as error:
                text = self._log.read_text("utf-8", "replace") if self._log.exists() else ""
                raise LinksFailed(
                    f"the proxy of the links does not respond: {text[-1000:]}"
                ) from error
        return answer
