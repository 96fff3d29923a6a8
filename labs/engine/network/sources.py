"""Finds the process that opened a connection to one of our ports.

Every process of a cluster connects from 127.0.0.1, so the address does not distinguish broker 1
from broker 2. The kernel returns the inode of the socket at the other end (sock_diag(7)), and the
process has a descriptor of that inode (proc(5)). The tables in /proc/net have the same data, but
the kernel takes 8 ms to write them, because it walks its whole hash table.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path

_SOCK_DIAG, _BY_FAMILY = 4, 20  # linux/netlink.h, linux/sock_diag.h
_ANY = 0xFFFFFFFF  # of the states of a connection, and for "no cookie" (linux/inet_diag.h)
_HEADER = "=IHHII"
_REQUEST = "=BBBxI"  # inet_diag_req_v2, up to its socket's id
_ID = "!HH4s12x4s12x"  # inet_diag_sockid: ports and addresses of both ends
_ANSWER_INODE = 16 + 4 + 48 + 16  # after header, state, id; expires, queues, uid: inet_diag_msg
_LOOPBACK = socket.inet_aton("127.0.0.1")


class Sources:
    """Names for the processes that run in certain working folders; `homes` is folder → name."""

    def __init__(self, homes: Mapping[str, str]) -> None:
        self._homes = homes
        self._known: dict[Path, str] = {}

    def process_name(self, their_port: int, our_port: int) -> str | None:
        """Returns the name of the process at `their_port` of a connection to `our_port`.

        Both ports are on loopback. None if the process has another working folder or has closed the
        connection.
        """
        inode = _inode(their_port, our_port)
        socket_link = f"socket:[{inode}]"
        holders = (
            name for process, name in self._processes() if socket_link in _open_files(process)
        )
        return next(holders, None) if inode else None

    def _processes(self) -> Iterator[tuple[Path, str]]:
        """Yields all of them; searches again only if one is missing, because that takes long."""
        homes = self._homes
        self._known = {path: name for path, name in self._known.items() if _home(path) in homes}
        if len(self._known) < len(homes):
            running = ((path, _home(path)) for path in Path("/proc").glob("[0-9]*"))
            self._known = {path: homes[home] for path, home in running if home in homes}
        yield from self._known.items()


def _inode(their_port: int, our_port: int) -> int:
    """Returns the inode of the socket at `their_port`; 0 if there is none."""
    ends = struct.pack(_ID, their_port, our_port, _LOOPBACK, _LOOPBACK)
    request = struct.pack(_REQUEST, socket.AF_INET, socket.IPPROTO_TCP, 0, _ANY)
    body = request + ends + struct.pack("=III", 0, _ANY, _ANY)
    header = struct.pack(_HEADER, 16 + len(body), _BY_FAMILY, 1, 0, 0)  # 1: NLM_F_REQUEST
    with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, _SOCK_DIAG) as kernel:
        kernel.send(header + body)
        answer = kernel.recv(4096)
    if struct.unpack_from(_HEADER, answer)[1] != _BY_FAMILY:
        return 0
    return int(struct.unpack_from("=I", answer, _ANSWER_INODE)[0])


def _home(process: Path) -> str:
    try:
        return str((process / "cwd").readlink())
    except OSError:  # gone, or of another user
        return ""


def _open_files(process: Path) -> Iterator[str]:
    try:
        for descriptor in (process / "fd").iterdir():
            try:
                yield str(descriptor.readlink())
            except OSError:
                continue
    except OSError:
        return
