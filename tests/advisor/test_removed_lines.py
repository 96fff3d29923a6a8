"""Changes that remove a setting, as shown in the answer, on its page and in its files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from advisor import services
from advisor.catalog import Component
from advisor.export import Stamp, exports_for
from advisor.permalinks import save
from advisor.reasoning.recommend import recommend
from advisor.reports.text import report
from tests.advisor.pipelines import SAFE, described
from tests.advisor.test_advise import run

CLASS = "partitioner.class"
ROUND_ROBIN = "org.apache.kafka.clients.producer.RoundRobinPartitioner"
FIELDS = SAFE | {f"producer.{CLASS}": ROUND_ROBIN, "need.ordering": "on"}


def test_text_and_json_say_that_the_line_is_removed() -> None:
    answer = services.answer(described(FIELDS))
    assert f"producer.{CLASS}: {ROUND_ROBIN} -> remove the line" in report(answer)
    [change] = services.to_json(answer)["changes"]
    assert (change["setting"], change["from"], change["to"]) == (CLASS, ROUND_ROBIN, None)
    assert change["remove"] is True
    assert CLASS not in answer.recommended.stated(Component.PRODUCER)


def test_sarif_has_the_removal_at_the_line_of_the_setting(tmp_path: Path) -> None:
    path = tmp_path / "producer.properties"
    path.write_text(f"acks=all\n{CLASS}={ROUND_ROBIN}\n")
    safe = [f"--set={name}={value}" for name, value in SAFE.items() if name.startswith("topic.")]
    _, out, _ = run("--producer", str(path), *safe, "--ordering", "--format", "sarif")
    results = json.loads(out)["runs"][0]["results"]
    [result] = [result for result in results if result["ruleId"] == "order-given-up"]
    assert [change["remove"] for change in result["properties"]["changes"]] == [True]
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 2


@pytest.mark.parametrize(
    "fields",
    [
        FIELDS,
        {
            name: value
            for name, value in (FIELDS | {"family": "spark", "version": "4.2"}).items()
            if name != "consumer.auto.offset.reset"
        }
        | {"consumer.startingOffsets": "earliest"},
    ],
)
def test_exports_omit_the_setting_and_say_that_it_has_to_be_removed(fields: dict[str, str]) -> None:
    before = described(fields)
    after = recommend(before).pipeline
    stamp = Stamp("1", "4.3", "java 4.3", "http://127.0.0.1/")
    texts = [export.render(after, stamp, before) for export in exports_for(after)]
    assert not any(ROUND_ROBIN in text for text in texts)
    words = f"Remove from what you have, so that the default holds: {CLASS}."
    assert any(words in " ".join(text.replace("\n# ", " ").split()) for text in texts)


@pytest.mark.django_db
def test_the_page_shows_the_removal_in_place_of_a_value(client: Client) -> None:
    slug = save(described(FIELDS)).slug
    html = client.get(reverse("advisor:advice", args=[slug])).content.decode()
    assert "<ins>no line: the default</ins>" in html
    assert "<ins>not set</ins>" not in html
