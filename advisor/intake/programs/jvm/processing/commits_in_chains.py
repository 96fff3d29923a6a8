"""Commits within a chain of calls that takes what was polled apart: `rs.onEach { … }.run {
c.commitSync(); … }`, `stream.peek(r -> c.commitSync()).forEach(r -> save(r))`.

A commit without offsets is behind all that was polled (KafkaConsumer javadoc). Streams of Java and
sequences of Kotlin hand one record through all steps before they take the next one
(java.util.stream, package summary); collections of Kotlin and Scala do a step for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from advisor.intake.programs.jvm.records.derived_names import TAKES_APART
from advisor.intake.programs.jvm.records.observations import observation_spans
from advisor.intake.programs.jvm.records.poll_chains import Step, steps
from advisor.intake.programs.jvm.text import CALLEE, HEAD, Block, Text, blanked

_MOST, _MOST_LEVELS = 60, 4
_SCOPES = frozenset({"also", "apply", "let", "run", "use", "with", "pipe", "tap"})
"""What calls its function once."""
_LAZY = re.compile(r"\b(?:[sS]tream\w*|asSequence|asFlow|view|iterator|Iterator|spliterator)\b")
_DOES = re.compile(r"\b(\w+)\s*[({]|::\s*(\w+)")
_BY_NAME = re.compile(r"\s*(?:\w+\s*\.\s*)*(\w+)(?:\s+_)?\s*")
"""A function of Scala, by its name alone."""
_OF_LAST = re.compile(
    r"\bif\s*\([^{}]*(?:==[^{}]*\b(?:count|size|length|lastIndex)\b|!\s*\w+\s*\.\s*hasNext\b)"
    r"[^{}]*\)\s*$"
)
"""A condition that only the last of several fulfils."""
_NO_EFFECT = re.compile(
    rf"{TAKES_APART}|commit(?:Sync|Async)|for[Ee]ach\w*|map\w*|flatMap|onEach\w*|peek|filter\w*|if|for"
    r"|while|when|also|let|run|apply|use|count|size|isEmpty|[A-Z]\w*|it|\d+"
)
_NAMED = re.compile(r"\b(\w+)\s*(?::[^=;{}]{1,60})?=\s*$")
_OUTER = re.compile(r"\s*[,)]")


def too_early(
    text: Text, names: Collection[str], commits: re.Pattern[str], span: Block
) -> Iterator[int]:
    """Where a step of a chain over records of these names commits, and one behind it, or in it,
    does something with them."""
    known = re.compile(rf"(?<![.\w])(?:{'|'.join(sorted(names)) or '(?!)'})\b")
    if not commits.search(text.plain, *span):
        return
    seen = set[int]()
    for use in islice(known.finditer(text.plain, *span), _MOST):
        for begin, chain in _chains(text, use.end(), use.start()):
            for number, step in enumerate(chain):
                commit = commits.search(text.plain, step.begin, max(step.begin, step.end))
                if commit is None or commit.start() in seen:
                    continue
                seen.add(commit.start())
                if is_of_last(text, commit.start(), (step.begin, step.end)):
                    continue
                before = text.plain[begin : step.at]
                early = _is_early(text, chain, number, commit, before)
                if early or _is_used(text, begin, chain[-1].end + 1, span[1]):
                    yield commit.start()


def _chains(text: Text, at: int, begin: int) -> Iterator[tuple[int, Sequence[Step]]]:
    """The chains that a value is in: that of its own calls, and those of the calls that it is
    given to."""
    for _ in range(_MOST_LEVELS):
        chain = [*steps(text, at)]
        if chain:
            yield begin, chain
            at = chain[-1].end + 1
        if not _OUTER.match(text.plain, at):
            return
        around = _bracket(text, at)
        callee = CALLEE.search(text.plain, max(0, around - 80), around) if around > 0 else None
        if callee is None or HEAD.search(text.plain, max(0, around - 80), around + 1):
            return
        begin, at = text.chain(around), text.closed(around + 1)


def _bracket(text: Text, at: int) -> int:
    """Where the bracket opens that a place is within; -1 where a brace does before it."""
    depth = 0
    for here in range(at - 1, max(-1, at - 600), -1):
        char = text.plain[here]
        depth += (char in ")]}") - (char in "([{")
        if depth < 0:
            return here if char == "(" else -1
    return -1


def _is_early(
    text: Text, chain: Sequence[Step], number: int, commit: re.Match[str], before: str
) -> bool:
    """Whether something is done with records behind a commit in a step of a chain."""
    step, steps_before = chain[number], chain[:number]
    behind = [(one.begin, one.end) for one in chain[number + 1 :]]
    is_lazy = bool(_LAZY.search(before))
    if step.name in _SCOPES or (step.is_outer and not is_lazy):
        own = [(commit.end(), step.end)]
    elif is_lazy:
        own = [(step.begin, step.end), *((one.begin, one.end) for one in steps_before)]
    else:
        own = [(step.begin, step.end)]
    return any(_does(text, span) for span in [*own, *behind])


def _is_used(text: Text, begin: int, end: int, stop: int) -> bool:
    """Whether something is done with what a chain between two places gives: by its name, in a loop
    over it, or by what it is given to."""
    around = _bracket(text, begin)
    before = text.plain[max(0, (around if around >= 0 else begin) - 80) : max(around, begin)]
    if named := _NAMED.search(text.plain[max(0, begin - 120) : begin]):
        uses = re.compile(rf"(?<![.\w]){named[1]}\b(?!\s*\.\s*(?:size|count|isEmpty)\b)")
        spans = [*observation_spans(text, (), (end, stop))]
        return uses.search(blanked(text.plain, spans), end, stop) is not None
    if around < 0:
        return False
    if HEAD.search(f"{before[: before.rfind('(') + 1]})"):
        return True
    callee = CALLEE.search(text.plain[max(0, around - 80) : around])
    return callee is not None and not _NO_EFFECT.fullmatch(callee[1])


def _does(text: Text, span: Block) -> bool:
    """Whether something has an effect between two places, other than on what observes it."""
    if span[1] <= span[0]:
        return False
    plain = blanked(text.plain[: span[1]], observation_spans(text, (), span))
    named = _BY_NAME.fullmatch(plain, *span)
    found = [match[1] or match[2] for match in _DOES.finditer(plain, *span)]
    return any(not _NO_EFFECT.fullmatch(verb) for verb in ([named[1]] if named else found))


def is_of_last(text: Text, at: int, body: Block) -> bool:
    """Whether a place in the body of a loop is reached for the last record alone, and nothing
    stands behind it."""
    start, end, head = next(reversed(text.around(at)), (0, 0, ""))
    is_asked = body[0] < start and _OF_LAST.search(head)
    return bool(is_asked) and not text.plain[end + 1 : body[1]].strip(" \n;})")
