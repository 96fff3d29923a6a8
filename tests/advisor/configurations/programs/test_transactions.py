"""Transactions of programs, topologies of Kafka Streams, and errors of a specific type.

Sources: Kafka design.md, Using Transactions; KafkaProducer javadoc (`abortTransaction`,
`sendOffsetsToTransaction`); Consumed and Materialized of Kafka Streams; Kafka Streams core
concepts, Processing guarantees.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file

YES, SKIP = "^YES", "application.processing.errors=skip"
COPIES = "application.offsets.topic.min.insync.replicas=2"
RESUMES = f"{TOPIC} application.restart=resumes {COPIES}"

JAVA = (
    "import org.apache.kafka.clients.producer.*;\nimport org.apache.kafka.clients.consumer.*;\n"
    'class A { void run() {\nProperties pp = new Properties();\npp.put("transactional.id", "a");\n'
    "KafkaProducer<String, String> p = new KafkaProducer<>(pp);\n"
    'Properties cp = new Properties();\ncp.put("group.id", "g");\n'
    'cp.put("auto.offset.reset", "none");\n'
    'cp.put("enable.auto.commit", "false");\ncp.put("isolation.level", "read_committed");\n'
    "KafkaConsumer<String, String> c = new KafkaConsumer<>(cp);\np.initTransactions();\n"
    "while (true) { var rs = c.poll(d); p.beginTransaction();\n"
    "try { for (var r : rs) p.send(f(r)); %s } %s }\n}}\n"
)
OFFSETS = "p.sendOffsetsToTransaction(offsets(rs), c.groupMetadata());"
DONE, ABORT = (
    f"{OFFSETS} p.commitTransaction();",
    "catch (KafkaException e) { p.abortTransaction(); %s }",
)
PYTHON = (
    'p = Producer({"transactional.id": "a"})\nc = Consumer({"group.id": "g", '
    '"auto.offset.reset": "error", "enable.auto.commit": False, '
    '"isolation.level": "read_committed"})\nc.subscribe(["t"])\np.init_transactions()\n'
    "while True:\n    ms = c.consume(9, 1)\n    p.begin_transaction()\n    try:\n"
    '        for m in ms:\n            p.produce("o", m.value())\n        %s\n    %s\n'
)
SENT = "p.send_offsets_to_transaction(c.position(c.assignment()), c.consumer_group_metadata())"
FINISHED = f"{SENT}\n        p.commit_transaction()"
ABORTED = "except KafkaException as e:\n        p.abort_transaction()\n        %s"
SOME_ABORTED = (
    "except KafkaException as e:\n        if not e.args[0].txn_requires_abort(): raise\n"
    "        p.abort_transaction()\n        %s"
)
CONTINUES = "application.abort=continues"
RECORD_OFFSET = DONE.replace("offsets(rs)", "Map.of(t, new OffsetAndMetadata(%s))")
PYTHON_OFFSET = FINISHED.replace("c.position(c.assignment())", '[TopicPartition("t", 0, %s)]')
ITSELF = "the offset of a record itself"
BEFORE = "application.commit(=|: )before-processing"
ONCE, LEAST = "exactly-once", "at-least-once"
TRANSACTIONS = [
    # work after the commit of its offsets
    ("A.java", LEAST, JAVA % (f"{DONE} for (var r : rs) db.save(r);", ""), BEFORE),
    ("A.java", LEAST, JAVA % (f"{DONE} rs.forEach(r -> notify(r));", ABORT % "throw e;"), BEFORE),
    ("A.java", LEAST, JAVA % (DONE, f"{ABORT % 'throw e;'} for (var r : rs) db.save(r);"), BEFORE),
    ("A.java", LEAST, JAVA % (f'{DONE} log.info("{{}}", rs);', ABORT % "throw e;"), YES),
    ("A.java", LEAST, JAVA % (f"{DONE} metrics.count(rs.count());", ABORT % "throw e;"), YES),
    ("A.java", LEAST, JAVA % (f"for (var r : rs) db.save(r); {DONE}", ABORT % "throw e;"), YES),
    ("A.java", LEAST, JAVA % (DONE, ABORT % "for (var t : rs.partitions()) c.seek(t, at(rs));"),
     YES),
    ("A.java", ONCE, JAVA % (DONE, ABORT % "rewind(c);"), YES),
    ("A.java", ONCE, JAVA % (DONE, ABORT % "c.seek(tp, at);"), YES),
    ("A.java", ONCE, JAVA % (DONE, ABORT % "throw e;"), YES),
    ("A.java", LEAST, JAVA % (DONE, ABORT % ""), CONTINUES),
    ("A.java", LEAST, JAVA % (DONE, ABORT % "log.error(e);"), CONTINUES),
    ("A.java", ONCE, JAVA % ("p.commitTransaction();", ABORT % "rewind(c);"), "^NO"),
    ("A.java", ONCE, JAVA % (OFFSETS, "finally { p.commitTransaction(); }"), "even if its work"),
    ("A.java", ONCE, JAVA % (f"{DONE} c.commitSync();", ABORT % "rewind(c);"), "are committed"),
    ("A.java", ONCE, JAVA % (DONE.replace("c.groupMetadata()", '"g"'), ABORT % "rewind(c);"),
     "pass groupMetadata.. of the consumer"),
    ("a.py", ONCE, PYTHON % (FINISHED, ABORTED % "rewind(c)"), YES),
    ("a.py", ONCE, PYTHON % (FINISHED, ABORTED % "raise"), YES),
    ("a.py", LEAST, PYTHON % (FINISHED, ABORTED % "log.error(e)"), CONTINUES),
    ("a.py", LEAST, PYTHON % (FINISHED, SOME_ABORTED % "continue"), CONTINUES),
    ("a.py", LEAST, PYTHON % (FINISHED, SOME_ABORTED % "log.error(e)"), CONTINUES),
    ("a.py", ONCE, PYTHON % (FINISHED, SOME_ABORTED % "rewind(c)"), YES),
    ("a.py", ONCE, PYTHON % (FINISHED, SOME_ABORTED % "raise"), YES),
    ("a.py", ONCE, PYTHON % ("p.commit_transaction()", ABORTED % "rewind(c)"), "^NO"),
    ("a.py", ONCE, PYTHON % (SENT, "finally:\n        p.commit_transaction()"), "is incomplete"),
    ("a.py", ONCE, PYTHON % (f"{FINISHED}\n        c.commit()", ABORTED % "rewind(c)"),
     "outside of the transaction"),
    ("a.py", LEAST, PYTHON % (f"{FINISHED}\n        for m in ms: db.save(m)", ABORTED % "raise"),
     BEFORE),
    ("a.py", LEAST, PYTHON % (f"{FINISHED}\n        log.info(ms)", ABORTED % "raise"), YES),
    # the offset of the record itself instead of the next offset
    ("A.java", ONCE, JAVA % (RECORD_OFFSET % "last.offset()", ABORT % "rewind(c);"), ITSELF),
    ("A.java", ONCE, JAVA % (RECORD_OFFSET % "last.offset() + 1", ABORT % "rewind(c);"), YES),
    ("A.java", ONCE, JAVA % (DONE, ABORT % "c.seek(t, new OffsetAndMetadata(first.offset()));"),
     YES),
    ("a.py", ONCE, PYTHON % (PYTHON_OFFSET % "m.offset()", ABORTED % "rewind(c)"), ITSELF),
    ("a.py", ONCE, PYTHON % (PYTHON_OFFSET % "m.offset() + 1", ABORTED % "rewind(c)"), YES),
]  # fmt: skip


@pytest.mark.parametrize(("name", "guarantee", "text", "expected"), TRANSACTIONS)
def test_transactions_of_a_program_are_read(
    tmp_path: Path, name: str, guarantee: str, text: str, expected: str
) -> None:
    code = {YES: 0, "^NO": 1, CONTINUES: 1, BEFORE: 1}.get(expected, 2)
    assert_file(tmp_path / name, text, f"--want {guarantee}", RESUMES, code, expected)


STREAMS = (
    "import org.apache.kafka.streams.*;\nclass A { public static void main(String[] a) {\n"
    'Properties p = new Properties();\np.put("application.id", "a");\n'
    'p.put("replication.factor", 3);\np.put(StreamsConfig.topicPrefix("min.insync.replicas"), 2);\n'
    'p.put("processing.guarantee", "exactly_once_v2");\nStreamsBuilder b = new StreamsBuilder();\n'
    "b%s;\nnew KafkaStreams(b.build(), p).start();\n}%s}\n"
)
PLAIN_SINK, NOT_AWAITED = "application.sink=plain", "Kafka Streams does not wait for it"
LATEST, RECORD_SWALLOWED = "auto.offset.reset: latest -> ", "an error of a record is swallowed"
TOPOLOGIES = [
    ('.stream("i").to("o")', "", YES),
    ('.stream("i").foreach((k, v) -> db.save(v))', "", PLAIN_SINK),
    ('.stream("i").peek((k, v) -> http.post(v)).to("o")', "", PLAIN_SINK),
    ('.stream("i").peek((k, v) -> log.info(v)).to("o")', "", YES),
    ('.stream("i").foreach((k, v) -> pool.submit(() -> db.save(v)))', "", NOT_AWAITED),
    ('.stream("i").foreach((k, v) -> q.add(v))', "static BlockingQueue<String> q = make();",
     NOT_AWAITED),
    ('.stream("i").foreach((k, v) -> out.send(f(v)))', ""
     "static KafkaProducer<String, String> out;", NOT_AWAITED),
    ('.stream("i").flatMapValues(v -> { try { return f(v); } catch (Exception e) { return '
     'List.of(); } }).to("o")', "", RECORD_SWALLOWED),
    ('.stream("i").mapValues(v -> { try { return f(v); } catch (SQLException e) { return n'
     'ull; } }).to("o")', "", RECORD_SWALLOWED),
    ('.stream("i", Consumed.with(AutoOffsetReset.latest())).to("o")', "", LATEST),
    ('.stream("i", Consumed.with(Topology.AutoOffsetReset.LATEST)).to("o")', "", LATEST),
    ('.stream("i", Consumed.with(Topology.AutoOffsetReset.EARLIEST)).to("o")', "", YES),
    ('.stream("i", x.withTimestampExtractor(new LogAndSkipOnInvalidTimestamp())).to("o")', "",
     "LogAndSkipOnInvalidTimestamp"),
    ('.stream("i").groupByKey().count(Materialized.as("c").withLoggingDisabled()).toStream'
     '().to("o")', "", "has no changelog topic"),
]  # fmt: skip


@pytest.mark.parametrize(("topology", "definitions", "expected"), TOPOLOGIES)
def test_settings_and_functions_of_a_topology_are_read(
    tmp_path: Path, topology: str, definitions: str, expected: str
) -> None:
    options = "--want at-least-once" if expected == LATEST else "--want exactly-once"
    unsafe = (PLAIN_SINK, LATEST, RECORD_SWALLOWED, "LogAndSkipOnInvalidTimestamp")
    code = 0 if expected == YES else 1 if expected in unsafe else 2
    settings = f"{TOPIC} {COPIES}"
    if expected != LATEST:
        settings = f"{settings} consumer.auto.offset.reset=none"
    assert_file(
        tmp_path / "A.java", STREAMS % (topology, definitions), options, settings, code, expected
    )


READER = (
    "import org.apache.kafka.clients.consumer.*;\nclass A { void run() {\n"
    'Properties p = new Properties();\np.put("group.id", "g");\n'
    'p.put("auto.offset.reset", "earliest");\np.put("enable.auto.commit", "false");\n'
    "KafkaConsumer<String, String> c = new KafkaConsumer<>(p);\n"
    "while (true) { var rs = c.poll(d); for (var r : rs) { %s } c.commitSync(); }\n}}\n"
)
CATCH = "try { db.save(r); } catch (%s e) { log.error(e); }"
RECORDS = [
    *((CATCH % name, SKIP) for name in (
        "SQLException", "org.springframework.dao.DataAccessException", "JsonProcessingException",
        "IOException | TimeoutException", "IllegalArgumentException", "Error",
    )),
    *((CATCH % name, YES) for name in (
        "DuplicateKeyException", "InterruptedException", "SQLIntegrityConstraintViolationException",
    )),
    ("db.save(r).subscribe();", "application.processing=asynchronous"),
    ("db.save(r).block();", YES),
    ("mono(r).onErrorResume(e -> Mono.empty()).block();", SKIP),
    ("Try.run(() -> db.save(r)).onFailure(e -> log.error(e));", SKIP),
    ("var f = pool.submit(() -> db.save(r)); try { f.get(); } catch (ExecutionException e) { }",
     SKIP),
    ("var f = pool.submit(() -> db.save(r)); f.get();", YES),
    ("x.each(r -> Try.of(() -> db.save(r)).toOption());", SKIP),
    ("db.save(r); c.commitSync(at(new OffsetAndMetadata(r.offset() + 2)));", SKIP),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), RECORDS)
def test_an_error_of_a_specific_type_is_swallowed_like_any_other(
    tmp_path: Path, body: str, expected: str
) -> None:
    code = 0 if expected == YES else 1
    assert_file(tmp_path / "A.java", READER % body, "", RESUMES, code, expected)


def test_buffered_records_are_not_processed_before_the_next_commit(tmp_path: Path) -> None:
    text = READER.replace(
        "for (var r : rs) { %s }", "batch.addAll(rs); if (full()) { save(batch); }"
    )
    expected = "application.commit=before-processing"
    assert_file(tmp_path / "A.java", text, "", RESUMES, 1, expected)


QUERY = (
    'q = spark.readStream.format("kafka").option("subscribe", "t")'
    '.option("startingOffsets", "earliest").load().writeStream%s'
    '.option("checkpointLocation", "s3://b/c").start()\n%s\n'
)
FUNCTION = "def take(rows, number):\n    %s\n"
TAKES = ".foreachBatch(take)"
ASIDE, BATCH_SWALLOWED = "nothing waits for it", "an error of a batch is swallowed"


@pytest.mark.parametrize(("sink", "definitions", "expected"), [
    (".foreach(lambda r: pool.submit(save, r))", "", ASIDE),
    (TAKES, "async def take(rows, number):\n    await save(rows)", ASIDE),
    (TAKES, FUNCTION % "try: save(rows)\n    finally: return", BATCH_SWALLOWED),
    (TAKES, FUNCTION % "try: save(rows)\n    except Py4JJavaError as e: log.error(e)",
     BATCH_SWALLOWED),
    (TAKES, FUNCTION % "try: save(rows)\n    except DuplicateKeyError as e: log.error(e)", YES),
    (TAKES, FUNCTION % "for n in range(3):\n        try:\n            return save(rows)\n"
     "        except Exception as e: log.error(e)", BATCH_SWALLOWED),
    (TAKES, FUNCTION % 'p = Producer({"acks": 1})\n    p.produce("o", rows)\n    p.flush()',
     "these acks belong to another producer than Spark's"),
    ('.format("noop")', "", "for tests: it stores nothing"),
])  # fmt: skip
def test_a_query_that_swallows_or_does_not_await_a_batch_is_reported(
    tmp_path: Path, sink: str, definitions: str, expected: str
) -> None:
    code = {YES: 0, BATCH_SWALLOWED: 1}.get(expected, 2)
    assert_file(tmp_path / "q.py", QUERY % (sink, definitions), "", TOPIC, code, expected)


PYTHON_READER = (
    'c = %s({"group.id": "g", "auto.offset.reset": "earliest", "enable.auto.commit": False})\n'
    'c.subscribe(["t"])\nwhile True:\n    m = c.poll(1)\n    %s\n'
)
SUBCLASS = "class Own(Consumer):\n    pass\n"


@pytest.mark.parametrize(("text", "expected"), [
    (PYTHON_READER % ("Consumer", "save(m)\n    c.commit(m)"), YES),
    (SUBCLASS + PYTHON_READER % ("Own", "save(m)\n    c.commit(m)"), "Own is itself a Consumer"),
    (PYTHON_READER % ("Consumer", "buf.append(m)\n    if len(buf) > 9:\n        save(buf)\n"
     "    c.commit()"), "application.commit=before-processing"),
    (PYTHON_READER % ("Consumer", "buf.append(m)\n    if len(buf) > 9:\n        save(buf)\n"
     "        c.commit()"), YES),
    (PYTHON_READER % ("Consumer", "save(m)\n    c.commit(offsets=[at(m.offset() + 2)])"), SKIP),
    (PYTHON_READER % ("Consumer", "try: save(m)\n    except requests.Timeout: print(1)\n"
     "    c.commit(m)"), SKIP),
    (PYTHON_READER % ("Consumer", "try: save(m)\n    except IntegrityError: print(1)\n"
     "    c.commit(m)"), YES),
])  # fmt: skip
def test_commits_and_swallowed_errors_of_a_python_reader_are_read(
    tmp_path: Path, text: str, expected: str
) -> None:
    code = {YES: 0, "Own is itself a Consumer": 2}.get(expected, 1)
    assert_file(tmp_path / "a.py", text, "", RESUMES, code, expected)
