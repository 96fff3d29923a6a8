"""Polled records of which JVM code keeps one for each key: `rs.associateBy { it.key() }`.

The others are never processed: the position of the consumer is after all the records that `poll()`
returned (KafkaConsumer javadoc). Two records may have the same key.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

from advisor.intake.programs.jvm.records.derived_names import log_arguments
from advisor.intake.programs.jvm.records.partial_polls import partial_reads
from advisor.intake.programs.jvm.records.record_loops import record_loops
from advisor.intake.programs.jvm.text import Block, Text, blanked

_MOST = 40
_KEY = r"(?![^{}\n]{0,120}\boffset\b)[^{};\n]{0,80}?\bkey\b"
"""A function that returns the key of a record, without its offset."""
_BY_KEY = re.compile(
    rf"\bassociate(?:By|ByTo)?\s*[({{]{_KEY}"
    rf"|\bmap\s*[({{][^{{}};\n]{{0,40}}\{{?{_KEY}[^{{}}\n]{{0,40}}\}}?\s*[)}}]\s*\.\s*toMap\b"
    rf"|\btoMap\s*\({_KEY}[^;\n]{{0,120}}\(?\s*\b(?P<one>\w+)\s*,\s*(?P<other>\w+)\s*\)\s*->\s*"
    r"\{?\s*(?:return\s+)?(?:(?P=one)|(?P=other))\s*;?\s*\}?\s*\)"
)
"""A map of the records by their keys, in which one takes the place of another."""
_GROUPING = re.compile(rf"\b(?:groupBy|groupingBy)\s*[({{]{_KEY}[^{{}};\n]{{0,40}}[)}}]")
_LAMBDA = re.compile(r"[({]\s*\(?\s*(?:[\w.]+\s*,\s*)?(?P<name>\w+)\s*\)?\s*[-=]>")
_WITHOUT_NAME = re.compile(
    r"[({]\s*(?:it|_)(?:\.value)?\s*\.\s*(?:first|last|head|(?:max|min)By)\w*|::(?:first|last)\b"
)
_PUT = (
    r"\b(?P<map>\w+)\s*(?:\.\s*put\s*\(\s*{0}\s*\.\s*key\b\s*(?:\(\s*\))?\s*,\s*{0}\b[^;{{}}]{{0,40}}\)"
    r"|\[\s*{0}\s*\.\s*key\b\s*(?:\(\s*\))?\s*\]\s*=\s*{0}\b[^;{{}}\n]{{0,40}})"
)
_NEW_MAP = r"\b{0}\b[^;={{}}]{{0,80}}=\s*(?:new\s+\w*Map\b|\w*[mM]apOf\b|\w*\.?Map\b)"
_ITERATED = r"\b{0}\s*\.\s*(?:values|forEach|entrySet|entries|foreach)\b|\b(?:in|:|<-)\s*{0}\b"


def latest_by_key(text: Text, names: Collection[str], span: Block) -> Iterator[int]:
    """Yields the places in a span where only one of the records of these names with the same key
    goes on."""
    records = re.compile(rf"\b(?:{'|'.join(sorted(names)) or '(?!)'})\b")
    for match in _BY_KEY.finditer(text.plain, *span):
        if records.search(text.line_to(match.start())):
            yield match.start()
    for match in islice(_GROUPING.finditer(text.plain, *span), _MOST):
        if records.search(text.line_to(match.start())):
            yield from _parts_of_groups(text, match.end())
    for name, body in islice(record_loops(text, names, span), _MOST):
        yield from _overwritten(text, name, body, span) if name else ()


def _parts_of_groups(text: Text, at: int) -> Iterator[int]:
    """Yields where the rest of a statement reads a part of each group, and never the others."""
    end = text.statement(at)[1]
    if _WITHOUT_NAME.search(text.plain, at, end):
        yield at
    for function in islice(_LAMBDA.finditer(text.plain, at, end), _MOST):
        yield from partial_reads(text, [function["name"]], (function.end(), end))


def _overwritten(text: Text, name: str, body: Block, span: Block) -> Iterator[int]:
    """Yields where a loop does nothing with a record but to put it into a map by its key, from
    which the records are processed after the loop."""
    put = re.compile(_PUT.format(name)).search(text.plain, *body)
    if put is None:
        return
    spans = [put.span(), *log_arguments(text, body)]
    rest = blanked(text.plain, spans)[body[0] : body[1]]
    is_new = re.compile(_NEW_MAP.format(put["map"])).search(text.plain, span[0], body[0])
    is_used = re.compile(_ITERATED.format(put["map"])).search(text.plain, body[1], span[1])
    if is_new and is_used and not re.search(rf"\b{name}\b", rest):
        yield put.start()
