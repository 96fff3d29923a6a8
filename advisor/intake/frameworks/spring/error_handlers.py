"""What a container does with a record that it gives up: the handler of errors that code makes.

A `DefaultErrorHandler` hands what it gives up to its recoverer; without one it logs and skips, and
some errors at once, however often it tries others (DefaultErrorHandler, ExceptionClassifier). So it
does with each record of a batch, which it tries again as a whole (FailedBatchProcessor,
FallbackBatchErrorHandler). A `DeadLetterPublishingRecoverer` waits until its send is acknowledged,
and the record is handed out again where it fails; one whose resolver returns null sends nothing.
"""

from __future__ import annotations

import re

from advisor.intake.frameworks.spring.made_beans import Made
from advisor.intake.programs.jvm import text as jvm_text
from advisor.intake.programs.jvm.code import Code
from advisor.intake.text import IntakeError

OF_HANDLERS = ("DefaultErrorHandler", "CommonErrorHandler", "CommonLoggingErrorHandler")
_RECOVERER = "DeadLetterPublishingRecoverer"
HANDLER = re.compile(r"(?:\bnew\s+|(?<![\w.]))(?P<kind>DefaultErrorHandler)\s*\(")
LETTERS = re.compile(rf"(?:\bnew\s+|(?<![\w.])){_RECOVERER}\s*\(")
_LOGS = re.compile(r"(?:\bnew\s+|(?<![\w.]))CommonLoggingErrorHandler\s*\(")
_OWN_CLASS = re.compile(r"(?:\bextends\s+|:\s*|\bclass\s+)$")
_NULL = re.compile(r"\bnull\b")
_BODY = re.compile(r"\s*\{")
_HARMLESS = frozenset({
    "addNotRetryableExceptions", "addRetryableExceptions", "setLogLevel", "setRetryListeners",
    "logLevel",
})  # fmt: skip
"""What may be said of a handler and leaves what it does with what it gives up."""
_CHANGES = ("set", "add", "remove", "default", "exclude", "mark", "skip", "is", "fail", "commit")
_CALLED = re.compile(
    r"\s*(?:\?\s*)?\.\s*(?:(?P<name>[a-z]\w*)\s*\(|(?P<property>is[A-Z]\w*|[a-z]\w*)\s*=(?!=))"
)
_INSIDE = re.compile(
    r"(?:^|[{;\n])\s*(?:this\s*\.\s*)?(?:(?P<name>[a-z]\w*)\s*\(|(?P<property>\w+)\s*=(?!=))"
)
_APPLIED = re.compile(r"\s*\.\s*(?:apply|also)\s*\{")
_MADE_BY = re.compile(r"(?:this\s*\.\s*)?(?P<name>\w+)\s*(?P<call>\(.*\))?\s*", re.DOTALL)
_REACH, _LOOKED_BACK = 2_000, 60
_LEAVE = "Leave this file out, and state application.processing.errors"


def has_letters(code: Code, written: tuple[int, int], methods: list[tuple[Code, Made]]) -> bool:
    """Whether the handler that an expression is hands what it gives up to a dead-letter topic.

    `written` is where the expression stands; `methods` make objects for others. Raises
    `IntakeError` for a handler that is not read.
    """
    start, end = written
    if made := HANDLER.match(code.plain, start):
        return _of_handler(code, made.start(), made.end(), methods)
    if _LOGS.match(code.plain, start):
        return False
    found = _named(code, code.plain[start:end], start, HANDLER, methods)
    if found is None and _named(code, code.plain[start:end], start, _LOGS, methods):
        return False
    if found is None:
        raise unread(code, start, "this handler of errors is not read")
    return _of_handler(found[0], found[1].start(), found[1].end(), methods)


