"""Spark functions for batches and rows: whether they process everything that they receive.

A batch is complete when its function returns, and its offsets are committed
(ForeachBatchSink.scala, MicroBatchExecution.scala). Rows of a partition whose `open` returns false
are not processed, and the epoch is committed (ForeachWriter.scala; pyspark,
DataStreamWriter.foreach).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import assert_file
from tests.advisor.configurations.spark.test_queries import JAVA, PYTHON, SCALA
from tests.advisor.programs import YES

_TOPIC = "topic.replication.factor=3 topic.min.insync.replicas=2"
SWALLOWED = "an error of a batch is swallowed here"
PART, NOTHING = "only a part of a batch is written", "of a batch are not written here"
SOME, CLOSED = "only some batches are written here", "returns False here"
APPEND = 'd.write.mode("append")'

PYTHON_BODIES = [
    ("rows = d.take(100)\n    save(rows)", PART),
    ("row = d.first()\n    save(row)", PART),
    ("rows = d.collect()\n    for n in range(len(rows) // 9): save(rows[n * 9 : n * 9 + 9])", PART),
    ("rows = d.collect()\n    for n in range(0, len(rows), 9): save(rows[n : n + 9])", YES),
    (
        "n = 0\n    for r in d.collect():\n        if n > 9: break\n        save(r); n += 1",
        PART,
    ),
    (
        "def h(rows):\n        b = []\n        for r in rows:\n            b.append(r.asDict())\n"
        "            if len(b) == 9:\n                save(b)\n                b = []\n"
        "    d.foreachPartition(h)",
        "left after the last full group are not written",
    ),
    (
        "def h(rows):\n        b = []\n        for r in rows:\n            b.append(r.asDict())\n"
        "            if len(b) == 9:\n                save(b)\n                b = []\n"
        "        if b: save(b)\n    d.foreachPartition(h)",
        YES,
    ),
    ("for r in d.head(5):\n        save(r)", PART),
    (f"part = d.limit(100)\n    {APPEND.replace('d.', 'part.')}.save('x')", PART),
    ("p = d.select('value').limit(9)\n    rows = p.collect()\n    for r in rows: save(r)", PART),
    ("sample = d.sample(0.1)\n    sample.write.jdbc('u', 't', mode='append')", PART),
    ("rows = d.collect()[:10]\n    for r in rows: save(r)", PART),
    ("save(d.collect()[0])", PART),
    ("rows = d.collect()\n    for r in rows[:100]: save(r)", PART),
    ("pdf = d.toPandas().head(10)\n    store(pdf)", PART),
    (f"first = d.first()\n    log.info(first)\n    {APPEND}.save('x')", YES),
    (f"if d.limit(1).count() == 0: return\n    {APPEND}.save('x')", YES),
    (f"top = d.orderBy('v').limit(5)\n    top.show()\n    {APPEND}.save('x')", YES),
    ("rows = d.collect()\n    for r in rows: save(r)", YES),
    ("rows = d.collect()\n    for k in range(0, len(rows), 9): save(rows[k:k + 9])", YES),
    (f"out = d.selectExpr('value')\n    {APPEND.replace('d.', 'out.')}.parquet('x')", YES),
    ("upsert(d, i)", YES),
    ("d.createOrReplaceTempView('u')\n    d.sparkSession.sql('MERGE INTO t USING u')", YES),
    ("DeltaTable.forName(spark, 't').merge(d.alias('s'), 'a').execute()", YES),
    ("d.foreachPartition(write_part)", YES),
    ("d.toPandas().to_sql('t', engine, if_exists='append')", YES),
    ("for r in d.toLocalIterator(): table.put_item(Item=r.asDict())", YES),
    ("out = []\n    for r in d.collect(): out.append(r.asDict())\n    c.insert_many(out)", YES),
    ("w = d.write.format('jdbc').option('url', u)\n    w.mode('append').save()", YES),
    ("d.rdd.map(save).count()", YES),
    ("with db() as c:\n        c.executemany('I', [tuple(r) for r in d.collect()])", YES),
    ("print(d.count())", NOTHING),
    ("d.show()", NOTHING),
    ("n = d.count()\n    log.info('batch %s has %s', i, n)", NOTHING),
    ("metrics.gauge('rows', d.count())", NOTHING),
    ("n = d.count()\n    audit(i, n)", NOTHING),
    ("if d.isEmpty(): alert(i)", NOTHING),
    ("check(d.schema)\n    check(d.columns)", NOTHING),
    ("audit(d.count())\n    d.limit(5).write.save('x')", PART),
    ("audit(d.count())\n    for r in d.toLocalIterator(): save(r)", YES),
    ("store(d.groupBy('k').count())", YES),
    ("rows = d.collect()\n    save(rows, len(rows))", YES),
    ("pass", NOTHING),
    ("for r in d.collect(): print(r)", NOTHING),
    ("d.cache()\n    d.show(truncate=False)\n    d.unpersist()", NOTHING),
    ("out = d.withColumn('a', lit(1))\n    out.show()", NOTHING),
    ("d.foreach(lambda r: print(r))", NOTHING),
    ("d.foreach(lambda r: save(r))", YES),
    ("d.write.format('console').save()", NOTHING),
    ("d.write.format('noop').mode('append').save()", NOTHING),
    ("d.createOrReplaceTempView('u')", NOTHING),
    (f"if i % 10 == 0: {APPEND}.save('x')", SOME),
    (f"if d.count() > 1000: {APPEND}.save('x')", SOME),
    (f"if d.count() < 10: return\n    {APPEND}.save('x')", SOME),
    (f"if d.count() == 0: return\n    {APPEND}.save('x')", YES),
    (f"if i % 10 != 0: return\n    {APPEND}.save('x')", SOME),
    (f"if i == 0: return\n    {APPEND}.save('x')", SOME),
    (f"if random.random() < 0.1: {APPEND}.save('x')", SOME),
    (f"{APPEND}.save('x')\n    if i % 10 == 0: spark.sql('OPTIMIZE t')", YES),
    (f"if i % 2 == 0:\n        {APPEND}.save('x')\n    else:\n        {APPEND}.save('y')", YES),
    (f"if i <= last_done(): return\n    {APPEND}.save('x')", YES),
    (f"if i == 0: create()\n    {APPEND}.save('x')", YES),
    (
        "rows.extend(d.collect())\n    if len(rows) > 9:\n        save(rows)\n        rows.clear()",
        SOME,
    ),
    ("rows = d.collect()\n    if len(rows) > 9: save(rows)\n    else: put(rows)", YES),
    ("ok = save(d)", SWALLOWED),
    ("if not save(d): raise RuntimeError(i)", YES),
    ("requests.post(URL, json=d.toJSON().collect())", SWALLOWED),
    ("r = requests.post(URL, json=d.toJSON().collect())\n    r.raise_for_status()", YES),
    (f"if d.rdd.isEmpty(): return\n    {APPEND}.save('x')", YES),
    (f"if d.count() > 0: {APPEND}.save('x')", YES),
]


@pytest.mark.parametrize(("body", "expected"), PYTHON_BODIES)
def test_a_python_function_must_write_its_whole_batch(
    tmp_path: Path, body: str, expected: str
) -> None:
    exit_code = {YES: 0, SWALLOWED: 1}.get(expected, 2)
    function = f"def f(d, i):\n    {body}"
    for functions in (
        function,
        function.replace("def f(", "def g(") + "\ndef f(d, i):\n    g(d, i)",
    ):
        code = PYTHON % (functions, "foreachBatch(f)")
        assert_file(tmp_path / "q.py", code, "", _TOPIC, exit_code, expected)


CONNECTS = "self.c = connect()"
LEFT = r"close\(\) does nothing with those that are left"
_BUFFERED = (
    "class W:\n  def open(self, p, e):\n    self.rows = []\n    return True\n"
    "  def process(self, r):\n    self.rows.append(r)\n"
    "    if len(self.rows) > 99: self.flush()\n"
    "  def flush(self):\n    save(self.rows)\n    self.rows = []\n  def close(self, e): %s\n"
)
WRITER = "class W:\n  def open(self, p, e):\n%s\n  def process(self, r): %s\n"


@pytest.mark.parametrize(("code", "sink", "expected"), [
    (WRITER % ("    return False", "save(r)"), "foreach(W())", CLOSED),
    (WRITER % (f"    {CONNECTS}\n    return True", "self.c.save(r)"), "foreach(W())", YES),
    (WRITER % (f"    {CONNECTS}", "self.c.save(r)"), "foreach(W())", CLOSED),
    (WRITER % (f"    try:\n      {CONNECTS}\n      return True\n    except Exception:\n"
     "      return False", "self.c.save(r)"), "foreach(W())", CLOSED),
    (WRITER % (f"    if done(p, e): return False\n    {CONNECTS}\n    return True", "save(r)"),
     "foreach(W())", YES),
    ("class W:\n  def process(self, r): save(r)\n", "foreach(W())", YES),
    ("class W:\n  def process(self, r): print(r)\n", "foreach(W())", NOTHING),
    ("class W:\n  def process(self, r): self.rows.append(r)\n"
     "  def close(self, e): save(self.rows)\n", "foreach(W())", YES),
    (_BUFFERED % "pass", "foreach(W())", LEFT),
    (_BUFFERED % "self.flush()", "foreach(W())", YES),
    ("def w(r): save(r)\n", "foreach(w)", YES),
    ("def w(r): print(r)\n", "foreach(w)", NOTHING),
    ("class W:\n  def __call__(self, d, i): d.show()\n", "foreachBatch(W())", NOTHING),
    ("class W:\n  def __call__(self, d, i): save(d)\n", "foreachBatch(W())", YES),
    ("class S:\n  def f(self, d, i): self.sink.write(d)\ns = S()\n", "foreachBatch(s.f)", YES),
    ("def g(d): d.show()\ndef f(d, i): g(d)\n", "foreachBatch(f)", NOTHING),
    ("def g(d): d.write.save()\ndef f(d, i): g(d)\n", "foreachBatch(f)", YES),
    ("def f(t, d, i): d.write.save(t)\n", "foreachBatch(partial(f, 't'))", YES),
    ("", "foreachBatch(lambda d, i: d.show())", NOTHING),
    ("", "foreachBatch(lambda d, i: d.write.save('x'))", YES),
])  # fmt: skip
def test_a_python_writer_must_process_its_rows(
    tmp_path: Path, code: str, sink: str, expected: str
) -> None:
    code = PYTHON % (code, sink)
    assert_file(tmp_path / "q.py", code, "", _TOPIC, 0 if expected == YES else 2, expected)


_ROW = "def process(r: Row): Unit = %s; def close(e: Throwable): Unit = {}"
OBJECT = "foreach(new ForeachWriter[Row] { def open(p: Long, e: Long)%s\n" + _ROW + " })"
CLASS = "class W extends ForeachWriter[Row] { override def open(p: Long, e: Long)%s\n%s }"
OPENS = "try { c = connect(); true } catch { case e: Exception => log.error(e); false }"
_BUFFERS = (
    "foreach(new ForeachWriter[Row] { val rows = new ArrayBuffer[Row]()\n"
    "def open(p: Long, e: Long): Boolean = true\n"
    "def process(r: Row): Unit = { rows += r; if (rows.size > 99) { save(rows); rows.clear() } }\n"
    "def close(e: Throwable): Unit = { %s } })"
)
IN_SCALA = "foreachBatch { (d: DataFrame, i: Long) => %s }"


@pytest.mark.parametrize(("sink", "definitions", "expected"), [
    (IN_SCALA % 'if (i % 10 == 0) d.write.save("x")', "", SOME),
    (IN_SCALA % 'if (d.count() >= 500) d.write.save("x")', "", SOME),
    (IN_SCALA % 'if (d.count < 500) () else d.write.save("x")', "", SOME),
    (IN_SCALA % 'if (d.count() > 0) d.write.save("x")', "", YES),
    (IN_SCALA % 'd.write.save("x"); if (i % 10 == 0) spark.sql("OPTIMIZE t")', "", YES),
    (IN_SCALA % "println(d.count())", "", NOTHING),
    (IN_SCALA % 'metrics.gauge("rows", d.count())', "", NOTHING),
    (IN_SCALA % "\nval n = d.count\naudit(i, n)\n", "", NOTHING),
    (IN_SCALA % "\naudit(d.count())\nval rows = d.take(10)\nsave(rows)\n", "", PART),
    (IN_SCALA % "\naudit(d.count())\nupsert(d, i)\n", "", YES),
    (IN_SCALA % 'store(d.groupBy("k").count())', "", YES),
    (IN_SCALA % "check(d.schema)", "", NOTHING),
    (IN_SCALA % "d.show(false)", "", NOTHING),
    (IN_SCALA % 'd.write.format("console").save()', "", NOTHING),
    (IN_SCALA % "d.collect().foreach(println)", "", NOTHING),
    (IN_SCALA % "val rows = d.take(10); rows.foreach(save)", "", PART),
    (IN_SCALA % "val r = d.first(); save(r)", "", PART),
    (IN_SCALA % "d.take(10).foreach(r => save(r))", "", PART),
    (IN_SCALA % "d.collect().foreach(r => save(r))", "", YES),
    (IN_SCALA % "\nval n = d.count()\nprintln(n)\n", "", NOTHING),
    (IN_SCALA % f"if (!d.isEmpty) {APPEND}.save(\"x\")", "", YES),
    (IN_SCALA % "upsert(d, i)", "", YES),
    (IN_SCALA % 't.as("t").merge(d.as("s"), "a").whenMatched().updateAll().execute()', "", YES),
    (IN_SCALA % 'd.createOrReplaceTempView("u"); d.sparkSession.sql("MERGE INTO t")', "", YES),
    (IN_SCALA % "\nif (!d.isEmpty) {\nd.rdd.foreachPartition { it => it.foreach(save) }\n}\n", "",
     YES),
    ("foreachBatch(save _)", f"def save(d: DataFrame, i: Long): Unit = {{ {APPEND}.save() }}", YES),
    ("foreachBatch(save _)", "def save(d: DataFrame, i: Long): Unit = { d.printSchema() }",
     NOTHING),
    ("foreachBatch(writer.write _)", "", YES),
    (_BUFFERS % "c.close()", "", LEFT),
    (_BUFFERS % "save(rows)", "", YES),
    (OBJECT % (": Boolean = false;", "save(r)"), "", CLOSED),
    (OBJECT % (" = { c = connect(); false }", "save(r)"), "", CLOSED),
    (OBJECT % (": Boolean = true;", "save(r)"), "", YES),
    (OBJECT % (": Boolean = true;", "println(r)"), "", NOTHING),
    ("foreach(new W)", CLASS % (f": Boolean = {{ {OPENS} }}", _ROW % "save(r)"), CLOSED),
    ("foreach(new W)", CLASS % (": Boolean = true;", _ROW % "println(r)"), NOTHING),
    ("foreach(new W)", CLASS % (": Boolean = true;", _ROW % "save(r)"), YES),
])  # fmt: skip
def test_a_scala_function_must_write_its_whole_batch(
    tmp_path: Path, sink: str, definitions: str, expected: str
) -> None:
    code = SCALA % (sink, definitions)
    assert_file(tmp_path / "q.scala", code, "", _TOPIC, 0 if expected == YES else 2, expected)


CALL = (
    "foreachBatch(new VoidFunction2<Dataset<Row>, Long>() {\n"
    "public void call(Dataset<Row> d, Long i) { %s } })"
)
JAVA_ROWS = (
    "foreach(new ForeachWriter<Row>() { public boolean open(long p, long e) { %s }\n"
    "public void process(Row r) { save(r); } public void close(Throwable t) {} })"
)


@pytest.mark.parametrize(("sink", "definitions", "expected"), [
    ("foreachBatch((d, i) -> { g(d, i); })",
     "void g(Dataset<Row> d, Long i) { if (i % 5 == 0) { d.write().save(p); } }", SOME),
    ("foreachBatch((d, i) -> { g(d, i); })",
     'void g(Dataset<Row> d, Long i) { d.write().mode("append").save(p); }', YES),
])  # fmt: skip
def test_a_java_method_must_write_its_whole_batch(
    tmp_path: Path, sink: str, definitions: str, expected: str
) -> None:
    code = JAVA % (sink, definitions)
    assert_file(tmp_path / "A.java", code, "", _TOPIC, {YES: 0}.get(expected, 2), expected)


@pytest.mark.parametrize(("sink", "expected"), [
    ('foreachBatch((d, i) -> { d.write().mode("append").save("x"); })', YES),
    ('foreachBatch((d, i) -> d.write().mode("append").save("x"))', YES),
    ("foreachBatch((Dataset<Row> d, Long i) -> { d.show(); })", NOTHING),
    ("foreachBatch((VoidFunction2<Dataset<Row>, Long>) (d, i) -> { d.show(); })", NOTHING),
    ("foreachBatch((d, i) -> { List<Row> rows = d.takeAsList(10); save(rows); })", PART),
    ("foreachBatch((d, i) -> { List<Row> rows = d.collectAsList(); save(rows); })", YES),
    ("foreachBatch((d, i) -> { for (Row r : d.collectAsList()) { repo.save(r); } })", YES),
    ("foreachBatch((d, i) -> { for (Row r : d.collectAsList()) { System.out.println(r); } })",
     NOTHING),
    ("foreachBatch((d, i) -> { if (d.isEmpty()) { return; } d.write().jdbc(u, t, p); })", YES),
    ("foreachBatch((d, i) -> { if (i % 5 == 0) { d.write().jdbc(u, t, p); } })", SOME),
    (CALL % 'd.write().mode("append").save("x");', YES),
    (CALL % "d.show();", NOTHING),
    (JAVA_ROWS % "return true;", YES),
    (JAVA_ROWS % "return false;", CLOSED),
    (JAVA_ROWS % "try { c = connect(); return true; } catch (Exception x) { return false; }",
     CLOSED),
])  # fmt: skip
def test_a_java_lambda_or_object_must_write_its_whole_batch(
    tmp_path: Path, sink: str, expected: str
) -> None:
    code = JAVA % (sink, "")
    assert_file(tmp_path / "A.java", code, "", _TOPIC, 0 if expected == YES else 2, expected)
