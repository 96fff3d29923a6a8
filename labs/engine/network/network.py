"""A network of our own for one cluster: namespaces for each node, for clients and for the lab.

Whatever passes between them passes through a switch of ours (`links.switch`), packet by packet. The
lab itself, and whoever runs it, stays outside, where nothing but loopback is used: its doors lead
to a listener of each broker that only the lab is told of.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path

from labs.engine.base.processes import Namespaces
from labs.engine.network.links import Carrier, Door
from labs.engine.network.namespaces import Room
from labs.engine.network.proxy import CLIENTS

_SUBNET, _PREFIX = "10.77.0", 24
_CLIENTS, _LAB = 200, 201


def address(node: int) -> str:
    """Where a node is, for those inside."""
    return f"{_SUBNET}.{node}"


class Network(Carrier):
    """The rooms of a cluster's nodes with their cables, and what flows in them.

    `listeners` are the names by port, the same for all nodes. Raises `CannotMake`, `LinksFailed`.
    """

    def __init__(
        self, nodes: Iterable[int], listeners: dict[int, str], doors: Sequence[Door], log: Path
    ) -> None:
        self._left = ExitStack()
        try:
            self._lay([*nodes], listeners, doors, log)
        except BaseException:
            self._left.close()
            raise

    def _lay(
        self, nodes: list[int], listeners: dict[int, str], doors: Sequence[Door], log: Path
    ) -> None:
        switch = self._keep(Room.make())
        named = {**{each: str(each) for each in nodes}, _CLIENTS: CLIENTS, _LAB: "lab"}
        self._rooms = {number: self._room(switch, number) for number in named}
        super().__init__(
            "switch",
            {
                "cables": {f"n{number}": address(number) for number in named},
                "names": {address(number): name for number, name in named.items()},
                "listeners": {str(port): name for port, name in listeners.items()},
            },
            log, within=switch.within,
        )  # fmt: skip
        self._left.callback(super().stop)
        self._open(doors, log)

    def _open(self, doors: Sequence[Door], log: Path) -> None:
        """Lets the lab in: its doors are open outside, and who answers there is inside."""
        with ExitStack() as held:  # the process has its own descriptors of them
            taken = [
                replace(door, socket=held.enter_context(_listen(door.at)).fileno())
                for door in doors
            ]
            told = {"homes": {}, "doors": [asdict(door) for door in taken]}
            sockets = [door.socket for door in taken if door.socket is not None]
            within = self._rooms[_LAB].within
            self._lab = Carrier("proxy", told, log, within=within, sockets=sockets)
        self._left.callback(self._lab.stop)

    def within(self, node: int) -> Namespaces:
        """For `processes.spawn` of a node."""
        return self._rooms[node].within

    @property
    def clients(self) -> Namespaces:
        """For `processes.spawn` of a client."""
        return self._rooms[_CLIENTS].within

    @property
    def pids(self) -> list[int]:
        """The switch's, and that of the lab's way in."""
        return [*super().pids, *self._lab.pids]

    @property
    def lost(self) -> str:
        """How the switch ended, or the lab's way in, in words, if that was not by `stop`."""
        return super().lost or self._lab.lost

    def stop(self) -> None:
        """Ends what carries packets, and gives up the namespaces."""
        self._left.close()

    def _room(self, switch: Room, number: int) -> Room:
        room = self._keep(Room.make(switch))
        switch.configure(
            f"link add n{number} type veth peer name eth0 netns {room.reach}",
            f"link set n{number} up", peers=[room],
        )  # fmt: skip
        room.configure(
            "link set lo up", f"addr add {address(number)}/{_PREFIX} dev eth0", "link set eth0 up"
        )
        return room

    def _keep(self, room: Room) -> Room:
        self._left.callback(room.close)
        return room


def _listen(port: int) -> socket.socket:
    return socket.create_server(("127.0.0.1", port))
