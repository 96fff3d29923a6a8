"""Comparisons of runs, repetitions with other seeds, and the report for a ticket."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from labs.models import Experiment, Run, State
from labs.pages.experiments import comparison
from labs.runs import services
from tests.labs import make

pytestmark = pytest.mark.django_db

STRICT = {"producer": {"acks": "all", "linger.ms": 5}, "topic": {"min.insync.replicas": 2}}
HOSTILE = '<script>alert("x")</script>'


def done(*losses: int, **fields: object) -> Experiment:
    """A done experiment whose arms lost so many messages each."""
    experiment = make.experiment(
        State.DONE, *("broken" if lost else "holds" for lost in losses), **fields
    )
    for run, lost in zip(experiment.runs.all(), losses, strict=False):
        run.result["counts"]["lost_write"] = lost
        run.save()
    return experiment


def get(client: Client, name: str, experiment: Experiment, **query: str) -> str:
    answer = client.get(reverse(f"labs:{name}", args=[experiment.slug]), query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_two_experiments_are_shown_side_by_side_with_their_differences() -> None:
    result = comparison.compare(done(985, 0), done(0, 0, settings=STRICT))
    assert [column.label for column in result.columns] == ["As described", "As recommended"] * 2
    counts = {row.words: row for row in result.counts}
    assert counts["acknowledged and gone"].values == (985, 0, 0, 0)
    assert counts["acknowledged and gone"].differ
    assert not counts["acknowledged"].differ
    assert "skipped by the group" not in counts, "it is 0 everywhere"
    assert result.settings.differ == (("producer.acks", ("1", "1", "all", "all")),)


def test_a_count_that_was_not_judged_is_not_shown_as_zero(client: Client) -> None:
    first, second = done(985, 0), make.experiment(State.DONE, "unknown", "unknown")
    result = comparison.compare(first, second)
    assert result.counts[0].values == (10_000, 10_000, None, None)
    assert "not judged" in get(client, "compare", first, **{"with": second.slug})


def test_chosen_conditions_are_compared_with_defaults(client: Client) -> None:
    first, second = done(985, 0), done(985, 0)
    assert comparison.compare(first, second).conditions == ()
    second.spec |= {"partitions": 4, "overrides": {"rate_per_s": 500}}
    second.save()
    assert comparison.compare(first, second).conditions == (
        ("Partitions", (None, None, "4", "4")),
        ("Messages a second", (None, None, "500", "500")),
    )
    page = get(client, "compare", first, **{"with": second.slug})
    assert page.count("as the scenario defines it") == 4


def test_the_page_offers_finished_experiments_with_the_same_scenario_first(client: Client) -> None:
    compared, same, elsewhere = done(985, 0), done(5, 0), done(7, 0, scenario="leader-killed")
    make.experiment(State.RUNNING)
    page = get(client, "compare", compared)
    offered = [part.partition('"')[0] for part in page.split("?with=")[1:]]
    assert offered == [same.slug, elsewhere.slug]
    missing = client.get(reverse("labs:compare", args=[compared.slug]), {"with": HOSTILE})
    assert missing.status_code == 404


def test_repetitions_show_the_range_of_every_nonzero_count(client: Client) -> None:
    experiments = [done(lost, 0, seed=lost) for lost in (100, 400, 1000)]
    done(7, 7, settings=STRICT)
    done(9, 9, scenario="leader-killed")
    make.experiment(State.INTERRUPTED, "broken")
    described, recommended = comparison.repetitions(experiments[0])
    assert {run.experiment.seed for run in described.runs} == {100, 400, 1000}
    spread = {spread.words: spread for spread in described.spreads}["acknowledged and gone"]
    # Both arms have the same settings here, so the arm without loss counts among the runs.
    assert (spread.least, spread.middle, spread.most, spread.runs) == (0, 50, 1000, 6)
    assert len(recommended.runs) == 6
    page = get(client, "repetitions", experiments[0])
    assert '<td class="number" data-label="Median">50</td>' in page
    assert all(experiment.get_absolute_url() in page for experiment in experiments)


def test_the_result_comes_before_the_numbers(client: Client) -> None:
    first, second = done(985, 0), done(5, 0, settings=STRICT)
    page = get(client, "compare", first, **{"with": second.slug})
    head = page.partition("<table")[0]
    assert "985 of 10,000" in head
    assert "5 of 10,000" in head
    page = get(client, "repetitions", second)
    section = page.partition('id="arm-described"')[2].partition("</section>")[0]
    assert "Broken in 1 of 2 runs." in section.partition("<table")[0]


def test_what_was_acknowledged_is_not_counted_twice_without_aborted_transactions() -> None:
    for aborted in (0, 3):
        experiment = done(3, 3, seed=aborted, settings={"producer": {"linger.ms": aborted}})
        for run in experiment.runs.all():
            run.result["counts"]["obliged"] = run.result["counts"]["ok"] - aborted
            run.save()
        words = [spread.words for spread in comparison.repetitions(experiment)[0].spreads]
        assert "acknowledged" in words
        assert ("acknowledged and not aborted" in words) == bool(aborted)


def test_no_loss_in_any_run_is_a_row_of_zeros() -> None:
    (described, _) = comparison.repetitions(done(0, 0))
    assert [
        (spread.least, spread.most) for spread in described.spreads if "gone" in spread.words
    ] == [(0, 0)]


def test_repeating_queues_the_same_arms_with_new_seeds(client: Client) -> None:
    original = done(985, 0)
    answer = client.post(reverse("labs:repeat", args=[original.slug]), {"times": "3"})
    assert answer.headers["Location"] == reverse("labs:repetitions", args=[original.slug])
    copies = Experiment.objects.exclude(pk=original.pk)
    assert {copy.state for copy in copies} == {State.QUEUED}
    assert len({copy.seed for copy in copies} | {original.seed}) == 4
    assert all(copy.spec["seed"] == copy.seed for copy in copies)
    assert all(copy.request().arms == original.request().arms for copy in copies)
    assert "3 more wait or run now" in get(client, "repetitions", original)


@pytest.mark.parametrize("times", ["0", "11", "-1", "many", "", "²", "9" * 5000])
def test_an_invalid_number_of_repetitions_is_refused_with_a_message(
    client: Client, times: str
) -> None:
    experiment = done(985, 0)
    address = reverse("labs:repeat", args=[experiment.slug])
    page = client.post(address, {"times": times}, follow=True).content.decode()
    assert f"From 1 to {services.REPEAT_MOST} repetitions" in page
    assert Experiment.objects.count() == 1


def test_the_report_has_everything_that_a_ticket_needs(client: Client) -> None:
    experiment = done(985, 0)
    experiment.runs.filter(name="recommended").update(settings=STRICT)
    answer = client.get(reverse("labs:report", args=[experiment.slug]))
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    page = answer.content.decode()
    for text in (
        "As described: 985 of 10,000 acknowledged messages are gone.",
        f"http://testserver{experiment.get_absolute_url()}",
        "seed        7",
        "Kafka       4.3.1",
        "1.00  kill leader: broker 1, complete: pid 4711 gone",
        "acknowledged and gone                        985",
        "As recommended: holds",
        "producer.acks  As described: 1; As recommended: all",
        "topic.min.insync.replicas  2",
        "ms without any acknowledgement                 0",
        "From send to acknowledgement: p50 1.0 ms, p99 2.0 ms, max 9.0 ms.",
        "broker broker.session.timeout.ms  3000 instead of 9000",
    ):
        assert text in page, page


def test_the_report_of_a_run_without_a_result_says_so(client: Client) -> None:
    text = get(client, "report", make.experiment(State.FAILED, reason="No jars were found."))
    assert "Failed." in text
    assert "No jars were found." in text
    assert "As described: no verdict" in text
    unknown = get(client, "report", make.experiment(State.DONE, "unknown", "unknown"))
    assert "Not judged: sent, acknowledged," in unknown


def test_hostile_text_is_escaped(client: Client) -> None:
    experiment, other = done(985, 0), done(5, 0)
    Run.objects.update(settings={"producer": {HOSTILE: HOSTILE}})
    for page in (
        get(client, "compare", experiment, **{"with": other.slug}),
        get(client, "repetitions", experiment),
    ):
        assert "<script>alert" not in page
