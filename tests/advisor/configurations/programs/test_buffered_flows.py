"""Flows of Kotlin that take the next record from a poll before the last one is processed.

Source: kotlinx.coroutines, Flow (`buffer`, `flowOn`, `collectLatest`).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import ASIDE, YES, assert_program

_KOTLIN = """import org.apache.kafka.clients.consumer.*
fun main() {{
  val p = Properties()
  p["group.id"] = "g"
  p["enable.auto.commit"] = "false"
  p["auto.offset.reset"] = "earliest"
  val c = KafkaConsumer<String, String>(p)
  {body}
}}
"""
_POLL = "val rs = c.poll(Duration.ofMillis(100))"
_FLOW = f"flow {{ while (true) {{ {_POLL}; for (r in rs) emit(r); c.commitSync() }} }}"
_SEQUENCE = "generateSequence { c.poll(Duration.ofMillis(100)) }.asFlow()"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{_FLOW}.collect {{ save(it) }}", YES),
        (f"{_FLOW}.buffer(9).collect {{ save(it) }}", ASIDE),
        (f"{_FLOW}.flowOn(IO).collect {{ save(it) }}", ASIDE),
        (f"{_FLOW}.collectLatest {{ save(it) }}", ASIDE),
        (f"channelF{_FLOW[1:].replace('emit', 'send')}.collect {{ save(it) }}", ASIDE),
        (f"{_SEQUENCE}.buffer().collect {{ rs -> save(rs); c.commitSync() }}", ASIDE),
        (f"val records = {_FLOW}\nrecords.buffer().collect {{ save(it) }}", ASIDE),
    ],
)  # fmt: skip
def test_a_flow_that_buffers_records_is_reported(body: str, expected: str, tmp_path: Path) -> None:
    assert_program(tmp_path / "App.kt", _KOTLIN.format(body=body), expected)
