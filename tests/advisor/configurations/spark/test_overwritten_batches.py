"""Functions of Spark queries that overwrite the batches before, or have Delta skip them.

Sources: PySpark's DataFrameWriter and DataFrameWriterV2; Spark sql-ref-syntax-dml-insert-table.md;
Delta Lake, Table batch reads and writes (replaceWhere) and Table streaming (txnVersion); pandas,
`to_sql` and `to_csv`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file
from tests.advisor.configurations.spark.test_queries import REPLACED, SCALA, YES

PYTHON = """from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
%s
df = spark.readStream.format("kafka").option("subscribe", "t").option("startingOffsets", "earliest")
df.load().writeStream.%s.option("checkpointLocation", "hdfs://n/c").start()
"""
OVERWRITE = 'd.write.mode("overwrite")'
DYNAMIC = 'spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")'
SKIPPED = "with one value for all only the first batch is written"


@pytest.mark.parametrize(("body", "expected"), [
    ('d.write.insertInto("t", overwrite=True)', REPLACED),
    ('d.write.insertInto("t", True)', REPLACED),
    ('d.write.insertInto("t", overwrite=False)', YES),
    ('d.writeTo("c.t").overwritePartitions()', REPLACED),
    ('d.writeTo("c.t").using("iceberg").createOrReplace()', REPLACED),
    ('d.writeTo("c.t").append()', YES),
    ('d.toPandas().to_sql("t", engine, if_exists="replace")', REPLACED),
    ('d.toPandas().to_sql("t", engine, if_exists="append")', YES),
    ('d.toPandas().to_csv("/data/out.csv")', REPLACED),
    ('d.toPandas().to_csv("/data/out.csv", mode="a")', YES),
    ('d.toPandas().to_csv(f"/data/{i}.csv")', YES),
    ('d.toPandas().to_parquet("/data/t")', REPLACED),
    ('d.toPandas().to_parquet("/data/t", partition_cols=["day"])', YES),
    ('b = io.StringIO()\n    d.toPandas().to_csv(b)\n    s3.put_object(Key=str(i), Body=b)', YES),
    ('d.createOrReplaceTempView("v")\n    spark.sql("CREATE OR REPLACE TABLE t AS TABLE v")',
     REPLACED),
    ('d.createOrReplaceTempView("v")\n    spark.sql("INSERT INTO t SELECT * FROM v")', YES),
    # the number of the batch decides where it is written, or it only appears in a log line
    (f'print(f"batch {{i}}")\n    {OVERWRITE}.save("x")', REPLACED),
    (f'path = f"x/{{i}}"\n    {OVERWRITE}.save(path)', YES),
    (f'w = {OVERWRITE}\n    w.save(f"x/{{i}}")', YES),
    (f'w = {OVERWRITE}\n    w.save("x")', REPLACED),
    (f'{OVERWRITE}.save(f"x/{{uuid.uuid4()}}")', YES),
    (f'day = datetime.now().strftime("%Y-%m-%d")\n    {OVERWRITE}.save(f"x/{{day}}")', REPLACED),
    (f'if i == 0:\n        {OVERWRITE}.save("x")\n    else:\n        d.writeTo("x").append()',
     YES),
    # rows of other batches that stay, or do not
    (f'{DYNAMIC}\n    {OVERWRITE}.partitionBy("day").save("x")', REPLACED),
    (f'{DYNAMIC}\n    d.withColumn("b", lit(i)).write.mode("overwrite").partitionBy("b").save("x")',
     YES),
    ('d.withColumn("b", lit(i)).write.mode("overwrite").partitionBy("b").save("x")', REPLACED),
    (f'{OVERWRITE}.option("replaceWhere", "a=1").save("x")', REPLACED),
    (f'{OVERWRITE}.option("replaceWhere", f"b={{i}}").save("x")', YES),
    ('old = spark.read.parquet("x")\n    old.union(d).write.mode("overwrite").save("y")', YES),
    (f'{OVERWRITE}.saveAsTable("s")\n    cursor.execute(MERGE)', YES),
    (f'spark.sql("USE shop")\n    {OVERWRITE}.saveAsTable("s")', REPLACED),
    # Delta's versions
    ('d.write.format("delta").option("txnAppId", "a").option("txnVersion", 1).save("x")', SKIPPED),
    ('d.write.format("delta").option("txnAppId", "a").option("txnVersion", i).save("x")', YES),
])  # fmt: skip
def test_a_python_function_must_not_overwrite_other_batches(
    tmp_path: Path, body: str, expected: str
) -> None:
    code = PYTHON % (f"def write(d, i):\n    {body}", "foreachBatch(write)")
    assert_file(tmp_path / "q.py", code, "", TOPIC, 0 if expected == YES else 2, expected)


@pytest.mark.parametrize(("definitions", "sink"), [
    (f'class J:\n    def write(self, d, i):\n        {OVERWRITE}.save("x")\nj = J()',
     "foreachBatch(j.write)"),
    (f'spark.sql("CREATE DATABASE IF NOT EXISTS a")\ndef write(d, i):\n    {OVERWRITE}.save("x")',
     "foreachBatch(write)"),
])  # fmt: skip
def test_code_around_an_overwriting_function_does_not_hide_it(
    tmp_path: Path, definitions: str, sink: str
) -> None:
    assert_file(tmp_path / "q.py", PYTHON % (definitions, sink), "", TOPIC, 2, REPLACED)


@pytest.mark.parametrize(("body", "expected"), [
    ('d.writeTo("c.t").overwritePartitions()', REPLACED),
    ('d.writeTo("c.t").using("iceberg").createOrReplace()', REPLACED),
    ('d.writeTo("c.t").append()', YES),
    ('d.createOrReplaceTempView("v")\nspark.sql("create or replace table t as select 1 from v")',
     REPLACED),
    (f'{DYNAMIC}\n{OVERWRITE}.insertInto("t")', REPLACED),
    (f'{DYNAMIC}\nd.withColumn("b", lit(i)).write.mode("overwrite").insertInto("t")', YES),
    (f'println(s"batch $i")\n{OVERWRITE}.save("x")', REPLACED),
    (f'{OVERWRITE}.save(s"x/$i")', YES),
    (f'if (i == 0) {OVERWRITE}.save("x") else d.write.mode("append").save("x")', YES),
    (f'if (i == 0) {{\n{OVERWRITE}.save("x")\n}} else {{\nd.write.mode("append").save("x")\n}}',
     YES),
    (f'{OVERWRITE}.option("replaceWhere", "a=1").save("x")', REPLACED),
    (f'spark.sql("USE shop")\n{OVERWRITE}.saveAsTable("s")', REPLACED),
    (f'{OVERWRITE}.saveAsTable("s")\nspark.sql("MERGE INTO t USING s ON t.a = s.a")', YES),
    ('d.write.format("delta").option("txnAppId", "a").option("txnVersion", 1L).save("x")', SKIPPED),
])  # fmt: skip
def test_a_scala_function_must_not_overwrite_other_batches(
    tmp_path: Path, body: str, expected: str
) -> None:
    code = SCALA % (f"foreachBatch {{ (d: DataFrame, i: Long) =>\n{body}\n}}", "")
    assert_file(tmp_path / "q.scala", code, "", TOPIC, 0 if expected == YES else 2, expected)


@pytest.mark.parametrize(("value", "code", "expected"), [
    ("true", 1, "processing.errors: skip -> retry"), ("false", 0, YES),
])  # fmt: skip
def test_hudi_may_skip_a_batch_that_it_cannot_write(
    tmp_path: Path, value: str, code: int, expected: str
) -> None:
    option = f'.option("hoodie.datasource.write.streaming.ignore.failed.batch", "{value}")'
    text = PYTHON % ("", f'format("hudi"){option}.option("path", "s3a://t")')
    assert_file(tmp_path / "q.py", text, "", TOPIC, code, expected)
