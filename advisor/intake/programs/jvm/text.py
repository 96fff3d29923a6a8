"""The text of a program in Java, Kotlin or Scala: its blocks, methods, calls and statements.

Places are offsets in the text. Comments and string literals are replaced by whitespace of the same
length, so that an offset is the same in the code.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

Block = tuple[int, int]
"""The offsets of an opening brace and of its closing brace."""
_REACH = 4_000
_LONGEST_HEAD = 400
_DEEPEST_CALL = 3
_LONGEST_CHAIN = 12
_MOST_REACHED = 200
_LONGEST_REACHED = 200_000
"""Characters of the methods that a block calls. Only methods inside of methods have more than the
file."""
METHOD = re.compile(
    r"\b(?!(?:if|for|while|switch|catch|try|synchronized|when|match)\b)(\w+)\s*\((?P<parameters>(?:[^()]|\([^()]*\)){0,300})\)"
    r"\s*(?::\s*[\w<>\[\]?., ]{1,80})?(?:throws\s[\w, .]+)?=?\s*$"
)
_FUNCTION_KEYWORD = re.compile(r"\b(?:fun|def)\s+\w")
_BLOCK_CALL = re.compile(r"(?:^|[;{}\n.])[ \t]*[a-z]\w*\Z")
"""A name that begins a statement, or follows a dot. In Kotlin and Scala it is called with a block,
not defined: `withContext(Dispatchers.IO) { … }`."""
_LAMBDA = re.compile(
    r"\b(\w+)\s*(?::(?:[^=;{}]|=>){0,120})?=\s*(?:(?:\(([^()]{0,200})\)|(\w+))\s*(?:->|=>)\s*)?$"
)
"""The head of a function that is assigned to a variable; Kotlin has the parameter after the
brace."""
_LAMBDA_PARAMETER = re.compile(r"\s*(\w+)\s*(?::[^-{}]{0,80})?->")
_TYPE_LIST = re.compile(r"<[^<>()]*>|\[[^\[\]()]*\]")
CALLEE = re.compile(r"(\w+)\s*(?:<[\w<>?, .]{0,60}>)?\s*$")
"""The name before the parentheses or the braces of a call."""
AS_FUNCTION = r"(?:accept|apply|call|handle|invoke|run|test)"
"""Methods that call a function in a variable (java.util.function, Runnable, Callable; Kotlin)."""
_CALL = re.compile(
    rf"\b(?:for[Ee]ach|forall|exists|filter\w*|takeWhile)\s*\(\s*(\w+)\s*\)|\b(\w+)\s*(?:\.\s*({AS_FUNCTION})\s*)?\("
    rf"|\.\s*({AS_FUNCTION})\s*\(|\b(\w+)\s*::\s*(\w+)|::\s*(\w+)"
)
_FOR_EACH_OBJECT = re.compile(r"\bforEach\s*\(\s*(?:new\s+\w+[^;{}]{0,200})?\w*\)")
"""A `forEach` that calls an object's `accept` (java.util.function.Consumer)."""
_LITERAL = r'"{3}[\s\S]*?(?:"{3}|\Z)|"(?:\\.|[^"\\\n])*+"?|\'(?:\\.|[^\'\\\n])\''
_TYPE = r"[\w\s.,?\[\]]{0,120}"
_TYPE_ARGUMENTS = re.compile(
    rf"(?<=[\w.])<(?:{_TYPE}<(?:{_TYPE}<{_TYPE}>)?{_TYPE}>)*{_TYPE}>(?=\s*[\w(\[{{:])"
)
_BRACKET, _STATEMENT_END = re.compile(r"[(){}\[\]]"), re.compile(r"[{};]")
CLASS = re.compile(r"\b(?:class|object|record)\s+(\w+)[^{}]*$")
"""The head of a class, up to its opening brace."""
HEAD = re.compile(
    r"(?:\b(?:if|for|while)\s*\([^(){}]*+(?:\([^(){}]*+(?:\([^(){}]*+\)[^(){}]*+)*+\)[^(){}]*+)*+\)"
    r"|\belse)\s*$"
)
"""The head of a statement without braces, such as `if (…)`."""
_COMMENT_OR_LITERAL = re.compile(rf"{_LITERAL}|//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)")


