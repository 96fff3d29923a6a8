"""The sends of a Python program that is run with example messages (`example_run`).

`poll` and `flush` of a producer call the callback of each send that has ended, with its error or
None, and raise what the callback raises (confluent-kafka, Producer.produce). A `flush` with a
timeout may return before a send has ended, and returns how many remain.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.processing.example_program import Closure, NotRun
from advisor.intake.programs.python.processing.example_record import Failing, Record
from advisor.intake.programs.python.processing.example_values import Failure, Message


@dataclass
class Sends:
    """Runs the calls of producers in a run where sends fail. `enter` runs a function of the
    program."""

    record: Record
    enter: Callable[[Closure, list[Any], dict[str, Any]], Any]
    count: int = 0
    pending: list[tuple[Closure, frozenset[int]]] = field(default_factory=list)
    """The callback of each send that has not been reported, and the message."""
    has_waited: bool = False
    """Whether a `flush` with a timeout has waited for the pending sends."""

    def call(self, call: ast.Call, failing: Failing, callback: Any, values: list[Any]) -> Any:
        """The result of a call of a producer. Raises `NotRun` for one that is not understood."""
        match syntax.method_name(call):
            case "produce":
                self._send(call, failing, callback, values)
                return None
            case "flush":
                return self._flush(failing, is_limited=not syntax.waits_for_all(call))
            case "poll":
                if not failing.is_late:
                    self._report()
                return 0
            case _:
                raise NotRun

    def _send(self, call: ast.Call, failing: Failing, callback: Any, values: list[Any]) -> None:
        """Notes a send. A program that only sends has no polled messages: its sends are numbered.
        A message that failed before and is sent again is handled."""
        if not isinstance(callback, Closure):
            raise NotRun
        record, offsets = self.record, self.record.use(values)
        if not offsets:
            offsets, self.count = frozenset({self.count}), self.count + 1
        for offset in (offsets & failing.offsets) - record.failed.keys():
            record.failed[offset] = ("produce", call.lineno)
            record.unreported.add(offset)
        self.pending.append((callback, offsets))
        self.has_waited = False

    def _flush(self, failing: Failing, *, is_limited: bool) -> int:
        """The number of messages that remain. Where reports are late, the first `flush` with a
        timeout is too short, and the next one is not."""
        if is_limited and failing.is_late and not self.has_waited:
            self.has_waited = True
            return len(self.pending)
        self._report()
        return 0

    def _report(self) -> None:
        """Calls the callbacks of all sends."""
        pending, self.pending, self.has_waited = self.pending, [], False
        for callback, offsets in pending:
            failed = offsets & self.record.unreported
            self.record.unreported -= failed
            self.enter(callback, [Failure(failed) if failed else None, Message(offsets)], {})
