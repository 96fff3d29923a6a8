"""The command: files in, advice out, honest exit codes."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command


def advise(*arguments: str, code: int = 0) -> str:
    out = StringIO()
    told = {"stdout": out, "stderr": StringIO()}
    if code == 0:
        call_command("advise", *arguments, **told)
    else:
        with pytest.raises(SystemExit) as end:
            call_command("advise", *arguments, **told)
        assert end.value.code == code
    return out.getvalue()


def refused(*arguments: str) -> str:
    with pytest.raises(CommandError) as error:
        advise(*arguments)
    assert error.value.returncode == 2
    return str(error.value)


@pytest.fixture
def write(tmp_path: Path):
    def to(name: str, text: str) -> str:
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return to


def test_files_of_one_component_each_make_a_pipeline(write):
    producer = write("producer.properties", "bootstrap.servers=a:9092\nacks=1\n")
    topic = write("topic.properties", "replication.factor=3\nmin.insync.replicas=2\n")

    advice = json.loads(advise("--producer", producer, "--topic", topic, "--json"))

    assert advice["guarantee"]["producer_to_log"] == "none"
    assert {change["setting"]: change["to"] for change in advice["changes"]} == {
        "acks": "all",
        "auto.offset.reset": "earliest",
    }


def test_a_whole_pipeline_in_toml_with_options_that_go_before_it(write):
    path = write("pipeline.toml", """
        family = "librdkafka"
        brokers = 3
        [need]
        guarantee = "at-most-once"
        [producer]
        enable.idempotence = true
        "message.timeout.ms" = 120000
        [application]
        commit = "after-processing"
        [consumer]
        enable.auto.commit = false
    """)  # fmt: skip
    text = advise("--pipeline", path, "--want", "exactly-once", "--survive", "0", code=1)

    assert "changes for exactly-once:" in text
    assert "application.sink: plain -> idempotent" in text


def test_sparks_options_go_to_its_source_or_its_sink(write):
    path = write("spark.properties", "kafka.acks=1\nstartingOffsets=earliest\nsubscribe=orders\n")
    advice = json.loads(advise("--spark", path, "--json"))

    assert "P003" in {finding["code"] for finding in advice["findings"]}
    assert "C001" not in {finding["code"] for finding in advice["findings"]}


@pytest.mark.parametrize(("text", "line", "said"), [
    ("# comment\nacks=2\n", 2, "acks must be one of"),
    ("linger.ms=1\n\nenable.idempotance=true\n", 3, "Did you mean enable.idempotence?"),
    ("acks=\\\n   1\nenable.idempotence=true\n", 1, "acks"),
    ("retries=1\\n2\n", 1, "newline"),
])  # fmt: skip
def test_a_wrong_setting_is_named_with_file_and_line(write, text: str, line: int, said: str):
    path = write("producer.properties", text)
    message = refused("--producer", path)
    assert f"{path}:{line}: " in message
    assert said in message


def test_a_setting_is_found_by_the_name_it_was_written_under(write):
    path = write(
        "producer.properties", "acks=all\nmessage.timeout.ms=3\nqueue.buffering.max.ms=5\n"
    )
    message = refused("--client", "librdkafka", "--producer", path)
    assert message.startswith(f"{path}:3: ")


@pytest.mark.parametrize("arguments", [
    ("--client", "sarama"), ("--kafka", "1.0"), ("--brokers", "0"), ("--want", "twice"),
    ("--survive", "some"), ("--streams", "s.properties"), ("--producer", "missing.properties"),
    ("--pipeline", "missing.toml"), ("--client-version", "0.9"),
])  # fmt: skip
def test_bad_options_exit_with_2_and_name_the_option_or_the_file(arguments: tuple[str, str]):
    assert refused(*arguments).startswith((arguments[0], arguments[1]))


@pytest.mark.parametrize("text", ["acks = ", "[producer]\nacks = [1]\n", "x = 2020-01-01\n"])
def test_toml_that_is_no_pipeline_is_refused_with_its_file(write, text: str):
    path = write("pipeline.toml", text)
    assert refused("--pipeline", path).startswith(path)


def test_a_file_that_is_no_text_or_too_large_is_refused(tmp_path: Path):
    binary = tmp_path / "binary.properties"
    binary.write_bytes(b"\xff\xfe\x00")
    assert "not UTF-8" in refused("--producer", str(binary))
    large = tmp_path / "large.properties"
    large.write_text("#" * 1_100_000)
    assert "longer than" in refused("--producer", str(large))


def test_what_was_assumed_is_said_in_words_for_a_person(write):
    producer = write("producer.properties", "acks=1\n")
    assert "\n  topic.replication.factor=1\n" in advise("--producer", producer)
    topic = write("topic.properties", "replication.factor=3\n")
    assert "replication.factor=1" not in advise("--producer", producer, "--topic", topic)


def test_files_of_any_kind_are_recognised_and_make_one_pipeline(write):
    spring = write("application.yml", "spring:\n  kafka:\n    producer:\n      acks: 1\n")
    topic = write("topic.txt", "Topic: a\tPartitionCount: 1\tReplicationFactor: 1\tConfigs:\n")
    advice = json.loads(advise(spring, topic, "--format", "json"))
    changes = {change["setting"]: change["from"] for change in advice["changes"]}
    assert changes["acks"] == "1"
    assert changes["replication.factor"] == 1


def test_the_kind_may_be_said(write):
    path = write("settings", "min.insync.replicas=2\n")
    advise(path, "--kind", "topic-properties", "--json")
    assert refused(path, "--kind", "carrier-pigeon").startswith("--kind:")


def test_two_files_for_two_clients_are_no_pipeline(write):
    spring = write("application.yml", "spring.kafka.producer.acks=1\n")
    python = write("client.py", "conf = {'acks': 1}\n")
    assert "is for librdkafka, and" in refused(spring, python)
    advise("--client", "librdkafka", spring, python)


@pytest.mark.parametrize("form", ["text", "json", "sarif"])
def test_the_exit_code_says_whether_the_wish_holds(write, form: str):
    path = write("producer.properties", "acks=1\n")
    advise(path, "--format", form)
    advise(path, "--want", "at-least-once", "--format", form, code=1)
    advise(path, "--want", "none", "--survive", "0", "--format", form)


def test_notes_never_repeat_a_secret(write, capsys):
    path = write("producer.properties", "acks=1\nsasl.password=hunter2\n")
    err = StringIO()
    call_command("advise", path, stdout=StringIO(), stderr=err)
    assert f"{path}:2: sasl.password is a credential: dropped, not read." in err.getvalue()
    assert "hunter2" not in err.getvalue()
