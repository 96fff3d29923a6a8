"""What is done to packets, by their headers alone."""

from __future__ import annotations

import struct

import pytest

from labs.engine.network import packets
from labs.engine.network.packets import Flow, Lane, Packet

ONE, OTHER = (bytes([10, 77, 0, 1]), 40_000), (bytes([10, 77, 0, 2]), 9092)
ETHERNET = bytes(12) + b"\x08\x00"
SYN, FIN, RST, ACK = 2, 1, 4, 16


def frame(seq: int, data: bytes = b"", flags: int = ACK, ack: int = 7) -> bytes:
    tcp = struct.pack("!HHIIBBHHH", ONE[1], OTHER[1], seq, ack, 5 << 4, flags, 512, 0, 0) + data
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(tcp), 1, 0, 64, 6, 0) + ONE[0] + OTHER[0]
    return bytes(packets.VIRTIO) + ETHERNET + ip + tcp


def packet(seq: int, size: int = 10, flags: int = ACK) -> Packet:
    return Packet(ONE, OTHER, seq, flags, size)


def lane(**flow: float) -> Lane:
    return Lane(Flow(**flow), (frame(0), packet(0)))  # type: ignore[arg-type]


def test_a_frame_tells_who_speaks_to_whom_and_how_much():
    told = packets.read(frame(100, b"hello"))
    assert told == Packet(ONE, OTHER, 100, ACK, 5)
    assert (told.end, told.opens, told.resets) == (105, False, False)
    assert packets.to(frame(100)) == OTHER[0]
    opening = packets.read(frame(2**32 - 1, flags=SYN))
    assert opening
    assert (opening.opens, opening.end) == (True, 0)


@pytest.mark.parametrize("cut", [0, 20, 60])
def test_what_is_no_tcp_packet_is_none(cut: int):
    assert packets.read(frame(1)[:cut]) is None


def test_a_question_of_arp_goes_to_nobody_in_particular():
    arp = bytes(packets.VIRTIO + 12) + b"\x08\x06" + bytes(28)
    assert packets.to(arp) is None
    assert packets.read(arp + bytes(40)) is None


def test_a_reset_is_a_whole_packet_with_sums_that_hold():
    made = packets.reset(frame(1), packet(1), 4_000_000_000)
    told = packets.read(made)
    assert told
    assert (told.source, told.target, told.seq, told.flags, told.size) == (
        ONE, OTHER, 4_000_000_000, RST, 0,
    )  # fmt: skip
    ip = made[packets.VIRTIO + 14 :]
    assert total(ip[:20]) == 0xFFFF
    assert total(ip[12:20] + struct.pack("!BBH", 0, 6, len(ip) - 20) + ip[20:]) == 0xFFFF


def total(octets: bytes) -> int:
    """The sum of RFC 1071, which is all ones over a header and its checksum."""
    summed = sum(struct.unpack(f"!{len(octets) // 2}H", octets))
    while summed >> 16:
        summed = (summed & 0xFFFF) + (summed >> 16)
    return int(summed)


def test_what_is_dropped_waits_until_it_comes_again():
    line = lane(cut=True)
    assert line.due(packet(100), 1.0) is None
    assert line.due(packet(110), 1.1) is None
    assert line.due(packet(100), 1.3) is None, "the same, sent again"
    assert (line.waiting, line.expected) == (20, 100)
    line.flow.shape(cut=False, delay_s=0, rate=0, now=2.0)
    assert line.due(packet(100), 2.1) == 2.1
    line.passed(packet(100), 2.1, 2.1)
    assert line.waiting == 20, "half of it is missing"
    line.passed(packet(110), 2.2, 2.2)
    assert (line.waiting, line.expected, line.flow.tally.bytes) == (0, 120, 20)


def test_what_has_arrived_and_is_sent_again_is_not_waiting():
    line = lane()
    line.passed(packet(100), 1.0, 1.0)
    line.flow.cut = True
    assert line.due(packet(100), 1.1) is None
    assert line.due(packet(110, 0), 1.2) is None, "a bare acknowledgement has no data"
    assert line.waiting == 0


def test_a_reset_is_dropped_as_well_and_takes_back_what_was_said():
    line = lane(cut=True)
    line.due(packet(100), 1.0)
    assert line.waiting == 10
    assert line.due(packet(110, 0, RST), 1.1) is None
    assert line.waiting == 0


def test_numbers_go_round_in_a_circle():
    line = lane(cut=True)
    line.due(packet(2**32 - 5), 1.0)
    line.due(packet(5), 1.0)
    assert (line.waiting, line.expected) == (20, 2**32 - 5)
    line.passed(packet(5), 1.0, 1.0)
    assert line.waiting == 0
    assert packets.behind(3, 2**32 - 3)
    assert not packets.behind(2**32 - 3, 3)
    assert not packets.behind(3, 3)


def test_a_slow_line_is_late_and_its_rate_is_a_connection_s():
    line = lane(delay_s=0.5, rate=100.0)
    assert line.due(packet(0, 100), 10.0) == 11.0
    assert line.due(packet(100, 100), 10.0) == 12.0
    assert line.due(packet(200, 0), 20.0) == 20.5
    other = Lane(line.flow, line.last)
    assert other.due(packet(0, 10), 20.0) == 20.5


def test_only_what_came_in_since_says_how_late_a_line_is():
    line = lane()
    line.flow.shape(cut=False, delay_s=1, rate=0, now=5.0)
    line.passed(packet(0), 4.9, 5.1)
    assert (line.flow.tally.late, line.flow.tally.soonest_s, line.flow.tally.bytes) == (0, None, 10)
    line.passed(packet(10), 5.1, 6.2)
    line.passed(packet(20), 5.3, 6.3)
    assert line.flow.tally.late == 2
    assert line.flow.tally.soonest_s == pytest.approx(1.0)
    line.flow.shape(cut=True, delay_s=0, rate=0, now=7.0)
    assert (line.flow.tally.late, line.flow.tally.soonest_s, line.flow.tally.bytes) == (0, None, 0)
