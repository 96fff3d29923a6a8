"""Options of a query whose names or values come from outside of the file.

Dicts and maps of the file are read wherever they are. Any other argument may hold any option.
"""

from __future__ import annotations

import re

from advisor.catalog import Component
from advisor.intake.reading import Reading
from advisor.intake.text import IntakeError, line_of

_MARKER = re.compile(r"\.(?:readStream|writeStream|read|write)\b")
_FORMAT = re.compile(r"\.format\(\s*[\"'](\w{1,60})[\"']")
_MAX_CALLS, _MAX_LENGTH, _MAX_DEPTH = 100, 3000, 3
"""Limits: calls, characters of a call or of a call chain, and assignments that are followed."""
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.){0,400}+\"|'(?:[^'\\\n]|\\.){0,400}+'")
_MAP = re.compile(
    r"\{[^{}]*\}|\b(?:(?:mutable)?[mM]ap|mapOf|mutableMapOf|hashMapOf|Map\.of|Map\.ofEntries|dict)"
    r"(?:\[[^\]]*\])?\([^()]*\)"
)
_KEYWORD_ARGUMENT = re.compile(r"\b\w+\s*=\s*[\w.]*")
_SPREAD = re.compile(r"\*\*\s*([A-Za-z_][\w.]*)")
_COPIED = re.compile(r"\bdict\(\s*([A-Za-z_][\w.]*)\s*[,()]")
_CALL_ARGUMENTS = re.compile(
    r"(?<!Map)(?<!mapOf)(?<!dict)(?<!\.of)(?<!\.ofEntries)(?<=\w)\([^()]*\)"
)
"""The arguments of a function call."""
_NAME = re.compile(r"[A-Za-z_][\w.]*")
_CONVERSION = re.compile(r"\.(?:asJava|toMap|copy|asScala|toJava)$")
_KEYWORDS = frozenset({"or", "and", "if", "else", "new", "None", "null", "Map", "to"})
_ASSIGNMENT = r"(?<![\w.]){name}\s*(?::[^=\n]{{1,100}})?=(?!=)\s*"
_LITERAL = re.compile(
    r"(?:new\s+)?(?:(?P<open>\{)|(?:\w+\.)*\w*(?:[mM]ap(?:Of)?|Map\.of(?:Entries)?|dict)"
    r"(?:[\[<][^\]>\n]{0,200}[\]>])?(?P<call>\())"
)
_CALL = re.compile(r"(\w{1,100})\(")
_OPEN_KEY = re.compile(r"(?:^|[,{(])\s*[A-Za-z_][\w.]*\s*(?::(?!:)|->|\bto\b)")
"""A key that is not a string literal."""
_FIRST_ARGUMENT = re.compile(r"\s*([A-Za-z_][\w.]*)\s*[,(]|\s*([A-Za-z_][\w.]*)\s*$")
_PUT = r"(?<![\w.]){name}\.put\(\s*[\"']"
_OPEN_PUT = r"(?<![\w.]){name}(?:\[(?![\"'])[^\]\n]{{1,200}}\]\s*=(?!=)|\.put\(\s*(?![\"']))"
_PARAMETER = r"Map<[^<>]{{1,100}}>\s+{name}\s*[,)]"
_FUNCTION = (
    r"\b(?:def|fun)\s+{name}\b"
    r"(?P<body>(?:(?!\n(?:[^\s}}]|[ \t]*(?:def|fun|class)\b))[\s\S]){{0,2000}})"
)
_HAS_MAP = re.compile(r"\{|\bdict\(|Map\b|mapOf")
_ADDS_OTHERS = re.compile(r"\*\*\s*\w|\.(?:update|putAll)\(\s*\w+\s*[().]")
_UPDATED = r"(?<![\w.]){name}\s*(?:\.\s*(?:update|putAll|addAll)\(\s*(?![{{\w]+\s*=|\{{)|\|=\s*\w)"
_HARMLESS = frozenset({
    "subscribe", "subscribePattern", "topic", "includeHeaders", "minPartitions", "partition",
    "kafka.bootstrap.servers", "maxOffsetsPerTrigger",
})  # fmt: skip
"""Options that do not affect the answer, or whose value is ignored if it is not a literal."""
_LOOP = r"\bfor\s+\(?\s*{name}\s*,\s*\w+\s*\)?\s+in\s+([\w.]+)\.items\(\)"
_CONSTANT = r"(?<![\w.]){name}\s*(?::\s*\w+\s*)?=\s*([\"'])(?P<value>[\w.]{{1,200}})\1"
_ELSEWHERE = (
    'these options are not defined in this file. Write them out: .option("name", "value"), or a '
    "dict or a map of this file"
)
_COMPUTED_NAME = "the name of this option is not a string literal here. Write it out"


