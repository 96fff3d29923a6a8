"""Whether JVM code reads the future of a send.

A future that is stored and never read reports no error (KafkaProducer.send, javadoc). It is
followed from the send through lambdas, streams, lists and variables to the code that reads it, or
to where it is dropped. Code outside of the file is assumed to read the futures passed to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.facts import ONLY_WRITTEN, RESULT
from advisor.intake.programs.jvm.errors import calls, handlers
from advisor.intake.programs.jvm.errors.callbacks import LISTENER_COMMIT, callback_of
from advisor.intake.programs.jvm.errors.error_functions import only_logs_error
from advisor.intake.programs.jvm.errors.outbox import marks_as_sent
from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.text import CALLEE, METHOD, Block, Text

READ = ""
"""The fate of a future that something reads, or may read."""

_MAX_MATCHES, _MAX_USES, _MAX_DEPTH = 60, 12, 5
_REACH, _MAX_STEPS = 600, 400
_LINK = re.compile(r"\s*\??\.\s*(\w+)(?:<[\w<>?, .]{0,60}>)?\s*([({])?")
_INDEX = re.compile(r"\s*(?:!!)?(?:\[[^\]\n]{1,60}\])?")
_LAMBDA = re.compile(
    r"\s*\(?\s*(?:(?:final|var|val)\s+)?(?:[\w<>?, .]+\s)?(\w+)[\w :<>\[\]]*\)?\s*(?:->|=>)"
)
_ARROW = re.compile(r"(?:\(\s*[\w<>?, :\[\]]*\)|(?<![\w)])[\w, :<>?]*)\s*(?:->|=>)$")
_METHOD_REFERENCE = re.compile(r"[({]\s*(?:[\w.]+\s*)?::\s*(\w+)\s*[)}]|[({]\s*_\s*\.\s*(\w+)")
_CONTROL_HEAD = re.compile(
    r"\b(?:if|for|while|when|catch|switch|synchronized)\s*\([^{}]*\)\s*$"
    r"|\b(?:else|try|do|finally|match|when)\s*$"
)
_LOOP_HEAD = re.compile(r"\b(?:for|while)\s*\([^{}]*\)\s*$|\bdo\s*$")
_VALUE_POSITION = re.compile(r"(?:(?<![=!<>])=|\breturn\b|\byield\b)\s*[^=;{}\n]*$")
_ASSIGNMENT = re.compile(
    r"\b(\w+)\s*(?::\s*[\w<>\[\]?., ]{1,80})?(?:\[[^\]\n]{0,60}\]|\([\w +-]{1,20}\))?"
    r"\s*(?<![=!<>])(?:\+|:)?=$"
)
_FUNCTION = re.compile(r"\b(?:fun|def)\b[^={}\n]{0,80}?(\w+)\s*(?:\([^{}=]*\))?\s*(:[^={}]*)?=\s*$")
_CALL = r"(?<!\w\.)\b{0}\s*\(|\b{0}\s*\((?!\s*new\s+ProducerRecord\b)"
"""A call of a method of the file, and not of a producer's `send`."""
_NO_RESULT = re.compile(r"\bvoid\s+\w+\s*\(|:\s*Unit\s*=?\s*$")
_BEFORE_NAME = re.compile(r"\b(?:return|yield|else|throw|in|await|case)$|[^\w>\]?]$|^$|[-=]>$")
_STATEMENT_START = re.compile(r"\belse$|\b(?:case\b[^;{}?]*|default\s*|[;{}]\s*\w+):$")
_LOOP_EXIT = re.compile(r"\b(?:break|return)\b|\b\w+\s*=\s*true\b")
_FOR_EACH_HEAD = re.compile(r"\bfor\s*\(?[^;()]*?\b(\w+)\s*(?::|\bin\b|<-)$")


@dataclass(frozen=True, slots=True)
class _Value:
    """An expression that holds the future: its span, and whether that future is the result of
    another one."""

    at: int
    end: int
    nested: bool = False


