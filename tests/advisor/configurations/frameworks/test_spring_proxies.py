"""Listeners whose annotations let Spring call them in another way: in a thread of its own, with a
method for their errors, or through an event."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_answer, write_files
from tests.advisor.configurations.frameworks.test_spring_code import (
    JAVA,
    KOTLIN,
    STATED,
    YES_IF,
    YML,
)
from tests.advisor.programs import ASIDE, SKIP

SAVE = "public void on(String m) { store.save(m); }"
LISTENER = '@KafkaListener(topics = "orders", groupId = "g")'
BREAKER = '@CircuitBreaker(name = "db", fallbackMethod = "failed")'
LOGS = '\n  void failed(String m, Exception e) { log.error("no", e); }'
THROWS = "\n  void failed(String m, Throwable e) { throw new IllegalStateException(e); }"
PUBLISHES = "public void on(String m) { events.publishEvent(new Received(m)); }\n "
RECEIVES = "\n  public void received(Received r) { store.save(r.m()); }"


def _files(folder: Path, code: str) -> str:
    name = "Orders.kt" if code.startswith("package orders\n") else "Orders.java"
    write_files(folder, {name: code, "application.yml": YML})
    return f"{folder / 'application.yml'} {folder / name}"


@pytest.mark.parametrize(("code", "line", "expected"), [
    (JAVA % f"{LISTENER}\n  {BREAKER} {SAVE}{LOGS}", 9, SKIP),
    (JAVA % f"{BREAKER}\n  {LISTENER}\n  {SAVE}{LOGS}", 10, SKIP),
    (JAVA % f"{LISTENER}\n  @HystrixCommand(fallbackMethod = \"failed\")\n  {SAVE}\n"
     "  void failed(String m) { }", 10, SKIP),
    (JAVA % f"{LISTENER}\n  @Retryable\n  {SAVE}\n  @Recover{LOGS}", 10, SKIP),
    (JAVA % f'{LISTENER}\n  @Retryable(recover = "failed")\n  {SAVE}\n  @Recover{LOGS}', 10, SKIP),
    (KOTLIN % f'{BREAKER}\n    fun on(m: String) = store.save(m)\n'
     '    fun failed(m: String, e: Exception) { log.error("no", e) }', 7, SKIP),
    (JAVA % f"@Async {LISTENER}\n  {SAVE}", 8, ASIDE),
    (JAVA % f"{LISTENER}\n  @Async\n  {SAVE}", 9, ASIDE),
    (JAVA % f"{LISTENER}\n  {PUBLISHES}@Async\n  @EventListener{RECEIVES}", 10, ASIDE),
    (JAVA % f"{LISTENER}\n  {PUBLISHES}@TransactionalEventListener{RECEIVES}", 10, SKIP),
])  # fmt: skip
def test_messages_that_a_proxy_loses_are_reported_with_the_line(
    tmp_path: Path, code: str, line: int, expected: str
) -> None:
    paths = _files(tmp_path, code)
    assert_answer(paths, TOPIC, 1, rf"NO.*Orders.\w+:{line}: [^:]*\({expected}")


@pytest.mark.parametrize("code", [
    JAVA % f"{LISTENER}\n  {BREAKER}\n  {SAVE}{THROWS}",
    JAVA % f'{LISTENER}\n  @Retry(name = "db")\n  {SAVE}{LOGS}',
    JAVA % f"{LISTENER}\n  {SAVE}\n  @Recover{LOGS}",
    JAVA % f"{LISTENER}\n  @Retryable\n  {SAVE}\n  @Recover{THROWS}",
    JAVA % f"{LISTENER}\n  @Retryable\n  {SAVE}\n  @Recover\n"
    "  void failed(Exception e, String m) { letters.save(m); }",
    JAVA % f"{LISTENER}\n  {PUBLISHES}@EventListener{RECEIVES}",
    JAVA % f"{LISTENER}\n  {PUBLISHES}"
    f"@TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT){RECEIVES}",
])  # fmt: skip
def test_a_proxy_that_passes_errors_on_loses_nothing(tmp_path: Path, code: str) -> None:
    assert_answer(_files(tmp_path, code), f"{TOPIC} {STATED}", 0, YES_IF)


@pytest.mark.parametrize(("code", "expected"), [
    (JAVA % f"{LISTENER}\n  {BREAKER}\n  {SAVE}", "failed is called after an error, and is not"),
    (JAVA % f"{LISTENER}\n  {BREAKER}\n  {SAVE}{LOGS}{THROWS}", "is not here exactly once"),
    (JAVA % f"{LISTENER}\n  {BREAKER}\n  {SAVE}\n"
     "  void failed(String m, Acknowledgment a, Exception e) { a.acknowledge(); }",
     "failed is called after an error, and may acknowledge the record"),
])  # fmt: skip
def test_a_method_for_errors_that_is_not_followed_is_refused(
    tmp_path: Path, code: str, expected: str
) -> None:
    assert_answer(_files(tmp_path, code), f"{TOPIC} {STATED}", 2, expected)
