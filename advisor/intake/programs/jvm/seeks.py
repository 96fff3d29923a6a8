"""Seeks of JVM code: positions that do not depend on the committed offsets of the group."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.facts import DROPS, PARALLEL_CONSUMER, STARTS_AT_END, STARTS_ELSEWHERE
from advisor.intake.programs.jvm.records.polls import TYPED, consumer_names
from advisor.intake.programs.jvm.text import Text

_TO_END = re.compile(r"\.\s*seekToEnd\s*\(")
_SEEK = re.compile(r"\.\s*seek\s*\(")
_OFFSET_LOOKUP = r"\.\s*(?:endOffsets|offsetsForTimes)\s*\("
_ASSIGNMENT = rf"\b(\w+){TYPED}[^;{{}}\n]{{0,200}}?(?:PLACES)"
_LOOP = (
    r"\bfor\s*\(([^:;{}]{0,120}?)(?::|\bin\b|<-)[^;{]{0,120}?(?:PLACES)"
    r"|(?:PLACES)[^;{]{0,120}?\.\s*for[Ee]ach\s*[({]\s*\(?\s*([\w, ]{1,60})\)?\s*(?:->|=>)"
)
_SEEK_REFERENCE = r"(?:PLACES)[^;{}]{0,200}?\.\s*for[Ee]ach\s*\(\s*(?:this\.)?\w+\s*::\s*seek\b"
_PAUSE_OR_SEEK = re.compile(r"\.\s*(?:pause|seek\w*)\s*\(")
_PARALLEL = re.compile(r"\bparallelconsumer\b|\bParallel(?:EoS)?StreamProcessor\b")
SHARES = re.compile(r"\b(KafkaShareConsumer)\s*[<(\[]")
"""A client of a share group: its type or its constructor."""
_RECORD_FUNCTION = re.compile(
    r"\.\s*(?P<verb>poll\w*|react\w*|vertx\w*)\s*"
    r"(?:\(\s*\(?[\w\s,]{0,60}\)?\s*(?:->|=>)|\(\s*[\w.]{1,60}\s*::|\{)"
)
"""A function that is called with each record (`ParallelStreamProcessor`)."""
_STEPS, _MOST_NAMES, _MOST = 3, 20, 50


def refused_seeks(text: Text) -> Iterator[tuple[int, str]]:
    """Yields the offsets in the source where a consumer skips records, and why that is refused."""
    if match := _TO_END.search(text.plain):
        yield match.start(), f"seekToEnd: {STARTS_AT_END}"
    if (at := _seeks_elsewhere(text)) >= 0:
        yield at, f"seek: {STARTS_ELSEWHERE}"
    if _PARALLEL.search(text.plain) and (match := _RECORD_FUNCTION.search(text.plain)):
        yield match.start(), f"{match['verb']}: {PARALLEL_CONSUMER}"
    elif (at := _discarded_poll(text)) >= 0:
        yield at, f"poll: {DROPS}"


def _seeks_elsewhere(text: Text) -> int:
    """Returns where a consumer seeks the end of a partition or an offset by time; -1 if it does
    not."""
    plain = text.plain
    if not re.search(_OFFSET_LOOKUP, plain) or not re.search(r"\bseek\b", plain):
        return -1
    places, names = _OFFSET_LOOKUP, set[str]()
    for _ in range(_STEPS):
        names |= set(re.findall(_with_places(places, _ASSIGNMENT), plain))
        for loop in re.finditer(_with_places(places, _LOOP), plain):
            names |= set(re.findall(r"\w+", next(filter(None, loop.groups()), "")))
        if names:
            alternatives = "|".join(sorted(names)[:_MOST_NAMES])
            places = rf"{_OFFSET_LOOKUP}|\b(?:{alternatives})\b"
    if match := re.search(_with_places(places, _SEEK_REFERENCE), plain):
        return match.start()
    for seek in islice(_SEEK.finditer(plain), _MOST):
        arguments = plain[seek.end() : text.closed(seek.end()) - 1]
        if re.search(places, arguments.partition(",")[2]):
            return seek.start()
    return -1


def _with_places(places: str, pattern: str) -> str:
    return pattern.replace("PLACES", places)


def _discarded_poll(text: Text) -> int:
    """Returns where a statement polls and discards the records; -1 if there is none, or if the
    consumer pauses or seeks."""
    if _PAUSE_OR_SEEK.search(text.plain):
        return -1
    for consumer in sorted(consumer_names(text)):
        poll_statement = rf"(?:^|[;{{}}])\s*(?:this\.)?{consumer}\s*\.\s*poll\s*\("
        for poll in islice(re.finditer(poll_statement, text.plain), _MOST):
            if text.plain[text.closed(poll.end()) :].lstrip()[:1] == ";":
                return poll.end() - 1
    return -1
