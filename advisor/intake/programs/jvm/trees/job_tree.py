"""A program of the JVM that only sends, as a tree that can be played (`programs.simulation`): it
sends what it was given or reads somewhere, and ends.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from advisor.intake.programs import simulation
from advisor.intake.programs.facts import IGNORED
from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.records.polls import Call as PollCall
from advisor.intake.programs.jvm.text import METHOD, Text
from advisor.intake.programs.jvm.trees import loop_tree
from advisor.intake.programs.jvm.trees.loop_heads import BOUNDED, OVER
from advisor.intake.programs.jvm.trees.send_tree import Sends
from advisor.intake.programs.trees import (
    Block,
    Condition,
    Flush,
    ForEach,
    Loop,
    Statement,
    Try,
    Unclear,
)

_MOST_METHODS, _MOST_ROOTS, _DEEPEST = 200, 12, 4
_NOWHERE = PollCall(-1, -1, "(?!)", "")
_CALLED = re.compile(r"(?<![.\w])(?:this\s*\.\s*|(?:new\s+)?\w+\s*\([^()]*\)\s*\.\s*)?(\w+)\s*\(")
_OWN_CALL = re.compile(
    r"\s*(?:this\s*\.\s*|(?:new\s+)?\w+\s*\([^()]*\)\s*\.\s*)?(?P<name>\w+)\s*"
    r"\((?:[^(){}]|\((?:[^(){}]|\([^(){}]*\))*\))*\)\s*"
)
_EACH = re.compile(
    r"[\w.]+(?:\([^(){}]*\))?(?:\s*\.\s*\w+\([^(){}]*\))*\s*\.\s*for[Ee]ach\s*"
    r"(?:\(\s*\(?\w+\)?\s*[-=]>\s*)?(?=\{)"
)
_NEXT = re.compile(r"\.\s*(?:hasNext\w*|next)\s*\(|\breadLine\b")
"""The condition of a loop over what there is."""
_USES = re.compile(r"[\w.<>, ]*(?:\([^{}]*\))?\s*\.\s*use\s*(?=\{)")
_MADE = re.compile(r"=\s*(?:new\s+)?\w*Producer\b")
_PRODUCER = re.compile(r"\bKafkaProducer\b")


def ignored_send_error(text: Text) -> int:
    """Where a program goes on to its end without a message whose send fails; -1 if nowhere."""
    sends = Sends(text)
    for name, body in _roots(text, [at for at, _ in sends.places]):
        sends.futures.clear()
        with suppress(Unclear):
            tree = _Reader(text, sends).job(body)
            if found := simulation.ignored_send_errors(tree, is_whole=name == "main"):
                return found[IGNORED]
    return -1


def _roots(text: Text, places: Sequence[int]) -> Iterator[tuple[str, tuple[int, int]]]:
    """The methods that send, themselves or by others, and that no other one calls."""
    bodies = dict[str, tuple[int, int]]()
    for start, end, head in islice(text.heads, _MOST_METHODS):
        if match := METHOD.search(head):
            bodies[match[1]] = (start, end)
    calls = {name: {match[1] for match in _CALLED.finditer(text.plain, *body)} & bodies.keys()
             for name, body in bodies.items()}  # fmt: skip
    sending = {name for name, (start, end) in bodies.items()
               if any(start < at < end for at in places)}  # fmt: skip
    for _ in range(_DEEPEST):
        sending |= {name for name, called in calls.items() if called & sending}
    called = set[str]().union(*calls.values())
    roots = sorted(sending - called)
    yield from ((name, bodies[name]) for name in roots[:_MOST_ROOTS])


class _Reader(loop_tree.Reader):
    """Reads a method that sends. What else it does does not matter, unless it may be what is
    done about a send that failed."""

    def __init__(self, text: Text, sends: Sends) -> None:
        super().__init__(text, _NOWHERE, sends)
        self._seen = text.plain

    def job(self, body: tuple[int, int]) -> Block:
        return self._block(*body)

    def _mentions(self, code: str, names: Collection[str]) -> bool:
        return True

    def _attempt(self, match: re.Match[str]) -> tuple[Block, int]:
        found, at = super()._attempt(match)
        attempt = found[0]
        held = set(re.findall(r"\w+", match["held"] or ""))
        if isinstance(attempt, Try) and (
            held & self._sends.producers or _PRODUCER.search(match["held"] or "")
        ):
            closed = Try(attempt.body, (), [Flush()])  # before any handler (JLS 14.20.3.2)
            return [Try([closed], attempt.handlers, attempt.last)], at
        return found, at

    def _loop(self, word: str, begin: int, given: str, closed: int) -> tuple[Block, int]:
        if BOUNDED.fullmatch(given):
            return super()._loop(word, begin, given, closed)
        if self._sends.is_used(given):
            raise Unclear
        if word == "while" and (counted := self._counted_rounds(given, closed)):
            return counted
        over = OVER.fullmatch(given)
        if over and (of := self._sends.futures.get(over["of"].strip())):
            return self._of_futures(over["name"], of, closed)
        body, at = self._braces(closed)
        if word == "while" and given.strip() == "true":
            return [Loop(body)], at
        if body and word == "while" and not _NEXT.search(given):
            raise Unclear  # it may try again
        return ([ForEach(body)] if body else []), at

    def _condition(self, given: str) -> Condition:
        if asked := self._sends.asked(given) or self._marks.asked(given):
            return asked
        words = set(re.findall(r"\w+", given))
        if self._rounds and self._rounds[-1] in words:
            return super()._condition(given)
        if any(self._text.bodies(word) for word in words):
            raise Unclear
        return Condition()

    def _expression(self, at: int, end: int) -> tuple[Block, int]:
        plain = self._text.plain
        if (match := _EACH.match(plain, at, end)) and not self._sends.is_future(match[0]):
            return self._given_each(match.end())
        if match := _USES.match(plain, at, end):
            return self._used(match)
        stop = min(self._text.statement(at)[1], end)
        if mark := self._marks.of(plain[at:stop]):
            return [mark], stop
        are_in = self._sends.are_in(at, stop)
        sent = (self._sends.sent if are_in else self._sends.waits)(at, stop)
        return (self._called(at, stop) if sent is None else sent), stop

    def _used(self, match: re.Match[str]) -> tuple[Block, int]:
        """Kotlin's block that closes what it uses."""
        body, behind = self._function(match.end())
        words = set(re.findall(r"\w+", match[0]))
        closes = words & {"KafkaProducer", *self._sends.producers}
        last: list[Statement] = [Flush()] if closes else []
        return [Try(body, (), last)], behind

    def _called(self, at: int, stop: int) -> Block:
        code = self._text.plain[at:stop]
        call = _OWN_CALL.fullmatch(code)
        if call and self._text.bodies(call["name"]):
            return [self._call(call["name"])]
        if self._sends.are_handed_on(code) and not _MADE.search(code):
            raise Unclear
        is_asked = self._decides or self._marks.are_in(code)
        if self._sends.is_used(code) or (is_asked and not only_logs(code)):
            raise Unclear  # it may be what is done with a message that fails
        if any(self._text.bodies(name) for name in re.findall(r"\w+", code)):
            raise Unclear
        return []
