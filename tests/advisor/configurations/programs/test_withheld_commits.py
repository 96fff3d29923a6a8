"""Programs that withhold a commit after an error and keep polling. The next commit covers the
failed message.
"""

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
_POLL = """m = c.poll(1.0)
if m is None:
    continue
if m.error():
    raise KafkaException(m.error())
"""
_SEEK = "c.seek(TopicPartition(m.topic(), m.partition(), m.offset()))"


def _batch(before: str, in_handler: str, after: str, in_try: str = "") -> str:
    return _BATCH.format(first=before, then=in_handler, last=after, done=in_try)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{_POLL}try:\n    save(m)\nexcept Exception:\n    d = min(d * 2, 60)\nc.commit()", SKIP),
        (f"{_POLL}try:\n    save(m)\nexcept Exception:\n    s = 'failed'\nc.commit()", SKIP),
        (_batch("failed = False", "failed = True", _COMMIT), SKIP),
        (_batch("failed = False", "failed = True\n        break", _COMMIT), SKIP),
        (_batch("failed = None", "failed = e\n        break", "if failed is None:\n    c.commit()"),
         SKIP),
        (_batch("failed = []", "failed.append(e)", _COMMIT), SKIP),
        (_batch("failed = []", "failed.append(e)", f"if failed:\n    raise failed[0]\n{_COMMIT}"),
         YES),
        (_batch("failed = False", "failed = True", f"{_COMMIT}\nelse:\n    {_SEEK}"), YES),
        (_batch("n = 0", "n += 1", "if n > 0:\n    raise Failed\nc.commit()"), YES),
        (_batch("n = 0", "n += 1", "if n > 5:\n    raise Failed\nc.commit()"), SKIP),
        (_batch("ok = False", "pass", "if not ok:\n    sys.exit(1)\nc.commit()",
                "\n        ok = True"), SKIP),  # one that succeeds is enough
        ("for m in c.consume(10):\n    if not save(m):\n        break\n    c.commit(m)", SKIP),
        (f"{_POLL}if save(m):\n    c.commit(m)", SKIP),
        (f"{_POLL}if save(m):\n    c.commit(m)\n    continue\nraise Failed", YES),
        (f"{_POLL}if save(m):\n    c.commit(m)\nelse:\n    {_SEEK}", YES),
        (f"{_POLL}ok = store(m)\nif ok:\n    c.commit(m)", SKIP),
        (f"{_POLL}if on_message(m):\n    c.commit(m)", SKIP),
        (f"{_POLL}if not on_message(m):\n    raise Failed\nc.commit(m)", YES),
        (f"{_POLL}r = requests.post(U, data=m.value())\nif r.status_code == 200:\n    c.commit(m)",
         SKIP),
        (f"{_POLL}if requests.post(U, data=m.value()).ok:\n    c.commit(m)", SKIP),
        (f"{_POLL}r = requests.post(U, data=m.value())\nif r.status_code >= 300:\n    "
         "raise Failed\nc.commit(m)", YES),
        (f"{_POLL}publisher.publish(topic_path, m.value())\nc.commit(m)", BEFORE),
        (f"{_POLL}publisher.publish(topic_path, m.value()).result()\nc.commit(m)", YES),
        (f"{_POLL}if is_mine(m):\n    save(m)\nc.commit(m)", YES),
    ],
)  # fmt: skip
def test_a_withheld_commit_does_not_rewind_the_consumer(
    body: str, expected: str, tmp_path: Path
) -> None:
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    assert_program(tmp_path / "app.py", _PYTHON.format(body=indented), expected)
