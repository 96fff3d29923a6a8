"""Spark options that a query receives through a name, or as a whole map."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file

PYTHON = """from pyspark.sql import SparkSession
%s
spark = SparkSession.builder.getOrCreate()
df = (spark.readStream.format("kafka").option("kafka.bootstrap.servers", "k")
      .option("subscribe", "a").option("startingOffsets", "earliest")%s.load())
df.writeStream.format("%s").option("kafka.bootstrap.servers", "k").option("topic", "b").option(
    "checkpointLocation", "s3://b/c")%s.start()
"""
SCALA = """object J {
  %s
  val df = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "k")
    .option("subscribe", "a").option("startingOffsets", "earliest")%s.load()
  df.writeStream.format("kafka").option("kafka.bootstrap.servers", "k").option("topic", "b")
    .option("checkpointLocation", "s3://b/c")%s.start()
}
"""
LOSES = "failOnDataLoss: false -> true"
ELSEWHERE = "these options are not defined in this file"
COMPUTED = "the name of this option is not a string literal here"
LOOP = """for name, value in OPTIONS.items():
    reader = reader.option(name, value)
"""


@pytest.mark.parametrize(("before", "source", "sink", "code", "expected"), [
    ("from conf import opts", ".options(**opts)", "", 2, ELSEWHERE),
    ("from conf import opts", "", ".options(**opts)", 2, ELSEWHERE),
    ("import settings", ".options(**settings.KAFKA)", "", 2, ELSEWHERE),
    ("conf = yaml.safe_load(open('c'))", ".options(**conf['kafka'])", "", 2, ELSEWHERE),
    ("def opts():\n    return load()", ".options(**opts())", "", 2, ELSEWHERE),
    ('opts = {"includeHeaders": "true"}\nopts.update(load())', ".options(**opts)", "", 2,
     ELSEWHERE),
    *[(before, ".options(**opts)", "", 2, ELSEWHERE) for before in (
        'opts = {**load(), "includeHeaders": "true"}',
        'base = load()\nopts = {**base, "includeHeaders": "true"}',
        'opts = dict(load(), includeHeaders="true")',
        'opts = {"includeHeaders": "true"}\nopts = load()',
        'opts = {"includeHeaders": "true"}\nopts |= load()',
        'opts = {"includeHeaders": "true"}\nopts[NAME] = "false"',
        'opts = {"includeHeaders": "true", NAME: "false"}',
    )],
    ('base = {"failOnDataLoss": "false"}\nopts = {**base, "includeHeaders": "true"}',
     ".options(**opts)", "", 1, LOSES),
    ('base = {"includeHeaders": "true"}\nopts = dict(base, minPartitions="2")',
     ".options(**opts)", "", 0, "YES"),
    ('opts = {"failOnDataLoss": "false"}', ".options(**opts)", "", 1, LOSES),
    ('opts = {"includeHeaders": "true"}', ".options(**opts)", "", 0, "YES"),
    ('opts = dict(failOnDataLoss="false")', ".options(**opts)", "", 1, LOSES),
    ('base = {"failOnDataLoss": "false"}', '.options(**{**base, "includeHeaders": "true"})', "", 1,
     LOSES),
    ('def opts():\n    return {"failOnDataLoss": "false"}', ".options(**opts())", "", 1, LOSES),
    ("topic = 'a'", ".options(subscribePattern=topic)", "", 0, "YES"),
    ("from conf import base", ".options(**dict(base, minPartitions='2'))", "", 2, ELSEWHERE),
    ("def own(name):\n    return {'subscribe': name}", ".options(**own(NAME))", "", 0, "YES"),
    ("@click.option('--topic')\ndef run(topic):\n    pass", "", "", 0, "YES"),
    ("topic = 'a'", '.options(**{"includeHeaders": topic})', "", 0, "YES"),
    # names of options
    ("import names", '.option(names.LOSS, "false")', "", 2, COMPUTED),
    ('LOSS = "failOnDataLoss"', '.option(LOSS, "false")', "", 2, COMPUTED),
    ('TOPIC = "subscribe"', '.option(TOPIC, "a")', "", 0, "YES"),
    ("", '.option("kafka." + name, value)', "", 2, COMPUTED),
    (f'OPTIONS = {{"failOnDataLoss": "false"}}\n{LOOP}', "", "", 1, LOSES),
    (f"from conf import OPTIONS\nreader = spark.readStream\n{LOOP}", "", "", 2, COMPUTED),
])  # fmt: skip
def test_options_of_a_python_query_must_be_in_its_file(
    tmp_path: Path, before: str, source: str, sink: str, code: int, expected: str
) -> None:
    text = PYTHON % (before, source, "kafka", sink)
    assert_file(tmp_path / "j.py", text, "", TOPIC, code, expected)


@pytest.mark.parametrize(("before", "source", "sink", "code", "expected"), [
    ("", ".options(opts)", "", 2, ELSEWHERE),
    ("", "", ".options(Conf.kafka)", 2, ELSEWHERE),
    ("", '.options(config.optionsOf("a"))', "", 2, ELSEWHERE),
    ("", ".option(Names.loss, false)", "", 2, COMPUTED),
    ('val opts = Map("failOnDataLoss" -> "false")', ".options(opts)", "", 1, LOSES),
    ('val o = Map("failOnDataLoss" -> "false")', '.options(o ++ Map("a" -> b))', "", 1, LOSES),
    ('val opts = Map("maxOffsetsPerTrigger" -> "9")', ".options(opts.asJava)", "", 0, "YES"),
])  # fmt: skip
def test_options_of_a_scala_query_must_be_in_its_file(
    tmp_path: Path, before: str, source: str, sink: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "J.scala", SCALA % (before, source, sink), "", TOPIC, code, expected)


def test_options_of_another_format_may_be_in_another_file(tmp_path: Path) -> None:
    text = PYTHON % ("from conf import opts", "", "delta", ".options(**opts)")
    settings = f"{TOPIC} producer.kafka.acks=all"
    assert_file(tmp_path / "j.py", text, "", settings, 0, "YES(?!.*not in this file)")


def test_a_docstring_may_contain_a_markdown_fence(tmp_path: Path) -> None:
    text = '"""A job.\n\n```\nspark-submit j.py\n```\n"""\n'
    text += PYTHON % ("", '.option("failOnDataLoss", "false")', "kafka", "")
    assert_file(tmp_path / "j.py", text, "", TOPIC, 1, LOSES)
