"""What `each.value` is in a resource with `for_each`, where all elements of the map have the same.

The map is written in the resource, or a local or a variable of the same text has it (Terraform,
"The for_each Meta-Argument"). What elements differ in stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from advisor.intake.deployments.terraform_maps import (
    LOCALS,
    VARIABLE,
    VARIABLE_FILES,
    block_end,
    blocks,
)

_RESOURCE = re.compile(
    r"^[ \t]*resource[ \t]+\"\w{1,80}\"[ \t]+\"[^\"\n]{1,200}\"[ \t]*\{", re.MULTILINE
)
_EACH = re.compile(
    r"^[ \t]*for_each[ \t]*=[ \t]*(?:(?P<here>\{)(?![ \t]*for\b)"
    r"|(?:\{[ \t]*for[ \t]+(?P<one>\w+)[ \t]+in[ \t]+)?(?P<named>(?:local|var)\.\w{1,80})"
    r"(?:[ \t]*:[ \t]*[\w.\"${}-]{1,100}[ \t]*=>[ \t]*(?P=one)[ \t]*\})?[ \t]*$)",
    re.MULTILINE,
)
_USE = re.compile(
    r"\b(?:lookup|try|coalesce)\([ \t]*each\.value"
    r"(?:\.(?P<tried>\w{1,80})|[ \t]*,[ \t]*\"(?P<looked>[\w.]{1,80})\")[ \t]*,[ \t]*"
    r"(?P<default>\"[^\"\n]{0,200}\"|[\w.-]{1,80}|\{\})[ \t]*\)"
    r"|\beach\.value(?:\.(?P<named>\w{1,80})|\[\"(?P<quoted>[\w.]{1,80})\"\])?(?![\w.\[])"
)
_TOKEN = re.compile(
    r"(?:#|//)[^\n]*|(?P<open>[{\[])|(?P<close>[}\]])|(?P<is>=>|[=:])|(?P<next>[,\n])"
    r"|(?P<text>\"[^\"\n]{0,500}\"|[^\s,={}\[\]:\"#]{1,500})"
)
_MOST = 20_000
"""Letters of a map, and of what is put in: more than any team's topics take."""
_DEEPEST, _USES, _LONGEST = 4, 1_000, 500
_DEFAULT = re.compile(r"^[ \t]*default[ \t]*=[ \t]*[{\[]", re.MULTILINE)
_NAMED = re.compile(r"^[ \t]*(?P<name>\w{1,80})[ \t]*=[ \t]*[{\[]", re.MULTILINE)

_Value = str | Mapping[str, "_Value"] | None


def with_each(text: str) -> str:
    """The text with what all elements have in its place; its lines stay where they are."""
    if "each.value" not in text:
        return text
    parts, at, done, room, maps = list[str](), 0, 0, _MOST, _maps(text)
    for resource in _RESOURCE.finditer(text):
        if resource.start() < done:
            continue
        begins, done = resource.end(), block_end(text, resource.end())
        elements = [*_elements(text, begins, done, maps)] if room > 0 else []
        if elements:
            own = text[begins:done]
            filled = _USE.sub(partial(_common, elements=elements), own, count=_USES)
            room -= max(0, len(filled) - len(own))
            parts += [text[at:begins], filled]
            at = done
    return "".join([*parts, text[at:]])


def _elements(text: str, begins: int, ends: int, maps: Mapping[str, _Value]) -> Iterator[_Value]:
    """The elements of the map of a resource; none where one is not written out."""
    each = _EACH.search(text, begins, ends)
    if each is None:
        return
    here = text[each.start("here") : min(ends, each.start("here") + _MOST)] if each["here"] else ""
    found = _parsed(here) if here else maps.get(each["named"])
    yield from found.values() if isinstance(found, Mapping) else ()


def _maps(text: str) -> dict[str, _Value]:
    """What locals and variables have, as resources refer to it."""
    named = {match["named"] for match in _EACH.finditer(text)}
    places = {name: at for name, at in _places(text).items() if name in named}
    return {name: _parsed(text[at : at + _MOST]) for name, at in places.items()}


def _places(text: str) -> dict[str, int]:
    """Where the maps of locals and variables begin; a given one goes before a default. A name that
    is there twice may be of a map inside another, and is left out."""
    found, given, twice, done = dict[str, int](), dict[str, int](), set[str](), 0
    for variable in VARIABLE.finditer(text):
        if variable.start() >= done:
            done = block_end(text, variable.end())
            match = _DEFAULT.search(text, variable.end(), done)
            found |= {f"var.{variable['name']}": match.end() - 1} if match else {}
    for head, kind in ((LOCALS, "local"), (VARIABLE_FILES, "var")):
        for begins, ends in blocks(text, head):
            for match in _NAMED.finditer(text, begins, ends):
                name = f"{kind}.{match['name']}"
                twice |= {name} & given.keys()
                given[name] = match.end() - 1
    return {name: at for name, at in (found | given).items() if name not in twice}


def _parsed(text: str) -> _Value:
    """A map or a list as a map; None for what is neither, or holds an expression."""
    stack, keys = list[dict[str, _Value]](), list[str]()
    word, key = "", ""
    for token in _TOKEN.finditer(text):
        if token["open"]:
            if len(stack) >= _DEEPEST or word:
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


def _common(use: re.Match[str], elements: Sequence[_Value]) -> str:
    """The value that all elements have there, or the text as it is."""
    name = use["tried"] or use["looked"] or use["named"] or use["quoted"]
    found = list[_Value]()
    for element in elements:
        own = element.get(name) if name and isinstance(element, Mapping) else element
        own = None if own == "null" or (name and not isinstance(element, Mapping)) else own
        found.append(use["default"] if own is None else own)
    first = found[0]
    if first is None or any(other != first for other in found):
        return use[0]
    text = _written(first)
    return text if len(text) <= _LONGEST else use[0]


def _written(value: _Value) -> str:
    if not isinstance(value, Mapping):
        return value or ""
    entries = (f'"{key}" = {_written(own)}' for key, own in value.items())
    return f"{{ {', '.join(entries)} }}"
