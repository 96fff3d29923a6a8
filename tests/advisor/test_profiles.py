"""Spring's profiles: parts of its files that count only where a profile is on.

Expected from Spring Boot's reference ("Profiles", "Activation Properties", "Profile Specific
Files") and `Profiles.of` of Spring Framework.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_answer, given, write_files

RETRIED = f"{TOPIC} application.processing.errors=retry"
HEAD = "spring:\n  kafka:\n    consumer: {auto-offset-reset: earliest}\n    producer:\n"
BASE = f"{HEAD}      acks: all\n"
WEAK = f"{HEAD}      acks: 1\n"
ONE = "acks: 1 -> all"
CHOOSE = "acks differs between profile default and profile {0}, .*--only default, --only {0}"


def on(profile: str, text: str = "spring.kafka.producer.acks: 1\n") -> str:
    return f"---\nspring.config.activate.on-profile: {profile}\n{text}"


def groups(profile: str, *names: str) -> str:
    return f"spring.profiles.group.{profile}: [{', '.join(names)}]\n---\n{BASE}"


PARTS = [
    # what decides is refused until one is chosen
    (BASE + on("prod"), "", 2, f"application.yml:8: {CHOOSE.format('prod')}"),
    (BASE + on("prod"), "--only prod", 1, ONE),
    (BASE + on("prod"), "--only default", 0, "YES"),
    (f"{BASE}---\nspring.profiles: prod\nspring.kafka.producer.acks: 1\n", "", 2,
     CHOOSE.format("prod")),
    (f"{BASE}---\nspring:\n  config: {{activate: {{onProfile: [prod]}}}}\n"
     "  kafka: {producer: {acks: 1}}\n", "", 2, CHOOSE.format("prod")),
    (f"{BASE}---\nspring.config.activate.on-cloud-platform: kubernetes\n"
     "spring.kafka.producer.acks: 1\n", "", 2, CHOOSE.format("kubernetes")),
    (BASE + on("prod") + on("dev"), "", 2, "profile prod, .* --only default, --only prod, --only"),
    (BASE + on("dev, test"), "", 2, "--only default, --only dev, --only test"),
    (BASE + on("prod", "spring.kafka.producer.acks: ${ACKS}\n"), "", 2,
     "Write the value that counts. That is in profile prod"),
    # what decides nothing, and what is the default anyway
    (BASE + on("prod", "spring.kafka.bootstrap-servers: b:9092\n"), "", 0,
     "application.yml:7: profile prod sets nothing else that decides"),
    (BASE + on("prod", "spring.kafka.producer.acks: -1\n"), "", 0, "YES"),
    (BASE + on("prod", "spring.kafka.listener.ack-mode: batch\n"), "", 0, "YES"),
    # expressions
    (BASE + on('"!dev"'), "", 2, CHOOSE.format("dev")),
    (BASE + on('"!dev"'), "--only default", 1, ONE),
    (BASE + on('"!dev"'), "--only dev", 0, "YES"),
    (BASE + on('"prod & (eu | us)"'), "", 2, "prod and eu and us, .*--only prod --only eu"),
    (BASE + on('"prod & (eu | us)"'), "--only prod --only eu", 1, ONE),
    (BASE + on('"prod & (eu | us)"'), "--only prod", 0, "YES"),
    # which profiles are on
    (groups("live", "prod") + on("prod"), "--only live", 1, ONE),
    (groups("live", "prod") + on("prod"), "", 2, "--only live, --only prod"),
    (f"spring.profiles.include: prod\n---\n{BASE}{on('prod')}", "", 1, ONE),
    (f"spring.profiles.active: prod\n---\n{BASE}{on('prod')}", "", 1, ONE),
    (f"spring.profiles.active: dev\n---\n{BASE}{on('prod')}", "", 2, "dev and profile prod"),
    # a later part goes before an earlier one
    (on("prod") + "---\n" + BASE, "", 0, "YES"),
    # without a profile there is no Kafka
    (on("prod", WEAK), "", 1, ONE),
    (on("prod", WEAK) + on("dev", BASE), "", 2, "profile prod and profile dev"),
    (BASE + on("prod"), "--only prud", 2, CHOOSE.format("prod")),
    (BASE, "--only prud", 2, "no file has a client or profile of that name"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "options", "code", "expected"), PARTS)
def test_a_part_of_a_profile(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    options: str,
    code: int,
    expected: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("application.yml").write_text(text)
    assert_answer(f"application.yml {options}", RETRIED, code, expected)


def active(profile: str) -> str:
    return f"spring.profiles.active: {profile}\n---\n{BASE}"


PROD_ALONE = "profile prod is on, and nothing of it is here: application-prod.yml goes"
FILLED = "application.yml:1: which profile is on is filled in when the application starts"
LIVE = f"spring.profiles.group.live: [prod]\nspring.profiles.active: live\n---\n{BASE}"


@pytest.mark.parametrize(("files", "options", "expected"), [
    ({"application.yml": active("prod")}, "", f"application.yml:1: {PROD_ALONE}"),
    ({"application.yml": active("eu, prod") + on("eu", "a.b: 1\n")}, "", PROD_ALONE),
    ({"application.yml": LIVE}, "", f"application.yml:1: {PROD_ALONE}"),
    ({"application.yml": groups("live", "prod") + on("live", "a.b: 1\n")}, "--only live",
     PROD_ALONE),
    ({"application.yml": f"spring.profiles.include: prod\n---\n{BASE}"}, "", PROD_ALONE),
    ({"application.yml": active("prod") + on('"!prod"', "a.b: 1\n")}, "", PROD_ALONE),
    ({"application.yml": active("'${STAGE:prod}'")}, "", PROD_ALONE),
    ({"application.yml": active("'${STAGE}'")}, "", FILLED),
    ({"application.yml": active("'@profile.active@'")}, "", FILLED),
])  # fmt: skip
def test_a_profile_that_is_on_and_not_here_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], options: str,
    expected: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, files)
    assert_answer(f"{' '.join(files)} {options}", RETRIED, 0, f"YES.*{expected}")


@pytest.mark.parametrize("files", [
    {"application.yml": active("prod") + on("prod | dev", "a.b: 1\n")},
    {"application.yml": active("prod"), "application-prod.yml": "a.b: 1\n"},
    {"application.yml": BASE},
], ids=["part", "file", "none is on"])  # fmt: skip
def test_a_profile_that_is_here_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, files)
    code, said = given(" ".join(files), RETRIED)
    assert code == 0, said
    assert "nothing of it is here" not in said


PROD = {"application.yml": BASE, "application-prod.yml": "spring.kafka.producer.acks: 1\n"}
FILES = [
    (PROD, "", 2, f"application-prod.yml:1: {CHOOSE.format('prod')}"),
    (PROD, "--only prod", 1, "application-prod.yml:1: acks replaces application.yml:5"),
    (PROD, "--only default", 0, "YES"),
    # whichever is named first, a file of a profile goes before one of none
    (dict(reversed(PROD.items())), "--only prod", 1, ONE),
    # what Spring sets itself it sets once
    ({"application.yml": f"{BASE}---\nspring.kafka.consumer.enable-auto-commit: true\n",
      "application-prod.yml": "spring.kafka.consumer.max-poll-records: 500\n"}, "--only prod", 0,
     "YES"),
    ({"application-prod.yml": WEAK, "application-dev.yml": BASE}, "", 2,
     "profile (prod and profile dev|dev and profile prod)"),
    ({"application-prod.yml": WEAK, "application-dev.yml": BASE}, "--only dev", 0, "YES"),
    # of one folder's two kinds properties go before YAML
    ({"application.properties": "spring.kafka.producer.acks=1\n", "application.yml": BASE}, "", 1,
     "application.properties:1: acks replaces application.yml:5"),
    # one file alone is what it is
    ({"application-prod.yml": BASE}, "", 0, "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "options", "code", "expected"), FILES)
def test_files_of_one_application_are_read_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], options: str, code: int,
    expected: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, files)
    assert_answer(f"{' '.join(files)} {options}", RETRIED, code, expected)


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\ndata:\n"


@pytest.mark.parametrize(("options", "code", "expected"), [
    ("", 2, f"map.yml:11: {CHOOSE.format('prod')}"), ("--only prod", 1, ONE),
    ("--only default", 0, "YES"),
])  # fmt: skip
def test_files_of_one_config_map_are_read_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: str, code: int, expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    data = "".join(f"  {name}: |\n{_indented(text)}" for name, text in PROD.items())
    Path("map.yml").write_text(f"{CONFIG_MAP}{data}")
    assert_answer(f"map.yml {options}", RETRIED, code, expected)
