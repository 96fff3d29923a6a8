"""What the advice says about finished experiments and about the client of the next one."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from advisor.reasoning.answer import answer
from advisor.reasoning.guarantees import Anomaly
from labs.models import Experiment, State
from labs.pages.experiments.proofs import MOST, proofs, sender, sent
from tests.advisor.answers import RISKY, saved
from tests.advisor.pipelines import described
from tests.labs import make

pytestmark = pytest.mark.django_db
MINE = "abcdefgh"


def ended(experiment: Experiment, days: int) -> Experiment:
    experiment.ended_at = timezone.now() - timedelta(days=days)
    experiment.save()
    return experiment


def test_only_finished_experiments_of_the_description_are_shown() -> None:
    for state in State:
        if state != State.DONE:
            make.experiment(state, pipeline=MINE)
    make.experiment(State.DONE, "broken", pipeline="another1")
    make.experiment(State.DONE, "broken", pipeline=MINE, lesson="a-lesson")
    assert proofs(MINE) == ()
    done = make.experiment(State.DONE, "broken", "holds", pipeline=MINE)
    assert [proof.experiment for proof in proofs(MINE)] == [done]


def test_the_latest_experiment_of_a_scenario_is_shown_with_its_date() -> None:
    ended(make.experiment(State.DONE, "broken", "holds", pipeline=MINE), 3)
    latest = ended(make.experiment(State.DONE, "holds", "holds", pipeline=MINE), 1)
    [proof] = proofs(MINE)
    assert proof.experiment == latest
    assert proof.day == "yesterday"
    assert [arm.kind for arm in proof.arms] == ["holds", "holds"]


def test_scenarios_are_ordered_by_their_latest_run() -> None:
    names = [
        "leader-killed", "broker-disk-lost", "leader-cut-off", "leader-killed-followers-behind",
    ]  # fmt: skip
    for days, name in enumerate(names):
        ended(make.experiment(State.DONE, "unknown", pipeline=MINE, scenario=name), days)
    rows = proofs(MINE)
    assert [proof.experiment.scenario for proof in rows] == names[:MOST]
    assert rows[0].day == "today"
    assert rows[2].day == (timezone.localdate() - timedelta(days=2)).isoformat()
    assert rows[0].arms[0].words == "nothing can be concluded"


def test_harm_that_the_guarantee_forbids_is_shown_before_graver_harm_that_it_allows() -> None:
    experiment = make.experiment(State.DONE, "broken", "broken", pipeline=MINE)
    run = experiment.runs.get(name="described")
    run.want = "at-most-once"
    run.result["counts"] |= {Anomaly.DUPLICATE: 1234}
    run.save()
    shown = {arm.label: arm for arm in proofs(MINE)[0].arms}
    assert shown["As described"].words == "1,234 duplicated"
    assert shown["As described"].kind == "duplicated"
    assert shown["As recommended"].words == "985 lost"


def test_the_sending_client_is_named_with_its_alternative() -> None:
    answer = sender(described({**RISKY, "family": "librdkafka"}), "leader-killed")
    assert answer.description.startswith("librdkafka 2.")
    assert answer.otherwise == ""
    java = sender(described(RISKY), "leader-killed")
    assert java.description.startswith("Kafka’s own Java client 4.")
    assert java.otherwise.startswith("librdkafka 2.")
    held = sender(described(RISKY), "producer-killed")
    assert (held.description.split()[0], held.otherwise) == ("librdkafka", "")


def test_a_run_names_its_sending_client_and_the_alternative() -> None:
    experiment = saved(RISKY, answer(described(RISKY)))
    by_librdkafka = make.experiment(State.DONE, "broken", pipeline=experiment)
    sender = sent(by_librdkafka)
    assert sender is not None
    assert sender.description.startswith("librdkafka 2.")
    assert sender.otherwise.startswith("Java 4.")
    by_librdkafka.spec["java_clients"] = "4.3.1"
    sender = sent(by_librdkafka)
    assert sender is not None
    words = "Kafka’s own Java client 4.3.1 sends and reads, with these settings"
    assert sender.description == words
    by_librdkafka.scenario = "gone-with-a-release"
    assert sent(by_librdkafka) is None
