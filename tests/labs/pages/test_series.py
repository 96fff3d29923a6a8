"""Series over releases on the web: what is queued when, how it ends, and its pages."""

from __future__ import annotations

import os
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from advisor import services as advisor
from advisor.models import Description
from labs.models import Experiment, Run, Series, State
from labs.pages.experiments import proofs
from labs.pages.experiments.refutations import refutations
from labs.runs import expiry, lifecycle, planning, queue, services
from labs.runs import series as time_machine
from labs.runs.heartbeat import HeartbeatAges
from labs.runs.planning import Refused
from labs.runs.series import Question
from labs.runs.visitors import Visitor
from tests.labs import make
from tests.reading import html_of

pytestmark = pytest.mark.django_db
DISK = "leader-disk-lost"
SOMEBODY, ANOTHER = Visitor("somebody", "here"), Visitor("another", "there")
FORM = {"scenario": DISK, "pipeline": "", "first": "3.9", "last": "4.3", "which": "bisect"}


@pytest.fixture(autouse=True)
def no_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "nudge", lambda *_: True)


def described(**stated: str) -> str:
    fields = {
        **time_machine.DEFAULTS,
        **{key.replace("__", "."): text for key, text in stated.items()},
    }
    return str(advisor.save(planning.parse_pipeline(fields)).slug)


def question_for(first: str = "3.9", last: str = "4.3", *, bisect: bool = True) -> Question:
    return Question(described(), DISK, first, last, bisect)


def live(series: Series) -> list[str]:
    runs = series.experiments.filter(state__in=(State.QUEUED, State.RUNNING))
    return list(runs.order_by("queued_at", "pk").values_list("kafka", flat=True))


def end(series: Series, release: str, verdict: str = "", state: State = State.DONE) -> None:
    """Ends a run as its worker would."""
    run = series.experiments.get(kafka=release)
    claimed = lifecycle.claim(run.slug, run.attempt, "us")
    assert claimed is not None
    result = make.result(verdict) if verdict else {}
    Run.objects.filter(experiment=run).update(verdict=verdict, phase="done", result=result)
    lifecycle.finish(run.slug, "us", state, "" if state == State.DONE else "it was so")
    time_machine.ended(claimed)
    series.refresh_from_db()


def test_a_bisection_runs_the_ends_the_middle_and_then_patch_releases() -> None:
    series = time_machine.start(question_for(), SOMEBODY)
    assert live(series) == ["3.9.2", "4.3.1"]
    assert len({run.seed for run in series.experiments.all()}) == 1
    end(series, "4.3.1", "holds")
    assert live(series) == ["3.9.2"]
    end(series, "3.9.2", "broken")
    end(series, "4.1.2", "holds")
    end(series, "4.0.2", "broken")
    assert live(series) == ["4.1.0"]
    assert series.ended_at is None
    end(series, "4.1.0", "holds")
    assert (live(series), series.reason) == ([], "")
    assert series.ended_at is not None
    spec = series.experiments.get(kafka="4.1.0").request()
    assert (spec.kafka, [arm.name for arm in spec.arms]) == ("4.1.0", ["described"])


def test_lines_are_run_two_at_a_time_and_a_failed_one_does_not_delay_the_others() -> None:
    series = time_machine.start(question_for("3.9", "4.1", bisect=False), SOMEBODY)
    assert live(series) == ["3.9.2", "4.0.2"]
    end(series, "3.9.2", state=State.FAILED)
    assert live(series) == ["4.0.2", "4.1.2"]
    end(series, "4.0.2", "holds")
    end(series, "4.1.2", "holds")
    assert series.ended_at is not None


@pytest.mark.parametrize("state", [State.INTERRUPTED, State.CANCELLED, State.FAILED])
def test_a_run_without_a_result_can_be_repeated_after_the_others(state: State) -> None:
    series = time_machine.start(question_for("3.9", "4.1", bisect=False), SOMEBODY)
    end(series, "3.9.2", "broken")
    end(series, "4.0.2", state=state)
    end(series, "4.1.2", "holds")
    assert series.ended_at is not None
    time_machine.go_on(series)
    assert live(series) == ["4.0.2"]
    end(series, "4.0.2", "broken")
    assert series.ended_at is not None
    assert [run.attempt for run in series.experiments.order_by("kafka")] == [1, 2, 1]


