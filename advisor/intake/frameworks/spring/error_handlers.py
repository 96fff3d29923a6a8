"""Error handlers that code creates: whether failed records go to a dead-letter topic.

After the last retry a `DefaultErrorHandler` passes a record to its recoverer. Without a recoverer
it logs and skips the record; some errors are not retried at all (DefaultErrorHandler,
ExceptionClassifier). It does the same with each record of a batch, which it retries as a whole
(FailedBatchProcessor, FallbackBatchErrorHandler). A `DeadLetterPublishingRecoverer` waits until its
send is acknowledged, and the record is delivered again if the send fails. With a resolver that
returns null it sends nothing.
"""

from __future__ import annotations

import re

from advisor.intake.frameworks.spring.factory_methods import FactoryMethod
from advisor.intake.programs.jvm import text as jvm_text
from advisor.intake.programs.jvm.code import Code
from advisor.intake.text import IntakeError

HANDLER_TYPES = ("DefaultErrorHandler", "CommonErrorHandler", "CommonLoggingErrorHandler")
_RECOVERER = "DeadLetterPublishingRecoverer"
HANDLER_CONSTRUCTOR = re.compile(r"(?:\bnew\s+|(?<![\w.]))(?P<kind>DefaultErrorHandler)\s*\(")
RECOVERER_CONSTRUCTOR = re.compile(rf"(?:\bnew\s+|(?<![\w.])){_RECOVERER}\s*\(")
_LOGGING_HANDLER = re.compile(r"(?:\bnew\s+|(?<![\w.]))CommonLoggingErrorHandler\s*\(")
_CLASS_HEAD = re.compile(r"(?:\bextends\s+|:\s*|\bclass\s+)$")
_NULL = re.compile(r"\bnull\b")
_BODY = re.compile(r"\s*\{")
_HARMLESS_METHODS = frozenset({
    "addNotRetryableExceptions", "addRetryableExceptions", "setLogLevel", "setRetryListeners",
    "logLevel",
})  # fmt: skip
"""Methods of a handler that do not change what happens to a record after the last retry."""
_MUTATORS = ("set", "add", "remove", "default", "exclude", "mark", "skip", "is", "fail", "commit")
_METHOD_CALL = re.compile(
    r"\s*(?:\?\s*)?\.\s*(?:(?P<name>[a-z]\w*)\s*\(|(?P<property>is[A-Z]\w*|[a-z]\w*)\s*=(?!=))"
)
_CALL_IN_BLOCK = re.compile(
    r"(?:^|[{;\n])\s*(?:this\s*\.\s*)?(?:(?P<name>[a-z]\w*)\s*\(|(?P<property>\w+)\s*=(?!=))"
)
_SCOPE_FUNCTION = re.compile(r"\s*\.\s*(?:apply|also)\s*\{")
_REFERENCE = re.compile(r"(?:this\s*\.\s*)?(?P<name>\w+)\s*(?P<call>\(.*\))?\s*", re.DOTALL)
_REACH, _LOOKED_BACK = 2_000, 60
_ADVICE = "Leave this file out, and state application.processing.errors"


def has_dead_letters(
    code: Code, span: tuple[int, int], methods: list[tuple[Code, FactoryMethod]]
) -> bool:
    """Whether the handler that an expression creates sends failed records to a dead-letter topic.

    `span` is the start and the end of the expression, and `methods` the factory methods of all
    classes. Raises `IntakeError` for a handler that is not read.
    """
    start, end = span
    if constructor := HANDLER_CONSTRUCTOR.match(code.plain, start):
        return _handler_has_dead_letters(code, constructor.start(), constructor.end(), methods)
    if _LOGGING_HANDLER.match(code.plain, start):
        return False
    reference = _constructor_at(code, code.plain[start:end], start, HANDLER_CONSTRUCTOR, methods)
    if reference is None and _constructor_at(
        code, code.plain[start:end], start, _LOGGING_HANDLER, methods
    ):
        return False
    if reference is None:
        raise unread_handler(code, start, "this error handler is not read")
    return _handler_has_dead_letters(
        reference[0], reference[1].start(), reference[1].end(), methods
    )


