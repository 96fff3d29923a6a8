"""Ends a client process as its run does."""

from __future__ import annotations

from typing import Any

from labs.engine.clients.process import ClientProcess

LIMIT_S = 60.0
"""The longest wait for a client, in seconds."""


def stop(client: ClientProcess) -> dict[str, Any]:
    """Asks the client to stop, and returns its last answers."""
    client.ask_to_stop()
    return client.await_end(LIMIT_S)
