"""The replay of a run: data for the script, a table without it, and stories of messages."""

from __future__ import annotations

import re
import shutil

import pytest
from django.test import Client
from django.urls import reverse

from labs.engine.record.ledger import TableWriter
from labs.models import Experiment, Run, State
from tests.engine import histories
from tests.labs import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def experiment() -> Experiment:
    return make.recorded()


def described(experiment: Experiment) -> Run:
    return Run.objects.get(experiment=experiment, name="described")


def page(client: Client, experiment: Experiment) -> str:
    return client.get(experiment.get_absolute_url()).content.decode()


def story_of(client: Client, experiment: Experiment, value: str, **headers: str) -> str:
    address = reverse("labs:message", args=[experiment.slug, "described"])
    return client.get(address, {"value": value}, headers=headers).content.decode()


def test_the_data_are_columns_of_equal_length_on_one_time_axis(
    client: Client, experiment: Experiment
) -> None:
    data = client.get(reverse("labs:replay", args=[experiment.slug])).json()
    (arm,) = data["arms"]
    assert (data["seconds"], data["offsets"]) == (4, 11)
    assert (arm["name"], arm["at"]) == ("described", [0, 1, 2, 3, 4])
    assert arm["ends"] == {"1": [0] + [10] * 4, "2": [0, 6, 6, 6, 11], "3": [0, 6, 6, 6, 11]}
    assert arm["states"]["1"] == ["running", "running", "dead", "dead", "dead"]
    assert (arm["leader"], arm["leads"]) == ([1, 1, 1, 2, 2], [1, 1, None, 2, 2])
    assert arm["high_watermark"] == [0, 6, None, 6, 11]
    assert arm["marks"] == [[4.0, "leader killed", 0]]
    assert arm["lost"] == [1.1]


def test_the_table_shows_the_same_without_javascript(
    client: Client, experiment: Experiment
) -> None:
    shown = page(client, experiment)
    table = shown.partition('aria-label="Replay of As described"')[2].partition("</table>")[0]
    assert table.count('<th scope="row"') == 5
    assert "<td>leader killed</td>" in table
    assert "<td>1 (0), not running</td>" in table
    assert '<td class="number">10 (dead)</td>' in table
    assert '<td class="number">–</td>' in table


def test_any_partition_can_be_selected(client: Client) -> None:
    experiment = make.recorded_in_two_partitions()
    page = client.get(experiment.get_absolute_url(), {"partition": "1"}).content.decode()
    table = page.partition('aria-label="Replay of As described"')[2].partition("</table>")[0]
    assert "Partition 1. One row for each second" in table
    assert table.count('<th scope="row"') == 3
    assert "<td>3 (0)</td>" in table
    assert 'href="?partition=0#replay"' in page
    (address,) = re.findall(r'data-replay="([^"]+)"', page)
    (arm,) = client.get(address).json()["arms"]
    assert (arm["partition"], arm["brokers"], arm["leads"]) == (1, [2, 3], [3, 3, 3])


@pytest.mark.parametrize("query", ["", "0", "7", "-1", "x", "1" * 30])
def test_the_first_partition_is_shown_for_an_unknown_one(client: Client, query: str) -> None:
    experiment = make.recorded_in_two_partitions()
    shown = client.get(experiment.get_absolute_url(), {"partition": query}).content.decode()
    assert re.findall(r'id="partition-(\d)"[^>]+aria-current', shown) == ["0"]
    assert "<td>1 (0), not running</td>" in shown


def test_a_topic_of_one_partition_offers_no_other(client: Client, experiment: Experiment) -> None:
    assert "replay-partitions" not in page(client, experiment)


def test_an_unfinished_run_has_no_replay(client: Client, experiment: Experiment) -> None:
    Experiment.objects.update(state=State.QUEUED, ended_at=None)
    assert client.get(reverse("labs:replay", args=[experiment.slug])).json()["arms"] == []
    assert 'id="replay"' not in page(client, experiment)
    address = reverse("labs:message", args=[experiment.slug, "described"])
    assert client.get(address, {"value": "8"}).status_code == 404


def test_a_run_whose_ledger_was_removed_still_has_its_page(
    client: Client, experiment: Experiment
) -> None:
    shutil.rmtree(described(experiment).ledger)
    assert 'id="replay"' not in page(client, experiment)


def test_an_arm_that_is_being_ended_has_its_page(client: Client) -> None:
    experiment = make.experiment(State.CANCELLED)
    # The folder of a table exists before its first file, and a file before its last byte.
    telemetry = described(experiment).ledger / "telemetry.parquet"
    telemetry.mkdir(parents=True)
    assert 'id="replay"' not in page(client, experiment)
    (telemetry / "part-0.parquet").write_bytes(b"PAR1")
    assert 'id="replay"' not in page(client, experiment)


def test_examples_and_any_other_message_can_be_followed(
    client: Client, experiment: Experiment
) -> None:
    assert f"/described/message/?value={histories.LOST}" in page(client, experiment)
    assert "Not in the log at the end." in story_of(client, experiment, str(histories.LOST))
    assert "In the log at the end" in story_of(client, experiment, str(histories.KEPT))


def test_the_script_gets_the_segment_and_the_offset_to_mark(
    client: Client, experiment: Experiment
) -> None:
    part = story_of(client, experiment, str(histories.LOST), HX_Request="true")
    assert "<html" not in part
    assert 'data-story="described" data-partition="0" data-offset="8" data-acked="0.600"' in part


@pytest.mark.parametrize("query", ["99", "-1", "1e3", "²", "9" * 30, "<script>", ""])
def test_an_unknown_message_is_reported_as_such(
    client: Client, experiment: Experiment, query: str
) -> None:
    shown = story_of(client, experiment, query)
    assert "<script>" not in shown
    assert "<ol" not in shown.partition("<main")[2]
    assert "numbered from 0" in shown


def test_a_message_of_another_partition_links_the_replay_of_that_partition(client: Client) -> None:
    experiment = make.recorded_in_two_partitions()
    ledger = described(experiment).ledger
    sent = {"producer": "p", "value": 77, "topic": "orders", "partition": 1, "offset": 8,
            "invoked_ns": 0, "completed_ns": histories.ns(1), "outcome": "ok"}  # fmt: skip
    TableWriter(ledger, "sends", "other").flush_rows([sent])
    text = story_of(client, experiment, "77", HX_Request="true")
    assert "Acknowledged for partition 1, offset 8." in text
    assert 'data-partition="1"' in text
    assert f'href="{experiment.get_absolute_url()}?partition=1#replay"' in text