QUOTED = r"""(?:"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])')"""
"""A string literal. An unclosed one ends with its line, so that no text is searched twice."""
_STRING = re.compile(rf'"{{3}}[\s\S]*?(?:"{{3}}|\Z)|{QUOTED}')
_INTERPOLATION = re.compile(r"\$\{(?P<expression>[\w.()?!, ]{1,120})\}|\$(?P<name>[a-zA-Z_]\w*)")
_INTERPOLATING_LANGUAGE = re.compile(r"\b(?:fun|val|def)\s+\w")
"""A keyword of Kotlin, Scala or Groovy, whose strings interpolate expressions."""
_WHITESPACE = re.compile(r"\s*")
_COMMENT = re.compile(rf"({QUOTED})|//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)")
_NOT_NULL = re.compile(r"(?<=[\w)\]}])!!(?=\s*\.)")


def without_comments(code: str) -> str:
    """Returns a program with whitespace in place of its comments; offsets and lines are kept."""
    return _COMMENT.sub(lambda match: match[1] or re.sub(r"[^\n]", " ", match[0]), code)


def without_literals(code: str) -> str:
    """Returns a program of the same length with whitespace in place of its string literals.

    Interpolated expressions remain. Kotlin's `!!` is replaced, too: the call is the same.
    """
    interpolates = bool(_INTERPOLATING_LANGUAGE.search(code))
    return _NOT_NULL.sub(
        "  ", _STRING.sub(lambda match: _blank(match[0], interpolates=interpolates), code)
    )


def _blank(literal: str, *, interpolates: bool) -> str:
    """Returns whitespace in place of a literal or comment, except for interpolated expressions."""
    blank = re.sub(r"[^\n]", " ", literal)
    if not interpolates or "$" not in literal or literal[:1] == "/":
        return blank
    characters = [*blank]
    for match in _INTERPOLATION.finditer(literal):
        group = "expression" if match["expression"] else "name"
        if match[group].count("(") == match[group].count(")"):
            characters[slice(*match.span(group))] = match[group]
    return "".join(characters)


def blanked(plain: str, spans: Iterable[Block]) -> str:
    """Returns a text of the same length with whitespace in place of some spans."""
    parts, done = list[str](), 0
    for start, end in sorted(spans):
        first, stop = max(start, done), min(end, len(plain))
        if stop > first:
            parts += [plain[done:first], " " * (stop - first)]
            done = stop
    return "".join([*parts, plain[done:]])


def closing_bracket(plain: str, at: int, reach: int) -> int:
    """Returns the offset after the closing parenthesis of a call that opens just before `at`.

    Returns `at` if it does not close within `reach` characters.
    """
    depth = 0
    for bracket in _BRACKET.finditer(plain, at, min(len(plain), at + reach)):
        depth += 1 if bracket[0] in "([{" else -1
        if depth < 0:
            return bracket.end()
    return at


def without_types(plain: str) -> str:
    """Returns the text without type arguments, whose commas do not separate arguments of a call."""
    return _TYPE_ARGUMENTS.sub(lambda match: " " * len(match[0]), plain) if "<" in plain else plain


def arguments(plain: str, at: int, written: str, reach: int) -> list[str]:
    """Returns the arguments of a call that opens just before `at`, as they are in `written`.

    `written` is a text of the same length, with its literals. Returns none if the call does not
    close within `reach` characters.
    """
    depth, start, values = 0, at, list[str]()
    for here, char in enumerate(
        without_types(plain[at : closing_bracket(plain, at, reach)]), start=at
    ):
        depth += (char in "([{") - (char in ")]}")
        if depth < 0 or (depth == 0 and char == ","):
            values.append(written[start:here].strip())
            start = here + 1
    return [argument for argument in values if argument]


