"""Network namespaces of our own. Where the machine lets nobody make any, this is not collected."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from labs.engine.base import processes
from labs.engine.base.wait import until
from labs.engine.cluster.nodes import PORTS
from labs.engine.network.namespaces import CannotMake, Room
from labs.engine.network.network import Network
from tests.engine.test_processes import gone

pytestmark = pytest.mark.process

OWNER = """
import sys
from labs.engine.network.namespaces import Room
from labs.engine.base.processes import spawn
room = Room.make()
print(spawn(["sleep", "600"], log=None, within=room.within).pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def room() -> Iterator[Room]:
    made = Room.make()
    yield made
    made.close()


def held() -> list[str]:
    """The namespaces that this process holds by descriptors."""
    links = []
    for each in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the one that lists them, or another thread's
            links.append(str(each.readlink()))
    return sorted(link for link in links if link.startswith(("net:", "user:")))


def said(room: Room, *command: str) -> str:
    process = processes.spawn(command, log=None, stdout=subprocess.PIPE, within=room.within)
    told, _ = process.communicate(timeout=60)
    return str(told.decode())


def test_what_is_inside_is_seen_by_nobody_outside(room: Room) -> None:
    room.configure("link set lo up", "addr add 10.77.0.9/24 dev lo")
    assert "10.77.0.9/24" in said(room, "ip", "address")
    outside = subprocess.run(["ip", "address"], check=True, capture_output=True, timeout=60)
    assert b"10.77.0.9" not in outside.stdout


def test_two_rooms_are_joined_by_a_cable(room: Room) -> None:
    other = Room.make(room)
    room.configure(f"link add eth9 type veth peer name eth0 netns {other.reach}", peers=[other])
    assert "eth0" in said(other, "ip", "link")
    assert "eth9" in said(room, "ip", "link")
    other.close()
    until(lambda: "eth9" not in said(room, "ip", "link"), 60, "its cable outlived the other room")


def test_what_ip_cannot_do_is_told_with_its_command(room: Room) -> None:
    with pytest.raises(CannotMake, match="link set no-such up"):
        room.configure("link set no-such up")


def test_who_runs_inside_dies_with_a_killed_owner() -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout
    pid = int(owner.stdout.readline())
    assert Path(f"/proc/{pid}/ns/net").readlink() != Path("/proc/self/ns/net").readlink()
    assert not gone(pid)
    owner.send_signal(signal.SIGKILL)
    owner.wait(60)
    until(lambda: gone(pid), 60, "it outlived its owner")


def test_a_room_that_is_given_up_leaves_no_descriptor(room: Room) -> None:
    before = held()
    for _ in range(3):
        Room.make(room).close()
    assert held() == before


def test_a_network_that_is_stopped_leaves_nothing(tmp_path: Path) -> None:
    before = held()
    children = {*processes.family(os.getpid())}
    network = Network([1, 2], PORTS, [], tmp_path / "links.log")
    assert network.seen([("1", "2", "CLIENTS")]).bytes == 0
    assert len({*processes.family(os.getpid())} - children) == 2  # the switch, and the lab's door
    network.stop()
    assert {*processes.family(os.getpid())} <= children
    assert held() == before
