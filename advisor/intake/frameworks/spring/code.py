"""Classes that use Spring for Apache Kafka: what becomes of the records that they are handed, and
of those that they send.

Their clients are set up by the application's own file, or by its classes (`set_up`).
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.catalog import Component, Family
from advisor.intake.frameworks.spring.containers import (
    MAKES,
    committed_behind,
    compared,
    without_dead_letter,
)
from advisor.intake.frameworks.spring.listeners import MARKED, poll_loops
from advisor.intake.programs.code_facts import LISTENERS, MAKES_CLIENT, TOPOLOGY_MADE
from advisor.intake.programs.facts import ASYNCHRONOUS, add_processing_facts
from advisor.intake.programs.jvm.code import Code
from advisor.intake.programs.jvm.facts import judge
from advisor.intake.programs.jvm.normal_form.rewriting import normal_form
from advisor.intake.programs.jvm.text import Text, without_comments, without_literals
from advisor.intake.reading import DEFAULT, Item, Reader, Reading
from advisor.intake.text import IntakeError, line_of

_LONGEST, _MOST = 100_000, 20
_TOLD_BY = re.compile(
    r"^[ \t]*import[ \t]+org\.springframework\.kafka\."
    r"(?:annotation\.(?:KafkaListener|RetryableTopic|\*)|core\.|listener\.DefaultErrorHandler\b"
    r"|config\.(?:Concurrent)?KafkaListenerContainerFactory\b|retrytopic\.RetryTopicConfiguration)",
    re.MULTILINE,
)
_OF_SPRING = re.compile(
    rf"{MARKED}\b|\b(?:KafkaTemplate|DefaultErrorHandler|KafkaListenerContainerFactory"
    r"|ConcurrentKafkaListenerContainerFactory|(?:Default\w+)?(?:Consumer|Producer)Factory"
    r"|KafkaAdmin|RetryTopicConfiguration)\b"
)
_CONTAINER = re.compile(
    r"\b(?:ConcurrentKafkaListenerContainerFactory|DefaultKafka(?:Consumer|Producer)Factory)\b"
    r"\s*(?:<[^;(){}]{0,160}>)?\s*\(|\bDefaultErrorHandler\s*\(|@RetryableTopic\b"
    r"|\bRetryTopicConfigurationBuilder\b"
)
_IMPORTS_CLIENT = re.compile(
    r"\bimport[ \t]+org\.apache\.kafka\.(?:clients\.(?:producer\.(?:KafkaProducer\b|\*)"
    r"|consumer\.(?:Kafka(?:Share)?Consumer\b|\*))|streams\.(?:KafkaStreams\b|\*))"
)
"""A class of a team's own may have such a name, too."""
_ASYNC = re.compile(
    r"@Async\b(?:\s*\([^()]*\))?(?:\s+(?:@\w+(?:\([^()]*\))?|public|protected|final|open|fun|void"
    r"|[\w.]+(?:<[^;(){}]{0,80}>)?)){0,6}?\s+(?P<name>\w+)\s*\("
)
"""A method that Spring runs in a thread of its own (Spring Framework, "Task Execution")."""


def read(text: str) -> Reading:
    """What the code does with its records. Raises `IntakeError`."""
    written = without_comments(text[:_LONGEST])
    plain = without_literals(written)
    _refuse_others(plain)
    loops, listeners = poll_loops(written, plain)
    code = Code(normal_form(loops))
    reading = Reading(heads={"family": Family.JAVA}, empty_reason=LISTENERS)
    line = listeners[0].line if listeners else 1
    reading.items.append(Item(Component.APPLICATION, "framework", "spring", line, rank=DEFAULT))
    for one in listeners:
        reading.compared_items += compared(one)
    for made in _CONTAINER.finditer(plain):
        at = line_of(plain, made.start())
        reading.compared_items.append(Item(Component.APPLICATION, MAKES, "", at))
    if listeners:
        add_processing_facts(reading, _asynchronous(plain))
    judge(reading, Text(code.plain, code.heads), code)
    without_dead_letter(reading)
    if not any(one.acknowledges for one in listeners):
        committed_behind(reading)
    return reading


def _refuse_others(plain: str) -> None:
    """Raises `IntakeError` for what is no code with Spring, or sets up a client beside it."""
    if not _OF_SPRING.search(plain):
        raise IntakeError("Line 1: there is no listener, template or handler of Spring here.")
    other = _IMPORTS_CLIENT.search(plain) and MAKES_CLIENT.search(plain)
    if other := other or TOPOLOGY_MADE.search(plain):
        words = "a client of its own, or Kafka Streams, beside what Spring sets up. Give each as a "
        words += "program of its own"
        raise IntakeError(f"Line {line_of(plain, other.start())}: {words}.")


def _asynchronous(plain: str) -> dict[str, int]:
    """The line of a method that is called here and that nobody waits for."""
    for match in islice(_ASYNC.finditer(plain), _MOST):
        calls = re.finditer(rf"(?<!\bvoid )(?<!\bfun )\b{match['name']}\s*\(", plain)
        if any(call.start() != match.start("name") for call in calls):
            return {ASYNCHRONOUS: line_of(plain, match.start())}
    return {}


def _likeness(text: str) -> float:
    if not _TOLD_BY.search(text, 0, _LONGEST):
        return 0.0
    return 0.98 if _TOLD_BY.search(without_comments(text[:_LONGEST])) else 0.0


READERS = (Reader("spring-code", f"Code with {MARKED} or KafkaTemplate", _likeness, read),)
