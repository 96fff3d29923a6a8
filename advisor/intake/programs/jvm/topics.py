"""Topics that JVM code creates: `new NewTopic(name, partitions, copies)`, and Spring's
`TopicBuilder`.

A topic that is made so has as many copies as the code says, whatever its brokers' default is
(NewTopic javadoc). One that is there already stays as it is.
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
_MADE = re.compile(r"\b(?:NewTopic|TopicBuilder\s*\.\s*name)\s*\(")
_ADMINISTERS = re.compile(r"\b(?:Kafka)?Admin(?:Client)?\.create\s*\(")
_OF_CLIENT = re.compile(
    r"\bKafka(?:Producer|Consumer|Streams)\b|\b(?:Producer|Consumer|Streams)Config\b"
)
_SHORT = re.compile(
    r"(?:Optional\.of\()?(?:\(\s*short\s*\)\s*)?(?P<number>\d{1,5}|[A-Za-z_]\w*)"
    r"(?:\s*\.\s*toShort(?:\(\s*\))?|\s+as\s+Short)?\)?"
)
_MAP = re.compile(r"(?:Map|ImmutableMap)\.of\(|Collections\.singletonMap\(|(?:m|hashM)apOf\(|Map\(")
_TO = re.compile(r"\s+to\s+|\s*->\s*")


class Settings(Protocol):
    """An object that a program makes, and from where to where its name stands for it."""

    name: str
    start: int
    end: int


def administers(plain: str, made: Settings) -> bool:
    """Whether a program makes an AdminClient of an object."""
    name = rf"(?:this\.)?{re.escape(made.name)}"
    created = rf"\b(?:Kafka)?Admin(?:Client)?\.create\(\s*{name}\s*\)"
    return bool(re.search(created, plain[made.start : made.end]))


def only_administers(plain: str) -> bool:
    """Whether a program makes an AdminClient, and speaks of no client that writes or reads."""
    return bool(_ADMINISTERS.search(plain)) and not _OF_CLIENT.search(plain)


class Code(Protocol):
    """A program with its letters: the line of a place, the arguments of a call whose bracket was
    opened just before a place, and the text of an expression, None for what is worked out."""

    text: str

    def line(self, at: int) -> int: ...

    def arguments(self, at: int) -> list[str]: ...

    def value(self, written: str) -> str | None: ...


def take(reading: Reading, text: Text, code: Code) -> None:
    """States what counts of the topics that a program makes."""
    take_topics(reading, _topics(text, code), code.line)


def _topics(text: Text, code: Code) -> Iterator[CreatedTopic]:
    for match in islice(_MADE.finditer(text.plain), _MOST):
        given = code.arguments(match.end())
        behind = [*steps(text, text.closed(match.end()))]
        said = [
            code.text[call.begin : call.end].strip() for call in behind if call.name == "replicas"
        ]
        copies = said[-1] if said else "-1"
        if "NewTopic" in match[0]:
            copies = given[2] if len(given) == _WITH_COPIES else ""
        configs = _configs(behind, code)
        yield CreatedTopic(match.start(), _copies(text, code.text, copies), configs)


def _copies(text: Text, code: str, written: str) -> int | None:
    """How many copies are stated; 0 where the brokers' default counts, None if not plain."""
    if re.fullmatch(r"(?:\(\s*short\s*\)\s*)?-\s*1|Optional\.empty\(\)", written):
        return 0
    match = _SHORT.fullmatch(written)
    if match and not match["number"].isdecimal():
        stated = jvm_constants.constant_values(code, text.plain, match["number"])
        match = _SHORT.fullmatch(stated[0]) if len(stated) == 1 else None
    return int(match["number"]) if match and match["number"].isdecimal() else None


def _configs(behind: list[Step], code: Code) -> list[Pair]:
    found = list[Pair]()
    for step in behind:
        given = code.arguments(step.begin)
        if step.name == "compact":
            found.append(("cleanup.policy", "compact", step.at))
        elif step.name == "config" and len(given) == 2:
            found += _pair(given[0], given[1], step.at, code)
        elif step.name == "configs" and (of := _MAP.match(code.text, step.begin)):
            inner = code.arguments(of.end())
            rows = [_TO.split(entry, maxsplit=1) for entry in inner]
            flat = [part for row in rows for part in row]
            for key, written in zip(flat[::2], flat[1::2], strict=False):
                found += _pair(key, written, step.at, code)
        elif step.name == "configs":
            found.append(("configs", None, step.at))
    return found


def _pair(key: str, written: str, at: int, code: Code) -> list[Pair]:
    name = jvm_constants.setting_of_constant(key.strip())
    return [(name, code.value(written.strip()), at)] if name else [("configs", None, at)]