@pytest.mark.parametrize(
    ("state", "verdict", "is_offered"),
    [
        (State.FAILED, "", True),
        (State.FAILED, "unknown", True),  # one arm could not be judged
        (State.INTERRUPTED, "unknown", True),
        (State.FAILED, "holds", False),  # the run failed after it was judged
        (State.DONE, "unknown", False),  # being disturbed is its result
        (State.DONE, "broken", False),
    ],
)
def test_the_page_offers_to_continue_only_if_a_run_is_left(
    client: Client, state: State, verdict: str, is_offered: bool
) -> None:
    client.post(reverse("labs:series-start"), FORM | {"first": "4.2", "which": "every"})
    series = Series.objects.get()
    end(series, "4.2.1", "holds")
    end(series, "4.3.1", verdict, state)
    assert series.ended_at is not None
    page = html_of(client.get(series.get_absolute_url()))
    assert ('id="go-on"' in page) is is_offered
    client.post(reverse("labs:series-go-on", args=[series.slug]))
    assert live(series) == (["4.3.1"] if is_offered else [])


def test_the_page_of_a_series_queries_its_runs_once(client: Client) -> None:
    series = make.series("broken", "holds", "holds", pipeline=described(), ended_at=timezone.now())
    with CaptureQueriesContext(connection) as asked_for:
        client.get(series.get_absolute_url())
    for table in ("labs_experiment", "labs_run"):
        reads = [query for query in asked_for if f'FROM "{table}"' in query["sql"]]
        assert len(reads) == 1, table


def test_a_bisection_stops_when_a_worker_is_killed_says_where_and_can_continue(
    client: Client,
) -> None:
    client.post(reverse("labs:series-start"), FORM)
    series = Series.objects.get()
    for release in live(series):
        run = series.experiments.get(kafka=release)
        assert lifecycle.claim(run.slug, run.attempt, f"nobody-{os.getpid()}")
    now = [0.0]
    heartbeats = HeartbeatAges(lambda: now[0])
    for now[0] in (0.0, 10.0, 20.0):
        lifecycle.sweep(heartbeats)
    time_machine.follow_all()
    series.refresh_from_db()
    assert (live(series), series.ended_at is None) == ([], False)
    page = client.get(series.get_absolute_url()).content.decode()
    assert "The search ended at 3.9.2, which has none." in page
    assert "stopped answering" in page
    client.post(reverse("labs:series-go-on", args=[series.slug]))
    assert live(series) == ["3.9.2", "4.3.1"]


def test_a_release_that_cannot_run_the_experiment_says_why_and_the_others_run() -> None:
    slug = described(**{"kafka": "3.9", "application.metadata.mode": "zookeeper"})
    series = time_machine.start(Question(slug, DISK, "3.9", "4.1", bisect=False), SOMEBODY)
    assert live(series) == ["3.9.2"]
    assert series.experiments.get().request().zookeeper
    assert set(series.impossible) == {"4.0.2", "4.1.2"}
    assert "application.metadata.mode" in series.impossible["4.0.2"]
    newer = time_machine.start(Question(described(), "clocks-differ", "3.2", "3.6"), ANOTHER)
    assert "clocks-differ is for 3.6 and later" in newer.impossible["3.2.3"]
    assert live(newer) == ["3.6.2"]


def test_a_full_queue_refuses_a_new_series_and_only_delays_a_running_one() -> None:
    with (
        override_settings(LAB_QUEUE={"all": 0, "visitor": 9, "address": 9}),
        pytest.raises(Refused, match="already"),
    ):
        time_machine.start(question_for(), SOMEBODY)
    assert not Series.objects.exists()
    with override_settings(LAB_QUEUE={"all": 9, "visitor": 1, "address": 9}):
        series = time_machine.start(question_for(), SOMEBODY)
        assert live(series) == ["3.9.2"]
    time_machine.follow_all()
    assert live(series) == ["3.9.2", "4.3.1"]


def test_running_series_are_limited_per_visitor_and_per_address() -> None:
    question = question_for()
    series = time_machine.start(question, SOMEBODY)
    assert time_machine.start(question, SOMEBODY) == series
    with pytest.raises(Refused, match="of yours is still running"):
        time_machine.start(question_for("4.0"), SOMEBODY)
    for number in range(2):
        time_machine.start(question_for(), Visitor(f"v{number}", "here"))
    with pytest.raises(Refused, match="of your address is still running"):
        time_machine.start(question_for(), Visitor("v3", "here"))
    time_machine.start(question_for(), ANOTHER)
    time_machine.cancel(series, "a visitor")
    assert time_machine.start(question, SOMEBODY) != series


@pytest.mark.parametrize(
    ("first", "last", "message"),
    [
        ("4.1", "4.1", "has to be newer"),
        ("4.1", "3.9", "has to be newer"),
        ("1.0", "4.1", "2.8 to"),
    ],
)
def test_lines_that_cannot_be_compared_are_refused(first: str, last: str, message: str) -> None:
    with pytest.raises(Refused, match=message):
        time_machine.start(question_for(first, last), SOMEBODY)


