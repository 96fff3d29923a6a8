"""Deployed applications of frameworks: their arguments and variables, and several in one file.

Each case has files by name, options, the exit code, and a pattern of the output.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_answer, write_files

RETRIED = f"{TOPIC} application.processing.errors=retry application.restart=resumes"
SETTINGS = f"{RETRIED} consumer.auto.offset.reset=earliest"
FIX = "acks: 1 -> all"
DIFFERS = "acks differs from line"
EARLIEST = "SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET: earliest"
ACKS_1 = "-Dspring.kafka.producer.acks=1"
JSON = '\'{"spring":{"kafka":{"producer":{"acks":"1"}}}}\''


def service(*environment: str, command: str = "") -> str:
    lines = "".join(f"      {line}\n" for line in environment)
    startup = f"    command: {command}\n" if command else ""
    return f"services:\n  app:\n    image: x\n{startup}    environment:\n{lines}"


def deployment(name: str, environment: str, args: str = "") -> str:
    """Returns a Deployment; `environment` is one variable as `NAME=value`."""
    variable, _, value = environment.partition("=")
    startup = f"        args: {args}\n" if args else ""
    return (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec:\n  template:\n"
        f"    spec:\n      containers:\n      - name: c\n        image: x\n{startup}"
        f"        env:\n        - name: {variable}\n          value: {value}\n"
    )


def config_map(**files: str) -> str:
    data = "".join(
        f"  {name.replace('_', '.')}: |\n" + "".join(f"    {line}\n" for line in text.splitlines())
        for name, text in files.items()
    )
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m}}\ndata:\n{data}"


STARTUP = [
    *[({"docker-compose.yml": service(f'{name}: "-Xmx1g {ACKS_1}"', EARLIEST)}, "", 1, FIX)
      for name in ("JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "CATALINA_OPTS")],
    ({"docker-compose.yml": service(f'- "JAVA_OPTS={ACKS_1}"', f"- {EARLIEST.replace(': ', '=')}")},
     "", 1, FIX),
    ({"docker-compose.yml": service(f"SPRING_APPLICATION_JSON: {JSON}", EARLIEST)}, "", 1, FIX),
    # the application's arguments override those of its JVM, and both override its variables
    ({"docker-compose.yml": service(
        EARLIEST, "SPRING_KAFKA_PRODUCER_ACKS: all",
        command="java -jar a.jar --spring.kafka.producer.acks=1")}, "", 1, FIX),
    ({"docker-compose.yml": service(
        EARLIEST, command=f"java {ACKS_1} -jar a.jar --spring.kafka.producer.acks=all")}, "", 0,
     "YES"),
    ({".env": f'JAVA_OPTS="{ACKS_1}"\n{EARLIEST.replace(": ", "=")}\n'}, "", 1, FIX),
    ({".env": f"SPRING_APPLICATION_JSON={JSON}\n"}, "", 1, FIX),
    ({"d.yml": deployment("a", f"SPRING_APPLICATION_JSON={JSON}")}, "", 1, FIX),
    ({"d.yml": deployment("a", f'JAVA_TOOL_OPTIONS="{ACKS_1}"')}, "", 1, FIX),
    ({"d.yml": deployment("a", EARLIEST.replace(": ", "="), '["--spring.kafka.producer.acks=1"]')},
     "", 1, FIX),
    ({".env": "SPRING_APPLICATION_JSON={\n"}, "", 2, "SPRING_APPLICATION_JSON is not well-formed"),
]  # fmt: skip
_TWO_APPS = (
    'services:\n  a: {image: x, environment: {SPRING_KAFKA_PRODUCER_ACKS: "1"}}\n'
    "  b: {image: y, environment: {SPRING_KAFKA_PRODUCER_ACKS: all}}\n"
)
_SERVER = "process.roles=broker\nnode.id=%s\nmin.insync.replicas=%s\n"
SEVERAL_APPS = [
    ({"docker-compose.yml": _TWO_APPS}, "", 2, f"{DIFFERS}.*--only a, --only b"),
    ({"docker-compose.yml": _TWO_APPS}, "--only a", 1, FIX),
    ({"docker-compose.yml": _TWO_APPS}, "--only b", 0, "YES"),
    ({"d.yml": deployment("a", 'SPRING_KAFKA_PRODUCER_ACKS="1"') + "---\n"
      + deployment("b", "SPRING_KAFKA_PRODUCER_ACKS=all")}, "", 2, DIFFERS),
    ({"d.yml": deployment("a", "SPRING_KAFKA_PRODUCER_ACKS=all") + "---\n"
      + deployment("b", "SPRING_KAFKA_CONSUMER_MAX_POLL_RECORDS=5")}, "", 0, "YES"),
    ({"m.yml": config_map(a_properties="acks=1\nlinger.ms=1\n",
                          b_properties="acks=all\nlinger.ms=1\n")}, "", 2,
     f"{DIFFERS}.*--only a.properties, --only b.properties"),
    ({"m.yml": config_map(a_properties="acks=1\nlinger.ms=1\n",
                          b_properties="acks=all\nlinger.ms=1\n")},
     "--only b.properties", 0, "YES"),
    ({"m.yml": config_map(p_properties="acks=all\nlinger.ms=1\n",
                          c_properties="group.id=g\nauto.offset.reset=earliest\n")}, "", 0, "YES"),
    ({"m.yml": config_map(a_properties="group.id=g\nmax.poll.records=5\n",
                          b_properties="group.id=g\nauto.offset.reset=earliest\n")}, "", 2,
     "which does not state it"),
    ({"m.yml": config_map(a_properties=_SERVER % (1, 1), b_properties=_SERVER % (2, 2))},
     "--set application.controllers=3", 1, "min.insync.replicas: 1 -> 2"),
    ({"m.yml": config_map(a_properties=_SERVER % (1, 2), b_properties=_SERVER % (2, 1))},
     "--set application.controllers=3", 1, "min.insync.replicas: 1 -> 2"),
]  # fmt: skip
ACKS = "spring.kafka.producer.acks"
_CHANNEL = "mp.messaging.outgoing.o.connector=smallrye-kafka\nmp.messaging.outgoing.o.acks="
_MICRONAUT = "kafka:\n  producers:\n    default:\n      acks: "
OTHER_SOURCES = [
    # files and beans that are missing
    ({"application.properties": f"spring.config.import=classpath:k.properties\n{ACKS}=all\n"}, "",
     2, ":1: the file that spring.config.import names takes precedence over"),
    ({"application.yml": f'spring.config.import: "optional:file:./k.yml"\n{ACKS}: all\n'}, "", 2,
     "the file that spring.config.import names"),
    ({"application.properties": f"spring.config.import=vault://\n{ACKS}=all\n"}, "", 0,
     "takes precedence over this file, and is not read"),
    ({"application.properties": f"{_CHANNEL}all\n"
      "mp.messaging.outgoing.o.kafka-configuration=mine\n"}, "", 2, "is a bean of your code"),
    # a property of the same application overrides a default
    ({"application.properties": f"my.acks=1\n{ACKS}=${{my.acks:all}}\n"}, "", 1, FIX),
    ({"application.properties": f"my.acks=${{a.b}}\na.b=1\n{ACKS}=${{my.acks}}\n"}, "", 1, FIX),
    ({"application.properties": f"my.acks=1\n{_CHANNEL}${{my.acks:all}}\n"}, "", 1, FIX),
    ({"application.properties": f"{ACKS}=${{{ACKS}}}\n"}, "", 2, "Write the value that counts"),
    # variables and arguments of a process override its file, in either order
    ({".env": "SPRING_KAFKA_PRODUCER_ACKS=1\n", "application.properties": f"{ACKS}=all\n"}, "", 1,
     FIX),
    ({"config/application.properties": f"{ACKS}=1\n",
      "application.properties": f"{ACKS}=all\n"}, "", 1, FIX),
    ({"application.yml": f"{ACKS}: 1\n", "application.yaml": f"{ACKS}: all\n"}, "", 1, FIX),
    # a name with dashes overrides its other forms
    ({"application.yml": "spring.kafka.consumer.auto-offset-reset: latest\n"
      "spring.kafka.consumer.autoOffsetReset: earliest\n"}, "", 2, "stated in two forms"),
    # clients that the application creates, in addition to Spring's
    ({"application.yml": f"app.kafka.producer.acks: 1\n{ACKS}: all\n"}, "", 2,
     "is acks of a producer as code of your own has it"),
    ({"application.yml": f"app.kafka.topic: t\napp.retries: 1\n{ACKS}: all\n"}, "", 0, "YES"),
    # profiles of Quarkus, and environments of Micronaut
    ({"application.properties": f"{_CHANNEL}all\n%{{prod,staging}}.mp.messaging.outgoing.o.acks=1"},
     "", 1, FIX),
    ({"application.properties": f"{_CHANNEL}all\n%{{dev,test}}.mp.messaging.outgoing.o.acks=1"},
     "", 0, "only in profile test is not read"),
    ({"application-prod.properties": "mp.messaging.outgoing.o.acks=1\n",
      "application.properties": f"{_CHANNEL}all\n"}, "", 1, FIX),
    ({"application.properties": f"{_CHANNEL}1\n",
      "application-dev.properties": "mp.messaging.outgoing.o.acks=all\n"}, "", 1, FIX),
    ({"application-prod.properties": "mp.messaging.outgoing.o.linger.ms=9\n",
      "application.properties": f"{_CHANNEL}all\n"}, "", 0, "YES"),
    ({"application.yml": f"{_MICRONAUT}all\n", "application-prod.yml": f"{_MICRONAUT}1\n"}, "", 2,
     "acks differs between profile default and profile prod"),
    ({"application.yml": f"{_MICRONAUT}all\n", "application-prod.yml": f"{_MICRONAUT}1\n"},
     "--only prod", 1, FIX),
    ({"t.tf": 'resource "kafka_topic" "t" {\n  name = "t"\n  replication_factor = 3\n'
      '  config = merge(local.base, { "min.insync.replicas" = "2" })\n}\n'}, "", 2,
     ":4: config is computed by Terraform. Write its value here"),
    # an expression that begins with a plain value
    *[({"t.tf": 'locals {\n  least = 2\n  prod = false\n}\nresource "kafka_topic" "t" {\n'
        f'  replication_factor = 3\n  config = {{\n    {row}\n  }}\n}}\n'}, "", code, expected)
      for row, code, expected in [
        ('"min.insync.replicas" = local.least - 1', 2, "is computed by Terraform"),
        ('"min.insync.replicas" = 2\n"retention.ms" = 7 * 24 * 3600 * 1000', 0, "YES"),
        ('"min.insync.replicas" = 2\n"retention.ms" = 60 * 1000 * 1', 1, "60000 -> 690000"),
        ('"min.insync.replicas" = 2\n"retention.ms" = 7 * var.day', 2, "computed by Terraform"),
        ('"min.insync.replicas" = 2 - 1', 2, "is computed by Terraform"),
        ('"min.insync.replicas" = 2\n"unclean.leader.election.enable" = false != var.x', 2,
         "unclean.leader.election.enable is computed by Terraform"),
        ('"min.insync.replicas" = local.least // was 1', 0, "YES"),
        ('"min.insync.replicas" = 2, "flush.ms" = 9', 0, "YES"),
    ]],
]  # fmt: skip


@pytest.mark.parametrize(("files", "options", "code", "expected"), [
    *STARTUP, *SEVERAL_APPS, *OTHER_SOURCES,
])  # fmt: skip
def test_an_application_gets_the_expected_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], options: str, code: int,
    expected: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, files)
    has_broker_minimum = any("min.insync.replicas" in text for text in files.values())
    settings = (
        SETTINGS.replace("topic.min.insync.replicas=2 ", "") if has_broker_minimum else SETTINGS
    )
    assert_answer(f"{' '.join(files)} {options}", settings, code, expected)
