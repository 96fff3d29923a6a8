"""Variables whose values are elsewhere: in a ConfigMap, another file, or the shell of compose."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.intake.clients.known_settings import decides
from tests.advisor.configurations.asking import (
    COPIES,
    TOPIC,
    assert_answer,
    assert_files,
)
from tests.advisor.configurations.manifests import DEPLOYMENT

READS = f"{TOPIC} application.restart=resumes application.processing.errors=retry"
SPRING = """spring:
  kafka:
    producer: {acks: all}
    consumer: {group-id: g, auto-offset-reset: %s}
"""
OWN_PROPERTY = "'${my.policy}'"
STREAM = """spring.cloud.stream:
  kafka.binder.requiredAcks: all
  bindings:
    i-in-0: {destination: a, group: g}
    o-out-0: {destination: b, producer: {error-channel-enabled: true}}
"""
APPLICATION = "services:\n  a:\n    image: acme/a\n    environment:\n"
POD = (
    "---\n"
    + DEPLOYMENT
    + """\
        env:
        - {name: SPRING_KAFKA_BOOTSTRAP_SERVERS, value: 'k:9092'}
        - %s
"""
)
ADDRESS = f"{APPLICATION}      SPRING_KAFKA_BOOTSTRAP_SERVERS: k\n"
RESET = "SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET"
VALUE_FROM = "{name: %s, valueFrom: {%s: {key: reset, name: m}}}"
MAP = "---\napiVersion: v1\nkind: %s\nmetadata: {name: m}\n%s:\n  reset: %s\n"
FILE = "---\napiVersion: v1\nkind: %s\nmetadata: {name: f}\n%s:\n  application.yml: |\n"
BROKER = """services:
  kafka:
    image: apache/kafka:3.9.0
    volumes: ['d:/tmp/kafka-logs']
    environment:
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_MIN_INSYNC_REPLICAS: 2
      KAFKA_DEFAULT_REPLICATION_FACTOR: ${KAFKA_COPIES:-3}
    deploy: {replicas: 3}
"""
FILES = """configs:
  c:
    content: |
      %s
"""
PYTHON = """import os
from confluent_kafka import Consumer
c = Consumer({"bootstrap.servers": "k", "group.id": "g", "enable.auto.commit": False,
              "auto.offset.reset": os.environ.get("POLICY", "earliest")})
c.subscribe(["a"])
while True:
    m = c.poll(1.0)
    if m is not None:
        save(m.value())
        c.commit(m, asynchronous=False)
"""


def entry(kind: str = "Secret", part: str = "stringData", reset: str = "latest") -> str:
    """Returns a ConfigMap or Secret with an application's file."""
    inner = "".join(f"    {line}\n" for line in (SPRING % reset).splitlines())
    return FILE % (kind, part) + inner


