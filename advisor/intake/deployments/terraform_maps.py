"""Maps that Terraform puts together: `config = merge(local.defaults, { … })`, and a local alone.

Of two maps the later one's value counts (Terraform, Functions, `merge`). Only locals and variables
of the same text are filled in, whose values are written there; the lines of the text stay where
they are. What files of variables give stands in a block of its own (`GIVEN`), and goes before what
a variable has by default (Terraform, Input Variables, `-var-file`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

_PLAIN_CALL = re.compile(r"\bto(?:string|number|bool)\([ \t]*([^()\n]{1,120}?)[ \t]*\)")
"""A function that changes nothing of what is written."""
GIVEN = "given_variables"
"""The block that files of variables are put into: no file of Terraform's has one."""
LOCALS, VARIABLE_FILES = (
    re.compile(rf"^[ \t]*{head}[ \t]*\{{", re.MULTILINE) for head in ("locals", GIVEN)
)
VARIABLE = re.compile(r"^[ \t]*variable[ \t]+\"(?P<name>\w{1,80})\"[ \t]*\{", re.MULTILINE)
_MAP = re.compile(
    r"^[ \t]*(?P<name>\w{1,80})[ \t]*=[ \t]*\{(?P<body>[^{}]{0,5000})\}", re.MULTILINE
)
_ENTRY = re.compile(
    r"^[ \t]*\"?(?P<name>[A-Za-z][\w.]{0,80})\"?[ \t]*[=:](?!=)[ \t]*"
    r"(?P<value>\"[^\"\n$]{0,200}\"|[\w.*+ \t-]{1,120}?)[ \t]*$"
)
_CONFIG = re.compile(
    r"(?P<head>^[ \t]*config[ \t]*=[ \t]*)(?:(?P<alone>(?:local|var)\.\w{1,80})[ \t]*$"
    r"|merge\((?P<arguments>[^()]{1,5000})\))",
    re.MULTILINE,
)
_ARGUMENT = re.compile(r"\s*(?:(?P<named>(?:local|var)\.\w{1,80})|\{(?P<own>[^{}]*)\})\s*(?:,|\Z)")
_NAME = re.compile(r"\"?([A-Za-z][\w.]{0,80})\"?[ \t]*[=:](?!=)")
_MOST = 100_000
"""How many letters are filled in: more than any team has."""
_BRACE = re.compile(r"[{}]")
_Entries = Mapping[str, str]


def with_maps(text: str) -> str:
    """The text with what such a map holds in its place; one that cannot be followed stays."""
    text = _PLAIN_CALL.sub(r"\1", text)
    if not _CONFIG.search(text):
        return text
    maps, room = _maps(text), _MOST

    def filled(match: re.Match[str]) -> str:
        nonlocal room
        parts = _parts(match["arguments"] or match["alone"], maps)
        inside = _merged(parts) if parts is not None and room > 0 else None
        if inside is None:
            return match[0]
        room -= len(inside)
        lines = match[0].count("\n") - inside.count("\n")
        return f"{match['head']}{{ {inside} }}" + "\n" * lines

    return _CONFIG.sub(filled, text)


def variable_map_place(text: str) -> int | None:
    """Where a map is first put together of one that a variable has."""
    found = (match.start() for match in _CONFIG.finditer(text) if "var." in match[0])
    return next(found, None)


def blocks(text: str, head: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Where the inside of each block begins and ends."""
    at = 0
    while block := head.search(text, at):
        at = block_end(text, block.end())
        yield block.end(), at


def plain_lines(text: str, head: re.Pattern[str]) -> Iterator[str]:
    """The lines of each block, without what is inside of a value."""
    for begins, ends in blocks(text, head):
        depth, kept = 0, list[str]()
        for part in re.split(r"([{}])", text[begins:ends]):
            depth += {"{": 1, "}": -1}.get(part, 0)
            kept += [part] if depth == 0 and part != "}" else []
        yield "".join(kept)


def _maps(text: str) -> dict[str, _Entries]:
    """The maps of locals and variables as they are referred to, where each entry is written out."""
    found, twice = dict[str, _Entries | None](), set[str]()
    for begins, ends in blocks(text, LOCALS):
        for match in _MAP.finditer(text, begins, ends):
            name = f"local.{match['name']}"
            twice |= {name} & found.keys()
            found[name] = _entries(match["body"])
    for variable in VARIABLE.finditer(text):
        for match in _MAP.finditer(text, variable.end(), block_end(text, variable.end())):
            if match["name"] == "default":
                found[f"var.{variable['name']}"] = _entries(match["body"])
    for begins, ends in blocks(text, VARIABLE_FILES):
        for match in _MAP.finditer(text, begins, ends):
            found[f"var.{match['name']}"] = _entries(match["body"])
    return {name: own for name, own in found.items() if own is not None and name not in twice}


def block_end(text: str, begins: int) -> int:
    """Where a block ends whose inside begins here."""
    depth = 1
    for brace in _BRACE.finditer(text, begins):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return len(text)


def _entries(body: str) -> _Entries | None:
    """The entries of a map; None where one is not written out."""
    found = dict[str, str]()
    for line in body.splitlines():
        for part in re.split(r"#|//", line)[0].split(","):
            entry = _ENTRY.match(part)
            if entry is None and part.strip():
                return None
            if entry:
                found[entry["name"]] = entry["value"].strip()
    return found


def _parts(arguments: str, maps: Mapping[str, _Entries]) -> list[_Entries | str] | None:
    """The maps that are merged: the entries of one with a name, or the text of one that is here."""
    arguments = arguments.rstrip().removesuffix(",")
    parts, at = list[_Entries | str](), 0
    while at < len(arguments):
        match = _ARGUMENT.match(arguments, at)
        if match is None or (match["named"] and match["named"] not in maps):
            return None
        parts.append(maps[match["named"]] if match["named"] else match["own"])
        at = match.end()
    return parts


def _merged(parts: Sequence[_Entries | str]) -> str:
    """The entries of all parts, each without what a later one states."""
    texts, later = list[str](), set[str]()
    for part in reversed(parts):
        if isinstance(part, str):
            # Of what is written here each entry stays on its line, so it is the last part or has
            # nothing that a later one has.
            names = {*_NAME.findall(part)}
            texts.append(part if not names & later else _without(part, later))
            later |= names
        else:
            texts.append(_written({name: part[name] for name in part if name not in later}))
            later |= part.keys()
    return ", ".join(reversed(texts))


def _without(part: str, names: set[str]) -> str:
    """A map's text without the entries of these names."""
    lines = [
        ",".join(
            entry for entry in line.split(",")
            if not ((name := _NAME.match(entry.strip())) and name[1] in names)
        )
        for line in part.split("\n")
    ]  # fmt: skip
    return "\n".join(lines)


def _written(entries: _Entries) -> str:
    return ", ".join(f'"{name}" = {value}' for name, value in entries.items())
