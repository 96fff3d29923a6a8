"""Whether a function of `foreachBatch` or `foreach` in Scala or Java writes all of its batch.

The counterpart of `batch_writes`, which is for Python. It follows the statements of a source text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice

from advisor.intake.programs.jvm.records.derived_names import LOGGED
from advisor.intake.programs.jvm.text import Block, Text
from advisor.intake.spark.batch_writes import (
    DERIVING_CALLS,
    GROUPINGS,
    LIMITING_CALLS,
    NOTHING,
    OPEN_RETURNS_FALSE,
    OPEN_SKIPS_KNOWN,
    PART,
    ROW_COUNTS,
    SCHEMA_ATTRIBUTES,
    SOME_BATCHES,
)

_FUNCTION_CALL = re.compile(r"\.\s*(foreachBatch|foreach)\s*[({]")
_WRITE_STREAM = re.compile(r"\bwriteStream\b")
_LAMBDA = re.compile(
    r"\s*(?:\(\w+<[\w<>, ]*>\)\s*)?[({]?\s*(?:case\s*)?\(?\s*"
    r"(?:[\w<>]+(?:<[\w<>, ]*>)?\s+)?(\w+)(?:\s*:\s*[\w\[\].]+)?\s*,"
    r"\s*[\w<>.: \[\]]+?\)?\s*(?:->|=>)"
)
_NUMBER = re.compile(r"(\w+)\s*(?::\s*[\w.]+\s*)?\)?\s*(?:->|=>)")
METHOD_REFERENCE = re.compile(r"\s*(?:\w+\s*(?:::|\.)\s*)*(\w+)(?:\s+_)?\s*")
_ASSIGNMENT = re.compile(
    r"^\s*(?:final\s+)?(?:va[lr]\s+)?(?:[\w<>\[\], ]+\s)?\s*(\w+)"
    r"\s*(?::\s*[\w<>\[\]., ]+)?=(?![=>])"
)
_FOR_LOOP = re.compile(
    r"\s*for\s*\(\s*(?:(?:final|val)\s+)?(?:[\w<>\[\], ]+\s)?(?P<name>\w+)"
    r"\s*(?::|<-|\bin\b)(?P<over>.*)"
)
_FOREACH_CALL = re.compile(
    r"\.\s*(?:for[Ee]ach(?:Partition)?|grouped)\s*(?:\(\s*\(?(\w+)\)?\s*(?:->|=>)\s*)?$"
)
_CONDITION = re.compile(r"\s*(?:\belse\b\s*)?\bif\s*(?=\()")
_PRINTED = re.compile(
    r"\s*\.\s*for[Ee]ach\s*[({]\s*(?:println|\w+(?:\.\w+)*\s*::\s*println"
    r"|\(?\s*\w+\s*\)?\s*(?:->|=>)\s*(?:System\.out\.)?println\s*\([^;]*\))\s*[)}]\s*;?\s*$"
)
_CHAINED_CALL = re.compile(r"\s*\.\s*(\w+)\s*(?:\[[^\]]*\]\s*)?([({])?")
_WRITE_CONDITION = re.compile(
    r"\bif\s*\((?=[^{};]*(?:%|\b(?:nextInt|nextDouble|random)\b"
    r"|\.\s*count\s*(?:\(\s*\))?\s*[<>]=?\s*(?:[2-9]|\d\d)))"
)
_FALSE = re.compile(r"(?:\breturn\s+|[=;{}\n]\s*)false\s*;?\s*(?:\}|$|\n)")
_TRUE = re.compile(r"\btrue\b|\breturn\s+(?!false\b)\w|&&|\|\||!")
_OPEN_METHOD = re.compile(r"\bopen\s*\([^()]*\)\s*(?::\s*Boolean\s*)?(=?)\s*")
_NUMBER_PARAMETERS = re.compile(r"(?:\blong\s+(\w+)|\b(\w+)\s*:\s*Long)")
_PROCESS_METHOD = re.compile(
    r"\bprocess\s*\(\s*(?:(?P<name>\w+)\s*:[^()]*|(?:final\s+)?[\w<>]+\s+(?P<java>\w+)\s*)\)"
    r"\s*(?:(?::\s*Unit\s*)?=\s*|(?::\s*Unit\s*)?(?=\{)|throws\s[\w., ]+(?=\{))"
)
_VIEW_CALL = re.compile(r"\s*\.\s*create\w*TempView\s*\(")
_DISCARDING_FORMAT = re.compile(r"\bformat\s*\(\s*\"(?:console|noop)\"")
_MERGE_CALL = re.compile(r"\.\s*merge\s*\(|\bwhen(?:Not)?Matched\w*\s*\(")
_EXECUTE_CALL = re.compile(r"\.\s*execute\s*\(")
"""The call that runs Delta's DeltaMergeBuilder."""
_LIST_CALLS = frozenset(
    {"asScala", "asJava", "toSeq", "toList", "collectAsList", "takeAsList", "as"}
)
_MAX_MATCHES, _MAX_DEPTH, _MAX_STATEMENTS, _MAX_HEAD = 20, 3, 300, 300


