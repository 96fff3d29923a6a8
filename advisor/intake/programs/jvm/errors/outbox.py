"""The outbox pattern: rows of a query are sent, and marked as sent only after that.

A row whose send fails stays as it is, and the next query has it again.
"""

from __future__ import annotations

import re

from advisor.intake.programs.jvm.errors.handlers import swallowing_handlers
from advisor.intake.programs.jvm.text import Block, Text

_QUERIED_ITEM = re.compile(r"\bfor\s*\([^;{}]*?\b(\w+)\s*(?::|\bin\b|<-)[^;{}]*\(")
"""The name of each item in a loop over the result of a call."""
_MARK = (
    r"\bsend\b[^{{}}]*\b(?:(?:mark|confirm|delete|remove|updateSt)\w*\s*\([^;{{}}]*\b{0}\b"
    r"|{0}\s*\.\s*(?:mark\w*|set(?:Sent|Status|State|Published|Processed|Done))\w*\s*\()"
)


def leaves_unsent_rows(text: Text) -> bool:
    """Whether the program marks a row of a query as sent only after its send."""
    return any(
        marks_as_sent(text, handler.attempt)
        for handler in swallowing_handlers(text, in_function=True)
    )


def marks_as_sent(text: Text, attempt: Block) -> bool:
    """Whether an attempt sends an item of a query, and marks it after that. The records of a
    consumer are no such items: a poll does not return them again."""
    if ".poll(" in text.plain:
        return False
    items = [match[1] for _, _, head in text.around(attempt[0])
             if (match := _QUERIED_ITEM.search(head))]  # fmt: skip
    return any(re.compile(_MARK.format(item)).search(text.plain, *attempt) for item in items)