def _named(
    code: Code, written: str, at: int, pattern: re.Pattern[str],
    methods: list[tuple[Code, Made]],
) -> tuple[Code, re.Match[str]] | None:  # fmt: skip
    """What a name, or the call of a method, stands for: what is made in its place."""
    match = _MADE_BY.fullmatch(written)
    if match is None:
        return None
    name = match["name"]
    own = next((one for of, one in methods if of is code and one.holds(at)), None)
    if own and not match["call"]:
        given = re.compile(rf"\b{name}\s*(?::\s*[\w<>?., ]{{1,80}})?\s*=(?!=)\s*").finditer(
            code.plain, own.start, own.end
        )
        places = [one.end() for one in given]
        here = pattern.match(code.plain, places[0]) if len(places) == 1 else None
        if here:
            _refuse_uses(code, name, own.start, own.end)
            return code, here
        if places:
            return None
    makes = [(of, one) for of, one in methods if pattern.search(of.plain, one.start, one.end)]
    if own and name in own.given and not match["call"]:
        wanted = own.qualified.get(name, name)
        kind = own.given[name].partition("<")[0].strip()
        makes = [
            row for row in makes if row[1].is_bean and row[1].is_of(kind, *_KINDS.get(kind, ()))
        ]
        makes = [row for row in makes if wanted in (row[1].bean, row[1].name)] or (
            makes if name not in own.qualified else []
        )
    else:
        makes = [row for row in makes if row[1].name == name]
    if len(makes) != 1:
        return None
    if own and not match["call"]:
        _refuse_uses(code, name, own.start, own.end)
    of, one = makes[0]
    every = [*pattern.finditer(of.plain, one.start, one.end)]
    return (of, every[0]) if len(every) == 1 else None


_KINDS = {"CommonErrorHandler": OF_HANDLERS, "ConsumerRecordRecoverer": (_RECOVERER,)}


def _of_handler(code: Code, start: int, opened: int, methods: list[tuple[Code, Made]]) -> bool:
    _refuse_changes(code, start, opened, methods)
    first = next(iter(jvm_text.arguments(code.plain, opened, code.plain, _REACH)), "")
    if not first:
        return False
    at = code.plain.index(first, opened)
    if letters := LETTERS.match(code.plain, at):
        return _of_letters(code, letters, methods)
    found = _named(code, first, at, LETTERS, methods)
    if found:
        return _of_letters(*found, methods)
    own = next((one for of, one in methods if of is code and one.holds(at)), None)
    kind = own.given.get(first, "") if own else ""
    if kind.partition("<")[0].strip().endswith("Recoverer"):
        raise unread(code, at, f"what {first} does is made elsewhere, and not read")
    return False


def _of_letters(code: Code, made: re.Match[str], methods: list[tuple[Code, Made]]) -> bool:
    _refuse_changes(code, made.start(), made.end(), methods)
    end = jvm_text.closing_bracket(code.plain, made.end(), _REACH)
    resolver = _BODY.match(code.plain, end)
    if resolver:
        end = jvm_text.closing_bracket(code.plain, resolver.end(), _REACH)
    if _NULL.search(code.plain, made.end(), end):
        raise unread(code, made.start(), "a resolver that returns null sends no dead letter")
    return True


def _refuse_changes(code: Code, start: int, opened: int, methods: list[tuple[Code, Made]]) -> None:
    """Raises `IntakeError` for a class of a team's own, and for what changes a handler or recoverer
    where it is made."""
    plain = code.plain
    if _OWN_CLASS.search(plain, max(0, start - _LOOKED_BACK), start):
        raise unread(code, start, "a handler of a class of its own is not read")
    end = jvm_text.closing_bracket(plain, opened, _REACH)
    is_java = plain.startswith("new", start)
    if is_java and _BODY.match(plain, end):
        raise unread(code, start, "a handler of a class of its own is not read")
    own = next((one for of, one in methods if of is code and one.holds(start)), None)
    begin, until = (own.start, own.end) if own else (start, end)
    before = plain[max(begin, start - 200) : start]
    name = re.search(r"(\w+)\s*(?::\s*[\w<>?., ]{1,80})?=\s*$", before)
    if applied := _APPLIED.match(plain, end):
        stop = jvm_text.closing_bracket(plain, applied.end(), _REACH)
        for match in _INSIDE.finditer(plain, applied.end() - 1, stop):
            _refuse_change(code, match)
    if name:
        _refuse_uses(code, name[1], begin, until)


def _refuse_uses(code: Code, name: str, start: int, end: int) -> None:
    """Raises `IntakeError` for what changes a handler or recoverer by its name."""
    for use in re.compile(rf"\b{name}\b").finditer(code.plain, start, end):
        if called := _CALLED.match(code.plain, use.end()):
            _refuse_change(code, called)


def _refuse_change(code: Code, match: re.Match[str]) -> None:
    name = match["name"] or match["property"]
    if name.startswith(_CHANGES) and name not in _HARMLESS:
        at = match.start("name") if match["name"] else match.start("property")
        raise unread(code, at, f"what {name} changes is not read")


def unread(code: Code, at: int, words: str) -> IntakeError:
    """What is said of a handler that is not read."""
    return IntakeError(f"Line {code.line(at)}: {words}. {_LEAVE}.")
