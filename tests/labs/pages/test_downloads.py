"""Downloads of a run: its ledger as Parquet or as JSON Lines."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from threading import BoundedSemaphore

import pytest
from django.test import Client
from django.urls import reverse

from labs.engine.record.ledger import SCHEMAS, NotAsSealed, TableWriter, seal
from labs.models import Run, State
from labs.pages.experiments import downloads
from labs.runs.archive import json_lines
from spark_jobs import parts
from spark_jobs.tables import MalformedLedger
from tests.labs import make

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def free_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Frees all places: unfinished responses of other tests still occupy some."""
    monkeypatch.setattr(downloads, "sending", BoundedSemaphore(downloads.AT_ONCE))


def test_a_ledger_is_a_zip_of_its_tables_without_unfinished_parts(client: Client) -> None:
    experiment = make.experiment(State.DONE, "broken", "holds")
    run = Run.objects.get(experiment=experiment, name="described")
    folder = run.ledger / "sends.parquet"
    folder.mkdir(parents=True)
    (folder / "producer-00000.parquet").write_bytes(b"PAR1" * 200_000)
    (folder / ".producer-00001.parquet").write_bytes(b"half")
    response = client.get(reverse("labs:ledger", args=[experiment.slug, "described"]))
    content = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        inside = f"ledger-{experiment.slug}-described"
        table = f"{inside}/sends.parquet/producer-00000.parquet"
        assert archive.namelist() == [f"{inside}/README.md", table]
        assert len(archive.read(table)) == 800_000
        text = archive.read(f"{inside}/README.md").decode()
    assert all(f"| `{table}` |" in text for table in SCHEMAS)
    assert "](" not in text, "a link would lead nowhere"


@pytest.mark.parametrize("arm", ["recommended", "no-such-arm"])
def test_a_ledger_that_is_not_there_is_not_found(client: Client, arm: str) -> None:
    experiment = make.experiment(State.DONE, "broken", "holds")
    assert client.get(reverse("labs:ledger", args=[experiment.slug, arm])).status_code == 404


@pytest.mark.process
def test_a_ledger_as_json_lines_holds_the_same_rows(client: Client) -> None:
    experiment = make.experiment(State.DONE, "broken", "holds")
    ledger = Run.objects.get(experiment=experiment, name="described").ledger
    rows = [{"value": value, "outcome": "ok", "topic": "é"} for value in range(20_000)]
    writer = TableWriter(ledger, "sends", "producer-1")
    writer.flush_rows(rows[:15_000])
    writer.flush_rows(rows[15_000:])
    TableWriter(ledger, "faults", "faults").close()
    response = client.get(reverse("labs:ledger-lines", args=[experiment.slug, "described"]))
    content = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        inside = f"ledger-{experiment.slug}-described-jsonl"
        assert archive.namelist() == [
            f"{inside}/{name}" for name in ("README.md", "faults.jsonl", "sends.jsonl")
        ]
        assert archive.read(f"{inside}/faults.jsonl") == b""
        lines = archive.read(f"{inside}/sends.jsonl").splitlines()
    assert [json.loads(line) for line in lines] == rows


def _with_rows() -> tuple[Run, str]:
    experiment = make.experiment(State.DONE, "broken", "holds")
    run = Run.objects.get(experiment=experiment, name="described")
    writer = TableWriter(run.ledger, "sends", "producer-1")
    writer.flush_rows([{"value": 1, "outcome": "ok"}])
    return run, reverse("labs:ledger-lines", args=[experiment.slug, "described"])


@pytest.mark.process
def test_json_lines_are_created_once_and_leave_no_temporary_files(client: Client) -> None:
    run, url = _with_rows()
    first = b"".join(client.get(url).streaming_content)  # type: ignore[attr-defined]
    kept = run.ledger.parent / "ledger-jsonl.zip"
    made_at = kept.stat().st_mtime_ns
    assert b"".join(client.get(url).streaming_content) == first  # type: ignore[attr-defined]
    assert kept.stat().st_mtime_ns == made_at
    assert not list(run.ledger.parent.glob(".jsonl-*"))


def remaining_places() -> int:
    """The number of downloads that could begin now."""
    taken = 0
    while downloads.sending.acquire(blocking=False):
        taken += 1
    for _ in range(taken):
        downloads.sending.release()
    return taken


@pytest.mark.process
def test_concurrent_downloads_are_limited_and_a_refusal_has_retry_after(
    client: Client,
) -> None:
    _, url = _with_rows()
    open_ones = [client.get(url) for _ in range(downloads.AT_ONCE)]
    assert {transaction.status_code for transaction in open_ones} == {200}
    refused = client.get(url)
    assert refused.status_code == 503
    assert refused["Retry-After"] == str(downloads.RETRY_S)
    assert "being downloaded" in refused.content.decode()
    for response in [*open_ones, *open_ones]:  # read to the end twice, so it is closed twice
        list(response.streaming_content)  # type: ignore[attr-defined]
    last = client.get(url)
    assert last.status_code == 200
    list(last.streaming_content)  # type: ignore[attr-defined]
    assert remaining_places() == downloads.AT_ONCE


@pytest.mark.process
def test_a_failed_download_is_reported_and_releases_its_place(client: Client) -> None:
    run, url = _with_rows()
    (run.ledger / "log.parquet").write_bytes(b"no parquet")
    for _ in range(downloads.AT_ONCE // 8):
        refused = client.get(url)
        assert refused.status_code == 503
        assert str(run.ledger) not in refused.content.decode()
    assert remaining_places() == downloads.AT_ONCE


@pytest.mark.process
def test_the_json_lines_of_a_sealed_ledger_are_sealed(client: Client, tmp_path: Path) -> None:
    run, url = _with_rows()
    TableWriter(run.ledger, "faults", "faults").close()
    seal(run.ledger)
    content = b"".join(client.get(url).streaming_content)  # type: ignore[attr-defined]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(tmp_path / "taken")
    (ledger,) = (tmp_path / "taken").iterdir()
    assert parts.check(ledger), "it is sealed, and as it was sealed"
    lines = ledger / "sends.jsonl"
    lines.write_text(lines.read_text().replace("ok", "no"), "utf-8")
    with pytest.raises(MalformedLedger, match=r"sends\.jsonl: this part is not as it was sealed"):
        parts.check(ledger)


@pytest.mark.process
@pytest.mark.parametrize("damage", ["changed", "added", "removed"])
def test_a_damaged_ledger_is_not_sealed_again(client: Client, damage: str) -> None:
    run, url = _with_rows()
    seal(run.ledger)
    (part,) = run.ledger.glob("sends.parquet/*")
    if damage == "changed":
        part.write_bytes(part.read_bytes() + b"x")
    elif damage == "added":
        TableWriter(run.ledger, "faults", "faults").close()
    else:
        part.unlink()
    with pytest.raises(NotAsSealed, match=damage):
        b"".join(json_lines(run.ledger, "inside"))
    assert client.get(url).status_code == 503
    assert not (run.ledger.parent / "ledger-jsonl.zip").exists()