@pytest.mark.parametrize(("files", "settings", "code", "expected"), [
    # valueFrom, with and without the resource that it names
    ({"k.yaml": POD % VALUE_FROM % (RESET, "configMapKeyRef")}, READS, 2,
     "auto.offset.reset comes from a configMapKeyRef. Write the value that counts"),
    ({"k.yaml": entry("ConfigMap", "data", "earliest")
      + POD.replace("- {name: SPRING_KAFKA_BOOTSTRAP_SERVERS, value: 'k:9092'}", "")
      % VALUE_FROM % ("SPRING_KAFKA_CONSUMER_AUTOOFFSETRESET", "secretKeyRef")}, READS, 2,
     "autooffsetreset comes from a secretKeyRef"),
    ({"k.yaml": (POD % VALUE_FROM % (RESET, "fieldRef"))
      .replace("{key: reset, name: m}", "{fieldPath: metadata.name}")}, READS, 2,
     "auto.offset.reset comes from a fieldRef. Write the value that counts"),
    *[({"k.yaml": POD % VALUE_FROM % (name, "secretKeyRef")}, READS, 2, f"{name} .*remove")
      for name in ("KAFKA_PRODUCER_ACKS", "KAFKA_PRODUCERS_DEFAULT_ACKS")],
    ({"k.yaml": POD % VALUE_FROM % ("SPRING_KAFKA_SECURITY_PROTOCOL", "configMapKeyRef")
      + entry("ConfigMap", "data", "earliest")}, READS, 0, "YES"),
    ({"k.yaml": POD % VALUE_FROM % (RESET, "configMapKeyRef") + MAP % ("ConfigMap", "data",
      "latest")}, READS, 1, "auto.offset.reset: latest -> earliest"),
    ({"k.yaml": POD % VALUE_FROM % (RESET, "configMapKeyRef") + MAP % ("ConfigMap", "data",
      "earliest")}, READS, 0, "YES"),
    ({"k.yaml": POD % VALUE_FROM % (RESET, "secretKeyRef") + MAP % ("Secret", "data",
      "bGF0ZXN0")}, READS, 1, "auto.offset.reset: latest -> earliest"),
    # an application's file in a Secret
    ({"k.yaml": entry()}, READS, 1, "auto.offset.reset: latest -> earliest"),
    ({"k.yaml": entry(reset="earliest")}, READS, 0, "YES"),
    # a base64 file in a ConfigMap, and one that is not text
    ({"k.yaml": MAP % ("ConfigMap", "binaryData", "eA==") + "  consumer.properties: "
      "YXV0by5vZmZzZXQucmVzZXQ9bGF0ZXN0Cg==\n"}, READS, 1, "auto.offset.reset: latest -> earliest"),
    ({"k.yaml": entry("ConfigMap", "data", "earliest") + "binaryData:\n  a.jks: /u3+7Q==\n"}, READS,
     0, "a.jks looks like no file"),
    # compose passes on variables of its own environment
    ({"d.yml": BROKER + "# no volume of its own\n"}, COPIES, 1, "CANNOT WORK"),
    ({"d.yml": BROKER.replace("    deploy", "      KAFKA_UNCLEAN_LEADER_ELECTION_ENABLE:\n"
      "    deploy")}, COPIES, 2, "unclean.leader.election.enable has no value here"),
    # files that the compose file contains, and folders with files
    ({"d.yml": BROKER + FILES % "unclean.leader.election.enable=true"}, COPIES, 2,
     "unclean.leader.election.enable is in a file that is mounted into containers"),
    ({"d.yml": BROKER + FILES % "log4j.rootLogger=INFO"}, COPIES, 1, "CANNOT WORK"),
    ({"d.yml": BROKER.replace("['d:", "['./c:/mnt/shared/config', 'd:")}, COPIES, 1,
     "d.yml:4: a mounted file \\S+ may contain settings and is not read"),
    ({"v.env": "SPRING_KAFKA_CONSUMER_GROUP_ID=g\nset SPRING_KAFKA_PRODUCER_ACKS=1\n"}, READS, 2,
     "v.env:2: this is not a line of a file of variables"),
    ({"v.env": f"{RESET}=earliest\n# set SPRING_KAFKA_PRODUCER_ACKS=1\n"}, READS, 0, "YES"),
    # arguments with which Bitnami's image starts its broker
    ({"d.yml": BROKER.replace("apache/", "bitnami/").replace("KAFKA_", "KAFKA_CFG_").replace(
        "    deploy", "      KAFKA_EXTRA_FLAGS: --override min.insync.replicas=1\n    deploy")},
     COPIES, 1, "min.insync.replicas replaces line 7"),
    # an empty variable is written to the broker's file; one without a value is unknown
    *[({"d.yml": BROKER.replace("    deploy", f"      {row}\n    deploy")}, COPIES, code, words)
      for row, code, words in (
          ('KAFKA_NUM_IO_THREADS: ""', 2, "num.io.threads is empty"),
          ("KAFKA_NUM_IO_THREADS:", 1, "num.io.threads is filled in when the application starts"),
          ('KAFKA_METRIC_REPORTERS: ""', 1, "metric.reporters is not taken into account"))],
    ({"v.env": "KAFKA_NODE_ID=1\nKAFKA_NUM_IO_THREADS=\n"}, COPIES, 2, "num.io.threads is empty"),
    ({"d.yml": f"{APPLICATION}      - {RESET}\n"}, READS, 2, "auto.offset.reset has no value here"),
    ({"d.yml": f"{APPLICATION}      {RESET}:\n"}, READS, 2, "auto.offset.reset has no value here"),
    ({"d.yml": f"{APPLICATION}      - SPRING_KAFKA_BOOTSTRAP_SERVERS\n      - {RESET}=earliest\n"},
     READS, 0, "YES"),
    # Spring Cloud Stream
    ({"a.yml": STREAM, "v.env": "SPRING_CLOUD_STREAM_KAFKA_BINDER_REQUIREDACKS=1\n"}, READS, 2,
     "binder.requiredacks is stated by a variable of Spring Cloud Stream"),
    ({"a.yml": STREAM, "d.yml": f"{APPLICATION}      SPRING_CLOUD_STREAM_KAFKA_BINDINGS_IIN0_"
      "CONSUMER_STARTOFFSET: latest\n"}, READS, 2, "consumer.startoffset is stated by a variable"),
    ({"a.yml": STREAM, "v.env": "SPRING_CLOUD_STREAM_KAFKA_BINDER_BROKERS=k\n"}, READS, 0, "YES"),
    # the default of a variable that another file gives
    ({"a.yml": SPRING % "'${POLICY:earliest}'", "d.yml": f"{APPLICATION}      POLICY: latest\n"
      "      SPRING_KAFKA_CONSUMER_GROUP_ID: g\n"}, READS, 2,
     "has the default of a variable here, and .*d.yml:5 states another value for that"),
    ({"a.yml": SPRING % "'${POLICY:earliest}'", "d.yml": f"{APPLICATION}      POLICY: earliest\n"
      "      SPRING_KAFKA_CONSUMER_GROUP_ID: g\n"}, READS, 0, "YES"),
    # a variable overrides the property of the same name
    ({"a.yml": f"my.policy: earliest\n{SPRING % OWN_PROPERTY}", "d.yml":
      f"{APPLICATION}      MY_POLICY: latest\n      KAFKA_SERVERS: k\n"}, READS, 2,
     "the default of a variable here"),
    ({"a.yml": f"my.policy: earliest\n{SPRING % OWN_PROPERTY}", "d.yml":
      f"{APPLICATION}      MY_POLICY: earliest\n      KAFKA_SERVERS: k\n"}, READS, 0, "YES"),
    ({"a.yml": SPRING % "'${kafka.policy:earliest}'", "d.yml":
      f"{APPLICATION}      - KAFKA_POLICY=latest\n"}, READS, 2, "the default of a variable here"),
    ({"v.env": "KAFKA_POLICY=latest\nKAFKA_NUM_PARTITIONS=1\n", "a.yml":
      SPRING % "'${KAFKA_POLICY:earliest}'"}, READS, 2, "the default of a variable here"),
    ({"k.yaml": entry("ConfigMap", "data", "'${POLICY:earliest}'")
      + POD % "{name: POLICY, value: latest}"}, READS, 2, "the default of a variable here"),
    ({"k.yaml": entry("ConfigMap", "data", "'${POLICY:earliest}'").replace("data:\n", "data:\n"
      "  POLICY: latest\n")}, READS, 2, "the default of a variable here"),
    ({"a.py": PYTHON, "d.yml": f"{APPLICATION}      POLICY: latest\n      KAFKA_SERVERS: k\n"},
     READS, 2, "the default of a variable here"),
    # addresses only, with and without the application's file
    ({"a.yml": SPRING % "earliest", "d.yml": ADDRESS}, READS, 0, "YES"),
    ({"d.yml": ADDRESS}, READS, 2, "no setting of Kafka is in this file"),
    ({"d.yml": BROKER, "v.env": "KAFKA_COPIES=1\n"}, COPIES, 2,
     "default.replication.factor has the default of a variable here, and .*v.env:1 states"),
    # variables of a container are not filled into the compose file
    ({"d.yml": BROKER.replace("    deploy", "      KAFKA_COPIES: 1\n    deploy")}, COPIES, 1,
     "CANNOT WORK"),
])  # fmt: skip
def test_a_value_that_is_elsewhere_is_read_or_requested(
    tmp_path: Path, files: dict[str, str], settings: str, code: int, expected: str
) -> None:
    assert_files(tmp_path, files, settings, code, expected)


