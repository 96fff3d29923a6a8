"""Which answers to the creation of a topic are worth another try."""

from __future__ import annotations

from concurrent.futures import Future
from contextlib import nullcontext
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from labs.engine.protocol import admin


class _Admin:
    """Answers each request to create a topic with the next of these errors, then with success."""

    def __init__(self, *errors: int) -> None:
        self.errors = list(errors)
        self.asked = 0

    def create_topics(self, _topics: list[Any], **_limits: float) -> dict[str, Future[None]]:
        self.asked += 1
        answer: Future[None] = Future()
        if self.errors:
            answer.set_exception(KafkaException(KafkaError(self.errors.pop(0))))
        else:
            answer.set_result(None)
        return {"messages": answer}


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> Any:
    def by(*errors: int) -> _Admin:
        client = _Admin(*errors)
        monkeypatch.setattr(admin, "quiet_admin", lambda _: nullcontext(client))
        return client

    return by


@pytest.mark.parametrize(
    "error",
    [
        KafkaError._DESTROY_BROKER,
        KafkaError._TIMED_OUT,
        KafkaError._TRANSPORT,
        KafkaError.INVALID_REPLICATION_FACTOR,
    ],
)
def test_what_may_pass_is_tried_again(answered: Any, error: int) -> None:
    client = answered(error)
    admin.create_topic("127.0.0.1:1", "messages", 1, 3)
    assert client.asked == 2


def test_a_topic_that_an_unanswered_try_made_is_created(answered: Any) -> None:
    client = answered(KafkaError._DESTROY_BROKER, KafkaError.TOPIC_ALREADY_EXISTS)
    admin.create_topic("127.0.0.1:1", "messages", 1, 3)
    assert client.asked == 2


@pytest.mark.parametrize("error", [KafkaError.TOPIC_ALREADY_EXISTS, KafkaError.POLICY_VIOLATION])
def test_a_refusal_is_raised_in_the_brokers_words(answered: Any, error: int) -> None:
    client = answered(error)
    with pytest.raises(KafkaException) as refused:
        admin.create_topic("127.0.0.1:1", "messages", 1, 3)
    assert refused.value.args[0].code() == error
    assert client.asked == 1
