"""Methods of Java and Kotlin that make objects of Spring for Apache Kafka: beans, and what beans
call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.jvm.text import braces, closing_bracket
from advisor.intake.text import IntakeError, line_of

_REACH, _MOST = 2_000, 300
_TYPES = r"(?:<(?:[^<>;(){}]|<(?:[^<>;(){}]|<[^<>;(){}]{0,100}>){0,200}>){0,300}>)?"
_JAVA = re.compile(
    rf"(?<![.\w@])(?P<type>(?:\w+\.){{0,8}}[A-Z]\w*\s*{_TYPES})\s+(?P<name>[a-z]\w*)\s*\("
)
_KOTLIN = re.compile(r"\bfun\s+(?P<name>\w+)\s*\(")
_BODY = re.compile(r"\s*(?:throws\s[\w\s,.]{1,200})?\{")
_KOTLIN_BODY = re.compile(rf"\s*(?::\s*(?P<type>\w[\w.]*\s*{_TYPES})\??\s*)?(?P<opens>=|\{{)")
_NAME = re.compile(r"@Bean\s*\(\s*(?:(?:name|value)\s*=\s*)?[\[{]?\s*\"(?P<name>[^\"]{1,100})\"")
_PARAMETER = re.compile(
    rf"(?:(?P<type>\w[\w.]*\s*{_TYPES})\s+(?P<name>\w+)"
    rf"|(?:va[lr]\s+)?(?P<own>\w+)\s*:\s*(?P<of>\w[\w.]*\s*{_TYPES})\??)\s*"
)
_ANNOTATIONS = re.compile(r"@[\w.]+(?:\s*\([^()]*\))?\s*|\bfinal\s+")
_QUALIFIED = re.compile(r"@Qualifier\s*\(\s*\"(?P<name>[^\"]{1,100})\"")
_NEXT = re.compile(r"\n\s*(?:@|(?:private|internal|open|override|class|object|va[lr]|fun)\b|\})")


@dataclass(frozen=True, slots=True)
class Made:
    """A method that makes an object: the name of the bean, its own name, its type, what it is
    given by name, and where its body begins and ends."""

    bean: str
    name: str
    type: str
    given: dict[str, str]
    qualified: dict[str, str]
    start: int
    end: int
    line: int
    is_bean: bool

    def is_of(self, *types: str) -> bool:
        """Whether its type is one of these."""
        return self.type.partition("<")[0].strip().rpartition(".")[2] in types

    def holds(self, at: int) -> bool:
        """Whether a place is in its body."""
        return self.start <= at < self.end


def made_in(code: str, plain: str) -> list[Made]:
    """The methods of a text; `plain` is the same without letters of its strings. Raises
    `IntakeError` for more of them than any class has."""
    for pattern in (_KOTLIN, _JAVA):
        if (match := next(islice(pattern.finditer(plain), _MOST, None), None)) is not None:
            line = line_of(plain, match.start())
            raise IntakeError(f"Line {line}: more than {_MOST} methods.")
    ends = {start: end for start, end, _ in braces(plain)}
    found = [*_in_kotlin(code, plain, ends)]
    return found or [*_in_java(code, plain, ends)]


def _in_java(code: str, plain: str, ends: Mapping[int, int]) -> Iterator[Made]:
    for match in islice(_JAVA.finditer(plain), _MOST):
        behind = closing_bracket(plain, match.end(), _REACH)
        body = _BODY.match(plain, behind)
        if body and behind > match.end():
            span = (body.end(), ends.get(body.end() - 1, len(plain)))
            given = (match.end(), behind - 1)
            yield _made(code, plain, (match.start(), match["name"], match["type"]), given, span)


def _in_kotlin(code: str, plain: str, ends: Mapping[int, int]) -> Iterator[Made]:
    for match in islice(_KOTLIN.finditer(plain), _MOST):
        behind = closing_bracket(plain, match.end(), _REACH)
        body = _KOTLIN_BODY.match(plain, behind)
        if body is None or behind == match.end():
            continue
        end = ends.get(body.end() - 1, len(plain))
        end = end if body["opens"] == "{" else end_of_expression(plain, body.end())
        head = (match.start(), match["name"], body["type"] or _first_type(plain, body.end()))
        yield _made(code, plain, head, (match.end(), behind - 1), (body.end(), end))


def _first_type(plain: str, at: int) -> str:
    """What an expression makes, where it begins with a constructor."""
    match = re.compile(r"\s*(?P<type>[A-Z]\w*)").match(plain, at)
    return match["type"] if match else ""


def end_of_expression(plain: str, at: int) -> int:
    """Where an expression ends that is the body of a function of Kotlin's."""
    depth = 0
    for here in range(at, min(len(plain), at + _REACH)):
        depth += (plain[here] in "([{") - (plain[here] in ")]}")
        if depth < 0 or (depth == 0 and _NEXT.match(plain, here)):
            return here
    return min(len(plain), at + _REACH)


def _made(
    code: str, plain: str, head: tuple[int, str, str], given: tuple[int, int],
    body: tuple[int, int],
) -> Made:  # fmt: skip
    at, name, kind = head
    above = code[before(plain, at) : at]
    named = _NAME.search(above)
    is_bean = re.search(r"@Bean\b", above) is not None
    bean = named["name"] if named else name
    types, qualified = dict[str, str](), dict[str, str]()
    for written in _parted(code, plain, given):
        own = _PARAMETER.fullmatch(_ANNOTATIONS.sub("", written).partition("=")[0].strip())
        if own:
            types[own["name"] or own["own"]] = own["type"] or own["of"]
            if by := _QUALIFIED.search(written):
                qualified[own["name"] or own["own"]] = by["name"]
    return Made(bean, name, kind, types, qualified, *body, line_of(plain, at), is_bean)


def before(plain: str, at: int) -> int:
    """Where the annotations of a method begin."""
    depth = 0
    for here in range(at - 1, max(-1, at - _REACH), -1):
        depth += (plain[here] == ")") - (plain[here] == "(")
        if depth == 0 and plain[here] in "{};":
            return here + 1
    return max(0, at - _REACH)


def _parted(code: str, plain: str, given: tuple[int, int]) -> Iterator[str]:
    depth, begin = 0, given[0]
    for at in range(*given):
        depth += (plain[at] in "([{<") - (plain[at] in ")]}>")
        if depth == 0 and plain[at] == ",":
            yield code[begin:at].strip()
            begin = at + 1
    if code[begin : given[1]].strip():
        yield code[begin : given[1]].strip()
