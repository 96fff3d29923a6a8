"""A class over HTTP, without JavaScript: a teacher, pupils, strangers, and every state."""

from __future__ import annotations

from datetime import timedelta
from html import unescape

import pytest
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from labs.lessons import find
from labs.lessons.classroom import KEPT_FOR, MOST_PUPILS, OPEN_FOR
from labs.models import Classroom, Experiment, Pupil, State
from labs.pages.classes import presence as class_presence
from labs.runs.expiry import forget
from tests.labs import make
from tests.labs.pages.test_lesson_views import ANSWERS, NAME, finish

pytestmark = pytest.mark.django_db
LAB = find(NAME)


@pytest.fixture
def teacher() -> Client:
    client = Client()
    assert client.post("/class/open/", {"lesson": NAME}).status_code == 302
    return client


@pytest.fixture
def room(teacher: Client) -> Classroom:
    return Classroom.objects.get()


def joined(room: Classroom, nickname: str = "Ann") -> Client:
    pupil = Client()
    response = pupil.post("/class/join/", {"code": room.code.upper(), "nickname": nickname})
    assert response.headers["Location"] == room.get_absolute_url()
    return pupil


def page(client: Client, room: Classroom) -> str:
    response = client.get(room.get_absolute_url())
    assert response.status_code == 200
    return unescape(response.content.decode())


def lead(teacher: Client, room: Classroom, to: str = "forward") -> None:
    version = Classroom.objects.get(pk=room.pk).version
    teacher.post(f"/class/{room.code}/{to}/", {"from": version})


def predict(pupil: Client, room: Classroom, **changed: str) -> int:
    sent = {**ANSWERS, **{name.replace("_", "-"): value for name, value in changed.items()}}
    return pupil.post(f"/class/{room.code}/predict/", sent).status_code


def test_after_predicting_a_pupil_is_sent_to_the_confirmation(
    teacher: Client, room: Classroom
) -> None:
    pupil = joined(room)
    response = pupil.post(f"/class/{room.code}/predict/", ANSWERS)
    assert response.headers["Location"] == f"{room.get_absolute_url()}#predict"
    after = page(pupil, room).partition('id="predict"')[2]
    assert "Your prediction is kept." in after


def run_of(teacher: Client, room: Classroom) -> Experiment:
    lead(teacher, room)
    lead(teacher, room, "run")
    return Experiment.objects.get()


def test_a_class_from_its_opening_to_its_table(teacher: Client, room: Classroom) -> None:
    assert "Nobody has joined yet" in page(teacher, room)
    ann, bob = joined(room), joined(room, "Bob")
    predict(ann, room, acks_1="some")
    assert "Your prediction is kept" in page(ann, room)
    assert "How the class predicted" not in page(ann, room)
    assert "1 of 2 predicted" in page(teacher, room)
    experiment = run_of(teacher, room)
    assert "Waiting" in page(bob, room)
    finish(experiment, acks_0="broken", acks_1="broken")
    assert "3 of 3 of your predictions came true" in page(ann, room)
    assert "You did not predict" in page(bob, room)
    assert "1 of 2 predicted, 1 of them right" in page(teacher, room)
    for question in LAB.questions:
        lead(teacher, room)
        place = next(at for at, answer in enumerate(question.answers) if answer.right)
        ann.post(f"/class/{room.code}/answer/", {"answer": str(place)})
        assert question.answers[0].why not in page(ann, room)
        assert "Answers so far: 1 of 2" in page(teacher, room)
        lead(teacher, room)
        assert "Right." in page(ann, room)
        assert "Right." not in page(bob, room)
        assert question.answers[0].why in page(bob, room)
    lead(teacher, room)
    assert "985 of 10,000" in page(bob, room)
    response = teacher.get(f"/class/{room.code}/class.csv")
    assert "Ann" in response.content.decode("utf-8-sig").splitlines()[1]
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    lead(teacher, room, "close")
    for client in (teacher, ann):
        assert "This room is closed" in page(client, room)
        assert "hx-get" not in page(client, room).split('id="room"')[1].split(">")[0]


