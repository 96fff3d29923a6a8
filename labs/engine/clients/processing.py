"""The processing of a poll, which writes effects in the polling thread or in worker threads.

It can be held at two points: `handed`, when no record of a poll is processed, and `processed`, when
the effects of all records are in the sink and nothing is committed yet.
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
"""One thread can be held while the other one continues."""

ON_ERROR_TEXTS: Mapping[OnError, str] = {
    "retry": "the application tries {} again",
    "close": "the application closes its consumer",
    "skip": "the application continues without {}",
}


class Sink(Protocol):
    """Where processing leaves its effects."""

    def apply(self, values: Sequence[int]) -> None:
        """Writes the effects of one poll; they are in the sink when it returns."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Polled:
    """The values of one poll, and the positions after them."""

    values: Sequence[int]
    positions: list[TopicPartition]


@dataclass(eq=False, slots=True)
class _Poll:
    """A poll, and whether it is processed."""

    polled: Polled
    done: bool = False


class PollProcessor:
    """Processes polls, in order or in several threads.

    If it is `asynchronous`, worker threads process the polls while the polling thread continues; a
    hold stops one worker and the others continue. `processed` returns the positions of processed
    polls, each once: those before the first unfinished poll, or with `as_done` all of them.
    """

    def __init__(
        self, control: Control, facts: Facts, open_sink: Callable[[], Sink | None],
        asynchronous: bool, as_done: bool = False,
    ) -> None:  # fmt: skip
        self._control, self._facts, self._open = control, facts, open_sink
        self._as_done = as_done
        self._pending: list[_Poll] = []
        self._queue: queue.SimpleQueue[_Poll | None] = queue.SimpleQueue()
        self._hold_lock = threading.Lock()
        self._asynchronous = asynchronous
        self._malformed: int | None = None
        self._sink = None if asynchronous else self._open()
        self._threads = [
            threading.Thread(target=self._work, name=f"work-{number}", daemon=True)
            for number in range(_THREADS if asynchronous else 0)
        ]
        for thread in self._threads:
            thread.start()

    def process(self, polled: Polled) -> None:
        """Processes a poll, or queues it for the worker threads. Raises `FailureRequested`."""
        poll = _Poll(polled)
        if self._asynchronous:
            self._pending.append(poll)
            self._queue.put(poll)
        else:
            self._process(poll, self._sink)
            self._pending.append(poll)

    def processed(self) -> list[list[TopicPartition]]:
        """Returns the positions of the polls that were processed since the last call."""
        ready = (
            [poll for poll in self._pending if poll.done]
            if self._as_done
            else list(takewhile(lambda poll: poll.done, self._pending))
        )
        self._pending = [poll for poll in self._pending if poll not in ready]
        return [poll.polled.positions for poll in ready]

    def finish(self) -> None:
        """Waits until all queued polls are processed, and closes the sinks."""
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join()
        if self._sink:
            self._sink.close()

    def _work(self) -> None:
        sink = self._open()  # a SQLite connection must be used in the thread that opened it
        while (poll := self._queue.get()) is not None:
            self._process(poll, sink)
        if sink:
            sink.close()

    def _process(self, poll: _Poll, sink: Sink | None) -> None:
        may_hold = self._hold_lock.acquire(blocking=False)
        try:
            self._do(poll.polled, sink, may_hold)
        finally:
            if may_hold:
                self._hold_lock.release()
        poll.done = True

    def _do(self, polled: Polled, sink: Sink | None, may_hold: bool) -> None:
        if may_hold:
            self._control.reach("handed", self._held_facts(polled, "none of them is processed"))
        self._check_malformed(polled.values)
        if sink:
            sink.apply(polled.values)
        if may_hold:
            self._control.reach("processed", self._held_facts(polled, "all of them are processed"))

    def _check_malformed(self, values: Sequence[int]) -> None:
        """Raises `FailureRequested` at the malformed message: the first one since `spoil`."""
        if not self._control.spoil_requested.is_set():
            self._malformed = None
            return
        if self._malformed is None:
            self._malformed = values[0]
        if self._malformed in values:
            raise FailureRequested(
                f"message {self._malformed:,} cannot be processed", self._malformed
            )

    def _held_facts(self, polled: Polled, progress: str) -> Facts:
        def facts() -> dict[str, Any]:
            base = {} if self._asynchronous else self._facts()
            return {**base, "stands": f"{len(polled.values):,} records in hand, {progress}"}

        return facts
