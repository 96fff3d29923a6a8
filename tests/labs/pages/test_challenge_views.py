"""Challenges over HTTP, without JavaScript: from the list to a grade and a link to share it."""

from __future__ import annotations

import shutil
from html import unescape

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from labs.challenges import all_challenges, daily_challenge, daily_seed, find
from labs.models import Attempt, Experiment, Run, State
from labs.pages.challenges import pages as challenge_pages
from tests.engine import histories
from tests.labs import make
from tests.reading import html_of

pytestmark = pytest.mark.django_db

NAME = "one-acknowledgement"
START = find(NAME).start()
SOLVED = find(NAME).with_levers(find(NAME).optimum)
URL = reverse("labs:challenge", args=[NAME])
CASE = "case-of-the-quick-answer"
CASE_URL = reverse("labs:challenge", args=[CASE])


def page(client: Client, address: str = URL) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return unescape(html_of(response))


def played(client: Client, levers: dict[str, str], verdict: str, **counts: int | None) -> Attempt:
    """Plays these settings and ends the run with this verdict."""
    response = client.post(URL, levers)
    assert response.status_code == 302, response.content.decode()
    attempt = Attempt.objects.first()
    assert attempt is not None
    assert attempt.experiment is not None
    run = attempt.experiment.runs.get()
    run.verdict, run.result = verdict, make.result(verdict, **counts)
    run.save()
    make.end(attempt.experiment, State.DONE)
    return attempt


def test_the_list_has_every_challenge_and_the_daily_one(client: Client) -> None:
    text = page(client, reverse("labs:challenges"))
    for challenge in all_challenges():
        assert challenge.title in text
        assert challenge.teaches in text
    daily = daily_challenge(challenge_pages.today(), all_challenges())
    assert f"{reverse('labs:challenge', args=[daily.name])}?daily=1" in text
    assert "solved</span>" not in text
    assert settings.SESSION_COOKIE_NAME not in client.cookies, "looking keeps nothing"


def test_only_the_levers_are_on_the_form_and_are_run(client: Client) -> None:
    text = page(client)
    for lever in find(NAME).levers:
        assert f'name="{lever}"' in text
    client.post(URL, {**SOLVED, "topic.replication.factor": "1", "family": "spark"})
    run = Experiment.objects.get().runs.get()
    assert run.settings["topic"]["replication.factor"] == 3
    assert run.settings["producer"]["acks"] == "all"
    assert Attempt.objects.get().levers == SOLVED


def test_settings_that_the_catalog_refuses_start_nothing(client: Client) -> None:
    response = client.post(URL, {**START, "producer.retries": "-3"})
    assert response.status_code == 422
    assert 'id="producer.retries-error"' in response.content.decode()
    assert not Experiment.objects.exists()


def test_an_unfinished_run_is_shown_and_not_graded(client: Client) -> None:
    client.post(URL, SOLVED)
    text = page(client)
    assert 'http-equiv="refresh"' in text
    assert 'id="graded"' not in text
    assert 'id="levers"' not in text
    client.post(URL, SOLVED)
    assert Attempt.objects.count() == 1, "one at a time"


def test_a_solved_challenge_shows_the_grade_the_optimum_and_a_link(client: Client) -> None:
    attempt = played(client, SOLVED, "holds")
    text = page(client)
    assert "Passed, with 1 change." in " ".join(text.split())
    assert "0 acknowledged and gone of 10,000 (asked for: none)." in text
    assert find(NAME).optimum.why in text
    assert "1 of " in page(client, reverse("labs:challenges"))
    following = all_challenges()[1]
    assert f'href="{reverse("labs:challenge", args=[following.name])}">Next challenge: ' in text
    shared = page(Client(), reverse("labs:challenge-result", args=[attempt.slug]))
    assert "Passed, with 1 change." in " ".join(shared.split())
    assert "producer.acks" in shared


def test_an_unsolved_challenge_hides_the_optimum_until_the_visitor_gives_up(client: Client) -> None:
    played(client, START, "broken")
    text = page(client)
    assert "985 acknowledged and gone of 10,000 (asked for: none)." in text
    assert "Not passed, with 0 changes." in " ".join(text.split())
    assert "Next challenge" not in text
    assert find(NAME).optimum.why not in text
    client.post(reverse("labs:challenge-give-up", args=[NAME]))
    assert find(NAME).optimum.why in page(client)


def test_the_list_names_a_challenge_that_was_given_up(client: Client) -> None:
    address = reverse("labs:challenges")
    client.post(reverse("labs:challenge-give-up", args=[NAME]))
    row = page(client, address).partition(f'id="{NAME}"')[2].partition("</li>")[0]
    assert "· given up" in row
    assert "not tried" not in row
    assert "· given up" not in page(Client(), address)
    played(client, SOLVED, "holds")
    assert "· given up" not in page(client, address)


@pytest.mark.parametrize("verdict", ["unknown", ""])
def test_a_run_without_a_verdict_is_neither_passed_nor_failed(client: Client, verdict: str) -> None:
    attempt = played(client, SOLVED, verdict)
    for text in (page(client), page(client, reverse("labs:challenge-result", args=[attempt.slug]))):
        assert "Not graded" in text
        assert "Passed" not in text
        assert "Not passed" not in text


