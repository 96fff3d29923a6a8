"""Failure messages for people: one sentence, without stack traces, local paths and ports."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.catalog import Component, Family, settings_of, versions
from labs.engine.base.failure_text import MOST, report, sentence
from labs.engine.faults.record import FaultLog
from labs.engine.workloads.streams import CLASSES

pytestmark = pytest.mark.wide

STREAMS_OUTPUT = """the consumer-1 ended with code 1: Exception in thread "main" x
org.apache.kafka.common.config.ConfigException: Invalid value Jndi for handler: not found
\tat org.apache.kafka.common.config.ConfigDef.parseType(ConfigDef.java:778)
\tat StreamsApplication.main(StreamsApplication.java:50)
Caused by: java.lang.ClassNotFoundException: com.example.Jndi at /srv/lab/x.jar
\t... 5 more"""
PYTHON_OUTPUT = """The judge failed: the job ended with code 1: Traceback (most recent call last):
  File "/srv/lab/spark_jobs/verify.py", line 10, in <module>
    main()
FileNotFoundError: [Errno 2] No such file or directory: '/srv/lab/var/runs/x/1/ledger'"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (STREAMS_OUTPUT, 'the consumer-1 ended with code 1: Exception in thread "main" x: '
         "java.lang.ClassNotFoundException: com.example.Jndi at x.jar"),
        (PYTHON_OUTPUT, "The judge failed: the job ended with code 1: "
         "FileNotFoundError: [Errno 2] No such file or directory: 'ledger'"),
        (PYTHON_OUTPUT[PYTHON_OUTPUT.index("Traceback") :],
         "FileNotFoundError: [Errno 2] No such file or directory: 'ledger'"),
        ("no answer from 127.0.0.1:39111/2 or [::1]:9092", "no answer from 127.0.0.1/2 or [::1]"),
        ("Connection to localhost/127.0.0.1:45123 refused",
         "Connection to localhost/127.0.0.1 refused"),
        ("pid 19459 accepts connections at port 42011", "pid 19459 accepts connections"),
        ("the job ended with code 3:\nlect.Constructor(Constructor.java)\n\tat x.Y(Y.java:3)",
         "the job ended with code 3"),
        ("the consumer-1 ended with code 1:\nit said nothing",
         "the consumer-1 ended with code 1: it said nothing"),
        ("broker 3 was killed, and not by this run", "broker 3 was killed, and not by this run"),
        ("partition 0: 4,512 of 5,000, at 12:30:45", "partition 0: 4,512 of 5,000, at 12:30:45"),
        ("no answer\xa0\rfrom broker 2", "no answer: from broker 2"),
        ("0\xa0\r0", "0"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_failure_is_one_sentence(text: str, message: str) -> None:
    assert sentence(text) == message


@given(st.text(max_size=500))
def test_any_text_becomes_one_short_line(text: str) -> None:
    shortened = sentence(text)
    assert len(shortened) <= MOST
    assert len(shortened.splitlines()) <= 1
    assert sentence(shortened) == shortened


def test_a_shortened_message_is_logged_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    assert "verify.py" not in report(PYTHON_OUTPUT)
    assert PYTHON_OUTPUT in capsys.readouterr().err
    report("nothing is left out")
    assert capsys.readouterr().err == ""


def test_the_evidence_of_a_failed_fault_is_one_sentence() -> None:
    def fail() -> str:
        raise OSError(PYTHON_OUTPUT)

    row = FaultLog().attempt("kill", "leader: broker 1", fail, (OSError,))
    assert row.phase == "failed"
    assert "Traceback" not in row.evidence
    assert "/srv" not in row.evidence


def test_runs_know_the_streams_classes_that_the_catalog_lists() -> None:
    classes_by_setting: dict[str, set[str]] = {}
    for version in versions(Family.STREAMS):
        for setting in settings_of(Family.STREAMS, version, version, Component.STREAMS):
            if setting.name.endswith((".exception.handler", ".extractor")):
                name = setting.name.removeprefix("default.")
                classes_by_setting.setdefault(name, set()).update(
                    choice for choice, _ in setting.choices
                )
    assert classes_by_setting == CLASSES


@pytest.mark.parametrize("piece", ["a.", "1.", ": ", "/a", "a-", " at"])
def test_a_very_long_text_is_shortened_quickly(piece: str) -> None:
    began = time.process_time()
    assert len(sentence(f"x {piece * 50_000}x\n{piece * 50_000}")) <= MOST
    assert time.process_time() - began < 2, "it is some 0.1 s, and was over a minute"
