"""Return values in JVM code that tell what became of a record, and that nothing reads.

A method that returns whether it succeeded, `withTimeoutOrNull` (kotlinx.coroutines: null where the
time was over), `onComplete`, `whenComplete` and `andThen` (called for an error, too), and fallbacks
(Failsafe, Resilience4j) let no error out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from advisor.intake.programs.facts import SUCCESS
from advisor.intake.programs.jvm.errors import calls as jvm_calls
from advisor.intake.programs.jvm.errors import flags as jvm_flags
from advisor.intake.programs.jvm.errors import when_branches
from advisor.intake.programs.jvm.errors.callbacks import callback_of
from advisor.intake.programs.jvm.errors.handlers import (
    BOOLEAN,
    chains_only_logging,
    error_function,
    is_retried,
    only_logs_error,
    swallowing_handlers,
)
from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.records.derived_names import log_arguments
from advisor.intake.programs.jvm.text import Block, Text

_MOST = 60
_RESULT = re.compile(
    r"(?<=[;{}\n>])\s*(?:final\s+)?(?:(?P<typed>boolean|Boolean)\s+|va[lr]\s+"
    r"|[A-Z]\w*(?:<[\w<>?, ]{0,60}>)?\s+)(?P<name>\w+)"
    r"(?P<type>\s*:\s*Boolean\b)?(?:\s*:\s*[\w<>?., ]{1,60})?\s*=(?![=>])(?P<made>[^;{}\n]{1,300})"
)
_SAYS = (
    r"\bif\s*\(\s*!?\s*{0}\s*\.\s*is(?:Failure|Success|Successful|Error|Left|Right)\b"
    r"|(?<![\w.]){0}\s*\.\s*(?:onFailure|onLeft|peekLeft|ifLeft|ifFailure|mapLeft|leftMap"
    r"|fold)\s*[({{]"
)
_NO_VALUE = r"(?<![\w.]){0}\s*\.\s*ifPresentOrElse\s*\("
"""Of an Optional, which says so much alone where something was done."""
_LAST = re.compile(r"(\w+)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*\}?\s*$")
_ASKS = re.compile(
    r"(?:is|has|contains|exists|equals|matches|can|should|seen|test|filter|startsWith|endsWith|add"
    r"|remove|offer|put|try|accept|needs|was|check|valid|validate|verify|parse|already|allow)(?![a-z])\w*"
)
"""Questions, which have no effect."""
_DOES = (
    r"(?:save|store|insert|write|send|publish|process|handle|upsert|persist|deliver|forward|post|push"
    r"|index|upload|import)\w*"
)
_ACTS = re.compile(rf"\bif\s*\(\s*(?P<not>!\s*)?(?:\w+\s*\.\s*){{0,3}}{_DOES}\s*\(")
"""A condition that does something, and asks whether it succeeded."""
_GIVES = (
    r"(?<=[;{{}}\n>])[ \t]*(?:(?P<asked>if\s*\(\s*!?\s*)|(?:[\w<>?,.]+\s+)?(?P<name>\w+)"
    r"(?:\s*:[^=;{{}}]{{1,60}})?\s*=(?!=)\s*)?(?:\w+\s*\.\s*)?\b{0}\s*\((?![^(){{}};]*\)\s*(?:throws\b[^{{;]*)?\{{)"
)
"""A call of a method, and what takes its value."""
_IN_VAIN = re.compile(r"\(\s*!|==\s*(?:null|false)\b|\bisEmpty\b")
_LEAVES = re.compile(r"\b(?:continue|return|break)\b")
_OR_THROWS = re.compile(r"\s*\.\s*(?:orElseThrow|getOrThrow)\b")
_ATTEMPTS = re.compile(
    r"\b(?:while\s*\(|for\s*\([^;(){}]{0,80};)(?=[^{};]{0,120}[<>])[^{};]{0,120}!\s*(?P<name>\w+)\b"
    r"(?!\s*[.(=])[^{}]{0,120}?\)\s*\{"
)
_THROWS_LAST = r"\bif\s*\([^(){{}}]*\b(?:{0})\s*(?:==|>)[^(){{}}]*\)\s*\{{?\s*throw\b"
"""What is done with the error of the last attempt."""
_RETRIES = re.compile(r"\b\w*[rR]etry\w*\s*\.\s*execute\s*\(")
"""Spring's RetryTemplate, whose second argument is what is done in place of an error."""
_KEPT = re.compile(
    r"\bva[lr]\s+(?P<name>\w+)(?:\s*:\s*[\w\[\]<>, ]{1,60})?\s*=\s*(?:\w+\s*\.\s*)?"
    r"(?:Try|runCatching)\s*[({]"
)
_FILTERS = re.compile(
    r"(?:\.\s*(?:filter|withFilter|takeIf)\s*[({]\s*(?:\(?\w+\)?\s*[-=]>\s*)?"
    r"|<-[^;{}\n]{1,120}\bif\s+)(?:Try|runCatching)\s*[({]"
)
_IS_SUCCESS = re.compile(r"\s*\.\s*(?:isSuccess|toOption\s*\.\s*(?:isDefined|nonEmpty))\b")
_INSTEAD = re.compile(r"\s*\.\s*(?:getOrDefault|getOrElse|getOrNull|orNull)\b\s*(?:[({])?")
"""What gives another value in the place of an error."""
_AS_OPTION = re.compile(r"(?:\s*\.\s*to(?:Option|Either)\b)?")
_MATCH = re.compile(
    r"(?<=[;{}\n>])[ \t]*[\w.]+\s*\([^;{}\n]*\)\s*match\s*\{|\b(?:when|switch)\s*\([^{};\n]*\)\s*\{"
)
_WRONG = re.compile(
    r"(?:\bcase\s+(?:Failure|Left|Invalid)\b[^=]{0,60}=>"
    r"|\b(?:is|case)\s+[\w.]*(?:Failure|Failed|FAILED|FAILURE|Left|Err|Error|ERROR)\b[^-]{0,40}->)"
    r"(?P<body>(?:(?!\bcase\b|\bis\s)[\s\S])*)"
)
_ON_FAILURE = re.compile(
    r"(?<=[)}])\s*\.\s*(?:(?:onFailure|onLeft|peekLeft|ifLeft|(?:left|failed|swap)\s*\.\s*foreach)\s*[({]|getOrElse\s*\{|fold\s*\(|ifPresentOrElse\s*\()"
)
"""What is done with an error that a call returned."""
_DOING = re.compile(rf"(?:\w+\s*\.\s*){{0,3}}{_DOES}\s*\(")
_IN_TIME = re.compile(r"\bwithTimeoutOrNull\s*\([^(){}]*(?:\([^()]*\))?[^(){}]*\)\s*\{")
_ASSIGNED = re.compile(r"\b(?:va[lr])\s+(\w+)(?:\s*:\s*[\w<>?, ]{1,60})?\s*=\s*$")
_ALONE = re.compile(r"(?:[;{}\n>]|^)\s*$")
_ELSE = re.compile(r"\s*\?:\s*(?P<other>[^\n;}]*)")
_ENDS = re.compile(
    r"\.\s*(?P<verb>onComplete|andThen|whenComplete(?:Async)?|handle(?:Async)?|doFinally"
    r"|transform|doOnTerminate|invokeOnCompletion|addListener|addOnCompleteListener)\s*[({]"
)
_OF_SCALA_ALONE = re.compile(r"\bdef\s+\w+\s*\(")
"""What tells of a language whose methods return their last value."""
_OF_SCALA = re.compile(r"\s*[({]?\s*(?:case\s+)?(?P<taken>_|\w+)\s*=>(?P<body>[\s\S]*)")
_CASE = re.compile(r"\bcase\b\s*(?P<taken>[^=]{1,80})=>(?P<body>(?:(?!\bcase\b)[\s\S])*)")
_ASKED = re.compile(r"\b(?:if|match|when|Success|Failure|isSuccess|isFailure)\b")
_FALLBACK = re.compile(
    r"\bFallback\s*\.\s*(?:<[\w<>?, ]*>\s*)?(?:of|ofException|builder|none)\w*\s*\("
    r"|\.\s*withFallback\s*\("
)
_FAILSAFE = re.compile(r"\bFailsafe\s*\.\s*with\s*\(")
_NOTHING = re.compile(
    r"\s*(?:\(\s*\w+\s*\)\s*)?"
    r"(?:null|\(\s*\)\s*->\s*(?:null|\{\s*\}|\s*)|true|false|Optional\.empty\(\)|\s*)\s*"
)
_LAMBDA = re.compile(r"(?:\(\s*[\w, ]*\s*\)|\b\w+)\s*->(?P<body>[\s\S]*)$")