@pytest.mark.parametrize("state", [State.FAILED, State.INTERRUPTED, State.CANCELLED])
def test_a_run_that_ended_without_a_result_can_be_run_again(client: Client, state: State) -> None:
    client.post(URL, SOLVED)
    make.end(Experiment.objects.get(), state)
    assert "neither passed nor failed" in page(client)
    client.post(URL, {"again": "1"})
    assert Experiment.objects.get().state == State.QUEUED
    assert Attempt.objects.get().levers == SOLVED


def test_the_daily_challenge_has_the_schedule_of_its_date(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = challenge_pages.today()
    daily = daily_challenge(day, all_challenges())
    address = reverse("labs:challenge", args=[daily.name])
    client.post(address, {**daily.start(), "daily": "1"})
    assert Experiment.objects.get().seed == daily_seed(day)
    assert Attempt.objects.get().day == day


def test_unknown_challenges_and_attempts_are_not_found(client: Client) -> None:
    for name, word in (("challenge", "nosuch"), ("challenge-result", "nosuch22"),
                       ("challenge-live", NAME)):  # fmt: skip
        assert client.get(reverse(f"labs:{name}", args=[word])).status_code == 404
    assert client.post(reverse("labs:challenge-answer", args=[NAME])).status_code == 404


def recorded(client: Client) -> Run:
    """A forensics case with a finished recording: four messages are lost, and it has a log."""
    client.post(CASE_URL)
    run = Experiment.objects.get().runs.get()
    histories.lost_at_the_end_of_a_log(run.ledger)
    logs = challenge_pages.logs_folder(run)
    logs.mkdir()
    text = (
        f"[2026-11-24 08:16:51,000] INFO Created log for partition orders-0 in {logs.parent}/d (L)"
    )
    (logs / "broker-1.log").write_text(text, "utf-8")
    run.verdict, run.result = "broken", make.result("broken", lost_write=4)
    run.result["timeline"]["start_ns"] = run.result["axis_began_ns"] = histories.BEGAN
    run.save()
    make.end(run.experiment, State.DONE)
    return run


def answered(client: Client, cause: str, message: object) -> str:
    """Answers the case and returns the resulting page."""
    form = {"cause": cause, "message": str(message)}
    response = client.post(reverse("labs:challenge-answer", args=[CASE]), form)
    assert response.status_code == 302
    return " ".join(page(client, CASE_URL).split())


def test_a_recording_does_not_reveal_its_settings_before_the_answer(client: Client) -> None:
    run = recorded(client)
    text = page(client, CASE_URL)
    assert "Created log for partition orders-0" in text
    assert "partition: 0 offset: 6 value: 10" in text
    assert str(challenge_pages.logs_folder(run).parent) not in text
    for literal in ("acks=1", 'class="log because"', 'id="schedule"', "acknowledged and gone: <a"):
        assert literal not in text, literal
    assert not Experiment.objects.get().pipeline


def test_a_case_is_solved_by_its_cause_and_a_message_of_its_ledger(client: Client) -> None:
    recorded(client)
    case = find(CASE)
    assert "message 2 is not one of them" in answered(client, case.cause, histories.KEPT)
    assert "that is not the cause" in answered(client, case.wrong, histories.LOST)
    assert "Give up" in page(client, CASE_URL)
    solved = answered(client, case.cause, histories.LOST)
    assert "The cause is right, and message 8 is one of them." in solved
    assert all(cause.why in solved for cause in case.causes)
    assert "at answer 3" in " ".join(page(client, reverse("labs:challenges")).split())


def test_a_case_whose_ledger_was_removed_is_not_graded(client: Client) -> None:
    shutil.rmtree(recorded(client).ledger)
    text = answered(client, find(CASE).cause, histories.LOST)
    assert "Not graded" in text
    assert "The ledger of the recording is gone" in text


@pytest.mark.parametrize(("cause", "message"), [("", "8"), ("acks", "eight"), ("nothing", "8")])
def test_an_invalid_answer_changes_nothing(client: Client, cause: str, message: str) -> None:
    recorded(client)
    address = reverse("labs:challenge-answer", args=[CASE])
    response = client.post(address, {"cause": cause, "message": message})
    assert response.status_code == 422
    assert "Choose a cause, and give the number" in response.content.decode()
    assert Attempt.objects.get().answer == {}


def test_only_the_visitor_who_recorded_them_can_read_logs_and_dump(client: Client) -> None:
    run = recorded(client)
    for part, text in (("broker-1", "orders-0 in d"), ("dump", "offset: 6 value: 10")):
        address = reverse("labs:challenge-evidence", args=[CASE, part])
        response = client.get(address)
        assert text in response.content.decode()
        assert str(challenge_pages.logs_folder(run).parent) not in response.content.decode()
        assert response["Content-Type"].startswith("text/plain")
        assert Client().get(address).status_code == 404
    for part in ("broker-9", "consumer-1"):
        address = reverse("labs:challenge-evidence", args=[CASE, part])
        assert client.get(address).status_code == 404
