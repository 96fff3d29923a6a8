"""Functions that JVM code passes to a method as arguments: `e -> log.error(e)`,
`{ log.error(it) }`, `e => log.error(e)`, `log::error`, `log.error(_)`, `tell _`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from advisor.intake.programs.jvm.normal_form.method_inlining import join_lines
from advisor.intake.programs.jvm.text import Text

_LAMBDA = re.compile(
    r"(?:\(\s*(?P<parameters>[^(){}]*)\)|(?P<parameter>\w+))\s*(?:->|=>)\s*(?P<body>[\s\S]*)\Z"
)
_BLOCK = re.compile(
    r"\{\s*(?:(?:\(\s*(?P<parameters>[^(){}]*)\)|"
    r"(?P<parameter>\w+(?:\s*:\s*[\w<>?., ]{1,60})?(?:\s*,\s*\w+)*))\s*(?:->|=>))?"
    r"(?P<body>[\s\S]*)\}\Z"
)
_REFERENCE = re.compile(r"(?P<receiver>[\w.]*?)\s*::\s*(?P<method>[a-z]\w*)\Z")
_PLACEHOLDER = re.compile(r"[\w.]+\s*\([^(){}]*(?<!\w)_(?!\w)[^(){}]*\)\Z")
_PARTIAL = re.compile(r"(?P<method>[\w.]+)\s+_\Z")
_NAME = re.compile(r"(?:\w+\.)*[a-z]\w*\Z")
_SIMPLE_ARGUMENT = re.compile(r"[\w.]+(?:\([^()]*\))?")
_STATEMENTS = re.compile(r"[;\n]|\b(?:return|throw|if|try|for|while)\b")
_RETURN = re.compile(r"\breturn\b")


@dataclass(frozen=True, slots=True)
class Function:
    """The parameter names of a function, its body, whether the body is a block, and its source.
    A reference to a method has no parameter names: the arguments are passed to the method."""

    names: tuple[str, ...]
    body: str
    is_block: bool
    source: str
    is_reference: bool = False


def parse_function(source: str, text: Text, *, is_lazy: bool) -> Function | None:
    """Returns the function that `source` defines or refers to, or None for any other argument.

    `is_lazy` marks the argument of a by-name parameter in Scala, which is evaluated at each use.
    """
    source = source.strip()
    if is_lazy:
        body = source[1:-1] if source.startswith("{") and source.endswith("}") else source
        joined = join_lines(body.strip()).rstrip("; ")
        return Function((), joined, bool(_STATEMENTS.search(body)), source)
    if match := _BLOCK.match(source):
        names = _parameter_names(match["parameters"] or match["parameter"] or "")
        body = match["body"].strip()
        names = names or (("it",) if re.search(r"\bit\b", body) else ())
        joined = join_lines(body).rstrip("; ")
        return Function(names, joined, bool(_STATEMENTS.search(body)), source)
    if match := _LAMBDA.match(source):
        body, is_block = match["body"].strip(), False
        if body.startswith("{") and body.endswith("}"):
            body, is_block = body[1:-1].strip(), True
        joined = " ".join(body.split("\n")).rstrip("; ")
        names = _parameter_names(match["parameters"] or match["parameter"] or "")
        return Function(names, joined, is_block, source)
    if match := _REFERENCE.match(source):
        method = (
            match["method"]
            if match["receiver"] in ("", "this")
            else f"{match['receiver']}.{match['method']}"
        )
        return Function((), method, False, source, is_reference=True)
    if _PLACEHOLDER.match(source):
        body = re.sub(r"(?<!\w)_(?!\w)", "it", source)
        return Function(("it",), body, False, source)
    if match := _PARTIAL.match(source):
        return Function((), match["method"], False, source, is_reference=True)
    is_method = _NAME.match(source) and (
        text.bodies(source) or re.match(r"(?i)\w*log\w*\.\w+\Z", source)
    )
    return Function((), source, False, source, is_reference=True) if is_method else None


def _parameter_names(source: str) -> tuple[str, ...]:
    parts = (part.partition(":")[0].split() for part in source.split(","))
    return tuple(words[-1] for words in parts if words)


def inline_call(function: Function, arguments: list[str], *, is_statement: bool) -> str | None:
    """Returns the code that replaces a call of a function, or None if none is equivalent."""
    if function.is_reference:
        return f"{function.body}({', '.join(arguments)})"
    names = function.names or (("it",) if len(arguments) == 1 else ())
    if function.is_block and not is_statement:
        return None
    if _RETURN.search(function.body) or len(names) > len(arguments):
        return None
    body = function.body
    for name, value in zip(names, arguments, strict=False):
        if not _SIMPLE_ARGUMENT.fullmatch(value):
            value = f"({value})"
        body = re.sub(rf"(?<![\w.]){name}\b", value.replace("\\", r"\\"), body)
    return f"{{ {body} }}" if function.is_block else body
