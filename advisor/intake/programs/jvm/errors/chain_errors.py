"""Errors of futures, publishers and effects that a call chain drops or only logs.

Sources: CompletableFuture (`exceptionally`, `handle`); Reactor and RxJava (`onError…`); Mutiny
(`onFailure().recoverWith…`); cats-effect (`attempt`, `handleErrorWith`, `redeem`, `voidError`); ZIO
(`catchAll`, `orElse`, `ignore`, `either`); Kotlin's flows (`catch`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.conditions import is_harmless
from advisor.intake.programs.jvm.errors.error_functions import error_function, only_logs_error
from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.records.poll_chains import steps
from advisor.intake.programs.jvm.text import Block, Text

_MAX_MATCHES, _REACH = 60, 160
_ERROR_OPERATOR = re.compile(
    r"\.\s*(?P<operator>onErrorResume\w*|onErrorReturn\w*|onErrorComplete|onErrorContinue"
    r"|exceptionally\w*|handle(?:Async)?|handleError(?:With)?|completeOnTimeout|recover\w*|catchAll\w*|catchSome\w*"
    r"|orElse\w*|redeem\w*|fold\w*|leftMap|ignore|ignoreLogged|voidError|either|attempt|option|exit)"
    r"\b(?P<opened>\s*[({])?"
)
_DROPS_ERROR = re.compile(
    r"onErrorComplete|onErrorContinue|recoverWithNull|ignore|ignoreLogged|voidError"
)
_ERROR_TO_VALUE = frozenset({"either", "attempt", "option", "exit"})
"""Operators that turn an error into a value."""
_AMBIGUOUS_OPERATOR = re.compile(r"(?:orElse\w*|fold\w*|option|either|exit|ignore|ignoreLogged)")
"""Operators that objects of other types have, too."""
_EFFECT = re.compile(
    r"(?:IO|ZIO|UIO|Task|Mono|Flux|Uni|Multi|Single|Maybe|Completable|Observable|Flowable|EitherT"
    r"|Future|CompletableFuture)\b"
)
_FALLBACK_VALUE = re.compile(
    r"onErrorReturn\w*|orElseSucceed|recoverWithItem|handleError|recover|exceptionally"
)
"""Operators that replace an error by a value, which later steps may process."""
_RUN_STEP = re.compile(
    r"(?:block|subscribe|await|unsafeRun|join|get|indefinitely|atMost|toFuture|then\b|void\b|value\b"
    r"|collect|last|unsafeToFuture|orDie|getOrThrow)\w*"
)
_CHAIN_END = re.compile(r"\s*(?:\.\s*unsafeRunSync\s*\(\s*\))?\s*(?=[;)}\n])")
_RESULT_USE = re.compile(r"(?<![=!<>-])=(?![=>])|<-|\breturn\b|\bmatch\b")
_LAMBDA = re.compile(r"\s*\{?\s*(?:\(?\s*[\w\s:,]*\)?\s*(?:->|=>)|case\b[^=]{1,80}=>)")
_CONSTANT = re.compile(r"\s*(?:null|true|false|-?\d+[lL]?|\(\s*\))?\s*")
_HANDLE = re.compile(r"handle(?:Async)?")
_PARAMETERS = re.compile(r"\s*\(|\s*[\w.]+\s*::")
"""The parameters of a function for a future's value and its error."""
_FIRST_PARAMETER = re.compile(r"\s*\{?\s*\(?\s*(\w+)\s*,")
_TO_SUCCESS = re.compile(
    r"\.\s*transform\s*(?P<opened>\()\s*(?:Success\s*\(\s*_\s*\)|(?P<name>\w+)\s*=>\s*Success\s*\(\s*(?P=name)\s*\))"
)
"""Scala's future of an attempt, which never fails."""
_FLOW_CATCH = re.compile(r"\.\s*catch\s*\{")
_PARAMETER = re.compile(r"\A\s*\w+\s*->")


def ignored_errors(text: Text, span: Block, uses: re.Pattern[str] | None = None) -> Iterator[int]:
    """Yields the offsets in a span where a chain drops or only logs an error. With `uses`, only
    chains that use a record count."""
    plain, begin, end = text.plain, max(0, span[0]), span[1]
    for match in islice(_ERROR_OPERATOR.finditer(plain, begin, end), _MAX_MATCHES):
        if _is_dropped(text, match):
            start = text.chain(match.end("operator"))
            if uses is None or uses.search(plain, start, match.start()):
                yield match.start()
    for match in islice(_TO_SUCCESS.finditer(plain, begin, end), _MAX_MATCHES):
        start = text.chain(match.start("opened"))
        is_used = _RESULT_USE.search(re.sub("=>", "", text.line_to(start)[-_REACH:]))
        if not is_used and (uses is None or uses.search(plain, start, match.start())):
            yield match.start()
    for match in islice(_FLOW_CATCH.finditer(plain, begin, end), _MAX_MATCHES):
        body = plain[match.end() : text.block_of(match.end() - 1)[1]]
        if only_logs(_PARAMETER.sub("", body)):
            yield match.start()


def _is_dropped(text: Text, match: re.Match[str]) -> bool:
    plain, operator, end = text.plain, match["operator"], match.end()
    if _AMBIGUOUS_OPERATOR.fullmatch(operator) and not _EFFECT.match(
        plain, text.chain(match.end("operator"))
    ):
        return False
    if _DROPS_ERROR.fullmatch(operator):
        return True
    if operator == "completeOnTimeout":
        return _only_runs(text, text.closed(end))
    if operator in _ERROR_TO_VALUE:
        run, start = _CHAIN_END.match(plain, end), text.chain(match.end("operator"))
        return bool(run) and not _RESULT_USE.search(text.line_to(start)[-_REACH:])
    is_braces = plain[end - 1] == "{"
    if _HANDLE.fullmatch(operator) and not (is_braces or _PARAMETERS.match(plain, end)):
        return False  # a method of another object
    closed = text.block_of(end - 1)[1] + 1 if is_braces else text.closed(end)
    argument = error_function(plain[end : closed - 1], is_last=False)
    lambda_ = _LAMBDA.match(argument)
    if lambda_ and is_harmless(lambda_[0]):
        return False
    if _FALLBACK_VALUE.fullmatch(operator) and not lambda_:
        return bool(_CONSTANT.fullmatch(argument)) and _only_runs(text, closed)
    if not (lambda_ or _EFFECT.match(argument.strip())):
        return False
    body = argument[lambda_.end() :] if lambda_ else argument
    if lambda_ and _HANDLE.fullmatch(operator) and (value := _FIRST_PARAMETER.match(argument)):
        body = re.sub(rf"\breturn\s+{value[1]}\b", "return null", body)  # no value but the error
    return only_logs_error(body)


def _only_runs(text: Text, at: int) -> bool:
    """Whether the steps after an offset only run the chain."""
    return all(_RUN_STEP.fullmatch(step.name) for step in steps(text, at))
