"""What became of the message of one poll on the way through a Python program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace


@dataclass(slots=True)
class Way:
    """What became of the message of one poll on the way to a statement."""

    polled: int = -1
    """In how many loops it was polled; -1 before that."""

    many: bool = False
    """Whether others were polled with it."""

    names: set[str] = field(default_factory=set)
    """The message, and what is made of it."""

    used: bool = False
    committed: int = 0
    """The line of a commit before it was used."""

    handed: int = 0
    """The line where others were given it."""

    sent: int = 0
    """The line where it was sent on, and nothing waited for that since."""

    kept: bool = False
    """Whether it was only put by."""

    ahead: int = 0
    """The line of a commit before which no other system committed its own transaction."""

    other: bool = False
    """Whether one did."""

    behind: int = 0
    """The line where a transaction with its offset was committed."""

    pending: int = 0
    """The line where others were given it, and nothing waited for them yet."""

    ended: bool = False

    def copy(self) -> Way:
        """The same, to go on by itself."""
        return replace(self, names={*self.names})

    def join(self, ways: Iterable[Way]) -> None:
        """Goes on as any of several ways; what one of them used counts as used."""
        alive = [way for way in ways if not way.ended]
        self.ended = not alive
        self.names = self.names.union(*(way.names for way in alive))
        self.polled = max((way.polled for way in alive), default=self.polled)
        self.used = any(way.used for way in alive)
        self.kept = any(way.kept for way in alive)
        self.handed = max((way.handed for way in alive), default=0)
        self.sent = max((way.sent for way in alive), default=0)
        self.ahead = max((way.ahead for way in alive), default=0)
        self.other = any(way.other for way in alive)
        self.pending = max((way.pending for way in alive), default=0)
        self.behind = max((way.behind for way in alive), default=0)
        committed = max((way.committed for way in alive), default=0)
        self.committed = 0 if self.used else committed
