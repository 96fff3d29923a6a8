"""The names of a Python program that is run with example messages (`example_run`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from advisor.intake.programs.python.processing.example_program import Frame
from advisor.intake.programs.python.processing.example_values import (
    UNKNOWN,
    Failure,
    Message,
    offsets_in,
    parts,
)


@dataclass
class Memory:
    """The values of names. The last frame is that of the function that runs, and the first one that
    of the module."""

    frames: list[Frame] = field(default_factory=lambda: [{}])
    callers: list[list[Frame]] = field(default_factory=list)
    """The frames of the functions that wait for others to return."""

    def read(self, name: str) -> Any:
        """The value of a name, which may be dotted; `UNKNOWN` if it has none."""
        return next((frame[name] for frame in reversed(self.frames) if name in frame), UNKNOWN)

    def store(self, name: str, value: Any) -> None:
        """Stores the value of a plain name."""
        frame = self.frames[-1]
        if f"global {name}" in frame:
            outer = (frame for frame in reversed(self.frames[:-1]) if name in frame)
            frame = next(outer, self.frames[0])
        frame[name] = value

    def declare_global(self, names: Iterable[str]) -> None:
        """Makes assignments to names those of an outer frame."""
        self.frames[-1].update((f"global {name}", None) for name in names)

    def enter(self, frames: Iterable[Frame], names: Mapping[str, Any]) -> None:
        """Begins a function that sees these frames."""
        self.callers.append(self.frames)
        self.frames = [*frames, dict(names)]

    def leave(self) -> None:
        """Ends a function."""
        self.frames = self.callers.pop()

    def offsets(self, *, collected_only: bool) -> frozenset[int]:
        """The offsets of the messages that names hold, or only those in lists, dicts and objects;
        an error is no message."""
        frames = [frame for frames in (self.frames, *self.callers) for frame in frames]
        values = [value for frame in frames for value in frame.values()]
        if collected_only:
            values = [value for value in values if not isinstance(value, Message)]
        messages = (part for part in parts(values) if isinstance(part, Message))
        return offsets_in([part for part in messages if not isinstance(part, Failure)])
