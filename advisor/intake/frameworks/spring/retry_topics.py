"""Retry topics that code sets up: `@RetryableTopic`, and beans of `RetryTopicConfiguration`.

A record that fails is sent to another topic and tried again from there, after later records. If it
fails for good, it goes to a dead-letter topic, and the send is waited for. Without a dead-letter
topic (`DltStrategy.NO_DLT`, `doNotConfigureDlt`) it is logged and skipped (RetryableTopic;
RetryTopicConfigurationBuilder; DeadLetterPublishingRecovererFactory).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from advisor.intake.frameworks.spring.factory_methods import FactoryMethod
from advisor.intake.programs.jvm import text as jvm_text
from advisor.intake.programs.jvm.code import Code
from advisor.intake.text import IntakeError, shown

_ANNOTATION = re.compile(r"@RetryableTopic\b(?P<opens>\s*\()?")
_ATTRIBUTES = frozenset({
    "attempts", "autoCreateTopics", "autoStartDltHandler", "backOff", "backoff", "concurrency",
    "dltStrategy", "dltTopicSuffix", "exclude", "excludeNames", "exceptionBasedDltRouting",
    "fixedDelayTopicStrategy", "include", "includeNames", "kafkaTemplate", "numPartitions",
    "replicationFactor", "retryTopicSuffix", "sameIntervalTopicReuseStrategy", "timeout",
    "topicSuffixingStrategy", "traversingCauses",
})  # fmt: skip
_NO_DEAD_LETTER = re.compile(r"\bNO_DLT\b|\bdoNotConfigureDlt\b")
_SOME_TOPICS = re.compile(r"\b(?:include|exclude)Topics?\s*\(")
_REACH = 4_000


@dataclass(frozen=True, slots=True)
class Retries:
    """The first place where retry topics are set up, as a file and a line, and the beans for all
    listeners."""

    first: tuple[str, int] | None
    has_bean: bool
    all_dlt: bool
    """Whether the beans give every listener a dead-letter topic."""


def annotation_dead_letter(code: Code, span: tuple[int, int]) -> bool | None:
    """Whether the `@RetryableTopic` within a span has a dead-letter topic; None if there is no such
    annotation. Raises `IntakeError` for an attribute that is not read."""
    match = _ANNOTATION.search(code.plain, *span)
    if match is None:
        return None
    arguments = (
        jvm_text.arguments(code.plain, match.end(), code.plain, _REACH) if match["opens"] else []
    )
    for argument in arguments:
        name = argument.partition("=")[0].strip()
        if name not in _ATTRIBUTES:
            words = f"{shown(name)} of @RetryableTopic is not read"
            raise IntakeError(f"Line {code.line(match.start())}: {words}.")
    return not any(_NO_DEAD_LETTER.search(argument) for argument in arguments)


def retry_topics(files: Sequence[tuple[str, Code, Sequence[FactoryMethod]]]) -> Retries:
    """The retry topics that all files set up."""
    places, beans = list[tuple[str, int]](), list[bool]()
    for name, code, methods in files:
        places += [
            (name, code.line(match.start()))
            for match in islice(_ANNOTATION.finditer(code.plain), 1)
        ]
        for method in methods:
            if method.is_bean and method.has_type("RetryTopicConfiguration"):
                body = code.plain[method.start : method.end]
                places.append((name, method.line))
                beans.append(not (_NO_DEAD_LETTER.search(body) or _SOME_TOPICS.search(body)))
    return Retries(places[0] if places else None, bool(beans), bool(beans) and all(beans))
