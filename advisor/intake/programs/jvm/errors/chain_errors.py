"""Errors of futures, publishers and effects that a chain of calls drops, or only writes of.

Sources: CompletableFuture (`exceptionally`, `handle`); Reactor and RxJava (`onError…`); Mutiny
(`onFailure().recoverWith…`); cats-effect (`attempt`, `handleErrorWith`, `redeem`, `voidError`); ZIO
(`catchAll`, `orElse`, `ignore`, `either`); Kotlin's flows (`catch`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm.errors.handlers import error_function, only_logs_error
from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.records.poll_chains import steps
from advisor.intake.programs.jvm.text import Block, Text

_MOST, _REACH = 60, 160
_INSTEAD = re.compile(
    r"\.\s*(?P<verb>onErrorResume\w*|onErrorReturn\w*|onErrorComplete|onErrorContinue"
    r"|exceptionally\w*|handle(?:Async)?|handleError(?:With)?|recover\w*|catchAll\w*|catchSome\w*"
    r"|orElse\w*|redeem\w*|fold\w*|leftMap|ignore|ignoreLogged|voidError|either|attempt|option|exit)"
    r"\b(?P<opened>\s*[({])?"
)
_DROPS = re.compile(
    r"onErrorComplete|onErrorContinue|recoverWithNull|ignore|ignoreLogged|voidError"
)
_KEEPS = frozenset({"either", "attempt", "option", "exit"})
"""What makes a value of an error."""
_OF_EFFECTS = re.compile(r"(?:orElse\w*|fold\w*|option|either|exit|ignore|ignoreLogged)")
"""Verbs that other objects have, too."""
_EFFECT = re.compile(
    r"(?:IO|ZIO|UIO|Task|Mono|Flux|Uni|Multi|Single|Maybe|Completable|Observable|Flowable|EitherT"
    r"|Future|CompletableFuture)\b"
)
_VALUE = re.compile(
    r"onErrorReturn\w*|orElseSucceed|recoverWithItem|handleError|recover|exceptionally"
)
"""Steps that put a value in the place of an error, which later steps may process."""
_RUNS = re.compile(
    r"(?:block|subscribe|await|unsafeRun|join|get|indefinitely|atMost|toFuture|then\b|void\b|value\b"
    r"|collect|last|unsafeToFuture|orDie|getOrThrow)\w*"
)
_RUN = re.compile(r"\s*(?:\.\s*unsafeRunSync\s*\(\s*\))?\s*(?=[;)}\n])")
_IS_TAKEN = re.compile(r"(?<![=!<>-])=(?![=>])|<-|\breturn\b|\bmatch\b")
_LAMBDA = re.compile(r"\s*\{?\s*(?:\(?\s*[\w\s:,]*\)?\s*(?:->|=>)|case\b[^=]{1,80}=>)")
_PLAIN = re.compile(r"\s*(?:null|true|false|-?\d+[lL]?|\(\s*\))?\s*")
_CAUGHT = re.compile(r"\.\s*catch\s*\{")
_PARAMETER = re.compile(r"\A\s*\w+\s*->")


def ignored_errors(text: Text, span: Block, uses: re.Pattern[str] | None = None) -> Iterator[int]:
    """Where that is between two places, of a chain that `uses` a record."""
    plain, begin, end = text.plain, max(0, span[0]), span[1]
    for match in islice(_INSTEAD.finditer(plain, begin, end), _MOST):
        if _is_dropped(text, match):
            start = text.chain(match.end("verb"))
            if uses is None or uses.search(plain, start, match.start()):
                yield match.start()
    for match in islice(_CAUGHT.finditer(plain, begin, end), _MOST):
        body = plain[match.end() : text.block_of(match.end() - 1)[1]]
        if only_logs(_PARAMETER.sub("", body)):
            yield match.start()


def _is_dropped(text: Text, match: re.Match[str]) -> bool:
    plain, verb, end = text.plain, match["verb"], match.end()
    if _OF_EFFECTS.fullmatch(verb) and not _EFFECT.match(plain, text.chain(match.end("verb"))):
        return False
    if _DROPS.fullmatch(verb):
        return True
    if verb in _KEEPS:
        run, start = _RUN.match(plain, end), text.chain(match.end("verb"))
        return bool(run) and not _IS_TAKEN.search(text.line_to(start)[-_REACH:])
    is_braces = plain[end - 1] == "{"
    closed = text.block_of(end - 1)[1] + 1 if is_braces else text.closed(end)
    given = error_function(plain[end : closed - 1], is_last=False)
    function = _LAMBDA.match(given)
    if _VALUE.fullmatch(verb) and not function:
        return bool(_PLAIN.fullmatch(given)) and _is_end(text, closed)
    if not (function or _EFFECT.match(given.strip())):
        return False
    return only_logs_error(given[function.end() :] if function else given)


def _is_end(text: Text, at: int) -> bool:
    """Whether what is behind a place only runs the chain."""
    return all(_RUNS.fullmatch(step.name) for step in steps(text, at))
