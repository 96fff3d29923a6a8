"""What a function of `foreachBatch` or `foreach` in Scala or Java writes of what it is given.

The same as `batch_writes` says of Python, by statements of a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm.records.derived_names import LOGGED
from advisor.intake.programs.jvm.text import Block, Text
from advisor.intake.spark.batch_writes import (
    CLOSED,
    GROUPS,
    KEEPS_ALL,
    KINDS,
    NOTHING,
    NOW_AND_THEN,
    NUMBERS,
    PART,
    PARTS,
)

_HANDED = re.compile(r"\.\s*(foreachBatch|foreach)\s*[({]")
_OF_STREAM = re.compile(r"\bwriteStream\b")
_LAMBDA = re.compile(
    r"\s*(?:\(\w+<[\w<>, ]*>\)\s*)?[({]?\s*(?:case\s*)?\(?\s*"
    r"(?:[\w<>]+(?:<[\w<>, ]*>)?\s+)?(\w+)(?:\s*:\s*[\w\[\].]+)?\s*,"
    r"\s*[\w<>.: \[\]]+?\)?\s*(?:->|=>)"
)
_NAMED = re.compile(r"\s*(?:\w+\s*(?:::|\.)\s*)*(\w+)(?:\s+_)?\s*")
_SET = re.compile(
    r"^\s*(?:final\s+)?(?:va[lr]\s+)?(?:[\w<>\[\], ]+\s)?\s*(\w+)"
    r"\s*(?::\s*[\w<>\[\]., ]+)?=(?![=>])"
)
_EACH = re.compile(
    r"\s*for\s*\(\s*(?:(?:final|val)\s+)?(?:[\w<>\[\], ]+\s)?(?P<name>\w+)"
    r"\s*(?::|<-|\bin\b)(?P<over>.*)"
)
_EACH_BY = re.compile(
    r"\.\s*(?:for[Ee]ach(?:Partition)?|grouped)\s*(?:\(\s*\(?(\w+)\)?\s*(?:->|=>)\s*)?$"
)
_CONDITION = re.compile(r"\s*(?:\belse\b\s*)?\bif\s*(?=\()")
_PRINTED = re.compile(
    r"\s*\.\s*for[Ee]ach\s*[({]\s*(?:println|\w+(?:\.\w+)*\s*::\s*println"
    r"|\(?\s*\w+\s*\)?\s*(?:->|=>)\s*(?:System\.out\.)?println\s*\([^;]*\))\s*[)}]\s*;?\s*$"
)
_LINK = re.compile(r"\s*\.\s*(\w+)\s*(?:\[[^\]]*\]\s*)?([({])?")
_GATE = re.compile(
    r"\bif\s*\((?=[^{};]*(?:%|\b(?:nextInt|nextDouble|random)\b"
    r"|\.\s*count\s*(?:\(\s*\))?\s*[<>]=?\s*(?:[2-9]|\d\d)))"
)
_FALSE = re.compile(r"(?:\breturn\s+|[=;{}\n]\s*)false\s*;?\s*(?:\}|$|\n)")
_TRUE = re.compile(r"\btrue\b|\breturn\s+(?!false\b)\w|&&|\|\||!")
_OPEN = re.compile(r"\bopen\s*\([^()]*\)\s*(?::\s*Boolean\s*)?(=?)\s*")
_PROCESS = re.compile(
    r"\bprocess\s*\(\s*(?:(?P<name>\w+)\s*:[^()]*|(?:final\s+)?[\w<>]+\s+(?P<java>\w+)\s*)\)"
    r"\s*(?:(?::\s*Unit\s*)?=\s*|(?::\s*Unit\s*)?(?=\{)|throws\s[\w., ]+(?=\{))"
)
_VIEW = re.compile(r"\s*\.\s*create\w*TempView\s*\(")
_NOWHERE = re.compile(r"\bformat\s*\(\s*\"(?:console|noop)\"")
_MERGES = re.compile(r"\.\s*merge\s*\(|\bwhen(?:Not)?Matched\w*\s*\(")
_EXECUTES = re.compile(r"\.\s*execute\s*\(")
"""What Delta's MergeBuilder is done with."""
_LISTS = frozenset({"asScala", "asJava", "toSeq", "toList", "collectAsList", "takeAsList", "as"})
_MOST, _DEEPEST, _MOST_STATEMENTS, _LONGEST = 20, 3, 300, 300


def faults(code: str) -> Iterator[tuple[int, str]]:
    """Where a function leaves some of what it is given, and why."""
    text = Text.of(code)
    for match in islice(_HANDED.finditer(text.plain), _MOST):
        chain = text.plain[text.chain(match.end() - 1) : match.start()]
        if match[1] == "foreach" and not _OF_STREAM.search(chain):
            continue
        opened = match.end() - 1
        end = text.block_of(opened)[1] if text.plain[opened] == "{" else text.closed(opened + 1) - 1
        yield from _of_given(code, text, (opened + 1, end), match[1] == "foreach")


