"""Return values in JVM code that say whether a record was processed, and that nothing reads.

No error propagates from a method that returns whether it succeeded, from `withTimeoutOrNull`
(kotlinx.coroutines: null after the timeout), from `onComplete`, `whenComplete` and `andThen`
(called for an error, too), nor from fallbacks (Failsafe, Resilience4j).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from advisor.intake.programs.facts import SUCCESS, VERBS
from advisor.intake.programs.jvm.errors import calls as jvm_calls
from advisor.intake.programs.jvm.errors import flags as jvm_flags
from advisor.intake.programs.jvm.errors import when_branches
from advisor.intake.programs.jvm.errors.callbacks import callback_of
from advisor.intake.programs.jvm.errors.error_functions import error_function, only_logs_error
from advisor.intake.programs.jvm.errors.handlers import (
    BOOLEAN,
    chains_only_logging,
    is_retried,
    swallowing_handlers,
)
from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.records.derived_names import log_arguments
from advisor.intake.programs.jvm.surroundings import ASSIGNED, STATEMENT_START
from advisor.intake.programs.jvm.text import Block, Text

_LIMIT, _HEAD = 60, 120
_RESULT_VARIABLE = re.compile(
    r"(?<=[;{}\n>])\s*(?:final\s+)?(?:(?P<java_type>boolean|Boolean)\s+|va[lr]\s+"
    r"|[A-Z]\w*(?:<[\w<>?, ]{0,60}>)?\s+)(?P<name>\w+)"
    r"(?P<type>\s*:\s*Boolean\b)?(?:\s*:\s*[\w<>?., ]{1,60})?\s*=(?![=>])(?P<value>[^;{}\n]{1,300})"
)
_CHECK = (
    r"\bif\s*\(\s*!?\s*{0}\s*\.\s*is(?:Failure|Success|Successful|Error|Left|Right)\b"
    r"|(?<![\w.]){0}\s*\.\s*(?:onFailure|onLeft|peekLeft|ifLeft|ifFailure|mapLeft|leftMap"
    r"|fold)\s*[({{]"
)
_OPTIONAL = r"(?<![\w.]){0}\s*\.\s*ifPresentOrElse\s*\("
"""A check of an Optional, which is a result only of a call that processes a record."""
_LAST_CALL = re.compile(r"(\w+)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*\}?\s*$")
ACTION = rf"(?:{VERBS}|(?:try|attempt|attemptTo|do|safe|safely)(?=[A-Z])(?i:{VERBS}))\w*"
"""Names of calls that process a record: `save`, `trySave`."""
_QUESTION = re.compile(
    rf"(?!{ACTION})(?:is|has|contains|exists|equals|matches|can|should|seen|test|filter|startsWith|endsWith|add"
    r"|remove|offer|put|try|accept|needs|was|check|valid|validate|verify|parse|already|allow)(?![a-z])\w*"
    r"|\w*IfAbsent"
)
"""Names of calls that ask a question, and do not process a record."""
_ACTION_CONDITION = re.compile(rf"\bif\s*\(\s*(?P<not>!\s*)?(?:\w+\s*\.\s*){{0,3}}{ACTION}\s*\(")
"""A condition that processes a record, and checks whether that succeeded."""
_METHOD_CALL = (
    r"(?<=[;{{}}\n>])[ \t]*(?:(?P<condition>if\s*\(\s*!?\s*)|(?:[\w<>?,.]+\s+)?(?P<name>\w+)"
    r"(?:\s*:[^=;{{}}]{{1,60}})?\s*=(?!=)\s*)?(?:\w+\s*\.\s*)?\b{0}\s*\((?![^(){{}};]*\)\s*(?:throws\b[^{{;]*)?\{{)"
)
"""A call of a method, and the condition or the variable that takes its value."""
_FAILURE_TEST = re.compile(r"\(\s*!|==\s*(?:null|false)\b|\bisEmpty\b")
_JUMP = re.compile(r"\b(?:continue|return|break)\b")
_OR_THROW = re.compile(r"\s*\.\s*(?:orElseThrow|getOrThrow)\b")
_ATTEMPT_LOOP = re.compile(
    r"\b(?:while\s*\(|for\s*\([^;(){}]{0,80};)(?=[^{};]{0,120}[<>])[^{};]{0,120}!\s*(?P<name>\w+)\b"
    r"(?!\s*[.(=])[^{}]{0,120}?\)\s*\{"
)
_LAST_ATTEMPT_THROW = (
    r"\bif\s*\([^(){{}}]*\b(?:{0})\s*(?:(?:==|>)[^(){{}}]*\)"
    r"|<[^(){{}}]*\)\s*\{{[^{{}}]*\}}\s*else\b)\s*\{{?\s*throw\b"
)
"""An `if` that throws the error of the last attempt."""
_WITH_FALLBACK = re.compile(
    r"\b\w*[rR]etry\w*\s*\.\s*execute\s*\("
    r"|\b\w*(?:[bB]reaker\w*|cb)\s*(?:\.\s*create\s*\([^()]*\)\s*)?\.\s*run\s*\("
)
"""Calls whose second argument takes over after an error (Spring Retry, RetryTemplate; Spring Cloud,
CircuitBreaker)."""
_ASSIGNED_ATTEMPT = re.compile(
    r"(?P<assigned>\bva[lr]\s+(?P<name>\w+)(?:\s*:\s*[\w\[\]<>, ]{1,60})?\s*=\s*)"
    r"(?:\w+\s*\.\s*)?(?:Try|runCatching)\s*[({]"
)
_FILTER_BY_ATTEMPT = re.compile(
    r"(?:\.\s*(?:filter|withFilter|takeIf)\s*[({]\s*(?:\(?\w+\)?\s*[-=]>\s*)?"
    r"|<-[^;{}\n]{1,120}\bif\s+)(?:Try|runCatching)\s*[({]"
)
_IS_SUCCESS = re.compile(r"\s*\.\s*(?:isSuccess|toOption\s*\.\s*(?:isDefined|nonEmpty))\b")
_TO_OPTION = re.compile(r"(?:\s*\.\s*to(?:Option|Either)\b)?")
_MATCH = re.compile(
    r"(?<=[;{}\n>])[ \t]*[\w.]+\s*\([^;{}\n]*\)\s*match\s*\{|\b(?:when|switch)\s*\([^{};\n]*\)\s*\{"
)
_FAILURE_CASE = re.compile(
    r"(?:\bcase\s+(?:Failure|Left|Invalid)\b[^=]{0,60}=>"
    r"|\b(?:is|case)\s+[\w.]*(?:Failure|Failed|FAILED|FAILURE|Left|Err|Error|ERROR)\b[^-]{0,40}->)"
    r"(?P<body>(?:(?!\bcase\b|\bis\s)[\s\S])*)"
)
_ON_ERROR = re.compile(
    r"(?<=[)}])\s*\.\s*(?:(?:onFailure|onLeft|peekLeft|ifLeft|(?:left|failed|swap)\s*\.\s*foreach)\s*[({]|getOrElse\s*\{|fold\s*\(|ifPresentOrElse\s*\()"
)
"""Calls that handle an error that another call returned."""
_ACTION_CALL = re.compile(rf"(?:\w+\s*\.\s*){{0,3}}{ACTION}\s*\(")
_WITH_TIMEOUT = re.compile(r"\bwithTimeoutOrNull\s*\([^(){}]*(?:\([^()]*\))?[^(){}]*\)\s*\{")
_ELVIS = re.compile(r"\s*\?:\s*(?P<alternative>[^\n;}]*)")
_COMPLETION_CALL = re.compile(
    r"\.\s*(?P<verb>onComplete|andThen|whenComplete(?:Async)?|handle(?:Async)?|doFinally"
    r"|transform|doOnTerminate|invokeOnCompletion|addListener|addOnCompleteListener)\s*[({]"
)
_SCALA_METHOD = re.compile(r"\bdef\s+\w+\s*\(")
"""A method of Scala, which returns its last value."""
_SCALA_LAMBDA = re.compile(r"\s*[({]?\s*(?:case\s+)?(?P<pattern>_|\w+)\s*=>(?P<body>[\s\S]*)")
_CASE = re.compile(r"\bcase\b\s*(?P<pattern>[^=]{1,80})=>(?P<body>(?:(?!\bcase\b)[\s\S])*)")
_OUTCOME_CHECK = re.compile(r"\b(?:if|match|when|Success|Failure|isSuccess|isFailure)\b")
_FALLBACK = re.compile(
    r"\bFallback\s*\.\s*(?:<[\w<>?, ]*>\s*)?(?:of|ofException|builder|none)\w*\s*\("
    r"|\.\s*withFallback\s*\("
)
_FAILSAFE = re.compile(r"\bFailsafe\s*\.\s*with\s*\(")
_NO_OPERATION = re.compile(
    r"\s*(?:\(\s*\w+\s*\)\s*)?"
    r"(?:null|\(\s*\)\s*->\s*(?:null|\{\s*\}|\s*)|true|false|Optional\.empty\(\)|\s*)\s*"
)
_LAMBDA = re.compile(r"(?:\(\s*[\w, ]*\s*\)|\b\w+)\s*->(?P<body>[\s\S]*)$")


def unread_results(
    text: Text, uses: re.Pattern[str], span: Block, loops: Sequence[Block] = (), *,
    in_function: bool = False,
) -> Iterator[int]:  # fmt: skip
    """Yields the offset of each result that says whether a record was processed, if nothing reads
    it, or only a commit depends on it.

    `uses` matches the names of a record, and `loops` are the blocks of the loops over polled
    records.
    """
    plain = text.plain
    for match in islice(_RESULT_VARIABLE.finditer(plain, max(0, span[0]), span[1]), _LIMIT):
        verb = _LAST_CALL.search(match["value"])
        is_result = match["java_type"] or match["type"] or SUCCESS.fullmatch(match["name"])
        check = _CHECK + (f"|{_OPTIONAL}" if verb and re.fullmatch(ACTION, verb[1]) else "")
        is_result = is_result or re.compile(check.format(match["name"])).search(
            plain, match.end(), span[1]
        )
        is_stored = match["java_type"] and verb and verb[1] in ("put", "offer")
        if not is_result or not verb or (_QUESTION.fullmatch(verb[1]) and not is_stored):
            continue
        if uses.search(plain, match.start("value"), match.end()) and not is_name_read(
            text, match["name"], match.end(), loops
        ):
            yield match.start("name")
    for match in islice(_ACTION_CONDITION.finditer(plain, max(0, span[0]), span[1]), _LIMIT):
        end = text.closed(plain.index("(", match.start()) + 1)
        is_whole = plain[text.closed(match.end()) : end].strip() == ")"
        if match["not"]:
            is_ignored = _is_failure_ignored(text, end, loops, in_function=in_function)
        else:
            is_ignored = is_whole and jvm_flags.commits_only_if(text, end, in_function=in_function)
        if is_ignored and uses.search(plain, match.end(), end):
            yield match.start()
    yield from _unchecked_timeouts(text, uses, span)
    yield from _unchecked_attempts(text, uses, span)
    yield from logged_error_values(text, uses, span)
    yield from _filtered_failures(text, uses, span)


def unchecked_calls(text: Text, attempts: Iterable[int]) -> Iterator[int]:
    """Yields the offset of each handler, of an attempt at one of these offsets, that only logs the
    error and returns false or nothing, if a caller does not check the result of its method.

    A handler is not among them if its attempt is retried.
    """
    places = [*attempts]
    for handler in swallowing_handlers(text, in_function=True, others=BOOLEAN.fullmatch):
        start, stop = handler.attempt
        body = next(
            (block[:2] for block in reversed(text.around(start)) if text.named(block[:2])), None
        )
        if body is None or not any(start < at < stop for at in places):
            continue
        if not is_retried(text, handler.attempt, body) and any(
            _is_result_unchecked(text, name, places) for name in text.named(body)
        ):
            yield handler.at


def is_result_checked(text: Text, body: Block, attempt: Block) -> bool:
    """Whether a method returns a value from an attempt, and another one after an error, and each
    caller checks which."""
    returns_value = re.compile(r"\breturn\b\s*[^\s;]").search(text.plain, *attempt)
    if not returns_value and not _SCALA_METHOD.search(text.plain):
        return False
    name = next(iter(text.named(body)), "") or "(?!)"
    calls = [*islice(re.finditer(_METHOD_CALL.format(name), text.plain), _LIMIT)]
    return bool(calls) and all(_checks_result(text, call) for call in calls)


def _checks_result(text: Text, call: re.Match[str]) -> bool:
    """Whether the caller acts where a call has returned nothing."""
    end = text.closed(call.end())
    if call["condition"]:
        return _acts_on_failure(
            text, call.start(), text.closed(text.plain.index("(", call.start()) + 1)
        )
    if _OR_THROW.match(text.plain, end):
        return True
    stop = text.block(end)[1]
    if not (name := call["name"]):
        return False
    if re.compile(rf"\brequireNonNull\s*\(\s*{name}\b|\b{name}\s*{_OR_THROW.pattern}").search(
        text.plain, end, stop
    ):
        return True
    condition = re.compile(rf"\bif\s*\((?:\s*!)?\s*{name}\b[^(){{}};]*(?:\(\)\s*)?\)")
    conditions = condition.finditer(text.plain, end, stop)
    return any(_acts_on_failure(text, match.start(), match.end()) for match in conditions)


def _acts_on_failure(text: Text, begin: int, end: int) -> bool:
    """Whether the code acts on the failure that the condition between two offsets tests for."""
    first, second = jvm_flags.branches(text, end)
    if _FAILURE_TEST.search(text.plain, begin, end):
        return not only_logs(first)
    return not only_logs(second) or bool(_JUMP.search(first))


def _is_result_unchecked(text: Text, name: str, places: list[int]) -> bool:
    """Whether a caller ignores the result of a method. Calls around these offsets do not count."""
    call = rf"(?:(?:this|\w+)\s*\.\s*)?{name}\s*\("
    statement = rf"(?<=[;{{}}\n])\s*{call}[^;{{}}]*\)\s*[;\n]"
    uses = re.compile(rf"\b{name}\s*\(")
    calls = (match.span() for match in islice(re.finditer(statement, text.plain), _LIMIT))
    if any(not any(start <= at < end for at in places) for start, end in calls):
        return True
    negated = re.compile(rf"\bif\s*\(\s*!\s*(?:\w+\s*\.\s*)?{name}\s*\(")
    for match in islice(negated.finditer(text.plain), _LIMIT):
        if _is_failure_ignored(text, text.closed(text.plain.index("(", match.start()) + 1)):
            return True
    return any(unread_results(text, uses, (0, len(text.plain))))


def _filtered_failures(text: Text, uses: re.Pattern[str], span: Block) -> Iterator[int]:
    """Yields the filters that skip failed attempts: `rs.filter { runCatching { … }.isSuccess }`."""
    for match in islice(_FILTER_BY_ATTEMPT.finditer(text.plain, max(0, span[0]), span[1]), _LIMIT):
        end = text.closed(match.end())
        if _IS_SUCCESS.match(text.plain, end) and uses.search(text.plain, match.start(), end):
            yield match.start()


def logged_error_values(text: Text, uses: re.Pattern[str], span: Block) -> Iterator[int]:
    """Yields the offsets of errors that are held as a value, and are only logged."""
    plain = text.plain
    for match in islice(_ASSIGNED_ATTEMPT.finditer(plain, max(0, span[0]), span[1]), _LIMIT):
        end = text.closed(match.end())
        end += len(_TO_OPTION.match(plain, end)[0])  # type: ignore[index]
        is_whole = not plain[end : end + 20].lstrip(" ").startswith((".", "?"))
        if is_whole and uses.search(plain, match.end(), end):
            is_ignored = _is_unread(text, match.end("assigned"), end)
            yield from (match.start("name"),) if is_ignored else ()
    for match in islice(_MATCH.finditer(plain, max(0, span[0]), span[1]), _LIMIT):
        block = text.block_of(match.end() - 1)
        inside = plain[block[0] + 1 : block[1]]
        bodies = [case["body"] for case in _FAILURE_CASE.finditer(inside)]
        if bodies and all(map(only_logs, bodies)) and uses.search(plain, match.start(), block[0]):
            yield match.start()
    for match in islice(_ON_ERROR.finditer(plain, max(0, span[0]), span[1]), _LIMIT):
        opened = match.end() - 1
        end = text.closed(match.end())
        code = plain[match.end() : end - 1]
        if "getOrElse" in match[0] and not re.search(r"\bit\b|->", code):
            continue  # the value is an Option
        begin = text.chain(opened)
        if "Present" in match[0] and not _ACTION_CALL.match(plain, begin):
            continue
        is_pair = "fold" in match[0] or "Present" in match[0]
        if is_pair and len(text.arguments(match.end())) != 2:
            continue
        body = jvm_calls.lambda_body(code.strip().removeprefix("{"))
        is_handler = plain[opened] == "{" or bool(body.strip())  # not Mutiny's onFailure()
        ends_chain = not re.match(
            r"\s*\.\s*(?:get|getOr(?:Else)?(?:Throw)?|orElseThrow)\b", plain[end : end + 30]
        )
        on_error = error_function(code, is_last="Present" in match[0] or None)
        is_logged = only_logs_error(on_error) if is_pair else only_logs(body)
        is_ignored = is_logged and is_handler and ends_chain and _is_unread(text, begin, end)
        if is_ignored and uses.search(plain, begin, opened):
            yield match.start()


def _is_unread(text: Text, begin: int, end: int) -> bool:
    """Whether nothing but a log reads the value of an expression: it is a statement, or assigned to
    a variable that nothing reads."""
    before = text.plain[max(0, begin - _HEAD) : begin]
    if variable := ASSIGNED.search(before):
        name, scope = variable[1], (end, text.block(end)[1])
        return not is_name_read(text, name, end) or jvm_flags.is_never_checked(
            text, name, False, scope, in_function=True
        )
    return bool(STATEMENT_START.search(before))


def _unchecked_attempts(text: Text, uses: re.Pattern[str], span: Block) -> Iterator[int]:
    """Yields the loops that make a limited number of attempts, and whose outcome nothing checks."""
    for match in islice(_ATTEMPT_LOOP.finditer(text.plain, max(0, span[0]), span[1]), _LIMIT):
        start, end = text.block_of(match.end() - 1)
        name, inside = match["name"], text.plain[start:end]
        if not re.search(rf"\b{name}\s*=(?!=)", inside) or not uses.search(inside):
            continue
        counts = "|".join(set(re.findall(r"(\w+)\s*[<>]", match[0]))) or "(?!)"
        throws_last = re.search(_LAST_ATTEMPT_THROW.format(counts), inside)
        if not throws_last and not is_name_read(text, name, end + 1):
            yield start


def _is_failure_ignored(
    text: Text, at: int, loops: Sequence[Block] = (), *, in_function: bool = False
) -> bool:
    """Whether the branch after a condition only logs, or leaves a loop over polled records, and
    there is no `else`."""
    first, second = jvm_flags.branches(text, at)
    is_ignored = jvm_flags.ignores_failure(text, at, first, loops=loops, in_function=in_function)
    return not second and bool(first.strip()) and is_ignored


def is_name_read(text: Text, name: str, at: int, loops: Sequence[Block] = ()) -> bool:
    """Whether anything other than a log or a commit reads a name in the block around an offset."""
    stop = text.block(at)[1]
    ignored = [*log_arguments(text, (at, stop))]
    condition = re.compile(
        rf"\bif\s*\(\s*(?P<not>!\s*)?{name}\s*(?:\.\s*is(?:Failure|Success(?:ful)?|Error|Left|Right)\b(?:\(\))?\s*)?"
        r"(?P<is>[!=]=\s*(?:true|false)\s*)?\)"
    )
    for match in condition.finditer(text.plain, at, stop):
        is_plain = not (match["not"] or match["is"] or re.search("Failure|Left|Error", match[0]))
        is_ignored = _is_failure_ignored(text, match.end(), loops)
        is_ignored = is_ignored or (is_plain and jvm_flags.commits_only_if(text, match.end()))
        ignored += [match.span()] if is_ignored else []
    ignored += when_branches.branches_ignoring_failure(text, name, (at, stop), loops)
    ignored += chains_only_logging(text, name, (at, stop))
    uses = re.compile(rf"(?<![\w.]){name}\b").finditer(text.plain, at, stop)
    return any(not any(start <= use.start() < end for start, end in ignored) for use in uses)


def _unchecked_timeouts(text: Text, uses: re.Pattern[str], span: Block) -> Iterator[int]:
    """Yields the timeouts of processing that nothing checks."""
    plain = text.plain
    for match in islice(_WITH_TIMEOUT.finditer(plain, max(0, span[0]), span[1]), _LIMIT):
        block = text.block_of(match.end() - 1)
        if not uses.search(plain, *block):
            continue
        before, after = plain[max(0, match.start() - _HEAD) : match.start()], block[1] + 1
        alternative = _ELVIS.match(plain, after)
        if alternative and only_logs(alternative["alternative"], in_function=True):
            yield match.start()
        elif alternative or re.match(r"\s*(?:\?\.|\.|[!=]=)", plain[after : after + 20]):
            continue
        elif variable := ASSIGNED.search(before):
            yield from () if is_name_read(text, variable[1], after) else (match.start(),)
        elif STATEMENT_START.search(before):
            yield match.start()


def commits_regardless(text: Text, commits: re.Pattern[str], span: Block) -> Iterator[int]:
    """Yields the callbacks of futures that commit, whatever the outcome of the future."""
    for match in islice(_COMPLETION_CALL.finditer(text.plain, max(0, span[0]), span[1]), _LIMIT):
        opened = match.end() - 1
        is_block = text.plain[opened] == "{"
        end = text.block_of(opened)[1] if is_block else text.closed(opened + 1) - 1
        code = text.plain[opened + 1 : end]
        if not commits.search(code):
            continue
        if any(map(commits.search, _code_for_error(match["verb"], code))):
            yield match.start()


def _code_for_error(verb: str, code: str) -> Iterator[str]:
    """Yields the code of a callback that also runs for an error."""
    if re.match(r"\s*[({]?\s*\(?\s*[\w ]+,\s*[\w ]+\)?\s*->", code):
        callback = callback_of(code, code)
        yield callback.with_error() if callback else ""
        return
    cases = [*_CASE.finditer(code)]
    for case in cases:
        is_error = re.fullmatch(r"\s*(?:_|\w+|Failure\b.*|Left\b.*)\s*", case["pattern"])
        yield case["body"] if is_error and not _OUTCOME_CHECK.search(case["body"]) else ""
    if cases or verb == "transform":
        return
    whole = _SCALA_LAMBDA.match(code)
    body = whole["body"] if whole else code
    yield body if not _OUTCOME_CHECK.search(body) else ""


def replaced_errors(text: Text, span: Block) -> Iterator[int]:
    """Yields the fallbacks that replace the error of a record and do nothing."""
    plain = text.plain
    for match in islice(_FALLBACK.finditer(plain, max(0, span[0]), span[1]), _LIMIT):
        if _does_nothing(plain[match.end() : text.closed(match.end()) - 1]):
            yield match.start()
    for match in islice(_WITH_FALLBACK.finditer(plain, max(0, span[0]), span[1]), _LIMIT):
        recovery = jvm_calls.after_first_argument(plain[match.end() : text.closed(match.end()) - 1])
        if recovery and _does_nothing(recovery):
            yield match.start()
    for match in islice(_FAILSAFE.finditer(plain, max(0, span[0]), span[1]), _LIMIT):
        end = text.closed(match.end())
        for name in re.findall(r"\b\w+\b", plain[match.end() : end - 1]):
            assignment = re.compile(rf"\b{name}\s*(?::[^=;]{{0,60}})?=\s*(?={_FALLBACK.pattern})")
            for declaration in islice(assignment.finditer(plain), 1):
                opened = plain.index("(", declaration.end()) + 1
                if _does_nothing(plain[opened : text.closed(opened) - 1]):
                    yield match.start()


def _does_nothing(arguments: str) -> bool:
    last = re.split(r",(?![^(]*\))", arguments)[-1]
    if _NO_OPERATION.fullmatch(last):
        return True
    function = _LAMBDA.search(arguments)
    if function is None:
        return False
    body = function["body"].strip()
    body = body.removeprefix("{").removesuffix("}")
    return bool(_NO_OPERATION.fullmatch(body)) or only_logs(body, in_function=True)
