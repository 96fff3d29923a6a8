"""An account keeps progress on every device. Signing in neither loses nor reveals anything."""

from __future__ import annotations

from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client, override_settings
from django.utils import timezone

from config import limits, operators
from labs.challenges import all_challenges
from labs.lessons import find
from labs.models import Attempt, Classroom, Experiment, GivenUp, Progress, Pupil, State
from labs.pages.accounts.forms import WRONG
from labs.runs import accounts, visitors
from labs.runs.expiry import forget
from tests.labs import make
from tests.labs.pages.test_lesson_views import ANSWERS, KEPT, NAME, finish, started, url

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"
QUESTION = find(NAME).questions[0]
WRONG_ANSWER = next(at for at, item in enumerate(QUESTION.answers) if not item.right)


def sign(client: Client, action: str = "in", name: str = "ann", password: str = PASSWORD) -> Any:
    return client.post(f"/account/sign-{action}/", {"name": name, "password": password})


def account(client: Client, name: str = "ann") -> User:
    assert sign(client, "up", name).status_code == 302
    return User.objects.get(username=name)


def map_of(client: Client) -> str:
    return unescape(client.get("/learn/").content.decode())


def go_through_a_lab(client: Client) -> Experiment:
    """Goes through a lab with one wrong prediction and one wrong answer."""
    client.post(url("predict"), {**ANSWERS, "acks-1-confidence": "sure"})
    client.post(url("run"))
    experiment = Experiment.objects.latest("pk")
    finish(experiment, acks_0="broken", acks_1="broken")
    client.post(url("why"), {QUESTION.name: str(WRONG_ANSWER)})
    Experiment.objects.update(ended_at=timezone.now() - timedelta(days=3))
    return experiment


def test_progress_of_a_browser_is_available_on_every_device_of_the_account(client: Client) -> None:
    experiment = go_through_a_lab(client)
    assert sign(client, "up").status_code == 302
    phone = Client()
    assert "you are at" not in map_of(phone)
    sign(phone)
    for device in (client, phone):
        text = map_of(device)
        assert "you are at “Why?”" in text
        assert "0 of 3 questions right" in text
        assert "I am sure" in text, "how well the confidence fits"
        assert "1 thing did not go as you expected" in text, "the review"
        assert ">ann</a>" in text
    progress = Progress.objects.get()
    assert progress.prediction["acks-1"] == {"answer": "none", "confidence": "sure"}
    assert (progress.experiment, progress.answers) == (experiment, {QUESTION.name: WRONG_ANSWER})
    answered = {"card": f"{NAME}/prediction:acks-1", "answer": "some"}
    phone.post("/learn/review/", answered)
    assert "1 thing did not go as you expected" not in map_of(client)


def test_attempts_runs_rooms_and_seats_move_to_the_account(client: Client) -> None:
    started(client)
    session = str(client.session.session_key)
    Attempt.objects.create(visitor=session, challenge=all_challenges()[0].name)
    client.post("/class/open/", {"lesson": NAME})
    room = Classroom.objects.create(lesson=NAME, teacher="somebody")
    Pupil.objects.create(classroom=room, visitor=session, nickname="a", name_key="a")
    key = visitors.account_key(account(client))
    assert Attempt.objects.get().visitor == Pupil.objects.get().visitor == key
    experiment = Experiment.objects.get()
    assert "Cancel" in client.get(experiment.get_absolute_url()).content.decode()
    assert Classroom.objects.get(teacher=key).lesson == NAME


def test_a_challenge_that_is_given_up_is_given_up_on_every_device(client: Client) -> None:
    challenge = next(challenge for challenge in all_challenges() if not challenge.is_forensics)
    page, why = f"/challenges/{challenge.name}/", challenge.optimum.why
    account(Client())
    other_client = Client()
    for browser in (client, other_client):
        assert why not in unescape(browser.get(page).content.decode())
        assert browser.post(f"{page}give-up/").status_code == 302
        assert sign(browser).status_code == 302
    phone = Client()
    assert why not in unescape(phone.get(page).content.decode())
    sign(phone)
    for device in (client, phone):
        assert why in unescape(device.get(page).content.decode())
    assert GivenUp.objects.count() == 1, "both browsers gave the same one up"
    client.post("/account/sign-out/")
    assert why not in unescape(client.get(page).content.decode())
    phone.post("/account/remove/", {"remove-old": PASSWORD})
    assert not GivenUp.objects.exists()


def test_the_more_advanced_progress_stays_and_the_other_can_be_restored(client: Client) -> None:
    account(client)
    experiment = go_through_a_lab(client)
    other_client = Client()
    other_client.post(url("predict"), ANSWERS)
    sign(other_client)
    current = Progress.objects.get(reset_at__isnull=True)
    replaced = Progress.objects.get(reset_at__isnull=False)
    assert (current.experiment, replaced.experiment) == (experiment, None)
    assert replaced.prediction == KEPT
    assert "Restore what was set aside" in map_of(client)
    for expected in (replaced.pk, current.pk, replaced.pk):
        client.post(f"/learn/{NAME}/undo/")
        assert Progress.objects.get(reset_at__isnull=True).pk == expected
        assert Progress.objects.count() == 2


