"""A YES names the files and values that are missing and may state something else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, JAVA, assert_files
from tests.advisor.configurations.manifests import DEPLOYMENT
from tests.advisor.test_advise import run

COMPOSE = """services:
  orders:
    image: acme/orders
    {more}
    environment:
      SPRING_KAFKA_CONSUMER_GROUP_ID: orders
      SPRING_KAFKA_PRODUCER_ACKS: all
"""
FROM_MAP = (
    DEPLOYMENT
    + """\
        envFrom:
        - configMapRef: {name: common}
        env:
        - {name: SPRING_KAFKA_CONSUMER_GROUP_ID, value: orders}
"""
)
YML = "spring:\n  kafka.consumer.group-id: orders\n"
IMPORTS = f"{YML}  config.import: configtree:/etc/orders/\n"
PROFILE = f"{YML}  profiles.active: prod\n"
PLACEHOLDER = f"{YML}  profiles.active: ${{STAGE}}\n"
WITH_PROFILE = COMPOSE.format(more="stop_signal: SIGTERM") + "      SPRING_PROFILES_ACTIVE: prod\n"
SETTINGS = f"{JAVA} application.processing.errors=retry"
YES_IF = (
    "^YES, if the sources that were not given state nothing else: .*Not given, and may state what "
    "decides: the sources that "
)


@pytest.mark.parametrize(("files", "expected"), [
    ({"compose.yml": COMPOSE.format(more="env_file: orders.env"), "application.yml": YML},
     YES_IF + r"\S*compose.yml:4 names"),
    ({"compose.yml": COMPOSE.format(more="stop_signal: SIGTERM")},
     YES_IF + r"\S*compose.yml:6 names"),
    ({"d.yml": FROM_MAP, "application.yml": YML}, YES_IF + r"\S*d.yml:11 names"),
    ({"application.yml": IMPORTS}, YES_IF + r"\S*application.yml:3 names"),
    ({"application.yml": PROFILE}, YES_IF + r"\S*application.yml:3 names"),
    ({"application.yml": PLACEHOLDER}, YES_IF + r"\S*application.yml:3 names"),
    ({"compose.yml": WITH_PROFILE}, YES_IF + r"\S*compose.yml:8 names"),
    ({"application.yml": YML}, "^YES: "),
    ({"compose.yml": COMPOSE.format(more="stop_signal: SIGTERM"), "application.yml": YML},
     "^YES: "),
])  # fmt: skip
def test_a_yes_depends_on_files_that_are_missing(
    tmp_path: Path, files: dict[str, str], expected: str
) -> None:
    assert_files(tmp_path, files, SETTINGS, 0, expected)


def test_machine_readable_output_lists_missing_files(tmp_path: Path) -> None:
    path = tmp_path / "application.yml"
    for text, count in ((IMPORTS, 1), (YML, 0)):
        path.write_text(text)
        for kind in ("json", "sarif"):
            _, out, _ = run(str(path), "--format", kind)
            data = json.loads(out)
            report = data["runs"][0]["properties"] if kind == "sarif" else data
            assert len(report.get("not_given", ())) == count


CREATE = "kafka-topics.sh --create --topic a --replication-factor 3 --config min.insync.replicas=2 "
UNMANAGED = "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata:\n  name: a\n"
UNMANAGED += "  annotations: {strimzi.io/managed: '%s'}\n"
UNMANAGED += "spec: {replicas: 3, config: {min.insync.replicas: 2}}\n"
IGNORED = 'resource "kafka_topic" "a" {\n  replication_factor = 3\n'
IGNORED += '  config = { "min.insync.replicas" = "2" }\n%s}\n'


@pytest.mark.parametrize(("files", "expected"), [
    ({"s.sh": f"{CREATE}$OPTIONS\n"}, YES_IF + r"\S*s.sh:1 names"),
    ({"s.sh": f"{CREATE}\n"}, "^YES: "),
    ({"t.yaml": UNMANAGED % "false"}, YES_IF + r"\S*t.yaml:5 names"),
    ({"t.yaml": UNMANAGED % "true"}, "^YES: "),
    ({"m.tf": IGNORED % "  lifecycle {\n    ignore_changes = [config]\n  }\n"},
     YES_IF + r"\S*m.tf:5 names"),
    ({"m.tf": IGNORED % ""}, "^YES: "),
])  # fmt: skip
def test_a_yes_depends_on_whether_the_given_settings_are_in_force(
    tmp_path: Path, files: dict[str, str], expected: str
) -> None:
    assert_files(tmp_path, files, COPIES, 0, expected)
