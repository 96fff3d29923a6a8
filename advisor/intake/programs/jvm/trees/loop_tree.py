"""The poll loop of JVM code as a tree of statements that can be played (`programs.simulation`).

What a statement does is known or the loop is not played: `Unclear` ends the reading. Code is in its
normal form, so that blocks have braces and most methods stand in the place of their calls.
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
from advisor.intake.programs.jvm.text import METHOD, Text, blanked
from advisor.intake.programs.jvm.trees.flag_variables import CALCULATED, Marks
from advisor.intake.programs.jvm.trees.loop_heads import BOUNDED, COUNTS, FOREVER, OVER, ROUNDS
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

_MOST, _DEEPEST, _MOST_NESTED, _MOST_POLLS = 200, 3, 30, 4
_FOR, _TRIES = len("for ("), 3
_SPACE = re.compile(r"[\s;]*")
_TRY = re.compile(r"try\s*(?P<held>\([^{}]*\))?\s*(?=\{)")
_CAUGHT = re.compile(r"\s*catch\s*\([^(){}]*\)\s*(?=\{)")
_LAST = re.compile(r"\s*finally\s*(?=\{)")
_HEAD = re.compile(r"(?P<word>if|for|while)\s*\(")
_OTHER = re.compile(r"\s*else\b\s*")
_LABEL = re.compile(r"(?P<label>\w+)(?:\s*:|@)\s*(?=(?:for|while)\b)")
_JUMP = re.compile(r"(?P<word>break|continue|return|throw)\b(?P<label>@\w+)?[ \t]*")
_BREAKABLE = re.compile(r"(?:breakable|(?P<run>run)(?:\s+(?P<label>\w+)@)?)\s*(?=\{)")
"""A block that is left as a whole, in Kotlin by `return@run`."""
_VALUE = re.compile(r"(?P<value>true|false)(?=\s*\})")
"""The value of a block of Scala."""
_UNREAD = re.compile(r"(?:do|switch|when|match|synchronized|yield|goto)\b")
_PARTITIONS = re.compile(r"\.\s*partitions\b")
_EACH = re.compile(
    r"(?P<of>\w+)(?:\s*\.\s*(?:(?:asSequence|toList|stream|iterator)\(\)|asScala|toList|toSeq))*"
    r"\s*\.\s*for[Ee]ach\s*(?:\(\s*\(?\w+\)?\s*[-=]>\s*)?(?=\{)"
)
_NAMED = re.compile(r"\s*\(?\w+\)?\s*[-=]>")
_CLOSING = re.compile(r"\s*\)?")
_OWN_CALL = re.compile(
    r"\s*(?P<not>!\s*)?(?:this\s*\.\s*)?(?P<name>\w+)\s*\((?P<given>[^()]*)\)\s*"
)
_EMPTY = (
    r"\s*(?P<not>!\s*)?(?:{0})\s*\.\s*(?:isEmpty\s*\(\s*\)|(?P<has>isNotEmpty\s*\(\s*\))"
    r"|(?:count|size)\s*\(\s*\)\s*(?:==\s*0|(?P<some>>\s*0|!=\s*0)))\s*"
)
_MAY_REFUSE = re.compile(
    r"\s*(?P<not>!\s*)?(?:\w+\s*\.\s*)+(?:try(?:Acquire\w*|Lock|Consume)\s*\([^(){}]*\)"
    r"|(?:allow\w*|isCallPermitted|acquirePermission|(?P<refuses>is(?:Open|Throttled|Overloaded)))"
    r"\s*\(\s*\))\s*"
)
_RELEASES = re.compile(r"\s*(?:\w+\s*\.\s*)+(?:unlock|release)\s*\([^(){}]*\)\s*")
_REACHED = re.compile(r"==|>")
_OF_SIZE = re.compile(r"==[^&|]*\b(?:count|size|length|lastIndex)\b")
"""What only the last record may fulfil."""
_OFFSET = re.compile(r"\.\s*offset\s*(?:\(\s*\))?\s*\+\s*1")
_ALL = re.compile(r"\s*(?:\)|Duration\b)")
_PUTS_BY = re.compile(r"\s*(?P<name>\w+)\s*(?:\.\s*(?:add|addAll)\s*\([^;]*\)|\+=\s*\w+)\s*")
_DECLARED = re.compile(r"[\w<>\[\],.? ]*?\b(?P<name>\w+)(?:\s*:[^=]*)?\s*=(?!=)")
_ASKS = re.compile(
    r"(?:value|key|topic|partition|offset|timestamp|headers|equals|isEmpty|isBlank|length|size|count"
    r"|contains\w*|starts\w*|ends\w*|matches|lastHeader)"
)
_COUNTED = r"\b(?:{0})\s*\.\s*(?:count|size|partitions)\s*\(\s*\)"
"""Code that counts messages, and does not use them."""
_EXITS = re.compile(r"\b(?:exit|exitProcess|halt)\s*\(")
_CALLED = re.compile(r"(\w+)\s*\(")
_NEGATIVE = re.compile(r"false\b")
_BOOLEAN = re.compile(r"(true|false)\s*")


def poll_loop_facts(text: Text, polls: Iterable[PollCall]) -> dict[str, int]:
    """What the methods with these polls do with messages, and where, as far as they are clear."""
    found = dict[str, int]()
    for poll in islice(polls, _MOST_POLLS):
        with suppress(Unclear):
            found = simulation.poll_loop_facts(Reader(text, poll).method()) | found
    return found


class Reader:
    """Reads the statements around one poll."""

    def __init__(self, text: Text, poll: PollCall, sends: Sends | None = None) -> None:
        self._text, self._poll = text, poll
        span = poll.end, text.block(poll.start)[1]
        names = polled.record_names(text, poll, span)
        known = "|".join(sorted(names.all))
        self._whole = names.whole | {*buffers.per_poll_collections(text, known, span)}
        self._names = names.all | {made.name for made in names.made}
        self._counted = re.compile(_COUNTED.format("|".join(sorted(self._whole)) or "(?!)"))
        self._seen = blanked(text.plain, observation_spans(text, self._names, span))
        self._of_consumer = re.compile(rf"\b{poll.consumer}\s*\.\s*(?P<verb>\w+)\s*\(")
        self._rounds: list[str] = []
        self._marks = Marks(text.plain)
        self._depth = self._nested = self._read = 0
        self._decides = False
        self._sends = sends or Sends(text, tasks=True)
        self._is_java = not re.search(r"\b(?:fun|def)\s", text.plain)
        self._leaves = ""
        """What leaves the block around, as a whole: `break`, or a label of `return`."""

    def method(self) -> Block:
        """All of the method, or what is outside of one."""
        around = self._text.around(self._poll.start)
        methods = [head for head in around if METHOD.search(head[2])]
        if not methods:
            raise Unclear
        start, end, _ = methods[-1]
        return self._block(start, end)

    def _block(self, start: int, end: int) -> Block:
        """The statements between two braces."""
        found, at = list[Statement](), start + 1
        self._nested += 1
        if self._nested > _MOST_NESTED:
            raise Unclear
        while (at := _end_of(_SPACE, self._text.plain, at)) < end:
            self._read += 1
            if self._read > _MOST:
                raise Unclear
            statements, behind = self._statement(at, end)
            found += statements
            if behind <= at:
                raise Unclear
            at = behind
        self._nested -= 1
        return found

    def _statement(self, at: int, end: int) -> tuple[Block, int]:
        plain = self._text.plain
        if plain[at] == "{":
            start, stop = self._text.block_of(at)
            return self._block(start, stop), stop + 1
        if match := _LABEL.match(plain, at):
            found, behind = self._statement(match.end(), end)
            return [_labelled(part, match["label"]) for part in found], behind
        if match := _TRY.match(plain, at):
            return self._attempt(match)
        if match := _HEAD.match(plain, at):
            closed = self._text.closed(match.end())
            given = plain[match.end() : closed - 1]
            return (
                self._if(closed, given)
                if match["word"] == "if"
                else self._loop(match["word"], match.end(), given, closed)
            )
        if match := _BREAKABLE.match(plain, at):
            return self._breakable(match)
        if match := _JUMP.match(plain, at):
            return self._jump(match)
        if self._depth and (match := _VALUE.match(plain, at)):
            return [Jump("return", match["value"] == "true")], match.end()
        if _UNREAD.match(plain, at):
            raise Unclear
        return self._expression(at, end)

    def _breakable(self, match: re.Match[str]) -> tuple[Block, int]:
        before = self._leaves
        self._leaves = match["label"] or match["run"] or "break"
        body, at = self._braces(match.end())
        self._leaves = before
        return [Breakable(body)], at

    def _braces(self, at: int) -> tuple[Block, int]:
        """The block whose brace is the next letter, and where it ends."""
        at = _end_of(_SPACE, self._text.plain, at)
        if self._text.plain[at : at + 1] != "{":
            raise Unclear
        start, stop = self._text.block_of(at)
        return self._block(start, stop), stop + 1

    def _attempt(self, match: re.Match[str]) -> tuple[Block, int]:
        plain, handlers, last = self._text.plain, list[Handler](), list[Statement]()
        body, at = self._braces(match.end())
        while caught := _CAUGHT.match(plain, at):
            begin = plain.index("catch", caught.start())
            before, self._decides = self._decides, True
            own, at = self._braces(caught.end())
            self._decides = before
            tried = self._text.block_of(plain.index("{", match.start()))
            if CATCH.match(plain, begin) and not is_gone(self._text, begin, tried):
                handlers.append(Handler(own, begin))
        if final := _LAST.match(plain, at):
            own, at = self._braces(final.end())
            last = [*own]
        if re.search(rf"\b{self._poll.consumer}\b", match["held"] or ""):
            last = [Close(match.start()), *last]
        return [Try(body, handlers, last)], at

    def _loop(self, word: str, begin: int, given: str, closed: int) -> tuple[Block, int]:
        over = OVER.fullmatch(given) if word == "for" else None
        if self._sends.is_used(given):
            raise Unclear
        bounded = BOUNDED.fullmatch(given) if word == "for" else None
        polls = begin - _FOR <= self._poll.start < closed
        if over and (polls or self._mentions(over["of"], self._whole)):
            is_each = not _PARTITIONS.search(over["of"])
            body, at = self._braces(closed)
            loop: Statement = ForEach(body) if is_each else Loop(body, 1)
            return ([Poll(), loop] if polls else [loop]), at
        if over and (of := self._sends.futures.get(over["of"].strip())):
            return self._of_futures(over["name"], of, closed)
        if bounded:
            self._rounds.append(bounded["name"])
            body, at = self._braces(closed)
            self._rounds.pop()
            return [Loop(body, _TRIES)], at
        if word == "while" and (counted := self._counted_rounds(given, closed)):
            return counted
        start = _end_of(_SPACE, self._text.plain, closed)
        holds_poll = start < self._poll.start < self._text.block_of(start)[1]
        body, at = self._braces(closed)
        if word == "while" and holds_poll and FOREVER.fullmatch(given):
            return [Loop(body)], at
        if body:
            raise Unclear  # nobody knows how often it is done
        return [], at

    def _counted_rounds(self, given: str, closed: int) -> tuple[Block, int] | None:
        """A loop that counts its rounds, and may end before its last one."""
        match = ROUNDS.fullmatch(given)
        start, stop = self._text.block_of(_end_of(_SPACE, self._text.plain, closed))
        if not match or not re.search(
            COUNTS.format(match["name"]), self._text.plain[start:stop]
        ):  # fmt: skip
            return None
        more = match["first"] or match["then"] or ""
        asked = self._marks.asked(more)
        if more and asked is None:
            raise Unclear
        self._rounds.append(match["name"])
        body, at = self._braces(closed)
        self._rounds.pop()
        ends = [If(asked, (), (Jump("break"),))] if asked else []
        return [Loop([*ends, *body], _TRIES)], at

    def _of_futures(self, name: str, of: str, closed: int) -> tuple[Block, int]:
        self._sends.futures[name] = of
        body, at = self._braces(closed)
        return [ForEach(body, of=of)], at

    def _if(self, closed: int, given: str) -> tuple[Block, int]:
        condition = self._condition(given)
        before = self._decides
        self._decides = before or not (condition.of_record or condition.value is not None)
        then, at = self._braces(closed)
        other: Block = ()
        if match := _OTHER.match(self._text.plain, at):
            if _HEAD.match(self._text.plain, match.end()):
                other, at = self._statement(match.end(), len(self._text.plain))
            else:
                other, at = self._braces(match.end())
        self._decides = before
        return ([If(condition, then, other)] if then or other or condition.call else []), at

    def _condition(self, given: str) -> Condition:
        whole = "|".join(sorted(self._whole)) or "(?!)"
        if asked := self._sends.asked(given) or self._marks.asked(given):
            return asked
        if match := re.fullmatch(_EMPTY.format(whole), given):
            return Condition(bool(match["not"] or match["has"] or match["some"]))
        words = set(re.findall(r"\w+", given))
        if self._rounds and self._rounds[-1] in words:
            return Condition(bool(_REACHED.search(given)), is_last=True)
        call = _OWN_CALL.fullmatch(given)
        if call and self._mentions(call["given"], self._names):
            return Condition(call=self._call(call["name"]), negated=bool(call["not"]))
        if limit := _MAY_REFUSE.fullmatch(given):
            is_turned = bool(limit["not"]) is not bool(limit["refuses"])
            return Condition(call=refusal(0), negated=is_turned)
        if _OF_SIZE.search(given):
            return Condition()
        if not self._mentions(given, self._names):
            if self._of_consumer.search(given):
                raise Unclear
            return Condition()
        if all(_ASKS.fullmatch(verb) for verb in _CALLED.findall(given)):
            return Condition(of_record=True)
        raise Unclear

    def _call(self, name: str) -> Call:
        bodies = self._text.bodies(name)
        if len(bodies) != 1 or self._depth == _DEEPEST:
            raise Unclear
        self._depth += 1
        before = self._names, self._rounds, self._marks
        self._names, self._rounds = self._names | {*self._text.parameters(bodies[0])}, []
        self._marks = Marks(self._text.plain, self._depth)
        body = self._block(*bodies[0])
        self._names, self._rounds, self._marks = before
        self._depth -= 1
        return Call(body)

    def _jump(self, match: re.Match[str]) -> tuple[Block, int]:
        word, label = match["word"], match["label"]
        end = self._text.statement(match.end())[1]
        given = self._text.plain[match.end() : end].strip()
        if self._sends.is_future(given):
            raise Unclear
        if label and word != "return":
            return [Jump(word, label=label[1:])], end
        word = "continue" if label else word
        if word == "return" and given and not _BOOLEAN.fullmatch(given):
            if self._mentions(given, self._names) or "{" in given or "(" in given:
                raise Unclear
            return [Jump("return")], end
        by = label[1:] if label else word if given in ("", "()") else ""
        if by and by == self._leaves:
            return [Jump("end")], end
        if word in ("break", "continue") and re.fullmatch(r"\w+", given):
            return [Jump(word, label=given)], end
        if word in ("break", "continue") and given:
            raise Unclear
        value = {"true": True, "false": False}.get(given) if word == "return" else None
        return [Jump(word, value)], end

    def _expression(self, at: int, end: int) -> tuple[Block, int]:
        plain = self._text.plain
        match = _EACH.match(plain, at)
        if match and match["of"] not in self._sends.futures:
            return self._each(match)
        stop = min(self._text.statement(at)[1], end)
        if at <= self._poll.start < stop or at <= self._poll.end - 1 < stop:
            return [Poll()], stop
        if (sent := self._sent(at, stop)) is not None:
            return sent, stop
        code = plain[at:stop]
        if mark := self._marks.of(code):
            return [mark], stop
        if verbs := [match["verb"] for match in self._of_consumer.finditer(code)]:
            return self._of_client(at, stop, verbs), stop
        if (own := _OWN_CALL.fullmatch(code)) and self._text.bodies(own["name"]) and not own["not"]:
            return [self._call(own["name"])], stop
        return self._other(at, stop), stop

    def _sent(self, at: int, stop: int) -> Block | None:
        """A statement that sends, or waits for a send. One whose error may be heard anywhere is
        read as any other work."""
        if not self._sends.are_in(at, stop):
            return self._sends.waits(at, stop)
        with suppress(Unclear):
            found = self._sends.sent(at, stop)
            return found if self._mentions(self._seen[at:stop], self._names) else []
        return None

    def _each(self, match: re.Match[str]) -> tuple[Block, int]:
        if match["of"] not in self._whole:
            raise Unclear
        return self._given_each(match.end())

    def _given_each(self, at: int) -> tuple[Block, int]:
        """A loop by a function, whose brace stands at a place."""
        body, behind = self._function(at)
        closing = _end_of(_CLOSING, self._text.plain, behind)
        return [ForEach(body, by_function=self._is_java)], closing

    def _function(self, at: int) -> tuple[Block, int]:
        """The body of a function, behind its parameters, and where it ends."""
        start, stop = self._text.block_of(at)
        named = _NAMED.match(self._text.plain, start + 1)
        return self._block(named.end() - 1 if named else start, stop), stop + 1

    def _of_client(self, at: int, stop: int, verbs: Collection[str]) -> Block:
        """What a statement asks of the consumer."""
        if len(verbs) != 1:
            raise Unclear
        verb, plain = next(iter(verbs)), self._text.plain
        if verb in ("subscribe", "assign", "wakeup", "metrics", "assignment"):
            return []
        if verb == "close":
            return [Close(at)]
        if not re.fullmatch(r"commit(?:Sync|Async)", verb):
            raise Unclear
        given = plain[plain.index("(", at) + 1 : stop]
        if _ALL.match(given):
            return [Commit(at, whole=True)]
        if _OFFSET.search(given) and self._mentions(given, self._names - self._whole):
            return [Commit(at, whole=False)]
        raise Unclear

    def _other(self, at: int, stop: int) -> Block:
        """A statement that is about a message or not."""
        code, seen = self._text.plain[at:stop], self._counted.sub("", self._seen[at:stop])
        if _EXITS.search(code) or self._sends.is_used(code):
            raise Unclear
        only_tells = only_logs(code)
        if self._depth:
            seen = "" if only_tells else code
        is_about = self._mentions(seen, self._names)
        if is_about and not self._is_put_by(code):
            if "{" in code:
                raise Unclear
            if verbs := _CALLED.findall(seen):
                return [Work(not all(re.fullmatch(TAKES_APART, verb) for verb in verbs))]
        is_number = not self._mentions(code, self._names) and CALCULATED.fullmatch(code)
        if self._decides and not (only_tells or is_number or _RELEASES.fullmatch(code)):
            raise Unclear  # it may be what is done with a message that fails
        return []

    def _is_put_by(self, code: str) -> bool:
        """Whether a statement only puts messages into a list of their poll, or makes that."""
        put, declared = _PUTS_BY.fullmatch(code), _DECLARED.match(code)
        if any(named and named["name"] in self._whole for named in (put, declared)):
            return True
        if put:
            raise Unclear
        return False

    def _mentions(self, code: str, names: Collection[str]) -> bool:
        return not {*names}.isdisjoint(re.findall(r"\w+", code))


def _labelled(part: Statement, label: str) -> Statement:
    return replace(part, label=label) if isinstance(part, ForEach | Loop) else part


def _end_of(pattern: re.Pattern[str], plain: str, at: int) -> int:
    match = pattern.match(plain, at)
    return match.end() if match else at
