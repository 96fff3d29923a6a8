"""TCP packets on their way between nodes, and what is done to them: dropped, late, slow.

Pure: frames in, and what becomes of them out. A frame is what AF_PACKET gives with PACKET_VNET_HDR
(packet(7)): virtio's header, Ethernet's, IPv4's, TCP's. So one frame can be as large as a segment
that the kernel has not cut up yet, and goes on as it came.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from labs.engine.network.tally import Tally

VIRTIO = 10  # bytes of struct virtio_net_hdr
_IP = VIRTIO + 14  # where the IPv4 header begins, behind Ethernet's
_IPV4, _TCP = 0x0800, 6
_FIN, _SYN, _RST = 1, 2, 4
_WINDOW = 1 << 31  # sequence numbers are compared in a circle (RFC 9293, 3.4)

End = tuple[bytes, int]
"""An address and a port."""


@dataclass(frozen=True, slots=True)
class Packet:
    """What a frame's headers say; `size` is how many bytes of data it has."""

    source: End
    target: End
    seq: int
    flags: int
    size: int

    @property
    def end(self) -> int:
        """The sequence number behind it: SYN and FIN take one each."""
        return (self.seq + self.size + bool(self.flags & _SYN) + bool(self.flags & _FIN)) % 2**32

    @property
    def opens(self) -> bool:
        return bool(self.flags & _SYN)

    @property
    def resets(self) -> bool:
        return bool(self.flags & _RST)


def read(frame: bytes) -> Packet | None:
    """The packet of a frame; None if that is not TCP over IPv4."""
    if len(frame) < _IP + 40 or struct.unpack_from("!H", frame, _IP - 2)[0] != _IPV4:
        return None
    head = (frame[_IP] & 15) * 4
    if frame[_IP + 9] != _TCP:
        return None
    at = _IP + head
    source, target, seq, offset, flags = struct.unpack_from("!HHI4xBB", frame, at)
    total = struct.unpack_from("!H", frame, _IP + 2)[0]
    size = (total or len(frame) - _IP) - head - (offset >> 4) * 4
    one, other = frame[_IP + 12 : _IP + 16], frame[_IP + 16 : _IP + 20]
    return Packet((one, source), (other, target), seq, flags, size)


def to(frame: bytes) -> bytes | None:
    """The address that an IPv4 packet goes to; None for a frame of another kind."""
    if struct.unpack_from("!H", frame, _IP - 2)[0] != _IPV4:
        return None
    return frame[_IP + 16 : _IP + 20]


def reset(frame: bytes, packet: Packet, seq: int) -> bytes:
    """A frame that resets a connection at the target of `packet`, which came in `frame`.

    `seq` has to be the next that the target expects, or it only asks back (RFC 5961, 3.2).
    """
    ends = packet.source[0] + packet.target[0]
    tcp = struct.pack(
        "!HHIIBBHHH", packet.source[1], packet.target[1], seq, 0, 5 << 4, _RST, 0, 0, 0
    )
    summed = _checksum(ends + struct.pack("!BBH", 0, _TCP, len(tcp)) + tcp)
    tcp = tcp[:16] + struct.pack("!H", summed) + tcp[18:]
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0, 64, _TCP, 0) + ends
    ip = ip[:10] + struct.pack("!H", _checksum(ip)) + ip[12:]
    return bytes(VIRTIO) + frame[VIRTIO:_IP] + ip + tcp


def _checksum(octets: bytes) -> int:
    total = sum(struct.unpack(f"!{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return int(~total & 0xFFFF)


def behind(one: int, other: int) -> bool:
    """Whether one sequence number comes after another."""
    return 0 < (one - other) % 2**32 < _WINDOW


@dataclass(slots=True)
class Lane:
    """One direction of one connection.

    `lost` is what was sent and dropped and has not come yet since, from where to where, and
    `reached` the sequence number behind all that has arrived; `last` is the frame that came last.
    """

    flow: Flow
    last: tuple[bytes, Packet]
    lost: tuple[int, int] | None = None
    reached: int | None = None
    free_at: float = 0.0

    @property
    def waiting(self) -> int:
        """How many bytes were sent and did not arrive."""
        return (self.lost[1] - self.lost[0]) % 2**32 if self.lost else 0

    @property
    def expected(self) -> int | None:
        """The next sequence number that its target expects, as far as was seen."""
        return self.lost[0] if self.lost else self.reached

    def due(self, packet: Packet, now: float) -> float | None:
        """When a packet may leave; None if it is dropped."""
        flow = self.flow
        if flow.cut:
            self._drop(packet)
            return None
        self.free_at = max(now, self.free_at)
        if flow.rate:
            self.free_at += packet.size / flow.rate
        return max(self.free_at, now + flow.delay_s)

    def passed(self, packet: Packet, came: float, now: float) -> None:
        """Takes note of a packet that left."""
        if self.reached is None or behind(packet.end, self.reached):
            self.reached = packet.end
        if self.lost and not behind(self.lost[1], packet.end):
            self.lost = None
        if packet.size:
            self.flow.tally.passed(came, packet.size, now)

    def _drop(self, packet: Packet) -> None:
        if packet.resets:
            self.lost = None  # whoever said it has taken it back
        if not packet.size:
            return
        known = self.reached is not None and not behind(packet.end, self.reached)
        if known:  # it has arrived before: the sender only does not know
            return
        one, other = self.lost or (packet.seq, packet.end)
        self.lost = (
            packet.seq if behind(one, packet.seq) else one,
            packet.end if behind(packet.end, other) else other,
        )


@dataclass(slots=True)
class Flow:
    """One direction between two nodes at one listener, over however many connections."""

    cut: bool = False
    delay_s: float = 0.0
    rate: float = 0.0
    tally: Tally = field(default_factory=Tally)
    lanes: set[tuple[End, End]] = field(default_factory=set)

    def shape(self, cut: bool, delay_s: float, rate: float, now: float) -> None:
        """Changes what happens to packets from now on: none passes, or late, or `rate` bytes a
        second in each connection (0: as they come)."""
        self.cut, self.delay_s, self.rate = cut, delay_s, rate
        self.tally.begin(now)
