"""The steps of a lesson over HTTP, without JavaScript; progress is kept by session."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from labs.lessons import STEPS, all_lessons, find
from labs.models import Experiment, Progress, Run, State
from labs.pages.lessons import confidence as lesson_confidence
from labs.pages.lessons import pages as lesson_pages
from tests.labs import make
from tests.reading import html_of

pytestmark = pytest.mark.django_db

NAME = "what-an-acknowledgement-means"
LESSON = find(NAME)
CHOSEN = {"acks-0": "some", "acks-1": "none", "acks-all": "none"}
ANSWERS = CHOSEN | {f"{name}-confidence": "think" for name in CHOSEN}
KEPT = {name: {"answer": answer, "confidence": "think"} for name, answer in CHOSEN.items()}


def url(step: str) -> str:
    return reverse("labs:lesson", args=[NAME, step])


def page(client: Client, step: str) -> str:
    response = client.get(url(step))
    assert response.status_code == 200
    return html_of(response)


def started(client: Client) -> Experiment:
    client.post(url("predict"), ANSWERS)
    client.post(url("run"))
    return Experiment.objects.get(lesson=NAME)


def finish(experiment: Experiment, **verdicts: str) -> None:
    for run in experiment.runs.all():
        run.verdict = verdicts.get(run.name.replace("-", "_"), "holds")
        run.result = make.result(run.verdict)
        run.save()
    make.end(experiment, State.DONE)


def test_every_step_can_be_opened_without_progress(client: Client) -> None:
    for step in STEPS:
        page(client, step)
    assert "There is no result yet. " in page(client, "see")


def test_the_map_shows_where_to_begin(client: Client) -> None:
    def primary() -> list[str]:
        text = html_of(client.get(reverse("labs:lessons")))
        return re.findall(r'button-primary" href="/learn/([\w-]+)/', text)

    first, second = (lesson.name for lesson in all_lessons()[:2])
    assert primary() == [first]
    client.post(reverse("labs:lesson", args=[second, "story"]), {"to": "next"})
    assert primary() == [second]


def test_the_story_states_its_goal_first(client: Client) -> None:
    text = page(client, "story")
    assert text.index(LESSON.goal) < text.index(lesson_pages.html(LESSON, LESSON.story, {})[:40])


def test_a_lab_still_shows_its_own_story_after_its_run(client: Client) -> None:
    """The page of an experiment has the scenario's story, and a lab shows parts of that page."""
    before = page(client, "story")
    assert lesson_pages.html(LESSON, LESSON.story, {}) in before
    finish(started(client), acks_1="broken")
    assert lesson_pages.html(LESSON, LESSON.story, {}) in page(client, "story")


def test_a_prediction_needs_an_answer_for_each_arm(client: Client) -> None:
    response = client.post(
        url("predict"), {**ANSWERS, "acks-1": "perhaps", "acks-all-confidence": "very"}
    )
    assert response.status_code == 422
    assert (
        "Choose an answer, and how sure you are of it, for acks=1, acks=all"
        in response.content.decode()
    )
    assert client.post(url("predict"), ANSWERS).headers["Location"] == url("run")
    assert Progress.objects.get().prediction == KEPT


def test_a_prediction_cannot_be_changed_once_the_run_has_begun(client: Client) -> None:
    started(client)
    assert "these answers stay as they are" in page(client, "predict")
    client.post(url("predict"), {**ANSWERS, "acks-1": "some"})
    assert Progress.objects.get().prediction == KEPT


def test_a_prediction_without_a_confidence_is_still_read(client: Client) -> None:
    finish(started(client), acks_0="broken", acks_1="broken")
    Progress.objects.update(prediction=CHOSEN)
    assert "2 of 3 predictions right" in page(client, "see")


def test_only_the_step_with_an_active_run_reloads_itself_without_javascript(client: Client) -> None:
    def reloading() -> list[str]:
        return [step for step in STEPS if 'http-equiv="refresh"' in page(client, step)]

    assert reloading() == []
    experiment = started(client)
    assert reloading() == ["run"]
    finish(experiment)
    assert reloading() == []


def test_the_prediction_is_shown_next_to_the_result(client: Client) -> None:
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
    assert "Could not be judged" in text
    assert "2 of 2 predictions right; 3 arms, 2 judged" in text
    assert "Run it again" in text


