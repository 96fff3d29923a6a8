"""A JVM program that only sends, as a tree for the simulation (`programs.simulation`): it sends its
arguments or the data that it reads, and ends.
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
from advisor.intake.programs.jvm.trees.loop_heads import BOUNDED, FOR_EACH
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

_MAX_METHODS, _MAX_ROOTS, _MAX_DEPTH = 200, 12, 4
_NO_POLL = PollCall(-1, -1, "(?!)", "")
_CALL = re.compile(r"(?<![.\w])(?:this\s*\.\s*|(?:new\s+)?\w+\s*\([^()]*\)\s*\.\s*)?(\w+)\s*\(")
_METHOD_CALL = re.compile(
    r"\s*(?:this\s*\.\s*|(?:new\s+)?\w+\s*\([^()]*\)\s*\.\s*)?(?P<name>\w+)\s*"
    r"\((?:[^(){}]|\((?:[^(){}]|\([^(){}]*\))*\))*\)\s*"
)
_FOR_EACH_CALL = re.compile(
    r"[\w.]+(?:\([^(){}]*\))?(?:\s*\.\s*\w+\([^(){}]*\))*\s*\.\s*for[Ee]ach\s*"
    r"(?:\(\s*\(?\w+\)?\s*[-=]>\s*)?(?=\{)"
)
_NEXT_ELEMENT = re.compile(r"\.\s*(?:hasNext\w*|next)\s*\(|\breadLine\b")
"""The condition of a loop over data that is read."""
_USE_BLOCK = re.compile(r"[\w.<>, ]*(?:\([^{}]*\))?\s*\.\s*use\s*(?=\{)")
_PRODUCER_CREATION = re.compile(r"=\s*(?:new\s+)?\w*Producer\b")
_PRODUCER_TYPE = re.compile(r"\bKafkaProducer\b")


def ignored_send_error(text: Text) -> int:
    """Returns the offset where a program ignores a failed send and runs on to its end; -1 if there
    is none."""
    sends = Sends(text)
    for name, body in _roots(text, [at for at, _ in sends.places]):
        sends.futures.clear()
        with suppress(Unclear):
            tree = _Reader(text, sends).method_body(body)
            if facts := simulation.ignored_send_errors(tree, is_whole=name == "main"):
                return facts[IGNORED]
    return -1


def _roots(text: Text, places: Sequence[int]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yields the methods that send, directly or through calls, and that no other method calls."""
    bodies = dict[str, tuple[int, int]]()
    for start, end, head in islice(text.heads, _MAX_METHODS):
        if match := METHOD.search(head):
            bodies[match[1]] = (start, end)
    calls = {name: {match[1] for match in _CALL.finditer(text.plain, *body)} & bodies.keys()
             for name, body in bodies.items()}  # fmt: skip
    sending = {name for name, (start, end) in bodies.items()
               if any(start < at < end for at in places)}  # fmt: skip
    for _ in range(_MAX_DEPTH):
        sending |= {name for name, called in calls.items() if called & sending}
    called = set[str]().union(*calls.values())
    roots = sorted(sending - called)
    yield from ((name, bodies[name]) for name in roots[:_MAX_ROOTS])


class _Reader(loop_tree.Reader):
    """Reads a method that sends. Its other statements do not matter, unless they may handle a
    failed send."""

    def __init__(self, text: Text, sends: Sends) -> None:
        super().__init__(text, _NO_POLL, sends)
        self._processing = text.plain

    def method_body(self, body: tuple[int, int]) -> Block:
        return self._block(*body)

    def _mentions(self, code: str, names: Collection[str]) -> bool:
        return True

    def _try(self, match: re.Match[str]) -> tuple[Block, int]:
        statements, at = super()._try(match)
        statement = statements[0]
        words = set(re.findall(r"\w+", match["resources"] or ""))
        if isinstance(statement, Try) and (
            words & self._sends.producers or _PRODUCER_TYPE.search(match["resources"] or "")
        ):
            closed = Try(statement.body, (), [Flush()])  # before any handler (JLS 14.20.3.2)
            return [Try([closed], statement.handlers, statement.last)], at
        return statements, at

    def _loop(self, word: str, begin: int, head: str, closed: int) -> tuple[Block, int]:
        if BOUNDED.fullmatch(head):
            return super()._loop(word, begin, head, closed)
        if self._sends.uses_errors(head):
            raise Unclear
        if word == "while" and (counted_loop := self._counted_loop(head, closed)):
            return counted_loop
        loop = FOR_EACH.fullmatch(head)
        if loop and (futures := self._sends.futures.get(loop["iterable"].strip())):
            return self._loop_over_futures(loop["name"], futures, closed)
        body, at = self._braced_block(closed)
        if word == "while" and head.strip() == "true":
            return [Loop(body)], at
        if body and word == "while" and not _NEXT_ELEMENT.search(head):
            raise Unclear  # it may try again
        return ([ForEach(body)] if body else []), at

    def _condition(self, code: str) -> Condition:
        if condition := self._sends.condition(code) or self._flags.condition(code):
            return condition
        words = set(re.findall(r"\w+", code))
        is_limit = self._recursion.limit(code) is not None
        if is_limit or (self._round_variables and self._round_variables[-1] in words):
            return super()._condition(code)
        if any(self._text.bodies(word) for word in words):
            raise Unclear
        return Condition()

    def _expression(self, at: int, end: int) -> tuple[Block, int]:
        plain = self._text.plain
        if (match := _FOR_EACH_CALL.match(plain, at, end)) and not self._sends.mentions_future(
            match[0]
        ):
            return self._lambda_loop(match.end())
        if match := _USE_BLOCK.match(plain, at, end):
            return self._use_block(match)
        stop = min(self._text.statement(at)[1], end)
        if flag := self._flags.assignment(plain[at:stop]):
            return [flag], stop
        is_send = self._sends.is_send(at, stop)
        send = (self._sends.send if is_send else self._sends.wait)(at, stop)
        return (self._other_statement(at, stop) if send is None else send), stop

    def _use_block(self, match: re.Match[str]) -> tuple[Block, int]:
        """Returns the tree of Kotlin's `use`, which closes its receiver after the block."""
        body, after = self._lambda_body(match.end())
        words = set(re.findall(r"\w+", match[0]))
        closes = words & {"KafkaProducer", *self._sends.producers}
        last: list[Statement] = [Flush()] if closes else []
        return [Try(body, (), last)], after

    def _other_statement(self, at: int, stop: int) -> Block:
        code = self._text.plain[at:stop]
        call = _METHOD_CALL.fullmatch(code)
        if call and self._text.bodies(call["name"]):
            return [self._call(call["name"])]
        if self._sends.mentions_producer(code) and not _PRODUCER_CREATION.search(code):
            raise Unclear
        is_decided = self._may_handle_error or self._flags.are_mentioned(code)
        if self._sends.uses_errors(code) or (is_decided and not only_logs(code)):
            raise Unclear  # it may handle the error of a message
        if any(self._text.bodies(name) for name in re.findall(r"\w+", code)):
            raise Unclear
        return []
