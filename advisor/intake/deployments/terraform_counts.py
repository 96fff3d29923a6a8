"""Resources of Terraform that may create nothing: `count = 0`, or `for_each = {}`.

Source: Terraform, "The count Meta-Argument" and "The for_each Meta-Argument". A literal, a local
and the default of a variable decide. A condition (`count = var.enabled ? 1 : 0`) is noted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from advisor.intake.absent_files import absence
from advisor.intake.deployments.terraform_maps import block_end
from advisor.intake.reading import Reading
from advisor.intake.text import line_of

RESOURCE = re.compile(
    r"^[ \t]*resource[ \t]+\"\w{1,80}\"[ \t]+\"[^\"\n]{1,200}\"[ \t]*\{", re.MULTILINE
)
_NUMBER = re.compile(
    r"^[ \t]*(?P<name>count|for_each)[ \t]*=[ \t]*(?P<value>[^\n]{1,500})", re.MULTILINE
)
_EMPTY = re.compile(r"(?:toset\()?[ \t]*(?:\{[ \t]*\}|\[[ \t]*\])[ \t]*\)?")
_CONDITION = re.compile(r"\?[^\n]*(?<!\w)(?:0|\{[ \t]*\}|\[[ \t]*\])(?!\w)")
_COMMENT = re.compile(r"[ \t]*(?:#|//).*$")


def without_unmade(reading: Reading, text: str, known: Mapping[str, str]) -> str:
    """Returns the text without the resources that create nothing; line numbers do not change.
    `known` holds the literal values of locals and variables by reference."""
    parts, at = list[str](), 0
    for resource in RESOURCE.finditer(text):
        if resource.start() < at:
            continue
        end = block_end(text, resource.end())
        number = _own(text, resource.end(), end)
        if number is None:
            continue
        value = _COMMENT.sub("", number["value"]).strip()
        counted = known.get(value, value).strip('"')
        line = line_of(text, number.start())
        if counted == "0" or _EMPTY.fullmatch(value):
            given = " unless it is given another value" if counted != value else ""
            reading.note(line, f"{number['name']}: Terraform creates nothing of this{given}")
            parts += [text[at : resource.start()], "\n" * text.count("\n", resource.start(), end)]
            at = end + 1
        elif _CONDITION.search(value):
            words = f"{number['name']}: Terraform computes whether it creates this"
            reading.note(line, absence(words))
    return "".join([*parts, text[at:]])


def _own(text: str, begins: int, ends: int) -> re.Match[str] | None:
    """The count or for_each of a resource, and not that of a block in it."""
    depth, at = 0, begins
    for match in _NUMBER.finditer(text, begins, ends):
        start = match.start()
        depth, at = depth + text.count("{", at, start) - text.count("}", at, start), start
        if depth == 0:
            return match
    return None
