"""What a click queues, and what is refused."""

from __future__ import annotations

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from advisor import services as advisor
from advisor.models import Description
from labs.engine.plan.spec import ExperimentSpec
from labs.engine.run.shape import default_shapes, shapes
from labs.incidents import all_incidents
from labs.lessons import find
from labs.models import Experiment, State
from labs.pages import selectors
from labs.pages.experiments import report
from labs.pages.time_left import time_left
from labs.runs import admission, planning, plays, services
from labs.runs.conditions import Conditions
from labs.runs.visitors import Visitor
from tests.labs import make
from tests.labs.runs.test_lifecycle import django_process

VISITOR = Visitor("one", "a")

pytestmark = pytest.mark.django_db


def saved(**fields: str) -> str:
    stated = {name.replace("__", "."): value for name, value in fields.items()}
    pipeline, problems = advisor.from_fields(stated)
    assert pipeline is not None, problems
    return advisor.save(pipeline).slug


def test_risky_settings_get_two_arms_that_differ(db: None) -> None:
    started = services.start(saved(producer__acks="1"), services.FIRST_SCENARIO)
    described, recommended = started.runs.all()
    assert described.settings["producer"]["acks"] in (1, "1")
    assert recommended.settings["producer"]["acks"] in ("all", -1, "-1")
    assert (described.want, recommended.want) == ("at-least-once", "at-least-once")
    assert described.guarantee != recommended.guarantee
    assert started.state == State.QUEUED


def test_brokers_are_of_the_version_that_was_described() -> None:
    old = saved(producer__acks="1", kafka="3.6")
    assert services.start(old, services.FIRST_SCENARIO).kafka == "3.6.2"
    assert services.start_first_look().kafka == "4.3.1"


@pytest.mark.parametrize(
    ("brokers", "runs"),
    [
        ({"kafka": "3.1"}, "3.3.2"),
        ({"kafka": "3.8", "application__metadata__mode": "zookeeper"}, "3.8.1"),
    ],
)
def test_brokers_that_cannot_be_run_are_replaced_and_every_page_says_so(
    client: Client, brokers: dict[str, str], runs: str
) -> None:
    slug, line = saved(producer__acks="1", **brokers), brokers["kafka"]
    started = services.start(slug, "leader-killed", Conditions(controllers=1))
    assert (started.kafka, started.request().instead_of) == (runs, f"{line} with ZooKeeper")
    assert [shape.kafka for shape in shapes(started.request())] == [runs] * 2
    text = (
        f"Kafka {line} with ZooKeeper has no dedicated controllers, and some were chosen. Its "
        f"brokers are {runs} in KRaft"
    )
    assert text in client.get(started.get_absolute_url()).content.decode()
    assert text in " ".join(report.text(started, "").split())
    assert services.start_first_look().request().instead_of is None


@pytest.mark.parametrize(
    ("brokers", "runs"),
    [
        ({"kafka": "2.8"}, "2.8.2"),
        ({"kafka": "3.9", "application__metadata__mode": "zookeeper"}, "3.9.2"),
    ],
)
def test_brokers_with_zookeeper_are_run_if_the_scenario_supports_it(
    client: Client, brokers: dict[str, str], runs: str
) -> None:
    slug = saved(producer__acks="1", **brokers)
    query = {"pipeline": slug, "scenario": "leader-killed"}
    page = client.get("/experiments/conditions/", query).content.decode()
    assert f"{runs} with ZooKeeper" in page
    assert "is run instead" not in page
    request = services.start(slug, "leader-killed").request()
    assert (request.kafka, request.zookeeper, request.instead_of) == (runs, True, None)


def test_a_scenario_of_newer_brokers_is_refused_on_those_with_zookeeper_too() -> None:
    slug = saved(producer__acks="1", kafka="3.1")
    with pytest.raises(planning.Refused, match=r"clocks-differ is for 3\.6 and later"):
        services.start(slug, "clocks-differ")


