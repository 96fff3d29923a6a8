"""Operations that deal the records of a partition out anew among tasks.

The tasks of a query write side by side, so that there is no order in what is behind such an
operation, as with `minPartitions` (Spark RDD programming guide, Shuffle operations; finding C009).
`coalesce` only puts partitions together.
"""

from __future__ import annotations

import re

from advisor.catalog import Component, Problem
from advisor.intake.reading import Reading

_SHUFFLES = re.compile(
    r"\.\s*(repartition(?:ByRange)?|group[Bb]y(?:Key)?|cube|rollup|distinct|orderBy"
    r"|drop_?[Dd]uplicates\w*|(?:reduce|aggregate|fold|combine|sort)By(?:Key)?|cogroup)\s*\("
    # Texts, paths and threads have a `join`, lists a `sort`; a broadcast table comes to the rows.
    r"|(?<![\"'])(?<!path)\.\s*((?:cross)?[jJ]oin)\s*\(\s*(?!\)|\w*[\[{(]|(?:\w+\.)?broadcast\b)"
    r"|\.\s*(sort)\s*\(\s*(?=[\"'$]|(?:\w+\.)?(?:col|desc|asc)\()"
    r"|\bsql\s*\(.*\b(GROUP\s+BY|JOIN|DISTINCT|ORDER\s+BY)\b"
)
_COMMENT = re.compile(r"^\s*(?:#|//|\*|/\*)")
_WORDS = (
    "deals records out anew among tasks that write side by side: there is no order in what they "
    "write"
)


def tell(reading: Reading, text: str) -> None:
    """Notes the first such operation, and that no order can be asked for behind it."""
    for number, line in enumerate(text.splitlines(), 1):
        match = None if _COMMENT.match(line) else _SHUFFLES.search(line)
        if match and reading.items:
            name = str(match[match.lastindex or 1])
            reading.note(number, f"{name} {_WORDS}")
            message = f"Line {number}: {name} {_WORDS}. No setting gives it back"
            reading.unordered = Problem(Component.CONSUMER, name, f"{message}.")
            return
