"""Values of `each.value` in resources with `for_each` that are the same in all elements of the map.

The map is written in the resource, or is a local or a variable of the same text (Terraform, "The
for_each Meta-Argument"). Values in which elements differ stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from advisor.intake.deployments.terraform_counts import RESOURCE
from advisor.intake.deployments.terraform_maps import (
    LOCALS,
    VARIABLE,
    VARIABLE_FILES,
    block_end,
    blocks,
)

_FOR_EACH = re.compile(
    r"^[ \t]*for_each[ \t]*=[ \t]*(?:(?P<here>\{)(?![ \t]*for\b)"
    r"|(?:\{[ \t]*for[ \t]+(?P<one>\w+)[ \t]+in[ \t]+)?(?P<named>(?:local|var)\.\w{1,80})"
    r"(?:[ \t]*:[ \t]*[\w.\"${}-]{1,100}[ \t]*=>[ \t]*(?P=one)[ \t]*\})?[ \t]*$)",
    re.MULTILINE,
)
_EACH_VALUE = re.compile(
    r"\b(?:lookup|try|coalesce)\([ \t]*each\.value"
    r"(?:\.(?P<tried>\w{1,80})|[ \t]*,[ \t]*\"(?P<looked>[\w.]{1,80})\")[ \t]*,[ \t]*"
    r"(?P<default>\"[^\"\n]{0,200}\"|[\w.-]{1,80}|\{\})[ \t]*\)"
    r"|\beach\.value(?:\.(?P<named>\w{1,80})|\[\"(?P<quoted>[\w.]{1,80})\"\])?(?![\w.\[])"
)
_TOKEN = re.compile(
    r"(?:#|//)[^\n]*|(?P<open>[{\[])|(?P<close>[}\]])|(?P<is>=>|[=:])|(?P<next>[,\n])"
    r"|(?P<text>\"[^\"\n]{0,500}\"|[^\s,={}\[\]:\"#]{1,500})"
)
_MAX_LENGTH = 20_000
"""The maximum length of a map and of the text filled in: more than any team's topics take."""
_MAX_DEPTH, _MAX_USES, _MAX_VALUE = 4, 1_000, 500
_DEFAULT = re.compile(r"^[ \t]*default[ \t]*=[ \t]*[{\[]", re.MULTILINE)
_NAMED_MAP = re.compile(r"^[ \t]*(?P<name>\w{1,80})[ \t]*=[ \t]*[{\[]", re.MULTILINE)

_Value = str | Mapping[str, "_Value"] | None


def with_each(text: str) -> str:
    """The text with the values that all elements share filled in; line numbers do not change."""
    if "each.value" not in text:
        return text
    parts, at, end, remaining, maps = list[str](), 0, 0, _MAX_LENGTH, _maps(text)
    for resource in RESOURCE.finditer(text):
        if resource.start() < end:
            continue
        begins, end = resource.end(), block_end(text, resource.end())
        elements = [*_elements(text, begins, end, maps)] if remaining > 0 else []
        if elements:
            body = text[begins:end]
            filled = _EACH_VALUE.sub(
                partial(_common_value, elements=elements), body, count=_MAX_USES
            )
            remaining -= max(0, len(filled) - len(body))
            parts += [text[at:begins], filled]
            at = end
    return "".join([*parts, text[at:]])


def _elements(text: str, begins: int, ends: int, maps: Mapping[str, _Value]) -> Iterator[_Value]:
    """The elements of the map of a resource; none if one is not a literal."""
    for_each = _FOR_EACH.search(text, begins, ends)
    if for_each is None:
        return
    here = (
        text[for_each.start("here") : min(ends, for_each.start("here") + _MAX_LENGTH)]
        if for_each["here"]
        else ""
    )
    value = _parsed(here) if here else maps.get(for_each["named"])
    yield from value.values() if isinstance(value, Mapping) else ()


def _maps(text: str) -> dict[str, _Value]:
    """The maps of locals and variables, by the references that resources use."""
    references = {match["named"] for match in _FOR_EACH.finditer(text)}
    places = {name: at for name, at in _places(text).items() if name in references}
    return {name: _parsed(text[at : at + _MAX_LENGTH]) for name, at in places.items()}


def _places(text: str) -> dict[str, int]:
    """The offsets of the maps of locals and variables; a set value overrides a default. A name that
    occurs twice may belong to a nested map, and is left out."""
    defaults, set_values, repeated, end = dict[str, int](), dict[str, int](), set[str](), 0
    for variable in VARIABLE.finditer(text):
        if variable.start() >= end:
            end = block_end(text, variable.end())
            match = _DEFAULT.search(text, variable.end(), end)
            defaults |= {f"var.{variable['name']}": match.end() - 1} if match else {}
    for head, kind in ((LOCALS, "local"), (VARIABLE_FILES, "var")):
        for begins, ends in blocks(text, head):
            for match in _NAMED_MAP.finditer(text, begins, ends):
                name = f"{kind}.{match['name']}"
                repeated |= {name} & set_values.keys()
                set_values[name] = match.end() - 1
    return {name: at for name, at in (defaults | set_values).items() if name not in repeated}


def _parsed(text: str) -> _Value:
    """A map, or a list as a map by index; None for any other value, or one with an expression."""
    stack, keys = list[dict[str, _Value]](), list[str]()
    word, key = "", ""
    for token in _TOKEN.finditer(text):
        if token["open"]:
            if len(stack) >= _MAX_DEPTH or word:
                return None
            stack.append({})
            keys.append(key or str(len(stack[-2]) if len(stack) > 1 else 0))
            key = ""
        elif token["is"]:
            key, word = word.strip('"'), ""
        elif token["text"]:
            if word:
                return None
            word = token["text"]
        elif token["next"] or token["close"]:
            if key and word and stack:
                stack[-1][key] = word
                key = word = ""
            elif word:
                return None  # a list of plain texts, or an expression
            if token["close"]:
                inner, name = stack.pop(), keys.pop()
                if not stack:
                    return inner
                stack[-1][name] = inner
                key = ""
    return None


def _common_value(use: re.Match[str], elements: Sequence[_Value]) -> str:
    """The value that all elements have there, or the unchanged text."""
    name = use["tried"] or use["looked"] or use["named"] or use["quoted"]
    values = list[_Value]()
    for element in elements:
        value = element.get(name) if name and isinstance(element, Mapping) else element
        value = None if value == "null" or (name and not isinstance(element, Mapping)) else value
        values.append(use["default"] if value is None else value)
    first = values[0]
    if first is None or any(other != first for other in values):
        return use[0]
    text = _literal(first)
    return text if len(text) <= _MAX_VALUE else use[0]


def _literal(value: _Value) -> str:
    if not isinstance(value, Mapping):
        return value or ""
    entries = (f'"{key}" = {_literal(inner)}' for key, inner in value.items())
    return f"{{ {', '.join(entries)} }}"
