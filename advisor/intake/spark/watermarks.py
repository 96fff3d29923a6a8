"""Messages that arrive too late for a query with a watermark.

The watermark follows the latest event time of all partitions (Spark
structured-streaming-programming-guide.md, Handling Late Data and Watermarking). So messages that
wait in one partition, while the others continue, are late, too.
"""

from __future__ import annotations

import re

from advisor.intake.reading import Reading
from advisor.intake.text import line_of

_WATERMARK = re.compile(
    r"\.\s*withWatermark\s*\(\s*[^,()]{1,80},\s*(?:delayThreshold\s*=\s*)?"
    r"(?:[\"'](?P<delay>[^\"'\n]{1,40})[\"'])?"
)


def note_watermark(reading: Reading, code: str) -> None:
    """Notes which messages a watermark drops, and that the answer does not count them."""
    if (match := _WATERMARK.search(code)) and reading.items:
        delay = match["delay"] or "its delay"
        words = (
            f"withWatermark: aggregations, joins and dropDuplicates after it drop messages that "
            f"are more than {delay} behind the latest one, such as those of a partition whose "
            "leader was away for longer. The answer does not count them"
        )
        reading.note(line_of(code, match.start()), words)
