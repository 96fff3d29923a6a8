"""The two ends of a conversation with a client process: lines of JSON out, one line to stop.

A client stops when it reads a line, when its standard input ends, or on SIGTERM. What it has
to say, it says in JSON lines on standard output; standard error is its log.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from types import FrameType
from typing import Any


def stop_event() -> threading.Event:
    """An event that is set as soon as the owner wants this process to stop."""
    stop = threading.Event()

    def listen() -> None:
        # Not sys.stdin: its lock, held by this thread, would hang the interpreter's exit.
        os.read(0, 1)
        stop.set()

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, on_signal)
    threading.Thread(target=listen, name="stop", daemon=True).start()
    return stop


def report(**fields: Any) -> None:
    """Says one thing to the owner."""
    print(json.dumps(fields), flush=True)