@pytest.mark.parametrize(
    ("sent", "message"),
    [({"code": "nosuch"}, "There is no room with this code"),
     ({"nickname": "x" * 25}, "1 to 24 characters"), ({"nickname": "ANN"}, "is taken in this room"),
     ({"nickname": "a\u202eb"}, "control characters"), ({"nickname": ""}, "1 to 24 characters")],
)  # fmt: skip
def test_a_pupil_who_cannot_join_sees_the_reason(
    room: Classroom, sent: dict[str, str], message: str
) -> None:
    joined(room)
    response = Client().post("/class/join/", {"code": room.code, "nickname": "Bob", **sent})
    assert response.status_code == 400
    assert message in response.content.decode()
    assert Pupil.objects.count() == 1


def test_an_unknown_room_offers_to_enter_the_code_again(client: Client) -> None:
    response = client.get("/class/nosuch22/")
    assert response.status_code == 404
    assert "There is no room with this code" in response.content.decode()


def test_a_browser_has_one_seat_and_the_teacher_has_none(teacher: Client, room: Classroom) -> None:
    ann = joined(room)
    ann.post("/class/join/", {"code": room.code, "nickname": "Another"})
    teacher.post("/class/join/", {"code": room.code, "nickname": "Boss"})
    assert [pupil.nickname for pupil in Pupil.objects.all()] == ["Ann"]


def test_the_seats_of_a_room_are_limited(room: Classroom) -> None:
    Pupil.objects.bulk_create(
        Pupil(classroom=room, visitor=str(n), nickname=str(n), name_key=str(n))
        for n in range(MOST_PUPILS)
    )
    response = Client().post("/class/join/", {"code": room.code, "nickname": "Late"})
    assert (response.status_code, "is full" in response.content.decode()) == (400, True)


def test_input_of_a_pupil_is_escaped(teacher: Client, room: Classroom) -> None:
    joined(room, "<script>x</script>")
    text = teacher.get(room.get_absolute_url()).content.decode()
    assert "&lt;script&gt;x" in text
    assert "<script>x" not in text


def test_only_the_teacher_advances_the_class_and_sees_the_pupils(
    teacher: Client, room: Classroom
) -> None:
    ann, stranger = joined(room), Client()
    predict(ann, room)
    for other in (ann, stranger):
        for to in ("forward", "run", "close", "remove"):
            assert other.post(f"/class/{room.code}/{to}/", {"from": "0"}).status_code == 404
        for at in ("seats/", "class.csv"):
            assert other.get(f"/class/{room.code}/{at}").status_code == 404
    assert stranger.post(f"/class/{room.code}/predict/", ANSWERS).status_code == 404
    assert stranger.post(f"/class/{room.code}/answer/", {"answer": "0"}).status_code == 404
    assert "Ann" not in page(stranger, room)
    assert "Join this class" in page(stranger, room)
    assert 'id="seats-title"' not in page(ann, room)


def test_predicting_ends_when_the_teacher_advances(teacher: Client, room: Classroom) -> None:
    ann = joined(room)
    assert predict(ann, room, acks_1="perhaps") == 400
    assert predict(ann, room, acks_1="none") == 302
    assert predict(ann, room, acks_1="some") == 302
    lead(teacher, room)
    predict(ann, room, acks_1="none")
    assert Pupil.objects.get().prediction["acks-1"]["answer"] == "some"
    assert "How the class predicted" in page(ann, room)


def test_the_first_answer_to_a_question_is_kept(teacher: Client, room: Classroom) -> None:
    ann = joined(room)
    finish(run_of(teacher, room))
    assert ann.post(f"/class/{room.code}/answer/", {"answer": "0"}).status_code == 302
    assert Pupil.objects.get().answers == {}, "nothing is asked yet"
    lead(teacher, room)
    assert ann.post(f"/class/{room.code}/answer/", {"answer": "9"}).status_code == 400
    for answer in ("1", "0"):
        ann.post(f"/class/{room.code}/answer/", {"answer": answer})
    assert Pupil.objects.get().answers == {LAB.questions[0].name: 1}
    lead(teacher, room)
    joined(room, "Bob").post(f"/class/{room.code}/answer/", {"answer": "0"})
    assert Pupil.objects.get(nickname="Bob").answers == {}, "what is right has been shown"