def unread_results(
    text: Text, uses: re.Pattern[str], span: Block, loops: Sequence[Block] = (), *,
    in_function: bool = False,
) -> Iterator[int]:  # fmt: skip
    """Where a result is kept that says whether a record was processed, and nothing reads it, or it
    decides of a commit alone; `loops` are those over what was polled."""
    plain = text.plain
    for match in islice(_RESULT.finditer(plain, max(0, span[0]), span[1]), _MOST):
        verb = _LAST.search(match["made"])
        sure = match["typed"] or match["type"] or SUCCESS.fullmatch(match["name"])
        says = _SAYS + (f"|{_NO_VALUE}" if verb and re.fullmatch(_DOES, verb[1]) else "")
        sure = sure or re.compile(says.format(match["name"])).search(plain, match.end(), span[1])
        if not sure or verb is None or _ASKS.fullmatch(verb[1]):
            continue
        if uses.search(plain, match.start("made"), match.end()) and not is_name_read(
            text, match["name"], match.end(), loops
        ):
            yield match.start("name")
    for match in islice(_ACTS.finditer(plain, max(0, span[0]), span[1]), _MOST):
        end = text.closed(plain.index("(", match.start()) + 1)
        is_whole = plain[text.closed(match.end()) : end].strip() == ")"
        if match["not"]:
            idle = _is_idle(text, end, loops, in_function=in_function)
        else:
            idle = is_whole and jvm_flags.commits_only_if(text, end, in_function=in_function)
        if idle and uses.search(plain, match.end(), end):
            yield match.start()
    yield from _out_of_time(text, uses, span)
    yield from _given_up(text, uses, span)
    yield from _kept_errors(text, uses, span)
    yield from _replaced_by_value(text, span)
    yield from _filtered(text, uses, span)


