"""JVM programs that commit through a function, and programs that leave work undone: flows that
buffer records, and bulk writes whose failures are not checked.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file
from tests.advisor.programs import ASIDE, BEFORE, SKIP, YES, assert_program

_JAVA = """import org.apache.kafka.clients.consumer.*;
public class App {{
  {more}
  public static void main(String[] args) {{
    Properties p = new Properties();
    p.put("group.id", "g"); p.put("enable.auto.commit", "false");
    p.put("auto.offset.reset", "earliest");
    KafkaConsumer<String, String> c = new KafkaConsumer<>(p);
    c.subscribe(List.of("t"));
    {before}
    while (true) {{
      ConsumerRecords<String, String> rs = c.poll(Duration.ofMillis(100));
      {body}
    }}
  }}
}}
"""
_EACH = "for (ConsumerRecord<String, String> r : rs) save(r);"
_HANDLE = "static void handle(ConsumerRecords<String, String> rs, Runnable ack) {{ {} }}"
_ACK_LAST = _HANDLE.format(f"{_EACH} ack.run();")
_ACK_FIRST = _HANDLE.format(f"ack.run(); {_EACH}")
_NEXT = "Map.of(tp(r), new OffsetAndMetadata(r.offset() + 1))"
_ACKS = "Consumer<ConsumerRecord<String, String>> ack ="
_METHOD = (
    f"static void ack(KafkaConsumer<?, ?> c, ConsumerRecord<?, ?> r) {{ c.commitSync({_NEXT}); }}"
)


@pytest.mark.parametrize(
    ("declarations", "before", "body", "expected"),
    [
        ("", "Runnable ack = () -> c.commitSync();", f"ack.run(); {_EACH}", BEFORE),
        ("", "Runnable ack = () -> c.commitSync();", f"{_EACH} ack.run();", YES),
        ("", "Runnable ack = c::commitSync;", f"ack.run(); {_EACH}", BEFORE),
        ("", "Runnable ack = c::commitSync;", f"{_EACH} ack.run();", YES),
        (_ACK_FIRST, "", "handle(rs, c::commitSync);", BEFORE),
        (_ACK_LAST, "", "handle(rs, c::commitSync);", YES),
        (_ACK_FIRST, "", "handle(rs, () -> c.commitSync());", BEFORE),
        (_ACK_FIRST, "", "handle(rs, () -> { c.commitSync(); });", BEFORE),
        ("", f"{_ACKS} r -> c.commitSync({_NEXT});", "for (var r : rs) { ack.accept(r); save(r); }",
         BEFORE),
        ("", f"{_ACKS} r -> c.commitSync({_NEXT});", "for (var r : rs) { save(r); ack.accept(r); }",
         YES),
        (_METHOD, "", "for (var r : rs) { ack(c, r); save(r); }", BEFORE),
        (_METHOD, "", "for (var r : rs) { save(r); ack(c, r); }", YES),
        ("@Async void work(ConsumerRecord<?, ?> r) { save(r); }", "",
         "for (var r : rs) work(r); c.commitSync();", ASIDE),
    ],
)  # fmt: skip
def test_a_function_that_commits_is_followed(
    declarations: str, before: str, body: str, expected: str, tmp_path: Path
) -> None:
    code = _JAVA.format(more=declarations, before=before, body=body)
    assert_program(tmp_path / "App.java", code, expected)


_BULK = "BulkResponse done = client.bulk(requests(rs), DEFAULT);"
_SCOPE = "try (var s = new StructuredTaskScope<>()) { for (var r : rs) s.fork(() -> save(r)); %s }"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("client.bulk(requests(rs), DEFAULT);", SKIP),
        (f"{_BULK} if (done.hasFailures()) log.error(done.toString());", SKIP),
        (f"{_BULK} if (done.hasFailures()) throw new IllegalStateException();", YES),
        ("BulkResponse b; do { b = client.bulk(of(rs)); } while (b.hasFailures());", YES),
        (f"{_BULK} for (var it : done) {{ if (it.isFailed()) {{ log.error(it); }} }}", SKIP),
        (f"{_BULK} for (var it : done) {{ if (it.isFailed()) {{ again(it); }} }}", YES),
        (f"{_BULK} done.forEach(it -> {{ if (it.isFailed()) {{ log.error(it); }} }});", SKIP),
        (f"{_BULK} done.forEach(it -> {{ if (it.isFailed()) {{ again(it); }} }});", YES),
        (f"{_BULK} for (var it : done) {{ var span = tracer.start(it); "
         "try { if (it.isFailed()) { log.error(it); } } finally { span.end(); } }", SKIP),
        ("check(client.bulk(requests(rs), DEFAULT));", YES),
        ("kinesis.putRecords(requests(rs));", SKIP),
        ("repository.bulk(rs);", YES),
        (_SCOPE % "s.join();", SKIP),
        (_SCOPE.replace("Scope<>", "Scope.ShutdownOnFailure") % "s.join().throwIfFailed();", YES),
        (_SCOPE.replace("new StructuredTaskScope<>", "StructuredTaskScope.open") % "s.join();",
         YES),
    ],
)  # fmt: skip
def test_a_failed_bulk_write_that_is_not_checked_is_reported(
    body: str, expected: str, tmp_path: Path
) -> None:
    code = _JAVA.format(more="", before="", body=f"{body} c.commitSync();")
    assert_program(tmp_path / "App.java", code, expected)


_KOTLIN = """import org.apache.kafka.clients.consumer.*
fun main() {{
  val p = Properties()
  p["group.id"] = "g"
  p["enable.auto.commit"] = "false"
  p["auto.offset.reset"] = "earliest"
  val c = KafkaConsumer<String, String>(p)
  {body}
}}
"""
_POLL = "val rs = c.poll(Duration.ofMillis(100))"
_FLOW = f"flow {{ while (true) {{ {_POLL}; for (r in rs) emit(r); c.commitSync() }} }}"
_SEQUENCE = "generateSequence { c.poll(Duration.ofMillis(100)) }.asFlow()"
_ACK = "fun handle(rs: ConsumerRecords<String, String>, ack: () -> Unit) {{ {} }}"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{_FLOW}.collect {{ save(it) }}", YES),
        (f"{_FLOW}.buffer(9).collect {{ save(it) }}", ASIDE),
        (f"{_FLOW}.flowOn(IO).collect {{ save(it) }}", ASIDE),
        (f"{_FLOW}.collectLatest {{ save(it) }}", ASIDE),
        (f"channelF{_FLOW[1:].replace('emit', 'send')}.collect {{ save(it) }}", ASIDE),
        (f"{_SEQUENCE}.buffer().collect {{ rs -> save(rs); c.commitSync() }}", ASIDE),
        (f"val records = {_FLOW}\nrecords.buffer().collect {{ save(it) }}", ASIDE),
        (f"while (true) {{ {_POLL}\nhandle(rs) {{ c.commitSync() }} }} }}\n"
         + _ACK.format("ack()\nfor (r in rs) save(r)")[:-1], BEFORE),
        (f"while (true) {{ {_POLL}\nhandle(rs) {{ c.commitSync() }} }} }}\n"
         + _ACK.format("for (r in rs) save(r)\nack()")[:-1], YES),
    ],
)  # fmt: skip
def test_a_flow_that_buffers_records_is_reported(body: str, expected: str, tmp_path: Path) -> None:
    assert_program(tmp_path / "App.kt", _KOTLIN.format(body=body), expected)


@pytest.mark.parametrize(("commit", "is_sound"), [("", False), ("db.commit();", True)])
def test_jdbc_writes_must_be_committed(commit: str, is_sound: bool, tmp_path: Path) -> None:
    body = f"for (var r : rs) {{ st.setString(1, r.value()); st.executeUpdate(); }} {commit}"
    code = _JAVA.format(more="", before="db.setAutoCommit(false);", body=f"{body} c.commitSync();")
    expected = YES if is_sound else "nothing here commits what is written to this database"
    settings = f"{TOPIC} application.restart=resumes"
    assert_file(tmp_path / "App.java", code, "", settings, 0 if is_sound else 2, expected)


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
    code = _JAVA.format(more=declarations, before=before, body=f"{body} c.commitSync();")
    assert_program(tmp_path / "App.java", code, expected)


_PROPERTIES = """static Properties {name}({given}) {{
    Properties props = new Properties();
    props.put("group.id", "g"); props.put("enable.auto.commit", "false");
    props.put("auto.offset.reset", "{reset}");
    return props;
  }}"""
_PROGRAM = _JAVA.replace(_JAVA[_JAVA.index("    Properties p =") : _JAVA.index("    Kafka")], "")
_EARLIEST = _PROPERTIES.format(name="made", given="", reset="earliest")
_LATEST = _PROPERTIES.format(name="made", given="", reset="latest")
_SAME_NAME = _PROPERTIES.format(name="props", given="String id", reset="earliest")
_WRAPPER = "static Properties more() { Properties q = made(); q.put(A, B); return q; }"
_OVERRIDE = _WRAPPER.replace("A, B", '"auto.offset.reset", "latest"')


@pytest.mark.parametrize(
    ("declarations", "start", "exit_code", "expected"),
    [
        (_EARLIEST, "Properties p = made();", 0, YES),
        (_LATEST, "Properties p = made();", 1, "latest -> earliest"),
        (_SAME_NAME, 'Properties p = props("g");', 0, YES),
        (_EARLIEST, 'Properties p = made(); p.put("max.poll.records", "9");', 0, YES),
        (_EARLIEST, 'Properties p = made(); p.put("auto.offset.reset", "latest");', 1,
         "latest -> earliest"),
        (_EARLIEST, "Properties p = made(); p.putAll(others);", 2, "this use of p is"),
        (f"{_EARLIEST}\n{_OVERRIDE}", "Properties p = more();", 1, "latest -> earliest"),
        ("", "Properties p = made();", 2, "not in the file as plain values"),
    ],
)  # fmt: skip
def test_settings_that_a_method_returns_are_read(
    declarations: str, start: str, exit_code: int, expected: str, tmp_path: Path
) -> None:
    body = "for (var r : rs) save(r); c.commitSync();"
    program = _PROGRAM.format(more=declarations, before="", body=body)
    program = program.replace("    KafkaConsumer<", f"    {start}\n    KafkaConsumer<")
    settings = f"{TOPIC} application.restart=resumes"
    assert_file(tmp_path / "App.java", program, "", settings, exit_code, expected)