def check_call(reading: Reading, text: str, call: re.Match[str], number: int) -> None:
    """Refuses a call of `options` or `option` on a Kafka query whose options or whose name are not
    defined in the file.

    `number` counts such calls. Raises `IntakeError` for more of them than any query has.
    """
    at, line = call.end(), line_of(text, call.start())
    if number > _MAX_CALLS:
        raise IntakeError(f"Line {line}: more options by a name than any query has.")
    is_refused = any(problem.setting in ("option", "options") for problem in reading.problems)
    if is_refused or not _is_kafka(text, at):
        return
    arguments = _arguments(text, at)
    if call["indirect"] == "options":
        if not all(_is_defined(text, name) for name in _names(arguments)):
            reading.add_problem(Component.APPLICATION, "options", line, _ELSEWHERE)
    elif not _is_harmless(text, arguments):
        reading.add_problem(Component.APPLICATION, "option", line, _COMPUTED_NAME)


def _is_kafka(text: str, at: int) -> bool:
    """Whether a call chain may belong to Kafka: it names no other format."""
    earliest = max(at - _MAX_LENGTH, 0)
    start = max((marker.end() for marker in _MARKER.finditer(text, earliest, at)), default=earliest)
    later = _MARKER.search(text, at)
    end = min(later.start() if later else len(text), at + _MAX_LENGTH)
    format_ = _FORMAT.search(text, start, end)
    return format_ is None or format_[1] == "kafka"


def _arguments(text: str, at: int) -> str:
    """The arguments of a call, with empty string literals."""
    depth, source = 1, _STRING.sub('""', text[at : at + _MAX_LENGTH])
    for index, char in enumerate(source):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0:
            return source[:index]
    return source


def _names(call: str) -> set[str]:
    """The variables in the arguments of a call, but for values in map literals."""
    names = {*_SPREAD.findall(call), *_COPIED.findall(call)}
    rest = _CALL_ARGUMENTS.sub("", call)
    while (shorter := _MAP.sub("", rest)) != rest:
        rest = shorter
    rest = _SPREAD.sub("", rest)
    names |= {
        name for name in _NAME.findall(_KEYWORD_ARGUMENT.sub("", rest)) if name not in _KEYWORDS
    }
    return {_CONVERSION.sub("", name) for name in names}


def _is_defined(text: str, name: str, depth: int = 0) -> bool:
    """Whether a name is a dict or a map that the file, or a function of it, defines, and nothing
    from outside is added to it."""
    key = re.escape(name)
    changes = (_UPDATED, _PARAMETER, _OPEN_PUT)
    if depth > _MAX_DEPTH or any(re.search(change.format(name=key), text) for change in changes):
        return False
    places = [match.end() for match in re.finditer(_ASSIGNMENT.format(name=key), text)][:_MAX_CALLS]
    if places:
        return all(_is_literal(text, place, depth) for place in places)
    return re.search(_PUT.format(name=key), text) is not None or _returns(text, name)


def _is_literal(text: str, at: int, depth: int) -> bool:
    """Whether the value at an assignment is a literal, or the result of a function of the file."""
    if literal := _LITERAL.match(text, at):
        inner = _arguments(text, literal.end())
        first = _FIRST_ARGUMENT.match(inner) if literal["call"] else None
        others = {*_SPREAD.findall(inner), *filter(None, first.groups() if first else ())}
        others = {other for other in others if not _is_keyword(inner, other)}
        return not _OPEN_KEY.search(inner) and all(
            _is_defined(text, other, depth + 1) for other in others
        )
    call = _CALL.match(text, at)
    return call is not None and _returns(text, call[1])


def _is_keyword(inner: str, name: str) -> bool:
    return re.match(rf"\s*{re.escape(name)}\s*=", inner) is not None


def _returns(text: str, name: str) -> bool:
    """Whether a function of the file returns a dict or a map literal."""
    function = re.search(_FUNCTION.format(name=re.escape(name)), text)
    return function is not None and bool(
        _HAS_MAP.search(function["body"]) and not _ADDS_OTHERS.search(function["body"])
    )


def _is_harmless(text: str, call: str) -> bool:
    """Whether the name of an option is a constant of the file for an option without effect on the
    answer, or a key of a dict of the file."""
    first = call.partition(",")[0].strip()
    name = re.escape(first)
    if first == '""':  # a string literal that is no option of Kafka's
        return True
    if not re.fullmatch(r"[\w\\.]+", name):
        return False
    if constant := re.search(_CONSTANT.format(name=name), text):
        return constant["value"] in _HARMLESS
    loop = re.search(_LOOP.format(name=name), text)
    return loop is not None and _is_defined(text, loop[1])
