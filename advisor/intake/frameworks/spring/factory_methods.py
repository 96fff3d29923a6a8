"""Factory methods of Java and Kotlin: methods that create beans of Spring for Apache Kafka, or
objects for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from advisor.intake.programs.jvm.text import braces, closing_bracket
from advisor.intake.text import IntakeError, line_of

_REACH, _MAX_METHODS = 2_000, 300
_TYPE_ARGUMENTS = r"(?:<(?:[^<>;(){}]|<(?:[^<>;(){}]|<[^<>;(){}]{0,100}>){0,200}>){0,300}>)?"
_JAVA = re.compile(
    rf"(?<![.\w@])(?P<type>(?:\w+\.){{0,8}}[A-Z]\w*\s*{_TYPE_ARGUMENTS})\s+(?P<name>[a-z]\w*)\s*\("
)
_KOTLIN = re.compile(r"\bfun\s+(?P<name>\w+)\s*\(")
_BODY = re.compile(r"\s*(?:throws\s[\w\s,.]{1,200})?\{")
_KOTLIN_BODY = re.compile(
    rf"\s*(?::\s*(?P<type>\w[\w.]*\s*{_TYPE_ARGUMENTS})\??\s*)?(?P<opens>=|\{{)"
)
_BEAN_NAME = re.compile(
    r"@Bean\s*\(\s*(?:(?:name|value)\s*=\s*)?[\[{]?\s*\"(?P<name>[^\"]{1,100})\""
)
_PARAMETER = re.compile(
    rf"(?:(?P<type>\w[\w.]*\s*{_TYPE_ARGUMENTS})\s+(?P<name>\w+)"
    rf"|(?:va[lr]\s+)?(?P<kotlin_name>\w+)\s*:\s*(?P<kotlin_type>\w[\w.]*\s*{_TYPE_ARGUMENTS})\??)\s*"
)
_ANNOTATIONS = re.compile(r"@[\w.]+(?:\s*\([^()]*\))?\s*|\bfinal\s+")
_QUALIFIER = re.compile(r"@Qualifier\s*\(\s*\"(?P<name>[^\"]{1,100})\"")
_NEXT_DECLARATION = re.compile(
    r"\n\s*(?:@|(?:private|internal|open|override|class|object|va[lr]|fun)\b|\})"
)


@dataclass(frozen=True, slots=True)
class FactoryMethod:
    """A method that creates an object.

    `bean` is the name of the bean, and `type` the type that the method returns. `parameters` has
    the types of its parameters by name, `qualifiers` the beans that `@Qualifier` names for them.
    The body is the text from `start` to `end`.
    """

    bean: str
    name: str
    type: str
    parameters: dict[str, str]
    qualifiers: dict[str, str]
    start: int
    end: int
    line: int
    is_bean: bool

    def has_type(self, *types: str) -> bool:
        """Whether the returned type is one of these, without packages and type arguments."""
        return self.type.partition("<")[0].strip().rpartition(".")[2] in types

    def contains(self, at: int) -> bool:
        """Whether an offset is in its body."""
        return self.start <= at < self.end


def factory_methods(code: str, plain: str) -> list[FactoryMethod]:
    """The methods in the source of a class; `plain` is the source without the text of its string
    literals. Raises `IntakeError` for more methods than any class has."""
    for pattern in (_KOTLIN, _JAVA):
        if (match := next(islice(pattern.finditer(plain), _MAX_METHODS, None), None)) is not None:
            line = line_of(plain, match.start())
            raise IntakeError(f"Line {line}: more than {_MAX_METHODS} methods.")
    ends = {start: end for start, end, _ in braces(plain)}
    methods = [*_kotlin_methods(code, plain, ends)]
    return methods or [*_java_methods(code, plain, ends)]


def _java_methods(code: str, plain: str, ends: Mapping[int, int]) -> Iterator[FactoryMethod]:
    for match in islice(_JAVA.finditer(plain), _MAX_METHODS):
        after = closing_bracket(plain, match.end(), _REACH)
        body = _BODY.match(plain, after)
        if body and after > match.end():
            span = (body.end(), ends.get(body.end() - 1, len(plain)))
            parameters = (match.end(), after - 1)
            yield _factory_method(
                code, plain, (match.start(), match["name"], match["type"]), parameters, span
            )


def _kotlin_methods(code: str, plain: str, ends: Mapping[int, int]) -> Iterator[FactoryMethod]:
    for match in islice(_KOTLIN.finditer(plain), _MAX_METHODS):
        after = closing_bracket(plain, match.end(), _REACH)
        body = _KOTLIN_BODY.match(plain, after)
        if body is None or after == match.end():
            continue
        end = ends.get(body.end() - 1, len(plain))
        end = end if body["opens"] == "{" else end_of_expression(plain, body.end())
        head = (match.start(), match["name"], body["type"] or _constructed_type(plain, body.end()))
        yield _factory_method(code, plain, head, (match.end(), after - 1), (body.end(), end))


def _constructed_type(plain: str, at: int) -> str:
    """The class that an expression creates, where it begins with a constructor."""
    match = re.compile(r"\s*(?P<type>[A-Z]\w*)").match(plain, at)
    return match["type"] if match else ""


def end_of_expression(plain: str, at: int) -> int:
    """The offset at which the expression body of a Kotlin function ends."""
    depth = 0
    for index in range(at, min(len(plain), at + _REACH)):
        depth += (plain[index] in "([{") - (plain[index] in ")]}")
        if depth < 0 or (depth == 0 and _NEXT_DECLARATION.match(plain, index)):
            return index
    return min(len(plain), at + _REACH)


def _factory_method(
    code: str, plain: str, head: tuple[int, str, str], parameters: tuple[int, int],
    body: tuple[int, int],
) -> FactoryMethod:  # fmt: skip
    at, name, type_ = head
    annotations = code[start_of_annotations(plain, at) : at]
    bean_name = _BEAN_NAME.search(annotations)
    is_bean = re.search(r"@Bean\b", annotations) is not None
    bean = bean_name["name"] if bean_name else name
    types, qualifiers = dict[str, str](), dict[str, str]()
    for parameter in _parameters(code, plain, parameters):
        match = _PARAMETER.fullmatch(_ANNOTATIONS.sub("", parameter).partition("=")[0].strip())
        if match:
            types[match["name"] or match["kotlin_name"]] = match["type"] or match["kotlin_type"]
            if qualifier := _QUALIFIER.search(parameter):
                qualifiers[match["name"] or match["kotlin_name"]] = qualifier["name"]
    return FactoryMethod(bean, name, type_, types, qualifiers, *body, line_of(plain, at), is_bean)


def start_of_annotations(plain: str, at: int) -> int:
    """The offset at which the annotations of a method begin."""
    depth = 0
    for index in range(at - 1, max(-1, at - _REACH), -1):
        depth += (plain[index] == ")") - (plain[index] == "(")
        if depth == 0 and plain[index] in "{};":
            return index + 1
    return max(0, at - _REACH)


def _parameters(code: str, plain: str, span: tuple[int, int]) -> Iterator[str]:
    depth, begin = 0, span[0]
    for at in range(*span):
        depth += (plain[at] in "([{<") - (plain[at] in ")]}>")
        if depth == 0 and plain[at] == ",":
            yield code[begin:at].strip()
            begin = at + 1
    if code[begin : span[1]].strip():
        yield code[begin : span[1]].strip()