def test_a_pipeline_that_cannot_be_staged_is_refused_before_it_is_queued(client: Client) -> None:
    many = saved(producer__acks="1", brokers="7", topic__replication__factor="7")
    with pytest.raises(planning.Refused, match="7: the lab boots at most 5 brokers"):
        services.start(many, services.FIRST_SCENARIO)
    fields = {"pipeline": many, "scenario": services.FIRST_SCENARIO}
    page = client.post("/experiments/start/", fields, follow=True).content.decode()
    assert "This cannot be staged: replication.factor is 7" in page
    assert not Experiment.objects.exists()


def test_kafka_streams_has_the_described_line() -> None:
    started = services.start(saved(family="streams", version="3.9"), "streams-instance-killed")
    assert started.request().streams == "3.9"
    assert services.start_first_look().request().streams is None


def test_the_default_shapes_fit_the_first_look() -> None:
    assert shapes(services.start_first_look().request()) == default_shapes()


def test_settings_that_need_no_change_run_alone() -> None:
    start = services.start(saved(producer__acks="1"), services.FIRST_SCENARIO)
    good = advisor.save(advisor.recommended(advisor.find(start.pipeline).described())).slug
    assert [run.name for run in services.start(good, services.FIRST_SCENARIO).runs.all()] == [
        "described"
    ]


def test_the_request_is_plain_data_and_is_read_back_unchanged() -> None:
    started = services.start_first_look()
    started.refresh_from_db()
    spec = started.request()
    assert ExperimentSpec.from_json(spec.to_json()) == spec
    assert json.loads(spec.to_json())["arms"][0]["name"] == "described"


def test_an_unknown_scenario_or_pipeline_is_refused() -> None:
    with pytest.raises(planning.Refused, match="there is no scenario"):
        services.start(saved(producer__acks="1"), "no-such-thing")
    with pytest.raises(Description.DoesNotExist):
        services.start("nosuch22", services.FIRST_SCENARIO)
    stale = Description.objects.create(data={"family": "java"}, rules_version="0")
    with pytest.raises(advisor.StaleDescription):
        services.start(stale.slug, services.FIRST_SCENARIO)
    assert not Experiment.objects.exists()


def test_the_queue_has_a_limit() -> None:
    for _ in range(settings.LAB_QUEUE["all"]):
        make.experiment()
    with pytest.raises(planning.Refused, match="20 experiments already wait"):
        services.start_first_look()


def test_a_lesson_runs_its_arms_and_links_the_described_pipeline() -> None:
    lesson = find("what-an-acknowledgement-means")
    started = services.start_lesson(lesson)
    assert [run.name for run in started.runs.all()] == ["acks-0", "acks-1", "acks-all"]
    acks = [str(run.settings["producer"]["acks"]) for run in started.runs.all()]
    assert acks[:2] == ["0", "1"]
    home = advisor.find(started.pipeline).described()
    assert advisor.in_force(home) == started.runs.get(name="acks-all").settings


def test_arms_of_a_lesson_run_on_their_own_lines_of_brokers(client: Client) -> None:
    started = services.start_lesson(find("the-empty-disk-that-leads"))
    assert [(run.name, run.release) for run in started.runs.all()] == [
        ("old", "3.9.2"), ("new", "4.3.1"),
    ]  # fmt: skip
    assert [shape.kafka for shape in shapes(started.request())] == ["3.9.2", "4.3.1"]
    assert started.releases == "3.9.2 and 4.3.1"
    page = client.get(started.get_absolute_url()).content.decode()
    assert "Kafka 3.9.2 and 4.3.1" in page
    assert "application.eligible.leader.replicas.version" in page
    assert "group.streams" not in page, "3.9 has no such setting, so nobody chose it"
    turn = services.start_turn(find(started.lesson), find(started.lesson).arm("clean-only"))
    assert turn.kafka == "3.9.2"
    assert turn.runs.get().settings_key != started.runs.get(name="old").settings_key


