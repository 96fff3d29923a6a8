"""Whether JVM code reads the future of a send.

A future that is kept and never read tells of no error (KafkaProducer.send, javadoc). It is followed
from the send through lambdas, streams, lists and variables to what reads it, or to where it is left
lying. What is handed to code that is not here is taken to be read there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.facts import ONLY_WRITTEN, RESULT
from advisor.intake.programs.jvm.errors import calls
from advisor.intake.programs.jvm.errors.callbacks import callback_of
from advisor.intake.programs.jvm.errors.handlers import is_retried, swallowing_handlers
from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.text import CALLEE, Block, Text

READ = ""
"""Of a future: something reads it, or may."""

_MOST, _STEPS, _DEEPEST = 60, 12, 5
_REACH, _MOST_STEPS = 600, 400
_LINK = re.compile(r"\s*\??\.\s*(\w+)(?:<[\w<>?, .]{0,60}>)?\s*([({])?")
_INDEX = re.compile(r"\s*(?:!!)?(?:\[[^\]\n]{1,60}\])?")
_LAMBDA = re.compile(
    r"\s*\(?\s*(?:(?:final|var|val)\s+)?(?:[\w<>?, .]+\s)?(\w+)[\w :<>\[\]]*\)?\s*(?:->|=>)"
)
_ARROW = re.compile(r"(?:\(\s*[\w<>?, :\[\]]*\)|(?<![\w)])[\w, :<>?]*)\s*(?:->|=>)$")
_REFERS = re.compile(r"[({]\s*(?:[\w.]+\s*)?::\s*(\w+)\s*[)}]|[({]\s*_\s*\.\s*(\w+)")
_CONTROL = re.compile(
    r"\b(?:if|for|while|when|catch|switch|synchronized)\s*\([^{}]*\)\s*$"
    r"|\b(?:else|try|do|finally|match|when)\s*$"
)
_LOOP = re.compile(r"\b(?:for|while)\s*\([^{}]*\)\s*$|\bdo\s*$")
_IS_VALUE = re.compile(r"(?:(?<![=!<>])=|\breturn\b|\byield\b)\s*[^=;{}\n]*$")
_SET = re.compile(
    r"\b(\w+)\s*(?::\s*[\w<>\[\]?., ]{1,80})?(?:\[[^\]\n]{0,60}\]|\([\w +-]{1,20}\))?"
    r"\s*(?<![=!<>])(?:\+|:)?=$"
)
_DECLARES = re.compile(r"(?:\b(?:val|var)|[\w>\]])\s+\w+\s*(?::[^=;{}()]*)?=$")
_FUNCTION = re.compile(r"\b(?:fun|def)\b[^={}\n]{0,80}?(\w+)\s*(?:\([^{}=]*\))?\s*(:[^={}]*)?=\s*$")
_METHOD = re.compile(
    r"\b(?!(?:if|for|while|switch|catch|try|synchronized|when|match)\b)(\w+)\s*\([^()]{0,300}\)"
    r"\s*(?::\s*[\w<>\[\]?., ]{1,80})?(?:throws\s[\w, .]+)?=?\s*$"
)
_NOTHING = re.compile(r"\bvoid\s+\w+\s*\(|:\s*Unit\s*=?\s*$")
_BEFORE_NAME = re.compile(r"\b(?:return|yield|else|throw|in|await|case)$|[^\w>\]?]$|^$|[-=]>$")
_BEGINS = re.compile(r"\belse$|\b(?:case\b[^;{}?]*|default\s*|[;{}]\s*\w+):$")
_LEAVES = re.compile(r"\b(?:break|return)\b|\b\w+\s*=\s*true\b")
_EACH_OF = re.compile(r"\bfor\s*\(?[^;()]*?\b(\w+)\s*(?::|\bin\b|<-)$")


@dataclass(frozen=True, slots=True)
class _Value:
    """Where an expression that holds the future begins and ends, and whether that future is the
    result of another one."""

    at: int
    end: int
    later: bool = False


class Futures:
    """The futures of a program."""

    def __init__(self, text: Text) -> None:
        self._text, self._plain, self._steps = text, text.plain, 0
        self._fates: dict[tuple[str, str], str] = {}
        self._known: dict[tuple[str, Block, bool], bool] = {}
        self._silent = [
            handler.attempt for handler in swallowing_handlers(text)
            if not (
                is_retried(text, handler.attempt, (-1, len(text.plain)))
                and _LEAVES.search(text.plain, *handler.attempt)
            )
        ]  # fmt: skip

    def fate(self, at: int, end: int, depth: int = 0, *, later: bool = False) -> str:
        """Why the future of a send that stands there is as good as nothing; `READ` if it is read,
        or if that is not known."""
        return self._follow(_Value(at, end, later), depth)

    def fate_of_reference(self, name: str, opened: int) -> str:
        """The same of `name(producer::send)`, whose bracket is `opened`."""
        closed = self._text.closed(opened + 1)
        outer = self._of_call(name, opened, _Value(opened, closed))
        return outer if isinstance(outer, str) else self._follow(outer, 0)

    def _follow(self, value: _Value, depth: int) -> str:
        for _ in range(_STEPS):
            onward = self._chained(value, depth)
            if isinstance(onward, str):
                return onward
            outer = self._outward(onward, depth)
            if isinstance(outer, str):
                return outer
            value = outer
        return READ

    def _chained(self, value: _Value, depth: int) -> _Value | str:
        """A value with the chain of calls behind it, or what becomes of the future in that."""
        end, later = value.end, value.later
        while match := _LINK.match(self._plain, end):
            name, closed = match[1], self._closed(match)
            inside = (match.end() - 1, closed) if match[2] else (closed, closed)
            given = self._plain[inside[0] + 1 : closed - 1].strip()
            if name in calls.READS_NO_ERROR:
                return RESULT
            if name in calls.FOR_EACH:
                return READ if self._element_is_read(inside, depth) else RESULT
            if name in calls.TAKES_ERROR and (heard := callback_of(given)):
                fault = heard.fault(lambda *_: None)
                if not fault or not _LINK.match(self._plain, closed):
                    return fault or READ
                end = closed
                continue
            if name in calls.KEEPS_ERROR:
                end = closed
                continue
            if name == "exceptionally" and only_logs(calls.lambda_body(given), in_function=True):
                return ONLY_WRITTEN
            if later and name in calls.UNWRAPS:
                later = False
            elif name not in calls.PASSES and name not in ("also", "apply"):
                return self._waited(value.at, match.start(), depth)
            elif match[2] and (
                (
                    name in calls.HAS_RECEIVER
                    and re.search(r"(?<![\w.])(?:get|join|await)\s*\(", given)
                )
                or self._element_is_read(inside, depth, strict=True)
            ):
                return READ
            end = closed
        return _Value(value.at, end, later)

    def _waited(self, at: int, wait: int, depth: int) -> str:
        """What becomes of the error that a future throws where something waits for it."""
        if self._is_tried(wait):
            return ONLY_WRITTEN
        if _ARROW.search(self._before(at)):
            return self._thrown(_Value(at, wait), depth)
        if (call := self._call(at)) and call[0] == "Future":
            outer = _Value(self._text.chain(call[1]), self._text.closed(call[1] + 1))
            return self._follow(outer, depth + 1) if depth < _DEEPEST else READ
        for start, end, head in reversed(self._text.around(at)):
            if re.search(r"\b(?:Future|thread)\s*$", head) and depth < _DEEPEST:
                return self._follow(_Value(self._text.chain(start), end + 1), depth + 1)
            if _METHOD.search(head) or self._is_caught(start, end):
                return READ
            if re.search(r"->\s*$", head):
                return self._thrown(_Value(start, end + 1), depth)
        return READ

    def _is_caught(self, start: int, end: int) -> bool:
        """Whether a handler in a block does not throw on what it takes."""
        caught = re.finditer(r"\bcatch\b[^{]*\{", self._plain[start:end])
        blocks = (self._text.block_of(start + match.end() - 1) for match in caught)
        return any(not re.search(r"\bthrow\b", self._plain[slice(*block)]) for block in blocks)

    def _thrown(self, value: _Value, depth: int) -> str:
        """What becomes of an error that leaves a lambda: one that an executor runs keeps it in a
        future of its own (ExecutorService.submit), or only writes of it."""
        match = _ARROW.search(self._before(value.at))
        call = self._call(max(0, value.at - _REACH) + match.start()) if match else None
        if depth >= _DEEPEST or call is None or call[0] not in calls.EXECUTES:
            return READ
        if self._is_template(*call[:2]) or calls.is_poll_loop(self._plain[value.at : value.end]):
            return READ
        outer = _Value(self._text.chain(call[1]), self._text.closed(call[1] + 1))
        return RESULT if call[0] in ("execute", "Thread") else self._follow(outer, depth + 1)

    def _is_tried(self, at: int) -> bool:
        """Whether an error there is only written down."""
        return any(start < at < stop for start, stop in self._silent)

    def _closed(self, match: re.Match[str]) -> int:
        if not match[2]:
            return match.end()
        if match[2] == "{":
            return self._text.block_of(match.end() - 1)[1] + 1
        end = self._text.closed(match.end())
        behind = re.match(r"[ \t]*\{", self._plain[end : end + 10])
        return self._text.block_of(end + behind.end() - 1)[1] + 1 if behind else end

    def _element_is_read(self, inside: Block, depth: int, *, strict: bool = False) -> bool:
        """Whether a lambda, or what stands for one, reads the future that it is handed."""
        body = self._plain[slice(*inside)]
        if match := _REFERS.match(body):
            name = match[1] or match[2]
            known = name in calls.READS_NO_ERROR or calls.LOGS.fullmatch(name)
            return not known and self._method_reads(name, 0, depth)
        if match := _LAMBDA.match(body, 1):
            return self.is_read(match[1], (inside[0] + match.end(), inside[1]), depth + 1)
        if re.search(r"\bit\b", body):
            return self.is_read("it", inside, depth + 1)
        named = re.fullmatch(r"\(\s*(\w+)\s*\)", body)
        return (
            not strict and bool(named) and self._method_reads(named[1] if named else "", 0, depth)
        )

    def _outward(self, value: _Value, depth: int) -> _Value | str:
        """The expression that makes something of a value, or what becomes of the future."""
        before = self._before(value.at)
        if re.match(r"[ \t]+(?!else\b)\w", self._plain[value.end : value.end + 40]):
            return READ  # an infix call of Kotlin or Scala
        if loop := _EACH_OF.search(before):
            return self._found(loop[1], self._loop_body(value.end), depth, later=value.later)
        if function := _FUNCTION.search(before):
            return self._returned(function[1], function[2] or "", depth)
        if match := _SET.search(before):
            return self._of_variable(match[1], value, before, depth)
        if re.search(r"\byield$", before):
            begin = max(0, value.at - _REACH) + max(0, before.rfind("for"))
            return _Value(begin, value.end, value.later)
        if _ARROW.search(before):
            return self._of_lambda(value, depth)
        if re.search(r"\breturn(?:@\w+)?$", before):
            return self._of_return(value, depth)
        if before.endswith(("(", ",")) and (call := self._call(value.at)):
            return self._of_argument(call, value, depth)
        return self._of_statement(value, before, depth)

    def _before(self, at: int) -> str:
        return self._plain[max(0, at - _REACH) : at].rstrip()

    def _of_lambda(self, value: _Value, depth: int) -> _Value | str:
        """What a lambda returns that is the value alone."""
        before = self._before(value.at)
        match = _ARROW.search(before)
        start = max(0, value.at - _REACH) + (match.start() if match else 0)
        head = self._before(start)
        around = self._text.around(value.at)
        if around and re.search(r"\bcase\b[^{};\n]*(?:->|=>)$", before):
            return self._of_block(around[-1][0], value, depth)
        if head.endswith("{"):
            return self._of_block(self._plain.rindex("{", 0, start), value, depth)
        if call := self._call(start):
            return self._of_call(call[0], call[1], value)
        if head.endswith("="):
            return self._of_held(head, depth)
        if not around or not re.search(r"\b(?:when|switch)\b", around[-1][2]):
            return READ
        return READ if _IS_VALUE.search(around[-1][2]) else RESULT

    def _of_held(self, head: str, depth: int) -> str:
        """What becomes of the future that a function in a variable returns, where it is called."""
        held = re.search(r"(\w+)\s*(?::[^=;{}]*)?=$", head[-_REACH:])
        name = held[1] if held else "_"
        if ("=", name) in self._fates:
            return self._fates["=", name]
        self._fates["=", name] = READ  # while it is looked for
        fates = [READ]
        called = re.compile(rf"\b{name}\s*(?:\.\s*\w+\s*)?\(|\b(\w+)\s*(\()\s*{name}\s*\)")
        for match in islice(called.finditer(self._plain), _MOST if depth < _DEEPEST else 0):
            if match[1]:
                value = _Value(match.start(2), self._text.closed(match.end(2)))
                outer = self._of_call(match[1], match.start(2), value)
                fates.append(outer if isinstance(outer, str) else self._follow(outer, depth + 1))
            else:
                begin = self._text.chain(match.end() - 1)
                fates.append(self.fate(begin, self._text.closed(match.end()), depth + 1))
        self._fates["=", name] = max(fates)
        return max(fates)

    def _of_call(self, name: str, opened: int, value: _Value) -> _Value | str:
        """The call that a lambda is handed to, which makes something of what it returns."""
        if name in calls.DISCARDS_VALUE and not self._is_template(name, opened):
            return RESULT
        if name not in calls.PASSES:
            return READ
        is_braces = self._plain[opened] == "{"
        end = self._text.block_of(opened)[1] + 1 if is_braces else self._text.closed(opened + 1)
        return _Value(
            self._text.chain(opened), max(value.end, end), value.later or name in calls.WRAPS
        )

    def _is_template(self, name: str, opened: int) -> bool:
        """Whether `execute` is not an executor's: what it runs takes something."""
        bare = re.match(
            r"[({]\s*(?:\(\s*\)\s*->|\w+\s*(?:::|\)))", self._plain[opened : opened + 80]
        )
        return name == "execute" and bare is None

    def _of_block(self, start: int, value: _Value, depth: int) -> _Value | str:
        """What becomes of the value of a block that begins there, of Kotlin's or Scala's."""
        head = next(head for begin, _, head in self._text.heads if begin == start)
        if function := _FUNCTION.search(head):
            return self._returned(function[1], function[2] or "", depth)
        if re.search(r"\b(?:fun|def)\s+\w+[^={}]*$", head):
            return RESULT  # a function without `=` returns what it says it returns
        if _CONTROL.search(head):
            return READ if _IS_VALUE.search(head) else RESULT
        if re.search(r"(?:->|=>)\s*$", head):
            return self._of_lambda(_Value(start, value.end), depth)
        if head.rstrip().endswith("="):
            return self._of_held(head.rstrip(), depth)
        opened = start
        if head.rstrip().endswith(")"):  # arguments before the lambda
            opened = self._text.opened(self._plain.rindex(")", 0, start))
        word = CALLEE.search(self._plain[max(0, opened - 120) : opened])
        if word is None:
            return RESULT
        outer = self._of_call(word[1], opened, value)
        end = self._text.block_of(start)[1] + 1
        return outer if isinstance(outer, str) else _Value(outer.at, end, outer.later)

    def _of_return(self, value: _Value, depth: int) -> _Value | str:
        """What becomes of the future that a `return` hands on."""
        for start, end, head in reversed(self._text.around(value.at)):
            if re.search(r"(?:->|=>)\s*$", head):
                return self._of_lambda(_Value(start, end + 1), depth)
            if not _CONTROL.search(head) and (method := _METHOD.search(head)):
                return self._returned(method[1], head, depth)
        return READ

    def _returned(self, name: str, head: str, depth: int) -> str:
        """What the callers of a method make of the future that it returns."""
        if _NOTHING.search(head):
            return RESULT
        if ("(", name) in self._fates:
            return self._fates["(", name]
        self._fates["(", name] = READ  # while it is looked for
        fates = [READ]
        for match in islice(re.finditer(rf"\b{name}\s*\(", self._plain), _MOST):
            before = self._plain[max(0, match.start() - 120) : match.start()]
            defined = re.search(r"\b(?:fun|def)\b[^={}\n]*$|[\w>\]]\s+$", before)
            is_call = not defined or re.search(
                r"(?:\b(?:return|else|yield)|[-=]>)\s+$|\n\s*$", before
            )
            if is_call and depth < _DEEPEST:
                begin = self._text.chain(match.end() - 1)
                fates.append(self.fate(begin, self._text.closed(match.end()), depth + 1))
        self._fates["(", name] = max(fates)
        return max(fates)

    def _of_argument(self, call: tuple[str, int, int], value: _Value, depth: int) -> _Value | str:
        """What becomes of the future where it is an argument of a call."""
        name, opened, position = call
        if name in calls.STORES:
            before = self._plain[max(0, opened - 200) : opened]
            receiver = re.search(r"(\w+)\s*\.\s*\w+\s*$", before)
            return self._of_collection(receiver[1], depth) if receiver else READ
        if name in calls.PASSES:
            later = value.later or name in calls.WRAPS
            return _Value(self._text.chain(opened), self._text.closed(opened + 1), later)
        if calls.LOGS.fullmatch(name) or name in calls.DISCARDS_VALUE | calls.TESTS:
            return RESULT
        return READ if self._method_reads(name, position, depth) else RESULT

    def _of_collection(self, name: str, depth: int) -> str:
        """What becomes of the futures in a collection; one of another file may be read there."""
        keeps = "|".join(sorted(calls.STORES))
        other = re.search(rf"\b{name}\b(?!\s*\.\s*(?:{keeps})\s*\()", self._plain)
        return self._found(name, (-1, len(self._plain)), depth) if other else READ

    def _method_reads(self, name: str, position: int, depth: int) -> bool:
        """Whether a method of the file reads a parameter; one that is elsewhere is taken to."""
        bodies = self._text.bodies(name)
        if len(bodies) != 1 or depth >= _DEEPEST:
            return True
        names = self._text.parameters(bodies[0])
        return position >= len(names) or self.is_read(names[position], bodies[0], depth + 1)

    def _of_statement(self, value: _Value, before: str, depth: int) -> str | _Value:
        """What becomes of a value that is a statement, or the last one of a block."""
        line = self._text.line_to(value.at)
        alone = before[-1:] in (";", "{", "}", ")", "") or bool(_BEGINS.search(before))
        if not alone and (line.strip() or before[-1:] in tuple("=(,.+&|?:")):
            return READ
        behind = self._plain[value.end : value.end + _REACH].lstrip(" \t\n")
        around = self._text.around(value.at)
        if not around or _LOOP.search(before) or not re.match(r"\}|else\b|case\b", behind):
            return RESULT
        return self._of_block(around[-1][0], value, depth)

    def _of_variable(self, name: str, value: _Value, before: str, depth: int) -> str:
        """What becomes of a future that a variable or a collection holds."""
        if name == "_":
            return RESULT
        span = (-1, len(self._plain))
        if before.endswith("=") and not before.endswith(("+=", "]=", "] =", ") =")):
            loops = [block for block in self._text.around(value.at) if _LOOP.search(block[2])]
            span = loops[-1][:2] if loops else span
        return self._found(name, span, depth, later=value.later)

    def _found(self, name: str, span: Block, depth: int, *, later: bool = False) -> str:
        return READ if self.is_read(name, span, depth + 1, later=later) else RESULT

    def is_read(self, name: str, span: Block, depth: int = 0, *, later: bool = False) -> bool:
        """Whether a variable that holds a future, or several, is read for what became of them."""
        if depth >= _DEEPEST or self._steps > _MOST_STEPS:
            return True
        if (name, span, later) in self._known:
            return self._known[name, span, later]
        self._known[name, span, later] = False  # while it is looked for
        self._steps += 1
        uses = re.compile(rf"(?<![\w\"])(?:(?<!\.)|(?<=this\.)){re.escape(name)}\b")
        found = islice(uses.finditer(self._plain, max(0, span[0]), span[1]), _MOST)
        self._known[name, span, later] = any(self._use_reads(use, depth, later) for use in found)
        return self._known[name, span, later]

    def _use_reads(self, use: re.Match[str], depth: int, later: bool) -> bool:
        plain = self._plain
        start = use.start() - 5 if plain.endswith("this.", 0, use.start()) else use.start()
        indexed = _INDEX.match(plain, use.end())
        end = indexed.end() if indexed else use.end()
        behind = plain[end : end + 12]
        if re.match(r"\s*(?:[-+]=|\+\+|=(?!>)|!=|->|=>|:(?!:)\s*[A-Z])", behind):
            return False
        line = self._text.line_to(start).rstrip()
        is_compared = line.endswith(("==", "!="))
        if is_compared or not _BEFORE_NAME.search(line) or self._is_tried(start):
            return False
        return self.fate(start, end, depth, later=later) == READ

    def _loop_body(self, at: int) -> Block:
        """What a `for` does whose head ends with a name there."""
        closed = re.compile(r"[^){]*\)?").match(self._plain, at)
        return self._text.guarded(closed.end() if closed else at)

    def _call(self, at: int) -> tuple[str, int, int] | None:
        """The call that a place is an argument of: its name, its bracket, and which argument."""
        depth = position = 0
        for here in range(at - 1, max(-1, at - _REACH), -1):
            char = self._plain[here]
            if char in ")]}":
                depth += 1
            elif char in "([{" and depth:
                depth -= 1
            elif char == "(":
                word = CALLEE.search(self._plain[max(0, here - 120) : here])
                return (word[1], here, position) if word else None
            elif char in "{[" or (char == ";" and not depth):
                return None
            elif char == "," and not depth:
                position += 1
        return None
