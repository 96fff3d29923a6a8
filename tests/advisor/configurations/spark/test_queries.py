"""Programs with Spark queries: errors in their functions, and checkpoints that queries share.

Sources: ForeachBatchSink.scala and MicroBatchExecution.scala (a batch is complete when its function
returns); StreamingQueryManager.scala (queries of one checkpoint have one id).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import SPARK, assert_answer, assert_file

_TOPIC = "topic.replication.factor=3 topic.min.insync.replicas=2"
_SOURCE = (
    'spark.readStream.format("kafka").option("kafka.bootstrap.servers", "b:9092")'
    '.option("subscribe", %s).option("startingOffsets", "earliest").load()'
)
QUERY = (
    f'{_SOURCE}.selectExpr("value").writeStream.format("kafka")'
    '.option("kafka.bootstrap.servers", "b:9092").option("topic", "o")'
    '.option("checkpointLocation", %s).start()\n'
)
A, B = '"hdfs://n/a"', '"hdfs://n/b"'
YES, ASIDE = "^YES", "nothing waits for it"
MARKED = "marked as done here before it is written"
SHARED, SWALLOWED = "two queries have this checkpointLocation", "an error of a batch is"


@pytest.mark.parametrize(("name", "code", "expected"), [
    ("q.py", QUERY % ('"s"', A) + QUERY % ('"t"', A), SHARED),
    ("q.py", QUERY % ('"s"', A) + QUERY % ('"t"', "'hdfs://n/a/'"), SHARED),
    ("q.py", QUERY % ('"s"', A) + QUERY % ('"t"', B), YES),
    ("q.scala", "val spark = SparkSession.builder.getOrCreate()\n" + QUERY % ('"s"', A)
     + QUERY % ('"t"', A), SHARED),
    ("q.py", f"C = {A}\n" + QUERY % ('"s"', "C") + QUERY % ('"t"', "C"), SHARED),
    ("q.py", f"C = {A}\n" + QUERY % ('"s"', "C") + f"C = {B}\n" + QUERY % ('"t"', "C"), YES),
    ("q.py", f"C = {A}\n" + QUERY % ('"s"', 'f"{C}/x"') + QUERY % ('"t"', 'f"{C}/x"'), SHARED),
    ("q.py", f"C = {A}\n" + QUERY % ('"s"', 'C + "/x"') + QUERY % ('"t"', 'C + "/y"'), YES),
    ("q.py", "for t in topics:\n    " + QUERY % ("t", A), SHARED),
    ("q.py", "for t in topics:\n    " + QUERY % ("t", f"{A} + t"), YES),
    ("q.py", "while True:\n    " + QUERY % ('"t"', A), YES),
    ("q.py", "def go(t):\n    " + QUERY % ("t", A) + "go(1)\ngo(2)\n", SHARED),
    ("q.py", "def go(t):\n    " + QUERY % ("t", A) + "for t in ts: go(t)\n", SHARED),
    ("q.py", "def go(t):\n    " + QUERY % ("t", A) + "go(1)\n", YES),
    ("q.py", "def go(t, c):\n    " + QUERY % ("t", "c") + "go(1, 2)\ngo(2, 3)\n", YES),
])  # fmt: skip
def test_two_queries_must_not_share_a_checkpoint(
    tmp_path: Path, name: str, code: str, expected: str
) -> None:
    assert_file(tmp_path / name, code, "", _TOPIC, 0 if expected == YES else 2, expected)


_WRITES = '.writeStream.option("checkpointLocation", "hdfs://n/a").'
_SOURCE_T = _SOURCE % '"t"'
PYTHON = f"df = {_SOURCE_T}\n%s\ndf{_WRITES}%s.start()\n"
SCALA = f"object A {{ def main(a: Array[String]) {{\n{_SOURCE_T}{_WRITES}%s.start()\n}}\n%s\n}}\n"
JAVA = (
    "class A { void f() {\n" + (_SOURCE_T + _WRITES).replace("Stream.", "Stream().")
    + "%s.start();\n}\n%s\n}\n"
)  # fmt: skip
SAVES = '    try:\n        d.write.save("x")\n    except Exception as e:\n        print(e)\n'
POOL, PART = "ThreadPoolExecutor()", "only a part of a batch is written"
REPLACED = "each batch overwrites here what the batches before it wrote"
UNCHECKED = "nothing checks the result of this send"
FUNCTION = f"def f(d, i):\n{SAVES}"
WRITE = 'df.write.save("x")'


@pytest.mark.parametrize(("name", "code", "expected"), [
    ("q.py", PYTHON % (FUNCTION, "foreachBatch(f)"), SWALLOWED),
    ("q.py", PYTHON % ('def f(d, i):\n    d.write.save("x")', "foreachBatch(f)"), YES),
    ("q.py", PYTHON % (FUNCTION, "foreachBatch(lambda d, i: f(d, i))"), SWALLOWED),
    ("q.py", PYTHON % (FUNCTION.replace("f(d", "f(t, d"), 'foreachBatch(partial(f, "x"))'),
     SWALLOWED),
    ("q.py", PYTHON % (f"{FUNCTION}def g(d, i):\n    f(d, i)", "foreachBatch(g)"), SWALLOWED),
    ("q.py", PYTHON % (f"class W:\n  def f(self, d, i):\n{SAVES}", "foreachBatch(W().f)"),
     SWALLOWED),
    ("q.py", PYTHON % (f"class W:\n  def process(self, d):\n{SAVES}", "foreach(W())"), SWALLOWED),
    ("q.py", PYTHON % ('def f(d, i):\n    with suppress(Exception):\n        d.write.save("x")',
     "foreachBatch(f)"), SWALLOWED),
    ("q.py", PYTHON % (f"def g(rows):\n    for d in rows:\n{SAVES.replace('    ', '        ')}"
     "def f(d, i):\n    d.foreachPartition(g)", "foreachBatch(f)"), SWALLOWED),
    ("q.py", PYTHON % ("r = redis.asyncio.Redis()\nimport redis.asyncio\ndef f(d, i):\n"
     "    r.mset({x.id: x.v for x in d.collect()})", "foreachBatch(f)"), ASIDE),
    ("q.py", PYTHON % ("def f(d, i):\n    channel.basic_publish('', 'q', str(d.toPandas()))",
     "foreachBatch(f)"), ASIDE),
    ("q.py", PYTHON % ("def f(d, i):\n    t.alias('t').merge(d, 'a').whenMatchedUpdateAll()",
     "foreachBatch(f)"), "are not written here"),
    ("q.py", PYTHON % ("def f(d, i):\n    t.alias('t').merge(d, 'a').whenMatchedUpdateAll()"
     ".execute()", "foreachBatch(f)"), YES),
    ("q.py", PYTHON % ("def f(d, i):\n    d.createOrReplaceTempView('v')\n"
     "    spark.sql('insert overwrite t select * from v')", "foreachBatch(f)"), REPLACED),
    ("q.scala", SCALA % ('foreachBatch { (d: DataFrame, i: Long) => d.write.format("delta") }', ""),
     "are not written here"),
    ("q.scala", SCALA % ('foreachBatch { (d: DataFrame, i: Long) => d.write.save("x") }', ""), YES),
    ("q.scala", SCALA % ('foreachBatch { (d: DataFrame, i: Long) =>\n'
     'IO(d.write.save("x")).attempt.unsafeRunSync() }', ""), SWALLOWED),
    ("q.scala", SCALA % ('foreachBatch { (d: DataFrame, i: Long) =>\nval w = 1\n'
     'IO(d.write.save("x"))\nlog.info(w) }', ""), ASIDE),
    ("q.py", PYTHON % ("def f(d, i):\n    Thread(target=save, args=(d,)).start()",
     "foreachBatch(f)"), ASIDE),
    ("q.py", PYTHON % ("def f(d, i):\n    for r in d.collect(): p.produce('t', r.value)",
     "foreachBatch(f)"), ASIDE),
    ("q.py", PYTHON % ("def f(d, i):\n    for r in d.collect(): p.produce('t', r.value)\n"
     "    p.flush()", "foreachBatch(f)"), UNCHECKED),
    ("q.py", PYTHON % ("def heard(e, m):\n    if e: raise KafkaException(e)\ndef f(d, i):\n"
     "    for r in d.collect(): p.produce('t', r.value, callback=heard)\n    p.flush()",
     "foreachBatch(f)"), YES),
    ("q.py", PYTHON % (f"def f(d, i):\n    with {POOL} as x:\n        x.map(save, d.collect())",
     "foreachBatch(f)"), SWALLOWED),
    ("q.py", PYTHON % (f"def f(d, i):\n    with {POOL} as x:\n"
     "        wait([x.submit(save, r) for r in d.collect()])", "foreachBatch(f)"), SWALLOWED),
    ("q.py", PYTHON % (f"def f(d, i):\n    with {POOL} as x:\n"
     "        list(x.map(save, d.collect()))", "foreachBatch(f)"), YES),
    ("q.py", PYTHON % ('def f(d, i):\n    d.write.mode("overwrite").save("x")', "foreachBatch(f)"),
     REPLACED),
    ("q.py", PYTHON % ('def f(d, i):\n    d.write.parquet("x", mode="overwrite")',
     "foreachBatch(f)"), REPLACED),
    ("q.py", PYTHON % ("", 'foreachBatch(lambda d, i: d.write.mode("overwrite").save("x"))'),
     REPLACED),
    ("q.py", PYTHON % ('def f(d, i):\n    d.write.mode("ignore").save("x")', "foreachBatch(f)"),
     REPLACED),
    ("q.scala", SCALA % ('foreachBatch { (df: DataFrame, id: Long) => df.write'
     '.mode(SaveMode.Ignore).save("x") }', ""), REPLACED),
    ("q.py", PYTHON % ('def f(d, i):\n    d.write.mode("ignore").save(f"x/{i}")',
     "foreachBatch(f)"), YES),
    ("q.py", PYTHON % ('def f(d, i):\n    d.write.mode("overwrite").save(f"x/{i}")',
     "foreachBatch(f)"), YES),
    ("q.py", PYTHON % ('def f(d, i):\n    d.write.mode("append").save("x")',
     "foreachBatch(f)"), YES),
    ("q.py", PYTHON % ('def f(d, i):\n    d.write.mode("overwrite")'
     '.option("replaceWhere", f"a={i}").save("x")', "foreachBatch(f)"), YES),
    ("q.py", PYTHON % ('def f(d, i):\n    d.write.mode("overwrite").saveAsTable("s")\n'
     '    d.sparkSession.sql("MERGE INTO t USING s ON t.a = s.a")', "foreachBatch(f)"), YES),
    ("q.scala", SCALA % ('foreachBatch { (df: DataFrame, id: Long) => df.write'
     '.mode("overwrite").save("x") }', ""), REPLACED),
    ("q.scala", SCALA % ('foreachBatch { (df: DataFrame, id: Long) => df.write'
     '.mode(SaveMode.Overwrite).save("x") }', ""), REPLACED),
    ("q.scala", SCALA % ('foreachBatch { (df: DataFrame, id: Long) => df.write'
     '.mode("overwrite").save(s"x/batch=$id") }', ""), YES),
    ("q.py", PYTHON % ('def f(d, i):\n    d.limit(9).write.save("x")', "foreachBatch(f)"), PART),
    ("q.py", PYTHON % ("def f(d, i):\n    for r in d.take(9): save(r)", "foreachBatch(f)"), PART),
    ("q.py", PYTHON % ("def f(d, i):\n    if not d.take(1): return\n    d.write.save('x')",
     "foreachBatch(f)"), YES),
    ("q.scala", SCALA % (f"foreachBatch {{ (df: DataFrame, id: Long) => Future {{ {WRITE} }} }}",
     ""), ASIDE),
    ("q.scala", SCALA % (f"foreachBatch {{ (df: DataFrame, id: Long) => df.limit(9).{WRITE[3:]} }}",
     ""), PART),
    ("q.scala", SCALA % ("foreachBatch { (df: DataFrame, id: Long) => Await.ready(Future.sequence("
     "df.collect().toSeq.map(r => Future(save(r)))), t) }", ""), SWALLOWED),
    ("q.scala", SCALA % ("foreachBatch { (df: DataFrame, id: Long) => Await.result(Future.sequence("
     "df.collect().toSeq.map(r => Future(save(r)))), t) }", ""), YES),
    ("q.scala", SCALA % ("foreachBatch { (df: DataFrame, id: Long) => df.collect().foreach(r =>\n"
     "producer.send(new ProducerRecord(1, r))) }", "val producer = new KafkaProducer[A, B](p)"),
     UNCHECKED),
    ("A.java", JAVA % ('foreachBatch((df, id) -> { df.write().mode(SaveMode.Overwrite)\n'
     '.save("x"); })', ""), REPLACED),
    ("A.java", JAVA % (f"foreachBatch((df, id) -> {{ pool.submit(() -> {WRITE}); }})", ""), ASIDE),
    ("q.scala", SCALA % (f"foreachBatch {{ (df: DataFrame, id: Long) =>\ntry {{ {WRITE} }}\n"
     "catch { case e: Exception => log.error(e) } }", ""), SWALLOWED),
    ("q.scala", SCALA % (f"foreachBatch {{ (df: DataFrame, id: Long) =>\ntry {{ {WRITE} }}\n"
     "catch { case e: Exception => log.error(e); throw e } }", ""), YES),
    ("q.scala", SCALA % (f"foreachBatch {{ (df: DataFrame, id: Long) =>\ntry {{ {WRITE} }}\n"
     "catch { case e: DuplicateKeyException => () } }", ""), YES),
    ("q.scala", SCALA % (f"foreachBatch {{ (df: DataFrame, id: Long) =>\nTry {{ {WRITE} }}\n}}",
     ""), SWALLOWED),
    ("q.scala", SCALA % ("foreachBatch(save _)", "def save(df: DataFrame, id: Long): Unit = {\n"
     f"try {WRITE}\ncatch {{ case NonFatal(e) => logError(1, e) }}\n}}"), SWALLOWED),
    ("q.scala", SCALA % ("foreachBatch { (df: DataFrame, id: Long) => save(df) }",
     "def save(df: DataFrame): Unit = {\n"
     f"try {{ {WRITE} }} catch {{ case e => logError(1, e) }}\n}}"), SWALLOWED),
    ("A.java", JAVA % (f"foreachBatch((df, id) -> {{ try {{ {WRITE}; }} "
     "catch (Exception e) { log.error(e); } })", ""), SWALLOWED),
    ("A.java", JAVA % (f"foreachBatch((df, id) -> {{ while (true) {{ try {{ {WRITE}; return; }} "
     "catch (Exception e) { log.error(e); } } })", ""), YES),
    ("A.java", JAVA % ("foreachBatch(this::save)", f"void save(D df, Long i) {{ try {{ {WRITE}; }} "
     "catch (Exception e) { e.printStackTrace(); return; } }"), SWALLOWED),
    ("q.scala", SCALA % ("foreachBatch { (df: DataFrame, id: Long) =>\n"
     f"if (jedis.setnx(key(id), \"1\") == 1) {{ {WRITE} }}\n}}", ""), MARKED),
])  # fmt: skip
def test_a_batch_function_must_rethrow_errors_and_write_the_whole_batch(
    tmp_path: Path, name: str, code: str, expected: str
) -> None:
    exit_code = {YES: 0, SWALLOWED: 1, MARKED: 1}.get(expected, 2)
    expected = "processing.errors: skip -> retry" if expected == SWALLOWED else expected
    assert_file(tmp_path / name, code, "", _TOPIC, exit_code, expected)


SESSION = 'spark.conf.set("spark.sql.streaming.checkpointLocation", "hdfs://n/c")\n'
SESSION_QUERY = (QUERY % ('"s"', A)).replace(f'.option("checkpointLocation", {A})', "%s")


@pytest.mark.parametrize(("code", "expected"), [
    (f"{SESSION}{SESSION_QUERY % ''}", "begins anew"),
    (f"{SESSION}{SESSION_QUERY % '.queryName(1)'}", "^(?!.*begins anew)"),
    ("shutil.rmtree('hdfs://n/a')\n" + QUERY % ('"s"', A), "this checkpoint is removed here"),
    ("dbutils.fs.rm('hdfs://n/a', True)\n" + QUERY % ('"s"', A), "this checkpoint is removed here"),
    ("shutil.rmtree('hdfs://n')\n" + QUERY % ('"s"', A), "this checkpoint is removed here"),
    ("shutil.rmtree('hdfs://n/other')\n" + QUERY % ('"s"', A), "^(?!.*is removed here)"),
    ("c = 'hdfs://n/a'\ndef clean(p):\n    shutil.rmtree(p)\nclean(c)\n" + QUERY % ('"s"', "c"),
     "this checkpoint is removed here"),
    ("b = 'hdfs://n'\nshutil.rmtree(b)\n" + QUERY % ('"s"', 'f"{b}/c"'),
     "this checkpoint is removed here"),
    ("b = 'hdfs://n'\nshutil.rmtree(f'{b}/out')\n" + QUERY % ('"s"', 'f"{b}/c"'),
     "^(?!.*is removed here)"),
])  # fmt: skip
def test_a_checkpoint_that_is_removed_or_new_at_each_start_is_reported(
    tmp_path: Path, code: str, expected: str
) -> None:
    assert_file(tmp_path / "q.py", code, "", _TOPIC, 0, expected)


@pytest.mark.parametrize("name", ["q.py", "q.scala"])
@pytest.mark.parametrize(("operation", "code", "expected"), [
    ("", 0, YES),
    (".repartition(10)", 2, "repartition redistributes records among tasks"),
    ('.repartitionByRange(4, "key")', 2, "there is no order in what they write"),
    (".distinct()", 2, "No setting restores it"),
    ('.join(customers, "id")', 2, "join redistributes records among tasks"),
    ('.join(broadcast(customers), "id")', 0, YES),
    ('.join(F.broadcast(customers), "id")', 0, YES),
    ('.orderBy("offset")', 2, "orderBy redistributes records"),
    ('.sort("offset")', 2, "sort redistributes records"),
    (".coalesce(1)", 0, YES),
    ('.transform(lambda df: spark.sql("SELECT k FROM t GROUP BY k"))', 2, "GROUP BY redistributes"),
])  # fmt: skip
def test_no_order_remains_after_a_shuffle(
    tmp_path: Path, name: str, operation: str, code: int, expected: str
) -> None:
    text = (QUERY % ('"s"', A)).replace(".writeStream", f"{operation}.writeStream")
    text = text if name == "q.py" else f"val spark = SparkSession.builder.getOrCreate()\n{text}"
    assert_file(tmp_path / name, text, "--ordering", _TOPIC, code, expected)
    assert_file(tmp_path / name, text, "", _TOPIC, 0, YES)


@pytest.mark.parametrize(("operation", "expected"), [
    ('.withWatermark("timestamp", "1 hour").dropDuplicates("k")', "more than 1 hour behind"),
    ('.withWatermark("timestamp", DELAY).groupBy("k").count()', "more than its delay behind"),
    (".dropDuplicates()", "^(?!.*withWatermark)"),
])  # fmt: skip
def test_records_that_are_late_for_a_watermark_are_reported(
    tmp_path: Path, operation: str, expected: str
) -> None:
    text = (QUERY % ('"s"', A)).replace(".writeStream", f"{operation}.writeStream")
    assert_file(tmp_path / "q.py", text, "", _TOPIC, 0, expected)


def test_a_sink_that_only_prints_is_reported(tmp_path: Path) -> None:
    text = (QUERY % ('"s"', A)).replace(
        'writeStream.format("kafka")', 'writeStream.format("console")'
    )
    assert_file(tmp_path / "q.py", text, "", _TOPIC, 0, "stores nothing")


@pytest.mark.parametrize("line", [
    'topics = ",".join(names)', "topics = ','.join([a, b])", "path = os.path.join(base, x)",
    "thread.join()", "names.sort(key=len)", "val topics = names.mkString",
])  # fmt: skip
def test_a_join_or_sort_of_other_objects_is_no_shuffle(tmp_path: Path, line: str) -> None:
    text = f"{line}\n{QUERY % (chr(34) + 's' + chr(34), A)}"
    assert_file(tmp_path / "q.py", text, "--ordering", _TOPIC, 0, YES)


_BY_BATCH = """def write(batch, batch_id):
    %s
df = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "k:9092") \\
    .option("subscribe", "t").option("startingOffsets", "earliest").load()
df.writeStream.foreachBatch(write).option("checkpointLocation", "s3://b/c").start()
"""
_INTO_DELTA = 'batch.write.format("delta")%s.mode("append").save("s3://b/t")'
_TXN = '.option("txnVersion", batch_id).option("txnAppId", "%s")'


@pytest.mark.parametrize(("writes", "code"), [
    (_INTO_DELTA % (_TXN % "a"), 0),
    (_INTO_DELTA % (_TXN % "a").replace('"a"', "str(uuid.uuid4())"), 1),
    (_INTO_DELTA % (_TXN % "a").replace("batch_id", "time.time_ns()"), 1),
    (_INTO_DELTA % "", 1),
    (_INTO_DELTA % (_TXN % "a") + "\n    notify(batch)", 1),
    (_INTO_DELTA % (_TXN % "a") + '\n    batch.write.format("jdbc").save()', 1),
])  # fmt: skip
def test_a_delta_table_with_transaction_ids_stores_each_batch_once(
    tmp_path: Path, writes: str, code: int
) -> None:
    expected = "^NO" if code else "^YES"
    options = "--want exactly-once"
    assert_file(tmp_path / "q.py", _BY_BATCH % writes, options, _TOPIC, code, expected)


@pytest.mark.parametrize(("stated", "code", "expected"), [
    ("consumer.asyncProgressTrackingEnabled=true", 1, "^NO.*is run again may have other messages"),
    ("producer.asyncprogresstrackingenabled=true", 1, "^NO.*is run again may have other messages"),
    ("consumer.asyncProgressTrackingEnabled=false", 0, "^YES"),
    ("producer.checkpointLocation=/tmp/x", 1, "^NO.*application.checkpoint: local -> durable"),
    ("producer.checkpointLocation=s3a://a/b", 0, "^YES"),
    ("producer.checkpointLocation=/tmp/x application.checkpoint=durable", 0, "^YES"),
])  # fmt: skip
def test_stated_options_of_a_query_count(stated: str, code: int, expected: str) -> None:
    """These options were once ignored as settings that no guarantee depends on."""
    options = "--client spark --want exactly-once"
    assert_answer(options, f"{SPARK} application.sink=idempotent {stated}", code, expected)


@pytest.mark.parametrize("option", ["--consumer", "--producer", "--spark"])
def test_options_of_a_query_count_in_each_file_of_a_client(tmp_path: Path, option: str) -> None:
    options = f"--client spark --want exactly-once {option}"
    settings = f"{SPARK} application.sink=idempotent"
    expected = "^NO.*is run again may have other messages"
    text = "asyncProgressTrackingEnabled=true\n"
    assert_file(tmp_path / "client.properties", text, options, settings, 1, expected)
