"""Maps that Terraform merges: `config = merge(local.defaults, { … })`, or a single local.

Of two maps, the later one's value counts (Terraform, Functions, `merge`). Only locals and variables
of the same text with literal values are filled in; line numbers do not change. The values of files
of variables are in a block of their own (`GIVEN`), and override the defaults of variables
(Terraform, Input Variables, `-var-file`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

_CONVERSION = re.compile(r"\bto(?:string|number|bool)\([ \t]*([^()\n]{1,120}?)[ \t]*\)")
"""A conversion, which does not change a value as it is written."""
GIVEN = "given_variables"
"""The block for the values of files of variables: Terraform itself has no such block."""
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
_ARGUMENT = re.compile(r"\s*(?:(?P<named>(?:local|var)\.\w{1,80})|\{(?P<body>[^{}]*)\})\s*(?:,|\Z)")
_NAME = re.compile(r"\"?([A-Za-z][\w.]{0,80})\"?[ \t]*[=:](?!=)")
_MAX_FILLED = 100_000
"""The maximum number of characters that are filled in: more than any team needs."""
_BRACE = re.compile(r"[{}]")
_Entries = Mapping[str, str]


def with_maps(text: str) -> str:
    """The text with such maps filled in; one whose values are unknown stays."""
    text = _CONVERSION.sub(r"\1", text)
    if not _CONFIG.search(text):
        return text
    maps, remaining = _maps(text), _MAX_FILLED

    def filled(match: re.Match[str]) -> str:
        nonlocal remaining
        parts = _parts(match["arguments"] or match["alone"], maps)
        inside = _merged(parts) if parts is not None and remaining > 0 else None
        if inside is None:
            return match[0]
        remaining -= len(inside)
        lines = match[0].count("\n") - inside.count("\n")
        return f"{match['head']}{{ {inside} }}" + "\n" * lines

    return _CONFIG.sub(filled, text)


def variable_map_place(text: str) -> int | None:
    """The offset of the first map that is merged with a variable's; None if there is none."""
    starts = (match.start() for match in _CONFIG.finditer(text) if "var." in match[0])
    return next(starts, None)


def blocks(text: str, head: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yields the start and the end of the body of each block."""
    at = 0
    while block := head.search(text, at):
        at = block_end(text, block.end())
        yield block.end(), at


def plain_lines(text: str, head: re.Pattern[str]) -> Iterator[str]:
    """Yields the lines of each block, without the contents of nested braces."""
    for begins, ends in blocks(text, head):
        depth, lines = 0, list[str]()
        for part in re.split(r"([{}])", text[begins:ends]):
            depth += {"{": 1, "}": -1}.get(part, 0)
            lines += [part] if depth == 0 and part != "}" else []
        yield "".join(lines)


def _maps(text: str) -> dict[str, _Entries]:
    """The maps of locals and variables, by reference, if each of their entries is a literal."""
    maps, repeated = dict[str, _Entries | None](), set[str]()
    for begins, ends in blocks(text, LOCALS):
        for match in _MAP.finditer(text, begins, ends):
            name = f"local.{match['name']}"
            repeated |= {name} & maps.keys()
            maps[name] = _entries(match["body"])
    for variable in VARIABLE.finditer(text):
        for match in _MAP.finditer(text, variable.end(), block_end(text, variable.end())):
            if match["name"] == "default":
                maps[f"var.{variable['name']}"] = _entries(match["body"])
    for begins, ends in blocks(text, VARIABLE_FILES):
        for match in _MAP.finditer(text, begins, ends):
            maps[f"var.{match['name']}"] = _entries(match["body"])
    return {
        name: entries
        for name, entries in maps.items()
        if entries is not None and name not in repeated
    }


def block_end(text: str, begins: int) -> int:
    """The offset of the closing brace of a block whose body begins at `begins`."""
    depth = 1
    for brace in _BRACE.finditer(text, begins):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return len(text)


def _entries(body: str) -> _Entries | None:
    """The entries of a map; None if one is not a literal."""
    entries = dict[str, str]()
    for line in body.splitlines():
        for part in re.split(r"#|//", line)[0].split(","):
            match = _ENTRY.match(part)
            if match is None and part.strip():
                return None
            if match:
                entries[match["name"]] = match["value"].strip()
    return entries


def _parts(arguments: str, maps: Mapping[str, _Entries]) -> list[_Entries | str] | None:
    """The arguments of `merge`: the entries of a named map, or the text of a literal one; None if a
    named map is unknown."""
    arguments = arguments.rstrip().removesuffix(",")
    parts, at = list[_Entries | str](), 0
    while at < len(arguments):
        match = _ARGUMENT.match(arguments, at)
        if match is None or (match["named"] and match["named"] not in maps):
            return None
        parts.append(maps[match["named"]] if match["named"] else match["body"])
        at = match.end()
    return parts


def _merged(parts: Sequence[_Entries | str]) -> str:
    """The entries of all parts, each without the names that a later part sets."""
    texts, later = list[str](), set[str]()
    for part in reversed(parts):
        if isinstance(part, str):
            # Each entry of a literal map stays on its line, so this is the last part, or it has no
            # name that a later part has.
            names = {*_NAME.findall(part)}
            texts.append(part if not names & later else _without(part, later))
            later |= names
        else:
            texts.append(_literal({name: part[name] for name in part if name not in later}))
            later |= part.keys()
    return ", ".join(reversed(texts))


def _without(part: str, names: set[str]) -> str:
    """The text of a map without the entries with these names."""
    lines = [
        ",".join(
            entry for entry in line.split(",")
            if not ((name := _NAME.match(entry.strip())) and name[1] in names)
        )
        for line in part.split("\n")
    ]  # fmt: skip
    return "\n".join(lines)


def _literal(entries: _Entries) -> str:
    return ", ".join(f'"{name}" = {value}' for name, value in entries.items())