def faults(code: str) -> Iterator[tuple[int, str]]:
    """Yields each offset where a function does not write all of its batch, and the reason."""
    text = Text.of(code)
    for match in islice(_FUNCTION_CALL.finditer(text.plain), _MAX_MATCHES):
        receiver = text.plain[text.chain(match.end() - 1) : match.start()]
        if match[1] == "foreach" and not _WRITE_STREAM.search(receiver):
            continue
        opened = match.end() - 1
        end = text.block_of(opened)[1] if text.plain[opened] == "{" else text.closed(opened + 1) - 1
        yield from _argument_faults(code, text, (opened + 1, end), match[1] == "foreach")


def _argument_faults(
    code: str, text: Text, argument: Block, is_foreach: bool
) -> Iterator[tuple[int, str]]:
    source = text.plain[slice(*argument)]
    if is_foreach and (
        open_method := re.search(r"\bopen\s*\(", source) or _class_head(text, source)
    ):
        start = argument[0] if "open" in open_method[0] else open_method.start()
        end = argument[1] if "open" in open_method[0] else text.block_of(open_method.end() - 1)[1]
        yield from _writer_faults(code, text, (start, end))
        return
    if re.match(r"\s*new\b", source):
        for body in text.bodies("call"):
            if argument[0] < body[0] < argument[1] and (names := text.parameters(body)):
                yield from _body_faults(code, text, body, *names[:2])
        return
    reference = METHOD_REFERENCE.fullmatch(source)
    if reference and len(bodies := text.bodies(reference[1])) == 1:
        names = text.parameters(bodies[0])
        if names:
            yield from _body_faults(code, text, bodies[0], *names[:2])
        return
    function = _LAMBDA.match(source)
    if function and not reference:
        yield from _body_faults(
            code, text, (argument[0] + function.end(), argument[1]), function[1],
            _NUMBER.findall(function[0])[-1],
        )  # fmt: skip


def _class_head(text: Text, argument: str) -> re.Match[str] | None:
    """The match of the head of an object's class, up to its opening brace."""
    constructor = re.fullmatch(r"\s*new\s+(\w+)\s*(?:\([^()]*\))?\s*", argument)
    return constructor and re.search(rf"\bclass\s+{constructor[1]}\b[^{{}};]*\{{", text.plain)


def _writer_faults(code: str, text: Text, block: Block) -> Iterator[tuple[int, str]]:
    """The faults of a ForeachWriter."""
    plain = text.plain
    if open_method := _OPEN_METHOD.search(plain, *block):
        start = open_method.end()
        if plain[start : start + 1] == "{":
            body_block = text.block_of(start)
            body = plain[body_block[0] : body_block[1] + 1]
            catch_clauses = [
                clause
                for clause in re.finditer(r"\bcatch\b[^{]*\{", body)
                if _FALSE.search(
                    body[
                        clause.end() - 1 : text.block_of(body_block[0] + clause.end() - 1)[1]
                        - body_block[0]
                        + 1
                    ]
                )
            ]
            returns_false = bool(catch_clauses) or (
                bool(_FALSE.search(body)) and not _TRUE.search(body)
            )
        else:
            returns_false = bool(re.match(r"\s*false\b", plain[start : start + 40])) and bool(
                open_method[1]
            )
        if returns_false:
            yield open_method.start(), OPEN_RETURNS_FALSE
        elif at := _skips_known(text, open_method):
            yield at, OPEN_SKIPS_KNOWN
    for match in _PROCESS_METHOD.finditer(plain, *block):
        is_block = plain[match.end() : match.end() + 1] == "{"
        stop = re.compile(r"[;\n}]|$").search(plain, match.end())
        end = text.block_of(match.end())[1] if is_block or stop is None else stop.start()
        yield from _body_faults(code, text, (match.end(), end), match["name"] or match["java"])


