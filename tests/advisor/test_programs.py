"""The answer to a program names the facts that it assumes of its code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.advisor.test_advise import run

_JAVA_LOOP = """
class A {{
  void run() {{
    Properties p = new Properties();
    p.put("enable.auto.commit", "false");
    p.put("auto.offset.reset", "earliest");
    KafkaConsumer<String, String> consumer = new KafkaConsumer<>(p);
    while (true) {{
      ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(100));
      {before}
      for (ConsumerRecord<String, String> record : records) {{ save(record); }}
      consumer.commitSync();
    }}
  }}
}}
"""
_PYTHON_LOOP = """
from confluent_kafka import Consumer
consumer = Consumer({"group.id": "g", "enable.auto.commit": False, "auto.offset.reset": "earliest"})
while True:
    message = consumer.poll(1)
    save(message)
    consumer.commit(message, asynchronous=False)
"""
_TOPIC = ("topic.replication.factor=3", "topic.min.insync.replicas=2")
_FACTS_OF_CODE = (
    "application.commit=after-processing", "application.delivery.errors=handled",
    "application.processing=synchronous", "application.processing.errors=retry",
)  # fmt: skip
_CONDITIONAL_YES = "YES, if the program does what is assumed: at-least-once"


def _advise_on(
    path: Path, text: str, *more: str, settings: tuple[str, ...] = ()
) -> tuple[object, str]:
    path.write_text(text)
    stated = [part for setting in (*_TOPIC, *settings) for part in ("--set", setting)]
    code, out, err = run(str(path), *stated, *more)
    return code, " ".join(f"{out} {err}".split())


@pytest.mark.parametrize(
    ("name", "text"),
    [("A.java", _JAVA_LOOP.format(before="")), ("a.py", _PYTHON_LOOP)],
    ids=["java", "python"],
)
def test_a_yes_for_a_program_names_the_facts_assumed_of_it(tmp_path, name, text) -> None:
    code, answer = _advise_on(tmp_path / name, text)
    assert code == 0
    assert answer.startswith(_CONDITIONAL_YES)
    assumed = answer.partition("Assumed of the program, and it decides: ")[2].partition(". ")[0]
    assert "application.processing.errors=retry" in assumed
    assert "disk.lost" not in assumed
    assert "Nothing found is no proof" in answer


def test_stated_facts_of_a_program_are_not_assumed(tmp_path: Path) -> None:
    code, answer = _advise_on(
        tmp_path / "A.java", _JAVA_LOOP.format(before=""), settings=_FACTS_OF_CODE
    )
    assert code == 0
    assert answer.startswith("YES: at-least-once")
    assert "Assumed of the program" not in answer


_TOPOLOGY = """
class A {
  void run() {
    Properties p = new Properties();
    p.put("application.id", "a");
    p.put("replication.factor", "3");
    StreamsBuilder b = new StreamsBuilder();
    b.stream("in").process(() -> new Other()).to("out");
    new KafkaStreams(b.build(), p).start();
  }
}
"""
_COPIES = (
    "streams.topic.min.insync.replicas=2", "application.offsets.topic.min.insync.replicas=2",
)  # fmt: skip
_QUERY = """
rows = (spark.readStream.format("kafka").option("kafka.bootstrap.servers", "a")
    .option("subscribe", "in").option("startingOffsets", "earliest").load())
rows.writeStream.foreachBatch(save).option("checkpointLocation", "s3a://b/c").start()
"""


@pytest.mark.parametrize(
    ("name", "text", "settings"),
    [
        ("A.java", _TOPOLOGY, (*_COPIES, "consumer.auto.offset.reset=earliest")),
        ("q.py", _QUERY, ()),
    ],
    ids=["streams", "spark"],
)
def test_a_yes_for_a_topology_or_a_query_is_conditional(tmp_path, name, text, settings) -> None:
    code, answer = _advise_on(tmp_path / name, text, settings=settings)
    assert code == 0
    assert answer.startswith(_CONDITIONAL_YES)
    assumed = answer.partition("Assumed of the program, and it decides: ")[2].partition(". ")[0]
    assert "application.processing.errors=retry" in assumed
    skips = (*settings, "application.processing.errors=skip")
    code, answer = _advise_on(tmp_path / name, text, settings=skips)
    assert code == 1
    assert "application.processing.errors: skip -> retry" in answer


def test_an_exactly_once_yes_names_the_assumed_sink_of_a_topology(tmp_path: Path) -> None:
    exactly_once = "streams.processing.guarantee=exactly_once_v2"
    settings = (*_COPIES, "consumer.auto.offset.reset=none", exactly_once)
    code, answer = _advise_on(
        tmp_path / "A.java", _TOPOLOGY, "--want=exactly-once", settings=settings
    )
    assert code == 0
    assert answer.startswith("YES, if the program does what is assumed: exactly-once")
    assumed = answer.partition("Assumed of the program, and it decides: ")[2].partition(". ")[0]
    assert "application.sink=topics" in assumed
    assert "application.state=logged" in assumed


def test_a_program_that_loses_messages_gets_no(tmp_path: Path) -> None:
    text = _JAVA_LOOP.format(before="consumer.commitSync();")
    code, answer = _advise_on(tmp_path / "A.java", text)
    assert code == 1
    assert answer.startswith("NO: at-least-once")


def test_settings_without_a_program_get_an_unconditional_yes(tmp_path: Path) -> None:
    text = "auto.offset.reset=earliest\nenable.auto.commit=false\n"
    code, answer = _advise_on(tmp_path / "consumer.properties", text)
    assert code == 0
    assert answer.startswith("YES: at-least-once")
    assert "program" not in answer
    configuration = 'Consumer({"auto.offset.reset": "earliest", "enable.auto.commit": False})\n'
    assert _advise_on(tmp_path / "dict.py", configuration)[1].startswith("YES: at-least-once")


def test_json_and_sarif_name_the_facts_assumed_of_a_program(tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text(_JAVA_LOOP.format(before=""))
    (tmp_path / "c.properties").write_text("auto.offset.reset=earliest\ngroup.id=g\n")
    program, settings = str(tmp_path / "A.java"), str(tmp_path / "c.properties")
    assert "application.commit" in json.loads(run(program, "--json")[1])["assumed_of_program"]
    assert "assumed_of_program" not in json.loads(run(settings, "--json")[1])
    sarif_run = json.loads(run(program, "--format", "sarif")[1])["runs"][0]
    assert "application.commit" in sarif_run["properties"]["assumed_of_program"]


def test_python_does_not_warn_of_the_syntax_of_a_program() -> None:
    code = "import ast, advisor.intake.programs.python; ast.parse('1if x else 0')"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert process.stderr == b""
