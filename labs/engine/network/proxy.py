"""The links of one cluster, as a process of their own: `python -m labs.engine.network.proxy`.

Every address that a node of the cluster tells others is a door of this process. What comes in
there is carried to the node itself, both ways, and on the way it can be held, delayed, slowed
or lost with its connection. Loopback only.

The first line of standard input lays the doors, each further one is a command; each is answered by
a line (all JSON). The process ends with its standard input.
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
"""Carries out one command for these flows, and returns the answer."""


class Proxy:
    """The open doors, and the connections through them."""

    def __init__(self, homes: dict[str, str]) -> None:
        self._sources = Sources(homes)
        self._flows: dict[Key, Flow] = defaultdict(Flow)
        self._connections: dict[asyncio.Task[None], tuple[Pipe, Pipe, frozenset[Key]]] = {}

    async def lay(self, doors: list[dict[str, Any]]) -> None:
        """Opens doors, as `links.ProxyPort` has them."""
        for door in doors:
            await asyncio.start_server(partial(self._enter, door), _LOOPBACK, door["at"])

    def shape(self, flows: list[Key], cut: bool, delay_s: float, rate: float) -> dict[str, Any]:
        """Sets what happens to these flows, in one moment."""
        for key in flows:
            self._flows[key].shape(cut, delay_s, rate)
        return {}

    def counts(self, flows: list[Key]) -> dict[str, Any]:
        """What these flows have done since they were shaped last."""
        rows = [self._flows[key] for key in flows]
        waiting = (pipe.waiting for flow in rows for pipe in flow.pipes)
        return report((flow.tally for flow in rows), waiting)

    def sever(self, flows: list[Key]) -> dict[str, Any]:
        """Breaks every connection of these flows; what waited in them is lost."""
        broken = [
            (task, pipes)
            for task, (*pipes, keys) in self._connections.items()
            if not keys.isdisjoint(flows)
        ]
        lost = sum(pipe.waiting for _, pipes in broken for pipe in pipes)
        for task, _ in broken:
            task.cancel()
        return {"connections": len(broken), "bytes": lost}

    async def _enter(
        self, door: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        peer = writer.get_extra_info("peername")[1]
        # In a thread: what flows already must not wait for it.
        name = await asyncio.to_thread(self._sources.process_name, peer, door["at"])
        source, node = name or CLIENTS, door["node"]
        try:
            inner_reader, inner_writer = await asyncio.open_connection(_LOOPBACK, door["to"])
        except OSError:  # the node is dead
            writer.transport.abort()
            return
        there, back = (source, node, door["listener"]), (node, source, door["listener"])
        request = Pipe(self._flows[there], reader, inner_writer)
        answer = Pipe(self._flows[back], inner_reader, writer)
        carrying = asyncio.create_task(_both(request, answer))
        self._connections[carrying] = request, answer, frozenset((there, back))
        with suppress(asyncio.CancelledError, OSError, ExceptionGroup):
            await carrying
        del self._connections[carrying]
        for end in (writer, inner_writer):
            end.transport.abort()


async def _both(request: Pipe, answer: Pipe) -> None:
    """Carries both ways until one side is at its end: Kafka knows no half-closed connection."""
    tasks = [asyncio.create_task(pipe.run()) for pipe in (request, answer)]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in tasks:
            way.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Commands:
    """The owner's commands on standard input, each answered by a line, until its end."""

    def __init__(self) -> None:
        self._lines = asyncio.StreamReader()

    async def first(self) -> dict[str, Any]:
        """The first line: homes and doors."""
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(self._lines), sys.stdin)
        data: dict[str, Any] = json.loads(await self._lines.readline())
        return data

    async def serve(self, actions: Mapping[str, Action]) -> None:
        """Answers that the doors are open, then carries out each command."""
        _answer({})
        while line := await self._lines.readline():
            command = json.loads(line)
            flows = [tuple(key) for key in command.pop("flows")]
            _answer(actions[command.pop("do")](flows, **command))


def _answer(answers: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answers) + "\n")
    sys.stdout.flush()


async def _main() -> None:
    commands = Commands()
    first = await commands.first()
    proxy = Proxy(first["homes"])
    await proxy.lay(first["doors"])
    await commands.serve({"shape": proxy.shape, "seen": proxy.counts, "sever": proxy.sever})


if __name__ == "__main__":
    asyncio.run(_main())
