"""Addresses of experiments and lessons."""

from __future__ import annotations

from django.urls import path

from labs.pages import evidence_views
from labs.pages.accounts import views as account_views
from labs.pages.challenges import views as challenge_views
from labs.pages.classes import views as class_views
from labs.pages.experiments import comparison_views, replay_views, views
from labs.pages.incidents import views as incident_views
from labs.pages.lessons import toy_views
from labs.pages.lessons import views as lesson_views
from labs.pages.scenarios import views as scenario_views
from labs.pages.series import views as series_views

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
    path("evidence/failures/<slug:name>/", evidence_views.failure, name="evidence-failure"),
    path("evidence/lines/", series_views.lines, name="lines"),
    path("evidence/lines/start/", series_views.start, name="series-start"),
    path("evidence/lines/<slug:slug>/", series_views.series, name="series"),
    path("evidence/lines/<slug:slug>/live/", series_views.live, name="series-live"),
    path("evidence/lines/<slug:slug>/cancel/", series_views.cancel, name="series-cancel"),
    path("evidence/lines/<slug:slug>/go-on/", series_views.go_on, name="series-go-on"),
    path(
        "experiments/<slug:slug>/<slug:arm>/ledger-jsonl.zip",
        views.ledger_lines,
        name="ledger-lines",
    ),
    path("experiments/<slug:slug>/run.html", views.offline, name="offline"),
    path("experiments/<slug:slug>/picture.png", replay_views.picture, name="picture"),
    path("pipelines/<slug:slug>/picture.png", replay_views.answer_picture, name="answer-picture"),
    path("experiments/<slug:slug>/report.txt", comparison_views.text_report, name="report"),
    path("experiments/<slug:slug>/compare/", comparison_views.compare, name="compare"),
    path("experiments/<slug:slug>/repetitions/", comparison_views.repetitions, name="repetitions"),
    path("experiments/<slug:slug>/repeat/", comparison_views.repeat, name="repeat"),
    path("experiments/<slug:slug>/replay.json", replay_views.replay, name="replay"),
    path("experiments/<slug:slug>/<slug:arm>/message/", replay_views.message, name="message"),
    path("incidents/", incident_views.incidents, name="incidents"),
    path("incidents/<slug:name>/", incident_views.incident, name="incident"),
    path("incidents/<slug:name>/start/", incident_views.start, name="incident-start"),
    path("incidents/<slug:name>/plays/<slug:slug>/", incident_views.play, name="incident-play"),
    path(
        "incidents/<slug:name>/plays/<slug:slug>/live/", incident_views.live, name="incident-live"
    ),
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
    path("challenges/", challenge_views.challenges, name="challenges"),
    path("challenges/results/<slug:slug>/", challenge_views.result, name="challenge-result"),
    path("challenges/<slug:name>/", challenge_views.challenge, name="challenge"),
    path("challenges/<slug:name>/live/", challenge_views.live, name="challenge-live"),
    path("challenges/<slug:name>/answer/", challenge_views.answer, name="challenge-answer"),
    path(
        "challenges/<slug:name>/evidence/<slug:part>/",
        challenge_views.evidence,
        name="challenge-evidence",
    ),
    path("challenges/<slug:name>/give-up/", challenge_views.give_up, name="challenge-give-up"),
    path("account/", account_views.account, name="account"),
    path("account/sign-in/", account_views.sign_in, name="sign-in"),
    path("account/sign-up/", account_views.sign_up, name="sign-up"),
    path("account/sign-out/", account_views.sign_out, name="sign-out"),
    path("account/password/", account_views.password, name="account-password"),
    path("account/remove/", account_views.remove, name="account-remove"),
    path("learn/", lesson_views.lessons, name="lessons"),
    path("learn/review/", lesson_views.review, name="lesson-review"),
    path("learn/<slug:name>/", lesson_views.resume, name="lesson-resume"),
    path("learn/<slug:name>/live/", lesson_views.live, name="lesson-live"),
    path("learn/<slug:name>/your-turn/live/", lesson_views.turn_live, name="lesson-turn-live"),
    path("learn/<slug:name>/reset/", lesson_views.reset, name="lesson-reset"),
    path("learn/<slug:name>/undo/", lesson_views.undo, name="lesson-undo"),
    path("learn/<slug:name>/<slug:step>/", lesson_views.lesson, name="lesson"),
]
