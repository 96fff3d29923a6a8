"""Which ledgers are removed when their total size exceeds the limit, and what stays."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone

from labs.models import Experiment, Run, State
from labs.runs import lifecycle, pruning
from tests.labs import make

pytestmark = pytest.mark.django_db

BYTES = 1000


def with_ledger(state: State = State.DONE, ended_at: float = 10) -> Experiment:
    """An experiment that ended `ended_at` seconds ago, with a ledger of 1000 bytes."""
    experiment = make.experiment(state, *(["broken", "holds"] if state == State.DONE else []))
    if state == State.DONE:
        make.age(experiment, ended_at=ended_at)
    table = Run.objects.get(experiment=experiment, name="described").ledger / "sends.parquet"
    table.mkdir(parents=True)
    (table / "part.parquet").write_bytes(b"r" * BYTES)
    return experiment


def pruned(ledgers_bytes: int) -> list[str]:
    """The experiments whose ledgers are removed if ledgers may have this many bytes."""
    return pruning.prune(pruning.other_bytes() + ledgers_bytes)


def keeps(experiment: Experiment) -> bool:
    experiment.refresh_from_db()
    exists = experiment.folder.exists()
    assert exists == (experiment.pruned_at is None)
    return exists


def test_the_oldest_ledgers_are_removed_first_and_only_as_many_as_needed() -> None:
    middle, oldest, newest = (with_ledger(ended_at=ago) for ago in (200, 300, 100))
    assert pruned(3 * BYTES) == []
    assert pruned(2 * BYTES) == [oldest.slug]
    assert [keeps(experiment) for experiment in (oldest, middle, newest)] == [False, True, True]
    assert pruned(BYTES) == [middle.slug]
    assert pruned(BYTES) == []


def test_the_latest_ledger_stays_however_large() -> None:
    older, newest = with_ledger(ended_at=200), with_ledger(ended_at=100)
    assert pruning.prune(0) == [older.slug]
    assert keeps(newest)


@pytest.mark.parametrize("state", [State.QUEUED, State.RUNNING])
def test_queued_and_running_experiments_are_counted_and_never_removed(state: State) -> None:
    live, older, newest = with_ledger(state), with_ledger(ended_at=200), with_ledger(ended_at=100)
    assert pruned(2 * BYTES) == [older.slug]
    assert pruning.prune(0) == []
    assert keeps(live)
    assert keeps(newest)


@pytest.mark.parametrize("file", ["logs/web.log", "redis/appendonlydir/a.aof"])
def test_logs_and_queue_count_towards_the_limit(data_dir: Path, file: str) -> None:
    older, newest = with_ledger(ended_at=200), with_ledger(ended_at=100)
    limit = pruning.other_bytes() + 2 * BYTES
    assert pruning.prune(limit) == []
    (data_dir / file).parent.mkdir(parents=True)
    (data_dir / file).write_bytes(b"l" * 10)
    assert pruning.prune(limit) == [older.slug]
    (data_dir / file).write_bytes(b"l" * 5 * BYTES)
    assert pruning.prune(limit) == []
    assert keeps(newest)


def test_the_database_counts_towards_the_limit() -> None:
    before = pruning.other_bytes()
    assert before > 0
    # More than the free pages of the file and its log, which are used first.
    for _ in range(30 + before // 100_000):
        make.experiment(reason=secrets.token_hex(50_000))
    assert pruning.other_bytes() > before + 500_000


def test_the_setting_is_the_limit() -> None:
    older, _ = with_ledger(ended_at=200), with_ledger(ended_at=100)
    large = older.folder / "described" / "ledger" / "log.parquet"
    large.write_bytes(b"r" * 6 * pruning.MEGABYTE)
    beside_mb = pruning.other_bytes() // pruning.MEGABYTE
    with override_settings(LAB_RUNS_LIMIT_MB=beside_mb + 8):
        assert pruning.prune() == []
    with override_settings(LAB_RUNS_LIMIT_MB=beside_mb + 6):
        assert pruning.prune() == [older.slug]


def test_counts_and_verdict_stay_and_the_page_says_that_the_ledger_was_removed(
    client: Client,
) -> None:
    older, _ = with_ledger(ended_at=200), with_ledger(ended_at=100)
    download = reverse("labs:ledger", args=[older.slug, "described"])
    assert download in client.get(older.get_absolute_url()).content.decode()
    pruning.prune(0)
    page = client.get(older.get_absolute_url()).content.decode()
    assert "The ledger of this experiment was removed on" in page
    assert "985 of 10,000 acknowledged messages are gone." in page
    assert download not in page
    assert client.get(download).status_code == 404


def test_the_page_of_a_message_says_that_its_ledger_was_removed(client: Client) -> None:
    experiment = make.experiment(State.DONE, "broken", "holds", pruned_at=timezone.now())
    page = client.get(f"{experiment.get_absolute_url()}described/message/?value=8").content.decode()
    assert f"was removed on {timezone.now():%Y-%m-%d} to save space" in page
    assert "left no ledger" not in page


def test_requeueing_clears_the_mark_of_pruning() -> None:
    failed = make.experiment(State.FAILED)
    make.age(failed, ended_at=200)
    Experiment.objects.filter(pk=failed.pk).update(pruned_at=failed.queued_at)
    assert lifecycle.requeue(failed.slug, 1)
    failed.refresh_from_db()
    assert failed.pruned_at is None


def test_the_command_lists_removed_ledgers(capsys: pytest.CaptureFixture[str]) -> None:
    older, _ = with_ledger(ended_at=200), with_ledger(ended_at=100)
    call_command("prune", "--json")
    assert json.loads(capsys.readouterr().out) == {
        "limit_mb": 5000,
        "pruned": [],
        "deleted": [],
    }
    call_command("prune", "--limit-mb", "0", "--json")
    assert json.loads(capsys.readouterr().out)["pruned"] == [older.slug]
    call_command("prune", "--limit-mb", "0")
    assert "within the limit" in capsys.readouterr().out
    with pytest.raises(CommandError):
        call_command("prune", "--limit-mb", "-1")


@override_settings(LAB_RUNS_LIMIT_MB=12_000)
def test_the_page_of_experiments_states_the_limit(client: Client) -> None:
    with_ledger()
    page = client.get(reverse("labs:experiments")).content.decode()
    assert "Ledgers, database and logs together may take 12,000 MB." in page
