"""Messages that come too late for a query with a watermark.

The watermark follows the latest time that any partition brought (Spark
structured-streaming-programming-guide.md, Handling Late Data and Watermarking). So what waits in
one partition while the others go on is late, too.
"""

from __future__ import annotations

import re

from advisor.intake.reading import Reading
from advisor.intake.text import line_of

_WATERMARK = re.compile(
    r"\.\s*withWatermark\s*\(\s*[^,()]{1,80},\s*(?:delayThreshold\s*=\s*)?"
    r"(?:[\"'](?P<delay>[^\"'\n]{1,40})[\"'])?"
)


def tell(reading: Reading, code: str) -> None:
    """Notes what a watermark drops, and that the answer does not count it."""
    if (match := _WATERMARK.search(code)) and reading.items:
        delay = match["delay"] or "its delay"
        words = (
            f"withWatermark: aggregations, joins and dropDuplicates behind it drop messages that "
            f"are more than {delay} behind the latest one, such as those of a partition whose "
            "leader was away for longer. The answer does not count them"
        )
        reading.note(line_of(code, match.start()), words)