def unchecked_calls(text: Text, attempts: Iterable[int]) -> Iterator[int]:
    """Where a method that attempts something at one of these places writes of an error and returns
    false or nothing, once, and something calls it and does not look at what it returns."""
    places = [*attempts]
    for handler in swallowing_handlers(text, in_function=True, others=BOOLEAN.fullmatch):
        start, stop = handler.attempt
        body = next(
            (block[:2] for block in reversed(text.around(start)) if text.named(block[:2])), None
        )
        if body is None or not any(start < at < stop for at in places):
            continue
        if not is_retried(text, handler.attempt, body) and any(
            _is_untaken(text, name, places) for name in text.named(body)
        ):
            yield handler.at


def is_result_checked(text: Text, body: Block, attempt: Block) -> bool:
    """Whether a method returns a value of an attempt, and another one after an error, and each
    caller asks which."""
    gives = re.compile(r"\breturn\b\s*[^\s;]").search(text.plain, *attempt)
    if not gives and not _OF_SCALA_ALONE.search(text.plain):
        return False
    name = next(iter(text.named(body)), "") or "(?!)"
    calls = [*islice(re.finditer(_GIVES.format(name), text.plain), _MOST)]
    return bool(calls) and all(_asks_for(text, call) for call in calls)


def _asks_for(text: Text, call: re.Match[str]) -> bool:
    """Whether something is done where a call has returned nothing."""
    end = text.closed(call.end())
    if call["asked"]:
        return _acts(text, call.start(), text.closed(text.plain.index("(", call.start()) + 1))
    if _OR_THROWS.match(text.plain, end):
        return True
    stop = text.block(end)[1]
    if not (name := call["name"]):
        return False
    if re.compile(rf"\brequireNonNull\s*\(\s*{name}\b|\b{name}\s*{_OR_THROWS.pattern}").search(
        text.plain, end, stop
    ):
        return True
    asked = re.compile(rf"\bif\s*\((?:\s*!)?\s*{name}\b[^(){{}};]*(?:\(\)\s*)?\)")
    found = asked.finditer(text.plain, end, stop)
    return any(_acts(text, match.start(), match.end()) for match in found)


