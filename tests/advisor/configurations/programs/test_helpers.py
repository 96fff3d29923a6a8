"""Helper functions that return a result or a response, and values that are missing."""

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
_CONNECTION = (
    "def save(body):\n    h = http.client.HTTPConnection('h')\n"
    "    h.request('POST', '/', body)\n    "
)
_READ_NONE = "try:\n        o = read(m)\n    except ValueError:\n        o = None\n    "
_COMMIT = "\n    c.commit(m)"


@pytest.mark.parametrize(("declarations", "body", "expected"), [
    (f"{_POST}return r.text", "post(m.value())", SKIP),
    (f"{_POST}return r.text", "log.info(post(m.value()))", SKIP),
    (f"{_POST}r.raise_for_status()\n    return r.text", "post(m.value())", YES),
    (f"{_POST}return r", "post(m.value()).raise_for_status()", YES),
    (f"{_POST}return r", "r = post(m.value())\n    r.raise_for_status()", YES),
    (f"{_CONNECTION}return h.getresponse().read()", "save(m.value())", SKIP),
    (f"{_CONNECTION}r = h.getresponse()\n    return r.read()",
     "x = save(m.value())\n    log.info(x)", SKIP),
    ("", "requests.post(URL, m.value()).text", SKIP),
    # a function of the file with the name of a method of a library
    ("def post(body):\n    return requests.post(URL, body)", "post(m.value())", SKIP),
    # a message that cannot be read becomes None and is not processed
    ("", f"{_READ_NONE}if o is not None:\n        save(o)", SKIP),
    ("", f"{_READ_NONE}if o is None:\n        continue\n    save(o)", SKIP),
    ("", f"{_READ_NONE}if o is None:\n        dead(m)\n    else:\n        save(o)", YES),
    ("", f"{_READ_NONE}save(o)", YES),
    ("", "ack = c.commit\n    ack(m)\n    save(m)", BEFORE),
    ("def read(m):\n    c.commit(m)\n    return parse(m)", "o = read(m)\n    save(o)", BEFORE),
])  # fmt: skip
def test_the_result_of_a_python_helper_must_be_handled(
    declarations: str, body: str, expected: str, tmp_path: Path
) -> None:
    ending = "" if expected == BEFORE else _COMMIT
    assert_program(tmp_path / "app.py", _PYTHON % (declarations, f"{body}{ending}"), expected)


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
_CHECK = "if (a.statusCode() >= 300) { throw new IOException(); }"


@pytest.mark.parametrize(("body", "signature", "suffix", "expected"), [
    ("post(r);", _RESPONSE, "", SKIP),
    ("log.info(post(r));", _RESPONSE, "", SKIP),
    ('log.info("answer {}", post(r));', _BODY, ".body()", SKIP),
    ("post(r);", _BODY, ".body()", SKIP),
    ("var a = post(r);\nlog.info(a.body());", _RESPONSE, "", SKIP),
    (f"var a = post(r);\n{_CHECK}", _RESPONSE, "", YES),
    ("save(post(r));", _BODY, ".body()", YES),
])  # fmt: skip
def test_the_response_that_a_java_helper_returns_must_be_checked(
    body: str, signature: str, suffix: str, expected: str, tmp_path: Path
) -> None:
    assert_program(tmp_path / "A.java", _JAVA % (body, signature, suffix), expected)
