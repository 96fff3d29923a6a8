"""The statements of a program as a tree that can be played (`simulation`), in any language.

A reader makes one of the code of a loop; what the tree does not show it must not guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum


class Unclear(Exception):
    """Something that decides is not read: such a loop is not played."""


@dataclass(frozen=True, slots=True)
class Poll:
    """The consumer polls."""


@dataclass(frozen=True, slots=True)
class Work:
    """Something is done with a message that may fail; `is_effect` says whether it has an effect
    elsewhere. Taking a message apart has none."""

    is_effect: bool = True


class SendErrors(Enum):
    """Who hears of a send that fails."""

    NOBODY = "nobody, or a callback that does nothing about it"
    WAITED = "who waits for it at once"
    KEPT = "who waits for its future later"
    STORED = "a callback that keeps it somewhere"
    THROWN = "who waits for all, by what a callback throws"
    ENDED = "everybody: a callback ends the process"


@dataclass(frozen=True, slots=True)
class Send:
    """A message is sent, or what is made of one; `names` are where a callback keeps an error, or
    somebody its future."""

    at: int
    heard: SendErrors
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Wait:
    """Waits for the futures of messages that a name has."""

    name: str


@dataclass(frozen=True, slots=True)
class Flush:
    """Waits for all that was sent, or `is_limited` for some time, which may be too short."""

    is_limited: bool = False


@dataclass(frozen=True, slots=True)
class SetFlag:
    """A variable is made true or false, or a count more than 0 or 0."""

    name: str
    value: bool


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of all that was polled, or of one message; `at` is its place in the text."""

    at: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Close:
    """The consumer is closed."""

    at: int


@dataclass(frozen=True, slots=True)
class Jump:
    """Leaves a loop (`break`), a round (`continue`), a method (`return`), or throws; a loop may be
    named by its `label`."""

    word: str
    value: bool | None = None
    """What a method returns that says whether something succeeded."""
    label: str = ""


@dataclass(frozen=True, slots=True)
class ForEach:
    """A loop over what was polled, or over the futures `of` a list. A function that is given each
    ends by `return`. `behind` is done unless the loop is left."""

    body: Block
    by_function: bool = False
    of: str = ""
    behind: Block = ()
    label: str = ""


@dataclass(frozen=True, slots=True)
class Loop:
    """Another loop: so many rounds, or for ever. `behind` is done unless it is left."""

    body: Block
    rounds: int | None = None
    behind: Block = ()
    label: str = ""


@dataclass(frozen=True, slots=True)
class Breakable:
    """Scala's block that `break()` leaves, also from within a loop: a jump to its `end`."""

    body: Block


@dataclass(frozen=True, slots=True)
class Call:
    """A method of the same file."""

    body: Block


@dataclass(frozen=True, slots=True)
class Handler:
    """What is done with an error, and where that stands."""

    body: Block
    at: int


@dataclass(frozen=True, slots=True)
class Try:
    """A block whose errors go to one of its handlers; `last` is done after it in any case."""

    body: Block
    handlers: Sequence[Handler] = ()
    last: Block = ()


@dataclass(frozen=True, slots=True)
class Condition:
    """What a decision depends on: `is_last` on the round of the loop, `call` on what a method
    returns, `of_record` on the message alone, and otherwise on what the text does not say. `value`
    is what it is where that is known, or in the last round; `negated` is of the call. `error` asks
    for what a callback keeps in that name, `is_left` for what a `Flush` has left, and `mark` for a
    variable."""

    value: bool | None = None
    is_last: bool = False
    call: Call | None = None
    negated: bool = False
    of_record: bool = False
    error: str = ""
    is_left: bool = False
    mark: str = ""


@dataclass(frozen=True, slots=True)
class If:
    """A decision."""

    condition: Condition
    then: Block
    other: Block = ()


Statement = (
    Poll
    | Work
    | Send
    | Wait
    | Flush
    | SetFlag
    | Commit
    | Close
    | Jump
    | ForEach
    | Loop
    | Breakable
    | Call
    | Try
    | If
)
Block = Sequence[Statement]


def nodes(block: Block) -> Iterator[Statement]:
    """Each statement of a block and of those in it."""
    for node in block:
        yield node
        match node:
            case ForEach(body=body, behind=behind) | Loop(body=body, behind=behind):
                yield from nodes([*body, *behind])
            case Breakable(body=body) | Call(body=body):
                yield from nodes(body)
            case Try(body=body, handlers=handlers, last=last):
                yield from nodes([*body, *(it for own in handlers for it in own.body), *last])
            case If(condition=condition, then=then, other=other):
                called = condition.call.body if condition.call else ()
                yield from nodes([*called, *then, *other])
            case _:
                pass


def refusal(at: int) -> Call:
    """What a limit or a lock says, which may refuse a message, and where it is asked."""
    refused = Try((Work(is_effect=False),), (Handler((Jump("return", value=False),), at),))
    return Call((refused, Jump("return", value=True)))