def _of_given(code: str, text: Text, given: Block, of_rows: bool) -> Iterator[tuple[int, str]]:
    inside = text.plain[slice(*given)]
    if of_rows and (opens := re.search(r"\bopen\s*\(", inside) or _class_of(text, inside)):
        begin = given[0] if "open" in opens[0] else opens.start()
        stop = given[1] if "open" in opens[0] else text.block_of(opens.end() - 1)[1]
        yield from _of_writer(code, text, (begin, stop))
        return
    if re.match(r"\s*new\b", inside):
        for body in text.bodies("call"):
            if given[0] < body[0] < given[1] and (names := text.parameters(body)):
                yield from _of_body(code, text, body, names[0])
        return
    named = _NAMED.fullmatch(inside)
    if named and len(bodies := text.bodies(named[1])) == 1:
        names = text.parameters(bodies[0])
        if names:
            yield from _of_body(code, text, bodies[0], names[0])
        return
    function = _LAMBDA.match(inside)
    if function and not named:
        yield from _of_body(code, text, (given[0] + function.end(), given[1]), function[1])


def _class_of(text: Text, given: str) -> re.Match[str] | None:
    """The head of the class of an object, to its brace."""
    made = re.fullmatch(r"\s*new\s+(\w+)\s*(?:\([^()]*\))?\s*", given)
    return made and re.search(rf"\bclass\s+{made[1]}\b[^{{}};]*\{{", text.plain)


def _of_writer(code: str, text: Text, own: Block) -> Iterator[tuple[int, str]]:
    """Of a ForeachWriter."""
    plain = text.plain
    if opens := _OPEN.search(plain, *own):
        begin = opens.end()
        if plain[begin : begin + 1] == "{":
            block = text.block_of(begin)
            body = plain[block[0] : block[1] + 1]
            caught = [
                clause
                for clause in re.finditer(r"\bcatch\b[^{]*\{", body)
                if _FALSE.search(
                    body[
                        clause.end() - 1 : text.block_of(block[0] + clause.end() - 1)[1]
                        - block[0]
                        + 1
                    ]
                )
            ]
            says_no = bool(caught) or (bool(_FALSE.search(body)) and not _TRUE.search(body))
        else:
            says_no = bool(re.match(r"\s*false\b", plain[begin : begin + 40])) and bool(opens[1])
        if says_no:
            yield opens.start(), CLOSED
    for match in _PROCESS.finditer(plain, *own):
        is_block = plain[match.end() : match.end() + 1] == "{"
        stop = re.compile(r"[;\n}]|$").search(plain, match.end())
        end = text.block_of(match.end())[1] if is_block or stop is None else stop.start()
        yield from _of_body(code, text, (match.end(), end), match["name"] or match["java"])


def _of_body(code: str, text: Text, body: Block, name: str) -> Iterator[tuple[int, str]]:
    walk = _Walk(code, text)
    walk.follow(body, {name}, set(), 0)
    if gate := _gate(text, body, walk.whole):
        yield gate, NOW_AND_THEN
    elif not walk.whole:
        yield (min(walk.part), PART) if walk.part else (max(0, body[0]), NOTHING)


def _gate(text: Text, body: Block, writes: list[int]) -> int:
    """A condition that lets only some batches be written; 0 if there is none."""
    for match in islice(_GATE.finditer(text.plain, *body), _MOST):
        end = text.closed(text.plain.index("(", match.start()) + 1)
        stop = text.guarded(end)[1]
        inside = [at for at in writes if end <= at <= stop]
        leaves = re.search(r"\breturn\b", text.plain[end : stop + 1])
        if writes and (len(inside) == len(writes) or (leaves and not inside)):
            return match.start()
    return 0


def _is_number(links: list[str]) -> bool:
    """Whether a chain of calls says how many rows there are, or of which kind, and has none."""
    last = links[-1] if links else ""
    others = {*links[:-1]}
    return last in NUMBERS | KINDS and others <= KEEPS_ALL and others.isdisjoint(GROUPS)


