"""Functions as JVM code writes them down where it hands them to a method: `e -> log.error(e)`,
`{ log.error(it) }`, `e => log.error(e)`, `log::error`, `log.error(_)`, `tell _`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from advisor.intake.programs.jvm.normal_form.method_inlining import in_one_line
from advisor.intake.programs.jvm.text import Text

_LAMBDA = re.compile(
    r"(?:\(\s*(?P<several>[^(){}]*)\)|(?P<own>\w+))\s*(?:->|=>)\s*(?P<body>[\s\S]*)\Z"
)
_BLOCK = re.compile(
    r"\{\s*(?:(?:\(\s*(?P<several>[^(){}]*)\)|"
    r"(?P<own>\w+(?:\s*:\s*[\w<>?., ]{1,60})?(?:\s*,\s*\w+)*))\s*(?:->|=>))?"
    r"(?P<body>[\s\S]*)\}\Z"
)
_REFERENCE = re.compile(r"(?P<of>[\w.]*?)\s*::\s*(?P<verb>[a-z]\w*)\Z")
_PLACED = re.compile(r"[\w.]+\s*\([^(){}]*(?<!\w)_(?!\w)[^(){}]*\)\Z")
_PARTIAL = re.compile(r"(?P<verb>[\w.]+)\s+_\Z")
_NAME = re.compile(r"(?:\w+\.)*[a-z]\w*\Z")
_SIMPLE = re.compile(r"[\w.]+(?:\([^()]*\))?")
_SEVERAL = re.compile(r"[;\n]|\b(?:return|throw|if|try|for|while)\b")
_RETURNS = re.compile(r"\breturn\b")


@dataclass(frozen=True, slots=True)
class Function:
    """The names of its parameters, what it does, whether that is a block, and how it is written.
    One that is called by another name has no names, and takes what it is given."""

    names: tuple[str, ...]
    body: str
    is_block: bool
    written: str
    is_reference: bool = False


def function_of(given: str, text: Text, *, is_lazy: bool) -> Function | None:
    """The function that an argument is; None for one that is not written down there. Of Scala, one
    that `is_lazy` is done where its name stands."""
    given = given.strip()
    if is_lazy:
        own = given[1:-1] if given.startswith("{") and given.endswith("}") else given
        return Function(
            (), in_one_line(own.strip()).rstrip("; "), bool(_SEVERAL.search(own)), given
        )
    if match := _BLOCK.match(given):
        names = match["several"] or match["own"] or ""
        body = match["body"].strip()
        taken = _names(names) or (("it",) if re.search(r"\bit\b", body) else ())
        return Function(taken, in_one_line(body).rstrip("; "), bool(_SEVERAL.search(body)), given)
    if match := _LAMBDA.match(given):
        body, is_block = match["body"].strip(), False
        if body.startswith("{") and body.endswith("}"):
            body, is_block = body[1:-1].strip(), True
        written = " ".join(body.split("\n")).rstrip("; ")
        return Function(_names(match["several"] or match["own"] or ""), written,
                        is_block, given)  # fmt: skip
    if match := _REFERENCE.match(given):
        verb = match["verb"] if match["of"] in ("", "this") else f"{match['of']}.{match['verb']}"
        return Function((), verb, False, given, is_reference=True)
    if _PLACED.match(given):
        body = re.sub(r"(?<!\w)_(?!\w)", "it", given)
        return Function(("it",), body, False, given)
    if match := _PARTIAL.match(given):
        return Function((), match["verb"], False, given, is_reference=True)
    is_known = _NAME.match(given) and (
        text.bodies(given) or re.match(r"(?i)\w*log\w*\.\w+\Z", given)
    )
    return Function((), given, False, given, is_reference=True) if is_known else None


def _names(written: str) -> tuple[str, ...]:
    parts = (part.partition(":")[0].split() for part in written.split(","))
    return tuple(words[-1] for words in parts if words)


def in_place(function: Function, given: list[str], *, is_statement: bool) -> str | None:
    """What stands in the place of a call of a function; None where that would not be the same."""
    if function.is_reference:
        return f"{function.body}({', '.join(given)})"
    names = function.names or (("it",) if len(given) == 1 else ())
    if function.is_block and not is_statement:
        return None
    if _RETURNS.search(function.body) or len(names) > len(given):
        return None
    body = function.body
    for name, value in zip(names, given, strict=False):
        if not _SIMPLE.fullmatch(value):
            value = f"({value})"
        body = re.sub(rf"(?<![\w.]){name}\b", value.replace("\\", r"\\"), body)
    return f"{{ {body} }}" if function.is_block else body
