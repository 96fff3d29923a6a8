"""Work on a record in Java that is deferred, and that nothing completes before the commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file
from tests.advisor.programs import BEFORE, SKIP, YES, assert_program
from tests.advisor.programs.jvm import JAVA_APP

_SAVES = "for (var r : rs) {{ try {{ save(r); }} catch (Exception e) {{ {} }} }}"
_FAILED = "static List<ConsumerRecord<String, String>> failed = new ArrayList<>();"
_WRITER = "BufferedWriter out = new BufferedWriter(new FileWriter(F));"
_WRITE = "for (var r : rs) out.write(r.value());"
_BATCH = "for (var r : rs) { st.setString(1, r.value()); st.addBatch(); }"
_MUTATOR = "BufferedMutator m = hbase.getBufferedMutator(T);"
_MUTATE = "for (var r : rs) m.mutate(of(r));"
_PIPE = "Pipeline pipe = jedis.pipelined(); for (var r : rs) pipe.set(r.key(), r.value());"
_STREAM = "StreamSupport.stream(rs.spliterator(), false).map(r -> save(r))"
_POST = "for (var r : rs) { web.post().bodyValue(r.value()).retrieve().toBodilessEntity()%s; }"
_HTTP = (
    "for (var r : rs) { HttpResponse<String> a = http.send(of(r), BodyHandlers.ofString()); %s }"
)
_PAUSED = (
    "c.pause(c.assignment()); Future<?> f = pool.submit(() -> { for (var r : rs) save(r); });\n"
    "while (!f.isDone()) { c.poll(Duration.ofMillis(100)); } %s"
)


@pytest.mark.parametrize(
    ("declarations", "before", "body", "expected"),
    [
        (_FAILED, "", _SAVES.format("failed.add(r);"), SKIP),
        (_FAILED, "", f"{_SAVES.format('failed.add(r);')} again(failed);", YES),
        ("", _WRITER, _WRITE, BEFORE),
        ("", _WRITER, f"{_WRITE} out.flush();", YES),
        ("", _WRITER.replace("(F))", "(F), true)").replace("Buffered", "Print"), _WRITE, YES),
        ("", _WRITER, f"{_WRITE} sync(out);", YES),
        ("", "", _BATCH, BEFORE),
        ("", "", f"{_BATCH} st.executeBatch();", YES),
        ("", _MUTATOR, _MUTATE, BEFORE),
        ("", _MUTATOR, f"{_MUTATE} m.flush();", YES),
        ("", "var w = influx.makeWriteApi();", "for (var r : rs) w.writePoint(of(r));", BEFORE),
        ("", "", _PIPE, BEFORE),
        ("", "", f"{_PIPE} pipe.sync();", YES),
        ("", "", "try (Pipeline q = jedis.pipelined()) { for (var r : rs) q.set(r); }", YES),
        ("", _WRITER, "for (var r : rs) { save(r); out.write(r.offset()); }", YES),
        ("", "", f"{_STREAM};", BEFORE),
        ("", "", f"{_STREAM}.toList();", YES),
        ("", "", _POST % "", BEFORE),
        ("", "", _POST % ".block()", YES),
        ("", "", _HTTP % "log.info(a.statusCode());", SKIP),
        ("", "", _HTTP % "if (a.statusCode() > 299) throw new E();", YES),
        ("", "", _PAUSED % "", SKIP),
        ("", "", _PAUSED % "f.get();", YES),
    ],
)  # fmt: skip
def test_deferred_work_that_is_never_done_is_reported(
    declarations: str, before: str, body: str, expected: str, tmp_path: Path
) -> None:
    code = JAVA_APP.format(more=declarations, before=before, body=f"{body} c.commitSync();")
    assert_program(tmp_path / "App.java", code, expected)


_SCOPE = "try (var s = new StructuredTaskScope<>()) { for (var r : rs) s.fork(() -> save(r)); %s }"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (_SCOPE % "s.join();", SKIP),
        (_SCOPE.replace("Scope<>", "Scope.ShutdownOnFailure") % "s.join().throwIfFailed();", YES),
        (_SCOPE.replace("new StructuredTaskScope<>", "StructuredTaskScope.open") % "s.join();",
         YES),
    ],
)  # fmt: skip
def test_a_failed_subtask_that_its_scope_does_not_report_is_a_skip(
    body: str, expected: str, tmp_path: Path
) -> None:
    code = JAVA_APP.format(more="", before="", body=f"{body} c.commitSync();")
    assert_program(tmp_path / "App.java", code, expected)


@pytest.mark.parametrize(("commit", "is_sound"), [("", False), ("db.commit();", True)])
def test_jdbc_writes_must_be_committed(commit: str, is_sound: bool, tmp_path: Path) -> None:
    body = f"for (var r : rs) {{ st.setString(1, r.value()); st.executeUpdate(); }} {commit}"
    code = JAVA_APP.format(
        more="", before="db.setAutoCommit(false);", body=f"{body} c.commitSync();"
    )
    expected = YES if is_sound else "nothing here commits what is written to this database"
    settings = f"{TOPIC} application.restart=resumes"
    assert_file(tmp_path / "App.java", code, "", settings, 0 if is_sound else 2, expected)
