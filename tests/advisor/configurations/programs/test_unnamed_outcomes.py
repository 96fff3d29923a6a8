"""Outcomes of processing that are only logged: lists of failures, statuses, accumulated flags.

Source: KafkaConsumer javadoc (`commitSync()` covers all polled records).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, WITH_METHOD

JAVA = WITH_METHOD % (LOOP % "%s", "%s")


@pytest.mark.parametrize(("program", "body", "methods", "expected"), [
    (JAVA, "for (ConsumerRecord<String, String> r : rs) {\nif (!seen.add(r.key())) "
     'continue;\nif (!validator.isValid(r)) { log.warn("invalid {}", r); '
     "continue; }\nboolean stored = store.put(r.key(), r.value());\nif (!stored) "
     'log.warn("not stored {}", r.key());\n}', "", SKIP),
    (JAVA, "List<String> failedIds = service.processBatch(rs);\nif "
     '(!failedIds.isEmpty()) { log.warn("failed ids: {}", failedIds); }', "", SKIP),
    (JAVA, "List<String> failedIds = service.processBatch(rs);\nif "
     "(!failedIds.isEmpty()) { retryTopic.sendAll(failedIds); }", "", YES),
    (KOTLIN, "val response = httpClient.post(url) { setBody(rs.map { it.value() }) }\nif "
     '(!response.status.isSuccess()) { logger.error("post failed '
     '${response.status}") }', "", SKIP),
    (KOTLIN, "val response = httpClient.post(url) { setBody(rs.map { it.value() }) }\n"
     'check(response.status.isSuccess()) { "post failed ${response.status}" }', "", YES),
    (KOTLIN, "var ok = true\nfor (r in rs) { ok = ok && handler.handle(r) }\nif (ok) "
     "c.commitSync()", "", SKIP),
    (KOTLIN, "var ok = true\nfor (r in rs) { ok = ok && handler.handle(r) }\nif (!ok) "
     'error("some failed")', "", YES),
    (JAVA, "for (var r : rs) { boolean queued = queue.offer(r); if (!queued) "
     'log.warn("full"); }', "", SKIP),
    (JAVA, "for (var r : rs) { switch (process(r)) { case OK -> ok++; case RETRY -> throw new "
     'Again(); case FATAL -> log.error("fatal"); } }', "", SKIP),
    (JAVA, "Set<String> seen = new HashSet<>();\nfor (var r : rs) { boolean added = "
     'seen.add(r.key()); if (!added) { log.debug("duplicate"); continue; } '
     "process(r); }", "", YES),
])  # fmt: skip
def test_an_outcome_that_is_only_logged_skips_its_record(
    tmp_path: Path, program: str, body: str, methods: str, expected: str
) -> None:
    end = ";" if program is JAVA else ""
    assert_program(
        tmp_path / "A.java", program % (f"{body}\nc.commitSync(){end}", methods), expected
    )
