"""Classes that use Spring for Apache Kafka: how they process records, and how they send them.

Their clients are set up by the application's file, or by its classes (`set_up`).
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.catalog import Component, Family
from advisor.intake.frameworks.spring.containers import (
    MAKES,
    add_no_dead_letter,
    drop_early_commit,
    late_acknowledgments,
    listener_items,
)
from advisor.intake.frameworks.spring.factory_methods import start_of_annotations
from advisor.intake.frameworks.spring.listeners import LISTENER_ANNOTATION, poll_loops
from advisor.intake.frameworks.spring.stopped_listeners import stopped_by_code
from advisor.intake.programs.code_facts import LISTENERS, MAKES_CLIENT, TOPOLOGY_MADE
from advisor.intake.programs.facts import ASYNCHRONOUS, SKIP, add_processing_facts
from advisor.intake.programs.jvm.code import Code
from advisor.intake.programs.jvm.errors.callbacks import LISTENER_COMMIT
from advisor.intake.programs.jvm.errors.results import commits_regardless
from advisor.intake.programs.jvm.facts import judge, marked_line
from advisor.intake.programs.jvm.normal_form.rewriting import normal_form
from advisor.intake.programs.jvm.processing.marks import IN_MEMORY
from advisor.intake.programs.jvm.text import Text, without_comments, without_literals
from advisor.intake.reading import DEFAULT, Item, Reader, Reading
from advisor.intake.text import IntakeError, line_of

_MAX_LENGTH, _MAX_METHODS = 100_000, 20
_SPRING_IMPORT = re.compile(
    r"^[ \t]*import[ \t]+org\.springframework\.kafka\."
    r"(?:annotation\.(?:KafkaListener|RetryableTopic|\*)|core\.|listener\.DefaultErrorHandler\b"
    r"|config\.(?:Concurrent)?KafkaListenerContainerFactory\b|retrytopic\.RetryTopicConfiguration)",
    re.MULTILINE,
)
_SPRING_CLASS = re.compile(
    rf"{LISTENER_ANNOTATION}\b|\b(?:KafkaTemplate|DefaultErrorHandler|KafkaListenerContainerFactory"
    r"|ConcurrentKafkaListenerContainerFactory|(?:Default\w+)?(?:Consumer|Producer)Factory"
    r"|KafkaAdmin|RetryTopicConfiguration)\b"
)
_SET_UP_CLASS = re.compile(
    r"\b(?:ConcurrentKafkaListenerContainerFactory|DefaultKafka(?:Consumer|Producer)Factory)\b"
    r"\s*(?:<[^;(){}]{0,160}>)?\s*\(|\bDefaultErrorHandler\s*\(|@RetryableTopic\b"
    r"|\bRetryTopicConfigurationBuilder\b"
)
_IMPORTS_CLIENT = re.compile(
    r"\bimport[ \t]+org\.apache\.kafka\.(?:clients\.(?:producer\.(?:KafkaProducer\b|\*)"
    r"|consumer\.(?:Kafka(?:Share)?Consumer\b|\*))|streams\.(?:KafkaStreams\b|\*))"
)
"""A class of the team may have the same name, so the import counts."""
_ASYNC_METHOD = re.compile(
    r"@Async\b(?:\s*\([^()]*\))?(?:\s+(?:@\w+(?:\([^()]*\))?|public|protected|final|open|fun|void"
    r"|[\w.]+(?:<[^;(){}]{0,80}>)?)){0,6}?\s+(?P<name>\w+)\s*\("
)
"""A method that Spring runs in another thread (Spring Framework, "Task Execution")."""
_AFTER_COMMIT = re.compile(
    r"@TransactionalEventListener\b(?!\s*\([^()]*\b(?:BEFORE_COMMIT|AFTER_ROLLBACK)\b)"
)
_REMOVES = re.compile(r"\.\s*(?:remove|invalidate|evict)\s*\(")
_WHOLE = (0, _MAX_LENGTH * 10)


def read(text: str) -> Reading:
    """The facts of how the code processes and sends records. Raises `IntakeError`."""
    code_text = without_comments(text[:_MAX_LENGTH])
    plain = without_literals(code_text)
    _refuse_others(plain)
    loops, listeners = poll_loops(code_text, plain)
    code = Code(normal_form(loops))
    reading = Reading(heads={"family": Family.JAVA}, empty_reason=LISTENERS)
    line = listeners[0].line if listeners else 1
    reading.items.append(Item(Component.APPLICATION, "framework", "spring", line, rank=DEFAULT))
    for at, words in stopped_by_code(code_text):
        reading.note(at, words)
    for listener in listeners:
        reading.compared_items += listener_items(listener)
    for match in _SET_UP_CLASS.finditer(plain):
        at = line_of(plain, match.start())
        reading.compared_items.append(Item(Component.APPLICATION, MAKES, "", at))
    if listeners:
        add_processing_facts(reading, _asynchronous(plain) | _after_commit(plain))
    program = Text(code.plain, code.heads)
    judge(reading, program, code)
    for at in islice(commits_regardless(program, LISTENER_COMMIT, _WHOLE), 1):
        add_processing_facts(reading, {SKIP: code.line(at)})
    if listeners and not _REMOVES.search(plain):
        # A container tries a record again in the same process, where marks in memory remain.
        add_processing_facts(reading, {}, marked_line(program, code, IN_MEMORY))
    add_no_dead_letter(reading)
    if early := late_acknowledgments(reading, listeners):
        add_processing_facts(reading, {ASYNCHRONOUS: early})
    if not any(listener.acknowledges for listener in listeners):
        drop_early_commit(reading)
    return reading


def _refuse_others(plain: str) -> None:
    """Raises `IntakeError` for code without Spring, and for code that creates clients beside those
    of Spring."""
    if not _SPRING_CLASS.search(plain):
        raise IntakeError("Line 1: there is no listener, template or handler of Spring here.")
    other = _IMPORTS_CLIENT.search(plain) and MAKES_CLIENT.search(plain)
    if other := other or TOPOLOGY_MADE.search(plain):
        words = "a Kafka client or Kafka Streams beside the clients that Spring sets up. Give each "
        words += "as a separate program"
        raise IntakeError(f"Line {line_of(plain, other.start())}: {words}.")


def _asynchronous(plain: str) -> dict[str, int]:
    """The line of an `@Async` method that a container, an event or a statement here calls, and that
    nobody waits for."""
    for match in islice(_ASYNC_METHOD.finditer(plain), _MAX_METHODS):
        head = plain[start_of_annotations(plain, match.start()) : match.end()]
        calls = re.finditer(rf"(?<!\bvoid )(?<!\bfun )\b{match['name']}\s*\(", plain)
        if (
            LISTENER_ANNOTATION in head
            or ("EventListener" in head and ".publishEvent(" in plain)
            or any(call.start() != match.start("name") for call in calls)
        ):
            return {ASYNCHRONOUS: line_of(plain, match.start())}
    return {}


def _after_commit(plain: str) -> dict[str, int]:
    """The line of a method that an event calls after the commit of the database. Spring logs its
    errors, and the publisher does not see them (TransactionSynchronizationUtils,
    `invokeAfterCompletion`)."""
    match = _AFTER_COMMIT.search(plain) if ".publishEvent(" in plain else None
    return {SKIP: line_of(plain, match.start())} if match else {}


def _likeness(text: str) -> float:
    if not _SPRING_IMPORT.search(text, 0, _MAX_LENGTH):
        return 0.0
    return 0.98 if _SPRING_IMPORT.search(without_comments(text[:_MAX_LENGTH])) else 0.0


READERS = (
    Reader("spring-code", f"Code with {LISTENER_ANNOTATION} or KafkaTemplate", _likeness, read),
)
