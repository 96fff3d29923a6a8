"""The state of one polled message on one path through a Python program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace


@dataclass(slots=True)
class Branch:
    """The message of one poll on one path through the program.

    Numbers but for `polled` are lines; 0 if there is none.
    """

    polled: int = -1
    """The loop depth of the poll; -1 before the first poll."""

    is_batch: bool = False
    """Whether the poll returned a batch of messages."""

    names: set[str] = field(default_factory=set)
    """The names of the message, and of values that are computed from it."""

    processed: bool = False
    commit: int = 0
    """The line of a commit before the message was processed."""

    handover: int = 0
    """The line where the message was handed over to another thread or task."""

    send: int = 0
    """The line where the message was sent on, if nothing has waited for that send since."""

    buffered: bool = False
    """Whether the message was put into a buffer."""

    is_listed: bool = True
    """Whether all buffers of the message are lists of the program."""

    offset_commit: int = 0
    """The line of an offset commit that no commit of another system precedes."""

    other_commit: bool = False
    """Whether another system, such as a database, has committed its transaction."""

    transaction: int = 0
    """The line where a transaction with the offset of the message was committed."""

    pending: int = 0
    """The line where the message was handed over, if nothing has waited for the result since."""

    ended: bool = False
    """Whether the path has left the block: `return`, `raise`, `continue` or `break`."""

    def begin(self, polled: int, *, is_batch: bool) -> None:
        """Resets the state for the message of another poll, made at a loop depth of `polled`."""
        self.polled, self.is_batch = polled, is_batch
        self.processed = self.buffered = self.other_commit = False
        self.is_listed = True
        self.commit = self.handover = self.send = 0
        self.offset_commit = self.transaction = self.pending = 0

    def copy(self) -> Branch:
        """Returns a copy with a set of names of its own, for another path."""
        return replace(self, names={*self.names})

    def join(self, branches: Iterable[Branch]) -> None:
        """Merges paths that end at the same statement. The message counts as processed if it is on
        one of them."""
        alive = [branch for branch in branches if not branch.ended]
        self.ended = not alive
        self.names = self.names.union(*(branch.names for branch in alive))
        self.polled = max((branch.polled for branch in alive), default=self.polled)
        self.processed = any(branch.processed for branch in alive)
        self.buffered = any(branch.buffered for branch in alive)
        self.is_listed = all(branch.is_listed for branch in alive)
        self.handover = max((branch.handover for branch in alive), default=0)
        self.send = max((branch.send for branch in alive), default=0)
        self.offset_commit = max((branch.offset_commit for branch in alive), default=0)
        self.other_commit = any(branch.other_commit for branch in alive)
        self.pending = max((branch.pending for branch in alive), default=0)
        self.transaction = max((branch.transaction for branch in alive), default=0)
        commit = max((branch.commit for branch in alive), default=0)
        self.commit = 0 if self.processed else commit
