"""Wrong answers return for review days later, the worst first, until they are known."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from labs.lessons import find
from labs.lessons.review import MOST, WAITS, Miss, due
from labs.models import Experiment, Progress
from tests.labs.pages.test_lesson_views import ANSWERS, NAME, finish, started, turned, url
from tests.reading import html_of

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
LAB = find(NAME)


def miss(confidence: str = "sure", days: float = 3, times_right: int = 0, item: str = "a") -> Miss:
    return Miss(NAME, item, confidence, NOW - timedelta(days=days), times_right)


def test_a_question_returns_after_two_days_then_after_seven_then_never() -> None:
    assert [miss(days=days, times_right=times).is_due(NOW)
            for days, times in ((1.9, 0), (2, 0), (6.9, 1), (7, 1), (1000, len(WAITS)))] == [
        False, True, False, True, False,
    ]  # fmt: skip


def test_the_worst_mistakes_come_first_and_a_review_is_short() -> None:
    many = [miss("guess", 9), miss("think", 3), miss("sure", 3), miss("", 5), miss("sure", 4)]
    rows = [(miss.confidence, (NOW - miss.since).days) for miss in due([*many, *many], NOW)]
    assert rows[:4] == [("sure", 4), ("sure", 4), ("sure", 3), ("sure", 3)]
    assert (len(rows), rows[4]) == (MOST, ("", 5))


pytestmark = pytest.mark.django_db


def move_to_the_past(days: float = 3) -> None:
    """Moves all progress some days into the past."""
    past = timezone.now() - timedelta(days=days)
    Experiment.objects.update(ended_at=past)
    for progress in Progress.objects.all():
        progress.reviews = {
            key: {**item, "at": past.isoformat()} for key, item in progress.reviews.items()
        }
        progress.save()


def review(client: Client) -> str:
    return unescape(html_of(client.get("/learn/review/")))


def answered(client: Client, item: str, answer: str) -> str:
    form = {"card": f"{NAME}/{item}", "answer": answer}
    return unescape(html_of(client.post("/learn/review/", form, follow=True)))


def predict_wrongly(client: Client) -> None:
    """One confident, wrong prediction: that acks=1 loses nothing. The other ones are right."""
    client.post(url("predict"), {**ANSWERS, "acks-1-confidence": "sure"})
    client.post(url("run"))
    finish(Experiment.objects.get(), acks_0="broken", acks_1="broken")


def test_a_prediction_that_did_not_come_true_is_asked_again(client: Client) -> None:
    predict_wrongly(client)
    assert "Nothing is due" in review(client)
    move_to_the_past()
    assert "1 thing did not go as you expected" in client.get("/learn/").content.decode()
    text = review(client)
    assert "acks=1" in text
    assert "acks=0" not in text
    assert "I am sure" in text
    words = answered(client, "prediction:acks-1", "none")
    assert "Not quite." in words
    assert "It comes back in two days." in words
    assert ".”." not in words
    assert "985" in words
    move_to_the_past()
    words = answered(client, "prediction:acks-1", "some")
    assert "Right this time." in words
    assert "once more in a week" in words
    assert "Nothing is due" in review(client)
    move_to_the_past()
    assert "Nothing is due" in review(client), "a week has to pass once it was right"
    move_to_the_past(8)
    assert "It does not come back." in answered(client, "prediction:acks-1", "some")
    move_to_the_past(99)
    assert "Nothing is due" in review(client)


def test_a_wrong_answer_to_a_question_is_asked_again_and_explained(client: Client) -> None:
    question = LAB.questions[0]
    wrong = next(at for at, answer in enumerate(question.answers) if not answer.right)
    right = next(at for at, answer in enumerate(question.answers) if answer.right)
    client.post(url("why"), {question.name: str(wrong)})
    assert "Nothing is due" in review(client)
    move_to_the_past()
    assert question.ask in review(client)
    text = answered(client, f"question:{question.name}", str(right))
    assert "Right this time." in text
    assert question.answers[right].why in text
    assert Progress.objects.get().answers == {question.name: wrong}, "the first answer stays"


def test_a_right_answer_is_never_reviewed(client: Client) -> None:
    question = LAB.questions[0]
    right = next(at for at, answer in enumerate(question.answers) if answer.right)
    client.post(url("why"), {question.name: str(right)})
    move_to_the_past(99)
    assert "Nothing is due" in review(client)


def test_the_last_turn_returns_with_its_explanation(client: Client) -> None:
    finish(turned(client, choice="min-isr-3", answer="none"), min_isr_3="broken")
    move_to_the_past()
    assert "min.insync.replicas=3" in review(client)
    assert LAB.arm("min-isr-3").why in answered(client, "turn:min-isr-3", "some")


@pytest.mark.parametrize("sent", [{"answer": "perhaps"}, {"answer": ""}, {"answer": "<script>"}])
def test_an_invalid_answer_is_refused_and_changes_nothing(
    client: Client, sent: dict[str, str]
) -> None:
    predict_wrongly(client)
    move_to_the_past()
    before = Progress.objects.get().reviews
    response = client.post("/learn/review/", {"card": f"{NAME}/prediction:acks-1", **sent})
    assert response.status_code == 400
    assert "Choose an answer" in response.content.decode()
    assert Progress.objects.get().reviews == before


def test_items_that_are_not_due_or_belong_to_others_cannot_be_answered(client: Client) -> None:
    started(client)
    for name in (f"{NAME}/prediction:acks-1", "x", ""):
        response = client.post("/learn/review/", {"card": name, "answer": "some"})
        assert response.status_code == 302
    assert Progress.objects.get().reviews == {}
    assert Client().get("/learn/review/?shown=x").status_code == 200
