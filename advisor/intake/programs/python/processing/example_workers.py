"""Threads and tasks of a Python program that is run with messages that fail (`example_run`), and
the queues between them and the loop that polls.

A worker runs whenever something is put into a queue, until it waits for more. Nobody is told of an
error that ends a thread (threading, `excepthook`). `join` of a queue waits until `task_done` was
called for each item (queue, `Queue.join`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from advisor.intake.programs.python.processing.example_memory import Memory
from advisor.intake.programs.python.processing.example_program import (
    Blocked,
    Frame,
    NotRun,
    Stopped,
)
from advisor.intake.programs.python.processing.example_record import Record
from advisor.intake.programs.python.processing.example_values import (
    MISSING,
    UNKNOWN,
    Exited,
    PythonError,
    Queue,
    Table,
    parts,
)

_TIMED = frozenset({"timeout", "block"})
Task = Callable[[], Any]


@dataclass
class Workers:
    """The workers that wait for a queue; `is_running` is true while one of them runs."""

    memory: Memory
    record: Record
    waiting: list[Task] = field(default_factory=list)
    is_running: bool = False

    def run_thread(self, task: Task) -> None:
        """Runs a thread, whose error is only printed."""
        try:
            self.run(task)
        except Exited:
            raise
        except PythonError:
            pass

    def run(self, task: Task) -> Any:
        """Runs a task until it ends or waits; returns its result."""
        frames, callers, was_running = self.memory.frames, [*self.memory.callers], self.is_running
        self.is_running = True
        try:
            return task()
        except Blocked:
            self._use_collected(len(callers))
            if task not in self.waiting:
                self.waiting.append(task)
            return UNKNOWN
        finally:
            self.memory.frames, self.memory.callers = frames, callers
            self.is_running = was_running

    def _use_collected(self, depth: int) -> None:
        """Uses the messages that a waiting worker collects in lists of its own: it may process them
        later. `depth` is the number of callers of the worker."""
        callers = [*self.memory.callers, self.memory.frames]
        shared = {id(value) for value in _values(callers[: depth + 1])}
        own = (value for value in _values(callers[depth + 1 :]) if id(value) not in shared)
        self.record.use([value for value in own if isinstance(value, list | Table)])

    def queue_call(
        self, queue: Queue, name: str, arguments: list[Any], keywords: Mapping[str, Any]
    ) -> Any:
        """The result of a method of a queue; `MISSING` for any other."""
        match name:
            case "put" | "put_nowait" if arguments:
                self._put(queue, arguments[0])
                return None
            case "get" | "get_nowait":
                is_timed = (
                    name == "get_nowait" or bool(arguments) or not _TIMED.isdisjoint(keywords)
                )
                return self._get(queue, is_timed=is_timed)
            case "empty":
                return not queue
            case "qsize":
                return len(queue)
            case "task_done":
                queue.unfinished -= 1
                return None
            case "join":
                if queue.unfinished > 0:
                    raise Stopped  # nobody finishes what is left
                return None
            case _:
                return MISSING

    def _put(self, queue: Queue, value: Any) -> None:
        """Puts a value into a queue. What no known worker takes is used elsewhere."""
        queue.append(value)
        queue.unfinished, queue.was_empty = queue.unfinished + 1, False
        if self.is_running:
            return
        for worker in self.waiting:
            if queue:
                self.run_thread(worker)
        if value in queue:
            queue.clear()
            queue.unfinished = 0
            self.record.use(value)

    def _get(self, queue: Queue, *, is_timed: bool) -> Any:
        if queue:
            queue.was_empty = False
            return queue.pop(0)
        if is_timed and not (self.is_running and queue.was_empty):
            queue.was_empty = True
            raise PythonError
        if self.is_running:
            raise Blocked
        raise NotRun  # it waits for something that is not known


def _values(callers: Iterable[list[Frame]]) -> list[Any]:
    """What the names of functions hold, and what these objects hold."""
    values = [value for frames in callers for frame in frames for value in frame.values()]
    return [*parts(values)][1:]