def _acts(text: Text, begin: int, end: int) -> bool:
    """Whether something is done where a condition between two places asks in vain."""
    does, other = jvm_flags.branches(text, end)
    if _IN_VAIN.search(text.plain, begin, end):
        return not only_logs(does)
    return not only_logs(other) or bool(_LEAVES.search(does))


def _is_untaken(text: Text, name: str, places: list[int]) -> bool:
    """Whether nothing takes the result of a call of this name, other than those at these places."""
    call = rf"(?:(?:this|\w+)\s*\.\s*)?{name}\s*\("
    alone = rf"(?<=[;{{}}\n])\s*{call}[^;{{}}]*\)\s*[;\n]"
    uses = re.compile(rf"\b{name}\s*\(")
    calls = (match.span() for match in islice(re.finditer(alone, text.plain), _MOST))
    if any(not any(start <= at < end for at in places) for start, end in calls):
        return True
    asked = re.compile(rf"\bif\s*\(\s*!\s*(?:\w+\s*\.\s*)?{name}\s*\(")
    for match in islice(asked.finditer(text.plain), _MOST):
        if _is_idle(text, text.closed(text.plain.index("(", match.start()) + 1)):
            return True
    return any(unread_results(text, uses, (0, len(text.plain))))


def _filtered(text: Text, uses: re.Pattern[str], span: Block) -> Iterator[int]:
    """Where only what can be made is gone through: `rs.filter { runCatching { … }.isSuccess }`."""
    for match in islice(_FILTERS.finditer(text.plain, max(0, span[0]), span[1]), _MOST):
        end = text.closed(match.end())
        if _IS_SUCCESS.match(text.plain, end) and uses.search(text.plain, match.start(), end):
            yield match.start()


def _replaced_by_value(text: Text, span: Block) -> Iterator[int]:
    """Where another value stands in the place of an error, and the program only writes of it."""
    for match in islice(_KEPT.finditer(text.plain, max(0, span[0]), span[1]), _MOST):
        instead = _INSTEAD.match(text.plain, text.closed(match.end()))
        if instead and not is_name_read(text, match["name"], text.closed(instead.end())):
            yield match.start("name")


