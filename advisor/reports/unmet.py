"""What is impossible: each wish, reason and alternative once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

from advisor.reasoning.answer import Column
from advisor.reasoning.impossible import Impossible
from advisor.reports.reasons import SENTENCES


def merged(column: Column) -> Column:
    """Returns the column with one entry for each wish. Several failures may prevent one, with the
    same reason or the same alternative."""
    wishes = dict[tuple[str, bool], list[Impossible]]()
    for entry in column.impossible:
        wishes.setdefault((entry.wish, entry.only_waits), []).append(entry)
    return replace(column, impossible=tuple(map(_merged, wishes.values())))


def _merged(entries: list[Impossible]) -> Impossible:
    return replace(
        entries[0],
        why=" ".join(_once(SENTENCES.split(entry.why) for entry in entries)),
        nearest=" ".join(_once(SENTENCES.split(entry.nearest) for entry in entries)),
        source="; ".join(_once(entry.source.split("; ") for entry in entries)),
    )


def _once(parts: Iterable[list[str]]) -> list[str]:
    return list(dict.fromkeys(chain.from_iterable(parts)))
