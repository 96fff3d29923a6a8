"""Polls of JVM code of which only a part is processed: the first record, or the first few.

The position of a consumer is behind all that `poll()` returned (KafkaConsumer javadoc), so that
what is left of it is never read again: neither by this consumer, nor behind a commit of all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from advisor.intake.programs.jvm.records.buffers import COLLECTION, filled_collections
from advisor.intake.programs.jvm.records.derived_names import log_arguments
from advisor.intake.programs.jvm.text import Block, Text, blanked

_MOST = 60
_TO_RECORDS = (
    r"(?:\s*\.\s*(?:asScala|iterator|stream|toList|toSeq|asSequence|asIterable|records|chunked|windowed|grouped"
    r"|parallelStream)\b(?:\s*\([^()]{0,80}\))?)*"
)
"""From what was polled to its records."""
_ONE = (
    r"\s*\.\s*(?:iterator\s*(?:\(\s*\))?\s*\.\s*next\b(?:\s*\(\s*\))?|get\s*\(\s*(?:\d+|\w+\.(?:size|count)\(\)\s*-\s*1)\s*\)"
    r"|(?:getFirst|getLast|findFirst|findAny)\s*\(\s*\)"
    r"|(?:first|firstOrNull|last|lastOrNull|head|headOption|lastOption|tail|init)\b(?:\s*\(\s*\))?"
    r"|(?:take|takeLast|takeRight|drop|dropRight|limit|skip|subList|elementAt|slice)\s*\([^()]*\)"
    r"|(?:subList|limit|take)\s*\(\s*(?:\d+\s*,\s*)?Math\s*\.\s*min\s*\((?:[^()]|\([^()]*\))*\)\s*\))"
)
_CUT = (
    r"(?<![\w.])(?P<cut>{0})\s*=\s*(?P=cut)\b{1}{2}"
    r"|(?<=[;{{}}\n])\s*(?P<own>{0})\s*\.\s*(?:(?:removeFirst|removeLast|pop)\s*\(\s*\)"
    r"|remove\s*\(\s*\d+\s*\)|subList\s*\([^()]*(?:\(\s*\))?[^()]*\)\s*\.\s*clear\s*\(\s*\))"
    r"(?=\s*[;\n}}])"
)
"""A statement that leaves a part of a list in it."""
_HEAD = re.compile(
    r"\b(?:(?:(?:take|limit)\s*\(|subList\s*\(\s*0\s*,)\s*(?P<count>\w+)\s*\)"
    r"|(?:first|head|getFirst)\b|get\s*\(\s*0\s*\))"
)
_TAIL = re.compile(r"\b(?:(?:(?:drop|skip)\s*\(|subList\s*\()\s*(?P<count>\w+)\s*[,)]|tail\b)")
_FUNCTION = (
    r"\b(?:Iterables|Iterators|Lists)\s*\.\s*(?:limit|getFirst|getLast|get|skip)\s*\(\s*{0}\b"
    r"|\bStreamSupport\s*\.\s*stream\s*\(\s*{0}\s*\.\s*spliterator\s*\(\s*\)\s*,\s*\w+\s*\)"
    r"(?:\s*\.\s*map\s*\([^()]*\))?\s*\.\s*(?:limit|skip|findFirst|findAny)\s*\([^()]*\)"
)
_FIRST = r"\s+match\s*\{{\s*case\s+(?:\w+\s*(?:::|\+:)\s*_|Seq\(\w+,\s*_\*\))\s*=>"
"""Of Scala's lists."""
_OF_PLACE = re.compile(r"\s*\??\.\s*(?:offset|topic|partition|timestamp|leaderEpoch)\b")
"""What is asked of a record that is needed for a commit alone."""
_HARMLESS = (
    r"\b{0}\s*\.\s*(?:isEmpty|isNotEmpty|nonEmpty|count|size|partitions|hasNext)\b(?:\s*\(\s*\))?"
    r"|\b\w+(?:\s*:\s*[\w<>?, ]{{1,60}})?\s*=(?!=)\s*{0}"
    r"(?:\s*\.\s*(?:records|iterator|stream|asScala|toList|toSeq)\b(?:\s*\([^()]{{0,80}}\))?)*\s*(?=[;\n])"
)
_NAMED = re.compile(r"\b(?:(?:va[lr])\s+)?(\w+)(?:\s*:\s*[\w<>?, ]{1,60})?\s*=\s*$")
ITERATOR = r"\b(\w+)(?:\s*:\s*[\w<>?, ]{{1,60}})?\s*=\s*{0}(?:\s*\.\s*asScala)?\s*\.\s*iterator\b"
_BREAKS = re.compile(r"\bbreak\s*(?:;|\n|\})")
_LOOP = re.compile(r"\b(?:for|while|switch|when|repeat|do|forEach|foreach)\s*$")
_ENDS = re.compile(r"\b(?:throw|return|exit|halt)\b")
_BACK = re.compile(r"\bseek\w*\s*\(")


