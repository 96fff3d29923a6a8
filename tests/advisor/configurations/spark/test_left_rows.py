"""Rows that a Spark query takes as done and does not write: those that are left in a buffer, those
of batches that a writer skips, and those beyond the limit of a stream.

Sources: ForeachBatchSink.scala, ForeachWriter.scala (`open`; SPARK-28650),
StreamingGlobalLimitExec.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file
from tests.advisor.configurations.spark.test_queries import PART, SCALA, YES

PYTHON = """from pyspark.sql import SparkSession
%s
spark = SparkSession.builder.getOrCreate()
df = spark.readStream.format("kafka").option("subscribe", "t") \\
    .option("startingOffsets", "earliest").load()
%s
df.writeStream.%s.option("checkpointLocation", "hdfs://n/c").start()
"""
WRITE = 'def write(df, i):\n    df.write.mode("append").save("x")\n'
GROUPS = """    group = []
    for r in rows:
        group.append(r)
        if %s:
            db.save(group)
            group = []
"""
PARTITIONS = "def part(rows):\n%sdef write(df, i):\n    df.foreachPartition(part)\n"
FULL, LEFT = "len(group) == 100", "left after the last full group are not written"
KNOWN = "by the partition or the epoch whether its rows are written"


@pytest.mark.parametrize(("definitions", "expected"), [
    (PARTITIONS % (GROUPS % FULL), LEFT),
    (PARTITIONS % (GROUPS % "len(group) >= SIZE"), LEFT),
    (PARTITIONS % f"{GROUPS % FULL}    if group:\n        db.save(group)\n", YES),
    (PARTITIONS % f"{GROUPS % FULL}    db.save(group)\n", YES),
    (PARTITIONS % (GROUPS % "len(group) == 100 or r is rows[-1]"), YES),
    (f"def write(df, i):\n    rows = df.collect()\n{GROUPS % FULL}", LEFT),
])  # fmt: skip
def test_a_python_function_must_write_the_last_group(
    tmp_path: Path, definitions: str, expected: str
) -> None:
    code = PYTHON % (definitions, "", "foreachBatch(write)")
    assert_file(tmp_path / "q.py", code, "", TOPIC, 0 if expected == YES else 2, expected)


@pytest.mark.parametrize(("end", "expected"), [("", LEFT), ("if (b.nonEmpty) db.save(b)\n", YES)])
def test_a_scala_function_must_write_the_last_group(
    tmp_path: Path, end: str, expected: str
) -> None:
    code = SCALA % (
        "foreachBatch { (d: DataFrame, i: Long) =>\nd.foreachPartition { rows: Iterator[Row] =>\n"
        "val b = ListBuffer[Row]()\nrows.foreach { r =>\nb += r\n"
        f"if (b.size == 100) {{ db.save(b); b.clear() }}\n}}\n{end}}}\n}}", "",
    )  # fmt: skip
    assert_file(tmp_path / "q.scala", code, "", TOPIC, 0 if expected == YES else 2, expected)


@pytest.mark.parametrize(("line", "verb"), [
    ("df = df.limit(100)", "limit"),
    ('events = df.select("value")\ndf = events.limit(100)', "limit"),
    ("df = df.sample(0.1)", "sample"),
    ('df = df.where("rand() < 0.1")', "rand"),
    ("df = df.filter(rand() < 0.1)", "rand"),
    ('ref = spark.read.parquet("y").limit(10)', ""),
    ("# df = df.limit(100)", ""),
    ('df = df.where("brand = 1")', ""),
])  # fmt: skip
def test_a_query_must_take_the_whole_stream(tmp_path: Path, line: str, verb: str) -> None:
    expected = rf"{verb}\S* takes only a part of the stream" if verb else YES
    code = PYTHON % (WRITE, line, "foreachBatch(write)")
    assert_file(tmp_path / "q.py", code, "", TOPIC, 2 if verb else 0, expected)


@pytest.mark.parametrize("sink", [
    "foreachBatch { (d: DataFrame, i: Long) =>\nd.limit(3).show()\nd.write.save(\"x\") }",
    "foreachBatch((d: DataFrame, i: Long) => { d.limit(3).show(); d.write.save(\"x\") })",
])  # fmt: skip
def test_a_batch_may_be_shown_in_part(tmp_path: Path, sink: str) -> None:
    code = (SCALA % (sink, "")).replace("spark.readStream", "val d = spark.readStream", 1)
    code = code.replace(".writeStream", "\nd.writeStream", 1)
    assert_file(tmp_path / "q.scala", code, "", TOPIC, 0, YES)


def test_a_part_of_a_stream_with_a_name_is_reported(tmp_path: Path) -> None:
    code = (SCALA % ('foreachBatch { (d: DataFrame, i: Long) => d.write.save("x") }', "")).replace(
        "spark.readStream", "val all = spark.readStream", 1
    )
    code = code.replace(".writeStream", "\nval some = all.limit(9)\nsome.writeStream", 1)
    assert_file(tmp_path / "q.scala", code, "", TOPIC, 2, "limit takes only a part of the stream")


@pytest.mark.parametrize(("body", "expected"), [
    ('d.limit(3)\n.select("a")\n.write.save("x")', PART),
    ('if (i != 0) d.write.save("x")', "only some batches are written"),
    ('if (i == 0) return\nd.write.save("x")', "only some batches are written"),
    ('if (i > 5) println(i)\nd.write.save("x")', YES),
])  # fmt: skip
def test_a_scala_function_must_write_every_batch(tmp_path: Path, body: str, expected: str) -> None:
    code = SCALA % (f"foreachBatch {{ (d: DataFrame, i: Long) =>\n{body}\n}}", "")
    assert_file(tmp_path / "q.scala", code, "", TOPIC, 0 if expected == YES else 2, expected)


@pytest.mark.parametrize(("returned", "expected"), [
    ("not db.seen(p, e)", KNOWN), ("e > self.last", KNOWN), ("True", YES),
])  # fmt: skip
def test_a_python_writer_must_not_skip_by_the_epoch(
    tmp_path: Path, returned: str, expected: str
) -> None:
    writer = (
        f"class W:\n    def open(self, p, e):\n        c = self.c\n        return {returned}"
        "\n    def process(self, r):\n        self.c.save(r)\n    def close(self, e):\n        pass"
    )
    code = PYTHON % (writer, "", "foreach(W())")
    assert_file(tmp_path / "q.py", code, "", TOPIC, 0 if expected == YES else 2, expected)


@pytest.mark.parametrize(("opens", "expected"), [
    ("= !db.seen(p, e)", KNOWN), ("= {\nc = connect(p)\n!c.seen(p, e)\n}", KNOWN),
    ("= {\nc = connect(p)\ntrue\n}", YES),
])  # fmt: skip
def test_a_scala_writer_must_not_skip_by_the_epoch(
    tmp_path: Path, opens: str, expected: str
) -> None:
    sink = (
        f"foreach(new ForeachWriter[Row] {{\ndef open(p: Long, e: Long): Boolean {opens}\n"
        "def process(r: Row): Unit = { db.save(r) }\ndef close(e: Throwable): Unit = {}\n})"
    )
    code = SCALA % (sink, "")
    assert_file(tmp_path / "q.scala", code, "", TOPIC, 0 if expected == YES else 2, expected)


STREAM = 'spark.readStream.format("kafka").option("subscribe", "a")'
EARLIEST = '.option("startingOffsets", "earliest")'
INTO = 'writeStream.format("%s")%s.option("checkpointLocation", "s3a://c").start("s3a://t")'
DIFFERS = "startingOffsets differs from another one, which does not state it"


@pytest.mark.parametrize(("first", "expected"), [("", DIFFERS), (EARLIEST, YES)])
def test_each_source_of_a_query_has_its_own_start(
    tmp_path: Path, first: str, expected: str
) -> None:
    code = f"a = {STREAM}{first}.load()\nb = {STREAM}{EARLIEST}.load()\n"
    code += f"a.unionByName(b).{INTO % ('delta', '')}\n"
    assert_file(tmp_path / "q.py", code, "", TOPIC, 0 if expected == YES else 2, expected)


@pytest.mark.parametrize(("rows", "sink", "mode", "expected"), [
    ("", "delta", "complete", "Complete output mode not supported"),
    ('.groupBy("key").count()', "delta", "complete", YES),
    ('.groupBy("key").count()', "parquet", "complete", "parquet does not support Complete"),
    ('.groupBy("key").count()', "parquet", "update", "parquet does not support Update"),
    ('.groupBy("key").count()', "delta", "update", YES),
    ("", "parquet", "append", YES),
])  # fmt: skip
def test_a_query_does_not_start_with_an_unsupported_output_mode(
    tmp_path: Path, rows: str, sink: str, mode: str, expected: str
) -> None:
    query = INTO % (sink, f'.outputMode("{mode}")')
    code = f"{STREAM}{EARLIEST}.load(){rows}.{query}\n"
    assert_file(tmp_path / "q.py", code, "", TOPIC, 0 if expected == YES else 2, expected)


@pytest.mark.parametrize(("conversion", "code", "expected"), [
    ("flatMap(s => Try(parse(s)).toOption)", 1, "processing.errors: skip -> retry"),
    ("map(s => Try(parse(s)).get)", 0, YES),
    ("map(s => parse(s))", 0, YES),
])  # fmt: skip
def test_a_conversion_that_fails_must_not_drop_its_row(
    tmp_path: Path, conversion: str, code: int, expected: str
) -> None:
    text = "val spark = SparkSession.builder.getOrCreate()\n"
    text += f"{STREAM}{EARLIEST}.load().as[String].{conversion}.{INTO % ('delta', '')}\n"
    assert_file(tmp_path / "q.scala", text, "", TOPIC, code, expected)


SEND = """from kafka import KafkaProducer
p = KafkaProducer(bootstrap_servers="b")
def write(df, i):
    for r in df.collect():
        %s
    p.flush()
"""
UNCHECKED = ":6: delivery.errors: nothing checks the result of this send"


@pytest.mark.parametrize(("send", "expected"), [
    ('p.send("o", r.value)', UNCHECKED),
    ('f = p.send("o", r.value)', UNCHECKED),
    ('p.send("o", r.value).get(timeout=9)', YES),
    ('futures.append(p.send("o", r.value))\n    for f in futures: f.get()', YES),
])  # fmt: skip
def test_a_send_with_kafka_python_must_be_checked(tmp_path: Path, send: str, expected: str) -> None:
    code = PYTHON % (SEND % send, "", "foreachBatch(write)")
    assert_file(tmp_path / "q.py", code, "", TOPIC, 0 if expected == YES else 2, expected)