def _skips_known(text: Text, open_method: re.Match[str]) -> int:
    """The offset of the value that open() returns if it depends on the partition or the epoch; 0
    without one."""
    pairs = _NUMBER_PARAMETERS.findall(open_method[0])
    names = [java or scala for java, scala in pairs]
    start = open_method.end()
    if text.plain[start : start + 1] == "{":
        end = text.block_of(start)[1]
        body = text.plain[start:end].rstrip().rstrip(";")
        start += max(body.rfind("\n"), body.rfind(";"), body.rfind("{")) + 1
    else:
        end = text.plain.find("\n", start)
    used = any(re.search(rf"\b{name}\b", text.plain[start:end]) for name in names)
    return start if names and used else 0


def _body_faults(
    code: str, text: Text, body: Block, name: str, number: str = ""
) -> Iterator[tuple[int, str]]:
    """The faults of a body; `name` holds the batch or the row, and `number` that of the batch."""
    walk = _Walk(code, text)
    walk.follow(body, {name}, set(), 0)
    if at := _write_condition(text, body, walk.whole, number):
        yield at, SOME_BATCHES
    elif not walk.whole:
        yield (min(walk.part), PART) if walk.part else (max(0, body[0]), NOTHING)


def _write_condition(text: Text, body: Block, writes: list[int], number: str) -> int:
    """The offset of a condition under which only some batches are written; 0 if there is none."""
    by_number = re.compile(rf"\bif\s*\(\s*{number}\s*(?:[=!]=|[<>]=?)\s*\d" if number else r"(?!)")
    conditions = (pattern.finditer(text.plain, *body) for pattern in (_WRITE_CONDITION, by_number))
    for match in islice(chain.from_iterable(conditions), _MAX_MATCHES):
        end = text.closed(text.plain.index("(", match.start()) + 1)
        stop = text.controlled_block(end)[1]
        inside = [at for at in writes if end <= at <= stop]
        returns_early = re.search(r"\breturn\b", text.plain[end : stop + 1])
        if writes and (len(inside) == len(writes) or (returns_early and not inside)):
            return match.start()
    return 0


def _is_number(links: list[str]) -> bool:
    """Whether a call chain is the number of rows or their schema, and holds none of them."""
    last = links[-1] if links else ""
    others = {*links[:-1]}
    return (
        last in ROW_COUNTS | SCHEMA_ATTRIBUTES
        and others <= DERIVING_CALLS
        and others.isdisjoint(GROUPINGS)
    )


