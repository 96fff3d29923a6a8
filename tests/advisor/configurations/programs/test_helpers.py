"""Functions of a Python program that return something of a message, and values that are missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import BEFORE, SKIP, YES, assert_program

_PYTHON = """from confluent_kafka import Consumer
import http.client, requests
%s
c = Consumer({"group.id": "g", "enable.auto.commit": False, "auto.offset.reset": "earliest"})
c.subscribe(["t"])
while True:
    m = c.poll(1)
    if m is None or m.error():
        continue
    %s
"""
_POST = "def post(body):\n    r = requests.post(URL, body)\n    "
_CONNECTED = (
    "def save(body):\n    h = http.client.HTTPConnection('h')\n"
    "    h.request('POST', '/', body)\n    "
)
_READ_NONE = "try:\n        o = read(m)\n    except ValueError:\n        o = None\n    "
_COMMIT = "\n    c.commit(m)"


@pytest.mark.parametrize(("more", "body", "expected"), [
    (f"{_POST}return r.text", "post(m.value())", SKIP),
    (f"{_POST}return r.text", "log.info(post(m.value()))", SKIP),
    (f"{_POST}r.raise_for_status()\n    return r.text", "post(m.value())", YES),
    (f"{_POST}return r", "post(m.value()).raise_for_status()", YES),
    (f"{_POST}return r", "r = post(m.value())\n    r.raise_for_status()", YES),
    (f"{_CONNECTED}return h.getresponse().read()", "save(m.value())", SKIP),
    (f"{_CONNECTED}r = h.getresponse()\n    return r.read()",
     "x = save(m.value())\n    log.info(x)", SKIP),
    ("", "requests.post(URL, m.value()).text", SKIP),
    # a function of the file has the name of a method elsewhere
    ("def post(body):\n    return requests.post(URL, body)", "post(m.value())", SKIP),
    # what cannot be read is None, and nothing is done then
    ("", f"{_READ_NONE}if o is not None:\n        save(o)", SKIP),
    ("", f"{_READ_NONE}if o is None:\n        continue\n    save(o)", SKIP),
    ("", f"{_READ_NONE}if o is None:\n        dead(m)\n    else:\n        save(o)", YES),
    ("", f"{_READ_NONE}save(o)", YES),
    ("", "ack = c.commit\n    ack(m)\n    save(m)", BEFORE),
    ("def read(m):\n    c.commit(m)\n    return parse(m)", "o = read(m)\n    save(o)", BEFORE),
])  # fmt: skip
def test_a_helper_of_python_returns_something(
    more: str, body: str, expected: str, tmp_path: Path
) -> None:
    ends = "" if expected == BEFORE else _COMMIT
    assert_program(tmp_path / "app.py", _PYTHON % (more, f"{body}{ends}"), expected)


_JAVA = """import org.apache.kafka.clients.consumer.*;
import java.net.http.*;
class A { void run() {
Properties p = new Properties();
p.put("group.id", "g");
p.put("enable.auto.commit", "false");
p.put("auto.offset.reset", "earliest");
KafkaConsumer<String, String> c = new KafkaConsumer<>(p);
while (true) {
for (ConsumerRecord<String, String> r : c.poll(Duration.ofSeconds(1))) {
%s
}
c.commitSync();
}
}
%s {
return client.send(of(r), BodyHandlers.ofString())%s;
}
}
"""
_RESPONSE = "HttpResponse<String> post(ConsumerRecord<String, String> r)"
_BODY = "String post(ConsumerRecord<String, String> r)"
_ASKED = "if (a.statusCode() >= 300) { throw new IOException(); }"


@pytest.mark.parametrize(("body", "head", "of", "expected"), [
    ("post(r);", _RESPONSE, "", SKIP),
    ("log.info(post(r));", _RESPONSE, "", SKIP),
    ('log.info("answer {}", post(r));', _BODY, ".body()", SKIP),
    ("post(r);", _BODY, ".body()", SKIP),
    ("var a = post(r);\nlog.info(a.body());", _RESPONSE, "", SKIP),
    (f"var a = post(r);\n{_ASKED}", _RESPONSE, "", YES),
    ("save(post(r));", _BODY, ".body()", YES),
])  # fmt: skip
def test_a_helper_of_java_returns_a_response(
    body: str, head: str, of: str, expected: str, tmp_path: Path
) -> None:
    assert_program(tmp_path / "A.java", _JAVA % (body, head, of), expected)
