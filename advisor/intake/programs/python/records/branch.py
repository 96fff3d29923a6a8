"""The state of one polled message on one path through a Python program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace


@dataclass(slots=True)
class Branch:
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

    def begin(self, polled: int, *, many: bool) -> None:
        """Begins with the message of another poll."""
        self.polled, self.many = polled, many
        self.used = self.kept = self.other = False
        self.committed = self.handed = self.sent = 0
        self.ahead = self.behind = self.pending = 0

    def copy(self) -> Branch:
        """The same, to go on by itself."""
        return replace(self, names={*self.names})

    def join(self, branches: Iterable[Branch]) -> None:
        """Goes on as any of several branches; what one of them used counts as used."""
        alive = [branch for branch in branches if not branch.ended]
        self.ended = not alive
        self.names = self.names.union(*(branch.names for branch in alive))
        self.polled = max((branch.polled for branch in alive), default=self.polled)
        self.used = any(branch.used for branch in alive)
        self.kept = any(branch.kept for branch in alive)
        self.handed = max((branch.handed for branch in alive), default=0)
        self.sent = max((branch.sent for branch in alive), default=0)
        self.ahead = max((branch.ahead for branch in alive), default=0)
        self.other = any(branch.other for branch in alive)
        self.pending = max((branch.pending for branch in alive), default=0)
        self.behind = max((branch.behind for branch in alive), default=0)
        committed = max((branch.committed for branch in alive), default=0)
        self.committed = 0 if self.used else committed
