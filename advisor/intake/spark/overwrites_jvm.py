"""Functions of `foreachBatch` in Scala or Java that overwrite what they wrote before.

The counterpart of `overwrites`, which is for Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.intake.programs.jvm.text import Block, Text
from advisor.intake.spark.overwrites import (
    COMPLETE_RESULT,
    OTHER_STATEMENT,
    PARTITION_MODE,
    REPLACING_CALLS,
    REPLACING_SQL,
)

_REST = r"(?P<rest>[^;{}\n]*(?:\n\s*\.[^;{}\n]*)*)"
_MODE = re.compile(
    r"\.\s*mode\s*\(\s*(?:\w+\s*\.\s*)*(?:\"(?:overwrite|ignore)\"|Overwrite|Ignore)\s*\)" + _REST
)
_REPLACING = re.compile(
    rf"\.\s*writeTo\s*\((?P<rest>[^;{{}}]{{0,300}}?)\.\s*(?:{'|'.join(REPLACING_CALLS)})\s*\("
)
_STATEMENT = re.compile(r"\b(?:sql|execute\w*)\s*\(\s*(?P<text>s?\"+[^\"]*)?")
_ADDS_OTHER_ROWS = re.compile(r"\.\s*(?:merge|union(?:All|ByName)?)\s*\(")
_SQL_CALL = re.compile(r"\bsql\s*\(")
_BATCH_ID = r"(?i:batch|epoch|\bid\b)"
_SECOND_PARAMETER = re.compile(
    r"\(?\s*(?:[\w<>.]+\s+)?\w+\s*(?::\s*[\w.\[\]]+\s*)?,\s*(?:[\w.]+\s+)?(?P<name>\w+)\s*"
    r"(?::\s*[\w.]+\s*)?\)?\s*(?:=>|->)"
)
_CONDITION = re.compile(r"\bif\s*\([^;{}]*")
_LOOKED_BACK = 400


def overwriting_offset(text: Text, code: str, bodies: list[Block]) -> int:
    """The first offset where a batch overwrites what other batches wrote; -1 without one. `bodies`
    are those of the function that is called with batches, and of the methods that it calls."""
    if COMPLETE_RESULT.search(code):
        return -1
    offsets = [at for body in bodies for at in _offsets(text, code, body, bodies)]
    return min(offsets, default=-1)


def _offsets(text: Text, code: str, body: Block, bodies: list[Block]) -> Iterator[int]:
    batch_id = re.compile("|".join([_BATCH_ID, *(rf"\b{name}\b" for name in _ids(text, body))]))
    for call in _SQL_CALL.finditer(code, *body):
        statement = REPLACING_SQL.search(code, call.end(), min(body[1], call.end() + 300))
        if statement and not batch_id.search(code, call.end(), text.closed(call.end())):
            yield call.start()
    if any(_adds_other_rows(code, inner) for inner in bodies):
        return
    for pattern in (_MODE, _REPLACING):
        for match in pattern.finditer(code, *body):
            start = max(body[0], match.start() - _LOOKED_BACK)
            before = re.split(r"[;{}]|\n(?!\s*\.)", code[start : match.start()])[-1]
            place = match["rest"] + (before if PARTITION_MODE in code else "")
            heads = [head for at, _, head in text.around(match.start()) if at > body[0]]
            conditions = (_CONDITION.search(head) for head in (before, *heads))
            is_conditional = any(match and batch_id.search(match[0]) for match in conditions)
            if not is_conditional and not batch_id.search(place):
                yield match.start()


def _ids(text: Text, body: Block) -> list[str]:
    """The names of the parameter that holds the number of a batch."""
    if text.named(body):
        return text.parameters(body)[1:]
    function = _SECOND_PARAMETER.search(text.plain, max(0, body[0]), body[1])
    return [function["name"]] if function else []


def _adds_other_rows(code: str, body: Block) -> bool:
    """Whether a body may read or keep the rows of other batches."""
    statements = _STATEMENT.finditer(code, *body)
    return bool(_ADDS_OTHER_ROWS.search(code, *body)) or any(
        not match["text"] or not OTHER_STATEMENT.match(match["text"]) for match in statements
    )