def partial_reads(text: Text, whole: Collection[str], span: Block) -> Iterator[int]:
    """Where a part is taken of what was polled, if nothing takes the rest of it.

    `whole` are the names of what was polled, not of single records.
    """
    plain, (begin, end) = text.plain, span
    if _BACK.search(plain, begin, end):
        return
    whole = _of_all(text, whole, span)
    known = rf"(?:{'|'.join(sorted(whole)) or '(?!)'})"
    cuts = [*islice(_cuts(text, known, span), _MOST)]
    if any(re.compile(rf"\bwhile\b[^{{}}]*\b{cut['cut'] or cut['own']}\b").search(plain, *span)
           for cut in cuts):  # fmt: skip
        return
    records = rf"\b{known}{_TO_RECORDS}"
    taken = rf"{records}{_ONE}|{records}{_FIRST.format()}|{_FUNCTION.format(known)}"
    found = [*islice(re.compile(taken).finditer(plain, begin, end), _MOST)]
    of_cuts = [cut.span() for cut in cuts]
    spans = [*of_cuts, *(match.span() for match in found), *log_arguments(text, span)]
    spans += [match.span() for match in re.compile(_HARMLESS.format(known)).finditer(plain, *span)]
    iterators = set(re.findall(ITERATOR.format(known), plain[begin:end]))
    for name in sorted(iterators):
        if re.compile(rf"\b(?:while|for)\b[^{{}}]*\b{name}\s*\.\s*hasNext\b").search(plain, *span):
            return
        found += re.compile(rf"\b{name}\s*\.\s*next\s*(?:\(\s*\))?").finditer(plain, *span)
        spans += [match.span() for match in re.compile(rf"\b{name}\b").finditer(plain, *span)]
    work = [match for match in found if not any(a <= match.start() < b for a, b in of_cuts)]
    rest = blanked(plain, spans)
    for at, _ in of_cuts:
        if not re.search(rf"\b{known}\b", rest[begin:at]) and not any(
            match.start() < at for match in work
        ):
            yield at
    if re.search(rf"\b{known}\b", rest[begin:end]) or _are_whole(work):
        return
    yield from (match.start() for match in found if not _is_of_place(text, match, end))


def _of_all(text: Text, whole: Collection[str], span: Block) -> list[str]:
    """The names of all of what was polled, without those of a part of it."""
    known = rf"(?:{'|'.join(sorted(whole))})"
    made = rf"(?<![\w.])(?P<name>\w+)(?:\s*:\s*[\w<>\[\]?, ]{{1,60}})?\s*=\s*(?!(?P=name)\b){known}"
    parts = re.compile(f"{made}{_TO_RECORDS}{_ONE}").finditer(text.plain, *span)
    return sorted({*whole} - {match["name"] for match in islice(parts, _MOST)})


def _cuts(text: Text, known: str, span: Block) -> Iterator[re.Match[str]]:
    return re.compile(_CUT.format(known, _TO_RECORDS, _ONE)).finditer(text.plain, *span)


def _are_whole(taken: Sequence[re.Match[str]]) -> bool:
    """Whether these are the first few, and the others: `take(5)` and `drop(5)`."""
    heads = {match["count"] or "1" for part in taken for match in _HEAD.finditer(part[0])}
    tails = {match["count"] or "1" for part in taken for match in _TAIL.finditer(part[0])}
    return not heads.isdisjoint(tails - {"0"})


def partial_reads_of_lists(text: Text, names: Collection[str], span: Block) -> Iterator[int]:
    """The same of lists that are made between two places, and into which records of these names are
    put there."""
    filled = dict(filled_collections(text, "|".join(sorted(names)) or "(?!)", span))
    for name, place in filled.items():
        if not re.compile(COLLECTION.format(name)).search(text.plain, *span):
            continue
        at = text.block(place[1])[1]
        if not re.compile(rf"\bwhile\b[^{{}}]*\b{name}\b").search(text.plain, at, span[1]):
            yield from partial_reads(text, [name], (at, span[1]))


def _is_of_place(text: Text, match: re.Match[str], end: int) -> bool:
    """Whether only the place of a record in its log is asked for."""
    named = _NAMED.search(text.plain[max(0, match.start() - 120) : match.start()])
    if named is None:
        return any(start < match.start() < stop for start, stop in log_arguments(text, (0, end)))
    uses = re.compile(rf"\b{named[1]}\b").finditer(text.plain, match.end(), end)
    return all(_OF_PLACE.match(text.plain, use.end()) for use in uses)


def left_before_commit(
    text: Text, loops: Sequence[Block], commits: re.Pattern[str], block: Block
) -> Iterator[int]:
    """Where a loop over records is left before a commit of all of them."""
    if _BACK.search(text.plain, max(0, block[0]), block[1]):
        return
    for start, end in loops:
        commit = commits.search(text.plain, end, block[1])
        if commit is None or text.block(commit.start())[0] > max(0, block[0]):
            continue  # none, or one under a condition
        for match in islice(_BREAKS.finditer(text.plain, max(0, start), end), _MOST):
            is_left = breaks_one_of(text, match.start(), [(start, end)])
            ends = _ENDS.search(text.plain, end, commit.start())
            if is_left and not (ends or _is_conditional(text, commit.start())):
                yield match.start()


def breaks_one_of(text: Text, at: int, loops: Sequence[Block]) -> bool:
    """Whether a `break` at a place leaves one of these loops."""
    inner = [block[0] for block in text.around(at) if block[:2] in loops or _is_loop(text, block)]
    return bool(inner) and inner[-1] in [start for start, _ in loops]


def _is_loop(text: Text, braces: tuple[int, int, str]) -> bool:
    """Whether `break` leaves these braces, by what stands before them."""
    before = text.plain[: braces[0]][-400:].rstrip()
    if before.endswith(")"):
        opened = text.opened(text.plain.rindex(")", 0, braces[0]))
        before = text.plain[max(0, opened - 40) : opened]
    return bool(_LOOP.search(before))


def _is_conditional(text: Text, at: int) -> bool:
    before = text.plain[max(0, at - 120) : at]
    return bool(re.search(r"\b(?:if|else)\b[^{};]*$", before))
