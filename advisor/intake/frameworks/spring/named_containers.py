"""Which containers the listeners of a class name, and whether they have retry topics of their
own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from advisor.intake.frameworks.spring.made_beans import before
from advisor.intake.frameworks.spring.retry_topics import of_annotation
from advisor.intake.frameworks.spring.stated_by_code import DEFAULT_CONTAINER
from advisor.intake.programs.jvm import text as jvm_text
from advisor.intake.programs.jvm.code import Code
from advisor.intake.text import IntakeError

_LISTENER = re.compile(r"@KafkaListener\b(?P<given>\s*\()?")
_REACH, _MOST = 4_000, 12


@dataclass(frozen=True, slots=True)
class Listener:
    """A listener: its file and line, its container, and what its own annotation says of a
    dead-letter topic; None where it has none."""

    file: str
    line: int
    container: str
    retries: bool | None


def listeners(name: str, code: Code) -> Iterator[Listener]:
    """The listeners of a class. Raises `IntakeError` for a container whose name is not plain."""
    for number, match in enumerate(_LISTENER.finditer(code.plain)):
        if number == _MOST:
            words = f"more than {_MOST} listeners"
            raise IntakeError(f"Line {code.line(match.start())}: {words}.")
        end, container = match.end(), DEFAULT_CONTAINER
        if match["given"]:
            for argument in jvm_text.arguments(code.plain, end, code.text, _REACH):
                key, _, written = argument.partition("=")
                if key.strip() == "containerFactory":
                    container = code.value(written.strip()) or ""
            end = jvm_text.closing_bracket(code.plain, end, _REACH)
        if not container:
            words = "which container factory this listener has is not a plain text here"
            raise IntakeError(f"Line {code.line(match.start())}: {words}.")
        behind = re.compile(r"[{=;]|\bfun\b").search(code.plain, _behind_annotations(code, end))
        span = (before(code.plain, match.start()), behind.start() if behind else len(code.plain))
        yield Listener(name, code.line(match.start()), container, of_annotation(code, span))


def _behind_annotations(code: Code, at: int) -> int:
    annotation = re.compile(r"\s*@[\w.]+\s*(?P<given>\()?")
    for _ in range(_MOST):
        match = annotation.match(code.plain, at)
        if match is None:
            break
        at = (
            jvm_text.closing_bracket(code.plain, match.end(), _REACH)
            if match["given"]
            else match.end()
        )
    return at
