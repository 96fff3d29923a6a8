"""A commit after a message was only observed or checked comes too early.

Each row is the code before the commit. The message is processed after the commit.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_java_services import SERVICE
from tests.advisor.configurations.programs.test_python_polls import BEFORE, ONE_MESSAGE
from tests.advisor.programs import YES, assert_program

_COMMIT = (
    "consumer.commitSync(Map.of(new TopicPartition(record.topic(), record.partition()), "
    "new OffsetAndMetadata(record.offset() + 1)));"
)
OBSERVED_IN_JAVA = [
    'log.info("got {}", record);',
    'log.atInfo().addKeyValue("key", record.key()).log("got");',
    "audit.info(record.value());",
    "logEvent(record);",
    'span.setAttribute("key", record.key());',
    'Span.current().setAttribute("key", record.key());',
    'Span span = tracer.spanBuilder("x").setAttribute("key", record.key()).startSpan();',
    "Context context = propagator.extract(Context.current(), record.headers(), getter);",
    'MDC.put("key", record.key());',
    'ThreadContext.put("key", record.key());',
    'Sentry.setTag("key", record.key());',
    'meterRegistry.counter("in", "topic", record.topic()).increment();',
    "received.labels(record.topic()).inc();",
    "age.set(System.currentTimeMillis() - record.timestamp());",
    "Objects.requireNonNull(record.value());",
    "assert record.value() != null;",
    "if (record.value() == null) { continue; }",
    "if (isDuplicate(record.key())) { continue; }",
    "validate(record);",
]
OBSERVED_IN_PYTHON = [
    'span.set_attribute("key", m.key())',
    'trace.get_current_span().set_attribute("key", m.key())',
    'sentry_sdk.set_tag("key", m.key())',
    "structlog.contextvars.bind_contextvars(key=m.key())",
    "logger = logger.bind(key=m.key())",
    "context = propagator.extract(dict(m.headers()))",
    "LAG.set(time.time() - m.timestamp()[1])",
    "seconds(m.timestamp())",
    "progress.update(len(m.value()))",
    "validate(m)",
    "if is_duplicate(m.key()):\n    continue",
]


@pytest.mark.parametrize("before", OBSERVED_IN_JAVA)
def test_a_commit_in_java_after_only_observing_the_record_is_early(
    tmp_path: Path, before: str
) -> None:
    body = "for (ConsumerRecord<String, String> record : records) {{ {} }}"
    early = body.format(f"{before} {_COMMIT} process(record);")
    assert_program(tmp_path / "A.java", SERVICE % (early, ""), BEFORE)
    whole_batch = body.format(before) + " consumer.commitSync(); repository.saveAll(records);"
    assert_program(tmp_path / "A.java", SERVICE % (whole_batch, ""), BEFORE)
    late = body.format(f"{before} process(record); {_COMMIT}")
    assert_program(tmp_path / "A.java", SERVICE % (late, ""), YES)


@pytest.mark.parametrize("before", OBSERVED_IN_PYTHON)
def test_a_commit_in_python_after_only_observing_the_message_is_early(
    tmp_path: Path, before: str
) -> None:
    early, late = f"{before}\nc.commit(m)\nsave(m)", f"{before}\nsave(m)\nc.commit(m)"
    for body, expected in ((early, BEFORE), (late, YES)):
        program = ONE_MESSAGE % "".join(f"    {line}\n" for line in body.splitlines())
        assert_program(tmp_path / "a.py", program, expected)


@pytest.mark.parametrize(("body", "expected"), [
    ("cache.put(record.key(), record.value());", YES),
    ("if (!save(record)) { throw new IllegalStateException(); }", YES),
    ("metrics.record(record.value());", YES),
])  # fmt: skip
def test_a_call_that_may_be_processing_counts_as_processing(
    tmp_path: Path, body: str, expected: str
) -> None:
    loop = f"for (ConsumerRecord<String, String> record : records) {{ {body} {_COMMIT} }}"
    assert_program(tmp_path / "A.java", SERVICE % (loop, ""), expected)
