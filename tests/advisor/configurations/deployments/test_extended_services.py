"""Services of a compose file that extend another one in it (Compose file reference, `extends`;
compose-go loader/extends.go, override/merge.go)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import assert_answer, write_files

SETTINGS = (
    "topic.replication.factor=3 topic.min.insync.replicas=2 application.processing.errors=retry"
)
SETTINGS += " consumer.auto.offset.reset=earliest"
ACKS, GROUP = "SPRING_KAFKA_PRODUCER_ACKS", "SPRING_KAFKA_CONSUMER_GROUP_ID"
FILE = """services:
  base:
    image: nginx
    {base}
  app:
    extends: {extends}
    image: app
    {own}
"""


def file(base: str, own: str = "", extends: str = "{service: base}") -> dict[str, str]:
    return {"compose.yml": FILE.format(base=base, own=own, extends=extends)}


ACKS_1, ACKS_ALL = f'environment: {{{ACKS}: "1"}}', f"environment: {{{ACKS}: all}}"
EXTENDED = [
    (file(ACKS_1), "", 1, "acks: 1 -> all"),
    (file(ACKS_1, extends="base"), "", 1, "acks: 1 -> all"),
    (file(ACKS_ALL, f"environment: {{{GROUP}: g}}"), "", 0, "YES"),
    # both run, and the values of the extending service override the base
    (file(ACKS_1, f"environment: ['{ACKS}=all']"), "", 2, "several producers.*--only base"),
    (file(ACKS_1, f"environment: ['{ACKS}=all']"), "--only app", 0, "YES"),
    (file(ACKS_ALL, f"environment: ['{ACKS}=1']"), "--only app", 1, "acks: 1 -> all"),
    # a command replaces that of the base
    (file(f"{ACKS_ALL}\n    command: --spring.kafka.producer.acks=1"), "", 1, "acks: 1 -> all"),
    (file(f"{ACKS_ALL}\n    command: --spring.kafka.producer.acks=1", "command: x"), "--only app",
     0,
     "YES"),
    # variables override env files, whichever of the two services states them
    (file(ACKS_ALL, "env_file: a.env") | {"a.env": f"{ACKS}=1\n{GROUP}=g\n"}, "", 0, "YES"),
    (file("env_file: a.env", f"environment: {{{GROUP}: g}}") | {"a.env": f"{ACKS}=1\n"}, "", 1,
     "acks: 1 -> all"),
    (file("env_file: a.env", ACKS_ALL) | {"a.env": f"{ACKS}=1\n{GROUP}=g\n"}, "", 2, "has one"),
    # a base in another file, services that extend each other, and one more server
    (file(ACKS_1, extends="{service: base, file: other.yml}"), "", 2, "docker compose config"),
    (file(f"extends: app\n    {ACKS_1}"), "", 2, "docker compose config"),
    (file("environment: {KAFKA_NODE_ID: 1}", ACKS_ALL), "", 2, "docker compose config"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "options", "code", "expected"), EXTENDED)
def test_a_service_inherits_from_the_one_that_it_extends(
    tmp_path: Path, files: dict[str, str], options: str, code: int, expected: str
) -> None:
    write_files(tmp_path, files)
    paths = " ".join(str(tmp_path / name) for name in files)
    assert_answer(f"{options} {paths}", SETTINGS, code, expected)


def test_a_long_chain_of_extended_services_is_refused(tmp_path: Path) -> None:
    names = "".join(f"\n      V{number}: x" for number in range(200))
    text = f"services:\n  s0:\n    image: a\n    environment:\n      {ACKS}: '1'{names}\n"
    text += "".join(f"  s{number}: {{extends: s{number - 1}}}\n" for number in range(1, 1_000))
    path = tmp_path / "compose.yml"
    path.write_text(text)
    assert_answer(str(path), SETTINGS, 2, "docker compose config")
