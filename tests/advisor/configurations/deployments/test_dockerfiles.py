"""Settings in the image of an application, alone and together with the application's files."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.advisor.configurations.asking import assert_answer, assert_files, write_files

SETTINGS = (
    "topic.replication.factor=3 topic.min.insync.replicas=2 application.processing.errors=retry"
)
SETTINGS += " consumer.auto.offset.reset=earliest"
JRE, ACKS_1 = "FROM eclipse-temurin:21\n", "ENV SPRING_KAFKA_PRODUCER_ACKS=1\n"
ACKS_ALL = "ENV SPRING_KAFKA_PRODUCER_ACKS=all\n"
ARGUMENT, ACKS = "--spring.kafka.producer.acks=1", "acks: 1 -> all"
IMAGES = [
    (f"{JRE}{ACKS_1}", 1, ACKS),
    (f"{JRE}{ACKS_1}{ACKS_ALL}", 0, "YES"),
    (f"{JRE}ENV A=b \\\n  # why\n  SPRING_KAFKA_PRODUCER_ACKS='1'\n", 1, ACKS),
    (f"{JRE}ENV SPRING_KAFKA_PRODUCER_ACKS 1\n", 1, ACKS),
    (f"{JRE}ENV JAVA_OPTS='-Xmx1g -Dspring.kafka.producer.acks=1'\nCMD java\n", 1, ACKS),
    # the last stage, and the stages that it is built from
    (f"FROM maven AS build\n{ACKS_1}{JRE}{ACKS_ALL}", 0, "YES"),
    (f"FROM jre AS base\n{ACKS_1}FROM base\nCMD java -jar a.jar\n", 1, ACKS),
    (f"FROM --platform=linux/amd64 jre as base\n{ACKS_ALL}FROM base\n{ACKS_1}", 1, ACKS),
    # build arguments
    (f"ARG ACKS=1\n{JRE}ARG ACKS\nENV SPRING_KAFKA_PRODUCER_ACKS=$ACKS\n", 1, ACKS),
    (f"{JRE}ARG ACKS=1\nENV SPRING_KAFKA_PRODUCER_ACKS=${{ACKS:-all}}\n{ACKS_1}", 1, ACKS),
    (f"{JRE}ENV SPRING_KAFKA_PRODUCER_ACKS=${{ACKS}}\n", 2, "Dockerfile:2: .*filled in"),
    # the command and its arguments
    (f"{JRE}{ACKS_ALL}CMD java -jar a.jar {ARGUMENT}\n", 1, ACKS),
    (f'{JRE}{ACKS_ALL}ENTRYPOINT ["java", "-jar", "a.jar"]\nCMD ["{ARGUMENT}"]\n', 1, ACKS),
    (f"{JRE}{ACKS_ALL}ENTRYPOINT java -jar a.jar\nCMD {ARGUMENT}\n", 0, "YES"),
    (f"{JRE}{ACKS_ALL}CMD export SPRING_KAFKA_PRODUCER_ACKS=1 && java -jar a.jar\n", 1, ACKS),
    (f"FROM jre AS base\n{ACKS_ALL}CMD {ARGUMENT}\nFROM base\nENTRYPOINT [\"java\"]\n", 0, "YES"),
    (f"FROM jre AS base\n{ACKS_ALL}ENTRYPOINT [\"java\"]\nFROM base\nCMD {ARGUMENT}\n", 1, ACKS),
    # text that is written to a file, and text that only looks like an instruction
    (f"{JRE}{ACKS_ALL}RUN echo acks=1 >> a.properties\n", 2, "acks is written by this command"),
    (f"{JRE}{ACKS_ALL}RUN <<EOF\n{ACKS_1}EOF\n", 0, "YES"),
    (f"{JRE}{ACKS_ALL}COPY application.yml .\n", 0, "a file application.yml may contain settings"),
    ("FROM apache/kafka:4.1.0\nENV KAFKA_MIN_INSYNC_REPLICAS=2\n", 2, "image of a server of Kafka"),
    ("FROM own\nENV KAFKA_NODE_ID=1 KAFKA_MIN_INSYNC_REPLICAS=2\n", 2, "image of a server of Kaf"),
]  # fmt: skip
YAML = "spring:\n  kafka:\n    producer: {acks: all}\n"
CHANNEL = "mp.messaging.outgoing.p.connector=smallrye-kafka\nmp.messaging.outgoing.p.acks=all\n"
WITH_FILES = [
    ({"Dockerfile": f"{JRE}{ACKS_1}COPY application.yml .\n", "application.yml": YAML}, 1, ACKS),
    ({"Dockerfile": f"{JRE}COPY application.yml .\nCMD a\n", "application.yml": YAML}, 0,
     "YES(?!.*may contain settings)"),
    ({"Dockerfile": f"{JRE}ENV A=1\n",
      "application.yml": YAML.replace("all", '"${A}"')}, 1, ACKS),
    ({"Dockerfile": f"{JRE}ENV MP_MESSAGING_OUTGOING_P_ACKS=1\n",
      "application.properties": CHANNEL}, 1, ACKS),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "expected"), IMAGES)
def test_settings_of_an_image_count_for_its_application(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    write_files(tmp_path, {"Dockerfile": text})
    assert_answer(str(tmp_path / "Dockerfile"), SETTINGS, code, expected)


@pytest.mark.parametrize(("files", "code", "expected"), WITH_FILES)
def test_variables_of_an_image_override_the_files_of_its_application(
    tmp_path: Path, files: dict[str, str], code: int, expected: str
) -> None:
    assert_files(tmp_path, files, SETTINGS, code, expected)


def test_a_value_that_doubles_with_each_line_is_truncated(tmp_path: Path) -> None:
    text = f"{JRE}ENV A=aa\n" + "ENV A=$A$A\n" * 5_000 + ACKS_1
    write_files(tmp_path, {"Dockerfile": text})
    assert_answer(str(tmp_path / "Dockerfile"), SETTINGS, 1, ACKS)


@pytest.mark.parametrize(("text", "code", "expected"), [
    (JRE + "".join(f"ENV V{number}=$V{number}x\n" for number in range(40_000)) + ACKS_1, 1, ACKS),
    (JRE.replace("\n", " AS a\n") + "".join(f"ENV V{number}=x\n" for number in range(20_000))
     + "FROM a AS b\n" * 20_000 + ACKS_1, 2, "more stages than any image has"),
    (JRE + "ENV A=" + "$B" * 200_000 + "\n" + ACKS_1, 1, ACKS),
])  # fmt: skip
def test_a_long_file_is_read_within_seconds(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    start = time.process_time()
    write_files(tmp_path, {"Dockerfile": text})
    assert_answer(str(tmp_path / "Dockerfile"), SETTINGS, code, expected)
    assert time.process_time() - start < 10