def _constructor_at(
    code: Code, expression: str, at: int, pattern: re.Pattern[str],
    methods: list[tuple[Code, FactoryMethod]],
) -> tuple[Code, re.Match[str]] | None:  # fmt: skip
    """The only constructor call that a name or a method call refers to; None without one."""
    match = _REFERENCE.fullmatch(expression)
    if match is None:
        return None
    name = match["name"]
    enclosing = next((row[1] for row in methods if row[0] is code and row[1].contains(at)), None)
    if enclosing and not match["call"]:
        assignments = re.compile(rf"\b{name}\s*(?::\s*[\w<>?., ]{{1,80}})?\s*=(?!=)\s*").finditer(
            code.plain, enclosing.start, enclosing.end
        )
        ends = [assignment.end() for assignment in assignments]
        constructor = pattern.match(code.plain, ends[0]) if len(ends) == 1 else None
        if constructor:
            _refuse_uses(code, name, enclosing.start, enclosing.end)
            return code, constructor
        if ends:
            return None
    candidates = [row for row in methods if pattern.search(row[0].plain, row[1].start, row[1].end)]
    if enclosing and name in enclosing.parameters and not match["call"]:
        bean = enclosing.qualifiers.get(name, name)
        type_ = enclosing.parameters[name].partition("<")[0].strip()
        types = (type_, *_SUBTYPES.get(type_, ()))
        candidates = [row for row in candidates if row[1].is_bean and row[1].has_type(*types)]
        candidates = [row for row in candidates if bean in (row[1].bean, row[1].name)] or (
            candidates if name not in enclosing.qualifiers else []
        )
    else:
        candidates = [row for row in candidates if row[1].name == name]
    if len(candidates) != 1:
        return None
    if enclosing and not match["call"]:
        _refuse_uses(code, name, enclosing.start, enclosing.end)
    source, method = candidates[0]
    constructors = [*pattern.finditer(source.plain, method.start, method.end)]
    return (source, constructors[0]) if len(constructors) == 1 else None


_SUBTYPES = {"CommonErrorHandler": HANDLER_TYPES, "ConsumerRecordRecoverer": (_RECOVERER,)}


def _handler_has_dead_letters(
    code: Code, start: int, after_bracket: int, methods: list[tuple[Code, FactoryMethod]]
) -> bool:
    _refuse_changes(code, start, after_bracket, methods)
    first = next(iter(jvm_text.arguments(code.plain, after_bracket, code.plain, _REACH)), "")
    if not first:
        return False
    at = code.plain.index(first, after_bracket)
    if recoverer := RECOVERER_CONSTRUCTOR.match(code.plain, at):
        return _recoverer_sends(code, recoverer, methods)
    reference = _constructor_at(code, first, at, RECOVERER_CONSTRUCTOR, methods)
    if reference:
        return _recoverer_sends(*reference, methods)
    enclosing = next(
        (method for source, method in methods if source is code and method.contains(at)), None
    )
    type_ = enclosing.parameters.get(first, "") if enclosing else ""
    if type_.partition("<")[0].strip().endswith("Recoverer"):
        raise unread_handler(code, at, f"{first} is created in another file, which is not read")
    return False


def _recoverer_sends(
    code: Code, constructor: re.Match[str], methods: list[tuple[Code, FactoryMethod]]
) -> bool:
    _refuse_changes(code, constructor.start(), constructor.end(), methods)
    end = jvm_text.closing_bracket(code.plain, constructor.end(), _REACH)
    resolver = _BODY.match(code.plain, end)
    if resolver:
        end = jvm_text.closing_bracket(code.plain, resolver.end(), _REACH)
    if _NULL.search(code.plain, constructor.end(), end):
        raise unread_handler(
            code, constructor.start(), "a resolver that returns null sends no dead letter"
        )
    return True


def _refuse_changes(
    code: Code, start: int, after_bracket: int, methods: list[tuple[Code, FactoryMethod]]
) -> None:
    """Raises `IntakeError` for a subclass, and for calls that change a handler or recoverer where
    it is created."""
    plain = code.plain
    if _CLASS_HEAD.search(plain, max(0, start - _LOOKED_BACK), start):
        raise unread_handler(code, start, "a subclass of a handler is not read")
    end = jvm_text.closing_bracket(plain, after_bracket, _REACH)
    is_java = plain.startswith("new", start)
    if is_java and _BODY.match(plain, end):
        raise unread_handler(code, start, "a subclass of a handler is not read")
    enclosing = next(
        (method for source, method in methods if source is code and method.contains(start)), None
    )
    first, stop = (enclosing.start, enclosing.end) if enclosing else (start, end)
    before = plain[max(first, start - 200) : start]
    name = re.search(r"(\w+)\s*(?::\s*[\w<>?., ]{1,80})?=\s*$", before)
    if block := _SCOPE_FUNCTION.match(plain, end):
        block_end = jvm_text.closing_bracket(plain, block.end(), _REACH)
        for match in _CALL_IN_BLOCK.finditer(plain, block.end() - 1, block_end):
            _refuse_change(code, match)
    if name:
        _refuse_uses(code, name[1], first, stop)


def _refuse_uses(code: Code, name: str, start: int, end: int) -> None:
    """Raises `IntakeError` for a call that changes a handler or recoverer by its name."""
    for use in re.compile(rf"\b{name}\b").finditer(code.plain, start, end):
        if call := _METHOD_CALL.match(code.plain, use.end()):
            _refuse_change(code, call)


def _refuse_change(code: Code, match: re.Match[str]) -> None:
    name = match["name"] or match["property"]
    if name.startswith(_MUTATORS) and name not in _HARMLESS_METHODS:
        at = match.start("name") if match["name"] else match.start("property")
        raise unread_handler(code, at, f"the change that {name} makes is not read")


def unread_handler(code: Code, at: int, words: str) -> IntakeError:
    """Returns the error for a handler that is not read."""
    return IntakeError(f"Line {code.line(at)}: {words}. {_ADVICE}.")
