"""Polls of JVM code of which only a part is processed: the first record, or the first few.

The position of a consumer is after all the records that `poll()` returned (KafkaConsumer javadoc).
The other records are never read again, neither by this consumer nor after a commit of all records.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from advisor.intake.programs.facts import VERBS
from advisor.intake.programs.jvm.records import copies
from advisor.intake.programs.jvm.records.buffers import COLLECTION, filled_collections
from advisor.intake.programs.jvm.records.copies import COPYING_FUNCTION
from advisor.intake.programs.jvm.records.derived_names import log_arguments
from advisor.intake.programs.jvm.surroundings import SEEK
from advisor.intake.programs.jvm.text import Block, Text, blanked

_MOST = 60
_TO_RECORDS = (
    r"(?:\s*\.\s*(?:asScala|iterator|stream|toList|toSeq|asSequence|asIterable|records|chunked|grouped"
    r"|windowed(?=\s*\([^()]*\b(?:true|partialWindows))|parallelStream|filter(?:Not)?|sorted\w*|distinct\w*)\b(?:\s*\([^()]{0,80}(?:\([^()]{0,40}\)[^()]{0,40})?\)"
    r"|\s*\{[^{}]{0,80}\})?)*"
)
"""The calls from all polled records to an iterator, a stream or a list."""
_PART = (
    r"\s*\.\s*(?:iterator\s*(?:\(\s*\))?\s*\.\s*next\b(?:\s*\(\s*\))?|get\s*\(\s*(?:\d+|\w+\.(?:size|count)\(\)\s*-\s*1)\s*\)"
    r"|(?:getFirst|getLast|findFirst|findAny)\s*\(\s*\)"
    r"|(?:poll|pollFirst|pollLast|pop|removeFirst|removeLast)\s*\(\s*\)"
    r"|(?:max|min)(?:By|With)(?:OrNull|Option)?\s*(?:\([^()]{0,80}(?:\([^()]*\))?\)|\{[^{}]{0,80}\})"
    r"|(?:first|firstOrNull|last|lastOrNull|head|headOption|lastOption|tail|init)\b(?:\s*\(\s*\))?"
    r"|(?:take|takeLast|takeRight|drop|dropRight|limit|skip|subList|elementAt|slice)\s*\([^()]*\)"
    r"|windowed\s*\((?![^()]*\b(?:true|partialWindows))[^()]*\)"
    r"|(?:take|drop)While\s*(?:\([^()]{0,80}(?:\([^()]*\)[^()]{0,80})?\)|\{[^{}]{0,80}\})"
    r"|(?:subList|limit|take)\s*\(\s*(?:\d+\s*,\s*)?Math\s*\.\s*min\s*\((?:[^()]|\([^()]*\))*\)\s*\))"
)
_BY_INDEX = r"\s*(?:\[\s*\d+\s*\]|\(\s*\d+\s*\))"
"""One record of a list, in Kotlin or Scala."""
_TO_LIST = r"\s*\.\s*to(?:List|Vector|Seq|IndexedSeq|MutableList|TypedArray)\b(?:\s*\(\s*\))?"
_CUT_STATEMENT = (
    r"(?<![\w.])(?P<cut>{0})\s*=\s*(?P=cut)\b{1}{2}"
    r"|(?<=[;{{}}\n])\s*(?P<list>{0})\s*\.\s*(?:(?:removeFirst|removeLast|pop)\s*\(\s*\)"
    r"|remove\s*\(\s*\d+\s*\)|subList\s*\([^()]*(?:\(\s*\))?[^()]*\)\s*\.\s*clear\s*\(\s*\))"
    r"(?=\s*[;\n}}])"
)
"""A statement that removes a part of a list."""
_TAKEN = r"\b({0})\s*\.\s*(?:poll|pop|remove)\w*\s*\("
"""A call that takes a record out of a collection."""
_FIRST_PART = re.compile(
    r"\b(?:(?:(?:take|limit)\s*\(|subList\s*\(\s*0\s*,)\s*(?P<count>\w+)\s*\)"
    r"|(?:first|head|getFirst|init)\b|get\s*\(\s*0\s*\)|takeWhile\b)"
)
_LAST_PART = re.compile(
    r"\b(?:(?:(?:drop|skip)\s*\(|subList\s*\()\s*(?P<count>\w+)\s*[,)]"
    r"|(?:tail|last|getLast|dropWhile)\b)"
)
_PART_FUNCTION = (
    r"\b(?:Iterables|Iterators|Lists)\s*\.\s*(?:limit|getFirst|getLast|get|skip)\s*\(\s*{0}\b"
    r"|\bStreamSupport\s*\.\s*stream\s*\(\s*{0}\s*\.\s*spliterator\s*\(\s*\)\s*,\s*\w+\s*\)"
    r"(?:\s*\.\s*(?:map|filter)\s*\((?:[^()]|\([^()]*\)){{0,80}}\)){{0,4}}\s*\.\s*(?:limit|skip|findFirst|findAny)\s*\([^()]*\)"
)
_HEAD_PATTERN = r"\s+match\s*\{{\s*case\s+(?:\w+\s*(?:::|\+:)\s*_|Seq\(\w+,\s*_\*\))\s*=>"
"""A pattern of a Scala list that binds the first record alone."""
_PROCESSED = (
    rf"\b{VERBS}(?!\w*(?:Metric|Count|Stat|Time|Log))(?:[A-Z]\w*)?\s*\([^;{{{{}}}}\n]*\b(?:{{0}})\b"
)
"""A call that processes a record, by its name."""
_OFFSETS_CALL = re.compile(r"\b(?:sendOffsetsToTransaction|commitSync|commitAsync)\s*\(")
_COORDINATE = re.compile(r"\s*\??\.\s*(?:offset|topic|partition|timestamp|leaderEpoch)\b")
"""The coordinates of a record, which only a commit needs."""
_HARMLESS = (
    r"\bCollections\s*\.\s*(?:sort|shuffle|reverse)\s*\(\s*{0}\b|"
    r"\b{0}\s*\.\s*(?:isEmpty|isNotEmpty|nonEmpty|count|size|partitions|hasNext|sort(?:By|With|InPlace)?)\b"
    r"(?:\s*(?:\([^(){{}}]{{0,80}}(?:\([^()]{{0,80}}\))?[^(){{}}]{{0,80}}\)|\{{[^{{}}]{{0,120}}\}}))?"
    r"|\b\w+(?:\s*:\s*[\w<>?, ]{{1,60}})?\s*=(?!=)\s*{0}"
    r"(?:\s*\.\s*(?:records|iterator|stream|asScala|toList|toSeq)\b(?:\s*\([^()]{{0,80}}\))?)*\s*(?=[;\n])"
)
_ASSIGNMENT = re.compile(r"\b(?:(?:va[lr])\s+)?(\w+)(?:\s*:\s*[\w<>?, ]{1,60})?\s*=\s*$")
ITERATOR = r"\b(\w+)(?:\s*:\s*[\w<>?, ]{{1,60}})?\s*=\s*{0}(?:\s*\.\s*asScala)?\s*\.\s*iterator\b"
_BREAK = re.compile(r"\bbreak\s*(?:;|\n|\})")
_LOOP_KEYWORD = re.compile(r"\b(?:for|while|switch|when|repeat|do|forEach|foreach)\s*$")
_EXIT = re.compile(r"\b(?:throw|return|exit|halt)\b")


def partial_reads(text: Text, whole: Collection[str], span: Block) -> Iterator[int]:
    """Yields the places where a span reads a part of the polled records and never the others.

    `whole` are names of all polled records, not of single ones.
    """
    plain, (begin, end) = text.plain, span
    if SEEK.search(plain, begin, end):
        return
    whole = _batch_names(text, whole, span)
    names = rf"(?:{'|'.join(sorted(whole)) or '(?!)'})"
    cuts = [*islice(_cuts(text, names, span), _MOST)]
    taken = re.compile(_TAKEN.format(names)).finditer(plain, *span)
    emptied = {cut["cut"] or cut["list"] for cut in cuts} | {match[1] for match in taken}
    if any(re.compile(rf"\bwhile\b[^{{}}]*\b{name}\b").search(plain, *span) for name in emptied):
        return
    part = _part_pattern(names)
    reads = [*islice(part.finditer(plain, begin, end), _MOST)]
    cut_spans = [cut.span() for cut in cuts]
    spans = [*cut_spans, *(match.span() for match in reads), *log_arguments(text, span)]
    spans += [copy for _, copy in copies.copies(text, whole, span)]
    spans += [match.span() for match in re.compile(_HARMLESS.format(names)).finditer(plain, *span)]
    spans += [(match.end(), text.closed(match.end()) - 1)
              for match in islice(_OFFSETS_CALL.finditer(plain, begin, end), _MOST)]  # fmt: skip
    iterators = set(re.findall(ITERATOR.format(names), plain[begin:end]))
    for name in sorted(iterators):
        if re.compile(rf"\b(?:while|for)\b[^{{}}]*\b{name}\s*\.\s*hasNext\b").search(plain, *span):
            return
        reads += re.compile(rf"\b{name}\s*\.\s*next\s*(?:\(\s*\))?").finditer(plain, *span)
        spans += [match.span() for match in re.compile(rf"\b{name}\b").finditer(plain, *span)]
    uses = [match for match in reads if not any(a <= match.start() < b for a, b in cut_spans)]
    rest = blanked(plain, spans)
    for at, _ in cut_spans:
        if not re.search(rf"\b{names}\b", rest[begin:at]) and not any(
            match.start() < at for match in uses
        ):
            yield at
    processed = [use for use in uses if not _is_only_logged(text, use, end)]
    if re.search(rf"\b{names}\b", rest[begin:end]) or _cover_all_records(processed):
        return
    yield from (match.start() for match in reads if not _is_only_coordinate(text, match, end))


def _part_pattern(names: str) -> re.Pattern[str]:
    """Returns the pattern of an expression that reads a part of the records of these names."""
    records = rf"\b{names}{_TO_RECORDS}"
    copy = rf"\b{COPYING_FUNCTION}\s*(?:<[\w<>?, ]{{0,60}}>\s*)?\(\s*{names}{_TO_RECORDS}\s*\)"
    return re.compile(
        rf"(?:{records}|{copy}){_PART}|(?:{copy}|\b{names}|{records}{_TO_LIST}){_BY_INDEX}"
        rf"|{records}{_HEAD_PATTERN.format()}|{_PART_FUNCTION.format(names)}"
    )


def _batch_names(text: Text, whole: Collection[str], span: Block) -> list[str]:
    """The names of all polled records, without names of a part of them."""
    names = rf"(?:{'|'.join(sorted(whole))})"
    assignment = (
        rf"(?<![\w.])(?P<name>\w+)(?:\s*:\s*[\w<>\[\]?, ]{{1,60}})?\s*=\s*(?!(?P=name)\b){names}"
    )
    parts = re.compile(f"{assignment}{_TO_RECORDS}{_PART}").finditer(text.plain, *span)
    return sorted({*whole} - {match["name"] for match in islice(parts, _MOST)})


def _cuts(text: Text, names: str, span: Block) -> Iterator[re.Match[str]]:
    return re.compile(_CUT_STATEMENT.format(names, _TO_RECORDS, _PART)).finditer(text.plain, *span)


def _cover_all_records(reads: Sequence[re.Match[str]]) -> bool:
    """Whether these are the first few records and all the others: `take(5)` and `drop(5)`,
    `head` and `tail`, `init` and `last`."""
    heads = {match["count"] or "1" for read in reads for match in _FIRST_PART.finditer(read[0])}
    tails = {match["count"] or "1" for read in reads for match in _LAST_PART.finditer(read[0])}
    return not heads.isdisjoint(tails - {"0"})


def partial_reads_of_lists(text: Text, names: Collection[str], span: Block) -> Iterator[int]:
    """Yields the same places for lists that a span creates and fills with records of these
    names."""
    records = "|".join(sorted(names)) or "(?!)"
    for name, insertion in dict(filled_collections(text, records, span)).items():
        if not re.compile(COLLECTION.format(name)).search(text.plain, *span):
            continue
        block, opened = text.block(insertion[0]), text.plain.find("(", *insertion)
        end = text.closed(opened + 1) if opened >= 0 else insertion[1]
        processed = re.compile(_PROCESSED.format(records)).finditer(
            blanked(text.plain, [(insertion[0], end)]), max(0, block[0]), block[1]
        )
        if any(text.block(call.start()) == block for call in processed):
            continue  # the list is not what processes the records
        at = block[1]
        if not re.compile(rf"\bwhile\b[^{{}}]*\b{name}\b").search(text.plain, at, span[1]):
            yield from partial_reads(text, [name], (at, span[1]))


def _is_only_coordinate(text: Text, match: re.Match[str], end: int) -> bool:
    """Whether the code only reads the coordinates of a record."""
    assignment = _ASSIGNMENT.search(text.plain[max(0, match.start() - 120) : match.start()])
    if assignment is None:
        return any(start < match.start() < stop for start, stop in log_arguments(text, (0, end)))
    uses = re.compile(rf"\b{assignment[1]}\b").finditer(text.plain, match.end(), end)
    return all(_COORDINATE.match(text.plain, use.end()) for use in uses)


def _is_only_logged(text: Text, match: re.Match[str], end: int) -> bool:
    """Whether the code assigns a part of the records to a variable, and only logs that."""
    assignment = _ASSIGNMENT.search(text.plain[max(0, match.start() - 120) : match.start()])
    span = match.end(), text.block(match.end())[1] if assignment else end
    logged = [*log_arguments(text, span)]
    uses = re.compile(rf"\b{assignment[1]}\b" if assignment else "").finditer(text.plain, *span)
    return all(any(start < use.start() < stop for start, stop in logged) for use in uses)


def exits_before_commit(
    text: Text, loops: Sequence[Block], commits: re.Pattern[str], block: Block
) -> Iterator[int]:
    """Yields each `break` that leaves a loop over records before a commit of all of them."""
    if SEEK.search(text.plain, max(0, block[0]), block[1]):
        return
    for start, end in loops:
        commit = commits.search(text.plain, end, block[1])
        if commit is None or text.block(commit.start())[0] > max(0, block[0]):
            continue  # no commit, or a conditional one
        for match in islice(_BREAK.finditer(text.plain, max(0, start), end), _MOST):
            breaks_loop = breaks_one_of(text, match.start(), [(start, end)])
            exits = _EXIT.search(text.plain, end, commit.start())
            if breaks_loop and not (exits or _is_conditional(text, commit.start())):
                yield match.start()


def breaks_one_of(text: Text, at: int, loops: Sequence[Block]) -> bool:
    """Whether a `break` at a place leaves one of these loops."""
    starts = [block[0] for block in text.around(at) if block[:2] in loops or _is_loop(text, block)]
    return bool(starts) and starts[-1] in [start for start, _ in loops]


def _is_loop(text: Text, braces: tuple[int, int, str]) -> bool:
    """Whether `break` leaves this block, by the keyword before it."""
    before = text.plain[: braces[0]][-400:].rstrip()
    if before.endswith(")"):
        opened = text.opened(text.plain.rindex(")", 0, braces[0]))
        before = text.plain[max(0, opened - 40) : opened]
    return bool(_LOOP_KEYWORD.search(before))


def _is_conditional(text: Text, at: int) -> bool:
    before = text.plain[max(0, at - 120) : at]
    return bool(re.search(r"\b(?:if|else)\b[^{};]*$", before))
