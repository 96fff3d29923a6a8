"""Topics that JVM code creates: `new NewTopic(name, partitions, copies)`, and Spring's
`TopicBuilder`.

Such a topic has as many replicas as the code states, whatever the default of the brokers is
(NewTopic javadoc). An existing topic stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Protocol

from advisor.intake.programs.jvm import constants as jvm_constants
from advisor.intake.programs.jvm.records.poll_chains import Step, steps
from advisor.intake.programs.jvm.text import Text
from advisor.intake.programs.topics import CreatedTopic, Pair, take_topics
from advisor.intake.reading import Reading

_MOST, _WITH_COPIES = 50, 3
_NEW_TOPIC = re.compile(r"\b(?:NewTopic|TopicBuilder\s*\.\s*name)\s*\(")
_ADMIN_CLIENT = re.compile(r"\b(?:Kafka)?Admin(?:Client)?\.create\s*\(")
_OTHER_CLIENT = re.compile(
    r"\bKafka(?:Producer|Consumer|Streams)\b|\b(?:Producer|Consumer|Streams)Config\b"
)
_REPLICAS = re.compile(
    r"(?:Optional\.of\()?(?:\(\s*short\s*\)\s*)?(?P<number>\d{1,5}|[A-Za-z_]\w*)"
    r"(?:\s*\.\s*toShort(?:\(\s*\))?|\s+as\s+Short)?\)?"
)
_MAP_OF = re.compile(
    r"(?:Map|ImmutableMap)\.of\(|Collections\.singletonMap\(|(?:m|hashM)apOf\(|Map\("
)
_ENTRY_SEPARATOR = re.compile(r"\s+to\s+|\s*->\s*")


class Settings(Protocol):
    """A `Properties` or `Map` of a program, and the span in which its name refers to it."""

    name: str
    start: int
    end: int


def administers(plain: str, settings: Settings) -> bool:
    """Whether a program creates an AdminClient from an object."""
    name = rf"(?:this\.)?{re.escape(settings.name)}"
    creation = rf"\b(?:Kafka)?Admin(?:Client)?\.create\(\s*{name}\s*\)"
    return bool(re.search(creation, plain[settings.start : settings.end]))


def only_administers(plain: str) -> bool:
    """Whether a program creates an AdminClient, and names no client that writes or reads."""
    return bool(_ADMIN_CLIENT.search(plain)) and not _OTHER_CLIENT.search(plain)


class Code(Protocol):
    """A program with its literals.

    `line` returns the line of an offset, `arguments` those of a call whose parenthesis opens just
    before an offset, and `value` the value of an expression, None for a computed one.
    """

    text: str

    def line(self, at: int) -> int: ...

    def arguments(self, at: int) -> list[str]: ...

    def value(self, expression: str) -> str | None: ...


def take(reading: Reading, text: Text, code: Code) -> None:
    """Adds the settings of the topics that a program creates."""
    take_topics(reading, _topics(text, code), code.line)


def _topics(text: Text, code: Code) -> Iterator[CreatedTopic]:
    for match in islice(_NEW_TOPIC.finditer(text.plain), _MOST):
        arguments = code.arguments(match.end())
        calls = [*steps(text, text.closed(match.end()))]
        replicas = [
            code.text[call.begin : call.end].strip() for call in calls if call.name == "replicas"
        ]
        copies = replicas[-1] if replicas else "-1"
        if "NewTopic" in match[0]:
            copies = arguments[2] if len(arguments) == _WITH_COPIES else ""
        configs = _configs(calls, code)
        yield CreatedTopic(match.start(), _copies(text, code.text, copies), configs)


def _copies(text: Text, code: str, expression: str) -> int | None:
    """Returns the number of replicas; 0 for the brokers' default, None for a computed number."""
    if re.fullmatch(r"(?:\(\s*short\s*\)\s*)?-\s*1|Optional\.empty\(\)", expression):
        return 0
    match = _REPLICAS.fullmatch(expression)
    if match and not match["number"].isdecimal():
        values = jvm_constants.constant_values(code, text.plain, match["number"])
        match = _REPLICAS.fullmatch(values[0]) if len(values) == 1 else None
    return int(match["number"]) if match and match["number"].isdecimal() else None


def _configs(calls: list[Step], code: Code) -> list[Pair]:
    pairs = list[Pair]()
    for step in calls:
        arguments = code.arguments(step.begin)
        if step.name == "compact":
            pairs.append(("cleanup.policy", "compact", step.at))
        elif step.name == "config" and len(arguments) == 2:
            pairs += _pair(arguments[0], arguments[1], step.at, code)
        elif step.name == "configs" and (map_of := _MAP_OF.match(code.text, step.begin)):
            entries = code.arguments(map_of.end())
            rows = [_ENTRY_SEPARATOR.split(entry, maxsplit=1) for entry in entries]
            flat = [item for row in rows for item in row]
            for key, value in zip(flat[::2], flat[1::2], strict=False):
                pairs += _pair(key, value, step.at, code)
        elif step.name == "configs":
            pairs.append(("configs", None, step.at))
    return pairs


def _pair(key: str, value: str, at: int, code: Code) -> list[Pair]:
    name = jvm_constants.setting_of_constant(key.strip())
    return [(name, code.value(value.strip()), at)] if name else [("configs", None, at)]
