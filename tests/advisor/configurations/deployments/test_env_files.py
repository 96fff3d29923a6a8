"""Env files of services in a compose file, and the variables that the services state themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import (
    TOPIC,
    assert_answer,
    assert_file,
    assert_files,
    assert_in_any_order,
    write_files,
)

RESET = "SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET"
APP = "    image: acme/app\n    env_file: %s\n    environment:\n      %s\n"
SERVICE = "services:\n  app:\n" + APP
ADDRESS = "SPRING_KAFKA_BOOTSTRAP_SERVERS: k:9092"
LATEST, EARLIEST = f"{RESET}=latest\n", f"{RESET}=earliest\n"
SETTINGS = f"{TOPIC} application.processing.errors=retry"
LISTED = "\n      - path: a.env\n        required: false\n      - b.env"


@pytest.mark.parametrize(("files", "code", "expected"), [
    ({"c.yml": SERVICE % ("a.env", f"{RESET}: earliest"), "a.env": LATEST}, 0,
     f"YES.*a.env:1: {RESET}: a value in the service.s environment"),
    ({"c.yml": SERVICE % ("a.env", f"- {RESET}=latest"), "a.env": EARLIEST}, 1,
     "NO.*latest -> earliest"),
    ({"c.yml": SERVICE % ("[a.env]", ADDRESS), "a.env": EARLIEST}, 0, "YES"),
    ({"c.yml": SERVICE % ("[a.env, b.env]", ADDRESS), "a.env": LATEST, "b.env": EARLIEST}, 0,
     "YES"),
    ({"c.yml": SERVICE % (LISTED, ADDRESS), "a.env": EARLIEST, "b.env": LATEST}, 1,
     "latest -> earliest"),
    ({"c.yml": SERVICE % (".env", f"{RESET}: earliest"), ".env": LATEST + "DB_URL=x\n"}, 0, "YES"),
    # one of two services with this file has no value of its own
    ({"c.yml": SERVICE % ("a.env", f"{RESET}: earliest") + "  other:\n" + APP % ("a.env", ADDRESS),
      "a.env": LATEST}, 2, "a pipeline has one"),
    # a variable without a value takes it from the shell that starts compose, if set
    ({"c.yml": SERVICE % ("a.env", f"- {RESET}"), "a.env": LATEST}, 2, "has no value here"),
])  # fmt: skip
def test_variables_of_a_service_override_its_env_files(
    tmp_path: Path, files: dict[str, str], code: int, expected: str
) -> None:
    assert_in_any_order(tmp_path, files, SETTINGS, code, expected)


CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  %s: %s\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec:\n  containers:\n  - name: a\n"
POD += "    image: a\n"
POD_ENV = POD + f"    env:\n    - name: {RESET}\n      value: %s\n"
ENV_FROM = "    envFrom:\n    - configMapRef: {name: c}\n"


@pytest.mark.parametrize(("parts", "code", "expected"), [
    ([CONFIG % (RESET, "latest"), POD_ENV % ("p", "earliest") + ENV_FROM], 0, "YES"),
    ([CONFIG % (RESET, "earliest"), POD_ENV % ("p", "latest") + ENV_FROM], 1, "latest -> earliest"),
    ([CONFIG % (RESET, "earliest"), POD_ENV % ("p", "earliest") + ENV_FROM], 0, "YES"),
    ([CONFIG % (RESET, "earliest"), POD_ENV % ("p", "latest")], 2, "is used by no container"),
    ([CONFIG % (RESET, "earliest"), POD_ENV % ("p", "latest") + ENV_FROM, POD % "q" + ENV_FROM], 2,
     "has another value than on line"),
])  # fmt: skip
def test_variables_of_a_container_override_its_config_maps(
    tmp_path: Path, parts: list[str], code: int, expected: str
) -> None:
    for text in ("---\n".join(parts), "---\n".join(parts[::-1])):
        write_files(tmp_path, {"k.yaml": text})
        assert_answer(str(tmp_path / "k.yaml"), SETTINGS, code, expected)


NAMES = "spring:\n  kafka:\n    consumer: {auto-offset-reset: earliest}\n    "
CLIENT_PART, SHARED = "producer: {properties: {acks: %s}}", "properties: {acks: %s}"
OWN_NAME = "producer: {acks: %s}"
VARIABLES = {CLIENT_PART: "SPRING_KAFKA_PRODUCER_PROPERTIES_ACKS", OWN_NAME:
             "SPRING_KAFKA_PRODUCER_ACKS", SHARED: "SPRING_KAFKA_PROPERTIES_ACKS"}  # fmt: skip


@pytest.mark.parametrize(("file", "variable", "winner"), [
    (CLIENT_PART, OWN_NAME, "file"), (CLIENT_PART, SHARED, "file"), (OWN_NAME, SHARED, "file"),
    (SHARED, OWN_NAME, "variable"), (OWN_NAME, CLIENT_PART, "variable"),
    (OWN_NAME, OWN_NAME, "variable"),
])  # fmt: skip
def test_the_same_one_of_two_spring_names_counts_in_files_and_variables(
    tmp_path: Path, file: str, variable: str, winner: str
) -> None:
    """KafkaProperties.buildProducerProperties: the sources of each name are separate."""
    for weak_place in ("file", "variable"):
        texts = {place: "1" if place == weak_place else "all" for place in ("file", "variable")}
        file_text = NAMES + file % texts["file"] + "\n"
        pod = POD % "p" + f"    env:\n    - name: {VARIABLES[variable]}\n      value: "
        inner = "".join(f"    {line}\n" for line in file_text.splitlines())
        write_files(tmp_path, {
            "application.yml": file_text, ".env": f"{VARIABLES[variable]}={texts['variable']}\n",
            "k.yaml": CONFIG % ("application.yml", "|\n" + inner) + f"---\n{pod}"
            f"'{texts['variable']}'\n",
        })  # fmt: skip
        code, words = (1, "acks: 1 -> all") if winner == weak_place else (0, "YES")
        assert_answer(f"{tmp_path}/application.yml {tmp_path}/.env", SETTINGS, code, words)
        assert_answer(f"{tmp_path}/k.yaml", SETTINGS, code, words)


GROUP = "SPRING_KAFKA_CONSUMER_GROUP_ID=g\n"


@pytest.mark.parametrize(("file", "settings", "code", "expected"), [
    ("consumer: {auto-offset-reset: earliest, enable-auto-commit: true}",
     "application.processing=asynchronous", 1, "enable.auto.commit=true with application.proc"),
    ("consumer: {auto-offset-reset: earliest}\n  producer: {transaction-id-prefix: a}", "", 0,
     "YES.*application.commit=in-transaction"),
])  # fmt: skip
def test_a_spring_default_does_not_override_a_value_in_another_file(
    tmp_path: Path, file: str, settings: str, code: int, expected: str
) -> None:
    write_files(tmp_path, {"application.yml": f"spring.kafka:\n  {file}\n", ".env": GROUP})
    paths = f"{tmp_path}/application.yml {tmp_path}/.env"
    assert_answer(paths, f"{SETTINGS} {settings}", code, expected)


@pytest.mark.parametrize(("name", "changes"), [
    ("PRODUCER_ACKS=1", "acks: 1 -> all"),
    ("CONSUMER_AUTO_OFFSET_RESET=latest", "auto.offset.reset: latest -> earliest"),
    ("MAIN_CONSUMER_AUTO_OFFSET_RESET=latest", "auto.offset.reset: latest -> earliest"),
    ("TOPIC_MIN_INSYNC_REPLICAS=1", "streams.topic.min.insync.replicas: 1 -> 2"),
])  # fmt: skip
def test_a_variable_sets_a_client_inside_kafka_streams(
    tmp_path: Path, name: str, changes: str
) -> None:
    variables = "SPRING_KAFKA_STREAMS_APPLICATION_ID=a\nSPRING_KAFKA_STREAMS_PROPERTIES_"
    settings = f"{TOPIC} streams.replication.factor=3"
    settings += "" if "TOPIC" in name else " streams.topic.min.insync.replicas=2"
    assert_file(tmp_path / ".env", f"{variables}{name}\n", "", settings, 1, changes)


PLAIN = "services:\n  app:\n    build: .\n%s  db: {image: 'postgres:16'}\n"
SPRING = "spring.kafka:\n  consumer: {group-id: g, auto-offset-reset: earliest}\n"
CI = "services:\n  - postgres:16\nbuild:\n  image: maven\n"


@pytest.mark.parametrize(("files", "code", "expected"), [
    ({"c.yml": PLAIN % "", "application.yml": SPRING}, 0, "^YES"),
    ({"c.yml": PLAIN % "    env_file: a.env\n", "a.env": LATEST, "application.yml": SPRING}, 1,
     "latest -> earliest"),
    ({"c.yml": PLAIN % "    volumes: ['./prod.yml:/config/application.yml']\n",
      "application.yml": SPRING}, 0, "a mounted file prod.yml may contain settings"),
    ({"c.yml": PLAIN % ""}, 2, "no setting of Kafka is in this file"),
    ({"ci.yml": CI, "application.yml": SPRING}, 2, "YAML of a kind that we do not know"),
])  # fmt: skip
def test_services_without_kafka_settings_get_the_expected_answer(
    tmp_path: Path, files: dict[str, str], code: int, expected: str
) -> None:
    """Such a compose file is usual next to an application's files; alone it states nothing."""
    assert_files(tmp_path, files, SETTINGS, code, expected)
