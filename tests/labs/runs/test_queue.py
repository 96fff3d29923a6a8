"""A nudge, sent to a queue in memory, and to a Redis that does not answer."""

from __future__ import annotations

import socket
import time

import pytest
from celery import Celery
from django.conf import settings

from labs import tasks
from labs.runs import queue
from tests.labs import make


@pytest.mark.django_db
def test_a_nudge_names_the_task_and_the_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Celery("a-test", broker="memory://", set_as_current=False)
    monkeypatch.setattr(queue, "current_app", app)
    experiment = make.experiment()
    assert experiment.nudged_at is None
    assert queue.nudge(experiment.slug, experiment.attempt)
    with app.connection_for_read() as connection:
        taken = connection.SimpleQueue(app.conf.task_default_queue).get(timeout=60)
    assert taken.headers["task"] == tasks.run_experiment.name
    assert taken.payload[0] == [experiment.slug, experiment.attempt]
    experiment.refresh_from_db()
    assert experiment.nudged_at


@pytest.mark.django_db
def test_a_redis_that_accepts_and_does_not_answer_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A click waited for it without an end, and held one of the web server's few threads."""
    experiment = make.experiment()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        app = Celery("a-test", broker=address, set_as_current=False)
        app.conf.broker_transport_options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
        monkeypatch.setattr(queue, "current_app", app)
        began = time.monotonic()
        assert not queue.nudge(experiment.slug, experiment.attempt)
    assert time.monotonic() - began < 15
    experiment.refresh_from_db()
    assert experiment.nudged_at is None