def spliced(code: str, changes: Iterable[tuple[int, int, str]]) -> str:
    """Returns a text with replacements, in their order: start, end and the new text of each.

    A replacement that starts inside the one before it is skipped.
    """
    parts, done = list[str](), 0
    for start, end, replacement in changes:
        if start >= done:
            parts += [code[done:start], replacement]
            done = end
    return "".join([*parts, code[done:]])


def braces(plain: str) -> Iterator[tuple[int, int, str]]:
    """Yields the start and the end of each block, and its head: the code before its brace."""
    stack: list[tuple[int, str]] = []
    head_start = 0
    for match in _STATEMENT_END.finditer(plain):
        at, char = match.start(), match[0]
        if char == "{":
            stack.append((at, plain[max(head_start, at - _LONGEST_HEAD) : at]))
        elif char == "}" and stack:
            start, head = stack.pop()
            yield start, at, head
        head_start = at + 1
    yield from ((start, len(plain), head) for start, head in stack)


@dataclass(frozen=True)
class Text:
    """A program without comments and string literals; `heads` are the start, the end and the head
    of each block."""

    plain: str
    heads: list[tuple[int, int, str]]

    @staticmethod
    def of(code: str) -> Text:
        """Returns the text of a program; offsets remain the same."""
        return _text(code)

    @cached_property
    def _by_start(self) -> dict[int, tuple[int, int, str]]:
        return {head[0]: head for head in self.heads}

    @cached_property
    def _by_end(self) -> dict[int, tuple[int, int, str]]:
        return {head[1]: head for head in self.heads}

    @cached_property
    def _nested(self) -> list[tuple[tuple[int, int, str], int]]:
        """The blocks by their start, each with the index of the block around it, or -1."""
        nested, opened = list[tuple[tuple[int, int, str], int]](), list[int]()
        for number, head in enumerate(sorted(self.heads)):
            while opened and nested[opened[-1]][0][1] < head[0]:
                opened.pop()
            nested.append((head, opened[-1] if opened else -1))
            opened.append(number)
        return nested

    @cached_property
    def _starts(self) -> list[int]:
        return [head[0] for head, _ in self._nested]

    @cached_property
    def names(self) -> dict[object, Any]:
        """The names of the records of each poll (`polled`), and the logging calls: a cache of
        several readers."""
        return {}

    @cached_property
    def _names_by_pattern(self) -> dict[str, list[str]]:
        return {}

    @cached_property
    def _calls(self) -> dict[Block, list[Block]]:
        return {}

    @cached_property
    def _methods(self) -> dict[str, list[Block]]:
        """The bodies of methods, by name."""
        methods: dict[str, list[Block]] = {}
        has_keyword = _FUNCTION_KEYWORD.search(self.plain)
        for start, end, head in self.heads:
            match = METHOD.search(head)
            if match and has_keyword and _BLOCK_CALL.search(head, 0, match.end(1)):
                continue
            if match := match or _LAMBDA.search(head):
                methods.setdefault(match[1], []).append((start, end))
        return methods

    def methods_with(self, pattern: re.Pattern[str]) -> list[str]:
        """Returns the names of the methods whose body matches a pattern."""
        names = self._names_by_pattern
        if pattern.pattern not in names:
            names[pattern.pattern] = sorted({*self._methods_with(pattern)})
        return names[pattern.pattern]

    def _methods_with(self, pattern: re.Pattern[str]) -> Iterator[str]:
        """Yields those names. A match, or a body without one, decides for the bodies inside."""
        bodies = sorted((body, name) for name, blocks in self._methods.items() for body in blocks)
        last, without = (-1, -1), -1
        for (start, end), name in bodies:
            if end <= without:
                continue
            if not start <= last[0] <= last[1] <= end:
                match = pattern.search(self.plain, start, end)
                last, without = (match.span(), without) if match else (last, end)
                if match is None:
                    continue
            yield name

    def annotated_methods(self, annotation: str) -> list[str]:
        """Returns the names of the methods that have an annotation."""
        return [name for name, bodies in self._methods.items()
                if any(annotation in self._by_start[body[0]][2] for body in bodies)]  # fmt: skip

    def named(self, body: Block) -> list[str]:
        """Returns the name of the method that has this body, in a list; otherwise nothing."""
        match = METHOD.search(self._by_start[body[0]][2]) if body[0] in self._by_start else None
        return [match[1]] if match else []

    def parameters(self, body: Block) -> list[str]:
        """Returns the names of the parameters of the method or lambda that has this body."""
        head = self._by_start[body[0]][2]
        match = METHOD.search(head)
        declared = re.sub(r"\([^()]*\)", "", match["parameters"]) if match else ""
        if not match and (function := _LAMBDA.search(head)):
            parameter = _LAMBDA_PARAMETER.match(self.plain, body[0] + 1)
            declared = function[2] or function[3] or (parameter[1] if parameter else "it")
        declared = _TYPE_LIST.sub("", _TYPE_LIST.sub("", declared))
        words = [item.partition(":")[0].split() for item in declared.split(",")]
        return [parts[-1] for parts in words if parts]

    def bodies(self, name: str) -> list[Block]:
        """Returns the bodies of the methods of a name."""
        return self._methods.get(name, [])

    def reached(self, block: Block) -> list[Block]:
        """Returns a block, and the bodies of the methods of the file that it calls."""
        if block not in self._calls:
            self._calls[block] = self._reached(block)
        return [*self._calls[block]]

    def _reached(self, block: Block) -> list[Block]:
        reached, length = {block: None}, block[1] - block[0]
        last = [block]
        for _ in range(_DEEPEST_CALL):
            called = {
                name
                for start, end in last
                for match in _CALL.finditer(self.plain, max(0, start), end)
                for name in match.groups(default="")
            }
            iterations = (
                _FOR_EACH_OBJECT.search(self.plain, max(0, start), end) for start, end in last
            )
            called |= {"accept"} if any(iterations) else set()
            last = []
            for body in (body for name in sorted(called) for body in self.bodies(name)):
                if body not in reached and length < _LONGEST_REACHED:
                    reached[body], length = None, length + body[1] - body[0]
                    last.append(body)
        return [*reached][:_MOST_REACHED]

    def around(self, at: int) -> list[tuple[int, int, str]]:
        """Returns the blocks around an offset, from the outermost: start, end and head of each."""
        number, blocks = bisect_left(self._starts, at) - 1, list[tuple[int, int, str]]()
        while number >= 0:
            head, number = self._nested[number]
            if head[1] > at:
                blocks.insert(0, head)
        return blocks

    def block(self, at: int) -> Block:
        """Returns the innermost block around an offset; the whole text if there is none."""
        around = self.around(at)
        return around[-1][:2] if around else (-1, len(self.plain))

    def block_of(self, start: int) -> Block:
        """Returns the block whose brace opens at an offset; an empty block if none does."""
        return self._by_start.get(start, (start, start, ""))[:2]

    def after_whitespace(self, at: int) -> int:
        """Returns the offset of the first character from `at` on that is not whitespace."""
        whitespace = _WHITESPACE.match(self.plain, at)
        return whitespace.end() if whitespace else at

    def controlled_block(self, at: int) -> Block:
        """Returns the block, or the single statement, that belongs to a condition or a loop whose
        head ends at an offset."""
        start = self.after_whitespace(at)
        if self.plain[start : start + 1] == "{":
            return self.block_of(start)
        end = re.compile(r"[;\n}]").search(self.plain, start)
        return start, end.start() if end else len(self.plain)

    def attempt(self, at: int) -> Block | None:
        """Returns the block of `try` that a `catch` or `finally` at an offset follows, or None."""
        for _ in range(10):
            before = self.plain[max(0, at - _REACH) : at].rstrip()
            head = self._by_end.get(max(0, at - _REACH) + len(before) - 1)
            if head is None:
                return None
            if re.search(r"\btry\b(?:\s*\([\s\S]*\))?\s*$", head[2]):
                return head[:2]
            word = re.search(r"\bcatch\b[^{]*$", self.plain[: head[0]][-200:])
            if word is None:
                return None
            at = max(0, head[0] - 200) + word.start()
        return None

    def bare_attempt(self, at: int) -> Block | None:
        """Returns the span between Scala's `try`, without braces, and a `catch` at an offset."""
        first = max(0, at - _LONGEST_HEAD)
        parts = self.plain[first:at].rpartition("try ")
        start = first + len(parts[0]) + len(parts[1]) - 1
        is_bare = parts[1] and self.block(start) == self.block(at)
        return (start, at) if is_bare else None

    def closed(self, at: int) -> int:
        """Returns the offset after the closing parenthesis of a call that opens before `at`."""
        return closing_bracket(self.plain, at, _REACH)

    def call_end(self, at: int) -> int:
        """Returns the offset after a call whose parenthesis opens before `at`, with the function
        that may follow its arguments in Kotlin and Scala."""
        end = self.closed(at)
        start = self.after_whitespace(end)
        is_block = self.plain[start : start + 1] == "{" and "\n" not in self.plain[end:start]
        return self.block_of(start)[1] + 1 if is_block else end

    def arguments(self, at: int) -> list[str]:
        """Returns the arguments of a call whose parenthesis opens just before an offset."""
        return arguments(self.plain, at, self.plain, _REACH)

    def statement(self, start: int) -> Block:
        """Returns the span of a statement without braces: up to its semicolon or the end of its
        line. A call chain is in one line already (`normal_form`)."""
        depth, plain = 0, self.plain
        for here in range(start, min(len(plain), start + _REACH)):
            depth += (plain[here] in "([{") - (plain[here] in ")]}")
            if depth < 0 or (depth == 0 and plain[here] == ";"):
                return start, here
            is_end = depth == 0 and plain[here] == "\n"
            if is_end and not HEAD.search(plain, max(start, here - _LONGEST_HEAD), here):
                return start, here
        return start, min(len(plain), start + _REACH)

    def line_to(self, at: int) -> str:
        """Returns the code before an offset in its line."""
        return self.plain[max(0, at - _LONGEST_HEAD) : at].rpartition("\n")[2]

    def opened(self, closing: int) -> int:
        """Returns the offset of the bracket that the one at `closing` closes."""
        depth = 0
        for here in range(closing, max(-1, closing - _REACH), -1):
            depth += (self.plain[here] in ")]}") - (self.plain[here] in "([{")
            if depth == 0:
                return here
        return closing

    def chain(self, opened: int) -> int:
        """Returns the start of the call chain whose last parenthesis opens at an offset."""
        at = opened
        for _ in range(_LONGEST_CHAIN):
            first = max(0, at - 120)
            callee = CALLEE.search(self.plain[first:at])
            at = first + callee.start() if callee else at
            end = self._trimmed(at)
            if self.plain[end - 1 : end] != ".":
                return end - 3 if re.search(r"\bnew$", self.plain[max(0, end - 4) : end]) else at
            at = self._trimmed(end - 1)
            while self.plain[at - 1 : at] in ("?", "!"):
                at -= 1
            while self.plain[at - 1 : at] in (")", "]", "}"):
                at = self._trimmed(self.opened(at - 1))
        return at

    def _trimmed(self, at: int) -> int:
        """Returns the end of the code before an offset, without the whitespace after it."""
        while at > 0 and self.plain[at - 1].isspace():
            at -= 1
        return at


@lru_cache(maxsize=4)
def _text(code: str) -> Text:
    """Cached: each step of the normal form asks for the text of a program, and few change it."""
    interpolates = bool(_INTERPOLATING_LANGUAGE.search(code))
    plain = _COMMENT_OR_LITERAL.sub(lambda match: _blank(match[0], interpolates=interpolates), code)
    plain = _NOT_NULL.sub("  ", plain)
    return Text(plain, [*braces(plain)])
