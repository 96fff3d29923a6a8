"""`manage.py doctor` on this machine."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection

from config import doctor
from labs.engine.distributions import distribution

pytestmark = pytest.mark.django_db


def run_doctor(*arguments):
    """Runs the command and returns its exit code and output."""
    out = StringIO()
    try:
        call_command("doctor", *arguments, stdout=out)
    except SystemExit as ended:
        return ended.code, out.getvalue()
    return 0, out.getvalue()


def test_json_lists_every_check():
    code, out = run_doctor("--json")
    answer = json.loads(out)
    assert [finding["name"] for finding in answer["findings"]] == [
        *("python", "packages", "java", "jars", "redis", "redis running"),
        *("database", "worker", "capacity", "disk", "chromium"),
    ]
    assert answer["ok"] is (code == 0)
    assert all(finding["fix"] for finding in answer["findings"] if not finding["ok"])


def test_a_missing_java_exits_with_1_and_names_the_remedy(monkeypatch, tmp_path):
    monkeypatch.setenv("LAB_JAVA", str(tmp_path / "no-java"))
    code, out = run_doctor()
    assert code == 1
    assert "MISSING  java" in out
    assert "→ make setup" in out


@pytest.mark.parametrize("variable", ["LAB_CACHE_DIR", "XDG_CACHE_HOME"])
def test_a_cache_folder_that_cannot_be_created_is_a_finding(monkeypatch, tmp_path, variable):
    (tmp_path / "file").touch()
    monkeypatch.delenv("LAB_CACHE_DIR", raising=False)
    monkeypatch.setenv(variable, str(tmp_path / "file" / "cache"))
    code, out = run_doctor()
    assert code == 1
    assert "MISSING  jars" in out
    assert "or set LAB_CACHE_DIR to another folder" in out


@pytest.mark.process
def test_changed_jars_are_named_and_exit_with_1(monkeypatch):
    requests = []

    def changed(name: str, *, full: bool) -> list[str]:
        requests.append(full)
        return ["kafka-clients-4.3.1.jar"]

    monkeypatch.setattr(distribution, "installed", lambda: ("kafka-4.3.1",))
    monkeypatch.setattr(distribution, "changed", changed)
    code, out = run_doctor("--full")
    assert code == 1
    assert "not the ones that were recorded: kafka-4.3.1/kafka-clients-4.3.1.jar" in out
    assert "→ make up, or the run that needs them, fetches them again" in out
    run_doctor()
    assert requests == [True, False]


def test_a_worker_that_is_not_running_yet_is_no_failure():
    assert doctor.worker().ok is False
    assert doctor.worker().needed is False


def test_installed_packages_are_compared_with_the_lock():
    finding = doctor.packages()
    assert finding.ok, finding.state


def test_a_damaged_database_is_reported_with_its_remedy(monkeypatch):
    def damaged(*_: object) -> None:
        raise DatabaseError("file is not a database")

    monkeypatch.setattr(doctor, "MigrationExecutor", damaged)
    monkeypatch.setattr(connection, "vendor", "sqlite")  # only a database file can be damaged
    finding = doctor.database()
    assert finding.ok is False
    assert "is damaged" in finding.fix
