"""Pages in states that need actions of a visitor: labs, challenges, class rooms and plays.

The actions are done over HTTP, as by a browser without JavaScript; the browser of the test then
gets the session of that visitor.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from django.conf import settings
from django.db.models import F
from django.template.loader import render_to_string
from django.test import Client
from playwright.sync_api import Page

from labs.challenges import find as find_challenge
from labs.incidents import find as find_incident
from labs.lessons.classroom import Stage
from labs.models import Attempt, Classroom, Experiment, Run, State
from labs.runs import plays
from tests.engine import histories
from tests.labs import make, watched
from tests.labs.pages.test_lesson_views import KEPT, NAME, finish, started

SECOND = 4.0
CHALLENGE = find_challenge("one-acknowledgement")
INCIDENT = find_incident("KAFKA-13598")


def _share_session(page: Page, client: Client) -> None:
    """Gives the browser the session of this client."""
    name = settings.SESSION_COOKIE_NAME
    page.goto("/learn/")  # a cookie belongs to a site
    base = page.evaluate("location.origin")
    cookie = {"name": name, "value": client.cookies[name].value, "url": base}
    page.context.add_cookies([cookie])


def _set_state(experiment: Experiment, state: State) -> None:
    """Moves an experiment that was just queued to a state."""
    now = F("queued_at")
    runs = {"owner": "somebody", "heartbeat_at": now}
    Experiment.objects.filter(pk=experiment.pk).update(
        state=state, started_at=now, nudged_at=now,
        **(runs if state == State.RUNNING else {"ended_at": now}),
    )  # fmt: skip


def _lesson(state: State, step: str, page: Page) -> str:
    client = Client()
    experiment = started(client)
    if state == State.DONE:
        finish(experiment, acks_0="broken", acks_1="broken")
        _add_replay(experiment.runs.get(name="acks-1"))
    else:
        _set_state(experiment, state)
        _show_brokers(experiment, state)
    _share_session(page, client)
    return f"/learn/{NAME}/{step}/"


def _show_brokers(experiment: Experiment, state: State) -> None:
    """Adds the telemetry of brokers to a running experiment."""
    if state == State.RUNNING:
        watched.show(experiment, SECOND)


def _add_replay(run: Run) -> None:
    histories.lost_at_the_end_of_a_log(run.ledger)
    run.result["timeline"]["start_ns"] = run.result["axis_began_ns"] = histories.BEGAN
    run.save()


def _challenge(state: State, verdict: str, page: Page) -> str:
    client, address = Client(), f"/challenges/{CHALLENGE.name}/"
    levers = CHALLENGE.with_levers(CHALLENGE.optimum) if verdict == "holds" else CHALLENGE.start()
    client.post(address, levers)
    experiment = Attempt.objects.select_related("experiment").get().experiment
    assert experiment is not None
    if verdict:
        experiment.runs.update(verdict=verdict, phase="done", result=make.result(verdict))
    _set_state(experiment, state)
    _show_brokers(experiment, state)
    _share_session(page, client)
    return address


def _room(stage: Stage, state: State | None, page: Page) -> str:
    client = Client()
    client.post("/class/open/", {"lesson": NAME})
    room = Classroom.objects.get()
    for name in ("Ada", "Grace", "Edsger"):
        room.pupils.create(visitor=name, nickname=name, name_key=name, prediction=KEPT)
    if state is not None:
        room.experiment = started(Client())
        if state == State.DONE:
            finish(room.experiment, acks_0="broken", acks_1="broken")
        else:
            _set_state(room.experiment, state)
            _show_brokers(room.experiment, state)
    room.stage, room.code = stage.value, "abcd2345"  # a random code would change the picture
    room.save()
    _share_session(page, client)
    return room.get_absolute_url()


def _play(state: State, page: Page) -> str:
    experiment = plays.start(INCIDENT, ["affected", "fixed"])
    counted = {"affected": 5, "fixed": 0}
    for run in experiment.runs.all():
        if state == State.DONE:
            run.phase, run.result = (
                "done",
                {
                    "release": INCIDENT.releases[run.name],
                    "harmed": counted[run.name],
                    "of": 5,
                    "exhibits": [
                        {"title": "The batches in the log", "text": "baseOffset: 0 " * 30}
                    ],
                },
            )
        elif state == State.RUNNING:
            run.phase = "playing" if run.position == 0 else "waiting"
        run.save()
    _set_state(experiment, state)
    return f"/incidents/{INCIDENT.slug}/plays/{experiment.slug}/"


def _without_database(page: Page) -> str:
    text = render_to_string("503.html", {"reading": True})
    page.route("**/without-database/", lambda route: route.fulfill(status=503, body=text))
    return "/without-database/"


VISITED: dict[str, Callable[[Page], str]] = {
    "lesson-running": partial(_lesson, State.RUNNING, "run"),
    "lesson-failed": partial(_lesson, State.FAILED, "run"),
    "lesson-done": partial(_lesson, State.DONE, "see"),
    "challenge-running": partial(_challenge, State.RUNNING, ""),
    "challenge-failed": partial(_challenge, State.FAILED, ""),
    "challenge-not-passed": partial(_challenge, State.DONE, "broken"),
    "challenge-passed": partial(_challenge, State.DONE, "holds"),
    "class-predicting": partial(_room, Stage.PREDICT, None),
    "class-running": partial(_room, Stage.RUN, State.RUNNING),
    "class-failed": partial(_room, Stage.RUN, State.FAILED),
    "class-done": partial(_room, Stage.RUN, State.DONE),
    "incident-running": partial(_play, State.RUNNING),
    "incident-failed": partial(_play, State.FAILED),
    "incident-done": partial(_play, State.DONE),
    "without-database": _without_database,
}
"""By the name of each page, a function that creates its state and returns its address."""
