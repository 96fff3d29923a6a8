from __future__ import annotations

import socket

import pytest

from labs.engine.cluster.ports import Ports


def listener(port: int, reuse: bool) -> socket.socket:
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, reuse)
    server.bind(("127.0.0.1", port))
    server.listen()
    return server


def test_a_broker_can_listen_on_a_held_port_again_after_a_restart():
    held = Ports(1)
    for _ in range(2):  # a broker, and the same broker restarted
        with listener(held.numbers[0], reuse=True):
            socket.create_connection(("127.0.0.1", held.numbers[0]), 5).close()
    held.release()


def test_a_held_port_is_not_given_out_as_a_free_port():
    held = Ports(20)
    others = [Ports(50) for _ in range(10)]
    other_numbers = [number for other in others for number in other.numbers]
    assert len({*held.numbers, *other_numbers}) == 20 + 500
    for ports in (held, *others):
        ports.release()


def test_a_held_port_cannot_be_taken_by_a_plain_bind():
    held = Ports(1)
    with pytest.raises(OSError, match="in use"):
        listener(held.numbers[0], reuse=False)
    held.release()
