"""The release lines of a broker, from the output of `kafka-broker-api-versions`.

A broker returns the newest version that it supports of each request. Source: validVersions of the
message files of apache/kafka at the tags 2.4.0 to 3.9.0-rc3, and of Apache's branches 4.0 to 4.4 in
confluentinc/kafka, without versions that are marked as unstable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_REQUESTS = (
    "Produce",
    "Fetch",
    "ListOffsets",
    "Metadata",
    "OffsetCommit",
    "OffsetFetch",
    "FindCoordinator",
    "JoinGroup",
    "InitProducerId",
    "AddPartitionsToTxn",
    "EndTxn",
    "TxnOffsetCommit",
    "CreateTopics",
    "DescribeConfigs",
    "ApiVersions",
    "LeaveGroup",
)
_SPOKEN: Mapping[str, str] = {
    "2.4": "8 11 5 9 8 6 3 6 2 1 1 2 5 2 3 4",
    "2.5": "8 11 5 9 8 7 3 7 3 1 1 3 5 2 3 4",
    "2.6": "8 11 5 9 8 7 3 7 3 1 1 3 5 3 3 4",
    "2.7": "8 12 5 9 8 7 3 7 4 2 2 3 6 3 3 4",
    "2.8": "9 12 6 11 8 7 3 7 4 3 3 3 7 4 3 4",
    "3.0": "9 12 7 11 8 8 4 7 4 3 3 3 7 4 3 4",
    "3.1": "9 13 7 12 8 8 4 7 4 3 3 3 7 4 3 4",
    "3.2": "9 13 7 12 8 8 4 9 4 3 3 3 7 4 3 5",
    "3.3": "9 13 7 12 8 8 4 9 4 3 3 3 7 4 3 5",
    "3.4": "9 13 7 12 8 8 4 9 4 3 3 3 7 4 3 5",
    "3.5": "9 15 8 12 8 8 4 9 4 3 3 3 7 4 3 5",
    "3.6": "9 15 8 12 8 8 4 9 4 4 3 3 7 4 3 5",
    "3.7": "10 16 8 12 9 9 4 9 4 4 3 3 7 4 3 5",
    "3.8": "11 16 8 12 9 9 5 9 5 5 4 4 7 4 3 5",
    "3.9": "11 17 9 12 9 9 6 9 5 5 4 4 7 4 4 5",
    "4.0": "12 17 10 13 9 9 6 9 5 5 5 5 7 4 4 5",
    "4.1": "13 18 10 13 9 9 6 9 5 5 5 5 7 4 4 5",
    "4.2": "13 18 11 13 10 10 6 9 5 5 5 5 7 4 4 5",
    "4.3": "13 18 11 13 10 10 6 9 5 5 5 5 7 4 4 5",
    "4.4": "13 18 11 13 10 10 6 9 5 5 5 6 7 4 5 5",
}
"""Line → the newest version of each request."""
_REQUEST = re.compile(r"\b([A-Z]\w+)\(\d+\): (?:\d+ to )?(\d+)\b")
_ENOUGH = 5
"""The number of requests from which on a text counts as such output."""


def release_lines(text: str) -> tuple[str, ...] | None:
    """Returns the lines that support exactly these versions, newest first; some lines support the
    same.

    Returns None if the text is not such output.
    """
    data = {name: int(version) for name, version in _REQUEST.findall(text) if name in _REQUESTS}
    if len(data) < _ENOUGH:
        return None
    return tuple(line for line in reversed([*_SPOKEN]) if data.items() <= _spoken(line).items())


def _spoken(line: str) -> dict[str, int]:
    return dict(zip(_REQUESTS, map(int, _SPOKEN[line].split()), strict=True))