@pytest.mark.process
def test_without_redis_an_experiment_waits_and_its_page_says_why(tmp_path: Path) -> None:
    script = (
        "import os; os.environ['REDIS_URL'] = 'redis://127.0.0.1:1/0'\n"
        "from kombu.utils import functional; functional.sleep = None\n"  # no retries
        "import config.wsgi\n"  # as in production: with the configured queue
        "from django.core.management import call_command; call_command('migrate', verbosity=0)\n"
        "from django.test import Client\n"
        "client = Client(headers={'host': 'localhost'})\n"
        "page = client.post('/experiments/start/', follow=True)\n"
        "print(page.status_code, 'Redis does not answer' in page.content.decode())"
    )
    text, _ = django_process(tmp_path, "-c", script).communicate(timeout=90)
    assert text.split() == ["200", "True"]


def test_the_usual_duration_is_computed_from_earlier_runs() -> None:
    queued = make.experiment(State.QUEUED)
    assert selectors.time_to_run(queued) == f"about {selectors.FALLBACK_S:.0f} s once it starts"
    for seconds in (20, 30, 70):
        make.age(
            make.experiment(State.DONE, "holds", "holds"), started_at=100 + seconds, ended_at=100
        )
    assert selectors.usual_s(queued) == pytest.approx(30, abs=0.5)


def time_left_of(running: Experiment) -> str:
    return time_left(selectors.paces(running).values())


def test_the_remaining_time_is_computed_from_the_phases_of_the_arms() -> None:
    began = {"booting": 50.0, "producing": 55.0, "faulting": 60.0, "judging": 80.0, "done": 100.0}
    done = make.experiment(State.DONE, "holds", "holds")
    done.runs.update(live={"began": began})
    running = make.experiment(State.RUNNING)
    assert time_left_of(running).startswith("2 arms wait for a place on this machine")
    make.age(running, started_at=300)
    running.refresh_from_db()
    running.runs.filter(name="described").update(phase="done", live={})
    running.runs.filter(name="recommended").update(
        phase="judging", live={"began": {"judging": 290}}
    )
    # Counting usually takes 20 s. About 10 s have passed; the time in the queue does not count.
    assert time_left_of(running) in {f"about {seconds} s left" for seconds in range(5, 11)}
    running.runs.filter(name="recommended").update(live={"began": {"judging": 200}})
    assert re.fullmatch(r"counting for \d+ s, usually about 20 s", time_left_of(running))
    axis = {"began": {"judging": 2.0}, "axis_at": time.time() - 5.0}
    running.runs.filter(name="recommended").update(live=axis)
    assert time_left_of(running) in {f"about {seconds} s left" for seconds in range(15, 18)}, (
        "its own axis"
    )


@pytest.mark.usefixtures("minutes_apart")
def test_one_visitor_may_not_hold_the_whole_queue() -> None:
    slug = saved(producer__acks="1")
    for _ in range(settings.LAB_QUEUE["visitor"]):
        services.start(slug, services.FIRST_SCENARIO, visitor=VISITOR)
    with pytest.raises(
        planning.Refused, match="You have 10 experiments in the queue, the most for one visitor"
    ):
        services.start(slug, services.FIRST_SCENARIO, visitor=VISITOR)
    assert (
        services.start(slug, services.FIRST_SCENARIO, visitor=Visitor("another", "b")).visitor
        == "another"
    )


@pytest.mark.usefixtures("minutes_apart")
@pytest.mark.django_db(transaction=True)
def test_concurrent_starts_do_not_exceed_the_limit_of_the_queue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slug = saved(producer__acks="1")
    for _ in range(settings.LAB_QUEUE["visitor"] - 1):
        services.start(slug, services.FIRST_SCENARIO, visitor=VISITOR)
    barrier, planned = Barrier(4, timeout=60), planning.spec_for

    def all_have_looked(*records: Any) -> ExperimentSpec:
        barrier.wait()
        return planned(*records)

    monkeypatch.setattr(services, "spec_for", all_have_looked)
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(lambda _: is_accepted(slug), range(4)))
    assert sorted(rows) == [False, False, False, True]
    assert Experiment.objects.count() == settings.LAB_QUEUE["visitor"]


def is_accepted(slug: str) -> bool:
    """Whether a start is accepted in a separate thread with a separate connection."""
    try:
        services.start(slug, services.FIRST_SCENARIO, visitor=VISITOR)
    except planning.Refused:
        return False
    finally:
        connection.close()
    return True


