"""Objects of the file's own classes that a record is handed to: `new Worker(r).run()`.

Their fields stand for the record in the methods of the class, which take no parameter of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from itertools import islice

from advisor.intake.programs.jvm.text import CLASS, Block, Text

_MOST = 30
_OF_EACH = (
    r"\bmap\s*[({{]\s*(?:new\s+|::)?{0}\s*(?:::\s*new|\.\s*apply|\(\s*(?:_|it)\s*\))?\s*[)}}]"
)
"""A chain of calls that makes an object of each: `map(Worker::new)`, `map(new Worker(_))`."""
_FIELD = re.compile(r"\bthis\s*\.\s*(\w+)\s*=(?!=)")


def fields_holding_records(
    text: Text, body: Block, names: Collection[str], span: Block
) -> set[str]:
    """The fields of the class that a method is of, if an object of it is made with one of these
    names between two places."""
    for start, end, head in reversed(text.around(body[0])):
        if match := CLASS.search(head):
            is_made = _is_made_of(text.plain, match[1], frozenset(names), span)
            return _of_class(text, match[1], (start, end)) if is_made else set()
    return set()


@lru_cache(maxsize=64)
def _is_made_of(plain: str, name: str, names: frozenset[str], span: Block) -> bool:
    """Whether an object of a class is made with one of these names between two places."""
    made = re.compile(rf"\b{name}\s*(?:<[\w<>?, ]{{0,60}}>)?\s*\([^;{{}}\n]{{0,200}}")
    given = (call[0] for call in islice(made.finditer(plain, *span), _MOST))
    is_given = any(not names.isdisjoint(re.findall(r"\w+", argument)) for argument in given)
    return is_given or re.compile(_OF_EACH.format(name)).search(plain, *span) is not None


def _of_class(text: Text, name: str, block: Block) -> set[str]:
    found = {*text.parameters(block), *_FIELD.findall(text.plain, *block)}
    for body in text.bodies(name):
        found.update(text.parameters(body))
    return found
