"""Handlers that do something about an error except after the last attempt, or for some errors.

Source: KafkaConsumer javadoc (`commitSync()` covers all polled records).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, SCALA, WITH_METHOD

JAVA = WITH_METHOD % (LOOP % "%s", "%s")


@pytest.mark.parametrize(("program", "body", "methods", "expected"), [
    (JAVA, "for (var r : rs) { attempt(r, 3); }",
     "void attempt(R r, int left) { try { process(r); } catch (Exception e) { if "
     '(left > 0) { attempt(r, left - 1); } else { log.error("gave up", e); } } }', SKIP),
    (JAVA, "for (var r : rs) { attempt(r, 3); }",
     "void attempt(R r, int left) { try { process(r); } catch (Exception e) { if "
     "(left > 0) { attempt(r, left - 1); } else { throw e; } } }", YES),
    (JAVA, "for (var r : rs) { attempt(r, 3); }",
     "void attempt(R r, int left) { try { process(r); } catch (Exception e) { if "
     "(left > 0) { attempt(r, left - 1); } else { letters.store(r); } } }", YES),
    (JAVA, "for (var r : rs) { handle(r); }",
     "void handle(R r) { int n = attempts(r); try { process(r); } catch "
     "(Exception e) { if (n < 3) { republish(r, n + 1); } else { "
     "letters.store(r); } } }", YES),
    (JAVA, "for (var r : rs) { handle(r); }",
     "void handle(R r) { int n = attempts(r); try { process(r); } catch "
     '(Exception e) { if (n < 3) { republish(r, n + 1); } else { log.error("gave '
     'up", e); } } }', SKIP),
    (KOTLIN, "for (r in rs) attempt(r, 3)",
     "fun attempt(r: R, left: Int) { runCatching { process(r) }.onFailure { if "
     '(left > 0) attempt(r, left - 1) else log.error("gave up", it) } }', SKIP),
    (JAVA, "for (var r : rs) { try { post(r); } catch (HttpException e) { if "
     '(e.status() >= 500) throw e; log.warn("dropped", e); } }', "", SKIP),
    (JAVA, "for (var r : rs) { handle(r); }",
     "void handle(R r) { int n = attempts(r); try { process(r); } catch "
     "(Exception e) { if (n < 3) { republish(r, n + 1); return; } "
     'log.error("gave up", e); } }', SKIP),
    (JAVA, "for (var r : rs) { handle(r); }",
     "void handle(R r) { int n = attempts(r); try { process(r); } catch "
     "(Exception e) { if (n < 3) { republish(r, n + 1); return; } "
     "letters.store(r); } }", YES),
    (JAVA, "for (var r : rs) { handle(r); }",
     "void handle(R r) { int n = 0; while (true) { try { process(r); return; } "
     'catch (Exception e) { if (++n >= 3) { throw e; } else { log.warn("again", '
     "e); } } } }", YES),
    (JAVA, "for (var r : rs) { for (int i = 1; ; i++) { try { process(r); break; } "
     'catch (Exception e) { if (i >= 3) { throw e; } log.warn("again", e); } } }', "", YES),
    (SCALA, "rs.asScala.foreach { r => Try(post(r)) match {\ncase Success(_) => ()\n"
     'case Failure(e: HttpException) => log.warn("dropped", e)\ncase Failure(e) '
     "=> throw e\n} }", "", SKIP),
    (SCALA, "rs.asScala.foreach { r => Try(post(r)) match {\ncase Success(_) => ()\n"
     'case Failure(e: DuplicateKeyException) => log.debug("seen before")\ncase '
     "Failure(e) => throw e\n} }", "", YES),
    (SCALA, "rs.asScala.foreach { r => Try(post(r)) match {\ncase Failure(e) => "
     "letters.store(r)\ncase _ => ()\n} }", "", YES),
    (SCALA, "rs.asScala.foreach { r => Try(post(r)).recover {\ncase e: "
     'DuplicateKeyException => log.debug("seen before")\n}.get }', "", YES),
    (SCALA, "@tailrec\ndef attempt(r: ConsumerRecord[String, String], n: Int): Unit = "
     "Try(process(r)) match {\n  case Success(_) => ()\n  case Failure(_) if n > "
     "0 => attempt(r, n - 1)\n  case Failure(e) => throw e\n}\n"
     "rs.asScala.foreach(r => attempt(r, 3))", "", YES),
    (SCALA, "@tailrec\ndef attempt(r: ConsumerRecord[String, String], n: Int): Unit = "
     "Try(process(r)) match {\n  case Success(_) => ()\n  case Failure(_) if n > "
     '0 => attempt(r, n - 1)\n  case Failure(e) => logger.error("gave up", e)\n}'
     "\nrs.asScala.foreach(r => attempt(r, 3))", "", SKIP),
    (JAVA, "for (ConsumerRecord<String, String> r : rs) {\nfor (int attempt = 1; "
     "attempt <= MAX_ATTEMPTS; attempt++) {\ntry { process(r); break; } catch "
     '(RetriableException e) { log.warn("attempt {} failed", attempt, e); '
     "backoff(attempt); }\n}\n}", "", SKIP),
])  # fmt: skip
def test_a_record_that_is_only_logged_after_its_last_attempt_is_skipped(
    tmp_path: Path, program: str, body: str, methods: str, expected: str
) -> None:
    end = ";" if program is JAVA else ""
    assert_program(
        tmp_path / "A.java", program % (f"{body}\nc.commitSync(){end}", methods), expected
    )
