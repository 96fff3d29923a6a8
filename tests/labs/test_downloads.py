"""What can be taken away of a run: its ledger, as Parquet or as JSON Lines."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from django.test import Client
from django.urls import reverse

from labs.engine.ledger import TableWriter
from labs.models import Run, State
from tests.labs import make

pytestmark = pytest.mark.django_db


def test_a_ledger_is_a_zip_of_its_tables_without_unfinished_parts(client: Client) -> None:
    made = make.experiment(State.DONE, "broken", "holds")
    run = Run.objects.get(experiment=made, name="described")
    table = run.ledger / "sends.parquet"
    table.mkdir(parents=True)
    (table / "producer-00000.parquet").write_bytes(b"PAR1" * 200_000)
    (table / ".producer-00001.parquet").write_bytes(b"half")
    response = client.get(reverse("labs:ledger", args=[made.slug, "described"]))
    content = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [
            f"ledger-{made.slug}-described/sends.parquet/producer-00000.parquet"
        ]
        assert len(archive.read(archive.namelist()[0])) == 800_000


@pytest.mark.parametrize("arm", ["recommended", "no-such-arm"])
def test_a_ledger_that_is_not_there_is_not_found(client: Client, arm: str) -> None:
    made = make.experiment(State.DONE, "broken", "holds")
    assert client.get(reverse("labs:ledger", args=[made.slug, arm])).status_code == 404


def test_a_ledger_as_json_lines_holds_the_same_rows(client: Client) -> None:
    made = make.experiment(State.DONE, "broken", "holds")
    ledger = Run.objects.get(experiment=made, name="described").ledger
    rows = [{"value": value, "outcome": "ok", "topic": "é"} for value in range(20_000)]
    writer = TableWriter(ledger, "sends", "producer-1")
    writer.flush_rows(rows[:15_000])
    writer.flush_rows(rows[15_000:])
    TableWriter(ledger, "faults", "faults").close()
    response = client.get(reverse("labs:ledger-lines", args=[made.slug, "described"]))
    parts = list(response.streaming_content)  # type: ignore[attr-defined]
    assert len(parts) > 2, "it is sent batch by batch"
    with zipfile.ZipFile(io.BytesIO(b"".join(parts))) as archive:
        inside = f"ledger-{made.slug}-described-jsonl"
        assert archive.namelist() == [f"{inside}/faults.jsonl", f"{inside}/sends.jsonl"]
        assert archive.read(f"{inside}/faults.jsonl") == b""
        lines = archive.read(f"{inside}/sends.jsonl").splitlines()
    assert [json.loads(line) for line in lines] == rows
