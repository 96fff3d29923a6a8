"""Operations that redistribute the records of a partition among tasks.

The tasks of a query write in parallel. So there is no order after such an operation, as with
`minPartitions` (Spark RDD programming guide, Shuffle operations; finding C009). `coalesce` only
merges partitions.
"""

from __future__ import annotations

import re

from advisor.catalog import Component, Problem
from advisor.intake.reading import Reading

_SHUFFLES = re.compile(
    r"\.\s*(repartition(?:ByRange)?|group[Bb]y(?:Key)?|cube|rollup|distinct|orderBy"
    r"|drop_?[Dd]uplicates\w*|(?:reduce|aggregate|fold|combine|sort)By(?:Key)?|cogroup)\s*\("
    # Strings, paths and threads have a `join`, lists a `sort`. A broadcast join does not shuffle.
    r"|(?<![\"'])(?<!path)\.\s*((?:cross)?[jJ]oin)\s*\(\s*(?!\)|\w*[\[{(]|(?:\w+\.)?broadcast\b)"
    r"|\.\s*(sort)\s*\(\s*(?=[\"'$]|(?:\w+\.)?(?:col|desc|asc)\()"
    r"|\bsql\s*\(.*\b(GROUP\s+BY|JOIN|DISTINCT|ORDER\s+BY)\b"
)
_COMMENT = re.compile(r"^\s*(?:#|//|\*|/\*)")
_WORDS = (
    "redistributes records among tasks that write in parallel: there is no order in what they write"
)


def note_shuffles(reading: Reading, text: str) -> None:
    """Notes the first such operation, and marks the reading as unordered."""
    for number, line in enumerate(text.splitlines(), 1):
        match = None if _COMMENT.match(line) else _SHUFFLES.search(line)
        if match and reading.items:
            name = str(match[match.lastindex or 1])
            reading.note(number, f"{name} {_WORDS}")
            message = f"Line {number}: {name} {_WORDS}. No setting restores it"
            reading.unordered = Problem(Component.CONSUMER, name, f"{message}.")
            return