def _kept_errors(text: Text, uses: re.Pattern[str], span: Block) -> Iterator[int]:
    """Where an error is a value, and the program only writes of it."""
    plain = text.plain
    for match in islice(_KEPT.finditer(plain, max(0, span[0]), span[1]), _MOST):
        end = text.closed(match.end())
        end += len(_AS_OPTION.match(plain, end)[0])  # type: ignore[index]
        is_whole = not plain[end : end + 20].lstrip(" ").startswith((".", "?"))
        if is_whole and uses.search(plain, match.end(), end):
            name, behind = match["name"], (end, text.block(end)[1])
            is_left = not is_name_read(text, name, end) or jvm_flags.is_never_checked(
                text, name, False, behind, in_function=True
            )
            yield from (match.start("name"),) if is_left else ()
    for match in islice(_MATCH.finditer(plain, max(0, span[0]), span[1]), _MOST):
        block = text.block_of(match.end() - 1)
        inside = plain[block[0] + 1 : block[1]]
        failed = [part["body"] for part in _WRONG.finditer(inside)]
        if failed and all(map(only_logs, failed)) and uses.search(plain, match.start(), block[0]):
            yield match.start()
    for match in islice(_ON_FAILURE.finditer(plain, max(0, span[0]), span[1]), _MOST):
        opened = match.end() - 1
        end = text.closed(match.end())
        given = plain[match.end() : end - 1]
        if "getOrElse" in match[0] and not re.search(r"\bit\b|->", given):
            continue  # of an Option
        begin = text.chain(opened)
        if "Present" in match[0] and not _DOING.match(plain, begin):
            continue
        two = "fold" in match[0] or "Present" in match[0]
        if two and len(text.arguments(match.end())) != 2:
            continue
        body = jvm_calls.lambda_body(given.strip().removeprefix("{"))
        alone = _ALONE.search(plain[max(0, begin - 40) : begin])
        alone = alone if plain[opened] == "{" or body.strip() else None  # Mutiny's onFailure()
        ends = not re.match(r"\s*\.\s*(?:get|getOrThrow|getOrElse)\b", plain[end : end + 30])
        side = error_function(given, is_last="Present" in match[0] or None)
        quiet = only_logs_error(side) if two else only_logs(body)
        if alone and ends and quiet and uses.search(plain, begin, opened):
            yield match.start()


def _given_up(text: Text, uses: re.Pattern[str], span: Block) -> Iterator[int]:
    """Loops that end after so many attempts, and nothing asks whether one succeeded."""
    for match in islice(_ATTEMPTS.finditer(text.plain, max(0, span[0]), span[1]), _MOST):
        start, end = text.block_of(match.end() - 1)
        name, inside = match["name"], text.plain[start:end]
        if not re.search(rf"\b{name}\s*=(?!=)", inside) or not uses.search(inside):
            continue
        counts = "|".join(set(re.findall(r"(\w+)\s*[<>]", match[0]))) or "(?!)"
        throws_last = re.search(_THROWS_LAST.format(counts), inside)
        if not throws_last and not is_name_read(text, name, end + 1):
            yield start


def _is_idle(
    text: Text, at: int, loops: Sequence[Block] = (), *, in_function: bool = False
) -> bool:
    """Whether what stands behind a condition only writes of it, or leaves a loop over what was
    polled, and has no other side."""
    does, other = jvm_flags.branches(text, at)
    is_only = jvm_flags.ignores_failure(text, at, does, loops=loops, in_function=in_function)
    return not other and bool(does.strip()) and is_only


def is_name_read(text: Text, name: str, at: int, loops: Sequence[Block] = ()) -> bool:
    """Whether something but a log, or a commit, reads a name in the block around a place."""
    stop = text.block(at)[1]
    printed = [*log_arguments(text, (at, stop))]
    asked = re.compile(
        rf"\bif\s*\(\s*(?P<not>!\s*)?{name}\s*(?:\.\s*is(?:Failure|Success(?:ful)?|Error|Left|Right)\b(?:\(\))?\s*)?"
        r"(?P<is>[!=]=\s*(?:true|false)\s*)?\)"
    )
    for match in asked.finditer(text.plain, at, stop):
        is_plain = not (match["not"] or match["is"] or re.search("Failure|Left|Error", match[0]))
        idle = _is_idle(text, match.end(), loops)
        idle = idle or (is_plain and jvm_flags.commits_only_if(text, match.end()))
        printed += [match.span()] if idle else []
    printed += when_branches.branches_ignoring_failure(text, name, (at, stop), loops)
    printed += chains_only_logging(text, name, (at, stop))
    uses = re.compile(rf"(?<![\w.]){name}\b").finditer(text.plain, at, stop)
    return any(not any(start <= use.start() < end for start, end in printed) for use in uses)