class _Walk:
    """Follows a batch, or a row, through a function to the offsets where all or a part of it is
    written."""

    def __init__(self, code: str, text: Text) -> None:
        self.whole, self.part = list[int](), list[int]()
        self._code, self._text = code, text
        self._executes = bool(_EXECUTE_CALL.search(text.plain))

    def follow(self, body: Block, whole: set[str], part: set[str], depth: int) -> None:
        """Follows the statements of a body; `whole` and `part` are the names that hold all or a
        part of the batch."""
        whole, part = {*whole}, {*part}
        for at, statement in islice(self._statements(body), _MAX_STATEMENTS):
            if loop := _FOR_LOOP.match(statement[:_MAX_HEAD]):
                level, _ = self._level(loop["over"], whole, part)
                (whole if level == 2 else part).update({loop["name"]} if level else ())
                continue
            level, effect = self._level(statement, whole, part)
            if level and (name := self._foreach_parameter(at, statement)):
                (whole if level == 2 else part).add(name)
                continue
            if _MERGE_CALL.search(statement) and not self._executes:
                continue
            if (
                not level
                or LOGGED.match(statement.lstrip())
                or self._writes_to_discarding_sink(at, statement)
            ):
                continue
            if (assignment := _ASSIGNMENT.match(statement[:_MAX_HEAD])) and effect != "written":
                (whole if level == 2 else part).add(assignment[1])
                continue
            if effect in ("derived", "shown"):
                continue
            if depth < _MAX_DEPTH and (called := self._called_method(statement, whole, part)):
                self._follow_method(called, at, depth)
                continue
            (self.whole if level == 2 else self.part).append(at)

    def _statements(self, body: Block) -> Iterator[tuple[int, str]]:
        """The statements of a body, each with its offset, without the conditions of `if`."""
        start, depth = body[0], 0
        plain = self._text.plain
        for at in range(max(0, body[0]), min(body[1] + 1, len(plain))):
            char = plain[at]
            depth += (char in "([") - (char in ")]")
            is_continued = char == "\n" and plain[at : body[1]].lstrip().startswith((".", "{"))
            is_end = char in ";{}" or (char == "\n" and depth <= 0 and not is_continued)
            if is_end or at == body[1]:
                yield from self._without_condition(start, plain[start:at])
                start, depth = at + 1, 0

    def _without_condition(self, at: int, statement: str) -> Iterator[tuple[int, str]]:
        if condition := _CONDITION.match(statement):
            end = self._text.closed(at + condition.end() + 1)
            yield end, self._text.plain[end : at + len(statement)]
        else:
            yield at, statement

    def _level(self, statement: str, whole: set[str], part: set[str]) -> tuple[int, str]:
        """How much of a batch a statement uses (2 all, 1 a part, 0 nothing), and what its call
        chain does with it: `derived`, `shown`, `written` or empty."""
        level, effect = 0, ""
        for name in sorted(whole | part):
            for use in re.finditer(rf"(?<![\w.]){name}\b", statement):
                use_level, use_effect = (2 if name in whole else 1), "derived"
                before = statement[: use.start()].rstrip()
                if before.endswith(("(", ",", "+=")) and not self._is_derived(before):
                    use_effect = "written"
                end, links = use.end(), list[str]()
                while link := _CHAINED_CALL.match(statement, end):
                    links.append(link[1])
                    use_level = (
                        min(use_level, 1)
                        if link[1] in LIMITING_CALLS or link[1] == "takeAsList"
                        else use_level
                    )
                    if link[1] in ("writeTo", "save"):
                        use_effect = "written"
                    elif link[1] not in DERIVING_CALLS and link[1] not in _LIST_CALLS:
                        printed = _PRINTED.match(statement, link.start())
                        view = _VIEW_CALL.match(statement, link.start())
                        unseen = view and not re.search(r"\bsql\b", self._text.plain)
                        use_effect = "shown" if printed or unseen else "written"
                    end = self._closed(statement, link.end()) if link[2] else link.end()
                if _is_number(links):
                    continue
                is_more = (use_level, use_effect == "written") > (level, effect == "written")
                level, effect = (
                    (use_level, use_effect) if is_more or not effect else (level, effect)
                )
        return level, effect

    def _foreach_parameter(self, at: int, statement: str) -> str:
        """The parameter of the block of a `foreach {`; empty for any other statement."""
        end = at + len(statement)
        if self._text.plain[end : end + 1] != "{" or not (call := _FOREACH_CALL.search(statement)):
            return ""
        parameter = re.match(r"\s*\(?(\w+)\)?\s*=>", self._text.plain[end + 1 : end + 60])
        return str(call[1] or (parameter[1] if parameter else ""))

    @staticmethod
    def _is_derived(before: str) -> bool:
        """Whether the call before a parenthesis only derives a value from its argument."""
        word = re.search(r"(\w+)\s*\([^()]*$", before)
        return bool(word) and (word[1] if word else "") in DERIVING_CALLS

    @staticmethod
    def _closed(statement: str, at: int) -> int:
        depth = 1
        for here in range(at, len(statement)):
            depth += (statement[here] in "([{") - (statement[here] in ")]}")
            if depth == 0:
                return here + 1
        return len(statement)

    def _writes_to_discarding_sink(self, at: int, statement: str) -> bool:
        """Whether a statement writes to a sink that stores nothing."""
        return bool(_DISCARDING_FORMAT.search(self._code[at : at + len(statement)]))

    def _called_method(
        self, statement: str, whole: set[str], part: set[str]
    ) -> tuple[Block, set[str], set[str]] | None:
        """The body of the method that a statement calls, and which of its parameters hold all or a
        part of the batch."""
        call = re.fullmatch(r"\s*(?:this\.)?(\w+)\s*\(([^()]*)\)\s*", statement)
        bodies = self._text.bodies(call[1]) if call else []
        if call is None or len(bodies) != 1:
            return None
        pairs = [*zip(self._text.parameters(bodies[0]), call[2].split(","), strict=False)]
        whole_names = {name for name, argument in pairs if argument.strip() in whole}
        part_names = {name for name, argument in pairs if argument.strip() in part}
        return (bodies[0], whole_names, part_names) if whole_names or part_names else None

    def _follow_method(self, inner: tuple[Block, set[str], set[str]], at: int, depth: int) -> None:
        before = len(self.whole), len(self.part)
        self.follow(*inner, depth + 1)
        self.whole[before[0] :] = [at] * (len(self.whole) > before[0])
        self.part[before[1] :] = [at] * (len(self.part) > before[1])
