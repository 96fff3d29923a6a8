"""Options of a query whose names or values come from outside the file.

Dicts and maps of the file are read wherever they stand. What else is given may be any option.
"""

from __future__ import annotations

import re

from advisor.catalog import Component
from advisor.intake.reading import Reading
from advisor.intake.text import IntakeError, line_of

_MARKER = re.compile(r"\.(?:readStream|writeStream|read|write)\b")
_FORMAT = re.compile(r"\.format\(\s*[\"'](\w{1,60})[\"']")
_MOST, _LONGEST, _DEEPEST = 100, 3000, 3
"""Calls, and letters of a call, and of a chain of calls, that are looked through."""
_TEXT = re.compile(r"\"(?:[^\"\\\n]|\\.){0,400}+\"|'(?:[^'\\\n]|\\.){0,400}+'")
_MAP = re.compile(
    r"\{[^{}]*\}|\b(?:(?:mutable)?[mM]ap|mapOf|mutableMapOf|hashMapOf|Map\.of|Map\.ofEntries|dict)"
    r"(?:\[[^\]]*\])?\([^()]*\)"
)
_KEYWORD = re.compile(r"\b\w+\s*=\s*[\w.]*")
_SPREAD = re.compile(r"\*\*\s*([A-Za-z_][\w.]*)")
_COPIED = re.compile(r"\bdict\(\s*([A-Za-z_][\w.]*)\s*[,()]")
_GIVEN = re.compile(r"(?<!Map)(?<!mapOf)(?<!dict)(?<!\.of)(?<!\.ofEntries)(?<=\w)\([^()]*\)")
"""What a function is called with."""
_NAME = re.compile(r"[A-Za-z_][\w.]*")
_SAME = re.compile(r"\.(?:asJava|toMap|copy|asScala|toJava)$")
_WORDS = frozenset({"or", "and", "if", "else", "new", "None", "null", "Map", "to"})
_SET = r"(?<![\w.]){name}\s*(?::[^=\n]{{1,100}})?=(?!=)\s*"
_MADE = re.compile(
    r"(?:new\s+)?(?:(?P<open>\{)|(?:\w+\.)*\w*(?:[mM]ap(?:Of)?|Map\.of(?:Entries)?|dict)"
    r"(?:[\[<][^\]>\n]{0,200}[\]>])?(?P<call>\())"
)
_CALLED = re.compile(r"(\w{1,100})\(")
_OPEN_KEY = re.compile(r"(?:^|[,{(])\s*[A-Za-z_][\w.]*\s*(?::(?!:)|->|\bto\b)")
"""A key that is not a text."""
_FIRST = re.compile(r"\s*([A-Za-z_][\w.]*)\s*[,(]|\s*([A-Za-z_][\w.]*)\s*$")
_PUT = r"(?<![\w.]){name}\.put\(\s*[\"']"
_OPEN_PUT = r"(?<![\w.]){name}(?:\[(?![\"'])[^\]\n]{{1,200}}\]\s*=(?!=)|\.put\(\s*(?![\"']))"
_PARAMETER = r"Map<[^<>]{{1,100}}>\s+{name}\s*[,)]"
_FUNCTION = (
    r"\b(?:def|fun)\s+{name}\b"
    r"(?P<body>(?:(?!\n(?:[^\s}}]|[ \t]*(?:def|fun|class)\b))[\s\S]){{0,2000}})"
)
_HOLDS = re.compile(r"\{|\bdict\(|Map\b|mapOf")
_TAKES = re.compile(r"\*\*\s*\w|\.(?:update|putAll)\(\s*\w+\s*[().]")
_CHANGED = r"(?<![\w.]){name}\s*(?:\.\s*(?:update|putAll|addAll)\(\s*(?![{{\w]+\s*=|\{{)|\|=\s*\w)"
_HARMLESS = frozenset({
    "subscribe", "subscribePattern", "topic", "includeHeaders", "minPartitions", "partition",
    "kafka.bootstrap.servers", "maxOffsetsPerTrigger",
})  # fmt: skip
"""Options that decide nothing, or whose value is passed over where it is not plain."""
_LOOP = r"\bfor\s+\(?\s*{name}\s*,\s*\w+\s*\)?\s+in\s+([\w.]+)\.items\(\)"
_CONSTANT = r"(?<![\w.]){name}\s*(?::\s*\w+\s*)?=\s*([\"'])(?P<value>[\w.]{{1,200}})\1"
_ELSEWHERE = (
    'what these options are is not in this file. Write them out: .option("name", "value"), or a '
    "dict or a map of this file"
)
_WORKED_OUT = "the name of this option is not a plain text here. Write it out"


