"""The statements of a program as a tree that can be simulated (`simulation`), in any language.

A reader builds the tree from the code of a loop or a job. It raises `Unclear` rather than guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum


class Unclear(Exception):
    """A statement that matters cannot be read: the program is not simulated."""


@dataclass(frozen=True, slots=True)
class Poll:
    """The consumer polls."""


@dataclass(frozen=True, slots=True)
class Work:
    """Work on a message, which may fail; `is_effect` says whether it has an effect outside of the
    program. Parsing a message has none."""

    is_effect: bool = True


class SendErrors(Enum):
    """How a program learns that a send failed."""

    UNCHECKED = "not at all, or by a callback that ignores it"
    WAITED = "by waiting for the send immediately"
    FUTURE = "by waiting for its future later"
    VARIABLE = "by a variable in which a callback stores the error"
    THROWN = "by the error that a callback throws in a flush"
    ENDED = "a callback ends the process"


@dataclass(frozen=True, slots=True)
class Send:
    """A send of a message, or of a message derived from one. `names` are the variables that store
    its error or its future."""

    at: int
    errors: SendErrors
    names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Wait:
    """A wait for the futures of messages that are stored under a name."""

    name: str


@dataclass(frozen=True, slots=True)
class Flush:
    """A wait for all sends; if `is_limited`, for a time that may be too short."""

    is_limited: bool = False


@dataclass(frozen=True, slots=True)
class SetFlag:
    """An assignment of true or false to a flag, or of a count: true is more than 0."""

    name: str
    value: bool


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit of all polled messages (`whole`), or of one message; `at` is its place in the
    source."""

    at: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Close:
    """The consumer is closed."""

    at: int


@dataclass(frozen=True, slots=True)
class Jump:
    """A jump out of a loop (`break`), an iteration (`continue`) or a method (`return`), or a
    `throw`; `label` may name the loop."""

    word: str
    value: bool | None = None
    """The returned value that says whether the work succeeded."""
    label: str = ""


@dataclass(frozen=True, slots=True)
class ForEach:
    """A loop over the polled messages, or over the futures that are stored under the name
    `futures`. The body is a function, which `return` ends, if `by_function`. `orelse` runs unless a
    jump leaves the loop."""

    body: Block
    by_function: bool = False
    futures: str = ""
    orelse: Block = ()
    label: str = ""


@dataclass(frozen=True, slots=True)
class Loop:
    """Any other loop: a number of iterations, or endless. `orelse` runs unless a jump leaves it."""

    body: Block
    rounds: int | None = None
    orelse: Block = ()
    label: str = ""


@dataclass(frozen=True, slots=True)
class Breakable:
    """Scala's `breakable`, which `break()` leaves even from a loop inside: a jump to its `end`."""

    body: Block


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a method of the same file."""

    body: Block


@dataclass(frozen=True, slots=True)
class Handler:
    """An error handler, and its place in the source."""

    body: Block
    at: int


@dataclass(frozen=True, slots=True)
class Try:
    """A block whose errors go to one of its handlers; `last` runs after it in any case."""

    body: Block
    handlers: Sequence[Handler] = ()
    last: Block = ()


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition of a decision.

    `is_last` tests the iteration of the loop, `call` the result of a method, `of_record` the
    message alone, `error` the error that a callback stored in that variable, `is_unsent` the sends
    that a `Flush` has not completed, and `flag` a flag variable; `negated` inverts these. `value`
    is the result if it is known, or in the last iteration. Any other condition is unknown.
    """

    value: bool | None = None
    is_last: bool = False
    call: Call | None = None
    negated: bool = False
    of_record: bool = False
    error: str = ""
    is_unsent: bool = False
    flag: str = ""


@dataclass(frozen=True, slots=True)
class If:
    """A decision between two blocks."""

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
    """Yields all statements of a block, nested ones included."""
    for node in block:
        yield node
        match node:
            case ForEach(body=body, orelse=orelse) | Loop(body=body, orelse=orelse):
                yield from nodes([*body, *orelse])
            case Breakable(body=body) | Call(body=body):
                yield from nodes(body)
            case Try(body=body, handlers=handlers, last=last):
                yield from nodes(
                    [
                        *body,
                        *(statement for handler in handlers for statement in handler.body),
                        *last,
                    ]
                )
            case If(condition=condition, then=then, other=other):
                call_body = condition.call.body if condition.call else ()
                yield from nodes([*call_body, *then, *other])
            case _:
                pass


def refusal(at: int) -> Call:
    """Returns the call of a rate limiter or a lock at a place, which may refuse a message."""
    attempt = Try((Work(is_effect=False),), (Handler((Jump("return", value=False),), at),))
    return Call((attempt, Jump("return", value=True)))
