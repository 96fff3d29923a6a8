"""The page of scenarios: each can be run from its card and filtered by harm and layer."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from advisor.reasoning.guarantees import Anomaly
from labs.engine.scenarios import all_scenarios
from labs.models import Experiment
from labs.pages.scenarios import cards as scenario_cards
from labs.pages.scenarios.cards import Card
from tests.labs import make

pytestmark = pytest.mark.django_db

CARDS = pytest.mark.parametrize(
    "card", scenario_cards.cards(), ids=lambda card: str(card.scenario.name)
)


def page(client: Client, **options: str) -> str:
    return client.get(reverse("labs:scenarios"), options).content.decode()


def start(client: Client, card: Card | str, choice: str) -> Experiment:
    name = card if isinstance(card, str) else card.scenario.name
    client.post(reverse("labs:scenario-start", args=[name]), {"choice": choice})
    return Experiment.objects.get()


@pytest.mark.wide
@CARDS
def test_each_card_starts_its_scenario_with_its_stated_settings(client: Client, card: Card) -> None:
    experiment = start(client, card, "both")
    assert experiment.scenario == card.scenario.name
    assert experiment.pipeline
    runs = {run.name: run.settings for run in experiment.runs.all()}
    assert list(runs) == (["weak", "safe"] if card.safe else ["weak"])
    for name, stated in (("weak", card.weak), ("safe", card.safe)):
        for item in stated:
            value = runs[name][item.component][item.name]
            text = str(value).lower() if isinstance(value, bool) else str(value)
            assert text == item.value, (name, item)


@pytest.mark.parametrize("choice", ["weak", "safe"])
def test_one_kind_of_settings_can_be_run_alone(client: Client, choice: str) -> None:
    experiment = start(client, "leader-killed-followers-behind", choice)
    assert [run.name for run in experiment.runs.all()] == [choice]
    acks = experiment.runs.get().settings["producer"]["acks"]
    assert acks == {"weak": "1", "safe": "all"}[choice]


def test_a_card_says_why_it_was_refused_and_keeps_the_filters(client: Client) -> None:
    """The page opens at the card: nobody would see a message at its top."""
    for _ in range(settings.LAB_QUEUE["all"]):
        make.experiment()
    shown = reverse("labs:scenarios")
    answer = client.post(
        reverse("labs:scenario-start", args=["leader-killed"]), {"choice": "weak"},
        headers={"referer": f"http://testserver{shown}?harm=lost_write&layer="},
    )  # fmt: skip
    assert answer.headers["Location"] == f"{shown}?harm=lost_write&layer=#leader-killed"
    html = client.get(f"{shown}?harm=lost_write&layer=").content.decode()
    assert html.count("20 experiments already wait") == 1
    card = html.partition('id="leader-killed"')[2].partition("</article>")[0]
    assert "20 experiments already wait" in card
    assert "already wait" not in page(client)


@pytest.mark.parametrize(
    ("name", "choice"), [("leader-killed", "bold"), ("xyz", "weak"), ("keys-moved", "safe")]
)
def test_what_a_card_does_not_offer_runs_nothing(client: Client, name: str, choice: str) -> None:
    answer = client.post(reverse("labs:scenario-start", args=[name]), {"choice": choice})
    assert answer.status_code in (302, 404)
    assert not Experiment.objects.exists()


def test_the_page_has_every_scenario_with_an_address_of_its_own(client: Client) -> None:
    shown = page(client)
    for scenario in all_scenarios():
        assert f'id="{scenario.name}"' in shown
    ids = re.findall(r'\sid="([^"]+)"', shown)
    assert len(ids) == len(set(ids))


def test_filters_for_harm_and_layer_are_combined(client: Client) -> None:
    lost = page(client, harm="lost_write", layer="network")
    assert re.findall(r'<article class="card" id="([^"]+)"', lost) == ["leader-cut-off"]
    assert 'value="lost_write" selected' in lost
    assert "No scenario matches." in page(client, harm="lost_write", layer="spark")


def test_every_offered_harm_and_layer_finds_a_scenario() -> None:
    assert all(scenario_cards.shown(harm, "") for harm in scenario_cards.harms())
    assert all(scenario_cards.shown("", layer) for layer in scenario_cards.LAYERS)
    assert Anomaly.LOST_WRITE in scenario_cards.harms()


@pytest.mark.parametrize("fields", [{"harm": "x"}, {"layer": "x"}, {"harm": "<b>"}])
def test_unknown_filters_show_every_scenario(client: Client, fields: dict[str, str]) -> None:
    assert page(client, **fields).count("<article") == len(all_scenarios())


def test_own_settings_are_offered_by_address_or_after_a_run(client: Client) -> None:
    assert "With my settings" not in page(client)
    client.post(reverse("labs:start"))
    slug = Experiment.objects.get().pipeline
    assert f"?pipeline={slug}&amp;scenario=leader-killed" in page(client)
    other = Client()
    assert "With my settings" not in page(other)
    assert f"?pipeline={slug}&amp;scenario=leader-killed" in page(other, pipeline=slug)
    assert "With my settings" not in page(other, pipeline="nobody")


def test_a_preset_is_not_treated_as_own_settings(client: Client) -> None:
    start(client, "leader-killed", "weak")
    assert "With my settings" not in page(client)


def test_the_arms_are_named_by_their_settings(client: Client) -> None:
    experiment = start(client, "leader-killed-followers-behind", "both")
    shown = client.get(experiment.get_absolute_url()).content.decode()
    assert "Weak settings" in shown
    assert "Safe settings" in shown
    assert experiment.scenario == make.SCENARIO
