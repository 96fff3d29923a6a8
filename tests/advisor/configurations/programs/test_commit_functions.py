"""JVM programs that commit through a function: a variable, a method, or an argument."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import ASIDE, BEFORE, YES, assert_program
from tests.advisor.programs.jvm import JAVA_APP

_EACH = "for (ConsumerRecord<String, String> r : rs) save(r);"
_HANDLE = "static void handle(ConsumerRecords<String, String> rs, Runnable ack) {{ {} }}"
_ACK_LAST = _HANDLE.format(f"{_EACH} ack.run();")
_ACK_FIRST = _HANDLE.format(f"ack.run(); {_EACH}")
_NEXT = "Map.of(tp(r), new OffsetAndMetadata(r.offset() + 1))"
_ACKS = "Consumer<ConsumerRecord<String, String>> ack ="
_METHOD = (
    f"static void ack(KafkaConsumer<?, ?> c, ConsumerRecord<?, ?> r) {{ c.commitSync({_NEXT}); }}"
)


@pytest.mark.parametrize(
    ("declarations", "before", "body", "expected"),
    [
        ("", "Runnable ack = () -> c.commitSync();", f"ack.run(); {_EACH}", BEFORE),
        ("", "Runnable ack = () -> c.commitSync();", f"{_EACH} ack.run();", YES),
        ("", "Runnable ack = c::commitSync;", f"ack.run(); {_EACH}", BEFORE),
        ("", "Runnable ack = c::commitSync;", f"{_EACH} ack.run();", YES),
        (_ACK_FIRST, "", "handle(rs, c::commitSync);", BEFORE),
        (_ACK_LAST, "", "handle(rs, c::commitSync);", YES),
        (_ACK_FIRST, "", "handle(rs, () -> c.commitSync());", BEFORE),
        (_ACK_FIRST, "", "handle(rs, () -> { c.commitSync(); });", BEFORE),
        ("", f"{_ACKS} r -> c.commitSync({_NEXT});", "for (var r : rs) { ack.accept(r); save(r); }",
         BEFORE),
        ("", f"{_ACKS} r -> c.commitSync({_NEXT});", "for (var r : rs) { save(r); ack.accept(r); }",
         YES),
        (_METHOD, "", "for (var r : rs) { ack(c, r); save(r); }", BEFORE),
        (_METHOD, "", "for (var r : rs) { save(r); ack(c, r); }", YES),
        ("@Async void work(ConsumerRecord<?, ?> r) { save(r); }", "",
         "for (var r : rs) work(r); c.commitSync();", ASIDE),
    ],
)  # fmt: skip
def test_a_function_that_commits_is_followed(
    declarations: str, before: str, body: str, expected: str, tmp_path: Path
) -> None:
    code = JAVA_APP.format(more=declarations, before=before, body=body)
    assert_program(tmp_path / "App.java", code, expected)


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
_ACK = "fun handle(rs: ConsumerRecords<String, String>, ack: () -> Unit) {{ {} }}"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"while (true) {{ {_POLL}\nhandle(rs) {{ c.commitSync() }} }} }}\n"
         + _ACK.format("ack()\nfor (r in rs) save(r)")[:-1], BEFORE),
        (f"while (true) {{ {_POLL}\nhandle(rs) {{ c.commitSync() }} }} }}\n"
         + _ACK.format("for (r in rs) save(r)\nack()")[:-1], YES),
    ],
)  # fmt: skip
def test_a_kotlin_function_that_receives_a_commit_is_followed(
    body: str, expected: str, tmp_path: Path
) -> None:
    assert_program(tmp_path / "App.kt", _KOTLIN.format(body=body), expected)
