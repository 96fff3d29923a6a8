"""Programs in which work on a message succeeds before later work on it fails.

Source: confluent-kafka (Consumer.commit without arguments commits the position of the consumer).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program

_CODE = """
from confluent_kafka import Consumer
CONF = {{"bootstrap.servers": "k", "group.id": "g", "auto.offset.reset": "earliest",
        "enable.auto.commit": False}}
c = Consumer(CONF)
c.subscribe(["t"])


def tried(m):
    try:
        save(m.value())
    except Exception:
        return False
    return True


while True:
    m = c.poll(1.0)
    if m is None:
        continue
    ok = True
    {before}
    if not tried(m):
        log.error("failed")
        {failed}
    if ok:
        c.commit(asynchronous=False)
"""


@pytest.mark.parametrize("before", [
    "log.info('got %s', m.offset())", "notify(m.key())", "o = parse(m)", "pass",
])  # fmt: skip
@pytest.mark.parametrize(("failed", "expected"), [("ok = False", SKIP), ("raise SystemExit", YES)])
def test_the_commit_of_the_next_message_skips_a_message_that_failed(
    tmp_path: Path, before: str, failed: str, expected: str
) -> None:
    code = _CODE.format(before=before, failed=failed)
    assert_program(tmp_path / "a.py", code, expected)
