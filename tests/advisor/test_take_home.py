"""The archive and the report of a saved pipeline."""

from __future__ import annotations

import io
import json
import re
import zipfile

import pytest
from django.test import Client
from django.urls import reverse

from advisor.pages.take_home import zipped
from tests.advisor.walking import RISKY, walk

pytestmark = pytest.mark.django_db


def test_the_archive_has_every_offered_file_and_the_advice(client: Client) -> None:
    slug = walk(client, topic={"topic.replication.factor": "1"}, producer=RISKY)
    html = client.get(reverse("advisor:advice", args=[slug])).content.decode()
    url = reverse("advisor:archive", args=[slug])
    assert f'href="{url}"' in html
    response = client.get(url)
    assert response.headers["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert archive.testzip() is None
        files = {
            name.rpartition("/")[2]: archive.read(name).decode() for name in archive.namelist()
        }
        modes = {name: archive.getinfo(name).external_attr >> 16 for name in archive.namelist()}
    offered = set(re.findall(r"download>Download ([\w.-]+)<", html))
    assert set(files) == offered | {"advice.txt", "advice.json"}
    assert "reassign.sh" in offered, "one copy becomes more"
    for name, text in files.items():
        assert name == "advice.json" or f"/pipelines/{slug}/" in text
    assert json.loads(files["advice.json"])["guarantee"]["end_to_end"] == "none"
    assert modes[f"delivery-{slug}/topic.sh"] == 0o100755
    assert client.get(url).content == response.content, "the same bytes every time"


def test_an_archive_does_not_depend_on_the_order_of_files() -> None:
    archived = zipped({"b": "2", "a": "é"}, "x")
    assert archived == zipped({"a": "é", "b": "2"}, "x")
    with zipfile.ZipFile(io.BytesIO(archived)) as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}, "no time of today"
        assert archive.read("x/a").decode() == "é"


def test_the_report_has_the_advice_without_folded_parts(client: Client) -> None:
    slug = walk(client, topic={"topic.replication.factor": "1"}, producer=RISKY)
    html = client.get(reverse("advisor:report", args=[slug])).content.decode()
    for words in (
        "You need at least once", "<ins>all</ins>", '<ul class="reasons">',
        "min.insync.replicas", "reassign.sh", f"/pipelines/{slug}/", "Made by Delivery Lab, rules",
    ):  # fmt: skip
        assert words in html, words
    assert "<details" not in html
    assert len(re.findall(r'<h2 id="', html)) >= 5
    assert not re.search(r"\sstyle=|<style|\son\w+=|javascript:", html)
    ids = re.findall(r'\sid="([^"]+)"', html)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", ["archive", "report"])
def test_an_unknown_pipeline_has_no_archive_and_no_report(client: Client, name: str) -> None:
    assert client.get(reverse(f"advisor:{name}", args=["zzzzzzzz"])).status_code == 404


@pytest.mark.parametrize("name", ["advice", "report"])
def test_each_change_has_its_procedure_and_the_numbers_before_and_after(
    client: Client, name: str
) -> None:
    slug = walk(
        client,
        topic={"topic.replication.factor": "1"},
        producer=RISKY,
        needs={"application.rate": "1000", "application.message.bytes": "500"},
    )
    html = client.get(reverse(f"advisor:{name}", args=[slug])).content.decode()
    rows = html.partition('id="changes"')[2].partition("</section>")[0].split("<tbody>")[1:]
    assert len(rows) >= 3
    for row in rows:
        assert re.search(r"<dt>Apply</dt><dd>.+</dd>\s*<dt>Verify</dt><dd>.+</dd>", row)
        assert re.search(r"<dt>Source</dt><dd>.+· (high|medium) confidence</span>", row)
        assert re.search(r"<dt>Restart</dt><dd>(Nothing restarts|Restart the \w+, one by one)", row)
    row_of_min_isr = next(row for row in rows if 'min.insync.replicas/">' in row)
    assert '<dt>Order</dt><dd>After <span class="key">replication.factor</span>' in row_of_min_isr
    numbers = re.sub(r"<[^>]+>", " ", html.partition('id="numbers"')[2].partition("</section>")[0])
    assert "302.4 GB" in numbers
    assert "907.2 GB" in numbers
    assert "replication.factor - min.insync.replicas = 3 - 2" in numbers
    assert "1000 × 500 × 604800000 ms × 3" in numbers
