"""The processing of a poll: it writes effects, in the polling thread or in others.

It can be held at two points: `handed`, when none of a poll's records is processed, and
`processed`, when their effects are in the sink and nothing is committed yet.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Literal, Protocol

from confluent_kafka import TopicPartition

from labs.engine.clients.control import Control, Facts, FailureRequested

OnError = Literal["retry", "close", "skip"]
"""What the application does with records that it cannot process."""

_THREADS = 2
"""One thread that is held, and one that continues."""

ON_ERROR_TEXTS: Mapping[OnError, str] = {
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


@dataclass(eq=False, slots=True)
class _Poll:
    """A poll that was taken, and whether it is processed."""

    polled: Polled
    done: bool = False


class Work:
    """Processes polls, in their order or in several threads.

    If it is `asynchronous`, worker threads process what the polling thread hands over, and polling
    continues; when a hold is wanted, one worker is held and the others continue. `done` gives the
    positions of what was processed, each once: up to the first poll that is not, or with `as_done`
    of every poll that is.
    """

    def __init__(
        self, control: Control, facts: Facts, open_sink: Callable[[], Sink | None],
        asynchronous: bool, as_done: bool = False,
    ) -> None:  # fmt: skip
        self._control, self._facts, self._open = control, facts, open_sink
        self._as_done = as_done
        self._polls: list[_Poll] = []
        self._queue: queue.SimpleQueue[_Poll | None] = queue.SimpleQueue()
        self._one_at_a_point = threading.Lock()
        self._asynchronous = asynchronous
        self._malformed: int | None = None
        self._sink = None if asynchronous else self._open()
        self._threads = [
            threading.Thread(target=self._work, name=f"work-{number}", daemon=True)
            for number in range(_THREADS if asynchronous else 0)
        ]
        for thread in self._threads:
            thread.start()

    def take(self, polled: Polled) -> None:
        """Processes a poll, or hands it to the threads that do. May raise `FailureRequested`."""
        poll = _Poll(polled)
        if self._asynchronous:
            self._polls.append(poll)
            self._queue.put(poll)
        else:
            self._process(poll, self._sink)
            self._polls.append(poll)

    def done(self) -> list[list[TopicPartition]]:
        """The positions of the polls that were processed since the last call."""
        ready = (
            [poll for poll in self._polls if poll.done]
            if self._as_done
            else list(takewhile(lambda poll: poll.done, self._polls))
        )
        self._polls = [poll for poll in self._polls if poll not in ready]
        return [poll.polled.positions for poll in ready]

    def finish(self) -> None:
        """Waits until all that was taken is processed."""
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join()
        if self._sink:
            self._sink.close()

    def _work(self) -> None:
        sink = self._open()  # SQLite wants its connection made in the thread that uses it
        while (poll := self._queue.get()) is not None:
            self._process(poll, sink)
        if sink:
            sink.close()

    def _process(self, poll: _Poll, sink: Sink | None) -> None:
        may_hold = self._one_at_a_point.acquire(blocking=False)
        try:
            self._do(poll.polled, sink, may_hold)
        finally:
            if may_hold:
                self._one_at_a_point.release()
        poll.done = True

    def _do(self, polled: Polled, sink: Sink | None, may_hold: bool) -> None:
        if may_hold:
            self._control.reach("handed", self._standing(polled, "none of them is processed"))
        self._on_malformed(polled.values)
        if sink:
            sink.apply(polled.values)
        if may_hold:
            self._control.reach("processed", self._standing(polled, "all of them are processed"))

    def _on_malformed(self, values: Sequence[int]) -> None:
        """Fails at the message that cannot be processed: the first one received since `spoil`."""
        if not self._control.spoil_requested.is_set():
            self._malformed = None
            return
        if self._malformed is None:
            self._malformed = values[0]
        if self._malformed in values:
            raise FailureRequested(
                f"message {self._malformed:,} cannot be processed", self._malformed
            )

    def _standing(self, polled: Polled, words: str) -> Facts:
        def facts() -> dict[str, Any]:
            own = {} if self._asynchronous else self._facts()
            return {**own, "stands": f"{len(polled.values):,} records in hand, {words}"}

        return facts
