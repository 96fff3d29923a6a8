"""The text of a program in Java, Kotlin or Scala, and its braces."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

Block = tuple[int, int]
"""Where a pair of braces opens and closes."""
_REACH = 4_000
_LONGEST_HEAD = 400
_DEEPEST_CALL = 3
_LONGEST_CHAIN = 12
_MOST_REACHED = 200
METHOD = re.compile(
    r"\b(?!(?:if|for|while|switch|catch|try|synchronized|when|match)\b)(\w+)\s*\((?P<given>(?:[^()]|\([^()]*\)){0,300})\)"
    r"\s*(?::\s*[\w<>\[\]?., ]{1,80})?(?:throws\s[\w, .]+)?=?\s*$"
)
_LAMBDA = re.compile(
    r"\b(\w+)\s*(?::(?:[^=;{}]|=>){0,120})?=\s*(?:(?:\(([^()]{0,200})\)|(\w+))\s*(?:->|=>)\s*)?$"
)
"""What stands before the braces of a function that a variable is given; Kotlin has its parameter
behind them."""
_PARAMETER = re.compile(r"\s*(\w+)\s*(?::[^-{}]{0,80})?->")
_TYPES = re.compile(r"<[^<>()]*>|\[[^\[\]()]*\]")
CALLEE = re.compile(r"(\w+)\s*(?:<[\w<>?, .]{0,60}>)?\s*$")
"""What stands before the brackets or braces of a call."""
AS_FUNCTION = r"(?:accept|apply|call|handle|invoke|run|test)"
"""How a function is called that a variable has (java.util.function, Runnable, Callable; Kotlin)."""
_CALLED = re.compile(
    rf"\b(?:for[Ee]ach|forall|exists|filter\w*|takeWhile)\s*\(\s*(\w+)\s*\)|\b(\w+)\s*(?:\.\s*({AS_FUNCTION})\s*)?\("
    rf"|\.\s*({AS_FUNCTION})\s*\(|\b(\w+)\s*::\s*(\w+)|::\s*(\w+)"
)
_GIVEN = re.compile(r"\bforEach\s*\(\s*(?:new\s+\w+[^;{}]{0,200})?\w*\)")
"""A collection that hands each to an object's `accept` (java.util.function.Consumer)."""
_LITERAL = r'"{3}[\s\S]*?(?:"{3}|\Z)|"(?:\\.|[^"\\\n])*+"?|\'(?:\\.|[^\'\\\n])\''
_OF_TYPES = r"[\w\s.,?\[\]]{0,120}"
_TYPE_ARGUMENTS = re.compile(
    rf"(?<=[\w.])<(?:{_OF_TYPES}<(?:{_OF_TYPES}<{_OF_TYPES}>)?{_OF_TYPES}>)*{_OF_TYPES}>(?=\s*[\w(\[{{:])"
)
CLASS = re.compile(r"\b(?:class|object|record)\s+(\w+)[^{}]*$")
"""What stands before the braces of a class."""
HEAD = re.compile(
    r"(?:\b(?:if|for|while)\s*\([^(){}]*+(?:\([^(){}]*+(?:\([^(){}]*+\)[^(){}]*+)*+\)[^(){}]*+)*+\)"
    r"|\belse)\s*$"
)
"""What stands before a statement that is another one's."""
_SKIPPED = re.compile(rf"{_LITERAL}|//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)")


QUOTED = r"""(?:"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])')"""
"""One that is not closed ends with its line, so that nothing is looked through twice."""
_LETTERS = re.compile(rf'"{{3}}[\s\S]*?(?:"{{3}}|\Z)|{QUOTED}')
_FILLED_IN = re.compile(r"\$\{(?P<made>[\w.()?!, ]{1,120})\}|\$(?P<name>[a-zA-Z_]\w*)")
_FILLS_IN = re.compile(r"\b(?:fun|val|def)\s+\w")
"""What only Kotlin, Scala and Groovy have, whose strings hold expressions."""
_BLANKS = re.compile(r"\s*")
_COMMENT = re.compile(rf"({QUOTED})|//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)")
_NOT_NULL = re.compile(r"(?<=[\w)\]}])!!(?=\s*\.)")


def without_comments(code: str) -> str:
    """A program of the same length and lines with blanks in place of its comments."""
    return _COMMENT.sub(lambda it: it[1] or re.sub(r"[^\n]", " ", it[0]), code)


def without_literals(code: str) -> str:
    """A program of the same length with blanks in place of its strings, but for the expressions in
    them, and of Kotlin's `!!`: the call is the same."""
    fills_in = bool(_FILLS_IN.search(code))
    return _NOT_NULL.sub("  ", _LETTERS.sub(lambda it: _blank(it[0], fills_in=fills_in), code))


def _blank(letters: str, *, fills_in: bool) -> str:
    """Blanks in place of a string or comment, but for what is filled in."""
    blank = re.sub(r"[^\n]", " ", letters)
    if not fills_in or "$" not in letters or letters[:1] == "/":
        return blank
    made = [*blank]
    for match in _FILLED_IN.finditer(letters):
        group = "made" if match["made"] else "name"
        if match[group].count("(") == match[group].count(")"):
            made[slice(*match.span(group))] = match[group]
    return "".join(made)


