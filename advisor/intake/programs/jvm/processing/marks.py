"""Records that JVM code marks as done before it processes them:
`if (!redis.setIfAbsent(id, "1")) { continue; } save(r);`.

If the processing fails or the program dies, the mark remains, and the record that is delivered
again is skipped. A mark in a store outlives the program; one in memory only matters to code that
tries a record again in the same process (`IN_MEMORY`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.jvm.errors.flags import branches
from advisor.intake.programs.jvm.log_only import only_logs, statements
from advisor.intake.programs.jvm.text import Block, Text

_MOST = 20


@dataclass(frozen=True, slots=True)
class Store:
    """How a kind of store is called: `claim` stores a mark and returns whether it is new, `check`
    asks for a mark, and `write` stores one."""

    claim: re.Pattern[str]
    check: re.Pattern[str]
    write: str


IN_STORE = Store(
    re.compile(
        r"\.\s*(?:setIfAbsent|set_?nx|setNX|hsetnx|trySet|trySetAsync|sadd)\s*\("
        r"|\bopsFor(?:Set\s*\(\s*\)\s*\.\s*add|Hash\s*\(\s*\)\s*\.\s*putIfAbsent)\s*\("
        r"|\.\s*set\s*\([^;{}]{0,120}\.\s*nx\s*\("
    ),
    re.compile(
        r"\bif\s*\([^;{}]{0,80}?\b(?P<name>\w+)\s*\.\s*(?:opsFor\w+\s*\(\s*\)\s*\.\s*)?"
        r"(?:h?exists|hasKey|s?is_?[mM]ember)\s*\("
    ),
    r"\s*{0}\s*\.\s*(?:opsFor\w+\s*\(\s*\)\s*\.\s*)?(?:h?set(?:ex)?|put|s?add)\s*\(.*",
)
"""Redis (Spring Data Redis, Jedis, Lettuce, Redisson)."""
IN_MEMORY = Store(
    re.compile(r"(?:\bif\s*\(\s*!?\s*\w+\s*\.\s*add|\.\s*putIfAbsent)\s*\("),
    re.compile(
        r"\bif\s*\([^;{}]{0,80}?\b(?P<name>\w+)\s*\.\s*(?:contains(?:Key)?|getIfPresent)\s*\("
    ),
    r"\s*{0}\s*\.\s*(?:add|put)\s*\(.*",
)
"""Collections and caches (java.util.Set, Map; Caffeine)."""
_CONDITION = r"\bif\s*\((?=[^;{{}}]{{0,200}}\b{0}\b)"
_ASSIGNED = re.compile(r"(?P<name>\w+)\s*(?::[^=;{}]{0,40})?=(?!=)[^;={}]*$")
_RETURNED = re.compile(r"\breturn\b[^;{}]*$")
_EXPRESSION = re.compile(
    r"\b(?:fun|def)\s+(?P<name>\w+)\s*\([^(){}]*\)[^={}\n]*=(?!=)(?P<value>[^\n]*)"
)
"""A method whose body is an expression (Kotlin, Scala)."""
_FILTER = re.compile(r"\.\s*filter(?:Not)?\s*[({](?:[^;{}]|[-=]>\s*\{)*$")
_OPEN_CONDITION = re.compile(r"\bif\s*\((?=[^;{}]*$)")
_JUMP = re.compile(r"\b(?:continue|return|break)\b(?:@\w+)?[^;{}]*;?\s*\}?\s*$")
_TRIES_AGAIN = re.compile(r"\b(?:throw|nack|seek)\b")
_ENDS = re.compile(
    r"\s*(?:\w+\s*\.\s*)*(?:commit(?:Sync|Async)?|acknowledge|ack|p?expire\w*)\s*\(.*", re.DOTALL
)
"""Calls that commit a record, or say how long a mark is kept."""
_REACH = 1_000


def marks_before_processing(text: Text, body: Block, store: Store) -> Iterator[int]:
    """Conditions in a body that skip a marked record, where it is marked before it is processed.

    The mark may also be stored by a method that returns whether it is new.
    """
    for match in islice(store.claim.finditer(text.plain, *body), _MOST):
        if _FILTER.search(text.plain, max(body[0], 0, match.start() - _REACH), match.end()):
            yield match.start()
        for condition in _conditions(text, match.end(), body):
            if _skips(text, condition):
                yield condition
    for name in _methods(text, store.claim):
        for match in re.compile(_CONDITION.format(name)).finditer(text.plain, *body):
            if _skips(text, match.start()):
                yield match.start()
    for match in islice(store.check.finditer(text.plain, *body), _MOST):
        write = re.compile(store.write.format(match["name"]), re.DOTALL)
        if any(_writes_first(code, write) for code in _guarded_code(text, match.start())):
            yield match.start()


def _writes_first(code: str, write: re.Pattern[str]) -> bool:
    """Whether the code stores a mark before it processes a record."""
    rest = [*statements(code)]
    first = next((n for n, statement in enumerate(rest) if not only_logs(statement)), 0)
    return bool(write.fullmatch(rest[first])) and _processes(";".join(rest[first + 1 :]))


def _methods(text: Text, mark: re.Pattern[str]) -> Iterator[str]:
    """The names of the methods that return the result of a mark."""
    for name in text.methods_with(mark):
        bodies = ((block, mark.search(text.plain, *block)) for block in text.bodies(name))
        if any(match and _RETURNED.search(text.plain[block[0] : match.end()])
               for block, match in bodies):  # fmt: skip
            yield name
    for match in islice(_EXPRESSION.finditer(text.plain), _MOST):
        if mark.search(match["value"]):
            yield match["name"]


def _conditions(text: Text, at: int, body: Block) -> Iterator[int]:
    """The `if` whose condition has the result of a call, or the variable that holds it."""
    before = text.plain[max(body[0], 0, at - _REACH) : at]
    if opened := _OPEN_CONDITION.search(before):
        yield at - len(before) + opened.start()
    elif assigned := _ASSIGNED.search(before):
        condition = re.compile(_CONDITION.format(assigned["name"]))
        if match := condition.search(text.plain, at, body[1]):
            yield match.start()


def _skips(text: Text, condition: int) -> bool:
    """Whether a record is processed only if the condition holds, or only if it does not, and
    nothing is done to try it again."""
    return any(map(_processes, _guarded_code(text, condition)))


def _guarded_code(text: Text, condition: int) -> Iterator[str]:
    """The code that runs for new records only: what the condition guards, and what follows if
    that ends the round; nothing if the other records are tried again."""
    after = text.closed(text.plain.index("(", condition) + 1)
    then, other = branches(text, after)
    if _tries_again(then) or _tries_again(other):
        return
    if not _JUMP.search(then):
        yield then
        return
    _, end = text.controlled_block(after)
    rest = text.plain[end : text.block(condition)[1]].removeprefix("}")
    if not _tries_again(rest):
        yield from (then, rest)


def _tries_again(code: str) -> bool:
    """Whether code does nothing but have a record delivered again. A record whose processing fails
    is delivered again, too, but is marked by then."""
    return bool(_TRIES_AGAIN.search(code)) and only_logs(
        code, in_function=True, others=_TRIES_AGAIN.search
    )


def _processes(code: str) -> bool:
    return not only_logs(code, in_function=True, others=_ENDS.fullmatch)