def test_the_duration_of_a_run_is_shown_before_it_is_started(client: Client) -> None:
    assert "3 clusters of real brokers: about" in page(client, "run")
    experiment = started(client)
    finish(experiment)
    Experiment.objects.update(ended_at=experiment.queued_at + timedelta(seconds=71))
    assert "about 71 s." in Client().get(url("run")).content.decode()
    assert "about 71 s" not in page(client, "run")


def test_an_interrupted_run_can_be_started_again_and_keeps_the_prediction(
    client: Client,
) -> None:
    experiment = started(client)
    make.end(experiment, State.INTERRUPTED)
    text = page(client, "run")
    assert "reached no result" in text
    assert "Run it again" in text
    client.post(url("run"))
    experiment.refresh_from_db()
    assert (experiment.state, experiment.attempt) == (State.QUEUED, 2)
    assert Progress.objects.get().prediction == KEPT


def test_a_double_click_starts_one_experiment(client: Client) -> None:
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


def test_a_lab_ends_with_a_link_to_the_next(client: Client) -> None:
    *_, last = all_lessons()
    second = all_lessons()[1]
    address = reverse("labs:lesson", args=[second.name, "story"])
    assert f'href="{address}">Next lab: {second.title}' in page(client, "take-home")
    ended = html_of(client.get(reverse("labs:lesson", args=[last.name, "take-home"])))
    assert "Next lab" not in ended


def test_the_settings_to_take_home_lead_to_the_export(client: Client) -> None:
    experiment = started(client)
    text = page(client, "take-home")
    assert reverse("advisor:advice", args=[experiment.pipeline]) in text
    assert "min.insync.replicas" in text


@pytest.mark.parametrize(
    ("name", "kept", "left_out"),
    [
        ("rebalance-while-working", "sink", "max.poll.interval.ms"),
        ("the-empty-disk-that-leads", "eligible.leader.replicas.version", "disk.lost"),
        ("a-power-cut", "flush.messages", "racks"),
        ("slow-followers", "retention.ms", "maxOffsetsPerTrigger"),
        ("what-a-timeout-does-not-tell", "request.timeout.ms", "outage.ms"),
    ],
)
def test_settings_that_only_the_story_needs_are_not_exported(
    name: str, kept: str, left_out: str
) -> None:
    taken = {key for _, key, _ in lesson_pages.take_home(find(name))}
    assert kept in taken
    assert left_out not in taken


def test_progress_belongs_to_a_visitor_and_has_the_furthest_step(client: Client) -> None:
    for step in ("story", "predict"):
        assert client.post(url(step), {"to": "next"}).status_code == 302
    page(client, "take-home")  # looking ahead is no progress
    page(client, "story")
    assert "you are at “Run”" in client.get("/learn/").content.decode()
    assert "you are at" not in Client().get("/learn/").content.decode()


def test_the_address_of_a_lab_leads_to_the_current_step(client: Client) -> None:
    address = reverse("labs:lesson-resume", args=[NAME])
    assert client.get(address).headers["Location"] == url("story")
    started(client)
    assert client.get(address).headers["Location"] == url("run")
    assert client.get(reverse("labs:lesson-resume", args=["no-such-lab"])).status_code == 404


def test_starting_over_can_be_undone(client: Client) -> None:
    started(client)
    client.post(reverse("labs:lesson-reset", args=[NAME]))
    assert "you are at" not in (text := client.get("/learn/").content.decode())
    assert "Restore what was set aside" in text
    client.post(url("story"), {"to": "next"})  # something new is begun, and undoing replaces it
    client.post(reverse("labs:lesson-undo", args=[NAME]))
    progress = Progress.objects.get(reset_at__isnull=True)
    assert progress.prediction == KEPT
    assert progress.experiment is not None
    assert "Restore what was set aside" not in client.get("/learn/").content.decode()