@pytest.mark.usefixtures("minutes_apart")
def test_a_refused_start_saves_nothing() -> None:
    slug = saved(producer__acks="1")
    for _ in range(settings.LAB_QUEUE["visitor"]):
        services.start(slug, services.FIRST_SCENARIO, visitor=VISITOR)
    before = Description.objects.count()
    with pytest.raises(planning.Refused):
        services.start_first_look(VISITOR)
    assert Description.objects.count() == before


def test_a_pipeline_that_is_saved_twice_is_stored_once() -> None:
    assert saved(producer__acks="1") == saved(producer__acks="1")
    assert saved(producer__acks="1") != saved(producer__acks="0")


def test_one_address_may_not_hold_the_whole_queue_by_many_sessions() -> None:
    slug = saved(producer__acks="1")
    for number in range(settings.LAB_QUEUE["address"]):
        services.start(slug, services.FIRST_SCENARIO, visitor=Visitor(str(number), "a"))
    with pytest.raises(
        planning.Refused, match="Your address has 15 experiments in the queue, the most for one"
    ):
        services.start(slug, services.FIRST_SCENARIO, visitor=Visitor("new", "a"))
    other = services.start(slug, services.FIRST_SCENARIO, visitor=Visitor("new", "b"))
    assert other.state == State.QUEUED


@pytest.fixture
def minutes_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets minutes pass between any two clicks."""
    monkeypatch.setattr(admission, "DOUBLE_CLICK", timedelta(0))


def test_a_double_click_starts_one_experiment() -> None:
    first = services.start_first_look(VISITOR)
    assert services.start_first_look(VISITOR) == first
    assert services.start_first_look(Visitor("another", "a")) != first
    other_visitor = services.start(first.pipeline, "unclean-election", visitor=VISITOR)
    assert other_visitor.scenario == "unclean-election"


def test_a_run_that_ended_can_be_started_again_immediately() -> None:
    first = services.start_first_look(VISITOR)
    ended = {"state": State.DONE, "ended_at": first.queued_at}
    Experiment.objects.filter(pk=first.pk).update(**ended)
    first.refresh_from_db()
    assert services.again(first, VISITOR) != first


def test_minutes_later_the_same_request_is_another_experiment() -> None:
    first = services.start_first_look(VISITOR)
    earlier = first.queued_at - admission.DOUBLE_CLICK
    Experiment.objects.filter(pk=first.pk).update(queued_at=earlier)
    assert services.start_first_look(VISITOR) != first


def test_commands_and_repetitions_are_never_treated_as_a_double_click() -> None:
    assert services.start_first_look() != services.start_first_look()
    repetitions = services.repeat(services.start_first_look(VISITOR), 3, VISITOR)
    assert len({repetition.seed for repetition in repetitions}) == 3


def test_a_double_click_queues_repetitions_once() -> None:
    original = services.start_first_look(VISITOR)
    first = services.repeat(original, 2, VISITOR)
    assert services.repeat(original, 2, VISITOR) == first
    assert Experiment.objects.count() == 3
    for repetition in first:
        make.age(repetition, queued_at=60)
    services.repeat(original, 2, VISITOR)
    assert Experiment.objects.count() == 5


def test_repetitions_that_have_a_place_stay_when_the_queue_is_full() -> None:
    original = services.start_first_look(VISITOR)
    with pytest.raises(planning.Refused, match="the most for one visitor"):
        services.repeat(original, services.REPEAT_MOST, VISITOR)
    assert Experiment.objects.count() == settings.LAB_QUEUE["visitor"]


def test_a_double_click_plays_an_incident_once() -> None:
    incident = all_incidents()[0]
    sides = list(incident.releases)
    first = plays.start(incident, sides, VISITOR)
    assert plays.start(incident, sides, VISITOR) == first
    assert plays.start(incident, sides[:1], VISITOR) != first


@pytest.mark.django_db(transaction=True)
def test_concurrent_identical_requests_start_one_experiment() -> None:
    slug = saved(producer__acks="1")
    barrier = Barrier(4, timeout=60)

    def press(_: int) -> None:
        barrier.wait()
        is_accepted(slug)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(press, range(4)))
    assert Experiment.objects.count() == 1
