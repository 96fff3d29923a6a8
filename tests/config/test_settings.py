"""The effect of the settings, read back from the products that get them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from django.conf import settings
from django.core.management import call_command

from config.celery import app
from config.settings import database
from tests.house.files import ROOT


def setting_in_new_process(expression, **environment):
    """An expression of the settings module in a fresh process with these variables."""
    return subprocess.run(
        [sys.executable, "-c", f"import config.settings as s; print({expression})"],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


def test_pages_may_load_nothing_from_elsewhere_and_nothing_inline(client, db):
    policy = client.get("/").headers["Content-Security-Policy"]
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives["default-src"] == "'none'"
    assert directives["script-src"] == directives["style-src"] == "'self'"
    assert "unsafe" not in policy
    assert "*" not in policy


def test_security_headers_are_set(client, db):
    headers = client.get("/").headers
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"


def test_celery_acknowledges_late_and_prefetches_one_task():
    assert app.conf.task_acks_late is True
    assert app.conf.task_reject_on_worker_lost is False
    assert app.conf.worker_prefetch_multiplier == 1
    assert app.conf.accept_content == ["json"]
    assert app.conf.worker_pool == "threads"
    assert app.conf.task_ignore_result is True


@pytest.mark.process
def test_the_web_server_sends_experiments_to_the_configured_queue():
    """This runs in a process that imports the application of Celery nowhere else."""
    code = "import config.wsgi, celery; print(celery.current_app.conf.broker_url)"
    process = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert process.stdout.strip() == settings.CELERY_BROKER_URL


@pytest.mark.process
def test_sqlite_does_not_block_readers_and_lets_writers_wait(tmp_path):
    result = setting_in_new_process(
        "__import__('django').setup() or [c.execute(f'PRAGMA {p}').fetchone()[0]"
        " for c in [__import__('django.db').db.connection.cursor()]"
        " for p in ('journal_mode', 'busy_timeout')]",
        LAB_DATA_DIR=str(tmp_path),
    )
    assert result.stdout.strip() == "['wal', 20000]", result.stderr
    assert database("sqlite:///x.db")["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


def test_no_model_lacks_its_migration(db):
    call_command("makemigrations", "--check", "--dry-run")


def test_the_checks_of_django_report_nothing() -> None:
    call_command("check", "--fail-level", "WARNING")


def test_postgresql_is_configured_by_its_address():
    parsed = database("postgres://lab:pw@db:5432/lab")
    assert parsed["ENGINE"] == "django.db.backends.postgresql"
    assert "init_command" not in parsed.get("OPTIONS", {})


@pytest.mark.process
@pytest.mark.parametrize(
    ("address", "broker"),
    [
        ("redis://host:6379/1", "redis://host:6379/1"),
        ("unix:///run/redis.sock?db=2", "redis+socket:///run/redis.sock?virtual_host=2"),
    ],
    ids=["tcp", "socket"],
)
def test_redis_is_configured_by_its_address(address, broker, tmp_path):
    result = setting_in_new_process(
        "s.CELERY_BROKER_URL", REDIS_URL=address, LAB_DATA_DIR=str(tmp_path)
    )
    assert result.stdout.strip() == broker, result.stderr


@pytest.mark.process
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LAB_CLUSTERS_AT_ONCE", "many"),
        ("LAB_CLUSTERS_AT_ONCE", "0"),
        ("LAB_RUNS_LIMIT_MB", "0"),
        ("DEBUG", "perhaps"),
        ("REDIS_URL", "amqp://host"),
        ("DATABASE_URL", "nonsense://host/name"),
    ],
    ids=["words", "none", "no room", "perhaps", "another queue", "another database"],
)
def test_an_invalid_setting_stops_the_start_and_is_named(name, value, tmp_path):
    result = setting_in_new_process("0", **{name: value, "LAB_DATA_DIR": str(tmp_path)})
    assert result.returncode != 0
    last = result.stderr.strip().splitlines()[-1]
    assert "ImproperlyConfigured" in last
    assert name in last
