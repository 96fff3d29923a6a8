"""What a container does with an error, where code makes its handler as a bean.

Spring Boot gives the one `CommonErrorHandler` that there is to the container of each listener
(ConcurrentKafkaListenerContainerFactoryConfigurer). A `DefaultErrorHandler` hands what it gives up
to its recoverer; without one it logs and skips, and some errors at once, however often it tries
others (DefaultErrorHandler, ExceptionClassifier). A `DeadLetterPublishingRecoverer` waits until its
send is acknowledged, and the record is handed out again where it fails.
"""

from __future__ import annotations

import re

from advisor.catalog import Component
from advisor.intake.programs.jvm import text as jvm_text
from advisor.intake.reading import DEFAULT, Item, Reading
from advisor.intake.text import IntakeError, line_of

LETTERS = "dead.letter"
_HANDLER = re.compile(r"(?:\bnew\s+|(?<![\w.]))DefaultErrorHandler\s*\(")
_LETTERS = re.compile(r"(?:\bnew\s+|(?<![\w.]))DeadLetterPublishingRecoverer\s*\(")
_NAMED = r"\b{0}\s*(?::\s*\w+\s*)?=\s*(?:new\s+)?DeadLetterPublishingRecoverer\s*\("
_BEAN = re.compile(r"@Bean\b")
_CALLED = re.compile(
    r"\.\s*(?P<name>[a-z]\w*)\s*\(|\.\s*(?P<property>is[A-Z]\w*|[a-z]\w*)\s*=(?!=)"
)
_HARMLESS = frozenset({
    "addNotRetryableExceptions", "addRetryableExceptions", "setLogLevel", "setRetryListeners",
})  # fmt: skip
"""What may be said of a handler and leaves what it does with what it gives up."""
_LEAVE = "Leave this file out, and state application.processing.errors"
_CHANGES = ("set", "add", "remove", "default", "exclude", "mark", "skip", "is", "fail", "commit")
_REACH = 2_000


def take(reading: Reading, code: str, plain: str) -> None:
    """States a dead-letter topic, where the handler of errors has one. `code` has no comments.

    Raises `IntakeError` for a handler that is set up in a way that is not read.
    """
    made = [*_HANDLER.finditer(plain)]
    if not made:
        if match := _LETTERS.search(plain):
            raise _unread(plain, match.start(), "a recoverer of no DefaultErrorHandler")
        return
    if len(made) > 1 or not _BEAN.search(plain):
        raise _unread(plain, made[-1].start(), "which handler the containers have is not known")
    given = jvm_text.arguments(plain, made[0].end(), code, _REACH)
    for match in _CALLED.finditer(plain):
        name = match["name"] or match["property"]
        if name.startswith(_CHANGES) and name not in _HARMLESS:
            raise _unread(plain, match.start(), f"what {name} changes is not read")
    first = given[0] if given else ""
    if any(item.name == LETTERS for item in reading.items):
        return  # a listener of the same text lets no error out
    if _LETTERS.match(first) or (
        first.isidentifier() and re.search(_NAMED.format(re.escape(first)), plain)
    ):
        line = line_of(plain, made[0].start())
        item = Item(Component.APPLICATION, LETTERS, "acknowledged", line, rank=DEFAULT)
        reading.items.append(item)
        words = "what the handler gives up goes to a dead-letter topic, and it waits for that"
        reading.note(line, f"{words} (application.dead.letter=acknowledged)")


def _unread(plain: str, at: int, words: str) -> IntakeError:
    return IntakeError(f"Line {line_of(plain, at)}: {words}. {_LEAVE}.")
