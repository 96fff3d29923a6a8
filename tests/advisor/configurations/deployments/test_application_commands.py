"""Settings that the command of an application's container exports, writes or passes as arguments.

Expected from sh(1): exported variables are passed to the processes that it starts; from Spring
Boot's reference ("Externalized Configuration"), Quarkus' Configuration Reference Guide and
Micronaut's guide ("Property Sources"): variables and arguments override files.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.advisor.configurations.asking import (
    COPIES,
    TOPIC,
    assert_answer,
    assert_file,
    given,
    write_files,
)
from tests.advisor.configurations.deployments.test_startup import (
    CHANNEL,
    FILE,
    MAP,
    MICRONAUT,
    NO_FILE,
    POD,
    READS,
)

SERVICES = """services:
  orders:
    image: acme/orders
    command: %s
    environment:
      SPRING_KAFKA_BOOTSTRAP_SERVERS: k:9092
      SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET: earliest
      SPRING_KAFKA_PRODUCER_ACKS: all
"""
POD_WITH_ACKS = (
    f"{POD}        - {{name: SPRING_KAFKA_PRODUCER_ACKS, value: all}}\n"
).replace("        env:\n", "        command: %s\n        env:\n")  # fmt: skip
RUN = "java -jar a.jar"
FIX = "acks: 1 -> all"
JSON = '{"spring.kafka.producer.acks":"1"}'
ESCAPED = JSON.replace('"', '\\"')
QUARKUS = f"{CHANNEL}mp.messaging.outgoing.p.connector=smallrye-kafka\n"
QUARKUS += "mp.messaging.outgoing.p.acks=all\n"
NO_ENV = POD[: POD.index("        env:\n")]
OVERRIDES = "takes precedence over the application's own files, and is not read"
NOT_HERE = "SPRING_APPLICATION_JSON takes precedence over the application's files, and its JSON is"
SECRET_VAR = "{name: %s, valueFrom: {secretKeyRef: {name: s, key: k}}}"
BENEATH = "counts beneath its variables, and is not here. Give them, too"
BROKERS = "services:\n" + "".join(
    f"""  k{number}:
    image: apache/kafka:3.9.0
    volumes: ['d{number}:/tmp/kafka-logs']
    environment:
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_NODE_ID: {number}
      KAFKA_MIN_INSYNC_REPLICAS: $LEAST
      KAFKA_DEFAULT_REPLICATION_FACTOR: ${{COPIES:-1}}
      KAFKA_UNCLEAN_LEADER_ELECTION_ENABLE: "${{UNCLEAN:?say it}}"
