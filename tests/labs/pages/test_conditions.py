"""The conditions of an experiment: chosen on a form, within limits, and shown on the run."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from advisor import services as advisor
from labs.calibration.cases.case import COMMIT_AFTER, TRANSACTIONAL_OFFSETS
from labs.engine.plan.spec import MOST_PARTITIONS
from labs.engine.scenarios import find
from labs.models import Experiment, State
from labs.pages import selectors
from labs.runs.conditions import Conditions, ConditionsForm, clients_for, java_release
from tests.engine import arms
from tests.labs import make
from tests.labs.runs.test_services import saved

pytestmark = pytest.mark.django_db

SCENARIO = "leader-killed"


@pytest.fixture
def pipeline() -> str:
    return saved(producer__acks="1")


def ask(client: Client, pipeline: str, **chosen: str) -> HttpResponse:
    data = {"pipeline": pipeline, "scenario": SCENARIO, **chosen}
    return client.post(reverse("labs:start"), data)  # type: ignore[return-value]


def test_the_form_shows_every_duration_with_the_range_of_the_seed(
    client: Client, pipeline: str
) -> None:
    address = reverse("labs:conditions")
    page = client.get(address, {"pipeline": pipeline, "scenario": SCENARIO}).content.decode()
    for name, (low, high) in find(SCENARIO).durations.items():
        assert f'name="{name}"' in page
        assert f"the seed draws from {low:g} to {high:g}." in page
    assert f"1 to {MOST_PARTITIONS}." in page
    assert client.get(address, {"pipeline": pipeline, "scenario": "none"}).status_code == 404
    assert client.get(address, {"pipeline": "none", "scenario": SCENARIO}).status_code == 404


def test_chosen_conditions_are_queued_shown_and_repeated(client: Client, pipeline: str) -> None:
    ask(
        client,
        pipeline,
        controllers="3",
        partitions="4",
        rate_per_s="500",
        lead_in_s="2.5",
        value_bytes="1000",
    )
    experiment = Experiment.objects.get()
    spec = experiment.request()
    assert (spec.controllers, spec.partitions, spec.value_bytes) == (3, 4, 1000)
    assert spec.overrides == {"rate_per_s": 500, "lead_in_s": 2.5}
    experiment.state, experiment.ended_at = State.DONE, experiment.queued_at
    experiment.save()
    page = client.get(experiment.get_absolute_url()).content.decode()
    report = client.get(reverse("labs:report", args=[experiment.slug])).content.decode()
    for name, value in (("Controllers", "3 dedicated"), ("Partitions", "4"),
                        ("Messages a second", "500"), ("Lead in", "2.5 s"),
                        ("Bytes a message", "1,000")):  # fmt: skip
        assert f"<dt>{name}</dt><dd>{value}, as chosen</dd>" in page
        assert re.search(rf"{name} +{value}\n", report)
    client.post(reverse("labs:again", args=[experiment.slug]))
    repeated = Experiment.objects.exclude(pk=experiment.pk).get()
    assert repeated.request().overrides == spec.overrides


def test_empty_fields_keep_the_conditions_of_the_scenario(client: Client, pipeline: str) -> None:
    ask(client, pipeline, controllers="", partitions="", rate_per_s="", lead_in_s="")
    ask(client, pipeline)
    for experiment in Experiment.objects.all():
        assert Conditions.from_spec(experiment.request()) == Conditions(java_clients="4.3.1")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("clients", "java"), ("clients", "4.3.1; rm"), ("clients", "3.9.2"),
        ("controllers", "2"), ("controllers", "x"), ("partitions", "0"),
        ("partitions", str(MOST_PARTITIONS + 1)), ("partitions", "1e9"), ("rate_per_s", "9"),
        ("rate_per_s", "5001"), ("lead_in_s", "-1"), ("lead_in_s", "61"), ("lead_in_s", "nan"),
        ("lead_in_s", "inf"), ("value_bytes", "19"), ("value_bytes", "10001"),
    ],
)  # fmt: skip
def test_values_beyond_the_limits_are_refused_with_the_reason(
    client: Client, pipeline: str, field: str, value: str
) -> None:
    answer = ask(client, pipeline, **{field: value})
    assert answer.status_code == 400
    assert 'class="field-error"' in answer.content.decode()
    assert not Experiment.objects.exists()


@pytest.mark.parametrize(
    ("size", "rate", "at_most"), [(10_000, "501", "500"), (2_501, "", "1,999"), (2_500, "", "")]
)
def test_bytes_per_second_are_limited(size: int, rate: str, at_most: str) -> None:
    form = ConditionsForm(find(SCENARIO), {"value_bytes": str(size), "rate_per_s": rate})
    assert form.is_valid() != bool(at_most)
    assert at_most in "".join(form.problems())


def test_java_clients_cannot_send_values_of_a_chosen_length() -> None:
    data = {"value_bytes": "20", "clients": "4.3.1"}
    form = ConditionsForm(find(SCENARIO), data, java="4.3.1")
    assert not form.is_valid()
    assert "send only the number" in "".join(form.problems())


def test_java_clients_are_the_only_choice_where_the_client_decides() -> None:
    scenario, java = find("transactional-id-expired"), arms.pipeline()
    assert clients_for(java, scenario) == "4.3.1"
    assert clients_for(arms.pipeline(family="librdkafka"), scenario) is None
    assert clients_for(java, scenario, Conditions(librdkafka=True)) == "4.3.1", "no choice"
    assert clients_for(replace(java, version="3.0"), scenario) == "3.3.2"
    form = ConditionsForm(scenario, {"value_bytes": "20"}, java="4.3.1")
    assert not form.is_valid(), "they send only the number"
    assert ConditionsForm(scenario, {}, java="4.3.1").is_valid()


def test_java_clients_run_a_java_pipeline_unless_something_else_was_chosen(
) -> None:  # fmt: skip
    java, scenario = arms.pipeline(), find(SCENARIO)
    assert clients_for(java, scenario) == "4.3.1"
    assert clients_for(java, scenario, Conditions(librdkafka=True)) is None
    assert clients_for(java, scenario, Conditions(value_bytes=200)) is None
    assert clients_for(java, find("producer-killed")) is None
    assert clients_for(arms.pipeline(family="librdkafka"), scenario) is None


def test_librdkafka_can_be_chosen_on_the_form(client: Client, pipeline: str) -> None:
    ask(client, pipeline, clients="librdkafka")
    assert Experiment.objects.get().request().java_clients is None


def test_java_runs_consumers_that_commit_in_the_transaction_but_not_database_sinks() -> None:
    scenario = find("consumer-killed-before-commit")
    database = replace(arms.pipeline(**COMMIT_AFTER), version="4.3")
    assert java_release(database, scenario) is None
    assert (
        java_release(replace(arms.pipeline(**TRANSACTIONAL_OFFSETS), version="4.3"), scenario)
        == "4.3.1"
    )


def test_java_clients_are_offered_where_they_can_run_and_shown_on_the_run(
    client: Client, pipeline: str
) -> None:
    address, data = reverse("labs:conditions"), {"pipeline": pipeline, "scenario": SCENARIO}
    assert 'value="4.3.1"' in client.get(address, data).content.decode()
    ask(client, pipeline, clients="4.3.1")
    experiment = Experiment.objects.get()
    assert experiment.request().java_clients == "4.3.1"
    experiment.state, experiment.ended_at = State.DONE, experiment.queued_at
    experiment.save()
    java = "a producer with the Java client of Kafka 4.3.1"
    played = {"producer": java, "consumer": "librdkafka 2.16.1"}
    experiment.runs.update(verdict="holds", result={**make.result("holds"), "clients": played})
    page = client.get(experiment.get_absolute_url()).content.decode()
    report = client.get(reverse("labs:report", args=[experiment.slug])).content.decode()
    assert "<dt>Clients</dt><dd>Java 4.3.1</dd>" in page
    for role, name in played.items():
        assert f"<dt>{role}</dt><dd>{name}</dd>" in page
        assert re.search(rf"{role} +{name}\n", report)


def test_kafkas_copier_is_offered_where_it_can_run_and_shown_on_the_run(client: Client) -> None:
    described = advisor.save(replace(arms.pipeline(**TRANSACTIONAL_OFFSETS), version="4.3")).slug
    address = reverse("labs:conditions")
    data = {"pipeline": described, "scenario": "transactional-id-shared"}
    assert 'value="copier"' in client.get(address, data).content.decode()
    ask(client, clients="copier", **data)
    experiment = Experiment.objects.get()
    assert (experiment.request().java_clients, experiment.request().copier) == ("4.3.1", True)
    chosen = dict(Conditions.from_spec(experiment.request()).described())
    assert chosen == {"Clients": "Java 4.3.1, asked for as TransactionalMessageCopier"}
    held = {**data, "scenario": "rebalance-during-processing"}
    assert 'value="copier"' not in client.get(address, held).content.decode()
    assert ask(client, clients="copier", **held).status_code == 400


@pytest.mark.parametrize(
    ("scenario", "fields"),
    [
        ("producer-killed", {}),
        (SCENARIO, {"version": "3.0"}),
        (SCENARIO, {"family": "librdkafka"}),
    ],
)
def test_java_clients_that_cannot_run_are_not_offered_and_refused(
    client: Client, scenario: str, fields: dict[str, str]
) -> None:
    pipeline = saved(**fields)
    data = {"pipeline": pipeline, "scenario": scenario}
    page = client.get(reverse("labs:conditions"), data).content.decode()
    assert "Kafka’s own</option>" not in page
    answer = ask(client, pipeline, scenario=scenario, clients="4.3.1")
    assert answer.status_code == 400
    assert "4.3.1 is not one of the available choices" in answer.content.decode()
    assert not Experiment.objects.exists()


@pytest.mark.parametrize("name", ["leader-killed", "rebalance-during-processing", "followers-slow"])
def test_the_limits_include_the_ranges_of_each_scenario(name: str) -> None:
    durations = {key: str(high) for key, (_, high) in find(name).durations.items()}
    form = ConditionsForm(find(name), durations)
    assert form.is_valid(), form.problems()


def test_runs_under_other_conditions_are_not_repetitions(client: Client, pipeline: str) -> None:
    for chosen in ({}, {"partitions": "3"}, {"partitions": "3"}):
        ask(client, pipeline, **chosen)
        experiment = Experiment.objects.latest("created_at")
        experiment.state, experiment.ended_at = State.DONE, experiment.queued_at
        experiment.save()
        experiment.runs.update(verdict="holds", result=make.result("holds"))
    counted = {
        experiment.request().partitions: selectors.repetitions(experiment.runs.all()[0]).count()
        for experiment in selectors.recent()
    }
    assert counted == {None: 1, 3: 2}
