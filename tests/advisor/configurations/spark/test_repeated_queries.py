"""Spark queries that a program starts one after another, and their checkpoints.

Sources: StreamingQueryManager.scala (`startQuery`: a second query with the id of a checkpoint stops
the first); Structured Streaming programming guide, Recovering from Failures with Checkpointing.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file

_READS = (
    '{}.format("kafka").option("subscribe", T).option("startingOffsets", "earliest").load()'
    '.{}.format("kafka").option("topic", "o").option("checkpointLocation", C).start()'
)
SCALA = _READS.format("val q = spark.readStream", "writeStream")
JAVA = _READS.format("StreamingQuery q = spark.readStream()", "writeStream()") + ";"
PYTHON = _READS.format("spark.readStream", "writeStream")
_PROGRAMS = {
    "a.scala": "object A { def main(a: Array[String]): Unit = {\n%s\n}\n%s\n}\n",
    "A.java": "class A { static void main(String[] a) throws Exception {\n%s\n}\n%s\n}\n",
    "a.py": "from pyspark.sql import SparkSession\n%s\n%s\n",
}
_SCALA_START = "def start(t: String): Any = { Q }"
_JAVA_START = "static void start(String t) throws Exception { Q }"
_DEF = "def start(t):\n    return Q\n"
FIXED, YES = '"s3://b/c"', "^YES"
REFUSED = "two queries have this checkpointLocation"
QUERIES = [
    ("a.scala", "for (t <- topics) { Q }", "", FIXED, REFUSED),
    ("a.scala", "for (t <- topics) { Q }", "", 's"s3://b/$t"', YES),
    ("a.scala", "for (t <- topics) { Q }", "", '"s3://b/" + t', YES),
    ("a.scala", "topics.foreach { t => Q }", "", FIXED, REFUSED),
    ("a.scala", "topics.foreach(t => { Q })", "", FIXED, REFUSED),
    ("a.scala", 'val d = "s3://b/c"\ntopics.par.foreach { t => Q }', "", 'd', REFUSED),
    ("a.scala", 'Map("a" -> "b").foreach { case (t, o) => Q }', "", FIXED, REFUSED),
    ("a.scala", "for { t <- topics } yield { Q }", "", FIXED, REFUSED),
    ("a.scala", "while (true) { Q; q.awaitTermination() }", "", FIXED, YES),
    ("a.scala", "for (i <- 1 to 3) { Q; q.awaitTermination() }", "", FIXED, YES),
    ("a.scala", "topics.foreach(start)", _SCALA_START, FIXED, REFUSED),
    ("a.scala", 'start("a"); start("b")', _SCALA_START, FIXED, REFUSED),
    ("a.scala", "for (t <- topics) start(t)", _SCALA_START, FIXED, REFUSED),
    ("a.scala", "topics.foreach(t => start(t))", _SCALA_START, FIXED, REFUSED),
    ("a.scala", 'start("a")', _SCALA_START, FIXED, YES),
    ("A.java", "for (String t : topics) { Q }", "", FIXED, REFUSED),
    ("A.java", "topics.forEach(t -> { Q });", "", FIXED, REFUSED),
    ("A.java", "for (int i = 0; i < n; i++) { String t = topics[i]; Q }", "", FIXED, REFUSED),
    ("A.java", 'start("a"); start("b");', _JAVA_START, FIXED, REFUSED),
    ("A.java", "topics.forEach(A::start);", _JAVA_START, FIXED, REFUSED),
    ("A.java", 'start("a");', _JAVA_START, FIXED, YES),
    ("a.py", "[Q for t in topics]", "", FIXED, REFUSED),
    ("a.py", "qs = [Q for t in topics]", "", 'f"s3://b/{t}"', YES),
    ("a.py", "while t < 3:\n    Q\n    t += 1", "", FIXED, REFUSED),
    ("a.py", "while True:\n    Q.awaitTermination()", "", FIXED, YES),
    ("a.py", 'for t in topics:\n    d = "s3://b/c"\n    Q', "", 'd', REFUSED),
    ("a.py", "for i, t in enumerate(topics):\n    Q", "", 'f"s3://b/{i}"', YES),
    ("a.py", _DEF + "[start(t) for t in topics]", "", FIXED, REFUSED),
    ("a.py", _DEF + "list(map(start, topics))", "", FIXED, REFUSED),
    ("a.py", _DEF + "for t in topics: Thread(target=start, args=(t,)).start()", "", FIXED, REFUSED),
    ("a.py", _DEF + 'start("a")', "", FIXED, YES),
]  # fmt: skip


@pytest.mark.parametrize(("name", "body", "definitions", "place", "expected"), QUERIES)
def test_each_of_several_queries_needs_its_own_checkpoint(
    tmp_path: Path, name: str, body: str, definitions: str, place: str, expected: str
) -> None:
    query = {"a.scala": SCALA, "A.java": JAVA, "a.py": PYTHON}[name]
    query = query.replace("C)", f"{place})").replace("T)", "t)")
    text = _PROGRAMS[name] % (body.replace("Q", query), definitions.replace("Q", query))
    assert_file(tmp_path / name, text, "", TOPIC, 0 if expected == YES else 2, expected)


@pytest.mark.parametrize("stated", [
    ".options(checkpointLocation=C).start()", ".start(checkpointLocation=C)",
    ".options(**given).start()",
])  # fmt: skip
def test_a_checkpoint_may_be_a_keyword_argument(tmp_path: Path, stated: str) -> None:
    query = PYTHON.replace("T)", "t)").replace('.option("checkpointLocation", C).start()', stated)
    text = f'given = {{"checkpointLocation": {FIXED}}}\nfor t in topics:\n    {query}\n'
    text = text.replace("=C", f"={FIXED}")
    assert_file(tmp_path / "a.py", _PROGRAMS["a.py"] % (text, ""), "", TOPIC, 2, REFUSED)
