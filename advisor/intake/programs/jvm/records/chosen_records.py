"""Loops over polled records that only choose one of them, which is processed after the loop:
`for (r : records) { if (latest == null || r.timestamp() > latest.timestamp()) latest = r; }`.

The other records are skipped, since the next commit covers all of them (KafkaConsumer javadoc).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

from advisor.intake.programs.jvm.records.derived_names import derived_from, log_arguments
from advisor.intake.programs.jvm.records.record_loops import record_loops
from advisor.intake.programs.jvm.text import Block, Text, blanked

_MOST = 40
_CHOICE = r"(?<=[;{{}}\n])[ \t]*(?P<target>[a-z]\w*)\s*=(?!=)\s*(?:{0})\s*(?=[;\n}}])"
_IF = re.compile(r"\bif\s*\(")
_COORDINATE = r"(?:\s*(?:\?|!!)?\s*\.\s*(?:offset|topic|partition|timestamp)\b|\s*[!=]=)"


def chosen_records(text: Text, names: Collection[str], span: Block) -> Iterator[int]:
    """Yields the place of each choice of one record of these names in a span."""
    for name, body in islice(record_loops(text, names, span), _MOST):
        derived = derived_from(text, {name}, body) if name else []
        known = "|".join([name, *(other.name for other in derived if other.is_extracted)])
        choices = [*re.compile(_CHOICE.format(known)).finditer(text.plain, *body)] if name else []
        if not choices:
            continue
        spans = [choice.span() for choice in choices] + [other.span for other in derived]
        spans += [(head.start(), text.closed(head.end()))
                  for head in islice(_IF.finditer(text.plain, *body), _MOST)]  # fmt: skip
        spans += log_arguments(text, body)
        targets = "|".join({choice["target"] for choice in choices})
        rest = blanked(text.plain[slice(*body)], [(a - body[0], b - body[0]) for a, b in spans])
        if not re.search(rf"\b(?:{known}|{targets})\b", rest) and _is_processed(
            text, targets, (body[1], span[1])
        ):
            yield choices[0].start("target")


def _is_processed(text: Text, names: str, span: Block) -> bool:
    """Whether a span uses more of a record than its coordinates, other than in a log."""
    logged = [*log_arguments(text, span)]
    uses = re.compile(rf"\b(?:{names})\b(?!{_COORDINATE})").finditer(text.plain, *span)
    return any(not any(a < use.start() < b for a, b in logged) for use in islice(uses, _MOST))
