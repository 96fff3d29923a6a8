"""The events of a run as it runs: one JSON object per line."""

from __future__ import annotations

import json
import time
from threading import Lock
from typing import Any, TextIO


class Emitter:
    """Writes events to a stream, from any thread; `at_s` is in seconds since its creation."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = Lock()
        self.began_ns = time.monotonic_ns()

    def emit(self, event: str, arm: str | None = None, **fields: Any) -> None:
        """Writes one event, with the current time."""
        at_s = self.at_s(time.monotonic_ns())
        with self._lock:
            self._stream.write(
                json.dumps({"event": event, "arm": arm, "at_s": at_s, **fields}) + "\n"
            )
            self._stream.flush()

    def at_s(self, time_ns: int) -> float:
        """A monotonic time (ns) as seconds on this experiment's time axis."""
        return round((time_ns - self.began_ns) / 1e9, 3)