def test_a_double_click_advances_once_and_starts_one_run(teacher: Client, room: Classroom) -> None:
    for _ in range(2):
        teacher.post(f"/class/{room.code}/forward/", {"from": room.version})
    assert Classroom.objects.get().stage == "predicted"
    for _ in range(2):
        lead(teacher, room, "run")
    assert Experiment.objects.count() == 1
    lead(teacher, room)
    assert Classroom.objects.get().stage == "run", "there is no result to go on from"


@pytest.mark.parametrize("state", [State.FAILED, State.INTERRUPTED, State.CANCELLED])
def test_a_run_without_a_result_can_be_run_again(
    teacher: Client, room: Classroom, state: State
) -> None:
    ann, experiment = joined(room), run_of(teacher, room)
    make.end(experiment, state)
    assert "Such a run shows nothing about the settings" in page(ann, room)
    assert "Run it again" in page(teacher, room)
    assert "Run it again" not in page(ann, room)
    lead(teacher, room, "run")
    experiment.refresh_from_db()
    assert (experiment.state, experiment.attempt) == (State.QUEUED, 2)


def test_an_arm_that_was_not_judged_is_reported_and_may_be_run_again(
    teacher: Client, room: Classroom
) -> None:
    ann = joined(room)
    predict(ann, room)
    experiment = run_of(teacher, room)
    finish(experiment, acks_0="broken", acks_1="unknown")
    assert "2 of 2 of your predictions came true; 3 arms, 2 judged" in page(ann, room)
    lead(teacher, room, "run")
    assert Classroom.objects.get().experiment != experiment


def live(client: Client, room: Classroom, seen: str = "") -> tuple[int, str]:
    response = client.get(f"/class/{room.code}/live/?seen={seen}", headers={"HX-Request": "true"})
    return response.status_code, response.content.decode()


def seen_in(text: str, at: str) -> str:
    return text.split(f"/{at}/?seen=")[1].split('"')[0]


def test_polling_without_changes_takes_two_queries(teacher: Client, room: Classroom) -> None:
    ann = joined(room)
    seen = seen_in(live(ann, room)[1], "live")
    joined(room, "Bob")  # what others do does not replace a form that is being filled in
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert live(ann, room, seen) == (204, "")
    assert len(queries) == 2, queries.captured_queries  # one for the room, one for the visitor
    lead(teacher, room)
    assert live(ann, room, seen)[0] == 200


def test_a_run_is_shown_in_progress_and_polling_ends_with_the_room(
    teacher: Client, room: Classroom
) -> None:
    ann, experiment = joined(room), run_of(teacher, room)
    Experiment.objects.update(
        state=State.RUNNING, owner="w", heartbeat_at=timezone.now(), started_at=timezone.now()
    )
    status, text = live(ann, room)
    assert (status, "One run, on real brokers" in text) == (200, True)
    seen = seen_in(text, "live")
    assert live(ann, room, seen)[0] == 204
    Experiment.objects.update(heartbeat_at=timezone.now() + timedelta(seconds=2))
    assert live(ann, room, seen)[0] == 200
    finish(experiment)
    assert "What the run showed" in live(ann, room, seen)[1]
    lead(teacher, room, "close")
    assert live(ann, room, seen)[0] == 286


