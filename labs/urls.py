"""Addresses of experiments and lessons."""

from __future__ import annotations

from django.urls import path

from labs.pages import (
    class_views,
    comparison_views,
    evidence_views,
    incident_views,
    lesson_views,
    replay_views,
    scenario_views,
    toy_views,
    views,
)

app_name = "labs"

urlpatterns = [
    path("", views.home, name="home"),
    path("recorded-run.json", views.recorded_run, name="recorded"),
    path("experiments/", views.experiments, name="experiments"),
    path("experiments/start/", views.start, name="start"),
    path("experiments/conditions/", views.conditions, name="conditions"),
    path("experiments/<slug:slug>/", views.experiment, name="experiment"),
    path("experiments/<slug:slug>/live/", views.live, name="live"),
    path("experiments/<slug:slug>/cancel/", views.cancel, name="cancel"),
    path("experiments/<slug:slug>/again/", views.again, name="again"),
    path("experiments/<slug:slug>/<slug:arm>/ledger.zip", views.ledger, name="ledger"),
    path("evidence/", evidence_views.evidence, name="evidence"),
    path(
        "experiments/<slug:slug>/<slug:arm>/ledger-jsonl.zip",
        views.ledger_lines,
        name="ledger-lines",
    ),
    path("experiments/<slug:slug>/report.txt", comparison_views.text_report, name="report"),
    path("experiments/<slug:slug>/compare/", comparison_views.compare, name="compare"),
    path("experiments/<slug:slug>/repetitions/", comparison_views.repetitions, name="repetitions"),
    path("experiments/<slug:slug>/repeat/", comparison_views.repeat, name="repeat"),
    path("experiments/<slug:slug>/replay.json", replay_views.replay, name="replay"),
    path("experiments/<slug:slug>/<slug:arm>/message/", replay_views.message, name="message"),
    path("incidents/", incident_views.incidents, name="incidents"),
    path("incidents/<slug:name>/", incident_views.incident, name="incident"),
    path("scenarios/", scenario_views.scenarios, name="scenarios"),
    path("scenarios/<slug:name>/start/", scenario_views.start, name="scenario-start"),
    path("toy/", toy_views.show, name="toy"),
    path("toy/states.json", toy_views.states, name="toy-states"),
    path("toy/start/", toy_views.start, name="toy-start"),
    path("class/", class_views.index, name="class"),
    path("class/open/", class_views.open_room, name="class-open"),
    path("class/join/", class_views.join, name="class-join"),
    path("class/<slug:code>/", class_views.room, name="class-room"),
    path("class/<slug:code>/live/", class_views.live, name="class-live"),
    path("class/<slug:code>/seats/", class_views.seats, name="class-seats"),
    path("class/<slug:code>/predict/", class_views.predict, name="class-predict"),
    path("class/<slug:code>/answer/", class_views.answer, name="class-answer"),
    path("class/<slug:code>/forward/", class_views.forward, name="class-forward"),
    path("class/<slug:code>/run/", class_views.run, name="class-run"),
    path("class/<slug:code>/close/", class_views.close, name="class-close"),
    path("class/<slug:code>/remove/", class_views.remove, name="class-remove"),
    path("class/<slug:code>/class.csv", class_views.export, name="class-export"),
    path("learn/", lesson_views.lessons, name="lessons"),
    path("learn/<slug:name>/live/", lesson_views.live, name="lesson-live"),
    path("learn/<slug:name>/your-turn/live/", lesson_views.turn_live, name="lesson-turn-live"),
    path("learn/<slug:name>/reset/", lesson_views.reset, name="lesson-reset"),
    path("learn/<slug:name>/undo/", lesson_views.undo, name="lesson-undo"),
    path("learn/<slug:name>/<slug:step>/", lesson_views.lesson, name="lesson"),
]