def _out_of_time(text: Text, uses: re.Pattern[str], span: Block) -> Iterator[int]:
    """Where nothing asks whether processing ended in time."""
    plain = text.plain
    for match in islice(_IN_TIME.finditer(plain, max(0, span[0]), span[1]), _MOST):
        block = text.block_of(match.end() - 1)
        if not uses.search(plain, *block):
            continue
        before, behind = plain[max(0, match.start() - 120) : match.start()], block[1] + 1
        other = _ELSE.match(plain, behind)
        if other and only_logs(other["other"], in_function=True):
            yield match.start()
        elif other or re.match(r"\s*(?:\?\.|\.|[!=]=)", plain[behind : behind + 20]):
            continue
        elif named := _ASSIGNED.search(before):
            yield from () if is_name_read(text, named[1], behind) else (match.start(),)
        elif _ALONE.search(before):
            yield match.start()


def commits_regardless(text: Text, commits: re.Pattern[str], span: Block) -> Iterator[int]:
    """Where what is done behind a future commits, whatever became of that."""
    for match in islice(_ENDS.finditer(text.plain, max(0, span[0]), span[1]), _MOST):
        opened = match.end() - 1
        is_braces = text.plain[opened] == "{"
        end = text.block_of(opened)[1] if is_braces else text.closed(opened + 1) - 1
        given = text.plain[opened + 1 : end]
        if not commits.search(given):
            continue
        if any(map(commits.search, _at_an_error(match["verb"], given))):
            yield match.start()


def _at_an_error(verb: str, given: str) -> Iterator[str]:
    """What of a callback is done for an error, too."""
    if re.match(r"\s*[({]?\s*\(?\s*[\w ]+,\s*[\w ]+\)?\s*->", given):
        heard = callback_of(given, given)
        yield heard.with_error() if heard else ""
        return
    cases = [*_CASE.finditer(given)]
    for case in cases:
        own = re.fullmatch(r"\s*(?:_|\w+|Failure\b.*|Left\b.*)\s*", case["taken"])
        yield case["body"] if own and not _ASKED.search(case["body"]) else ""
    if cases or verb == "transform":
        return
    whole = _OF_SCALA.match(given)
    body = whole["body"] if whole else given
    yield body if not _ASKED.search(body) else ""


def replaced_errors(text: Text, span: Block) -> Iterator[int]:
    """Where something that does nothing is put in the place of an error of a record."""
    plain = text.plain
    for match in islice(_FALLBACK.finditer(plain, max(0, span[0]), span[1]), _MOST):
        if _does_nothing(plain[match.end() : text.closed(match.end()) - 1]):
            yield match.start()
    for match in islice(_RETRIES.finditer(plain, max(0, span[0]), span[1]), _MOST):
        other = jvm_calls.after_first_argument(plain[match.end() : text.closed(match.end()) - 1])
        if other and _does_nothing(other):
            yield match.start()
    for match in islice(_FAILSAFE.finditer(plain, max(0, span[0]), span[1]), _MOST):
        end = text.closed(match.end())
        for name in re.findall(r"\b\w+\b", plain[match.end() : end - 1]):
            made = re.compile(rf"\b{name}\s*(?::[^=;]{{0,60}})?=\s*(?={_FALLBACK.pattern})")
            for stated in islice(made.finditer(plain), 1):
                opened = plain.index("(", stated.end()) + 1
                if _does_nothing(plain[opened : text.closed(opened) - 1]):
                    yield match.start()


def _does_nothing(given: str) -> bool:
    last = re.split(r",(?![^(]*\))", given)[-1]
    if _NOTHING.fullmatch(last):
        return True
    function = _LAMBDA.search(given)
    if function is None:
        return False
    body = function["body"].strip()
    body = body.removeprefix("{").removesuffix("}")
    return bool(_NOTHING.fullmatch(body)) or only_logs(body, in_function=True)
