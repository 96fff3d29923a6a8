"""What links nodes that have network namespaces: `python -m labs.engine.network.switch`.

It runs in a namespace of its own, in which one end of each node's virtual cable is (veth(4)), and
carries every packet from one to another. On the way packets can be dropped, delayed and slowed, by
who sends them to whom over which listener, and connections can be reset.

The first line of standard input names the cables, each further one is a wish; each is answered by
a line (all JSON). The process ends with its standard input.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from typing import Any

from labs.engine.network import commands, packets
from labs.engine.network.flows import Key
from labs.engine.network.packets import End, Flow, Lane, Packet
from labs.engine.network.tally import seen

_MOST = 70_000  # bytes of a frame: a segment that was not cut up yet, and its headers
_AT_ONCE = 64  # frames, before others have their turn
_ALL = 3  # ETH_P_ALL (linux/if_ether.h)
_SOL_PACKET, _VNET_HDR = 263, 15  # linux/socket.h, linux/if_packet.h
_OUTGOING = 4  # of packet(7): what we sent ourselves


class Switch:
    """Cables by the address at their other end, and what passes from one to another."""

    def __init__(self, cables: dict[str, str], names: dict[str, str], listeners: dict[str, str]):
        self._names = {socket.inet_aton(address): name for address, name in names.items()}
        self._listeners = {int(port): name for port, name in listeners.items()}
        self._cables = {socket.inet_aton(at): _open(name) for name, at in cables.items()}
        self._flows: dict[Key, Flow] = defaultdict(Flow)
        self._lanes: dict[tuple[End, End], Lane] = {}

    def run(self) -> None:
        """Carries packets from now on, as long as the loop runs."""
        loop = asyncio.get_running_loop()
        for address, cable in self._cables.items():
            loop.add_reader(cable, partial(self._heard, address, cable))

    def shape(self, flows: list[Key], cut: bool, delay_s: float, rate: float) -> dict[str, Any]:
        """Sets what happens to these flows, in one moment."""
        for key in flows:
            self._flows[key].shape(cut, delay_s, rate, time.monotonic())
        return {}

    def seen(self, flows: list[Key]) -> dict[str, Any]:
        """What these flows have done since they were shaped last."""
        waiting = (lane.waiting for lane in self._of(flows))
        return seen((self._flows[key].tally for key in flows), waiting)

    def sever(self, flows: list[Key]) -> dict[str, Any]:
        """Resets every connection of these flows at both ends; what was dropped of it is lost."""
        broken = {frozenset(ends) for key in flows for ends in self._flows[key].lanes}
        lost = 0
        for one, other in map(tuple, broken):
            for ends in ((one, other), (other, one)):
                lane = self._lanes.get(ends)
                if lane:
                    lost += lane.waiting
                    self._reset(lane)
            self._forget(one, other)
        return {"connections": len(broken), "bytes": lost}

    def _of(self, flows: list[Key]) -> Iterator[Lane]:
        for key in flows:
            for ends in self._flows[key].lanes:
                yield self._lanes[ends]

    def _reset(self, lane: Lane) -> None:
        frame, packet = lane.last
        if lane.expected is not None:
            self._send(packets.reset(frame, packet, lane.expected), packet.target[0])

    def _forget(self, one: End, other: End) -> None:
        for ends in ((one, other), (other, one)):
            if lane := self._lanes.pop(ends, None):
                lane.flow.lanes.discard(ends)

    def _heard(self, address: bytes, cable: socket.socket) -> None:
        for _ in range(_AT_ONCE):
            try:
                frame, (_, _, kind, *_) = cable.recvfrom(_MOST)
            except BlockingIOError:
                return
            if kind != _OUTGOING:
                self._carry(frame, address)

    def _carry(self, frame: bytes, source: bytes) -> None:
        packet, now = packets.read(frame), time.monotonic()
        lane = self._lane(frame, packet) if packet else None
        if lane is None or packet is None:
            self._pass(frame, source)
            return
        due = lane.due(packet, now)
        if due is not None:
            self._leave_at(due, frame, packet, lane, now)

    def _leave_at(
        self, due: float, frame: bytes, packet: Packet, lane: Lane, came: float
    ) -> None:  # fmt: skip
        if due <= came:
            self._leave(frame, packet, lane, came)
        else:
            loop = asyncio.get_running_loop()
            loop.call_at(due, self._leave, frame, packet, lane, came)

    def _leave(self, frame: bytes, packet: Packet, lane: Lane, came: float) -> None:
        self._send(frame, packet.target[0])
        lane.passed(packet, came, time.monotonic())
        if packet.resets:
            self._forget(packet.source, packet.target)

    def _lane(self, frame: bytes, packet: Packet) -> Lane | None:
        """The lane of a packet; None if nobody has a wish for it: it is the lab's own."""
        ends = packet.source, packet.target
        lane = self._lanes.get(ends)
        if lane is None or packet.opens:
            key = self._key(packet)
            if key is None:
                return None
            lane = self._lanes[ends] = Lane(self._flows[key], (frame, packet))
            lane.flow.lanes.add(ends)
        lane.last = frame, packet
        return lane

    def _key(self, packet: Packet) -> Key | None:
        (one, from_port), (other, to_port) = packet.source, packet.target
        listener = self._listeners.get(to_port) or self._listeners.get(from_port)
        if listener is None or one not in self._names or other not in self._names:
            return None
        return self._names[one], self._names[other], listener

    def _pass(self, frame: bytes, source: bytes) -> None:
        """An IPv4 packet to whom it is for; all else, such as a question of ARP, to all others."""
        if target := packets.to(frame):
            self._send(frame, target)
            return
        for address, cable in self._cables.items():
            if address != source:
                _give(cable, frame)

    def _send(self, frame: bytes, target: bytes) -> None:
        if cable := self._cables.get(target):
            _give(cable, frame)


def _open(interface: str) -> socket.socket:
    cable = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ALL))
    cable.setsockopt(_SOL_PACKET, _VNET_HDR, 1)
    cable.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    cable.bind((interface, 0))
    cable.setblocking(False)
    return cable


def _give(cable: socket.socket, frame: bytes) -> None:
    try:
        cable.send(frame)
    except OSError:
        return  # a full cable drops, as cables do: TCP sends it again


async def _main() -> None:
    told = commands.Wishes()
    switch = Switch(**await told.first())
    switch.run()
    await told.serve({"shape": switch.shape, "seen": switch.seen, "sever": switch.sever})


if __name__ == "__main__":
    asyncio.run(_main())
