"""Seeks of JVM code: positions that it chooses itself, whatever its group has committed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.facts import DROPS, PARALLEL_CONSUMER, STARTS_AT_END, STARTS_ELSEWHERE
from advisor.intake.programs.jvm.records.polls import TYPED, consumer_names
from advisor.intake.programs.jvm.text import Text

_TO_END = re.compile(r"\.\s*seekToEnd\s*\(")
_SEEK = re.compile(r"\.\s*seek\s*\(")
_PLACES = r"\.\s*(?:endOffsets|offsetsForTimes)\s*\("
_MAKES = rf"\b(\w+){TYPED}[^;{{}}\n]{{0,200}}?(?:PLACES)"
_EACH = (
    r"\bfor\s*\(([^:;{}]{0,120}?)(?::|\bin\b|<-)[^;{]{0,120}?(?:PLACES)"
    r"|(?:PLACES)[^;{]{0,120}?\.\s*for[Ee]ach\s*[({]\s*\(?\s*([\w, ]{1,60})\)?\s*(?:->|=>)"
)
_EACH_SEEKS = r"(?:PLACES)[^;{}]{0,200}?\.\s*for[Ee]ach\s*\(\s*(?:this\.)?\w+\s*::\s*seek\b"
_ELSEWHERE = re.compile(r"\.\s*(?:pause|seek\w*)\s*\(")
_PARALLEL = re.compile(r"\bparallelconsumer\b|\bParallel(?:EoS)?StreamProcessor\b")
SHARES = re.compile(r"\b(KafkaShareConsumer)\s*[<(\[]")
"""A client of a share group, by its type or as it is made."""
_HANDED = re.compile(
    r"\.\s*(?P<verb>poll\w*|react\w*|vertx\w*)\s*"
    r"(?:\(\s*\(?[\w\s,]{0,60}\)?\s*(?:->|=>)|\(\s*[\w.]{1,60}\s*::|\{)"
)
"""A function that is called with each record (`ParallelStreamProcessor`)."""
_STEPS, _MOST_NAMES, _MOST = 3, 20, 50


def refused_seeks(text: Text) -> Iterator[tuple[int, str]]:
    """Where a reader is taken past records, and why that is not advised on."""
    if match := _TO_END.search(text.plain):
        yield match.start(), f"seekToEnd: {STARTS_AT_END}"
    if (at := _seeks_elsewhere(text)) >= 0:
        yield at, f"seek: {STARTS_ELSEWHERE}"
    if _PARALLEL.search(text.plain) and (match := _HANDED.search(text.plain)):
        yield match.start(), f"{match['verb']}: {PARALLEL_CONSUMER}"
    elif (at := _dropped(text)) >= 0:
        yield at, f"poll: {DROPS}"


def _seeks_elsewhere(text: Text) -> int:
    """Where a reader seeks the end of a partition, or an offset by its time; -1 if nowhere."""
    plain = text.plain
    if not re.search(_PLACES, plain) or not re.search(r"\bseek\b", plain):
        return -1
    places, names = _PLACES, set[str]()
    for _ in range(_STEPS):
        names |= set(re.findall(_with(places, _MAKES), plain))
        for each in re.finditer(_with(places, _EACH), plain):
            names |= set(re.findall(r"\w+", next(filter(None, each.groups()), "")))
        if names:
            known = "|".join(sorted(names)[:_MOST_NAMES])
            places = rf"{_PLACES}|\b(?:{known})\b"
    if match := re.search(_with(places, _EACH_SEEKS), plain):
        return match.start()
    for seek in islice(_SEEK.finditer(plain), _MOST):
        given = plain[seek.end() : text.closed(seek.end()) - 1]
        if re.search(places, given.partition(",")[2]):
            return seek.start()
    return -1


def _with(places: str, pattern: str) -> str:
    return pattern.replace("PLACES", places)


def _dropped(text: Text) -> int:
    """Where a statement polls and nothing takes the records, of a reader that neither pauses nor
    seeks; -1 if nowhere."""
    if _ELSEWHERE.search(text.plain):
        return -1
    for consumer in sorted(consumer_names(text)):
        alone = rf"(?:^|[;{{}}])\s*(?:this\.)?{consumer}\s*\.\s*poll\s*\("
        for poll in islice(re.finditer(alone, text.plain), _MOST):
            if text.plain[text.closed(poll.end()) :].lstrip()[:1] == ";":
                return poll.end() - 1
    return -1
