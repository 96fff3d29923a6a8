"""Methods that a proxy of Spring calls when a listener's last attempt fails.

The method with `@Recover` takes over from one with `@Retryable` (Spring Retry, README, "Recovery").
The method that `fallbackMethod` names takes over from one with `@CircuitBreaker`, `@Retry`,
`@Bulkhead` or `@HystrixCommand` (Resilience4j, "Fallback methods"). If it returns, the container
sees no error and commits the record.
"""

from __future__ import annotations

import re

from advisor.intake.programs.jvm.text import Text
from advisor.intake.text import shown

_ERROR = "failure__"
_NAMED = re.compile(r'\b(?:fallbackMethod|recover)\s*=\s*"(?P<name>\w+)"')
_RETRIES = re.compile(r"@(?:\w+\.)*(?:Retryable|CircuitBreaker)\b")
_IS_ERROR = (
    r"\b\w*(?:Exception|Throwable|Error)\s+{0}\b|\b{0}\s*:\s*[\w.]*(?:Exception|Throwable|Error)\b"
)


class Unread(Exception):
    """A fallback that is not read."""


def fallback_call(plain: str, annotations: str, record: str) -> str:
    """The call of the method that takes over when a listener with these annotations fails; empty if
    none does.

    Raises `Unread` for a method that is elsewhere, has several forms, or acknowledges records.
    """
    text, named = Text.of(plain), _NAMED.search(annotations)
    names = [named["name"]] if named else []
    if not names and _RETRIES.search(annotations):
        names = text.annotated_methods("@Recover")
    if not names:
        return ""
    heads = [head for name in names for body in text.bodies(name) for head in text.heads
             if head[:2] == body]  # fmt: skip
    if len(heads) != 1:
        raise Unread(f"{shown(names[0])} is called after an error, and is not here exactly once")
    ((start, end, head),) = heads
    if "Acknowledgment" in head:
        raise Unread(f"{shown(names[0])} is called after an error, and may acknowledge the record")
    arguments = [
        _ERROR if re.search(_IS_ERROR.format(name), head) else record
        for name in text.parameters((start, end))
    ]
    return f"{names[0]}({', '.join(arguments)});"


def attempt(call: str, *, is_kotlin: bool) -> tuple[str, str]:
    """The code before and after the body of a listener whose errors a call takes over; empty
    without a call."""
    declared = f"{_ERROR}: Exception" if is_kotlin else f"Exception {_ERROR}"
    return ("try { ", f" }} catch ({declared}) {{ {call} }}") if call else ("", "")
