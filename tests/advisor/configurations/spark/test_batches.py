"""Code around Spark queries: checkpoints with a new name at each start, and batch functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import SPARK, assert_file

QUERY = (
    'd = spark.readStream.format("kafka").option("subscribe", "a")'
    '.option("startingOffsets", "earliest").load()\nd.writeStream{}.start()\n'
)
CHECKPOINT = '.format("delta").option("checkpointLocation", {})'
NEW_PLACE = "a new one at each start"


@pytest.mark.parametrize(("before", "place", "code", "expected"), [
    ("", '"s3a://b/" + str(uuid.uuid4())', 1, NEW_PLACE),
    ("", 'f"s3a://b/{time.time()}"', 1, NEW_PLACE),
    ('PLACE = f"s3a://b/{uuid4()}"\n', "PLACE", 1, NEW_PLACE),
    ('conf.place = f"s3a://b/{uuid4()}"\n', "conf.place", 1, NEW_PLACE),
    ('PLACE = f"s3a://b/{NAME}"\n', "PLACE", 0, "^YES"),
    ("", '"s3a://b/now"', 0, "^YES"),
])  # fmt: skip
def test_a_checkpoint_with_a_new_name_is_lost_at_each_start(
    tmp_path: Path, before: str, place: str, code: int, expected: str
) -> None:
    query = before + QUERY.format(CHECKPOINT.format(place))
    assert_file(tmp_path / "q.py", query, "--want exactly-once", SPARK, code, expected)


FUNCTION = "def take(rows, number):\n    {}\n"
WRITES = '.foreachBatch(take).option("checkpointLocation", "s3a://b/c")'


@pytest.mark.parametrize(("body", "code", "expected"), [
    ("rows.write.save('x')", 0, "^YES"),
    ("try: rows.write.save('x')\n    except Exception as e: print(e)", 1, ":3: .*is swallowed"),
    ("try: rows.write.save('x')\n    except: pass", 1, "Raise it again"),
    ("try: rows.write.save('x')\n    except Exception:\n        log.error(1)\n        raise", 0,
     "^YES"),
    ("for n in range(9):\n        try: return rows.write.save('x')\n"
     "        except Exception: pass\n    raise Failed", 0, "^YES"),
])  # fmt: skip
def test_a_batch_function_that_swallows_its_errors_is_reported(
    tmp_path: Path, body: str, code: int, expected: str
) -> None:
    query = FUNCTION.format(body) + QUERY.format(WRITES)
    assert_file(tmp_path / "q.py", query, "", SPARK, code, expected)
