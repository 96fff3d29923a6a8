"""Programs that keep back a commit after an error, and poll on: the next commit is behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import BEFORE, SKIP, YES, assert_program

_PYTHON = """from confluent_kafka import Consumer
import requests
def on_message(m):
    try:
        db.execute("insert", m.value())
        return True
    except Exception:
        log.exception("x")
        return False
c = Consumer({{"group.id": "g", "enable.auto.commit": False, "auto.offset.reset": "earliest"}})
c.subscribe(["t"])
while True:
{body}
"""
_BATCH = """{first}
for m in c.consume(10):
    try:
        save(m){done}
    except Exception as e:
        log.error(e)
        {then}
{last}"""
_COMMIT = "if not failed:\n    c.commit()"
_ONE = """m = c.poll(1.0)
if m is None:
    continue
if m.error():
    raise KafkaException(m.error())
"""
_AGAIN = "c.seek(TopicPartition(m.topic(), m.partition(), m.offset()))"


def _batch(first: str, then: str, last: str, done: str = "") -> str:
    return _BATCH.format(first=first, then=then, last=last, done=done)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{_ONE}try:\n    save(m)\nexcept Exception:\n    d = min(d * 2, 60)\nc.commit()", SKIP),
        (f"{_ONE}try:\n    save(m)\nexcept Exception:\n    s = 'failed'\nc.commit()", SKIP),
        (_batch("failed = False", "failed = True", _COMMIT), SKIP),
        (_batch("failed = False", "failed = True\n        break", _COMMIT), SKIP),
        (_batch("failed = None", "failed = e\n        break", "if failed is None:\n    c.commit()"),
         SKIP),
        (_batch("failed = []", "failed.append(e)", _COMMIT), SKIP),
        (_batch("failed = []", "failed.append(e)", f"if failed:\n    raise failed[0]\n{_COMMIT}"),
         YES),
        (_batch("failed = False", "failed = True", f"{_COMMIT}\nelse:\n    {_AGAIN}"), YES),
        (_batch("n = 0", "n += 1", "if n > 0:\n    raise Failed\nc.commit()"), YES),
        (_batch("n = 0", "n += 1", "if n > 5:\n    raise Failed\nc.commit()"), SKIP),
        (_batch("ok = False", "pass", "if not ok:\n    sys.exit(1)\nc.commit()",
                "\n        ok = True"), YES),
        ("for m in c.consume(10):\n    if not save(m):\n        break\n    c.commit(m)", SKIP),
        (f"{_ONE}if save(m):\n    c.commit(m)", SKIP),
        (f"{_ONE}if save(m):\n    c.commit(m)\n    continue\nraise Failed", YES),
        (f"{_ONE}if save(m):\n    c.commit(m)\nelse:\n    {_AGAIN}", YES),
        (f"{_ONE}ok = store(m)\nif ok:\n    c.commit(m)", SKIP),
        (f"{_ONE}if on_message(m):\n    c.commit(m)", SKIP),
        (f"{_ONE}if not on_message(m):\n    raise Failed\nc.commit(m)", YES),
        (f"{_ONE}r = requests.post(U, data=m.value())\nif r.status_code == 200:\n    c.commit(m)",
         SKIP),
        (f"{_ONE}if requests.post(U, data=m.value()).ok:\n    c.commit(m)", SKIP),
        (f"{_ONE}r = requests.post(U, data=m.value())\nif r.status_code >= 300:\n    raise Failed\n"
         "c.commit(m)", YES),
        (f"{_ONE}publisher.publish(topic_path, m.value())\nc.commit(m)", BEFORE),
        (f"{_ONE}publisher.publish(topic_path, m.value()).result()\nc.commit(m)", YES),
        (f"{_ONE}if is_mine(m):\n    save(m)\nc.commit(m)", YES),
    ],
)  # fmt: skip
def test_a_commit_that_is_kept_back_sends_nobody_back(
    body: str, expected: str, tmp_path: Path
) -> None:
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    assert_program(tmp_path / "app.py", _PYTHON.format(body=indented), expected)
