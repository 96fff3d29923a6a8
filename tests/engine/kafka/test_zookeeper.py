"""Requests to ZooKeeper, answered by a small server that stands in for it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest

from labs.engine.cluster.zookeeper import registered

DUMP = """SessionTracker dump:
Session Sets (3)/(1):
ephemeral nodes dump:
Sessions with Ephemerals (2):
0x1000:
	/controller
	/brokers/ids/2
0x1001:
	/brokers/ids/1
"""


@contextmanager
def serve_dump(text: str) -> Iterator[int]:
    """The port of a server that answers one client with `text`."""

    def answer() -> None:
        connection, _ = server.accept()
        with connection:
            assert connection.recv(4) == b"dump"
            connection.sendall(text.encode())

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = Thread(target=answer)
        thread.start()
        yield server.getsockname()[1]
        thread.join()


def test_the_registered_brokers_are_those_with_a_session() -> None:
    with serve_dump(DUMP) as port:
        assert registered(port) == {1, 2}


@pytest.mark.parametrize(
    "text",
    ["", "This ZooKeeper instance is not currently serving requests\n"],
    ids=["empty", "not-serving"],
)
def test_a_zookeeper_that_does_not_serve_yet_is_an_error(text: str) -> None:
    """Otherwise a broker that starts then would find its own earlier registration, and exit."""
    with (
        serve_dump(text) as port,
        pytest.raises(ConnectionError, match="does not serve yet"),
    ):
        registered(port)