def test_more_advanced_progress_of_the_browser_replaces_that_of_the_account(client: Client) -> None:
    account(client)
    client.post(url("predict"), ANSWERS)
    other_client = Client()
    experiment = go_through_a_lab(other_client)
    sign(other_client)
    assert Progress.objects.get(reset_at__isnull=True).experiment == experiment
    assert Progress.objects.get(reset_at__isnull=False).prediction == KEPT


def test_several_replaced_states_can_all_be_restored(client: Client) -> None:
    user = account(client)
    key, now = visitors.account_key(user), timezone.now()
    for number, (visitor, at) in enumerate(
        [("b", None), ("b", now), (key, None), (key, now - timedelta(hours=1))]
    ):
        Progress.objects.create(
            visitor=visitor,
            lesson=NAME,
            reset_at=at,
            answers={str(item): 0 for item in range(number + 1)},
        )
    accounts.take_over("b", key)
    assert Progress.objects.filter(visitor=key).count() == 4
    seen = set()
    for _ in range(4):
        client.post(f"/learn/{NAME}/undo/")
        seen.add(Progress.objects.get(reset_at__isnull=True).pk)
    assert len(seen) == 4


def test_a_seat_in_a_room_stays_when_both_have_one(client: Client) -> None:
    room = Classroom.objects.create(lesson=NAME, teacher="somebody")
    for visitor in ("old", "@7"):
        Pupil.objects.create(classroom=room, visitor=visitor, nickname=visitor, name_key=visitor)
    accounts.take_over("old", "@7")
    assert {*Pupil.objects.values_list("visitor", flat=True)} == {"old", "@7"}


def test_an_account_does_not_take_progress_of_another(client: Client) -> None:
    go_through_a_lab(client)
    account(client)
    assert sign(client, "in", "ann").url == "/account/"
    client.post("/account/sign-out/")
    assert "you are at" not in map_of(client)
    account(client, "bob")
    assert "you are at" not in map_of(client)
    assert Progress.objects.get().visitor == visitors.account_key(User.objects.get(username="ann"))


def test_a_session_key_in_the_form_of_an_account_gives_no_access(client: Client) -> None:
    started(client)
    user = account(client)
    padded = User.objects.create_user("b", pk=123_456_789)
    Progress.objects.create(visitor=visitors.account_key(padded), lesson=NAME, step="why")
    for key in (user, padded):
        thief = Client()
        thief.cookies[settings.SESSION_COOKIE_NAME] = visitors.account_key(key)
        for address in ("/learn/", url("predict"), "/challenges/", "/account/"):
            answer = thief.get(address)
            assert "you are at" not in answer.content.decode()
        assert "acks-1" not in Client().get(url("run")).content.decode()
        thief.post(url("predict"), ANSWERS)
    assert Progress.objects.filter(visitor__startswith="@").count() == 2


def test_signing_in_renews_the_key_of_the_session(client: Client) -> None:
    started(client)
    before = str(client.session.session_key)
    account(client)
    assert client.session.session_key != before
    assert not Session.objects.filter(session_key=before).exists()


@pytest.mark.parametrize(
    ("name", "password", "message"),
    [
        ("ann", PASSWORD, "This name is taken"),
        ("ANN ", PASSWORD, "This name is taken"),
        ("\uff41nn", PASSWORD, "This name is taken"),  # a full-width a
        (operators.NAME, PASSWORD, "This name is taken"),
        ("bob", "short", "at least 12 characters"),
        ("bob", "password1234", "too common"),
        ("bob-the-builder", "bob-the-builder", "too similar to the username"),
        ("b", PASSWORD, "at least 2 characters"),
        ("<b>bob</b>", PASSWORD, "A name has letters, digits"),
        ("bob\x00", PASSWORD, "Null characters are not allowed"),
        ("x" * 41, PASSWORD, "at most 40 characters"),
        ("bob", "p" * 129, "at most 128 characters"),
        ("", "", "This field is required"),
    ],
)
def test_a_bad_name_or_password_creates_no_account(
    client: Client, name: str, password: str, message: str
) -> None:
    operators.keep()
    User.objects.create_user("ann", password=PASSWORD)
    answer = sign(client, "up", name, password)
    text = unescape(answer.content.decode())
    assert answer.status_code == 400
    assert message in text
    assert b"<b>bob" not in answer.content
    assert f'value="{PASSWORD}"' not in text
    assert User.objects.count() == 2


