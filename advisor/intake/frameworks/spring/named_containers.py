"""Listeners of a class, with the container that each of them names and its retry topics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from advisor.intake.frameworks.spring.factory_methods import start_of_annotations
from advisor.intake.frameworks.spring.retry_topics import annotation_dead_letter
from advisor.intake.frameworks.spring.stated_by_code import DEFAULT_CONTAINER
from advisor.intake.programs.jvm import text as jvm_text
from advisor.intake.programs.jvm.code import Code
from advisor.intake.text import IntakeError

_LISTENER = re.compile(r"@KafkaListener\b(?P<opens>\s*\()?")
_REACH, _MAX_LISTENERS = 4_000, 12


@dataclass(frozen=True, slots=True)
class Listener:
    """A listener with its file, line and container. `retries` is whether its annotation has a
    dead-letter topic; None without such an annotation."""

    file: str
    line: int
    container: str
    retries: bool | None


def listeners(name: str, code: Code) -> Iterator[Listener]:
    """Yields the listeners of a class. Raises `IntakeError` for a container whose name is not a
    constant."""
    for number, match in enumerate(_LISTENER.finditer(code.plain)):
        if number == _MAX_LISTENERS:
            words = f"more than {_MAX_LISTENERS} listeners"
            raise IntakeError(f"Line {code.line(match.start())}: {words}.")
        end, container = match.end(), DEFAULT_CONTAINER
        if match["opens"]:
            for argument in jvm_text.arguments(code.plain, end, code.text, _REACH):
                key, _, expression = argument.partition("=")
                if key.strip() == "containerFactory":
                    container = code.value(expression.strip()) or ""
            end = jvm_text.closing_bracket(code.plain, end, _REACH)
        if not container:
            words = "the name of this listener's container factory is not a plain text here"
            raise IntakeError(f"Line {code.line(match.start())}: {words}.")
        head = re.compile(r"[{=;]|\bfun\b").search(code.plain, _end_of_annotations(code, end))
        span = (
            start_of_annotations(code.plain, match.start()),
            head.start() if head else len(code.plain),
        )
        yield Listener(
            name, code.line(match.start()), container, annotation_dead_letter(code, span)
        )


def _end_of_annotations(code: Code, at: int) -> int:
    annotation = re.compile(r"\s*@[\w.]+\s*(?P<opens>\()?")
    for _ in range(_MAX_LISTENERS):
        match = annotation.match(code.plain, at)
        if match is None:
            break
        at = (
            jvm_text.closing_bracket(code.plain, match.end(), _REACH)
            if match["opens"]
            else match.end()
        )
    return at
