"""Variables that Quarkus and Micronaut bind to properties, next to an application's own files.

Expected from SmallRye Config ("Environment Variables") and Micronaut's guide ("Property Sources"):
a variable overrides the file, unless a profile in the file states the property too.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_answer, write_files
from tests.advisor.configurations.deployments.test_startup import MAP, SERVICE

CHANNELS = """mp.messaging.incoming.o.connector=smallrye-kafka
mp.messaging.incoming.o.auto.offset.reset=%s
mp.messaging.outgoing.p.connector=smallrye-kafka
mp.messaging.outgoing.p.acks=all
"""
AT_LATEST, AT_EARLIEST = CHANNELS % "latest", CHANNELS % "earliest"
RESET, FAILURE = (
    "MP_MESSAGING_INCOMING_O_AUTO_OFFSET_RESET",
    "MP_MESSAGING_INCOMING_O_FAILURE_STRATEGY",
)
POD = """apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  %s:
  - name: a
    image: a
    env:
    - name: %s
      value: %s
"""
OTHER_CONTAINER = "  containers: [{name: b, image: b, env: [{name: B, value: b}]}]\n"
FROM_MAP = POD.replace("value: %s", "valueFrom: {configMapKeyRef: {name: m, key: r}}")
FROM_MAP = FROM_MAP % ("containers", RESET)
LATEST = "auto.offset.reset: latest -> earliest"
UNREAD = "takes precedence over the application's own files, and is not read"


def in_every_form(name: str, value: str) -> dict[str, str]:
    return {
        "c.yml": f"{SERVICE}      {name}: {value}\n",
        "l.yml": f"{SERVICE}      - {name}={value}\n",
        "k.yml": POD % ("containers", name, value),
        "m.yml": MAP % "m" + f"  {name}: '{value}'\n",
        "app.env": f"export {name}={value}\n",
    }


@pytest.mark.parametrize(("file", "name", "value", "code", "expected"), [
    (AT_LATEST, RESET, "earliest", 0, "YES"),
    (AT_EARLIEST, RESET, "latest", 1, LATEST),
    (AT_EARLIEST, FAILURE, "ignore", 1, "processing.errors: skip -> retry"),
    (AT_EARLIEST, "MP_MESSAGING_OUTGOING_P_ACKS", "1", 1, "acks: 1 -> all"),
    (AT_EARLIEST, "MP_MESSAGING_OUTGOING_P_WAITFORWRITECOMPLETION", "false", 1,
     "errors: ignored ->"),
    (f"{AT_EARLIEST}%prod.{AT_EARLIEST.splitlines()[1]}\n", RESET, "latest", 1, LATEST),
    (AT_LATEST, RESET, "${START}", 2, UNREAD),
    (AT_LATEST, "MP_MESSAGING_INCOMING_X_AUTO_OFFSET_RESET", "earliest", 2, UNREAD),
])  # fmt: skip
def test_a_quarkus_variable_overrides_the_file(
    tmp_path: Path, file: str, name: str, value: str, code: int, expected: str
) -> None:
    write_files(tmp_path, {"application.properties": file, **in_every_form(name, value)})
    for other in in_every_form(name, value):
        assert_answer(
            f"{tmp_path}/{other} {tmp_path}/application.properties", TOPIC, code, expected
        )


@pytest.mark.parametrize(("start", "value", "code", "expected"), [
    ("latest", "earliest", 0, "YES"), ("earliest", "latest", 1, LATEST),
])  # fmt: skip
def test_a_micronaut_variable_overrides_the_file(
    tmp_path: Path, start: str, value: str, code: int, expected: str
) -> None:
    client = f"{{auto.offset.reset: {start}, enable.auto.commit: false}}"
    forms = in_every_form("KAFKA_CONSUMERS_DEFAULT_AUTO_OFFSET_RESET", value)
    file = f"kafka:\n  consumers:\n    default: {client}\n"
    write_files(tmp_path, {"application.yml": file, **forms})
    settings = f"{TOPIC} application.processing.errors=retry application.commit=after-processing"
    for other in forms:
        assert_answer(f"{tmp_path}/application.yml {tmp_path}/{other}", settings, code, expected)


@pytest.mark.parametrize(("files", "code", "expected"), [
    ({"k.yml": POD % ("initContainers", RESET, "earliest") + OTHER_CONTAINER}, 1, LATEST),
    ({"c.yml": f"{SERVICE}      {RESET}: earliest\n  b: {{environment: {{{FAILURE}: fail}}}}\n"}, 2,
     UNREAD),
    ({"c.yml": f"{SERVICE}      KAFKA_BOOTSTRAP_SERVERS: k\n", ".env": f"{RESET}=earliest\n"}, 2,
     UNREAD),
    ({"c.yml": f"{SERVICE}      A: k\n    env_file: .env\n", ".env": f"{RESET}=earliest\n"}, 0,
     "^YES"),
    ({"c.yml": f"{SERVICE}      {RESET}: ${{R}}\n", ".env": "R=earliest\n"}, 0, "^YES"),
    ({"c.yml": f"{SERVICE}      {RESET}: ${{R:-latest}}\n", ".env": "R=\n"}, 1, LATEST),
    ({"a.service": f"[Service]\nEnvironment={RESET}=earliest\n"}, 0, "^YES"),
    ({"k.yml": f"{FROM_MAP}---\n{MAP % 'm'}  r: earliest\n"}, 0, "^YES"),
    ({"k.yml": FROM_MAP, "m.yml": MAP % "m" + "  r: earliest\n"}, 0, "^YES"),
    ({"k.yml": FROM_MAP, "m.yml": MAP % "n" + "  r: earliest\n"}, 2, UNREAD),
    ({"k.yml": POD % ("containers", "A", "b") + "---\n" + MAP % "m" + f"  {RESET}: earliest\n"}, 2,
     UNREAD),
    ({"a.env": f"_PROD_{RESET}=earliest\n"}, 0, "^YES"),
    ({"a.env": f"_PROD_{RESET}=earliest\n{RESET}=latest\n"}, 0, "^YES"),
    ({"a.env": f"_DEV_{RESET}=earliest\n"}, 1, LATEST),
    ({"a.env": f"{RESET}=earliest\n", "b.env": f"{FAILURE}=fail\n"}, 2, UNREAD),
])  # fmt: skip
def test_a_variable_of_uncertain_owner_gets_the_expected_answer(
    tmp_path: Path, files: dict[str, str], code: int, expected: str
) -> None:
    write_files(tmp_path, {"application.properties": AT_LATEST, **files})
    paths = " ".join(f"{tmp_path}/{name}" for name in files)
    assert_answer(f"{tmp_path}/application.properties {paths}", TOPIC, code, expected)