"""
    for number in range(3)
)
ENV = "LEAST=2\nexport COPIES=3\nUNCLEAN='false'\n"


@pytest.mark.parametrize(("command", "code", "expected"), [
    (f"[sh, -c, 'export SPRING_KAFKA_PRODUCER_ACKS=1; {RUN}']", 1, FIX),
    (f"[sh, -c, 'SPRING_KAFKA_PRODUCER_ACKS=\"1\" exec {RUN}']", 1, FIX),
    ("[env, SPRING_KAFKA_PRODUCER_ACKS=1, java, -jar, a.jar]", 1, FIX),
    (f"[sh, -c, 'export SPRING_KAFKA_PRODUCER_ACKS=${{ACKS:-1}}; {RUN}']", 1, FIX),
    (f"[sh, -c, 'export SPRING_KAFKA_PRODUCER_ACKS=$ACKS; {RUN}']", 2, "acks is filled in"),
    (f"[sh, -c, 'export SPRING_KAFKA_PRODUCER_ACKS=-1; {RUN}']", 0, "YES"),
    (f"[sh, -c, 'export JAVA_TOOL_OPTIONS=-Dspring.kafka.producer.acks=1; {RUN}']", 1, FIX),
    (f"[sh, -c, 'SPRING_PROFILES_ACTIVE=prod {RUN}']", 0, f"YES.*{NO_FILE}"),
    (f"[sh, -c, 'export DB_URL=jdbc:x?A=1; {RUN} > /var/log/a.log']", 0, "YES"),
    (f"[sh, -c, '. /etc/orders.env; {RUN}']", 0, "variables that this command takes from a file"),
    (f"[sh, -c, 'export KAFKA_ACKS=1; {RUN}']", 2, "KAFKA_ACKS is acks of a producer"),
    (f"[sh, -c, 'echo spring.kafka.producer.acks=1 > a.properties; {RUN}']", 2,
     "spring.kafka.producer.acks is written by this command"),
    (f"[java, -jar, a.jar, '--spring.application.json={JSON}']", 1, FIX),
    (f"[sh, -c, \"export SPRING_APPLICATION_JSON='{ESCAPED}'; {RUN}\"]", 1, FIX),
    (f"[sh, -c, \"java -Dspring.application.json='{ESCAPED}' -jar a.jar\"]", 1, FIX),
    ("[sh, -c, 'java -Dspring.application.json=$CONF -jar a.jar']", 2, NOT_HERE),
    # Spring does not read a value after a blank (SimpleCommandLineArgsParser)
    ("[java, -jar, a.jar, --spring.kafka.producer.acks, '1']", 2, "acks has no value here"),
    ("[java, -jar, a.jar, --spring.kafka.client-id, a]", 0, "YES"),
])  # fmt: skip
@pytest.mark.parametrize("text", [SERVICES, POD_WITH_ACKS], ids=["services", "pod"])
def test_the_command_of_an_application_gets_the_expected_answer(
    tmp_path: Path, text: str, command: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "f.yml", text.replace("%s", command), "", READS, code, expected)


@pytest.mark.parametrize(("files", "code", "expected"), [
    # a variable of the command overrides the file, and may replace a default in it
    ({"application.yml": FILE, "k.yml":
      f"{NO_ENV}        command: [sh, -c, 'export SPRING_KAFKA_PRODUCER_ACKS=1; {RUN}']\n"}, 1,
     FIX),
    ({"application.yml": FILE.replace("all", "'${LEVEL:all}'"), "k.yml":
      f"{NO_ENV}        command: [sh, -c, 'export LEVEL=1; {RUN}']\n        env: [{{name: "
      "SPRING_KAFKA_BOOTSTRAP_SERVERS, value: 'k:9092'}]\n"}, 2, "k.yml:11 states"),
    ({"application.yml": FILE, "c.yml":
      "services:\n  a:\n    command: [java, -Dspring.kafka.producer.acks=1, -jar, a]\n"}, 1, FIX),
    # arguments of Quarkus and Micronaut are not read
    *[
        ({name: text, "k.yml": NO_ENV + rows}, 2, OVERRIDES)
        for name, text, argument in [
            ("application.properties", QUARKUS, "-Dmp.messaging.outgoing.p.acks=1"),
            ("application.properties", QUARKUS, "-D%prod.mp.messaging.outgoing.p.acks=1"),
            ("application.yml", f"{MICRONAUT}earliest\n", "-kafka.producers.default.retries=0"),
        ]
        for rows in [
            f"        command: [java, '{argument}', -jar, a.jar]\n",
            f"        env: [{{name: JAVA_OPTS, value: '{argument}'}}]\n",
        ]
    ],
    ({"application.properties": QUARKUS, "k.yml":
      f"{NO_ENV}        command: [java, -Dkafka.retries=0, -jar, a.jar]\n"}, 2, "is retries of a"),
    ({"application.properties": QUARKUS, "k.yml":
      f"{NO_ENV}        command: [orders, --kafka.acks, '1']\n"}, 2, "is acks of a"),
    ({"application.properties": QUARKUS, ".env": "JAVA_OPTS=-Dmp.messaging.outgoing.p.acks=1\n"}, 2,
     OVERRIDES),
    ({"application.yml": f"{MICRONAUT}earliest\n", "k.yml":
      f"{NO_ENV}        env: [{{name: KAFKA_PRODUCERS_MINE_RETRIES, value: '0'}}]\n"}, 2,
     OVERRIDES),
    ({"application.properties": QUARKUS, "c.yml": "services:\n  a:\n    command: "
      "[java, -Dmp.messaging.outgoing.p.topic=a, -Dapp.x=1, -jar, a.jar]\n    environment: "
      "{QUARKUS_PROFILE: prod}\n"}, 0, "YES"),
    # variables in a ConfigMap
    ({"k.yml": f"{POD}        envFrom: [{{configMapRef: {{name: e}}}}]\n{MAP % 'e'}"
      "  JAVA_OPTS: -Dspring.kafka.producer.acks=1\n"}, 1, FIX),
    # JSON that is missing
    ({"k.yml": f"{POD}        - {SECRET_VAR % 'SPRING_APPLICATION_JSON'}\n"}, 2, NOT_HERE),
    ({"k.yml": f"{POD}        - {SECRET_VAR % 'JAVA_TOOL_OPTIONS'}\n"}, 0,
     "YES.*JAVA_TOOL_OPTIONS comes from a secretKeyRef: not read"),
    ({"application.yml": FILE, "c.yml":
      "services:\n  a:\n    environment:\n      - SPRING_APPLICATION_JSON\n"}, 2, NOT_HERE),
    ({"application.yml": FILE, ".env": "SPRING_APPLICATION_JSON=${CONF}\n"}, 2, NOT_HERE),
    ({"application.yml": FILE, "c.yml": "services:\n  a:\n    environment:\n      "
      "SPRING_APPLICATION_JSON: '{\"spring.kafka.producer.acks\":\"${A:-1}\"}'\n"}, 1, FIX),
])  # fmt: skip
def test_variables_and_arguments_override_the_files_of_an_application(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], code: int,
    expected: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, files)
    settings = TOPIC if "application.properties" in files else READS
    assert_answer(" ".join(files), settings, code, expected)


@pytest.mark.parametrize(("files", "code", "expected"), [
    # what the file overrides is reported
    ({"application-prod.yml": FILE}, 0, "YES.*file of no profile states counts beneath this one"),
    ({"c.yml": SERVICES.replace("%s", "run")}, 0, f"YES.*c.yml:6: .*{BENEATH}"),
    ({"k.yml": POD}, 0, f"YES.*k.yml:12: .*{BENEATH}"),
    ({".env": "A=1\nSPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET=earliest\n"}, 0,
     f"YES.*.env:2: .*{BENEATH}"),
    # values of .env are filled into compose
    ({".env": ENV, "compose.yml": BROKERS}, 0, "YES.*compose.yml:1: values of the .env beside it"),
    ({"compose.yml": BROKERS, ".env": ENV.replace("false", "true")}, 1, "enable: true -> false"),
    ({"compose.yml": BROKERS, ".env": f"{ENV}UNCLEAN=$OTHER\n"}, 2, "enable is filled in"),
    ({"compose.yml": BROKERS.replace("$LEAST", "$$LEAST"), ".env": ENV}, 2, "is filled in"),
    ({"compose.yml": BROKERS, "other/.env": ENV}, 2, "enable is filled in"),
    ({"compose.yml": re.sub("KAFKA_UNCLEAN.*", "KAFKA_UNCLEAN_LEADER_ELECTION_ENABLE:", BROKERS),
      ".env": f"{ENV}KAFKA_UNCLEAN_LEADER_ELECTION_ENABLE=true\n"}, 1, "enable: true -> false"),
    ({"compose.yml": BROKERS.replace("environment:", "env_file: .env\n    environment:"),
      ".env": f"{ENV}ACKS=1\n"}, 2, "ACKS is acks of a producer"),
    # .env alone does not set variables of a container
    ({"compose.yml": re.sub(".*INSYNC.*\n", "", BROKERS),
      ".env": f"{ENV}KAFKA_MIN_INSYNC_REPLICAS=2\n"}, 1,
     "min.insync.replicas: 1 -> 2.*.env:4: KAFKA_MIN_INSYNC_REPLICAS is handed to no container"),
    ({"c.yml": SERVICES.replace("%s", "run").replace("ACKS: all", "ACKS: ${ACKS}"), ".env":
      "# of orders\nACKS=1\n"}, 1, FIX),
    ({"c.yml": SERVICES.replace("%s", "run").replace("earliest", "${START:-latest}"), ".env":
      "SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET=earliest\nSTART=latest\n"}, 1, "latest -> earliest"),
])  # fmt: skip
def test_files_that_override_others_get_the_expected_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], code: int,
    expected: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, files)
    assert_answer(" ".join(files), COPIES if "compose.yml" in files else READS, code, expected)


@pytest.mark.parametrize("files", [
    {"application.yml": FILE, "c.yml": SERVICES.replace("%s", "run")},
    {"application.yml": FILE, "application-prod.yml": "a: b\n"},
    {"k.yml": f"{POD}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata:\n"
     "  application.yml: |\n    spring.kafka.producer.acks: all\n"},
])  # fmt: skip
def test_no_missing_file_is_reported_when_all_files_are_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, files)
    code, text = given(" ".join(files), READS)
    assert (code, "beneath" in text) == (0, False), text


@pytest.mark.parametrize("name", [".env", "compose.yml"])
def test_a_startup_file_is_not_refused_in_addition_to_another_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("application.yml").write_text(FILE.replace("all", "foo"))
    compose = "services:\n  a:\n    environment: {SPRING_PROFILES_ACTIVE: prod}\n"
    Path(name).write_text(compose if name == "compose.yml" else "DB_URL=x\n")
    code, text = given(f"{name} application.yml", READS)
    assert (code, "acks must be one of" in text, name in text) == (2, True, False), text