def test_the_lab_can_be_repeated_after_the_solution(client: Client) -> None:
    finish(started(client), acks_0="broken", acks_1="broken")
    solution = page(client, "your-turn").partition('id="solution"')[2].partition("</details>")[0]
    address = reverse("labs:lesson-reset", args=[NAME])
    assert f'action="{address}"' in solution
    assert 'name="to" value="story"' in solution
    response = client.post(address, {"to": "story"})
    assert response.headers["Location"] == url("story")
    assert "This lab starts over" in page(client, "story")
    assert "these answers stay as they are" not in page(client, "predict")
    repeated = started_again(client)
    assert repeated.pk != Experiment.objects.earliest("pk").pk


def started_again(client: Client) -> Experiment:
    """Predicts and runs once more."""
    client.post(url("predict"), ANSWERS)
    client.post(url("run"))
    return Experiment.objects.latest("pk")


def test_starting_over_and_undoing_return_to_the_lab_on_the_map(client: Client) -> None:
    started(client)
    for name in ("reset", "undo"):
        response = client.post(reverse(f"labs:lesson-{name}", args=[NAME]))
        assert response.headers["Location"] == f"/learn/#lab-{LESSON.order}"


@pytest.mark.parametrize("address", ["/learn/nothing/story/", f"/learn/{NAME}/nothing/"])
def test_unknown_labs_and_steps_are_not_found(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404


def test_the_next_button_leads_through_every_step(client: Client) -> None:
    steps = list(STEPS)
    for step, after in zip(steps, [*steps[1:], steps[-1]], strict=True):
        assert client.post(url(step), {"to": "next"}).headers["Location"] == url(after)
    assert Progress.objects.get().step == steps[-1]
    assert Experiment.objects.count() == 0


def test_reading_steps_have_a_next_button(client: Client) -> None:
    steps_with_button = [step for step in STEPS if 'name="to" value="next"' in page(client, step)]
    assert steps_with_button == ["story", "see", "explain", "your-turn", "why"]


@pytest.mark.parametrize("state", [State.FAILED, State.INTERRUPTED, State.CANCELLED])
def test_no_button_leads_to_a_missing_result(client: Client, state: State) -> None:
    make.end(started(client), state)
    assert 'name="to" value="next"' not in page(client, "run")


def test_one_button_leads_from_a_finished_run_to_its_result(client: Client) -> None:
    finish(started(client))
    assert page(client, "run").count('name="to" value="next"') == 1


def test_hostile_answers_are_not_saved(client: Client) -> None:
    response = client.post(url("predict"), {**ANSWERS, "acks-0": "<script>"})
    assert "<script>" not in response.content.decode().replace("<script src", "")
    assert not Progress.objects.exclude(prediction={}).exists()


def test_arms_have_the_names_of_the_lesson(client: Client) -> None:
    experiment = started(client)
    assert Run.objects.filter(experiment=experiment).count() == 3
    assert "acks=all" in client.get(experiment.get_absolute_url()).content.decode()


TURN = {"choice": "set-acks-all", "answer": "none", "confidence": "sure"}


def turned(client: Client, **chosen: str) -> Experiment:
    client.post(url("your-turn"), TURN | chosen)
    return Experiment.objects.latest("pk")


def test_the_turn_runs_the_one_change_that_was_chosen(client: Client) -> None:
    experiment = turned(client)
    (run,) = experiment.runs.all()
    assert (run.name, run.settings["producer"]["acks"]) == ("set-acks-all", "all")
    assert Progress.objects.get().turn == TURN
    assert "acks=all" in page(client, "your-turn")


@pytest.mark.parametrize("wrong", ["choice", "answer", "confidence"])
def test_a_turn_without_a_choice_a_prediction_or_a_confidence_is_refused(
    client: Client, wrong: str
) -> None:
    response = client.post(url("your-turn"), TURN | {wrong: "<b>"})
    assert response.status_code == 422
    text = response.content.decode()
    assert "Choose a change, what you expect of it, and how sure you are." in text
    assert "<b>" not in text
    assert not Experiment.objects.exists()


def test_the_turn_is_graded_by_the_counts_of_the_run(client: Client) -> None:
    finish(turned(client, choice="min-isr-3", answer="none"), min_isr_3="broken")
    text = page(client, "your-turn")
    assert "Not yet: with your change it still happens." in text
    assert "that did not come true" in text
    assert "A leader refuses a write for too few in-sync replicas only when" in text
    assert "your turn is solved" not in client.get("/learn/").content.decode()
    finish(turned(client))
    assert "With your change this run did not show it." in page(client, "your-turn")
    assert "your turn is solved" in client.get("/learn/").content.decode()


def test_a_turn_that_could_not_be_judged_is_not_graded(client: Client) -> None:
    finish(turned(client), set_acks_all="unknown")
    text = page(client, "your-turn")
    assert "This run could not be judged, so it says nothing about your change." in text
    assert "came true" not in text
    assert "your turn is solved" not in client.get("/learn/").content.decode()


def test_an_interrupted_turn_is_run_again_with_the_same_request(client: Client) -> None:
    experiment = turned(client)
    make.end(experiment, State.INTERRUPTED)
    assert "Run it again" in page(client, "your-turn")
    client.post(url("your-turn"))
    experiment.refresh_from_db()
    assert (experiment.state, experiment.attempt, Experiment.objects.count()) == (
        State.QUEUED,
        2,
        1,
    )


def test_polling_of_a_turn_ends_with_its_run(client: Client) -> None:
    live = reverse("labs:lesson-turn-live", args=[NAME])
    assert client.get(live).status_code == 404
    experiment = turned(client)
    assert client.get(live).status_code == 200
    finish(experiment)
    ended = client.get(live)
    assert (ended.status_code, "did not show it" in ended.content.decode()) == (286, True)


def test_hints_come_one_after_the_other_and_the_solution_can_be_shown(client: Client) -> None:
    text = page(client, "your-turn")
    places = [text.index(name) for name in ("A hint", "Another hint", "The last hint", "Show the")]
    assert places == sorted(places)
    assert text.count("<details>") == 3


def test_every_answer_is_explained_after_the_first_one(client: Client) -> None:
    question, other = find(NAME).questions[:2]
    assert all(answer.why not in page(client, "why") for answer in question.answers)
    client.post(url("why"), {question.name: "0", other.name: "9"})
    text = unescape(page(client, "why"))
    assert all(answer.why in text for answer in question.answers)
    assert all(answer.why not in text for answer in other.answers)
    assert Progress.objects.get().answers == {question.name: 0}


def test_the_first_answer_counts(client: Client) -> None:
    question = find(NAME).questions[0]
    right = next(place for place, answer in enumerate(question.answers) if answer.right)
    client.post(url("why"), {question.name: "0"})
    client.post(url("why"), {question.name: str(right)})
    assert Progress.objects.get().answers == {question.name: 0}
    assert (
        f"0 of {len(find(NAME).questions)} questions right"
        in client.get("/learn/").content.decode()
    )


def test_questions_are_counted_on_the_map_once_one_is_answered(client: Client) -> None:
    client.post(url("story"), {"to": "next"})
    assert "questions right" not in client.get("/learn/").content.decode()
    client.post(url("why"), {find(NAME).questions[0].name: "0"})
    assert "of 3 questions right" in client.get("/learn/").content.decode()


def test_an_undone_reset_is_confirmed_once(client: Client) -> None:
    client.post(url("story"), {"to": "next"})
    client.post(reverse("labs:lesson-reset", args=[NAME]))
    client.post(reverse("labs:lesson-undo", args=[NAME]))
    message = f"“{LESSON.title}” is again where you had left it."
    assert message in html_of(client.get("/learn/"))
    assert message not in html_of(client.get("/learn/"))


def test_confidence_is_compared_with_the_outcome(client: Client) -> None:
    assert "How well your confidence fits" not in client.get("/learn/").content.decode()
    client.post(url("predict"), {**ANSWERS, "acks-0-confidence": "sure"})
    client.post(url("run"))
    finish(Experiment.objects.get(), acks_0="broken", acks_1="broken", acks_all="unknown")
    finish(turned(client))
    fits = lesson_confidence.table([Progress.objects.get()])
    assert [(fit.words, fit.right, fit.judged) for fit in fits] == [
        ("I am sure", 2, 2), ("I think so", 0, 1),
    ]  # fmt: skip
    assert "How well your confidence fits" in client.get("/learn/").content.decode()


def test_names_of_settings_in_sources_are_marked_as_code(client: Client) -> None:
    text = page(client, "take-home")
    assert "<code>acks</code>, the topic" in text
    assert "`" not in text
