"""Objects of classes in the file to which a record is passed: `new Worker(r).run()`.

Their fields stand for the record in the methods of the class, which do not take it as a parameter.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from itertools import islice

from advisor.intake.programs.jvm.text import CLASS, Block, Text

_MOST = 30
_MAP_TO_OBJECT = (
    r"\bmap\s*[({{]\s*(?:new\s+|::)?{0}\s*(?:::\s*new|\.\s*apply|\(\s*(?:_|it)\s*\))?\s*[)}}]"
)
"""A call that creates an object from each record: `map(Worker::new)`, `map(new Worker(_))`."""
_FIELD_ASSIGNMENT = re.compile(r"\bthis\s*\.\s*(\w+)\s*=(?!=)")


def fields_holding_records(
    text: Text, body: Block, names: Collection[str], span: Block
) -> set[str]:
    """Returns the fields of the class of a method, if a span passes one of these names to its
    constructor."""
    for start, end, head in reversed(text.around(body[0])):
        if match := CLASS.search(head):
            is_constructed = _is_constructed_with(text.plain, match[1], frozenset(names), span)
            return _class_fields(text, match[1], (start, end)) if is_constructed else set()
    return set()


@lru_cache(maxsize=64)
def _is_constructed_with(plain: str, name: str, names: frozenset[str], span: Block) -> bool:
    """Whether a span passes one of these names to the constructor of a class."""
    constructor = re.compile(rf"\b{name}\s*(?:<[\w<>?, ]{{0,60}}>)?\s*\([^;{{}}\n]{{0,200}}")
    calls = (call[0] for call in islice(constructor.finditer(plain, *span), _MOST))
    is_passed = any(not names.isdisjoint(re.findall(r"\w+", call)) for call in calls)
    return is_passed or re.compile(_MAP_TO_OBJECT.format(name)).search(plain, *span) is not None


def _class_fields(text: Text, name: str, block: Block) -> set[str]:
    fields = {*text.parameters(block), *_FIELD_ASSIGNMENT.findall(text.plain, *block)}
    for body in text.bodies(name):
        fields.update(text.parameters(body))
    return fields
