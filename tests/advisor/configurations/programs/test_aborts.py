"""Producers that abort a transaction: whether its records are sent again.

Source: KafkaProducer javadoc, `abortTransaction` ("abort the transaction and try again").
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import YES, assert_program

_IGNORED = "application.delivery.errors: ignored -> handled"
_READS = (
    "consumer.isolation.level=read_committed consumer.enable.auto.commit=false "
    "application.commit=after-processing consumer.auto.offset.reset=earliest"
)
_JAVA = (
    "import org.apache.kafka.clients.producer.*;\nclass A { void run() {\n"
    'Properties p = new Properties();\np.put("transactional.id", "a");\n'
    "KafkaProducer<String, String> k = new KafkaProducer<>(p);\nk.initTransactions();\n%s\n}}\n"
)
_SCALA = (
    "import org.apache.kafka.clients.producer._\nobject A { def run(): Unit = {\n"
    'val p = new Properties()\np.put("transactional.id", "a")\n'
    "val k = new KafkaProducer[String, String](p)\nk.initTransactions()\n%s\n}}\n"
)
_PYTHON = (
    'from confluent_kafka import Producer\np = Producer({"transactional.id": "a"})\n'
    "p.init_transactions()\n%s:\n    try:\n        p.begin_transaction()\n"
    '        p.produce("t", b"1")\n        p.commit_transaction()\n        done = True\n'
    "    except KafkaException as e:\n        p.abort_transaction()\n        %s\n"
)
_SENDS = "k.beginTransaction(); k.send(r); k.commitTransaction();"


def _java(handler: str, around: str = "%s") -> str:
    return _JAVA % (around % f"try {{ {_SENDS} }} catch (KafkaException e) {{ {handler} }}")


def _scala(handler: str) -> str:
    return _SCALA % f"try {{ {_SENDS} }} catch {{ case e: KafkaException => {handler} }}"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (_java("k.abortTransaction();"), _IGNORED),
        (_java("log.error(e); k.abortTransaction(); k.close();"), _IGNORED),
        (_java("k.abortTransaction();", "for (var r : rows) { %s }"), _IGNORED),
        (_java("k.abortTransaction(); throw e;"), YES),
        (
            _JAVA % "k.beginTransaction(); k.send(r); if (bad) k.abortTransaction(); else "
            "k.commitTransaction();",
            YES,
        ),
        (
            _SCALA % f"try {{ {_SENDS} }} catch {{\ncase e: ProducerFencedException => throw e\n"
            "case e: KafkaException => k.abortTransaction()\n}",
            _IGNORED,
        ),
        (
            _SCALA % f"try {{ {_SENDS} }} catch {{\ncase e: KafkaException if soon(e) => "
            "k.abortTransaction()\ncase e: Exception => throw e\n}",
            _IGNORED,
        ),
        (_java("k.abortTransaction(); again.add(r);"), YES),
        (_java("k.abortTransaction();", "while (true) { %s }"), YES),
        (_java("k.abortTransaction();", "do { %s } while (!done);"), YES),
        (_scala("k.abortTransaction()"), _IGNORED),
        (_scala("k.abortTransaction(); throw e"), YES),
        (_PYTHON % ("for r in rows", "log.error(e)"), _IGNORED),
        (_PYTHON % ("for r in rows", "raise"), YES),
        (_PYTHON % ("while not done", "log.error(e)"), YES),
    ],
)
def test_records_of_an_aborted_transaction_must_be_sent_again(
    tmp_path: Path, code: str, expected: str
) -> None:
    assert_program(tmp_path / "a.txt", code, expected, _READS)