def blanked(plain: str, spans: Iterable[Block]) -> str:
    """A text of the same length with blanks in place of some spans."""
    parts, behind = list[str](), 0
    for start, end in sorted(spans):
        begin, stop = max(start, behind), min(end, len(plain))
        if stop > begin:
            parts += [plain[behind:begin], " " * (stop - begin)]
            behind = stop
    return "".join([*parts, plain[behind:]])


def closing_bracket(plain: str, at: int, reach: int) -> int:
    """Behind the bracket that closes a call which was opened just before a place; the place where
    none does within so many letters."""
    depth = 0
    for here in range(at, min(len(plain), at + reach)):
        depth += (plain[here] in "([{") - (plain[here] in ")]}")
        if depth < 0:
            return here + 1
    return at


def without_types(plain: str) -> str:
    """The text with blanks for type arguments, whose commas part no arguments of a call."""
    return _TYPE_ARGUMENTS.sub(lambda match: " " * len(match[0]), plain) if "<" in plain else plain


def arguments(plain: str, at: int, written: str, reach: int) -> list[str]:
    """The arguments of a call whose bracket was opened just before a place, as they are `written`
    in a text of the same length; none where it is not closed within so many letters."""
    depth, begin, found = 0, at, list[str]()
    for here, char in enumerate(
        without_types(plain[at : closing_bracket(plain, at, reach)]), start=at
    ):
        depth += (char in "([{") - (char in ")]}")
        if depth < 0 or (depth == 0 and char == ","):
            found.append(written[begin:here].strip())
            begin = here + 1
    return [argument for argument in found if argument]


def spliced(code: str, changes: Iterable[tuple[int, int, str]]) -> str:
    """A text with others in the place of some of its parts, in their order: from where, to where,
    and what stands there. One that begins within another is left out."""
    parts, behind = list[str](), 0
    for start, end, made in changes:
        if start >= behind:
            parts += [code[behind:start], made]
            behind = end
    return "".join([*parts, code[behind:]])


def braces(plain: str) -> Iterator[tuple[int, int, str]]:
    """Each pair of braces, and what stands before it."""
    stack: list[tuple[int, str]] = []
    begin = 0
    for at, char in enumerate(plain):
        if char == "{":
            stack.append((at, plain[max(begin, at - _LONGEST_HEAD) : at]))
        elif char == "}" and stack:
            start, head = stack.pop()
            yield start, at, head
        if char in "{};":
            begin = at + 1
    yield from ((start, len(plain), head) for start, head in stack)


