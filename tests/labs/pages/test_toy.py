"""The page of the toy: its address names a state, the advisor fills its table, a click runs it."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from advisor.reasoning import leader_loss
from labs.models import Experiment

pytestmark = pytest.mark.django_db

STATE = {"acks": "all", "min_isr": "2", "unclean": "on", "lag_2": "40", "lag_3": "45"}


def test_the_address_names_a_state(client: Client):
    shown = client.get(reverse("labs:toy"), STATE).content.decode()
    assert "unclean.leader.election.enable=true: an acknowledged record is guaranteed" in shown
    assert 'name="unclean" checked' in shown


@pytest.mark.parametrize(
    "wrong", [{"acks": "2"}, {"min_isr": "0"}, {"min_isr": "x"}, {"lag_2": "46"}, {"lag_3": "-1"}]
)
def test_an_address_without_a_valid_state_is_refused_by_field(
    client: Client, wrong: dict[str, str]
):
    answer = client.get(reverse("labs:toy"), STATE | wrong)
    assert answer.status_code == 400
    assert f"<li>{next(iter(wrong))}: " in answer.content.decode()


def test_the_script_gets_every_state(client: Client):
    data = client.get(reverse("labs:toy-states")).json()
    assert set(data["states"]) == {state.key for state in leader_loss.states()}
    assert (data["lag_max_s"], data["fencing_s"]) == (30, 9)
    row = data["states"]["1/2/clean/plain/behind/behind"]
    assert data["texts"][row["lost"]].startswith("acks=1: the leader acknowledges alone")


def test_a_state_is_run_with_its_settings_and_scenario(client: Client):
    answer = client.post(reverse("labs:toy-start"), STATE)
    experiment = Experiment.objects.get()
    assert answer["Location"] == experiment.get_absolute_url()
    assert experiment.scenario == "isr-shrunk-leader-killed"
    topic = experiment.runs.get(name="described").settings["topic"]
    assert (topic["unclean.leader.election.enable"], topic["min.insync.replicas"]) == (True, 2)


def test_an_invalid_state_runs_nothing(client: Client):
    answer = client.post(reverse("labs:toy-start"), {"acks": "2"}, follow=True)
    assert "acks: Select a valid choice" in answer.content.decode()
    assert not Experiment.objects.exists()
