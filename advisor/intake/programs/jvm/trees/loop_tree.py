"""The poll loop of JVM code as a tree of statements for the simulation (`programs.simulation`).

The reading ends at code that is not certain (`Unclear`). Code is in its normal form: blocks have
braces, and most methods stand in the place of their calls.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from advisor.intake.programs import simulation
from advisor.intake.programs.jvm.errors.handlers import CATCH, is_gone
from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.records import buffers, polled
from advisor.intake.programs.jvm.records.derived_names import TAKES_APART
from advisor.intake.programs.jvm.records.observations import observation_spans
from advisor.intake.programs.jvm.records.polls import Call as PollCall
from advisor.intake.programs.jvm.surroundings import NEXT_OFFSET
from advisor.intake.programs.jvm.text import METHOD, Text, blanked
from advisor.intake.programs.jvm.trees.conditions import (
    EMPTY_CHECK,
    LIMIT_REACHED,
    RECORD_ACCESSOR,
    SIZE_COMPARISON,
    is_refusal,
    limit_results,
)
from advisor.intake.programs.jvm.trees.flag_variables import CALCULATION, FlagVariables
from advisor.intake.programs.jvm.trees.loop_heads import BOUNDED, COUNTER, FOR_EACH, FOREVER, ROUNDS
from advisor.intake.programs.jvm.trees.recursion import Recursion
from advisor.intake.programs.jvm.trees.send_tree import Sends
from advisor.intake.programs.trees import (
    Block,
    Breakable,
    Call,
    Close,
    Commit,
    Condition,
    ForEach,
    Handler,
    If,
    Jump,
    Loop,
    Poll,
    Statement,
    Try,
    Unclear,
    Work,
    refusal,
)

_MAX_STATEMENTS, _MAX_DEPTH, _MAX_NESTING, _MAX_POLLS = 200, 3, 30, 4
_FOR_LENGTH, _LOOP_ROUNDS = len("for ("), 3
_SPACE, _PARTITIONS = re.compile(r"[\s;]*"), re.compile(r"\.\s*partitions\b")
_TRY = re.compile(r"try\s*(?P<resources>\([^{}]*\))?\s*(?=\{)")
_CATCH_CLAUSE = re.compile(r"\s*catch\s*\([^(){}]*\)\s*(?=\{)")
_FINALLY = re.compile(r"\s*finally\s*(?=\{)")
_CONTROL_HEAD = re.compile(r"(?P<word>if|for|while)\s*\(")
_ELSE = re.compile(r"\s*else\b\s*")
_LABEL = re.compile(r"(?P<label>\w+)(?:\s*:|@)\s*(?=(?:for|while)\b)")
_JUMP = re.compile(r"(?P<word>break|continue|return|throw)\b(?P<label>@\w+)?[ \t]*")
_BREAKABLE = re.compile(r"(?:breakable|(?P<run>run)(?:\s+(?P<label>\w+)@)?)\s*(?=\{)")
"""A block that a jump leaves as a whole; in Kotlin, `return@run`."""
_BLOCK_VALUE = re.compile(r"(?P<value>true|false)(?=\s*\})")
"""The value of a Scala block."""
_UNSUPPORTED = re.compile(r"(?:do|switch|when|match|synchronized|yield|goto)\b")
_FOR_EACH_CALL = re.compile(
    r"(?P<iterable>\w+)(?:\s*\.\s*(?:(?:asSequence|toList|stream|iterator)\(\)|asScala|toList|toSeq))*"
    r"\s*\.\s*for[Ee]ach\s*(?:\(\s*\(?\w+\)?\s*[-=]>\s*)?(?=\{)"
)
_PARAMETER = re.compile(r"\s*\(?\w+\)?\s*[-=]>")
_CLOSING_BRACKET = re.compile(r"\s*\)?")
_CALL = re.compile(
    r"\s*(?P<not>!\s*)?(?:this\s*\.\s*)?(?P<name>\w+)\s*\((?P<arguments>[^()]*)\)\s*"
)
_RELEASE = re.compile(r"\s*(?:\w+\s*\.\s*)+(?:unlock|release)\s*\([^(){}]*\)\s*")
_NO_OFFSETS = re.compile(r"\s*(?:\)|Duration\b)")
_ADDITION = re.compile(r"\s*(?P<name>\w+)\s*(?:\.\s*(?:add|addAll)\s*\([^;]*\)|\+=\s*\w+)\s*")
_DECLARATION = re.compile(r"[\w<>\[\],.? ]*?\b(?P<name>\w+)(?:\s*:[^=]*)?\s*=(?!=)")
_COUNT_CALL = r"\b(?:{0})\s*\.\s*(?:count|size|partitions)\s*\(\s*\)"
"""Code that counts records, and does not use them."""
_EXIT = re.compile(r"\b(?:exit|exitProcess|halt)\s*\(")
_CALLEE, _BOOLEAN = re.compile(r"(\w+)\s*\("), re.compile(r"(true|false)\s*")


def poll_loop_facts(text: Text, polls: Iterable[PollCall]) -> dict[str, int]:
    """Returns the facts about the methods with these polls, with offsets, where code is certain."""
    facts = dict[str, int]()
    for poll in islice(polls, _MAX_POLLS):
        with suppress(Unclear):
            facts = simulation.poll_loop_facts(Reader(text, poll).method()) | facts
    return facts


class Reader:
    """Reads the statements of the method around one poll."""

    def __init__(self, text: Text, poll: PollCall, sends: Sends | None = None) -> None:
        self._text, self._poll = text, poll
        span = poll.end, text.block(poll.start)[1]
        names = polled.record_names(text, poll, span)
        record_names = "|".join(sorted(names.all))
        self._batches = names.whole | {*buffers.per_poll_collections(text, record_names, span)}
        self._names = names.all | {derived.name for derived in names.made}
        self._counts = re.compile(_COUNT_CALL.format("|".join(sorted(self._batches)) or "(?!)"))
        self._processing = blanked(text.plain, observation_spans(text, self._names, span))
        self._consumer_method = re.compile(rf"\b{poll.consumer}\s*\.\s*(?P<name>\w+)\s*\(")
        self._round_variables: list[str] = []
        self._flags, self._recursion = FlagVariables(text.plain), Recursion(text)
        self._depth = self._nesting = self._count = 0
        self._may_handle_error = False
        self._sends, self._limits = sends or Sends(text, tasks=True), limit_results(text.plain)
        self._is_java = not re.search(r"\b(?:fun|def)\s", text.plain)
        self._block_exit = ""
        """The jump that leaves the enclosing block as a whole: `break`, or a label of `return`."""

    def method(self) -> Block:
        """Returns the statements of the method. Raises `Unclear` for code outside of methods."""
        around = self._text.around(self._poll.start)
        methods = [head for head in around if METHOD.search(head[2])]
        if not methods:
            raise Unclear
        start, end, _ = methods[-1]
        return self._block(start, end)

    def _block(self, start: int, end: int) -> Block:
        """Returns the statements between two braces."""
        statements, at = list[Statement](), start + 1
        self._nesting += 1
        if self._nesting > _MAX_NESTING:
            raise Unclear
        while (at := _match_end(_SPACE, self._text.plain, at)) < end:
            self._count += 1
            if self._count > _MAX_STATEMENTS:
                raise Unclear
            parts, after = self._statement(at, end)
            statements += parts
            if after <= at:
                raise Unclear
            at = after
        self._nesting -= 1
        return statements

    def _statement(self, at: int, end: int) -> tuple[Block, int]:
        plain = self._text.plain
        if plain[at] == "{":
            start, stop = self._text.block_of(at)
            return self._block(start, stop), stop + 1
        if match := _LABEL.match(plain, at):
            statements, after = self._statement(match.end(), end)
            return [_with_label(statement, match["label"]) for statement in statements], after
        if match := _TRY.match(plain, at):
            return self._try(match)
        if match := _CONTROL_HEAD.match(plain, at):
            closed = self._text.closed(match.end())
            head = plain[match.end() : closed - 1]
            return (
                self._if(closed, head)
                if match["word"] == "if"
                else self._loop(match["word"], match.end(), head, closed)
            )
        if match := _BREAKABLE.match(plain, at):
            return self._breakable(match)
        if match := _JUMP.match(plain, at):
            return self._jump(match)
        if self._depth and (match := _BLOCK_VALUE.match(plain, at)):
            return [Jump("return", match["value"] == "true")], match.end()
        if _UNSUPPORTED.match(plain, at):
            raise Unclear
        return self._expression(at, end)

    def _breakable(self, match: re.Match[str]) -> tuple[Block, int]:
        before = self._block_exit
        self._block_exit = match["label"] or match["run"] or "break"
        body, at = self._braced_block(match.end())
        self._block_exit = before
        return [Breakable(body)], at

    def _braced_block(self, at: int) -> tuple[Block, int]:
        """Returns the block whose brace is the next character, and its end."""
        at = _match_end(_SPACE, self._text.plain, at)
        if self._text.plain[at : at + 1] != "{":
            raise Unclear
        start, stop = self._text.block_of(at)
        return self._block(start, stop), stop + 1

    def _try(self, match: re.Match[str]) -> tuple[Block, int]:
        plain, handlers, last = self._text.plain, list[Handler](), list[Statement]()
        body, at = self._braced_block(match.end())
        while catch := _CATCH_CLAUSE.match(plain, at):
            begin = plain.index("catch", catch.start())
            before, self._may_handle_error = self._may_handle_error, True
            handler, at = self._braced_block(catch.end())
            self._may_handle_error = before
            attempt = self._text.block_of(plain.index("{", match.start()))
            if CATCH.match(plain, begin) and not is_gone(self._text, begin, attempt):
                handlers.append(Handler(handler, begin))
        if final := _FINALLY.match(plain, at):
            final_body, at = self._braced_block(final.end())
            last = [*final_body]
        if re.search(rf"\b{self._poll.consumer}\b", match["resources"] or ""):
            last = [Close(match.start()), *last]
        return [Try(body, handlers, last)], at

    def _loop(self, word: str, begin: int, head: str, closed: int) -> tuple[Block, int]:
        loop = FOR_EACH.fullmatch(head) if word == "for" else None
        if self._sends.uses_errors(head):
            raise Unclear
        bounded = BOUNDED.fullmatch(head) if word == "for" else None
        polls = begin - _FOR_LENGTH <= self._poll.start < closed
        if loop and (polls or self._mentions(loop["iterable"], self._batches)):
            is_by_record = not _PARTITIONS.search(loop["iterable"])
            body, at = self._braced_block(closed)
            statement: Statement = ForEach(body) if is_by_record else Loop(body, 1)
            return ([Poll(), statement] if polls else [statement]), at
        if loop and (futures := self._sends.futures.get(loop["iterable"].strip())):
            return self._loop_over_futures(loop["name"], futures, closed)
        if bounded:
            rounds = ROUNDS.fullmatch(head.split(";")[1]) if ";" in head else None
            counted, at = self._rounds(bounded["name"], rounds, closed)
            return [*counted, *([Loop(())] if re.search(r";\s*;", head) else [])], at
        if word == "while" and (counted_loop := self._counted_loop(head, closed)):
            return counted_loop
        start = _match_end(_SPACE, self._text.plain, closed)
        holds_poll = start < self._poll.start < self._text.block_of(start)[1]
        body, at = self._braced_block(closed)
        if word == "while" and holds_poll and FOREVER.fullmatch(head):
            return [Loop(body)], at
        if body:
            raise Unclear  # the number of rounds is unknown
        return [], at

    def _counted_loop(self, head: str, closed: int) -> tuple[Block, int] | None:
        """Returns a loop that counts its rounds, and may end before the last one."""
        match = ROUNDS.fullmatch(head)
        start, stop = self._text.block_of(_match_end(_SPACE, self._text.plain, closed))
        if not match or not re.search(
            COUNTER.format(match["name"]), self._text.plain[start:stop]
        ):  # fmt: skip
            return None
        return self._rounds(match["name"], match, closed)

    def _rounds(self, name: str, match: re.Match[str] | None, closed: int) -> tuple[Block, int]:
        """Returns a loop that counts its rounds in a variable, and that a flag may end."""
        more = (match["first"] or match["then"] or "") if match else ""
        condition = self._flags.condition(more)
        if more and condition is None:
            raise Unclear
        self._round_variables.append(name)
        body, at = self._braced_block(closed)
        self._round_variables.pop()
        ends = [If(condition, (), (Jump("break"),))] if condition else []
        return [Loop([*ends, *body], _LOOP_ROUNDS)], at

    def _loop_over_futures(self, name: str, futures: str, closed: int) -> tuple[Block, int]:
        self._sends.futures[name] = futures
        body, at = self._braced_block(closed)
        return [ForEach(body, futures=futures)], at

    def _if(self, closed: int, code: str) -> tuple[Block, int]:
        condition = self._condition(code)
        before = self._may_handle_error
        self._may_handle_error = before or not (condition.of_record or condition.value is not None)
        then, at = self._braced_block(closed)
        other: Block = ()
        if match := _ELSE.match(self._text.plain, at):
            if _CONTROL_HEAD.match(self._text.plain, match.end()):
                other, at = self._statement(match.end(), len(self._text.plain))
            else:
                other, at = self._braced_block(match.end())
        self._may_handle_error = before
        return ([If(condition, then, other)] if then or other or condition.call else []), at

    def _condition(self, code: str) -> Condition:
        whole = "|".join(sorted(self._batches)) or "(?!)"
        if condition := self._sends.condition(code) or self._flags.condition(code):
            return condition
        if (reached := self._recursion.limit(code)) is not None:
            return Condition(reached)
        if match := re.fullmatch(EMPTY_CHECK.format(whole), code):
            return Condition(bool(match["not"] or match["not_empty"] or match["positive"]))
        words = set(re.findall(r"\w+", code))
        if self._round_variables and self._round_variables[-1] in words:
            return Condition(bool(LIMIT_REACHED.search(code)), is_last=True)
        call = _CALL.fullmatch(code)
        if call and self._mentions(call["arguments"], self._names):
            return Condition(call=self._call(call["name"]), negated=bool(call["not"]))
        if (is_refused := is_refusal(code, self._limits)) is not None:
            return Condition(call=refusal(0), negated=is_refused)
        if SIZE_COMPARISON.search(code):
            return Condition()
        if not self._mentions(code, self._names):
            if self._consumer_method.search(code):
                raise Unclear
            return Condition()
        if all(RECORD_ACCESSOR.fullmatch(method) for method in _CALLEE.findall(code)):
            return Condition(of_record=True)
        raise Unclear

    def _call(self, name: str) -> Call:
        bodies, is_again = self._text.bodies(name), self._recursion.is_active(name)
        if len(bodies) != 1 or (self._depth >= _MAX_DEPTH and not is_again):
            raise Unclear
        if self._recursion.exceeds_limit(name):
            return Call((Loop(()),))
        self._recursion.enter(name)
        self._depth += 1
        before = self._names, self._round_variables, self._flags
        self._names, self._round_variables = self._names | {*self._text.parameters(bodies[0])}, []
        self._flags = FlagVariables(self._text.plain, self._depth)
        body = self._block(*bodies[0])
        self._names, self._round_variables, self._flags = before
        self._depth -= 1
        self._recursion.leave()
        return Call(body)

    def _jump(self, match: re.Match[str]) -> tuple[Block, int]:
        word, label = match["word"], match["label"]
        end = self._text.statement(match.end())[1]
        value_code = self._text.plain[match.end() : end].strip()
        if self._sends.mentions_future(value_code):
            raise Unclear
        if label and word != "return":
            return [Jump(word, label=label[1:])], end
        word = "continue" if label else word
        if word == "return" and value_code and not _BOOLEAN.fullmatch(value_code):
            if (call := _CALL.fullmatch(value_code)) and self._recursion.is_active(call["name"]):
                returned = Condition(call=self._call(call["name"]), negated=bool(call["not"]))
                return [If(returned, (Jump("return", True),), (Jump("return", False),))], end
            if self._mentions(value_code, self._names) or "{" in value_code or "(" in value_code:
                raise Unclear
            return [Jump("return")], end
        exit_ = label[1:] if label else word if value_code in ("", "()") else ""
        if exit_ and exit_ == self._block_exit:
            return [Jump("end")], end
        if word in ("break", "continue") and re.fullmatch(r"\w+", value_code):
            return [Jump(word, label=value_code)], end
        if word in ("break", "continue") and value_code:
            raise Unclear
        value = {"true": True, "false": False}.get(value_code) if word == "return" else None
        return [Jump(word, value)], end

    def _expression(self, at: int, end: int) -> tuple[Block, int]:
        plain = self._text.plain
        match = _FOR_EACH_CALL.match(plain, at)
        if match and match["iterable"] not in self._sends.futures:
            return self._for_each(match)
        stop = min(self._text.statement(at)[1], end)
        if at <= self._poll.start < stop or at <= self._poll.end - 1 < stop:
            return [Poll()], stop
        if (send := self._send(at, stop)) is not None:
            return send, stop
        code = plain[at:stop]
        if flag := self._flags.assignment(code):
            return [flag], stop
        if methods := [match["name"] for match in self._consumer_method.finditer(code)]:
            return self._consumer_call(at, stop, methods), stop
        if (call := _CALL.fullmatch(code)) and self._text.bodies(call["name"]) and not call["not"]:
            return [self._call(call["name"])], stop
        return self._other_statement(at, stop), stop

    def _send(self, at: int, stop: int) -> Block | None:
        """Returns the statements for code that sends, or waits for a send. None for other code, and
        for a send whose error may be checked elsewhere."""
        if not self._sends.is_send(at, stop):
            return self._sends.wait(at, stop)
        with suppress(Unclear):
            send = self._sends.send(at, stop)
            return send if self._mentions(self._processing[at:stop], self._names) else []
        return None

    def _for_each(self, match: re.Match[str]) -> tuple[Block, int]:
        if match["iterable"] not in self._batches:
            raise Unclear
        return self._lambda_loop(match.end())

    def _lambda_loop(self, at: int) -> tuple[Block, int]:
        """Returns the loop of a lambda, whose brace is at an offset."""
        body, after = self._lambda_body(at)
        closing = _match_end(_CLOSING_BRACKET, self._text.plain, after)
        return [ForEach(body, by_function=self._is_java)], closing

    def _lambda_body(self, at: int) -> tuple[Block, int]:
        """Returns the body of a lambda, after its parameters, and its end."""
        start, stop = self._text.block_of(at)
        parameter = _PARAMETER.match(self._text.plain, start + 1)
        return self._block(parameter.end() - 1 if parameter else start, stop), stop + 1

    def _consumer_call(self, at: int, stop: int, methods: Collection[str]) -> Block:
        """Returns the statements for a call of the consumer."""
        if len(methods) != 1:
            raise Unclear
        method, plain = next(iter(methods)), self._text.plain
        if method in ("subscribe", "assign", "wakeup", "metrics", "assignment"):
            return []
        if method == "close":
            return [Close(at)]
        if not re.fullmatch(r"commit(?:Sync|Async)", method):
            raise Unclear
        code = plain[plain.index("(", at) + 1 : stop]
        if _NO_OFFSETS.match(code):
            return [Commit(at, whole=True)]
        if NEXT_OFFSET.search(code) and self._mentions(code, self._names - self._batches):
            return [Commit(at, whole=False)]
        raise Unclear

    def _other_statement(self, at: int, stop: int) -> Block:
        """Returns the statements for any other code."""
        code, uses = self._text.plain[at:stop], self._counts.sub("", self._processing[at:stop])
        if _EXIT.search(code) or self._sends.uses_errors(code):
            raise Unclear
        is_log = only_logs(code)
        if self._depth:
            uses = "" if is_log else code
        uses_record = self._mentions(uses, self._names)
        if uses_record and not self._only_buffers(code):
            if "{" in code:
                raise Unclear
            if methods := _CALLEE.findall(uses):
                return [Work(not all(re.fullmatch(TAKES_APART, method) for method in methods))]
        is_calculation = not self._mentions(code, self._names) and CALCULATION.fullmatch(code)
        if self._may_handle_error and not (is_log or is_calculation or _RELEASE.fullmatch(code)):
            raise Unclear  # it may handle the error of a message
        return []

    def _only_buffers(self, code: str) -> bool:
        """Whether a statement only adds records to a list of their poll, or creates that list."""
        addition, declaration = _ADDITION.fullmatch(code), _DECLARATION.match(code)
        if any(match and match["name"] in self._batches for match in (addition, declaration)):
            return True
        if addition:
            raise Unclear
        return False

    def _mentions(self, code: str, names: Collection[str]) -> bool:
        return not {*names}.isdisjoint(re.findall(r"\w+", code))


def _with_label(statement: Statement, label: str) -> Statement:
    return replace(statement, label=label) if isinstance(statement, ForEach | Loop) else statement


def _match_end(pattern: re.Pattern[str], plain: str, at: int) -> int:
    match = pattern.match(plain, at)
    return match.end() if match else at
