"""Settings of a Java program that a method returns."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file
from tests.advisor.programs import YES
from tests.advisor.programs.jvm import JAVA_APP

_PROPERTIES = """static Properties {name}({given}) {{
    Properties props = new Properties();
    props.put("group.id", "g"); props.put("enable.auto.commit", "false");
    props.put("auto.offset.reset", "{reset}");
    return props;
  }}"""
_PROGRAM = JAVA_APP.replace(
    JAVA_APP[JAVA_APP.index("    Properties p =") : JAVA_APP.index("    Kafka")], ""
)
_EARLIEST = _PROPERTIES.format(name="made", given="", reset="earliest")
_LATEST = _PROPERTIES.format(name="made", given="", reset="latest")
_SAME_NAME = _PROPERTIES.format(name="props", given="String id", reset="earliest")
_WRAPPER = "static Properties more() { Properties q = made(); q.put(A, B); return q; }"
_OVERRIDE = _WRAPPER.replace("A, B", '"auto.offset.reset", "latest"')


@pytest.mark.parametrize(
    ("declarations", "start", "exit_code", "expected"),
    [
        (_EARLIEST, "Properties p = made();", 0, YES),
        (_LATEST, "Properties p = made();", 1, "latest -> earliest"),
        (_SAME_NAME, 'Properties p = props("g");', 0, YES),
        (_EARLIEST, 'Properties p = made(); p.put("max.poll.records", "9");', 0, YES),
        (_EARLIEST, 'Properties p = made(); p.put("auto.offset.reset", "latest");', 1,
         "latest -> earliest"),
        (_EARLIEST, "Properties p = made(); p.putAll(others);", 2, "this use of p is"),
        (f"{_EARLIEST}\n{_OVERRIDE}", "Properties p = more();", 1, "latest -> earliest"),
        ("", "Properties p = made();", 2, "not in the file as plain values"),
    ],
)  # fmt: skip
def test_settings_that_a_method_returns_are_read(
    declarations: str, start: str, exit_code: int, expected: str, tmp_path: Path
) -> None:
    body = "for (var r : rs) save(r); c.commitSync();"
    program = _PROGRAM.format(more=declarations, before="", body=body)
    program = program.replace("    KafkaConsumer<", f"    {start}\n    KafkaConsumer<")
    settings = f"{TOPIC} application.restart=resumes"
    assert_file(tmp_path / "App.java", program, "", settings, exit_code, expected)
