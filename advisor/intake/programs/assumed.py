"""Whether a file is a program, and what of an answer then rests on its code.

A program is read for what breaks a guarantee. No reading of a text shows that nothing does: a
function of another file may drop a record. So what the text does not show stays assumed, and an
answer that rests on it says so.
"""

from __future__ import annotations

import re

NOTE = (
    "The program was read for what loses or repeats records. Nothing found is no proof that there "
    "is nothing: what its code does not show is assumed."
)
"""Said of a program that was read."""

OF_CODE = frozenset(
    {
        "abort", "commit", "commit.order", "delivery.errors", "processing", "processing.errors",
        "resend",
    }
)  # fmt: skip
"""Facts of the application that its code decides and no configuration states."""

_KINDS = frozenset({"java-code", "python-dict", "spark-options"})
"""Kinds of files in which code may stand."""

_USES = re.compile(
    r"\.\s*(?:poll|consume|getone|getmany|produce|send|send_and_wait|readStream|writeStream|"
    r"foreachBatch|subscribe|addSource|process)\b|\b(?:StreamsBuilder|Topology)\b"
    r"|\bfor\s+\w+\s+in\s+\w*consumer\b|@\w*KafkaListener\b"
)
"""What a program does with a client, beside making it."""


def is_program(kind: str, text: str) -> bool:
    """Whether a file of this kind holds code that works with records, not settings alone."""
    return kind in _KINDS and _USES.search(text) is not None
