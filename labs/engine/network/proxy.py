"""The links of one cluster, as a separate process: `python -m labs.engine.network.proxy`.

Every address that a node of the cluster advertises is a port of this process. It forwards the bytes
between that port and the node, in both directions, and can hold, delay, throttle or lose them.
Loopback only.

The first line of standard input lists the ports; each further line is a command. Each line gets a
response line (all JSON). The process ends when its standard input ends.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from labs.engine.network.flows import Flow, Key, Pipe, report
from labs.engine.network.sources import Sources

CLIENTS = "clients"
"""The name of all processes outside the cluster."""
_LOOPBACK = "127.0.0.1"

Action = Callable[..., dict[str, Any]]
"""Executes one command for these flows, and returns the response."""


class Proxy:
    """The open ports, and the connections through them."""

    def __init__(self, homes: dict[str, str]) -> None:
        self._sources = Sources(homes)
        self._flows: dict[Key, Flow] = defaultdict(Flow)
        self._connections: dict[asyncio.Task[None], tuple[Pipe, Pipe, frozenset[Key]]] = {}

    async def open(self, ports: list[dict[str, Any]]) -> None:
        """Opens ports, with the fields of `links.ProxyPort`."""
        for port in ports:
            await asyncio.start_server(partial(self._connect, port), _LOOPBACK, port["at"])

    def shape(self, flows: list[Key], cut: bool, delay_s: float, rate: float) -> dict[str, Any]:
        """Shapes these flows at the same moment."""
        for key in flows:
            self._flows[key].shape(cut, delay_s, rate)
        return {}

    def counts(self, flows: list[Key]) -> dict[str, Any]:
        """Returns the counts of these flows since they were last shaped."""
        rows = [self._flows[key] for key in flows]
        waiting = (pipe.waiting for flow in rows for pipe in flow.pipes)
        return report((flow.tally for flow in rows), waiting)

    def sever(self, flows: list[Key]) -> dict[str, Any]:
        """Breaks every connection of these flows; their waiting bytes are lost."""
        broken = [
            (task, pipes)
            for task, (*pipes, keys) in self._connections.items()
            if not keys.isdisjoint(flows)
        ]
        lost = sum(pipe.waiting for _, pipes in broken for pipe in pipes)
        for task, _ in broken:
            task.cancel()
        return {"connections": len(broken), "bytes": lost}

    async def _connect(
        self, port: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        peer = writer.get_extra_info("peername")[1]
        # In a thread, so that other connections do not wait for it.
        name = await asyncio.to_thread(self._sources.process_name, peer, port["at"])
        source, node = name or CLIENTS, port["node"]
        try:
            inner_reader, inner_writer = await asyncio.open_connection(_LOOPBACK, port["to"])
        except OSError:  # the node is dead
            writer.transport.abort()
            return
        there, back = (source, node, port["listener"]), (node, source, port["listener"])
        request = Pipe(self._flows[there], reader, inner_writer)
        answer = Pipe(self._flows[back], inner_reader, writer)
        forwarding = asyncio.create_task(_forward_both(request, answer))
        self._connections[forwarding] = request, answer, frozenset((there, back))
        with suppress(asyncio.CancelledError, OSError, ExceptionGroup):
            await forwarding
        del self._connections[forwarding]
        for end in (writer, inner_writer):
            end.transport.abort()


async def _forward_both(request: Pipe, answer: Pipe) -> None:
    """Forwards both directions until one side ends: Kafka has no half-closed connections."""
    tasks = [asyncio.create_task(pipe.run()) for pipe in (request, answer)]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Commands:
    """The owner's commands on standard input, each with a response line."""

    def __init__(self) -> None:
        self._lines = asyncio.StreamReader()

    async def first(self) -> dict[str, Any]:
        """Returns the first line: homes and ports."""
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(self._lines), sys.stdin)
        data: dict[str, Any] = json.loads(await self._lines.readline())
        return data

    async def serve(self, actions: Mapping[str, Action]) -> None:
        """Responds that the ports are open, then executes commands until the input ends."""
        _respond({})
        while line := await self._lines.readline():
            command = json.loads(line)
            flows = [tuple(key) for key in command.pop("flows")]
            _respond(actions[command.pop("do")](flows, **command))


def _respond(answers: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answers) + "\n")
    sys.stdout.flush()


async def _main() -> None:
    commands = Commands()
    first = await commands.first()
    proxy = Proxy(first["homes"])
    await proxy.open(first["doors"])
    await commands.serve({"shape": proxy.shape, "seen": proxy.counts, "sever": proxy.sever})


if __name__ == "__main__":
    asyncio.run(_main())
