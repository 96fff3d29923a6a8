"""The pages of experiments in every state, as a browser without JavaScript shows them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from labs.models import Experiment, State
from labs.pages import selectors
from labs.pages.experiments import presentation, recorded
from labs.runs import presence, services
from tests.advisor.answers import RISKY, saved
from tests.labs import make
from tests.reading import html_of

pytestmark = pytest.mark.django_db

RELOAD = '<noscript><meta http-equiv="refresh" content="5"></noscript>'
HOSTILE = '<script>alert("x")</script>'


def text_of(client: Client, experiment: Experiment) -> str:
    response = client.get(experiment.get_absolute_url())
    assert response.status_code == 200
    return html_of(response)


def session_of(client: Client) -> str:
    """Starts a session for this client and returns its key."""
    session = client.session
    session["visits"] = True
    session.save()
    return str(session.session_key)


def verdicts_of(state: State) -> list[str]:
    return ["broken", "holds"] if state == State.DONE else []


@pytest.mark.parametrize("state", list(State))
def test_every_state_has_its_page_and_its_buttons(client: Client, state: State) -> None:
    experiment = make.experiment(
        state, *verdicts_of(state), nudged_at=None, visitor=session_of(client)
    )
    page = text_of(client, experiment)
    live = state in (State.QUEUED, State.RUNNING)
    assert ("every 1s" in page) == live
    assert ("Cancel this experiment" in page) == live
    assert ("Run again" in page) == (not live)
    assert client.get(reverse("labs:live", args=[experiment.slug])).status_code == (
        200 if live else 286
    )


@pytest.mark.parametrize("state", list(State))
def test_without_javascript_a_page_reloads_itself_until_the_run_is_over(
    client: Client, state: State
) -> None:
    page = text_of(client, make.experiment(state, *verdicts_of(state)))
    live = state in (State.QUEUED, State.RUNNING)
    assert (RELOAD in page.partition("</head>")[0]) == live
    assert page.count("http-equiv") == live


@pytest.mark.parametrize("verdict", ["holds", "broken", "unknown"])
def test_every_verdict_is_stated_with_counts(client: Client, verdict: str) -> None:
    page = text_of(client, make.experiment(State.DONE, verdict, "holds"))
    assert {
        "holds": "0 of 10,000 acknowledged messages are gone, and nothing that",
        "broken": "985 of 10,000 acknowledged messages are gone.",
        "unknown": "Nothing can be concluded: it was so.",
    }[verdict] in page


def test_counts_that_were_not_judged_are_not_shown_as_zero(client: Client) -> None:
    experiment = make.experiment(State.DONE, "unknown", "unknown")
    page = text_of(client, experiment)
    assert "not judged" in page
    assert "not judged of not judged" not in re.sub(r"<[^>]+>|\s+", " ", page)
    assert "<dd>0</dd>" not in page


def test_absence_of_loss_is_reported_as_evidence_with_the_number_of_runs(client: Client) -> None:
    settings = {"producer": {"acks": "all"}}
    make.experiment(State.DONE, "holds", settings=settings)
    make.experiment(State.INTERRUPTED, "holds", settings=settings)
    page = text_of(client, make.experiment(State.DONE, "holds", settings=settings))
    assert "No loss in 2 runs of this scenario with these settings." in page
    assert "evidence, not proof" in page


def test_a_message_without_an_effect_is_a_loss_too(client: Client) -> None:
    experiment = make.experiment(State.DONE, "broken")
    run = experiment.runs.get(name="described")
    run.result["counts"] |= {"lost_write": 0, "effect_missing": 215, "effect_duplicated": 0}
    run.save()
    page = text_of(client, experiment)
    assert "messages without an effect" in page
    assert "215 messages left no effect" in page
    assert "lost, or left no effect, in 1 of 1 run of this scenario" in page


def test_a_run_that_holds_as_recommended_leads_to_the_files(client: Client) -> None:
    slug = saved(RISKY)
    files = f'href="{reverse("advisor:advice", args=[slug])}#take-home"'
    assert 'id="take-home"' in html_of(client.get(reverse("advisor:advice", args=[slug])))
    holds = make.experiment(State.DONE, "broken", "holds", pipeline=slug)
    assert files in html_of(client.get(holds.get_absolute_url()))
    broken = make.experiment(State.DONE, "broken", "broken", pipeline=slug)
    assert files not in html_of(client.get(broken.get_absolute_url()))
    assert "#take-home" not in html_of(
        client.get(make.experiment(State.DONE, "broken", "holds").get_absolute_url())
    )


def test_the_page_says_the_place_in_the_queue(client: Client) -> None:
    first, second = make.experiment(), make.experiment()
    make.age(first, queued_at=90)
    make.age(second, queued_at=30)
    assert "next in the queue" in text_of(client, first)
    assert "number 2 in the queue" in text_of(client, second)


def test_a_queued_experiment_shows_the_progress_of_the_run_before_it(client: Client) -> None:
    """Otherwise the page of a queued experiment shows nothing new until it starts."""
    waits = make.experiment()
    assert "Running now" not in text_of(client, waits)
    runs = make.experiment(State.RUNNING)
    make.age(runs, started_at=20)
    for run, phase in zip(runs.runs.all(), ("healing", "waiting"), strict=True):
        run.phase, run.live = phase, {"began": {phase: 15.0}}
        run.save()
    text = text_of(client, waits)
    assert "Running now: healing; about" in text


def test_the_list_shows_queue_places_with_a_constant_number_of_queries(
    client: Client,
) -> None:
    experiments = [make.experiment() for _ in range(2)]
    address = reverse("labs:experiments")
    with CaptureQueriesContext(connection) as queries_of_two:
        client.get(address)
    experiments += [make.experiment() for _ in range(6)]
    with CaptureQueriesContext(connection) as queries_of_eight:
        page = client.get(address).content.decode()
    assert len(queries_of_eight) == len(queries_of_two)
    assert all(
        presentation.standing(experiment, selectors.paces(experiment)) in page
        for experiment in experiments
    )


def test_the_page_says_when_redis_was_unavailable(client: Client) -> None:
    experiment = make.experiment()
    assert "Redis does not answer" in text_of(client, experiment)
    make.age(experiment, nudged_at=1)
    assert "Redis does not answer" not in text_of(client, experiment)


def test_a_page_says_when_no_worker_is_running(client: Client) -> None:
    waiting = make.experiment()
    text = "No worker answers at the moment"
    pages = [reverse("labs:live", args=[waiting.slug]), reverse("labs:experiments")]
    assert all(text in client.get(page).content.decode() for page in pages)
    presence.beat("one")
    assert not any(text in client.get(page).content.decode() for page in pages)
    over = make.experiment(State.CANCELLED)
    presence.leave("one")
    assert text not in text_of(client, over), "nothing of it waits"


def test_a_running_arm_shows_brokers_leader_and_what_is_done(client: Client) -> None:
    experiment = make.experiment(State.RUNNING)
    experiment.runs.filter(name="described").update(
        phase="faulting",
        live={"brokers": {"1": "dead", "2": "running"}, "leader": 2, "isr": [2],
              "acknowledged": 12345, "acknowledged_per_s": 4987, "began": {"producing": 93.1}},
        samples=[{"at_s": 1.0, "acknowledged_per_s": 5000, "leader": 1}] * 3,
        faults=[{"fault": "kill", "target": "leader: broker 1", "phase": "complete",
                 "at_s": 96.31, "evidence": "pid 4711 gone"}],
    )  # fmt: skip
    page = text_of(client, experiment)
    assert "12,345" in page
    assert "4,987" in page
    assert re.search(r"is-dead.*\n.*Broker 1.*killed", page)
    assert re.search(r"Broker 2.*leader.*in sync", page)
    assert "Leader broker 1 was killed" in page
    assert "3.2 s" in page, "seconds count from the first send, not from the wait before it"


@pytest.mark.parametrize("state", [State.RUNNING, State.DONE, State.FAILED])
def test_hostile_text_is_escaped(client: Client, state: State) -> None:
    experiment = make.experiment(state, *verdicts_of(state), reason=HOSTILE)
    for run in experiment.runs.all():
        run.settings = {"producer": {HOSTILE: HOSTILE}}
        run.faults = [{"fault": HOSTILE, "target": HOSTILE, "phase": HOSTILE, "at_s": 1,
                       "evidence": HOSTILE}]  # fmt: skip
        run.live = {"brokers": {"1": HOSTILE}, "isr": [1], "leader": 1, "place": HOSTILE}
        if run.result:
            run.result["reason"] = HOSTILE
            run.result["examples"] = {HOSTILE: [{HOSTILE: HOSTILE}]}
            run.result["notes"] = [HOSTILE]
            run.result["versions"] = {HOSTILE: HOSTILE}
        run.save()
    page = text_of(client, experiment)
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_differing_settings_are_visible_and_the_others_folded(client: Client) -> None:
    experiment = make.experiment(State.DONE, "broken", "holds")
    experiment.runs.filter(name="recommended").update(
        settings={"producer": {"acks": "all", "linger.ms": 5}, "topic": {"min.insync.replicas": 2}}
    )
    settings = text_of(client, experiment).partition('id="settings"')[2].partition("</section>")[0]
    in_sight, _, folded = settings.partition("<details>")
    assert re.findall(r"<code>(.*?)</code>", in_sight) == ["producer.acks", "1", "all"]
    assert "<summary>2 settings are the same in both arms</summary>" in folded
    assert re.findall(r"<code>(.*?)</code>", folded) == [
        "producer.linger.ms", "5", "topic.min.insync.replicas", "2",
    ]  # fmt: skip


def test_arms_with_the_same_settings_show_no_empty_table(client: Client) -> None:
    settings = text_of(client, make.experiment(State.DONE, "holds", "holds"))
    assert "3 settings are the same in both arms" in settings
    assert "Settings that differ" not in settings
    experiment = make.experiment(State.DONE, "holds")
    experiment.runs.filter(name="recommended").delete()
    assert "All 3 settings" in text_of(client, experiment)


def test_no_page_needs_inline_styles_or_scripts(client: Client) -> None:
    for state in State:
        page = text_of(client, make.experiment(state, *verdicts_of(state)))
        assert " style=" not in page
        assert "<script" not in page.replace('<script src="', "")


def test_an_unknown_experiment_is_not_found(client: Client) -> None:
    assert client.get("/experiments/nosuchslug/").status_code == 404


@pytest.mark.parametrize("name", ["compare", "conditions", "start"])
def test_an_impossible_name_is_not_found_without_a_query(client: Client, name: str) -> None:
    """PostgreSQL refuses a zero byte with an error; SQLite finds no row."""
    data = {"with": "zebra\0", "pipeline": "zebra\0", "scenario": make.SCENARIO}
    with CaptureQueriesContext(connection) as queries:
        answer = (
            client.post(reverse("labs:start"), data) if name == "start"
            else client.get(reverse("labs:conditions"), data) if name == "conditions"
            else client.get(reverse("labs:compare", args=[make.experiment().slug]), data)
        )  # fmt: skip
    assert answer.status_code == 404
    assert not [query for query in queries.captured_queries if "zebra" in query["sql"]]


def test_empty_lists_invite_to_run_an_experiment(client: Client) -> None:
    assert "No experiment has run here yet" in client.get("/experiments/").content.decode()
    experiment = make.experiment(State.DONE, "broken", "holds")
    page = client.get("/experiments/").content.decode()
    assert experiment.get_absolute_url() in page
    assert "985 lost" in page


def test_the_home_page_shows_the_latest_loss_or_invites_to_run_an_experiment(
    client: Client,
) -> None:
    assert "No loss has been recorded" in client.get("/").content.decode()
    make.experiment(State.INTERRUPTED, "broken")
    assert "No loss has been recorded" in client.get("/").content.decode()
    experiment = make.experiment(State.DONE, "broken", "holds")
    page = client.get("/").content.decode()
    assert "985 of 10,000 acknowledged messages are gone." in page
    assert experiment.get_absolute_url() in page
    assert "<polyline" in page


@pytest.mark.parametrize("state", [State.QUEUED, State.RUNNING])
def test_cancelling_is_confirmed(client: Client, state: State) -> None:
    experiment = make.experiment(state, visitor=session_of(client))
    client.post(reverse("labs:cancel", args=[experiment.slug]))
    assert "Cancelled by a visitor." in text_of(client, experiment)


@pytest.mark.parametrize(
    ("page", "guided"),
    [
        ("http://testserver/challenges/one-acknowledgement/", True),
        ("http://testserver/learn/a/run/", True),
        ("http://testserver/experiments/", False),
        ("http://elsewhere.example/learn/a/run/", False),
        ("http://testserver//elsewhere.example/learn/", False),
    ],
)
def test_cancelling_leads_back_to_the_lab_or_challenge(
    client: Client, page: str, guided: bool
) -> None:
    experiment = make.experiment(State.QUEUED, visitor=session_of(client))
    response = client.post(
        reverse("labs:cancel", args=[experiment.slug]), headers={"referer": page}
    )
    back = page.removeprefix("http://testserver") if guided else experiment.get_absolute_url()
    assert response.headers["Location"] == back


def test_again_copies_an_experiment_with_a_result_and_requeues_one_without(client: Client) -> None:
    done = make.experiment(State.DONE, "broken", "holds")
    response = client.post(reverse("labs:again", args=[done.slug]))
    assert response.headers["Location"] != done.get_absolute_url()
    done.refresh_from_db()
    assert done.state == State.DONE
    copy = Experiment.objects.exclude(pk=done.pk).get()
    assert (copy.seed, copy.request()) == (done.seed, done.request())

    failed = make.experiment(State.FAILED)
    response = client.post(reverse("labs:again", args=[failed.slug]))
    assert response.headers["Location"] == failed.get_absolute_url()
    failed.refresh_from_db()
    assert (failed.state, failed.attempt) == (State.QUEUED, 2)


def test_again_on_the_run_of_another_visitor_creates_an_own_run(client: Client) -> None:
    original = make.experiment(State.FAILED, visitor="somebody else")
    response = client.post(reverse("labs:again", args=[original.slug]))
    original.refresh_from_db()
    assert (original.state, original.attempt, original.visitor) == (
        State.FAILED,
        1,
        "somebody else",
    )
    copy = Experiment.objects.exclude(pk=original.pk).get()
    assert response.headers["Location"] == copy.get_absolute_url()
    assert (copy.seed, copy.request()) == (original.seed, original.request())
    assert copy.visitor == client.session.session_key


@pytest.mark.parametrize("name", ["cancel", "again"])
def test_get_is_refused_for_cancel_and_again(client: Client, name: str) -> None:
    experiment = make.experiment()
    assert client.get(reverse(f"labs:{name}", args=[experiment.slug])).status_code == 405


@pytest.mark.parametrize("name", ["experiment", "live", "compare", "repetitions", "report"])
def test_a_head_request_is_answered_like_get_without_a_body(client: Client, name: str) -> None:
    """Link checkers and health checks send HEAD requests (RFC 9110, 9.3.2)."""
    url = reverse(f"labs:{name}", args=[make.experiment(State.DONE, "broken", "holds").slug])
    answer = client.head(url)
    assert (answer.status_code, answer.content) == (client.get(url).status_code, b"")


def test_the_folder_of_a_run_is_in_the_data_folder(data_dir: Path) -> None:
    assert make.experiment().folder.is_relative_to(data_dir)


def test_the_end_is_announced_once_and_polling_is_quiet(client: Client) -> None:
    running, done = make.experiment(State.RUNNING), make.experiment(State.DONE, "broken", "holds")
    for experiment, is_stated in ((running, False), (done, True)):
        answer = client.get(
            reverse("labs:live", args=[experiment.slug]), headers={"HX-Request": "true"}
        )
        assert ('id="news"' in answer.content.decode()) == is_stated


def test_only_who_started_an_experiment_can_cancel_it_and_an_operator(client: Client) -> None:
    client.post(reverse("labs:start"))
    experiment = Experiment.objects.get()
    assert experiment.visitor == client.session.session_key
    stranger = Client()
    assert 'id="cancel"' not in stranger.get(experiment.get_absolute_url()).content.decode()
    refused = stranger.post(reverse("labs:cancel", args=[experiment.slug]), follow=True)
    assert "Only the visitor who started it" in refused.content.decode()
    experiment.refresh_from_db()
    assert experiment.state == State.QUEUED
    assert 'id="cancel"' in client.get(experiment.get_absolute_url()).content.decode()
    assert 'id="sends"' in html_of(client.get(experiment.get_absolute_url()))
    client.post(reverse("labs:cancel", args=[experiment.slug]))
    experiment.refresh_from_db()
    assert experiment.state == State.CANCELLED
    assert 'id="sends"' not in html_of(client.get(experiment.get_absolute_url())), "nothing ran"
    client.post(reverse("labs:again", args=[experiment.slug]))
    call_command("cancel", experiment.slug)
    experiment.refresh_from_db()
    assert experiment.reason == "Cancelled by an operator."
    with pytest.raises(CommandError, match=experiment.slug):
        call_command("cancel", experiment.slug)


def test_the_home_page_replays_a_run_that_was_recorded_on_real_brokers(client: Client) -> None:
    page = html_of(client.get(reverse("labs:home")))
    shown = recorded.recorded()
    assert f"Recorded on {shown.date}" in page
    assert {arm.verdict for arm in shown.arms} == {"broken", "holds"}
    for arm in shown.arms:
        assert f"{arm.lost:,}</strong> of {arm.acknowledged:,} acknowledged" in page
    data = client.get(reverse("labs:recorded")).json()
    assert [arm["name"] for arm in data["arms"]] == [arm.name for arm in shown.arms]


def test_only_a_run_whose_arms_all_have_a_verdict_and_a_replay_is_kept(tmp_path: Path) -> None:
    experiment = make.recorded()  # its second arm has no ledger
    with pytest.raises(recorded.NotRecordable, match=experiment.slug):
        recorded.keep(experiment, tmp_path / "kept.json")
    experiment.runs.exclude(name="described").delete()
    recorded.keep(experiment, tmp_path / "kept.json")
    kept = json.loads((tmp_path / "kept.json").read_text("utf-8"))
    assert kept["about"]["arms"][0]["lost"] == experiment.runs.get().counts["lost_write"]
    assert kept["arms"][0]["brokers"] == kept["about"]["arms"][0]["brokers"]


def test_a_single_arm_says_nothing_of_a_guarantee_that_no_settings_give(client: Client) -> None:
    alone = {
        "brokers": "1", "topic.replication.factor": "1", "need.survive": "1",
        "consumer.auto.offset.reset": "earliest", "application.commit": "after-processing",
    }  # fmt: skip
    page = text_of(client, services.start_on(alone, make.SCENARIO))
    assert "only one arm, because the advisor recommends no change" in page
    assert "already give" not in page
