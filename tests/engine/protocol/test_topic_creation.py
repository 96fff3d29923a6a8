"""Which errors of a request to create a topic are retried."""

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
        self.requests = 0

    def create_topics(self, _topics: list[Any], **_limits: float) -> dict[str, Future[None]]:
        self.requests += 1
        answer: Future[None] = Future()
        if self.errors:
            answer.set_exception(KafkaException(KafkaError(self.errors.pop(0))))
        else:
            answer.set_result(None)
        return {"messages": answer}


@pytest.fixture
def answer_with(monkeypatch: pytest.MonkeyPatch) -> Any:
    def set_answers(*errors: int) -> _Admin:
        client = _Admin(*errors)
        monkeypatch.setattr(admin, "quiet_admin", lambda _: nullcontext(client))
        return client

    return set_answers


@pytest.mark.parametrize(
    "error",
    [
        KafkaError._DESTROY_BROKER,
        KafkaError._TIMED_OUT,
        KafkaError._TRANSPORT,
        KafkaError.INVALID_REPLICATION_FACTOR,
    ],
)
def test_a_temporary_error_is_retried(answer_with: Any, error: int) -> None:
    client = answer_with(error)
    admin.create_topic("127.0.0.1:1", "messages", 1, 3)
    assert client.requests == 2


def test_a_topic_that_exists_after_an_unanswered_request_counts_as_created(
    answer_with: Any,
) -> None:
    client = answer_with(KafkaError._DESTROY_BROKER, KafkaError.TOPIC_ALREADY_EXISTS)
    admin.create_topic("127.0.0.1:1", "messages", 1, 3)
    assert client.requests == 2


@pytest.mark.parametrize("error", [KafkaError.TOPIC_ALREADY_EXISTS, KafkaError.POLICY_VIOLATION])
def test_a_refusal_is_raised_without_a_retry(answer_with: Any, error: int) -> None:
    client = answer_with(error)
    with pytest.raises(KafkaException) as refused:
        admin.create_topic("127.0.0.1:1", "messages", 1, 3)
    assert refused.value.args[0].code() == error
    assert client.requests == 1