def test_the_teacher_sees_who_joins_answers_and_leaves(
    teacher: Client, room: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(class_presence.PRESENCE, "clock", lambda: now[0])
    ann = joined(room)

    def seats(seen: str = "") -> tuple[int, str]:
        response = teacher.get(f"/class/{room.code}/seats/?seen={seen}")
        return response.status_code, response.content.decode()

    text = seats()[1]
    assert "1 joined, 0 here" in text
    live(ann, room)
    text = seats(seen_in(text, "seats"))[1]
    assert "1 joined, 1 here" in text
    assert seats(seen_in(text, "seats"))[0] == 204
    predict(ann, room)
    text = seats(seen_in(text, "seats"))[1]
    assert "has predicted" in text
    now[0] += class_presence.PRESENT_S + 1
    assert "1 joined, 0 here" in seats(seen_in(text, "seats"))[1]


def test_a_removed_pupil_has_no_seat(teacher: Client, room: Classroom) -> None:
    ann = joined(room)
    teacher.post(f"/class/{room.code}/remove/", {"pupil": str(Pupil.objects.get().pk)})
    assert "Ann is out of the room, and can join again with the code." in page(teacher, room)
    assert "Join this class" in page(ann, room)
    teacher.post(f"/class/{room.code}/remove/", {"pupil": "<b>"})
    assert "is out of the room" not in page(teacher, room)


REMOVED = "Your teacher has removed you from this room, with your predictions and answers."


def test_a_removed_pupil_sees_what_happened(teacher: Client, room: Classroom) -> None:
    ann, bob = joined(room), joined(room, "Bob")
    teacher.post(
        f"/class/{room.code}/remove/", {"pupil": str(Pupil.objects.get(nickname="Ann").pk)}
    )
    polled = ann.get(f"/class/{room.code}/live/", headers={"hx-request": "true"})
    text = polled.content.decode()
    assert f"{REMOVED} You can join again with the code." in text
    assert '<span id="you" hx-swap-oob="innerHTML"></span>' in text
    for sent, kind in ((ANSWERS, "predict"), ({"answer": "0"}, "answer")):
        late = ann.post(f"/class/{room.code}/{kind}/", sent)
        assert late.headers["Location"] == room.get_absolute_url()
    assert REMOVED in page(ann, room)
    for other in (Client(), bob):
        assert REMOVED not in page(other, room)
    ann.post("/class/join/", {"code": room.code, "nickname": "Ann"})
    assert REMOVED not in page(ann, room)
    teacher.post(
        f"/class/{room.code}/remove/", {"pupil": str(Pupil.objects.get(nickname="Ann").pk)}
    )
    lead(teacher, room, "close")
    assert REMOVED in page(ann, room)
    assert "You can join again" not in page(ann, room)


def test_a_page_on_which_somebody_types_a_nickname_is_not_replaced(
    teacher: Client, room: Classroom
) -> None:
    """The class moves on meanwhile: the next request of the page would empty the field."""
    for client, asks in ((Client(), False), (joined(room), True), (teacher, True)):
        part = page(client, room).split('id="room"')[1].split(">")[0]
        assert ("hx-get" in part) == asks


def test_a_room_expires_and_is_removed(teacher: Client, room: Classroom) -> None:
    ann = joined(room)
    Classroom.objects.update(opened_at=timezone.now() - OPEN_FOR - timedelta(seconds=1))
    assert "This room is closed" in page(ann, room)
    predict(ann, room)
    assert Pupil.objects.get().prediction == {}
    lead(teacher, room)
    assert Classroom.objects.get().stage == "predict"
    response = Client().post("/class/join/", {"code": room.code, "nickname": "Bob"})
    assert "This room is closed" in response.content.decode()
    assert forget()["rooms"] == 0
    Classroom.objects.update(opened_at=timezone.now() - KEPT_FOR - timedelta(seconds=1))
    with override_settings(LAB_KEEP_DAYS=0):
        assert forget()["rooms"] == 1
    assert not Pupil.objects.exists()
    assert teacher.get(room.get_absolute_url()).status_code == 404


def test_the_number_of_open_rooms_is_limited() -> None:
    client = Client()
    with override_settings(LAB_ROOMS={"visitor": 1, "address": 2}):
        for browser, status in ((client, 302), (client, 400), (Client(), 302), (Client(), 400)):
            assert browser.post("/class/open/", {"lesson": NAME}).status_code == status
        assert Client().post("/class/open/", {"lesson": "nothing"}).status_code == 400
        Classroom.objects.update(closed_at=timezone.now())
        assert client.post("/class/open/", {"lesson": NAME}).status_code == 302


def test_rooms_of_a_removed_lab_are_not_found(teacher: Client, room: Classroom) -> None:
    Classroom.objects.update(lesson="gone")
    assert teacher.get(room.get_absolute_url()).status_code == 404
