"""Consumers in programs: the names that they have, their groups, and `poll()` calls that cannot be
followed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file
from tests.advisor.programs import BEFORE, SKIP, assert_program

JAVA = (
    "import org.apache.kafka.clients.consumer.*;\nclass A {\nvoid run() {\n"
    'Properties p = new Properties();\np.put("group.id", "g");\n'
    'p.put("auto.offset.reset", "earliest");\np.put("enable.auto.commit", "false");\n'
    "KafkaConsumer<String, String> consumer = new KafkaConsumer<>(p);\n%s\n}\n}\n"
)
EARLY = "while (true) { var rs = %s.poll(d); consumer.commitSync(); for (var r : rs) save(r); }"
LATE = (
    "while (true) { var rs = consumer.poll(d); for (var r : rs) save(r); consumer.commitSync(); }"
)
KOTLIN = (
    "import org.apache.kafka.clients.consumer.*\nfun main() {\nval p = Properties()\n"
    'p["group.id"] = "g"\np["auto.offset.reset"] = "earliest"\n'
    'p["enable.auto.commit"] = "false"\nval consumer = KafkaConsumer<String, String>(p)\n'
    "%s {\nwhile (true) {\nval rs = %s(Duration.ofMillis(100))\n%s()\n"
    "rs.forEach { r -> save(r.value()) }\n}\n}\n}\n"
)
SCALA = (
    "import org.apache.kafka.clients.consumer._\nobject A {\ndef run(): Unit = {\n"
    'val p = new Properties()\np.put("group.id", "g")\np.put("auto.offset.reset", "earliest")\n'
    'p.put("enable.auto.commit", "false")\nval consumer = new KafkaConsumer[String, String](p)\n'
    "while (true) {\nval rs: ConsumerRecords[String, String] = consumer.poll(d)\n"
    "consumer.commitSync()\nrs.asScala.foreach { r => save(r.value()) }\n}\n}\n}\n"
)
FETCH = "ConsumerRecords<String, String> fetch() { return consumer.poll(d);"
LOGS = "{ try { save(r); } catch (Exception e) { log.error(e); } }"


@pytest.mark.parametrize("receiver", [
    "consumer", "this.consumer", "app.consumer", "this.app.consumer", "consumer\n  ",
])  # fmt: skip
def test_a_consumer_is_followed_through_the_object_that_holds_it(
    tmp_path: Path, receiver: str
) -> None:
    assert_program(tmp_path / "A.java", JAVA % (EARLY % receiver), BEFORE)


@pytest.mark.parametrize(("scope", "poll", "commit"), [
    ("consumer.use", "it.poll", "it.commitSync"),
    ("consumer.use { c -> run", "c.poll", "c.commitSync"),
    ("consumer.also", "consumer!!.poll", "consumer!!.commitSync"),
    ("run", "consumer?.poll", "consumer.commitSync"),
])  # fmt: skip
def test_a_consumer_is_followed_under_its_name_in_a_kotlin_block(
    tmp_path: Path, scope: str, poll: str, commit: str
) -> None:
    closing_brace = "}" if "{" in scope else ""
    assert_program(tmp_path / "a.kt", KOTLIN % (scope, poll, commit) + closing_brace, BEFORE)


def test_scala_records_with_a_declared_type_are_followed(tmp_path: Path) -> None:
    assert_program(tmp_path / "a.scala", SCALA, BEFORE)


def test_records_that_a_method_returns_are_followed_into_a_loop(tmp_path: Path) -> None:
    loop = f"while (true) {{ for (var r : fetch()) {LOGS} consumer.commitSync(); }} }}"
    assert_program(tmp_path / "A.java", JAVA % f"{loop} {FETCH}", SKIP)


@pytest.mark.parametrize("body", [
    "while (true) { handle(consumer.poll(d)); consumer.commitSync(); }",
    "while (true) { var rs = app.getConsumer().poll(Duration.ofMillis(5)); save(rs); }",
    "while (true) { var rs = source().poll(100); for (var r : rs) " + LOGS + " }",
    "while (true) { int n = consumer.poll(d).count(); consumer.commitSync(); }",
    f"}} {FETCH}",
])  # fmt: skip
def test_a_poll_whose_records_cannot_be_followed_is_refused(tmp_path: Path, body: str) -> None:
    expected = "the records that this poll\\(\\) returns cannot be followed"
    assert_file(tmp_path / "A.java", JAVA % body, "", TOPIC, 2, expected)


@pytest.mark.parametrize("unrelated", [
    "var job = queue.poll(100, TimeUnit.MILLISECONDS);", "var job = queue.poll();",
    "consumer.poll(Duration.ZERO);\nconsumer.seekToBeginning(consumer.assignment());",
])  # fmt: skip
def test_the_result_of_an_unrelated_poll_need_not_be_followed(
    tmp_path: Path, unrelated: str
) -> None:
    loop = "while (true) { var rs = consumer.poll(d); for (var r : rs) save(r); "
    code = JAVA % f"{unrelated} {loop} consumer.commitSync(); }}"
    assert_file(tmp_path / "A.java", code, "", f"{TOPIC} application.restart=resumes", 0, "^YES")


@pytest.mark.parametrize("declarations", [
    "package com.shop.subscribe;\n", "import com.shop.subscribe.Listener;\n",
    "class Subscribed { boolean subscribed; }\n",
])  # fmt: skip
def test_only_a_call_of_subscribe_makes_a_consumer_subscribe(
    tmp_path: Path, declarations: str
) -> None:
    code = JAVA % "consumer.assign(List.of(new TopicPartition(t, 0))); var rs = consumer.poll(d);"
    assert_file(tmp_path / "A.java", declarations + code, "", TOPIC, 2, "assign\\(\\) reads only")


NEW_EACH_START = "is a new one at each start"
PYTHON = (
    "import uuid\nfrom confluent_kafka import Consumer\n%s\n"
    'c = Consumer({"bootstrap.servers": "b", "group.id": %s, "auto.offset.reset": "earliest", '
    '"enable.auto.commit": False})\nc.subscribe(["t"])\nwhile True:\n    m = c.poll(1)\n'
    "    save(m)\n    c.commit(m)\n"
)


@pytest.mark.parametrize(("name", "code"), [
    ("a.py", PYTHON % ("", 'f"a-{uuid.uuid4()}"')),
    ("a.py", PYTHON % ('GROUP = "a" + str(uuid.uuid4())', "GROUP")),
    ("A.java", (JAVA % (EARLY % "consumer")).replace('"g"', "UUID.randomUUID().toString()")),
    ("A.java", (JAVA % (EARLY % "consumer")).replace('"g"', "id")
     + 'static final String id = "a-" + System.currentTimeMillis();\n'),
    ("A.java", "class A { void f() { Properties p = new Properties();\n"
     'p.put("application.id", "copy-" + UUID.randomUUID());\n'
     'p.put("processing.guarantee", "exactly_once_v2");\n'
     "new KafkaStreams(b.build(), p).start(); } }\n"),
    ("application.yml", "spring:\n  kafka:\n    consumer:\n      group-id: ${random.uuid}\n"),
    ("application.properties", "mp.messaging.incoming.p.connector=smallrye-kafka\n"
     "mp.messaging.incoming.p.group.id=${quarkus.uuid}\n"),
])  # fmt: skip
def test_a_group_with_a_new_name_at_each_start_is_refused(
    tmp_path: Path, name: str, code: str
) -> None:
    assert_file(tmp_path / name, code, "", "", 2, NEW_EACH_START)


@pytest.mark.parametrize(("name", "code"), [
    ("a.py", PYTHON % ('GROUP = "a-" + os.environ["STAGE"]', "GROUP")),
    ("a.py", PYTHON % ("", '"uuid-service"')),
    ("A.java", (JAVA % LATE).replace('"g"', '"time.time.uuid"')),
    ("application.yml", "spring:\n  kafka:\n    producer:\n      acks: all\n    consumer:\n"
     "      group-id: uuid\n      auto-offset-reset: earliest\n"),
])  # fmt: skip
def test_a_group_with_a_stable_name_is_accepted(tmp_path: Path, name: str, code: str) -> None:
    settings = f"{TOPIC} application.restart=resumes application.processing.errors=retry"
    assert_file(tmp_path / name, code, "", settings, 0, "^YES")