class _Walk:
    """Where what a function is given is written: all of it, or a part."""

    def __init__(self, code: str, text: Text) -> None:
        self.whole, self.part = list[int](), list[int]()
        self._code, self._text = code, text
        self._executes = bool(_EXECUTES.search(text.plain))

    def follow(self, body: Block, whole: set[str], part: set[str], depth: int) -> None:
        """Follows the statements of a body, with the names of what it is given."""
        whole, part = {*whole}, {*part}
        for at, statement in islice(self._statements(body), _MOST_STATEMENTS):
            if loop := _EACH.match(statement[:_LONGEST]):
                level, _ = self._level(loop["over"], whole, part)
                (whole if level == 2 else part).update({loop["name"]} if level else ())
                continue
            level, chained = self._level(statement, whole, part)
            if level and (name := self._each(at, statement)):
                (whole if level == 2 else part).add(name)
                continue
            if _MERGES.search(statement) and not self._executes:
                continue
            if not level or LOGGED.match(statement.lstrip()) or self._is_nowhere(at, statement):
                continue
            if (made := _SET.match(statement[:_LONGEST])) and chained != "written":
                (whole if level == 2 else part).add(made[1])
                continue
            if chained in ("kept", "told"):
                continue
            if depth < _DEEPEST and (inner := self._called(statement, whole, part)):
                self._inner(inner, at, depth)
                continue
            (self.whole if level == 2 else self.part).append(at)

    def _statements(self, body: Block) -> Iterator[tuple[int, str]]:
        """The statements of a body, with their places; what a condition asks is left out."""
        begin, depth = body[0], 0
        plain = self._text.plain
        for at in range(max(0, body[0]), min(body[1] + 1, len(plain))):
            char = plain[at]
            depth += (char in "([") - (char in ")]")
            goes_on = char == "\n" and plain[at : body[1]].lstrip().startswith((".", "{"))
            is_end = char in ";{}" or (char == "\n" and depth <= 0 and not goes_on)
            if is_end or at == body[1]:
                yield from self._without_condition(begin, plain[begin:at])
                begin, depth = at + 1, 0

    def _without_condition(self, at: int, statement: str) -> Iterator[tuple[int, str]]:
        if asked := _CONDITION.match(statement):
            end = self._text.closed(at + asked.end() + 1)
            yield end, self._text.plain[end : at + len(statement)]
        else:
            yield at, statement

    def _level(self, statement: str, whole: set[str], part: set[str]) -> tuple[int, str]:
        """How much of a batch a statement is about, and what the chain of calls of it does."""
        level, does = 0, ""
        for name in sorted(whole | part):
            for use in re.finditer(rf"(?<![\w.]){name}\b", statement):
                own, chained = (2 if name in whole else 1), "kept"
                before = statement[: use.start()].rstrip()
                if before.endswith(("(", ",", "+=")) and not self._is_read(before):
                    chained = "written"
                end, links = use.end(), list[str]()
                while link := _LINK.match(statement, end):
                    links.append(link[1])
                    own = min(own, 1) if link[1] in PARTS or link[1] == "takeAsList" else own
                    if link[1] in ("writeTo", "save"):
                        chained = "written"
                    elif link[1] not in KEEPS_ALL and link[1] not in _LISTS:
                        printed = _PRINTED.match(statement, link.start())
                        view = _VIEW.match(statement, link.start())
                        unseen = view and not re.search(r"\bsql\b", self._text.plain)
                        chained = "told" if printed or unseen else "written"
                    end = self._closed(statement, link.end()) if link[2] else link.end()
                if _is_number(links):
                    continue
                is_more = (own, chained == "written") > (level, does == "written")
                level, does = (own, chained) if is_more or not does else (level, does)
        return level, does

    def _each(self, at: int, statement: str) -> str:
        """The name that `foreach {` gives to what its block is about; empty for anything else."""
        end = at + len(statement)
        if self._text.plain[end : end + 1] != "{" or not (each := _EACH_BY.search(statement)):
            return ""
        inside = re.match(r"\s*\(?(\w+)\)?\s*=>", self._text.plain[end + 1 : end + 60])
        return str(each[1] or (inside[1] if inside else ""))

    @staticmethod
    def _is_read(before: str) -> bool:
        """Whether a call in front of a bracket only makes a value of what it is given."""
        word = re.search(r"(\w+)\s*\([^()]*$", before)
        return bool(word) and (word[1] if word else "") in KEEPS_ALL

    @staticmethod
    def _closed(statement: str, at: int) -> int:
        depth = 1
        for here in range(at, len(statement)):
            depth += (statement[here] in "([{") - (statement[here] in ")]}")
            if depth == 0:
                return here + 1
        return len(statement)

    def _is_nowhere(self, at: int, statement: str) -> bool:
        """Whether a statement writes to a sink that keeps nothing."""
        return bool(_NOWHERE.search(self._code[at : at + len(statement)]))

    def _called(
        self, statement: str, whole: set[str], part: set[str]
    ) -> tuple[Block, set[str], set[str]] | None:
        """The method of the file that a statement is, and what it is given."""
        call = re.fullmatch(r"\s*(?:this\.)?(\w+)\s*\(([^()]*)\)\s*", statement)
        bodies = self._text.bodies(call[1]) if call else []
        if call is None or len(bodies) != 1:
            return None
        pairs = [*zip(self._text.parameters(bodies[0]), call[2].split(","), strict=False)]
        own = {name for name, given in pairs if given.strip() in whole}
        own_part = {name for name, given in pairs if given.strip() in part}
        return (bodies[0], own, own_part) if own or own_part else None

    def _inner(self, inner: tuple[Block, set[str], set[str]], at: int, depth: int) -> None:
        before = len(self.whole), len(self.part)
        self.follow(*inner, depth + 1)
        self.whole[before[0] :] = [at] * (len(self.whole) > before[0])
        self.part[before[1] :] = [at] * (len(self.part) > before[1])
