"""Programs that only send: whether they check the errors that their callbacks recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, TOPIC, assert_file

_SETTINGS = f"{TOPIC} {COPIES}"
_JAVA = """import org.apache.kafka.clients.producer.*;
class A {{
  private volatile Exception failure;
  public static void main(String[] given) throws Exception {{
    Properties p = new Properties();
    p.put("bootstrap.servers", "kafka:9092");
    p.put("acks", "all");
    List<String> failed = new CopyOnWriteArrayList<>();
    {body}
  }}
}}
"""
_OPEN = "KafkaProducer<String, String> producer = new KafkaProducer<>(p);"
_SENDS = (
    "for (String line : read(given[0])) {"
    ' producer.send(new ProducerRecord<>("t", line), '
    "(m, e) -> { if (e != null) failed.add(line); }); }"
)
_TRY_WITH = f"try (KafkaProducer<String, String> producer = new KafkaProducer<>(p)) {{ {_SENDS} }}"
_RESENDS = 'for (String line : failed) { producer.send(new ProducerRecord<>("t", line)).get(); }'
_THROWS = 'if (!failed.isEmpty()) throw new IllegalStateException("failed");'
_IN_LOOP = (
    "for line in open('more'):\n    producer.produce('t', line, on_delivery=done)\n"
    "    producer.poll(0)\n    if failed:\n        raise OSError\nproducer.flush()"
)
"""The last reports arrive at the flush, after the last check."""
_PYTHON = """import sys
from confluent_kafka import Producer

producer = Producer({{"bootstrap.servers": "kafka:9092", "acks": "all"}})
failed = []


def done(error, message):
    if error is not None:
        failed.append(error)


for line in open(sys.argv[1]):
    producer.produce("t", line, on_delivery=done)
{body}
"""


@pytest.mark.parametrize(
    "body",
    [
        f"{_TRY_WITH} {_THROWS}",
        f"{_OPEN} {_SENDS} producer.flush(); {_THROWS} producer.close();",
        f"{_OPEN} {_SENDS} producer.flush(); {_RESENDS} producer.close();",
        f"{_TRY_WITH} if (failed.size() > 0) {{ write(failed); }}",
        f"{_OPEN} int n = 0; while (n < 3) {{ {_SENDS} producer.flush(); n++; }} {_THROWS}",
    ],
)
def test_a_job_that_handles_failed_sends_loses_nothing(body: str, tmp_path: Path) -> None:
    assert_file(tmp_path / "A.java", _JAVA.format(body=body), "", _SETTINGS, 0, "^YES")


@pytest.mark.parametrize(
    "body",
    [
        _TRY_WITH,
        f'{_TRY_WITH} if (!failed.isEmpty()) log.error("{{}} failed", failed.size());',
        f"{_OPEN} {_SENDS} {_THROWS} producer.close();",
        f"{_OPEN} int n = 0; while (n < 3) {{ {_SENDS} producer.flush(); "
        "if (failed.isEmpty()) break; n++; } producer.close();",
        f"try {{ {_OPEN} {_SENDS} producer.flush(); {_THROWS} }} catch (Exception e) "
        "{ e.printStackTrace(); }",
    ],
)
def test_a_job_that_ignores_failed_sends_is_reported(body: str, tmp_path: Path) -> None:
    program = _JAVA.format(body=body)
    assert_file(
        tmp_path / "A.java", program, "", _SETTINGS, 1, "continues without a message whose send"
    )


@pytest.mark.parametrize(
    ("body", "exit_code"),
    [
        ("producer.flush()\nsys.exit(1 if failed else 0)", 0),
        ("producer.flush()\nif failed:\n    sys.exit('not all sent')", 0),
        ("producer.flush()\nif failed:\n    print(len(failed))", 1),
        ("if failed:\n    sys.exit('not all sent')\nproducer.flush()", 1),
        ("if failed:\n    sys.exit(f'{len(failed)} not sent')\nproducer.flush()", 1),
        ("producer.flush()\nassert not failed", 0),
        ("producer.flush(5)\nif failed:\n    sys.exit('not all sent')\nproducer.flush()", 1),
        (
            "producer.flush()\nproducer.produce('t', 'end', on_delivery=done)\nproducer.flush(5)\n"
            "if failed:\n    sys.exit('not all sent')",
            1,
        ),
        ("while producer.flush(1) > 0:\n    pass\nif failed:\n    sys.exit('not all sent')", 0),
        (_IN_LOOP, 1),
        (f"{_IN_LOOP}\nif failed:\n    sys.exit('not all sent')", 0),
        ("producer.flush(5)\nif failed:\n    sys.exit('not all sent')", 1),
        ("if producer.flush(5) > 0 or failed:\n    sys.exit('not all sent')", 0),
    ],
)
def test_a_python_job_that_exits_normally_after_a_failed_send_is_reported(
    body: str, exit_code: int, tmp_path: Path
) -> None:
    expected = "^YES" if exit_code == 0 else "NO: at-least-once"
    assert_file(tmp_path / "a.py", _PYTHON.format(body=body), "", _SETTINGS, exit_code, expected)


def test_a_python_job_may_store_errors_in_what_another_file_returns(tmp_path: Path) -> None:
    body = "producer.flush()\nprint(len(failed))"
    code = _PYTHON.format(body=body).replace("failed = []", "failed = shared()")
    assert_file(tmp_path / "a.py", code, "", _SETTINGS, 1, "NO: at-least-once")


_CALLABLE = """from confluent_kafka import Producer

class Done:
    def __call__(self, error, message):
        if error is not None:
            {does}

{made}
producer = Producer({{"bootstrap.servers": "kafka:9092", "acks": "all"}})
for line in lines():
    producer.produce("t", line, on_delivery={given})
producer.flush()
"""


@pytest.mark.parametrize(("definition", "callback"), [("done = Done()", "done"), ("", "Done()")])
@pytest.mark.parametrize(
    ("handling", "exit_code"),
    [("print(error)", 1), ("raise RuntimeError(error)", 0), ("again(message)", 0)],
)
def test_a_callable_object_is_read_like_a_callback_function(
    definition: str, callback: str, handling: str, exit_code: int, tmp_path: Path
) -> None:
    program = _CALLABLE.format(does=handling, made=definition, given=callback)
    expected = "^YES" if exit_code == 0 else "NO: at-least-once"
    assert_file(tmp_path / "a.py", program, "", _SETTINGS, exit_code, expected)