def given(reading: Reading, text: str, call: re.Match[str], number: int) -> None:
    """Refuses what a query of Kafka's is given by a call, unless it is of the file: several
    options, or one whose name is not a text. `number` counts such calls. Raises `IntakeError` for
    more of them than any query has."""
    at, line = call.end(), line_of(text, call.start())
    if number > _MOST:
        raise IntakeError(f"Line {line}: more options by a name than any query has.")
    is_said = any(problem.setting in ("option", "options") for problem in reading.problems)
    if is_said or not _is_kafkas(text, at):
        return
    arguments = _arguments(text, at)
    if call["open"] == "options":
        if not all(_is_here(text, name) for name in _names(arguments)):
            reading.wrong(Component.APPLICATION, "options", line, _ELSEWHERE)
    elif not _is_harmless(text, arguments):
        reading.wrong(Component.APPLICATION, "option", line, _WORKED_OUT)


def _is_kafkas(text: str, at: int) -> bool:
    """Whether a chain of calls may be Kafka's: no other format is named in it."""
    begins = max(at - _LONGEST, 0)
    start = max((marker.end() for marker in _MARKER.finditer(text, begins, at)), default=begins)
    later = _MARKER.search(text, at)
    end = min(later.start() if later else len(text), at + _LONGEST)
    named = _FORMAT.search(text, start, end)
    return named is None or named[1] == "kafka"


def _arguments(text: str, at: int) -> str:
    """What stands between the brackets of a call, without its texts."""
    depth, part = 1, _TEXT.sub('""', text[at : at + _LONGEST])
    for index, char in enumerate(part):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0:
            return part[:index]
    return part


def _names(call: str) -> set[str]:
    """What is given under a name, but for values of maps that are written out."""
    names = {*_SPREAD.findall(call), *_COPIED.findall(call)}
    rest = _GIVEN.sub("", call)
    while (shorter := _MAP.sub("", rest)) != rest:
        rest = shorter
    rest = _SPREAD.sub("", rest)
    names |= {name for name in _NAME.findall(_KEYWORD.sub("", rest)) if name not in _WORDS}
    return {_SAME.sub("", name) for name in names}


def _is_here(text: str, name: str, depth: int = 0) -> bool:
    """Whether a name is a dict or a map of the file, or what a function of it returns, and nothing
    of elsewhere is put into it."""
    own = re.escape(name)
    changes = (_CHANGED, _PARAMETER, _OPEN_PUT)
    if depth > _DEEPEST or any(re.search(change.format(name=own), text) for change in changes):
        return False
    places = [match.end() for match in re.finditer(_SET.format(name=own), text)][:_MOST]
    if places:
        return all(_is_made(text, place, depth) for place in places)
    return re.search(_PUT.format(name=own), text) is not None or _returns(text, name)


def _is_made(text: str, at: int, depth: int) -> bool:
    """Whether what a name is set to is written out at a place, or returned by a function."""
    if made := _MADE.match(text, at):
        inner = _arguments(text, made.end())
        first = _FIRST.match(inner) if made["call"] else None
        others = {*_SPREAD.findall(inner), *filter(None, first.groups() if first else ())}
        others = {other for other in others if not _is_keyword(inner, other)}
        return not _OPEN_KEY.search(inner) and all(
            _is_here(text, other, depth + 1) for other in others
        )
    called = _CALLED.match(text, at)
    return called is not None and _returns(text, called[1])


def _is_keyword(inner: str, name: str) -> bool:
    return re.match(rf"\s*{re.escape(name)}\s*=", inner) is not None


def _returns(text: str, name: str) -> bool:
    """Whether a function of the file returns a dict or a map that it writes out."""
    function = re.search(_FUNCTION.format(name=re.escape(name)), text)
    return function is not None and bool(
        _HOLDS.search(function["body"]) and not _TAKES.search(function["body"])
    )


def _is_harmless(text: str, call: str) -> bool:
    """Whether the name of an option is a constant of the file that decides nothing, or one of the
    names of a dict of the file."""
    first = call.partition(",")[0].strip()
    name = re.escape(first)
    if first == '""':  # no option of Kafka's is called like this
        return True
    if not re.fullmatch(r"[\w\\.]+", name):
        return False
    if constant := re.search(_CONSTANT.format(name=name), text):
        return constant["value"] in _HARMLESS
    loop = re.search(_LOOP.format(name=name), text)
    return loop is not None and _is_here(text, loop[1])