@pytest.mark.parametrize(("name", "expected"), [
    ("spring.kafka.consumer.autooffsetreset", True), ("spring.kafka.listener.ackmode", True),
    ("producer.enable.idempotence", True), ("listener.ack-mode", True),
    ("spring.kafka.consumer.groupid", False), ("spring.kafka.bootstrapservers", False),
])  # fmt: skip
def test_a_setting_name_is_recognised_however_its_words_are_joined(
    name: str, expected: bool
) -> None:
    assert decides(name) is expected


PRODUCER = """from confluent_kafka import Producer
import os
%s
def told(e, m):
    if e: raise SystemExit(str(e))
def make(%s):
    return Producer({"bootstrap.servers": "k", "acks": acks, "enable.idempotence": True})
p = make(%s)
p.produce("t", b"x", callback=told)
p.flush()
"""
NOT_PLAIN = "acks is not a plain value here"


@pytest.mark.parametrize(("before", "parameter", "code", "expected"), [
    ("acks = 'all'", "", 0, "YES"),
    ("acks: str = 'all'", "", 0, "YES"),
    ("acks = os.getenv('ACKS', 'all')", "", 0, "acks: the default counts here"),
    ("acks = os.getenv('ACKS', '1')", "", 2, "must be set to .all."),
    ("acks = os.environ['ACKS']", "", 2, NOT_PLAIN),
    # something else has the same name
    ("acks = 'all'", "acks", 2, NOT_PLAIN),
    ("acks = 'all'\nfor acks in os.listdir(): pass", "", 2, NOT_PLAIN),
    ("acks = 'all'\nacks, other = os.listdir()", "", 2, NOT_PLAIN),
    ("acks = 'all'\nif acks := os.getenv('A'): pass", "", 2, NOT_PLAIN),
    ("class Slow:\n    acks = 'all'\nfrom mine import acks", "", 2, NOT_PLAIN),
    ("acks = 'all'\nacks += os.sep", "", 2, NOT_PLAIN),
    ("acks = 'all'\nwith open('a') as acks: pass", "", 2, NOT_PLAIN),
    ("acks = 'all'\nmatch os.sep:\n    case acks: pass", "", 2, NOT_PLAIN),
])  # fmt: skip
def test_a_python_name_is_replaced_by_its_value_if_it_has_only_one(
    tmp_path: Path, before: str, parameter: str, code: int, expected: str
) -> None:
    path = tmp_path / "a.py"
    path.write_text(PRODUCER % (before, parameter, "'1'" if parameter else ""))
    assert_answer(str(path), COPIES + " " + TOPIC, code, expected)