@dataclass(frozen=True)
class Text:
    """A program without comments and letters of strings; `heads` are its pairs of braces, with
    what stands before them."""

    plain: str
    heads: list[tuple[int, int, str]]

    @classmethod
    def of(cls, code: str) -> Text:
        """The text of a program as it is written; places stay as they are."""
        fills_in = bool(_FILLS_IN.search(code))
        plain = _SKIPPED.sub(lambda match: _blank(match[0], fills_in=fills_in), code)
        plain = _NOT_NULL.sub("  ", plain)
        return cls(plain, [*braces(plain)])

    @cached_property
    def _by_start(self) -> dict[int, tuple[int, int, str]]:
        return {head[0]: head for head in self.heads}

    @cached_property
    def _by_end(self) -> dict[int, tuple[int, int, str]]:
        return {head[1]: head for head in self.heads}

    @cached_property
    def _nested(self) -> list[tuple[tuple[int, int, str], int]]:
        """The braces as they open, and the number of those around each; -1 where there are none."""
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
        """The names of the records of each poll, which several look for (`polled`)."""
        return {}

    @cached_property
    def _found(self) -> dict[str, list[str]]:
        return {}

    @cached_property
    def _calls(self) -> dict[Block, list[Block]]:
        return {}

    @cached_property
    def _methods(self) -> dict[str, list[Block]]:
        """The bodies of methods, by name."""
        methods: dict[str, list[Block]] = {}
        for start, end, head in self.heads:
            if match := METHOD.search(head) or _LAMBDA.search(head):
                methods.setdefault(match[1], []).append((start, end))
        return methods

    def methods_with(self, pattern: re.Pattern[str]) -> list[str]:
        """The names of methods in whose body something is found."""
        known = self._found
        if pattern.pattern not in known:
            known[pattern.pattern] = sorted(
                name
                for name, bodies in self._methods.items()
                if any(pattern.search(self.plain, *body) for body in bodies)
            )
        return known[pattern.pattern]

    def marked(self, annotation: str) -> list[str]:
        """The names of methods that have an annotation."""
        return [name for name, bodies in self._methods.items()
                if any(annotation in self._by_start[body[0]][2] for body in bodies)]  # fmt: skip

    def named(self, body: Block) -> list[str]:
        """The name of the method that has this body; nothing if there is none."""
        match = METHOD.search(self._by_start[body[0]][2]) if body[0] in self._by_start else None
        return [match[1]] if match else []

    def parameters(self, body: Block) -> list[str]:
        """The names of the parameters of a method, by its body."""
        head = self._by_start[body[0]][2]
        match = METHOD.search(head)
        given = re.sub(r"\([^()]*\)", "", match["given"]) if match else ""
        if not match and (function := _LAMBDA.search(head)):
            behind = _PARAMETER.match(self.plain, body[0] + 1)
            given = function[2] or function[3] or (behind[1] if behind else "it")
        given = _TYPES.sub("", _TYPES.sub("", given))
        words = [parameter.partition(":")[0].split() for parameter in given.split(",")]
        return [parts[-1] for parts in words if parts]

    def bodies(self, name: str) -> list[Block]:
        """The bodies of methods of this name."""
        return self._methods.get(name, [])

    def reached(self, block: Block) -> list[Block]:
        """A block, and the bodies of the methods of the file that it calls."""
        if block not in self._calls:
            self._calls[block] = self._reached(block)
        return [*self._calls[block]]

    def _reached(self, block: Block) -> list[Block]:
        reached = [block]
        for _ in range(_DEEPEST_CALL):
            called = {
                name
                for start, end in reached
                for match in _CALLED.finditer(self.plain, max(0, start), end)
                for name in match.groups(default="")
            }
            given = (_GIVEN.search(self.plain, max(0, start), end) for start, end in reached)
            called |= {"accept"} if any(given) else set()
            bodies = (body for name in sorted(called) for body in self.bodies(name))
            reached += [body for body in bodies if body not in reached]
        return reached[:_MOST_REACHED]

    def around(self, at: int) -> list[tuple[int, int, str]]:
        """The braces around a place, from the outermost."""
        number, found = bisect_left(self._starts, at) - 1, list[tuple[int, int, str]]()
        while number >= 0:
            head, number = self._nested[number]
            if head[1] > at:
                found.insert(0, head)
        return found

    def block(self, at: int) -> Block:
        """The innermost braces around a place; all of the text where there are none."""
        around = self.around(at)
        return around[-1][:2] if around else (-1, len(self.plain))

    def block_of(self, start: int) -> Block:
        """The braces that open at a place."""
        return self._by_start.get(start, (start, start, ""))[:2]

    def behind_blanks(self, at: int) -> int:
        """The first place from one on at which no blank and no line's end stands."""
        blanks = _BLANKS.match(self.plain, at)
        return blanks.end() if blanks else at

    def guarded(self, at: int) -> Block:
        """What a condition that ends at a place is about: from the brace behind it to the closing
        one, or the one statement."""
        start = self.behind_blanks(at)
        if self.plain[start : start + 1] == "{":
            return self.block_of(start)
        end = re.compile(r"[;\n}]").search(self.plain, start)
        return start, end.start() if end else len(self.plain)

    def attempt(self, at: int) -> Block | None:
        """The block of `try` that a `catch` or `finally` at a place belongs to."""
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
        """What stands between Scala's `try`, without braces, and a `catch` at a place."""
        begin = max(0, at - _LONGEST_HEAD)
        tried = self.plain[begin:at].rpartition("try ")
        start = begin + len(tried[0]) + len(tried[1]) - 1
        is_bare = tried[1] and self.block(start) == self.block(at)
        return (start, at) if is_bare else None

    def closed(self, at: int) -> int:
        """Behind the bracket that closes a call which was opened just before a place."""
        return closing_bracket(self.plain, at, _REACH)

    def arguments(self, at: int) -> list[str]:
        """The arguments of a call whose bracket was opened just before a place."""
        return arguments(self.plain, at, self.plain, _REACH)

    def statement(self, start: int) -> Block:
        """A statement without braces round it: up to its semicolon, or to its line's end. Chains
        are in one line already (`normal_form`)."""
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
        """What stands before a place in its line."""
        return self.plain[max(0, at - _LONGEST_HEAD) : at].rpartition("\n")[2]

    def opened(self, closing: int) -> int:
        """The bracket that one at a place closes."""
        depth = 0
        for here in range(closing, max(-1, closing - _REACH), -1):
            depth += (self.plain[here] in ")]}") - (self.plain[here] in "([{")
            if depth == 0:
                return here
        return closing

    def chain(self, opened: int) -> int:
        """Where the chain of calls begins whose last one has its bracket at a place."""
        at = opened
        for _ in range(_LONGEST_CHAIN):
            begin = max(0, at - 120)
            word = CALLEE.search(self.plain[begin:at])
            at = begin + word.start() if word else at
            end = self._bare(at)
            if self.plain[end - 1 : end] != ".":
                return end - 3 if re.search(r"\bnew$", self.plain[max(0, end - 4) : end]) else at
            at = self._bare(end - 1)
            while self.plain[at - 1 : at] in ("?", "!"):
                at -= 1
            while self.plain[at - 1 : at] in (")", "]", "}"):
                at = self._bare(self.opened(at - 1))
        return at

    def _bare(self, at: int) -> int:
        """Behind what stands before the blanks before a place."""
        while at > 0 and self.plain[at - 1].isspace():
            at -= 1
        return at
