"""Java, Kotlin and Scala programs that withhold a commit after an error and keep polling, or that
pass a record to a client which returns immediately.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import BEFORE, SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA

_NEXT = "Map.of(t, new OffsetAndMetadata(r.offset() + 1))"
_ASYNC = "S3AsyncClient s3;"
_BUILDER = "StringBuilder sb = new StringBuilder();"
_FLUSH = "if (sb.length() > 9) { save(sb.toString()); sb.setLength(0);"
_TRY = "for (var r : rs) { try { save(r); } catch (Exception e) { %s } }"

_JAVA_CASES = [
    ("AtomicInteger failed = new AtomicInteger();\nfor (var r : rs) pool.submit(() -> { try {"
     " save(r); } catch (Exception e) { failed.incrementAndGet(); } });\n"
     "if (failed.get() == 0) c.commitSync();", "", BEFORE),
    ("var failed = new AtomicBoolean(); for (var r : rs) pool.execute(() -> save(r));\n"
     "if (!failed.get()) c.commitSync();", "", BEFORE),
    ("Optional<String> last = last(rs); for (var r : rs) pool.submit(() -> save(r));\n"
     "log.info(last.get()); c.commitSync();", "", BEFORE),
    ("AtomicInteger n = new AtomicInteger(); List<Future<?>> all = new ArrayList<>();\n"
     "for (var r : rs) all.add(pool.submit(() -> save(r)));\n"
     "for (var f : all) f.get(); n.get(); c.commitSync();", "", YES),
    ("if (stats.get() == 0) { c.commitSync(); } for (var r : rs) save(r);", "", BEFORE),
    ("if (pending.isEmpty()) { c.commitSync(); } for (var r : rs) save(r);", "", BEFORE),
    ("if (rs.count() == 0) { c.commitSync(); } for (var r : rs) save(r); c.commitSync();", "", YES),
    (_TRY % "backoff = Math.min(backoff * 2, 60);" + " c.commitSync();", "", SKIP),
    (_TRY % "this.state = State.FAILED; errors = errors + 1;" + " c.commitSync();", "", SKIP),
    (_TRY % "last = park(r);" + " c.commitSync();", "", YES),
    ("int failed = 0; for (var r : rs) { try { save(r); } catch (Exception e) { failed++; } }\n"
     "if (failed == 0) c.commitSync();", "", SKIP),
    ("boolean ok = true; " + _TRY % "ok = false; log.error(e);"
     + " if (!ok) throw new IllegalStateException(); c.commitSync();", "", YES),
    (f"for (var r : rs) {{ if (!save(r)) break; c.commitSync({_NEXT}); }}", "", SKIP),
    ("for (var r : rs) { if (!save(r)) { c.seek(t, r.offset()); break; } "
     f"c.commitSync({_NEXT}); }}", "", YES),
    (f"for (var r : rs) {{ if (save(r)) c.commitSync({_NEXT}); }}", "", SKIP),
    (f"for (var r : rs) {{ if (save(r)) {{ c.commitSync({_NEXT}); continue; }} throw e; }}", "",
     YES),
    (f"for (var r : rs) {{ boolean ok = save(r); if (ok) c.commitSync({_NEXT}); }}", "", SKIP),
    ("if (processAll(rs)) c.commitSync(); else c.seek(t, 0);", "", YES),
    ("for (var r : rs) { if (insertIfNew(r)) publish(r); } c.commitSync();", "", YES),
    ("for (var r : rs) s3.putObject(b, body(r)); c.commitSync();", _ASYNC, BEFORE),
    ("for (var r : rs) s3.putObject(b, body(r)).join(); c.commitSync();", _ASYNC, YES),
    ("for (var r : rs) s3.putObject(b, body(r)); c.commitSync();", "S3Client s3;", YES),
    ("for (var r : rs) sb.append(r.value()); c.commitSync();", _BUILDER, BEFORE),
    (f"for (var r : rs) sb.append(r.value()); {_FLUSH} }} c.commitSync();", _BUILDER, BEFORE),
    (f"for (var r : rs) sb.append(r.value()); {_FLUSH} c.commitSync(); }}", _BUILDER, YES),
    (f"Exception x = null; {_TRY % 'x = e; break;'} if (x == null) c.commitSync();", "", SKIP),
    (f"Exception x = null; {_TRY % 'x = e; break;'} if (x != null) throw x; c.commitSync();", "",
     YES),
    (f"List<E> l = new ArrayList<>(); {_TRY % 'l.add(e);'} if (l.isEmpty()) c.commitSync();", "",
     SKIP),
    (f"int n = 0; {_TRY % 'n++;'} if (n > 0) throw new X(); c.commitSync();", "", YES),
    (f"int n = 0; {_TRY % 'n++;'} if (n > 0) log.warn(n); c.commitSync();", "", SKIP),
    ("for (var r : rs) { boolean ok = false; try { save(r); ok = true; } catch (Exception e) { "
     "log.error(e); } if (!ok) System.exit(1); } c.commitSync();", "", YES),
]  # fmt: skip


@pytest.mark.parametrize(("body", "declarations", "expected"), _JAVA_CASES)
def test_a_withheld_commit_does_not_rewind_the_consumer(
    body: str, declarations: str, expected: str, tmp_path: Path
) -> None:
    assert_program(
        tmp_path / "A.java", READER % (LOOP % body) + f"class B {{ {declarations} }}", expected
    )


_EACH = "for (r in rs) { runCatching { save(r) }%s }\nc.commitSync()"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (KOTLIN % ("runCatching { rs.forEach { save(it) } }.also { c.commitSync() }", ""), SKIP),
        (KOTLIN % (_EACH % ".also { if (it.isFailure) throw X() }", ""), YES),
        (KOTLIN % (_EACH % ".getOrDefault(false)", ""), SKIP),
        (KOTLIN % (_EACH % ".getOrNull()", ""), SKIP),
        (KOTLIN % (_EACH % ".getOrNull() ?: throw X()", ""), YES),
        (KOTLIN % (_EACH % ".fold({ log.info(x) }, { log.error(x, it) })", ""), SKIP),
        (KOTLIN % (_EACH % ".fold({ log.info(x) }, { throw it })", ""), YES),
        (KOTLIN % (_EACH % ".onFailure { log.error(x, it) }.getOrThrow()", ""), YES),
        (SCALA % ("for (r <- rs.asScala) { Try(save(r)).fold(e => log.error(e), _ => ()) }\n"
                  "c.commitSync()", ""), SKIP),
    ],
)  # fmt: skip
def test_an_error_is_followed_through_a_chain(code: str, expected: str, tmp_path: Path) -> None:
    assert_program(tmp_path / "A.kt", code, expected)
