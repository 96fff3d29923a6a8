"""Formats the facts of a product at several versions as one file: small, sorted, diffable."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from advisor.catalog.facts import Raw

Answers = Mapping[str, Mapping[str, Raw]]
"""The facts by line of the product (oldest first), then by setting."""


def text(
    source: str, examined: Mapping[str, str], answers: Answers, documentation: str = ""
) -> str:
    """The text of the file of one product.

    `source` is what was read, `examined` the release by line, and `documentation` the source of
    types and defaults if the product itself does not have them.
    """
    head: Raw = {"generated": "make catalog", "source": source, "examined": examined}
    if documentation:
        head["documentation"] = documentation
    names = sorted({name for settings in answers.values() for name in settings})
    return "".join(f"{_json(row)}\n" for row in [head, *(_row(name, answers) for name in names)])


def _row(name: str, answers: Answers) -> Raw:
    """The row of one setting: for each line only the differences from the previous line."""
    row: Raw = {"name": name}
    before: Raw | None = None
    for line, settings in answers.items():
        now = settings.get(name)
        if not _same(now, before):
            row[line] = now if before is None or now is None else dict(_changes(before, now))
        before = now
    return row


def _changes(before: Raw, now: Raw) -> Iterator[tuple[str, object]]:
    for key in [*now, *(key for key in before if key not in now)]:
        if not _same(before.get(key), now.get(key)):
            yield key, now.get(key)


def _same(one: object, other: object) -> bool:
    # In Python True == 1, but in the file they differ.
    return one == other and _json(one) == _json(other)


def _json(row: object) -> str:
    return json.dumps(row)