@pytest.mark.parametrize(
    ("name", "password"),
    [("ann", "wrong horse battery"), ("nobody", PASSWORD), (operators.NAME, PASSWORD)],
)
def test_a_wrong_password_does_not_reveal_whether_the_name_exists(
    client: Client, name: str, password: str
) -> None:
    with override_settings(LAB_OPERATOR_PASSWORD=PASSWORD):
        operators.keep()
    User.objects.create_user("ann", password=PASSWORD)
    answer = sign(client, "in", name, password)
    assert answer.status_code == 400
    assert WRONG in answer.content.decode()
    assert "_auth_user_id" not in client.session


def test_an_account_has_no_rights_of_an_operator(client: Client) -> None:
    running = make.experiment(State.QUEUED, visitor="somebody else")
    account(client)
    assert "Cancel" not in client.get(running.get_absolute_url()).content.decode()
    client.post(f"{running.get_absolute_url()}cancel/")
    running.refresh_from_db()
    assert running.state == State.QUEUED
    stranger = Client()
    stranger.post("/operator/", {"username": "ann", "password": PASSWORD})
    assert "_auth_user_id" not in stranger.session
    assert "You are logged in" not in client.get("/operator/").content.decode()


def test_an_operator_keeps_the_progress_of_the_browser(client: Client) -> None:
    started(client)
    with override_settings(LAB_OPERATOR_PASSWORD=PASSWORD):
        operators.keep()
    client.post("/operator/", {"username": operators.NAME, "password": PASSWORD})
    assert "you are at" in map_of(client)
    assert client.get("/account/").status_code == 302


def test_a_new_password_ends_every_other_session(client: Client) -> None:
    account(client)
    other_client = Client()
    sign(other_client)
    form = {"old": "wrong horse battery", "password": "another horse battery"}
    refused = client.post("/account/password/", form)
    assert refused.status_code == 400
    assert "This is not your password." in refused.content.decode()
    assert client.post("/account/password/", form | {"old": PASSWORD}).status_code == 302
    assert client.get("/account/").status_code == 200
    assert other_client.get("/account/").status_code == 302
    assert sign(Client()).status_code == 400
    assert sign(Client(), password="another horse battery").status_code == 302


def test_removing_an_account_removes_its_progress(client: Client) -> None:
    started(client)
    user = account(client)
    key = visitors.account_key(user)
    Attempt.objects.create(visitor=key, challenge=all_challenges()[0].name)
    assert client.post("/account/remove/", {"remove-old": "wrong"}).status_code == 400
    learners = User.objects.filter(is_staff=False)
    assert learners.count() == Progress.objects.count() == 1
    assert client.post("/account/remove/", {"remove-old": PASSWORD}).status_code == 302
    assert learners.count() == Progress.objects.count() == 0
    assert Attempt.objects.get().visitor == ""
    assert Experiment.objects.count() == 1
    assert client.get("/account/").status_code == 302
    assert User.objects.create_user("bob").pk != user.pk, "a key is never given twice"


def test_password_attempts_for_a_name_are_limited_across_addresses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "COUNTERS", limits.Counters(clock=lambda: 1000.0))
    strict_limits = settings.LAB_LIMITS | {"guesses": (2, 2, 3600)}
    User.objects.create_user("ann", password=PASSWORD)
    with override_settings(LAB_LIMITS=strict_limits):
        answers = [
            sign(Client(REMOTE_ADDR=f"10.0.0.{number}"), "in", name, "wrong horse battery")
            for number, name in enumerate(["ann", "ANN", " \uff41nn", "bob"])
        ]
    assert [answer.status_code for answer in answers] == [400, 400, 429, 400]
    assert "for this name" in answers[2].content.decode()


def test_progress_of_an_account_stays_until_nobody_uses_it(client: Client) -> None:
    started(client)
    account(client)
    Session.objects.all().delete()
    assert forget()["progress"] == 0
    assert Progress.objects.count() == 1
    User.objects.update(last_login=timezone.now() - timedelta(days=366))
    assert forget()["accounts"] == 0, "a run was started since"
    Experiment.objects.update(created_at=timezone.now() - timedelta(days=366))
    operators.keep()
    assert forget()["accounts"] == 1
    assert Progress.objects.count() == 0
    assert User.objects.get().username == operators.NAME


def test_saving_progress_extends_the_session(client: Client) -> None:
    started(client)
    old = timezone.now() + timedelta(days=1)
    Session.objects.update(expire_date=old)
    client.post(url("predict"), {"to": "next"})
    assert Session.objects.get().expire_date == old, "nothing was kept"
    client.post(url("why"), {QUESTION.name: "0"})
    assert Session.objects.get().expire_date > old + timedelta(days=20)


def test_a_lab_that_was_only_opened_is_replaced_and_not_set_aside(client: Client) -> None:
    account(client)
    client.post(url("take-home"), {"to": "next"})
    second = Client()
    second.post(url("predict"), ANSWERS)
    sign(second)
    assert Progress.objects.get().prediction == KEPT
    third = Client()
    third.post(url("story"), {"to": "next"})
    sign(third)
    assert Progress.objects.get().prediction == KEPT
