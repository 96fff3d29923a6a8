"""Functions of `foreachBatch` that go on without rows that they could not process, or write all
batches to one file, and aggregations that Spark does not start.

Sources: ForeachBatchSink.scala; UnsupportedOperationChecker.scala; Python, `open`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file
from tests.advisor.configurations.spark.test_left_rows import PYTHON
from tests.advisor.configurations.spark.test_queries import SCALA, YES

_SKIP = "application.processing.errors=skip"
_FAILED = (
    "    failed = []\n    for r in df.collect():\n        try:\n            db.insert(r)\n"
    "        except Exception:\n            failed.append(r)\n"
)
_TASKS = (
    "    fs = []\n    for r in df.collect():\n        f = pool.submit(db.insert, r)\n"
    "        f.add_done_callback(done)\n        fs.append(f)\n    wait(fs)\n"
)
_POOL = "pool = ThreadPoolExecutor(8)\ndef done(f):\n    if f.exception():\n        print(f)\n"


@pytest.mark.parametrize(("before", "body", "expected"), [
    ("", f"{_FAILED}    for r in failed[:10]:\n        db.insert(r)\n", _SKIP),
    ("", f"{_FAILED}    for r in failed:\n        db.insert(r)\n", YES),
    ("", f"{_FAILED}    if failed:\n        raise E(failed)\n", YES),
    (_POOL, _TASKS, _SKIP),
    (_POOL, f"{_TASKS}    for f in fs:\n        f.result()\n", YES),
    ("", "    if not r.setnx(i, 1):\n        return\n    df.write.save('x')\n", _SKIP),
    ("", "    if r.exists(i):\n        return\n    df.write.save('x')\n    r.set(i, 1)\n", YES),
])  # fmt: skip
def test_rows_that_fail_must_be_handled(
    tmp_path: Path, before: str, body: str, expected: str
) -> None:
    code = PYTHON % (f"{before}def write(df, i):\n{body}", "", "foreachBatch(write)")
    assert_file(tmp_path / "q.py", code, "", TOPIC, 0 if expected == YES else 1, expected)


_ROWS = "[r.value for r in df.collect()]"


@pytest.mark.parametrize(("body", "expected"), [
    (f'with open("/d/o.json", "w") as f:\n        json.dump({_ROWS}, f)', "overwrites here"),
    (f'with open("/d/o.json", "a") as f:\n        json.dump({_ROWS}, f)', YES),
    (f'with open(f"/d/{{i}}.json", "w") as f:\n        json.dump({_ROWS}, f)', YES),
    ('df.write.mode("append").save("x")\n    with open("/d/n", "w") as f:\n'
     "        f.write(str(df.count()))", YES),
    (f'Path("/d/o.json").write_text(str({_ROWS}))', "overwrites here"),
    (f'Path(f"/d/{{i}}.json").write_text(str({_ROWS}))', YES),
    (f's3.put_object(Bucket="b", Key="k", Body=str({_ROWS}))', "overwrites here"),
    (f's3.put_object(Bucket="b", Key=f"k{{i}}", Body=str({_ROWS}))', YES),
    ("latest = {r.key: r for r in df.collect()}\n    db.save(latest.values())", "only a part"),
])  # fmt: skip
def test_each_batch_needs_a_file_of_its_own(tmp_path: Path, body: str, expected: str) -> None:
    code = PYTHON % (f"def write(df, i):\n    {body}\n", "", "foreachBatch(write)")
    assert_file(tmp_path / "q.py", code, "", TOPIC, 0 if expected == YES else 2, expected)


_REFUSED = "Append output mode not supported when there are streaming aggregations"
_WRITE = 'def write(df, i):\n    df.groupBy("k").count().write.mode("append").save("x")\n'


@pytest.mark.parametrize(("line", "expected"), [
    ('df = df.groupBy("key").count()', _REFUSED),
    ('df = df.select("v").groupBy("v").agg(sum("v"))', _REFUSED),
    ('df = df.withWatermark("timestamp", "9 minutes").groupBy("key").count()', YES),
    ('other = spark.read.parquet("y").groupBy("key").count()', YES),
    ("# df = df.groupBy('key').count()", YES),
])  # fmt: skip
def test_an_aggregation_that_appends_needs_a_watermark(
    tmp_path: Path, line: str, expected: str
) -> None:
    code = PYTHON % (_WRITE, line, "foreachBatch(write)")
    assert_file(tmp_path / "q.py", code, "", TOPIC, 0 if expected == YES else 2, expected)


@pytest.mark.parametrize(("mode", "expected"), [
    ("", _REFUSED), ('.outputMode("append")', _REFUSED), ('.outputMode("update")', YES),
])  # fmt: skip
def test_an_aggregation_in_scala_that_appends_needs_a_watermark(
    tmp_path: Path, mode: str, expected: str
) -> None:
    sink = 'foreachBatch { (d: DataFrame, i: Long) => d.write.save("x") }'
    code = (SCALA % (sink, "")).replace(
        ".writeStream", f'.groupBy("key").count().writeStream{mode}', 1
    )
    assert_file(tmp_path / "q.scala", code, "", TOPIC, 0 if expected == YES else 2, expected)
