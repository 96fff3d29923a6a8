"""Retry topics that code sets up: `@RetryableTopic`, and beans of `RetryTopicConfiguration`.

A record that fails is sent to another topic and tried again from there, behind later ones; what
fails at last goes to a dead-letter topic, whose send is waited for, unless there is none
(`DltStrategy.NO_DLT`, `doNotConfigureDlt`): then it is logged and passed over (RetryableTopic;
RetryTopicConfigurationBuilder; DeadLetterPublishingRecovererFactory).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from advisor.intake.frameworks.spring.made_beans import Made
from advisor.intake.programs.jvm import text as jvm_text
from advisor.intake.programs.jvm.code import Code
from advisor.intake.text import IntakeError, shown

_ANNOTATION = re.compile(r"@RetryableTopic\b(?P<given>\s*\()?")
_OWN = frozenset({
    "attempts", "autoCreateTopics", "autoStartDltHandler", "backOff", "backoff", "concurrency",
    "dltStrategy", "dltTopicSuffix", "exclude", "excludeNames", "exceptionBasedDltRouting",
    "fixedDelayTopicStrategy", "include", "includeNames", "kafkaTemplate", "numPartitions",
    "replicationFactor", "retryTopicSuffix", "sameIntervalTopicReuseStrategy", "timeout",
    "topicSuffixingStrategy", "traversingCauses",
})  # fmt: skip
_WITHOUT = re.compile(r"\bNO_DLT\b|\bdoNotConfigureDlt\b")
_SOME = re.compile(r"\b(?:include|exclude)Topics?\s*\(")
_REACH = 4_000


@dataclass(frozen=True, slots=True)
class Retries:
    """Where retry topics are set up first, and what the beans for all listeners say."""

    first: tuple[str, int] | None
    has_bean: bool
    of_all: bool
    """Whether a bean gives each listener a dead-letter topic."""


def of_annotation(code: Code, span: tuple[int, int]) -> bool | None:
    """Whether the annotation of a listener, within these places, has a dead-letter topic; None
    where there is no annotation. Raises `IntakeError` for one that is not read."""
    match = _ANNOTATION.search(code.plain, *span)
    if match is None:
        return None
    given = (
        jvm_text.arguments(code.plain, match.end(), code.plain, _REACH) if match["given"] else []
    )
    for argument in given:
        name = argument.partition("=")[0].strip()
        if name not in _OWN:
            words = f"{shown(name)} of @RetryableTopic is not read"
            raise IntakeError(f"Line {code.line(match.start())}: {words}.")
    return not any(_WITHOUT.search(argument) for argument in given)


def retries_of(files: Sequence[tuple[str, Code, Sequence[Made]]]) -> Retries:
    """The retry topics that all files set up."""
    places, beans = list[tuple[str, int]](), list[bool]()
    for name, code, methods in files:
        places += [
            (name, code.line(match.start()))
            for match in islice(_ANNOTATION.finditer(code.plain), 1)
        ]
        for one in methods:
            if one.is_bean and one.is_of("RetryTopicConfiguration"):
                body = code.plain[one.start : one.end]
                places.append((name, one.line))
                beans.append(not (_WITHOUT.search(body) or _SOME.search(body)))
    return Retries(places[0] if places else None, bool(beans), bool(beans) and all(beans))