def test_the_form_starts_a_series_that_only_its_visitor_can_cancel(client: Client) -> None:
    answer = client.post(reverse("labs:series-start"), FORM)
    series = Series.objects.get()
    assert answer.headers["Location"] == series.get_absolute_url()
    assert "Cancel these runs" in client.get(series.get_absolute_url()).content.decode()
    assert "Cancel these runs" not in Client().get(series.get_absolute_url()).content.decode()
    Client().post(reverse("labs:series-cancel", args=[series.slug]))
    assert live(series)
    client.post(reverse("labs:series-cancel", args=[series.slug]))
    page = client.get(series.get_absolute_url()).content.decode()
    assert live(series) == []
    assert "Cancelled by a visitor." in page
    Client().post(reverse("labs:series-go-on", args=[series.slug]))
    assert live(series) == []
    client.post(reverse("labs:series-go-on", args=[series.slug]))
    assert live(series) == ["3.9.2", "4.3.1"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"scenario": "kettle"}, "kettle is not one of"),
        ({"first": "4.3"}, "has to be newer than the first"),
        ({"last": "9.9"}, "9.9 is not one of"),
        ({"pipeline": "nosuch22"}, "nosuch22 is not one of"),
        ({"which": ""}, "required"),
    ],
)
def test_errors_are_shown_on_the_form(
    client: Client, changed: dict[str, str], message: str
) -> None:
    answer = client.post(reverse("labs:series-start"), FORM | changed)
    assert answer.status_code == 400
    assert message in html_of(answer)
    assert not Series.objects.exists()


def test_a_finished_experiment_links_the_form_with_its_seed_and_clients(
    client: Client,
) -> None:
    slug = described(**{"producer.acks": "1"})
    run = make.experiment(State.DONE, "broken", "holds", pipeline=slug, scenario=DISK)
    link = f"{reverse('labs:lines')}?experiment={run.slug}#own"
    assert link in client.get(run.get_absolute_url()).content.decode()
    page = client.get(link).content.decode()
    assert f'<option value="{slug}" selected>acks=1' in page
    client.post(reverse("labs:series-start"), FORM | {"pipeline": slug, "experiment": run.slug})
    series = Series.objects.get()
    assert (series.seed, series.conditions["librdkafka"]) == (run.seed, True)
    assert series.experiments.first().request().java_clients is None  # type: ignore[union-attr]


def test_the_page_shows_verdicts_and_explains_a_change_and_links_each_run(
    client: Client,
) -> None:
    slug = described(**{"application.disk.lost": "returns-empty", "topic.min.insync.replicas": "2"})
    series = make.series("broken", "broken", "holds", pipeline=slug, ended_at=timezone.now(),
                         scenario=DISK)  # fmt: skip
    Experiment.objects.update(scenario=DISK)
    page = html_of(client.get(series.get_absolute_url()))
    assert "The verdict changes between 4.0.2 and 4.1.2." in page
    assert "KIP-966" in page
    for run in series.experiments.all():
        assert run.get_absolute_url() in page
    assert 'hx-trigger="every' not in page
    answer = client.get(
        reverse("labs:series-live", args=[series.slug]), headers={"HX-Request": "true"}
    )
    assert answer.status_code == 286
    assert series.get_absolute_url() in client.get(reverse("labs:lines")).content.decode()


def test_runs_on_other_releases_are_not_evidence_for_the_description(client: Client) -> None:
    slug = described(**{"topic.min.insync.replicas": "2", "application.disk.lost": "returns-empty"})
    series = make.series("broken", pipeline=slug, ended_at=timezone.now(), scenario=DISK)
    run = series.experiments.get()
    pipeline = planning.on_release(advisor.find(slug).described(), "3.9.2")
    Experiment.objects.update(scenario=DISK)
    Run.objects.update(settings=advisor.in_force(pipeline))
    run.refresh_from_db()
    assert proofs.proofs(slug) == ()
    assert refutations(run) == (), "a lost disk loses messages on 3.9, though not on 4.3"
    repeated = services.again(run, SOMEBODY)
    assert (repeated.pipeline, repeated.kafka, repeated.series) == ("", "3.9.2", None)
    Experiment.objects.update(kafka="4.3.1")
    run.refresh_from_db()
    Run.objects.update(settings=advisor.in_force(planning.on_release(pipeline, "4.3.1")))
    assert refutations(run) != ()


def test_a_series_without_a_result_expires_and_keeps_its_description_until_then() -> None:
    old = timezone.now() - timedelta(days=999)
    series = make.series(pipeline=described(), ended_at=old, visitor="somebody", address="x")
    Description.objects.update(created=old)
    with_result = make.series("holds", pipeline=described(), ended_at=old, visitor="somebody")
    expiry.forget()
    assert list(Series.objects.all()) == [with_result]
    assert Series.objects.get().address == ""
    assert not Series.objects.filter(pk=series.pk).exists()
    assert Description.objects.count() == 1


def test_models_and_migrations_agree() -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)
