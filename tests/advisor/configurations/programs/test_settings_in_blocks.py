"""Settings that code of Kafka's Java clients states in a block, in a literal, or in a copy of
another object.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file
from tests.advisor.programs import BEFORE, YES, assert_program

_PUTS = 'put("group.id", "g"); put("enable.auto.commit", "false")\n'
_PUTS += 'put("auto.offset.reset", "earliest")\n'
_INDEXES = '%s["group.id"] = "g"\n%s["enable.auto.commit"] = "false"\n'
_INDEXES += '%s["auto.offset.reset"] = "earliest"\n'
_PAIRS = '"group.id" to "g", "enable.auto.commit" to false, "auto.offset.reset" to "earliest"'
_KOTLIN = (
    "import org.apache.kafka.clients.consumer.*\nfun main() {\n%s\nc.subscribe(listOf(t))\n"
    "while (true) {\nval rs = c.poll(d)\n%s\n}\n}\n"
)
_EACH = "for (r in rs) save(r)\nc.commitSync()"
_TO_THIS, _TO_IT = _INDEXES % (("this",) * 3), _INDEXES % (("it",) * 3)


@pytest.mark.parametrize(
    "consumer",
    [
        f"val c = KafkaConsumer<String, String>(Properties().apply {{\n{_PUTS}}})",
        f"val c = KafkaConsumer<String, String>(Properties().apply {{\n{_TO_THIS}}})",
        f"val c = KafkaConsumer<String, String>(\nProperties().also {{\n{_TO_IT}}}\n)",
        f"val c = KafkaConsumer(Properties().apply {{\n{_PUTS}}}, a(), b())",
        f"val p = Properties().apply {{\n{_TO_THIS}}}\nval c = KafkaConsumer<String, String>(p)",
        f"val p = buildMap<String, Any> {{\n{_PUTS}}}\nval c = KafkaConsumer<String, String>(p)",
        f"val c = KafkaConsumer<String, String>(mapOf({_PAIRS}).toProperties())",
        "val c = KafkaConsumer<String, String>(Properties().apply {\n"
        f'{_PUTS}if (tls) {{\nput("security.protocol", "SSL")\n}}\n}})',
    ],
)
def test_a_consumer_in_kotlin_is_created_from_a_block(consumer: str, tmp_path: Path) -> None:
    assert_program(tmp_path / "A.kt", _KOTLIN % (consumer, _EACH), YES)
    early = "c.commitSync()\nfor (r in rs) save(r)"
    assert_program(tmp_path / "A.kt", _KOTLIN % (consumer, early), BEFORE)


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        # line 4 loads other settings, and line 6 states one of them under a condition
        ('load(FileInputStream("x"))\n' + _PUTS, "A.kt:3: the settings of this client"),
        ('put("group.id", "g")\nput("enable.auto.commit", "false")\n'
         'if (x) {\nput("auto.offset.reset", "earliest")\n}', "A.kt:7: auto.offset.reset depends"),
    ],
)  # fmt: skip
def test_a_block_that_is_not_certain_is_refused(block: str, expected: str, tmp_path: Path) -> None:
    consumer = f"val c = KafkaConsumer<String, String>(Properties().apply {{\n{block}}})"
    settings = f"{TOPIC} application.restart=resumes"
    code = _KOTLIN % (consumer, _EACH)
    assert_file(tmp_path / "A.kt", code, "", settings, 2, expected)


_JAVA = (
    "import org.apache.kafka.clients.consumer.*;\nclass A {\n%s\nvoid run() {\n%s\n"
    "c.subscribe(t);\nwhile (true) { var rs = c.poll(d); for (var r : rs) save(r); c.commitSync();"
    " }\n} }\n"
)
_MAP = '"group.id", "g", "enable.auto.commit", false, "auto.offset.reset", "earliest"'
_ENTRIES = 'Map.entry("group.id", "g"), Map.entry("enable.auto.commit", false), '
_ENTRIES += 'Map.entry("auto.offset.reset", "earliest")'
_OF = "KafkaConsumer<String, String> c = new KafkaConsumer<>(%s);"


@pytest.mark.parametrize(
    ("member", "start"),
    [
        ("", _OF % f"new Properties() {{{{\n{_PUTS.replace(chr(10), ';')}}}}}"),
        ("", _OF % f"Map.of({_MAP})"),
        ("", f"var m = Map.ofEntries({_ENTRIES});\n{_OF % 'm'}"),
        (f"Map<String, Object> m() {{ return Map.of({_MAP}); }}", _OF % "m()"),
        ("", f"Map<String, Object> m = new HashMap<>(Map.of({_MAP}));\n{_OF % 'm'}"),
        ("", 'Map<String, Object> b = new HashMap<>(); b.put("enable.auto.commit", false);\n'
         "Map<String, Object> m = new HashMap<>(b);\n"
         f'm.put("group.id", "g"); m.put("auto.offset.reset", "earliest");\n{_OF % "m"}'),
    ],
)  # fmt: skip
def test_a_consumer_in_java_is_created_from_a_map(member: str, start: str, tmp_path: Path) -> None:
    assert_program(tmp_path / "A.java", _JAVA % (member, start), YES)


def test_a_setting_that_follows_a_copy_is_not_in_it(tmp_path: Path) -> None:
    start = (
        "Map<String, Object> b = new HashMap<>();\nMap<String, Object> m = new HashMap<>(b);\n"
        'b.put("enable.auto.commit", false); m.put("group.id", "g");\n'
        f'm.put("auto.offset.reset", "earliest");\n{_OF % "m"}\n'
    )
    code = (_JAVA % ("", start)).replace("save(r); c.commitSync();", "pool.submit(() -> save(r));")
    assert_program(tmp_path / "A.java", code, "application.processing=asynchronous")


@pytest.mark.parametrize(
    "settings",
    [
        f"Map({_PAIRS.replace(' to ', ' -> ')})",
        f"new Properties() {{\n{_PUTS}}}",
    ],
)
def test_a_consumer_in_scala_is_created_from_a_map(settings: str, tmp_path: Path) -> None:
    code = (
        f"import org.apache.kafka.clients.consumer._\nobject A extends App {{\nval p = {settings}\n"
        "val c = new KafkaConsumer[String, String](p.asJava)\nc.subscribe(t)\n"
        "while (true) { val rs = c.poll(d); rs.asScala.foreach(r => save(r)); c.commitSync() }\n}"
    )
    assert_program(tmp_path / "A.scala", code, YES)


def test_a_parameter_of_the_same_name_holds_no_settings(tmp_path: Path) -> None:
    each = "rs.groupBy { it.partition() }.forEach { (p, list) -> save(p, list) }\nc.commitSync()"
    consumer = f"val p = Properties()\n{_INDEXES % (('p',) * 3)}"
    consumer += "val c = KafkaConsumer<String, String>(p)"
    assert_program(tmp_path / "A.kt", _KOTLIN % (consumer, each), YES)
