"""Results of processing records whose failures a chain of calls only logs:
`results.filter(Result::isFailure).forEach(log::error)`, `results.collect { case Left(e) =>
log.error(e) }`, `process(r).also { if (it is Failed) log.error(it) }`.

No error is thrown, so the commit after it covers the records that failed. A result that is passed
to other code may be handled there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import islice

from advisor.intake.programs.jvm.errors import flags as jvm_flags
from advisor.intake.programs.jvm.errors.error_functions import error_function, only_logs_error
from advisor.intake.programs.jvm.errors.outcome_predicates import failure_of_type, selects_failures
from advisor.intake.programs.jvm.errors.outcome_values import is_processing, outcome_values
from advisor.intake.programs.jvm.errors.outcomes import Failures
from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.records.derived_names import is_logged, log_arguments
from advisor.intake.programs.jvm.records.poll_chains import Step, steps
from advisor.intake.programs.jvm.surroundings import (
    ASSIGNED,
    ASSIGNED_PAIR,
    CONDITION_START,
    JUMP,
    MATCH,
    STATEMENT_START,
)
from advisor.intake.programs.jvm.text import Block, Text

_MOST, _MOST_USES, _DEEPEST, _LONGEST_HEAD = 60, 40, 9, 160
_LONGEST_FUNCTION = 1_000


class Fate(IntEnum):
    """What code does with the failures among results."""

    NOTHING = 0
    """Nothing, or the code does not distinguish them."""
    LOGS = 1
    ACTS = 2


class Part(IntEnum):
    """The results that a value holds."""

    ALL = 0
    FAILURES = 1
    OTHERS = 2
    """Successes, or results that are selected in another way."""


_PASSING = re.compile(
    r"stream|parallelStream|sequence|asScala|asJava|asSequence|iterator|view|to[A-Z]\w*|sorted\w*|distinct\w*"
    r"|sequential|parallel|unordered|reversed|onSuccess|peekRight|ifSuccess|ifRight|partition|boxed|get|cache"
)
_ELEMENT = re.compile(r"first\w*|last\w*|head\w*|findFirst|findAny|next")
_FILTER = re.compile(
    r"filter|filterNot|withFilter|takeIf|takeUnless|find\w*|firstOrNull|lastOrNull"
)
_TEST = re.compile(r"any|anyMatch|exists|none|noneMatch|all|allMatch|forall|count|contains")
_SIZE = re.compile(r"size|length|isEmpty|isNotEmpty|nonEmpty|isDefined|isPresent|count")
_INVERTED = frozenset({"filterNot", "takeUnless"})
_TRUE_WITHOUT = frozenset({"none", "noneMatch", "all", "allMatch", "forall"})
"""Tests that are true where no element fails their function, or none meets it."""
_FOR_EACH = frozenset({"forEach", "foreach", "forEachOrdered", "ifPresent", "let", "run"})
_OBSERVER = frozenset({"also", "onEach", "peek", "tap", "apply"})
"""Calls that return their receiver."""
_ON_FAILURE = re.compile(
    r"onFailure|onError|onLeft|peekLeft|ifLeft|ifFailed|ifFailure|ifError|orElseDo|otherwise|whenFailed"
)
_PROJECTION = re.compile(
    r"left|failed|swap|exceptionOrNull|errorOrNull|leftOrNull|(?:get)?(?:[lL]eft|[eE]rrors?|[fF]ailures?|[cC]ause)"
)
_FAILURE_VALUE = re.compile(
    r"[^;{}]*?\.\s*(?:exceptionOrNull|errorOrNull|leftOrNull|left|failed|swap)\b[\w\s.()]*"
)
_WAIT = re.compile(r"\w+\s*::\s*(?:join|get|resultNow)|\w+\s*\.\s*(?:join|get|await)\(\s*\)")
_TYPE_ARGUMENT = re.compile(r"<\s*([\w.]+)|\(\s*([\w.]+?)(?:\.class|::class)")
_PARTITION = re.compile(r"\bpartitioningBy\s*\((?P<function>[^,]*)")
_LAMBDA = re.compile(r"\s*\{?\s*\(?\s*(?:[A-Z]\w*\s+)?(?P<name>\w+)\s*(?::\s*\w+\s*)?\)?\s*[-=]>")
_CASE = re.compile(
    r"\bcase\b\s*(?P<pattern>[^=]{1,80})=>"
    r"(?P<body>(?:(?!\bcase\b)[^;\n}]|;(?!\s*case\b)|\n(?!\s*case\b))*)"
)
_FAILURE_PATTERN = re.compile(r"\s*(?:\w+\s*[@:]\s*)?(?P<type>\w+)")
_VALUE = re.compile(r"\s*\w+(?:\s*\.\s*\w+(?:\(\s*\))?)*\s*")
_LOG_REFERENCE = re.compile(
    r"\s*\(?\s*(?:\w+\s*\.\s*){0,3}(?i:\w*log(?:ger)?)\s*(?:::|\.)\s*\w+(?:\s*\(\s*_\s*\)|\s+_)?\s*"
)
_PRINT = re.compile(r"\s*(?:System\s*\.\s*(?:out|err)\s*::\s*)?(?:::)?print(?:ln)?\s*")
_OPTION = re.compile(r"\bOption\s*\((?:[^()]|\([^()]*\))*\)\s*$")
_ERROR_LEVEL = re.compile(r"(?:\.|::)\s*(?:error|warn\w*|severe|fatal)\b")
_LOOP_HEAD = re.compile(
    r"\bfor\s*\(\s*(?:(?P<type>[A-Z]\w*)\s*\(\s*\w+\s*\)"
    r"|(?:final\s+)?(?:va[lr]\s+|[A-Z][\w<>?, ]*\s)?\s*(?P<name>\w+))"
    r"\s*(?:\bin\b|<-|:)\s*$"
)
_CONDITION_CALL = re.compile(
    r"\bif\s*\(\s*(?P<not>!\s*)?(?:\w+\s*\.\s*){0,3}(?P<verb>[a-z]\w*)\s*\("
)
_SWITCH = re.compile(r"\b(?:when|switch)\s*\(\s*$")
_CLOSING = re.compile(r"\s*\)")
_WRITE = re.compile(r"\s*(?:=(?!=)|\+=|:(?!:)|\.\s*(?:add|append|addOne|clear|addAll)\s*\()")


def ignored_outcomes(
    text: Text, uses: re.Pattern[str], span: Block, loops: Sequence[Block] = ()
) -> Iterator[int]:
    """Yields the offset of each result, or list of results, of processing records in a span whose
    failures are only logged.

    `uses` matches the names of a record, and `loops` are the loops over polled records.
    """
    reader = _Reader(text, loops, in_function=bool(text.named(span)))
    begin = max(0, span[0])
    for value in outcome_values(text, uses, (begin, span[1])):
        part = Part.FAILURES if value.is_failure else Part.ALL
        if value.name:
            fate = reader.fate_of_name(value.name, (value.end, value.scope_end), _DEEPEST)
        else:
            fate = reader.fate(value.at, value.end, part, _DEEPEST)
        if fate is Fate.LOGS:
            yield value.at
    yield from reader.ignored_conditions(uses, (begin, span[1]))


class _Reader:
    """Reads the code that uses results."""

    def __init__(self, text: Text, loops: Sequence[Block], *, in_function: bool) -> None:
        self._text, self._plain, self._loops = text, text.plain, loops
        self._failures = Failures(text, loops, in_function=in_function)
        self._in_function = in_function

    def fate(self, begin: int, end: int, part: Part, depth: int) -> Fate:
        """Returns what code does with the failures in the value between two offsets."""
        fates = [Fate.NOTHING]
        if depth <= 0:
            return Fate.ACTS
        for step in steps(self._text, end):
            end = max(step.end + (self._plain[step.end : step.end + 1] in (")", "}")), step.begin)
            if step.name == "get" and Fate.LOGS in fates:
                return Fate.ACTS  # it throws the error
            result = self._step(step, part, depth)
            if isinstance(result, Part):
                part = result
                continue
            fate, is_last = result
            fates.append(fate)
            if is_last or fate is Fate.ACTS:
                return max(fates)
            if _TEST.fullmatch(step.name) or _SIZE.fullmatch(step.name):
                break
        fates.append(self._use(begin, end, part, depth))
        return max(fates)

    def ignored_conditions(self, uses: re.Pattern[str], span: Block) -> Iterator[int]:
        """Yields the conditions on the result of a call, `if (process(r).isFailure())`, that only
        log its failure."""
        text, plain = self._text, self._plain
        for match in islice(_CONDITION_CALL.finditer(plain, *span), _MOST):
            opened, end = plain.index("(", match.start()), text.closed(match.end())
            closed = text.closed(opened + 1)
            if not is_processing(match["verb"]) or not uses.search(plain, match.end(), end):
                continue
            rest = plain[end : closed - 1].strip()
            selected = selects_failures(f"x{rest}") if rest.startswith(".") else None
            if selected is None:
                continue
            first, second = jvm_flags.branches(text, closed)
            failed, rest = (
                (first, second) if selected is not bool(match["not"]) else (second, first)
            )
            if not JUMP.search(rest) and self._fate_of_branch(closed, failed) is Fate.LOGS:
                yield match.start()

    def _step(self, step: Step, part: Part, depth: int) -> Part | tuple[Fate, bool]:
        """Returns the results that are left after a step; or what the step does with failures, and
        whether it is the last one that matters."""
        code, name = self._plain[step.begin : max(step.begin, step.end)], step.name
        if name == "filterIsInstance" or (name == "collect" and "case" not in code):
            return self._collected(step, part, code)
        if name in ("collect", "collectFirst", "match") and "case" in code:
            return self._partial_function(code, part, depth)
        if _ON_FAILURE.fullmatch(name):
            return (Fate.LOGS if self._only_logs(code) else Fate.ACTS), False
        if name in ("fold", "match", "either") and code.strip():
            body = error_function(code, is_last=None)
            return (Fate.LOGS if only_logs_error(body) else Fate.ACTS), True
        if _PROJECTION.fullmatch(name) and part is Part.ALL:
            return Part.FAILURES
        if _FILTER.fullmatch(name) and code.strip():
            return self._filtered(name, code, part)
        if _ELEMENT.fullmatch(name):
            return part
        if name in _FOR_EACH or name in _OBSERVER:
            return self._applied(step, part, depth), name in _FOR_EACH
        if _TEST.fullmatch(name) and code.strip():
            return self._test(step, part, depth)
        if _SIZE.fullmatch(name):
            return self._value_of_test(step, part, value=not name.startswith("isEmpty"))
        if name in ("map", "mapNotNull", "flatMap"):
            return self._mapped(code, part)
        return part if _PASSING.fullmatch(name) else (Fate.ACTS, True)

    def _collected(self, step: Step, part: Part, code: str) -> Part | tuple[Fate, bool]:
        """The results after `filterIsInstance<Failed>()` or `collect(…)`."""
        if step.name == "collect" and "partitioningBy" in code:
            return self._partitioned(step, code), True
        if step.name == "collect":
            return (Fate.ACTS, True) if "groupingBy" in code else part
        argument = _TYPE_ARGUMENT.search(self._plain, step.at, step.end + 1)
        of_type = failure_of_type(argument[1] or argument[2]) if argument else None
        return Part.FAILURES if of_type else Part.OTHERS

    def _partitioned(self, step: Step, code: str) -> Fate:
        """What code does with the failures in a map by `Collectors.partitioningBy`."""
        function = _PARTITION.search(code)
        selected = selects_failures(function["function"]) if function else None
        begin = self._text.chain(step.begin - 1)
        name = ASSIGNED.search(self._plain, max(0, begin - _LONGEST_HEAD), begin)
        if selected is None or name is None:
            return Fate.ACTS
        key = rf"\b{name[1]}\s*\.\s*get\s*\(\s*{str(selected).lower()}\s*\)"
        uses = re.compile(key).finditer(self._plain, step.end, self._text.block(step.end)[1])
        fates = [self.fate(*use.span(), Part.FAILURES, 2) for use in islice(uses, _MOST)]
        return max(fates, default=Fate.NOTHING)

    def _filtered(self, name: str, code: str, part: Part) -> Part:
        selected = selects_failures(code)
        if part is not Part.ALL or selected is None:
            return part if part is Part.FAILURES else Part.OTHERS
        return Part.FAILURES if selected is not (name in _INVERTED) else Part.OTHERS

    def _mapped(self, code: str, part: Part) -> Part | tuple[Fate, bool]:
        """The results after `map`: errors that it extracts, or what its function does with them."""
        head = _LAMBDA.match(code)
        function = code[head.end() if head else 0 :].strip().strip("{};").strip()
        if part is Part.ALL and _WAIT.fullmatch(function):
            return part
        if part is Part.ALL and _FAILURE_VALUE.fullmatch(function):
            return Part.FAILURES
        if part is Part.FAILURES and (_VALUE.fullmatch(function) or "::" in function):
            return part
        if part is Part.FAILURES:
            return (Fate.LOGS if self._only_logs(code) else Fate.ACTS), True
        return Fate.ACTS, True

    def _partial_function(self, code: str, part: Part, depth: int) -> Part | tuple[Fate, bool]:
        """What the cases of Scala's partial function do with failures."""
        cases = [(failure_of_type(pattern["type"]), case["body"]) for case in _CASE.finditer(code)
                 if (pattern := _FAILURE_PATTERN.match(case["pattern"]))]  # fmt: skip
        typed = [(failure_of_type(case["pattern"].rpartition(":")[2].strip()), case["body"])
                 for case in _CASE.finditer(code) if ":" in case["pattern"]]  # fmt: skip
        failures = [body for is_failure, body in [*cases, *typed] if is_failure]
        if not failures or part is not Part.ALL:
            return Part.OTHERS
        if all(_VALUE.fullmatch(body) for body in failures):
            return Part.FAILURES
        return (Fate.LOGS if all(map(self._only_logs, failures)) else Fate.ACTS), True

    def _only_logs(self, code: str) -> bool:
        """Whether a function only logs its argument."""
        if len(code) > _LONGEST_FUNCTION:
            return False
        if _LOG_REFERENCE.fullmatch(code) or _PRINT.fullmatch(code):
            return True
        head = _LAMBDA.match(code)
        body = code[head.end() if head else 0 :].strip().removeprefix("{").removesuffix("}")
        return bool(body.strip()) and only_logs(body, in_function=True)

    def _applied(self, step: Step, part: Part, depth: int) -> Fate:
        """What a function that is called with each result does with failures."""
        code = self._plain[step.begin : max(step.begin, step.end)]
        if part is Part.OTHERS:
            return Fate.NOTHING if self._only_logs(code) else Fate.ACTS
        if part is Part.FAILURES:
            return Fate.LOGS if self._only_logs(code) else Fate.ACTS
        if self._only_logs(code) and "if" not in code.split("(")[0]:
            is_error = step.name == "ifPresent" or self._is_option(step.at)
            return (
                Fate.LOGS
                if is_error and _ERROR_LEVEL.search(code)
                else self._each_of_all(step, code, depth)
            )
        return self._each_of_all(step, code, depth)

    def _is_option(self, at: int) -> bool:
        """Whether the receiver of a call is an Option: it holds the error that a call returns."""
        return bool(_OPTION.search(self._plain[max(0, at - _LONGEST_HEAD) : at]))

    def _each_of_all(self, step: Step, code: str, depth: int) -> Fate:
        if "case" in code.lstrip()[:5]:
            result = self._partial_function(code, Part.ALL, depth)
            return result[0] if isinstance(result, tuple) else self._quiet(code)
        function = _LAMBDA.match(self._plain, step.begin, max(step.begin, step.end))
        name = function["name"] if function else "this" if step.name in ("run", "apply") else "it"
        if not function and re.match(r"\s*_\s*\.", code):
            name = "_"
        body = (function.end() if function else step.begin), max(step.begin, step.end)
        return self.fate_of_name(name, body, depth - 1)

    def _quiet(self, code: str) -> Fate:
        return Fate.NOTHING if self._only_logs(code) else Fate.ACTS

    def _test(self, step: Step, part: Part, depth: int) -> tuple[Fate, bool]:
        """What code does where `any`, `all` or `count` says that something failed."""
        code = self._plain[step.begin : max(step.begin, step.end)]
        is_constant = step.name == "contains"
        selected = failure_of_type(code.strip()) if is_constant else selects_failures(code)
        if selected is None or part is not Part.ALL:
            return Fate.ACTS, True
        inverted = step.name in _TRUE_WITHOUT
        is_all = step.name in ("all", "allMatch", "forall")
        if selected is is_all:
            return Fate.ACTS, True  # whether anything succeeded
        return self._value_of_test(step, Part.FAILURES, value=not inverted)

    def _value_of_test(self, step: Step, part: Part, *, value: bool) -> tuple[Fate, bool]:
        """What code does where a boolean or a number has this value, or is not 0."""
        if part is not Part.FAILURES:
            return (Fate.NOTHING if part is Part.ALL else Fate.ACTS), True
        text, plain = self._text, self._plain
        opened = min(step.begin, step.end)
        begin = (
            text.chain(step.begin - 1)
            if plain[step.begin - 1 : step.begin] in ("(", "{")
            else text.chain(step.begin)
        )
        end = max(opened, step.end + (plain[step.end : step.end + 1] in (")", "}")))
        before = plain[max(0, begin - _LONGEST_HEAD) : begin]
        if condition := CONDITION_START.search(before):
            rest = re.compile(r"\s*(?:(?:>|!=)\s*0)?\s*\)").match(plain, end)
            if rest is None:
                return Fate.ACTS, True
            then, other = jvm_flags.branches(text, rest.end())
            failed = then if value is not bool(condition["not"]) else other
            return self._fate_of_branch(rest.end(), failed), True
        if name := ASSIGNED.search(before):
            scope = end, text.block(end)[1]
            unchecked = jvm_flags.is_never_checked(
                text, name[1], value, scope, loops=self._loops, in_function=self._in_function
            )
            return (Fate.LOGS if unchecked else Fate.ACTS), True
        return (Fate.LOGS if is_logged(self._text, begin) else Fate.ACTS), True

    def _fate_of_branch(self, at: int, code: str) -> Fate:
        is_ignored = jvm_flags.ignores_failure(
            self._text, at, code, loops=self._loops, in_function=self._in_function
        )
        return Fate.LOGS if is_ignored else Fate.ACTS

    def _use(self, begin: int, end: int, part: Part, depth: int) -> Fate:
        """What the code around a value does with its failures."""
        text, plain = self._text, self._plain
        before = plain[max(0, begin - _LONGEST_HEAD) : begin]
        if head := MATCH.match(plain, end):
            block = text.block_of(head.end() - 1)
            return Fate.LOGS if self._failures.are_ignored_in_cases(block) else Fate.ACTS
        if parts := ASSIGNED_PAIR.search(before):
            return self._use_of_parts(begin, end, parts)
        if name := ASSIGNED.search(before):
            return self._use_of_name(name[1], (end, text.block(end)[1]), part, depth)
        closing = _CLOSING.match(plain, end)
        if loop := _LOOP_HEAD.search(before):
            return self._use_in_loop(loop, closing.end() if closing else end, part, depth)
        if is_logged(self._text, begin):
            return Fate.LOGS if part is Part.FAILURES else Fate.NOTHING
        return Fate.NOTHING if STATEMENT_START.search(before) else Fate.ACTS

    def _use_of_name(self, name: str, scope: Block, part: Part, depth: int) -> Fate:
        if part is Part.ALL:
            return self.fate_of_name(name, scope, depth - 1)
        if part is Part.OTHERS:
            return Fate.NOTHING
        unchecked = jvm_flags.is_never_checked(
            self._text, name, True, scope, loops=self._loops, in_function=self._in_function
        )
        return Fate.LOGS if unchecked else Fate.ACTS

    def _use_of_parts(self, begin: int, end: int, parts: re.Match[str]) -> Fate:
        """What code does with the failures of `partition`, which returns two lists."""
        function = re.search(r"\.\s*partition\s*[({]", self._plain[begin:end])
        selected = (
            selects_failures(self._plain[begin + function.end() : end - 1]) if function else None
        )
        if selected is None:
            return Fate.ACTS
        scope = end, self._text.block(end)[1]
        return self._use_of_name(parts[1 if selected else 2], scope, Part.FAILURES, 1)

    def _use_in_loop(self, loop: re.Match[str], at: int, part: Part, depth: int) -> Fate:
        body = self._text.controlled_block(at)
        code = self._plain[slice(*body)].removeprefix("{")
        if loop["type"]:
            part = Part.FAILURES if failure_of_type(loop["type"]) else Part.OTHERS
        if part is Part.FAILURES:
            return Fate.LOGS if only_logs(code) else Fate.ACTS
        if part is Part.OTHERS:
            return Fate.NOTHING
        return self.fate_of_name(loop["name"] or "_", body, depth - 1)

    def fate_of_name(self, name: str, scope: Block, depth: int) -> Fate:
        """Returns what the code in a scope does with the failures in a variable."""
        if depth <= 0:
            return Fate.ACTS
        uses = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)").finditer(self._plain, *scope)
        logged = [*log_arguments(self._text, scope)]
        fates, done = [Fate.NOTHING], scope[0]
        for use in islice(uses, _MOST_USES):
            is_logged = any(start < use.start() < end for start, end in logged)
            if use.start() < done or is_logged or _WRITE.match(self._plain, use.end()):
                continue
            fate, done = self._fate_of_use(use, depth)
            fates.append(fate)
        return max(fates)

    def _fate_of_use(self, use: re.Match[str], depth: int) -> tuple[Fate, int]:
        """Returns what one use of a variable does with its failures, and where code that depends
        on a condition ends."""
        text, plain = self._text, self._plain
        head = plain[max(0, use.start() - _LONGEST_HEAD) : use.start()]
        if _SWITCH.search(head) and (closing := _CLOSING.match(plain, use.end())):
            block = text.block_of(plain.find("{", closing.end()))
            is_ignored = self._failures.are_ignored_in_cases(block)
            return (Fate.LOGS if is_ignored else Fate.ACTS), block[1]
        if condition := re.search(r"\bif\s*\(\s*!?\s*$", head):
            opened = (
                max(0, use.start() - _LONGEST_HEAD) + condition.start() + condition[0].index("(")
            )
            end = text.closed(opened + 1)
            selected = selects_failures(plain[opened + 1 : end - 1])
            if selected is not None:
                first, second = jvm_flags.branches(text, end)
                failed, rest = (first, second) if selected else (second, first)
                if JUMP.search(rest):
                    return Fate.ACTS, end
                return self._fate_of_branch(end, failed), text.controlled_block(end)[1]
        return self.fate(use.start(), use.end(), Part.ALL, depth - 1), use.end()