class Futures:
    """The futures of a program."""

    def __init__(self, text: Text) -> None:
        self._text, self._plain, self._steps = text, text.plain, 0
        self._fates: dict[tuple[str, str], str] = {}
        self._reads: dict[tuple[str, Block, bool], bool] = {}
        self._swallowing = [
            handler.attempt for handler in handlers.swallowing_handlers(text)
            if not (
                handlers.is_retried(text, handler.attempt, (-1, len(text.plain)))
                and _LOOP_EXIT.search(text.plain, *handler.attempt)
            ) and not marks_as_sent(text, handler.attempt)
        ]  # fmt: skip

    def fate(self, at: int, end: int, depth: int = 0, *, nested: bool = False) -> str:
        """Returns why the future of the send in this span is as good as dropped; `READ` if it is
        read, or if that is unknown."""
        return self._follow(_Value(at, end, nested), depth)

    def fate_of_reference(self, name: str, opened: int) -> str:
        """Returns the same for `name(producer::send)`, with its bracket at `opened`."""
        outer = self._use_in_call(name, opened, _Value(opened, self._text.closed(opened + 1)))
        return outer if isinstance(outer, str) else self._follow(outer, 0)

    def _follow(self, value: _Value, depth: int) -> str:
        for _ in range(_MAX_USES):
            chained = self._with_chain(value, depth)
            if isinstance(chained, str):
                return chained
            outer = self._use(chained, depth)
            if isinstance(outer, str):
                return outer
            value = outer
        return READ

    def _with_chain(self, value: _Value, depth: int) -> _Value | str:
        """Returns a value with the call chain after it, or the fate of the future in that chain."""
        end, nested, previous = value.end, value.nested, ""
        while match := _LINK.match(self._plain, end):
            name, closed = match[1], self._link_end(match)
            inside = (match.end() - 1, closed) if match[2] else (closed, closed)
            code = self._plain[inside[0] + 1 : closed - 1].strip()
            if name in calls.READS_NO_ERROR:
                return RESULT
            if previous == "future" and (name in calls.FOR_EACH or name == "onComplete"):
                return READ if name == "onComplete" and not only_logs_error(code) else RESULT
            previous = name
            if name in calls.FOR_EACH:
                return READ if self._reads_element(inside, depth) else RESULT
            callback = callback_of(code) if name in calls.TAKES_ERROR else None
            if callback:
                fault = callback.fault(lambda *_: None)
                if not fault or not _LINK.match(self._plain, closed):
                    return fault or READ
            elif name != "exceptionally" and LISTENER_COMMIT.search(code):
                return READ
            if callback or name in calls.KEEPS_ERROR:
                end = closed
                continue
            if name == "exceptionally" and only_logs(calls.lambda_body(code), in_function=True):
                return ONLY_WRITTEN
            if nested and name in calls.UNWRAPS:
                nested = False
            elif name not in calls.PASSES and name not in ("also", "apply"):
                return self._fate_after_wait(value.at, match.start(), depth)
            elif match[2] and (
                (
                    name in calls.HAS_RECEIVER
                    and re.search(r"(?<![\w.])(?:get|join|await)\s*\(", code)
                )
                or self._reads_element(inside, depth, strict=True)
            ):
                return READ
            end = closed
        return _Value(value.at, end, nested)

    def _fate_after_wait(self, at: int, wait: int, depth: int) -> str:
        """Returns the fate of the error that a future throws where something waits for it."""
        if self._is_swallowed(wait):
            return ONLY_WRITTEN
        if _ARROW.search(self._code_before(at)):
            return self._fate_of_error(_Value(at, wait), depth)
        if (call := self._enclosing_call(at)) and call[0] == "Future":
            outer = _Value(self._text.chain(call[1]), self._text.closed(call[1] + 1))
            return self._follow(outer, depth + 1) if depth < _MAX_DEPTH else READ
        for start, end, head in reversed(self._text.around(at)):
            if re.search(r"\b(?:Future|thread)\s*$", head) and depth < _MAX_DEPTH:
                return self._follow(_Value(self._text.chain(start), end + 1), depth + 1)
            if METHOD.search(head) or self._is_caught(start, end):
                return READ
            if re.search(r"->\s*$", head):
                return self._fate_of_error(_Value(start, end + 1), depth)
        return READ

    def _is_caught(self, start: int, end: int) -> bool:
        """Whether a handler in a block does not rethrow its error."""
        handlers = re.finditer(r"\bcatch\b[^{]*\{", self._plain[start:end])
        blocks = (self._text.block_of(start + match.end() - 1) for match in handlers)
        return any(not re.search(r"\bthrow\b", self._plain[slice(*block)]) for block in blocks)

    def _fate_of_error(self, value: _Value, depth: int) -> str:
        """Returns the fate of an error that leaves a lambda: an executor stores it in the future
        of the task (ExecutorService.submit), or only logs it."""
        match = _ARROW.search(self._code_before(value.at))
        call = self._enclosing_call(max(0, value.at - _REACH) + match.start()) if match else None
        if depth >= _MAX_DEPTH or call is None or call[0] not in calls.EXECUTES:
            return READ
        if self._is_template(*call[:2]) or calls.is_poll_loop(self._plain[value.at : value.end]):
            return READ
        outer = _Value(self._text.chain(call[1]), self._text.closed(call[1] + 1))
        return RESULT if call[0] in ("execute", "Thread") else self._follow(outer, depth + 1)

    def _is_swallowed(self, at: int) -> bool:
        """Whether an error at an offset is only logged."""
        return any(start < at < stop for start, stop in self._swallowing)

    def _link_end(self, match: re.Match[str]) -> int:
        if not match[2]:
            return match.end()
        if match[2] == "{":
            return self._text.block_of(match.end() - 1)[1] + 1
        return self._text.call_end(match.end())

    def _reads_element(self, inside: Block, depth: int, *, strict: bool = False) -> bool:
        """Whether a lambda or a method reference reads the future that is its argument."""
        body = self._plain[slice(*inside)]
        if match := _METHOD_REFERENCE.match(body):
            name = match[1] or match[2]
            reads_nothing = name in calls.READS_NO_ERROR or calls.LOGS.fullmatch(name)
            return not reads_nothing and self._method_reads(name, 0, depth)
        if match := _LAMBDA.match(body, 1):
            return self.is_read(match[1], (inside[0] + match.end(), inside[1]), depth + 1)
        if re.search(r"\bit\b", body):
            return self.is_read("it", inside, depth + 1)
        reference = re.fullmatch(r"\(\s*(\w+)\s*\)", body)
        return (
            not strict
            and bool(reference)
            and self._method_reads(reference[1] if reference else "", 0, depth)
        )

    def _use(self, value: _Value, depth: int) -> _Value | str:
        """Returns the expression that uses a value, or the fate of the future."""
        before = self._code_before(value.at)
        if re.match(r"[ \t]+(?!else\b)\w", self._plain[value.end : value.end + 40]):
            return READ  # an infix call of Kotlin or Scala
        if loop := _FOR_EACH_HEAD.search(before):
            return self._fate_of_name(
                loop[1], self._loop_body(value.end), depth, nested=value.nested
            )
        if function := _FUNCTION.search(before):
            return self._fate_of_method(function[1], function[2] or "", depth)
        if match := _ASSIGNMENT.search(before):
            return self._fate_of_variable(match[1], value, before, depth)
        if re.search(r"\byield$", before):
            begin = max(0, value.at - _REACH) + max(0, before.rfind("for"))
            return _Value(begin, value.end, value.nested)
        if _ARROW.search(before):
            return self._use_of_lambda(value, depth)
        if re.search(r"\breturn(?:@\w+)?$", before):
            return self._use_of_return(value, depth)
        if before.endswith(("(", ",")) and (call := self._enclosing_call(value.at)):
            return self._use_of_argument(call, value, depth)
        return self._use_of_statement(value, before, depth)

    def _code_before(self, at: int) -> str:
        return self._plain[max(0, at - _REACH) : at].rstrip()

    def _use_of_lambda(self, value: _Value, depth: int) -> _Value | str:
        """Returns what uses the value of a lambda whose body is this expression, or its fate."""
        before = self._code_before(value.at)
        match = _ARROW.search(before)
        start = max(0, value.at - _REACH) + (match.start() if match else 0)
        head = self._code_before(start)
        around = self._text.around(value.at)
        if around and re.search(r"\bcase\b[^{};\n]*(?:->|=>)$", before):
            return self._use_of_block(around[-1][0], value, depth)
        if head.endswith("{"):
            return self._use_of_block(self._plain.rindex("{", 0, start), value, depth)
        if call := self._enclosing_call(start):
            return self._use_in_call(call[0], call[1], value)
        if head.endswith("="):
            return self._fate_of_function(head, depth)
        if not around or not re.search(r"\b(?:when|switch)\b", around[-1][2]):
            return READ
        return READ if _VALUE_POSITION.search(around[-1][2]) else RESULT

    def _fate_of_function(self, head: str, depth: int) -> str:
        """Returns the fate of the future that a function in a variable returns to its callers."""
        variable = re.search(r"(\w+)\s*(?::[^=;{}]*)?=$", head[-_REACH:])
        name = variable[1] if variable else "_"
        if ("=", name) in self._fates:
            return self._fates["=", name]
        self._fates["=", name] = READ  # until it is known
        fates = [READ]
        callers = re.compile(rf"\b{name}\s*(?:\.\s*\w+\s*)?\(|\b(\w+)\s*(\()\s*{name}\s*\)")
        for match in islice(
            callers.finditer(self._plain), _MAX_MATCHES if depth < _MAX_DEPTH else 0
        ):
            if match[1]:
                value = _Value(match.start(2), self._text.closed(match.end(2)))
                outer = self._use_in_call(match[1], match.start(2), value)
                fates.append(outer if isinstance(outer, str) else self._follow(outer, depth + 1))
            else:
                begin = self._text.chain(match.end() - 1)
                fates.append(self.fate(begin, self._text.closed(match.end()), depth + 1))
        self._fates["=", name] = max(fates)
        return max(fates)

    def _use_in_call(self, name: str, opened: int, value: _Value) -> _Value | str:
        """Returns the call that a lambda is passed to, if its value depends on the lambda."""
        if name in calls.DISCARDS_VALUE and not self._is_template(name, opened):
            return RESULT
        if name not in calls.PASSES:
            return READ
        is_braces = self._plain[opened] == "{"
        end = self._text.block_of(opened)[1] + 1 if is_braces else self._text.closed(opened + 1)
        return _Value(
            self._text.chain(opened), max(value.end, end), value.nested or name in calls.WRAPS
        )

    def _is_template(self, name: str, opened: int) -> bool:
        """Whether `execute` is a template's, not an executor's: its lambda has a parameter."""
        bare = re.match(
            r"[({]\s*(?:\(\s*\)\s*->|\w+\s*(?:::|\)))", self._plain[opened : opened + 80]
        )
        return name == "execute" and bare is None

    def _use_of_block(self, start: int, value: _Value, depth: int) -> _Value | str:
        """Returns what uses the value of a block of Kotlin or Scala that begins at an offset."""
        head = next(head for begin, _, head in self._text.heads if begin == start)
        if function := _FUNCTION.search(head):
            return self._fate_of_method(function[1], function[2] or "", depth)
        if re.search(r"\b(?:fun|def)\s+\w+[^={}]*$", head):
            return RESULT  # a function without `=` has no value but that of `return`
        if _CONTROL_HEAD.search(head):
            return READ if _VALUE_POSITION.search(head) else RESULT
        if re.search(r"(?:->|=>)\s*$", head):
            return self._use_of_lambda(_Value(start, value.end), depth)
        if head.rstrip().endswith("="):
            return self._fate_of_function(head.rstrip(), depth)
        opened = start
        if head.rstrip().endswith(")"):  # arguments before the lambda
            opened = self._text.opened(self._plain.rindex(")", 0, start))
        word = CALLEE.search(self._plain[max(0, opened - 120) : opened])
        if word is None:
            return RESULT
        outer = self._use_in_call(word[1], opened, value)
        end = self._text.block_of(start)[1] + 1
        return outer if isinstance(outer, str) else _Value(outer.at, end, outer.nested)

    def _use_of_return(self, value: _Value, depth: int) -> _Value | str:
        """Returns what uses the future that a `return` returns, or its fate."""
        for start, end, head in reversed(self._text.around(value.at)):
            if re.search(r"(?:->|=>)\s*$", head):
                return self._use_of_lambda(_Value(start, end + 1), depth)
            if not _CONTROL_HEAD.search(head) and (method := METHOD.search(head)):
                return self._fate_of_method(method[1], head, depth)
        return READ

    def _fate_of_method(self, name: str, head: str, depth: int) -> str:
        """Returns the fate of the future that a method returns to its callers."""
        if _NO_RESULT.search(head):
            return RESULT
        if ("(", name) in self._fates:
            return self._fates["(", name]
        self._fates["(", name] = READ  # until it is known
        fates = [READ]
        for match in islice(re.finditer(_CALL.format(name), self._plain), _MAX_MATCHES):
            before = self._plain[max(0, match.start() - 120) : match.start()]
            defined = re.search(r"\b(?:fun|def)\b[^={}\n]*$|[\w>\]]\s+$", before)
            is_call = not defined or re.search(
                r"(?:\b(?:return|else|yield)|[-=]>)\s+$|\n\s*$", before
            )
            if is_call and depth < _MAX_DEPTH:
                begin = self._text.chain(match.end() - 1)
                fates.append(self.fate(begin, self._text.closed(match.end()), depth + 1))
        self._fates["(", name] = max(fates)
        return max(fates)

    def _use_of_argument(
        self, call: tuple[str, int, int], value: _Value, depth: int
    ) -> _Value | str:
        """Returns what uses the future where it is an argument of a call, or its fate."""
        name, opened, position = call
        if name in calls.STORES:
            before = self._plain[max(0, opened - 200) : opened]
            receiver = re.search(r"(\w+)\s*\.\s*\w+\s*$", before)
            return self._fate_of_collection(receiver[1], depth) if receiver else READ
        if name in calls.PASSES:
            nested = value.nested or name in calls.WRAPS
            return _Value(self._text.chain(opened), self._text.closed(opened + 1), nested)
        if calls.LOGS.fullmatch(name) or name in calls.DISCARDS_VALUE | calls.TESTS:
            return RESULT
        return READ if self._method_reads(name, position, depth) else RESULT

    def _fate_of_collection(self, name: str, depth: int) -> str:
        """Returns the fate of the futures in a collection; other files may read theirs."""
        keeps = "|".join(sorted(calls.STORES))
        other = re.search(rf"\b{name}\b(?!\s*\.\s*(?:{keeps})\s*\()", self._plain)
        return self._fate_of_name(name, (-1, len(self._plain)), depth) if other else READ

    def _method_reads(self, name: str, position: int, depth: int) -> bool:
        """Whether a method reads a parameter. A method of another file is assumed to read it."""
        bodies = self._text.bodies(name)
        if len(bodies) != 1 or depth >= _MAX_DEPTH:
            return True
        names = self._text.parameters(bodies[0])
        return position >= len(names) or self.is_read(names[position], bodies[0], depth + 1)

    def _use_of_statement(self, value: _Value, before: str, depth: int) -> str | _Value:
        """Returns what uses a value that is a statement, or the last one of a block."""
        line = self._text.line_to(value.at)
        alone = before[-1:] in (";", "{", "}", ")", "") or bool(_STATEMENT_START.search(before))
        if not alone and (line.strip() or before[-1:] in tuple("=(,.+&|?:")):
            return READ
        after = self._plain[value.end : value.end + _REACH].lstrip(" \t\n")
        around = self._text.around(value.at)
        if not around or _LOOP_HEAD.search(before) or not re.match(r"\}|else\b|case\b", after):
            return RESULT
        return self._use_of_block(around[-1][0], value, depth)

    def _fate_of_variable(self, name: str, value: _Value, before: str, depth: int) -> str:
        """Returns the fate of a future that is stored in a variable or a collection."""
        if name == "_":
            return RESULT
        span = (-1, len(self._plain))
        if before.endswith("=") and not before.endswith(("+=", "]=", "] =", ") =")):
            loops = [block for block in self._text.around(value.at) if _LOOP_HEAD.search(block[2])]
            span = loops[-1][:2] if loops else span
        return self._fate_of_name(name, span, depth, nested=value.nested)

    def _fate_of_name(self, name: str, span: Block, depth: int, *, nested: bool = False) -> str:
        return READ if self.is_read(name, span, depth + 1, nested=nested) else RESULT

    def is_read(self, name: str, span: Block, depth: int = 0, *, nested: bool = False) -> bool:
        """Whether code checks the result of the futures in a variable."""
        if depth >= _MAX_DEPTH or self._steps > _MAX_STEPS:
            return True
        if (name, span, nested) in self._reads:
            return self._reads[name, span, nested]
        self._reads[name, span, nested] = False  # until it is known
        self._steps += 1
        uses = re.compile(rf"(?<![\w\"])(?:(?<!\.)|(?<=this\.)){re.escape(name)}\b")
        places = islice(uses.finditer(self._plain, max(0, span[0]), span[1]), _MAX_MATCHES)
        self._reads[name, span, nested] = any(self._reads_at(use, depth, nested) for use in places)
        return self._reads[name, span, nested]

    def _reads_at(self, use: re.Match[str], depth: int, nested: bool) -> bool:
        plain = self._plain
        start = use.start() - 5 if plain.endswith("this.", 0, use.start()) else use.start()
        indexed = _INDEX.match(plain, use.end())
        end = indexed.end() if indexed else use.end()
        if re.match(r"\s*(?:[-+]=|\+\+|=(?!>)|!=|->|=>|:(?!:)\s*[A-Z])", plain[end : end + 12]):
            return False
        line = self._text.line_to(start).rstrip()
        is_compared = line.endswith(("==", "!="))
        if is_compared or not _BEFORE_NAME.search(line) or self._is_swallowed(start):
            return False
        return self.fate(start, end, depth, nested=nested) == READ

    def _loop_body(self, at: int) -> Block:
        """Returns the body of a `for` whose head ends with a name at an offset."""
        closed = re.compile(r"[^){]*\)?").match(self._plain, at)
        return self._text.controlled_block(closed.end() if closed else at)

    def _enclosing_call(self, at: int) -> tuple[str, int, int] | None:
        """Returns the call with an argument at an offset: name, bracket, and index."""
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
