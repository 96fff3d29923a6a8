"""Spring's profiles: documents and files that apply only if a profile is active.

The expected results follow Spring Boot's reference ("Profiles", "Activation Properties", "Profile
Specific Files") and `Profiles.of` of Spring Framework.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_answer, given, write_files

RETRY_STATED = f"{TOPIC} application.processing.errors=retry"
HEAD = "spring:\n  kafka:\n    consumer: {auto-offset-reset: earliest}\n    producer:\n"
BASE = f"{HEAD}      acks: all\n"
WEAK = f"{HEAD}      acks: 1\n"
CHANGE_OF_ACKS = "acks: 1 -> all"
CHOOSE = "acks differs between profile default and profile {0}, .*--only default, --only {0}"


def document(profile: str, text: str = "spring.kafka.producer.acks: 1\n") -> str:
    return f"---\nspring.config.activate.on-profile: {profile}\n{text}"


def group(profile: str, *names: str) -> str:
    return f"spring.profiles.group.{profile}: [{', '.join(names)}]\n---\n{BASE}"


DOCUMENTS = [
    # differing values that decide are refused until a profile is chosen
    (BASE + document("prod"), "", 2, f"application.yml:8: {CHOOSE.format('prod')}"),
    (BASE + document("prod"), "--only prod", 1, CHANGE_OF_ACKS),
    (BASE + document("prod"), "--only default", 0, "YES"),
    (f"{BASE}---\nspring.profiles: prod\nspring.kafka.producer.acks: 1\n", "", 2,
     CHOOSE.format("prod")),
    (f"{BASE}---\nspring:\n  config: {{activate: {{onProfile: [prod]}}}}\n"
     "  kafka: {producer: {acks: 1}}\n", "", 2, CHOOSE.format("prod")),
    (f"{BASE}---\nspring.config.activate.on-cloud-platform: kubernetes\n"
     "spring.kafka.producer.acks: 1\n", "", 2, CHOOSE.format("kubernetes")),
    (BASE + document("prod") + document("dev"), "", 2,
     "profile prod, .* --only default, --only prod, --only"),
    (BASE + document("dev, test"), "", 2, "--only default, --only dev, --only test"),
    (BASE + document("prod", "spring.kafka.producer.acks: ${ACKS}\n"), "", 2,
     "Write the value that counts. That is in profile prod"),
    # values that decide nothing, and values equal to the default
    (BASE + document("prod", "spring.kafka.bootstrap-servers: b:9092\n"), "", 0,
     "application.yml:7: profile prod sets nothing else that decides"),
    (BASE + document("prod", "spring.kafka.producer.acks: -1\n"), "", 0, "YES"),
    (BASE + document("prod", "spring.kafka.listener.ack-mode: batch\n"), "", 0, "YES"),
    # profile expressions
    (BASE + document('"!dev"'), "", 2, CHOOSE.format("dev")),
    (BASE + document('"!dev"'), "--only default", 1, CHANGE_OF_ACKS),
    (BASE + document('"!dev"'), "--only dev", 0, "YES"),
    (BASE + document('"prod & (eu | us)"'), "", 2, "prod and eu and us, .*--only prod --only eu"),
    (BASE + document('"prod & (eu | us)"'), "--only prod --only eu", 1, CHANGE_OF_ACKS),
    (BASE + document('"prod & (eu | us)"'), "--only prod", 0, "YES"),
    # active profiles
    (group("live", "prod") + document("prod"), "--only live", 1, CHANGE_OF_ACKS),
    (group("live", "prod") + document("prod"), "", 2, "--only live, --only prod"),
    (f"spring.profiles.include: prod\n---\n{BASE}{document('prod')}", "", 1, CHANGE_OF_ACKS),
    (f"spring.profiles.active: prod\n---\n{BASE}{document('prod')}", "", 1, CHANGE_OF_ACKS),
    (f"spring.profiles.active: dev\n---\n{BASE}{document('prod')}", "", 2, "dev and profile prod"),
    # a later document overrides an earlier one
    (document("prod") + "---\n" + BASE, "", 0, "YES"),
    # Kafka is configured in profiles only
    (document("prod", WEAK), "", 1, CHANGE_OF_ACKS),
    (document("prod", WEAK) + document("dev", BASE), "", 2, "profile prod and profile dev"),
    (BASE + document("prod"), "--only prud", 2, CHOOSE.format("prod")),
    (BASE, "--only prud", 2, "no file has a client or profile of that name"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "options", "code", "expected"), DOCUMENTS)
def test_a_document_of_a_profile(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    options: str,
    code: int,
    expected: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("application.yml").write_text(text)
    assert_answer(f"application.yml {options}", RETRY_STATED, code, expected)


def with_active(profile: str) -> str:
    return f"spring.profiles.active: {profile}\n---\n{BASE}"


PROD_IS_MISSING = "profile prod is on, and nothing of it is here: application-prod.yml takes"
PLACEHOLDER_NOTE = "application.yml:1: which profile is on is filled in when the application starts"
ACTIVE_GROUP = f"spring.profiles.group.live: [prod]\nspring.profiles.active: live\n---\n{BASE}"


@pytest.mark.parametrize(("files", "options", "expected"), [
    ({"application.yml": with_active("prod")}, "", f"application.yml:1: {PROD_IS_MISSING}"),
    ({"application.yml": with_active("eu, prod") + document("eu", "a.b: 1\n")}, "",
     PROD_IS_MISSING),
    ({"application.yml": ACTIVE_GROUP}, "", f"application.yml:1: {PROD_IS_MISSING}"),
    ({"application.yml": group("live", "prod") + document("live", "a.b: 1\n")}, "--only live",
     PROD_IS_MISSING),
    ({"application.yml": f"spring.profiles.include: prod\n---\n{BASE}"}, "", PROD_IS_MISSING),
    ({"application.yml": with_active("prod") + document('"!prod"', "a.b: 1\n")}, "",
     PROD_IS_MISSING),
    ({"application.yml": with_active("'${STAGE:prod}'")}, "", PROD_IS_MISSING),
    ({"application.yml": with_active("'${STAGE}'")}, "", PLACEHOLDER_NOTE),
    ({"application.yml": with_active("'@profile.active@'")}, "", PLACEHOLDER_NOTE),
])  # fmt: skip
def test_an_active_profile_without_its_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], options: str,
    expected: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, files)
    assert_answer(f"{' '.join(files)} {options}", RETRY_STATED, 0, f"YES.*{expected}")


@pytest.mark.parametrize("files", [
    {"application.yml": with_active("prod") + document("prod | dev", "a.b: 1\n")},
    {"application.yml": with_active("prod"), "application-prod.yml": "a.b: 1\n"},
    {"application.yml": BASE},
], ids=["part", "file", "none is on"])  # fmt: skip
def test_an_active_profile_with_its_settings_is_not_reported_as_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, files)
    code, output = given(" ".join(files), RETRY_STATED)
    assert code == 0, output
    assert "nothing of it is here" not in output


PROD = {"application.yml": BASE, "application-prod.yml": "spring.kafka.producer.acks: 1\n"}
FILES = [
    (PROD, "", 2, f"application-prod.yml:1: {CHOOSE.format('prod')}"),
    (PROD, "--only prod", 1, "application-prod.yml:1: acks replaces application.yml:5"),
    (PROD, "--only default", 0, "YES"),
    # a file of a profile overrides the common file in any order
    (dict(reversed(PROD.items())), "--only prod", 1, CHANGE_OF_ACKS),
    # the defaults that Spring sets are applied once
    ({"application.yml": f"{BASE}---\nspring.kafka.consumer.enable-auto-commit: true\n",
      "application-prod.yml": "spring.kafka.consumer.max-poll-records: 500\n"}, "--only prod", 0,
     "YES"),
    ({"application-prod.yml": WEAK, "application-dev.yml": BASE}, "", 2,
     "profile (prod and profile dev|dev and profile prod)"),
    ({"application-prod.yml": WEAK, "application-dev.yml": BASE}, "--only dev", 0, "YES"),
    # in one folder .properties files override YAML files
    ({"application.properties": "spring.kafka.producer.acks=1\n", "application.yml": BASE}, "", 1,
     "application.properties:1: acks replaces application.yml:5"),
    # a single file of a profile is read as it is
    ({"application-prod.yml": BASE}, "", 0, "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("files", "options", "code", "expected"), FILES)
def test_the_files_of_one_application_are_read_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], options: str, code: int,
    expected: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, files)
    assert_answer(f"{' '.join(files)} {options}", RETRY_STATED, code, expected)


CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\ndata:\n"


@pytest.mark.parametrize(("options", "code", "expected"), [
    ("", 2, f"map.yml:11: {CHOOSE.format('prod')}"), ("--only prod", 1, CHANGE_OF_ACKS),
    ("--only default", 0, "YES"),
])  # fmt: skip
def test_the_files_of_one_config_map_are_read_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: str, code: int, expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    data = "".join(f"  {name}: |\n{indent(text, '    ')}" for name, text in PROD.items())
    Path("map.yml").write_text(f"{CONFIG_MAP}{data}")
    assert_answer(f"map.yml {options}", RETRY_STATED, code, expected)
