"""What the team's application does with a poll: it leaves effects, at once or in another thread.

Two points can be stood at: `handed`, with records in hand of which none is processed, and
`processed`, with their effects in the sink and nothing said to the group yet.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from confluent_kafka import TopicPartition

from labs.engine.clients.control import Control, Facts, ToldToFail

OnError = Literal["retry", "close", "skip"]
"""What the application does with records that it cannot process."""

HABITS: Mapping[OnError, str] = {
    "retry": "the application tries {} again",
    "close": "the application closes its consumer",
    "skip": "the application goes on without {}",
}


class Sink(Protocol):
    """Where processing leaves its effects."""

    def apply(self, values: Sequence[int]) -> None:
        """Leaves the effects of one poll; they are there when it returns."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Polled:
    """The values of one poll, and the offsets after them."""

    values: Sequence[int]
    positions: list[TopicPartition]


class Work:
    """Processes polls in their order.

    `done` gives the positions of what was processed, each once. Where it is `asynchronous` a
    thread of its own works on what the polling thread hands over and polls past.
    """

    def __init__(
        self, control: Control, facts: Facts, open_sink: Callable[[], Sink | None],
        asynchronous: bool,
    ) -> None:  # fmt: skip
        self._control, self._facts, self._open = control, facts, open_sink
        self._done: deque[list[TopicPartition]] = deque()
        self._handed: queue.SimpleQueue[Polled | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="work", daemon=True)
        self._asynchronous = asynchronous
        self._spoilt: int | None = None
        self._sink = None if asynchronous else self._open()
        if asynchronous:
            self._thread.start()

    def take(self, polled: Polled) -> None:
        """Processes a poll, or hands it to the thread that does. May raise `ToldToFail`."""
        if self._asynchronous:
            self._handed.put(polled)
        else:
            self._process(polled, self._sink)

    def done(self) -> list[list[TopicPartition]]:
        """The positions of the polls that were processed since this was last asked."""
        return [self._done.popleft() for _ in range(len(self._done))]

    def finish(self) -> None:
        """Waits until all that was taken is processed."""
        if self._asynchronous:
            self._handed.put(None)
            self._thread.join()
        elif self._sink:
            self._sink.close()

    def _work(self) -> None:
        sink = self._open()  # SQLite wants its connection made in the thread that uses it
        while (polled := self._handed.get()) is not None:
            self._process(polled, sink)
        if sink:
            sink.close()

    def _process(self, polled: Polled, sink: Sink | None) -> None:
        self._control.reach("handed", self._standing(polled, "none of them is processed"))
        self._on_malformed(polled.values)
        if sink:
            sink.apply(polled.values)
        self._control.reach("processed", self._standing(polled, "all of them are processed"))
        self._done.append(polled.positions)

    def _on_malformed(self, values: Sequence[int]) -> None:
        """Fails at the message that cannot be processed: the first in hand since there is one."""
        if not self._control.spoils.is_set():
            self._spoilt = None
            return
        if self._spoilt is None:
            self._spoilt = values[0]
        if self._spoilt in values:
            raise ToldToFail(f"message {self._spoilt:,} cannot be processed", self._spoilt)

    def _standing(self, polled: Polled, words: str) -> Facts:
        def facts() -> dict[str, Any]:
            own = {} if self._asynchronous else self._facts()
            return {**own, "stands": f"{len(polled.values):,} records in hand, {words}"}

        return facts
