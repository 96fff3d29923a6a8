"""Aggregations of a stream that Spark does not start.

With the output mode append, which is the default, a row is written once and never changed. Spark
knows that a group gets no more rows only by a watermark (UnsupportedOperationChecker.scala).
"""

from __future__ import annotations

import re

from advisor.catalog import Component
from advisor.intake.reading import Reading
from advisor.intake.spark.partial_streams import of_streams, text_of
from advisor.intake.text import line_of

_GROUPING = re.compile(r"\.\s*(?:group_?[bB]y|groupByKey|cube|rollup|agg)\s*\(")
_AGGREGATE = re.compile(r"[\s\\]*\.\s*(?:agg|count|sum|avg|mean|max|min|pivot|reduceGroups)\s*\(")
_OTHER_MODE = re.compile(
    r"(?i)outputMode\s*\(\s*(?:[\"'](?:complete|update)|OutputMode\s*\.\s*[CU])"
)
_WATERMARK = re.compile(r"\bwithWatermark\b")
_WORDS = (
    "Append output mode not supported when there are streaming aggregations on streaming "
    "DataFrames/DataSets without watermark: Spark does not start. State the output mode update or "
    "complete, or a watermark"
)


def refuse_aggregation(reading: Reading, code: str) -> None:
    """Adds a problem for an aggregation of a stream without a watermark, if every query of the code
    appends."""
    if _OTHER_MODE.search(code) or _WATERMARK.search(code) or ".writeStream" not in code:
        return
    text = text_of(code)
    for match in of_streams(text, _GROUPING.finditer(text.plain)):
        is_whole = match[0].strip(". (\t\n") == "agg"
        if is_whole or _AGGREGATE.match(text.plain, text.closed(match.end())):
            line = line_of(code, match.start())
            reading.add_problem(Component.APPLICATION, "output.mode", line, _WORDS)
            return
