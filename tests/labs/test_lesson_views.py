"""The way through a lesson over HTTP, without JavaScript; progress kept by session."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from labs.lessons import STEPS
from labs.models import Experiment, Progress, Run, State
from tests.labs import make

pytestmark = pytest.mark.django_db

NAME = "what-an-acknowledgement-means"
ANSWERS = {"acks-0": "some", "acks-1": "none", "acks-all": "none"}


def url(step: str) -> str:
    return reverse("labs:lesson", args=[NAME, step])


def page(client: Client, step: str) -> str:
    response = client.get(url(step))
    assert response.status_code == 200
    return response.content.decode()


def started(client: Client) -> Experiment:
    client.post(url("predict"), ANSWERS)
    client.post(url("run"))
    return Experiment.objects.get(lesson=NAME)


def finish(experiment: Experiment, **verdicts: str) -> None:
    for run in experiment.runs.all():
        run.verdict = verdicts.get(run.name.replace("-", "_"), "holds")
        run.result = make.result(run.verdict)
        run.save()
    end(experiment, State.DONE)


def end(experiment: Experiment, state: State) -> None:
    Experiment.objects.filter(pk=experiment.pk).update(
        started_at=experiment.queued_at, ended_at=experiment.queued_at, state=state
    )


def test_every_step_can_be_opened_before_anything_was_done(client: Client) -> None:
    for step in STEPS:
        page(client, step)
    assert "no result to speak about yet" in page(client, "see")


def test_a_prediction_needs_an_answer_for_each_arm(client: Client) -> None:
    response = client.post(url("predict"), {"acks-0": "some", "acks-1": "perhaps"})
    assert response.status_code == 422
    assert "Choose one answer" in response.content.decode()
    assert client.post(url("predict"), ANSWERS).headers["Location"] == url("run")
    assert Progress.objects.get().prediction == ANSWERS


def test_only_the_step_with_a_live_run_reloads_itself_without_javascript(client: Client) -> None:
    def reloading() -> list[str]:
        return [step for step in STEPS if 'http-equiv="refresh"' in page(client, step)]

    assert reloading() == []
    experiment = started(client)
    assert reloading() == ["run"]
    finish(experiment)
    assert reloading() == []


def test_the_prediction_stands_beside_the_result(client: Client) -> None:
    finish(started(client), acks_0="broken", acks_1="broken")
    text = page(client, "see")
    assert "2 of 3 predictions right" in text
    assert "not as you predicted" in text
    explained = page(client, "explain")
    assert explained.count("985 of 10,000") == 2
    assert "0 of 10,000 acknowledged messages are gone in your run" in explained


def test_an_arm_that_could_not_be_judged_is_neither_right_nor_wrong(client: Client) -> None:
    finish(started(client), acks_0="broken", acks_1="unknown")
    text = page(client, "see")
    assert "could not be judged" in text
    assert "2 of 2 predictions right; 3 arms, 2 judged" in text
    assert "Run it again" in text


def test_a_run_that_was_interrupted_is_offered_again_and_keeps_the_prediction(
    client: Client,
) -> None:
    experiment = started(client)
    end(experiment, State.INTERRUPTED)
    text = page(client, "run")
    assert "reached no result" in text
    assert "Run it again" in text
    client.post(url("run"))
    experiment.refresh_from_db()
    assert (experiment.state, experiment.attempt) == (State.QUEUED, 2)
    assert Progress.objects.get().prediction == ANSWERS


def test_pressing_twice_starts_one_experiment(client: Client) -> None:
    started(client)
    client.post(url("run"))
    assert Experiment.objects.count() == 1


def test_polling_ends_when_the_run_does(client: Client) -> None:
    live = reverse("labs:lesson-live", args=[NAME])
    assert client.get(live).status_code == 404
    experiment = started(client)
    assert client.get(live).status_code == 200
    finish(experiment)
    assert client.get(live).status_code == 286


def test_what_is_taken_home_leads_to_the_export(client: Client) -> None:
    experiment = started(client)
    text = page(client, "take-home")
    assert reverse("advisor:advice", args=[experiment.pipeline]) in text
    assert "min.insync.replicas" in text


def test_progress_is_ones_own_and_remembers_the_furthest_step(client: Client) -> None:
    for step in ("story", "predict"):
        assert client.post(url(step), {"to": "next"}).status_code == 302
    page(client, "take-home")  # looking ahead is not going on
    page(client, "story")
    assert "you are at “Run”" in client.get("/learn/").content.decode()
    assert "you are at" not in Client().get("/learn/").content.decode()


def test_starting_over_can_be_undone(client: Client) -> None:
    started(client)
    client.post(reverse("labs:lesson-reset", args=[NAME]))
    assert "you are at" not in (text := client.get("/learn/").content.decode())
    assert "Undo" in text
    client.post(url("story"), {"to": "next"})  # something new is begun, and undoing wins over it
    client.post(reverse("labs:lesson-undo", args=[NAME]))
    mine = Progress.objects.get(reset_at__isnull=True)
    assert mine.prediction == ANSWERS
    assert mine.experiment is not None
    assert "Undo" not in client.get("/learn/").content.decode()


@pytest.mark.parametrize("address", ["/learn/nothing/story/", f"/learn/{NAME}/nothing/"])
def test_what_does_not_exist_is_not_found(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404


def test_going_on_leads_through_every_step(client: Client) -> None:
    steps = list(STEPS)
    for step, after in zip(steps, [*steps[1:], steps[-1]], strict=True):
        assert client.post(url(step), {"to": "next"}).headers["Location"] == url(after)
    assert Progress.objects.get().step == steps[-1]
    assert Experiment.objects.count() == 0


def test_a_page_that_goes_on_says_so_by_a_form_until_the_last(client: Client) -> None:
    going_on = [step for step in STEPS if 'name="to" value="next"' in page(client, step)]
    assert going_on == ["story", "see", "explain"]


def test_hostile_answers_are_not_kept(client: Client) -> None:
    response = client.post(url("predict"), {**ANSWERS, "acks-0": "<script>"})
    assert "<script>" not in response.content.decode().replace("<script src", "")
    assert not Progress.objects.exclude(prediction={}).exists()


def test_arms_keep_their_names_from_the_lesson(client: Client) -> None:
    experiment = started(client)
    assert Run.objects.filter(experiment=experiment).count() == 3
    assert "acks=all" in client.get(experiment.get_absolute_url()).content.decode()
