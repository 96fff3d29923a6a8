"""A nudge, sent to a queue in memory."""

from __future__ import annotations

import pytest
from celery import Celery

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
