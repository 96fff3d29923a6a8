"""The questionnaire over HTTP, as in a browser without JavaScript."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from django.test import Client
from django.urls import reverse

from advisor.catalog import Family
from advisor.models import Description
from advisor.questions import drafts, questionnaire
from advisor.questions.questionnaire import steps
from tests.advisor.walking import RISKY, answer, page, stamp, type_in, walk

pytestmark = pytest.mark.django_db


def test_the_questionnaire_ends_at_a_permanent_link(client: Client) -> None:
    slug = walk(client, topic={"topic.replication.factor": "3"}, producer=RISKY)
    data = Description.objects.get(slug=slug).data
    assert data["settings"]["producer"] == {"acks": "1"}
    assert data["settings"]["topic"] == {"replication.factor": 3}
    assert client.get(reverse("advisor:advice", args=[slug])).status_code == 200


def test_each_step_redirects_to_the_next_and_start_to_the_first_open_one(
    client: Client,
) -> None:
    for step, following in pairwise(steps(Family.JAVA)):
        response = answer(client, step.slug)
        assert response.headers["Location"] == reverse("advisor:describe", args=[following.slug])
        start = client.get(reverse("advisor:start"))
        assert start.headers["Location"] == reverse("advisor:describe", args=[following.slug])


def test_an_unknown_step_is_404(client: Client) -> None:
    assert client.get(reverse("advisor:describe", args=["nowhere"])).status_code == 404


def test_every_setting_shows_its_key_and_its_default(
    client: Client,
) -> None:
    html = page(client, "producer")
    assert 'class="key">acks</label>' in html
    assert "Default: <code>all</code>, Java client 4.3" in html
    answer(client, "client", {"family": "librdkafka"})
    html = page(client, "producer")
    assert "Default: <code>1000000</code>, librdkafka 2.16" in html


def test_a_default_that_other_answers_change_shows_the_effective_value(client: Client) -> None:
    answer(client, "producer", {"producer.acks": "1"})
    html = page(client, "producer")
    assert re.search(
        r"Default: <code>true</code>, Java client 4\.3; with your other answers <code>false<", html
    )


def test_a_conflict_shows_the_message_of_the_client_at_the_field(client: Client) -> None:
    fields = {"producer.acks": "1", "producer.enable.idempotence": "true"}
    response = answer(client, "producer", fields)
    html = response.content.decode()
    assert response.status_code == 400
    assert html.count("Must set acks to all in order to use the idempotent producer.") >= 2
    assert '<a href="#producer.acks">' in html
    field = re.search(r'<select[^>]*name="producer.acks"[^>]*>', html)
    assert field
    assert 'aria-invalid="true"' in field[0]
    assert "producer.acks-error" in field[0]
    assert '<option value="1" selected>' in html, "what was chosen is still there"


@pytest.mark.parametrize(
    "typed",
    ["<script>alert(1)</script>", "5\nacks=0", "-1", "1e3", "٣", "\x00", "9" * 5000, "{{ 7 }}"],
)
def test_an_invalid_value_gets_a_message_and_is_shown_escaped(client: Client, typed: str) -> None:
    response = answer(client, "topic", {"topic.replication.factor": typed})
    html = response.content.decode()
    assert response.status_code == 400
    assert 'id="topic.replication.factor-error"' in html
    assert "<script>alert" not in html
    if len(typed) < 100 and typed.isprintable():
        shown = re.search(r'name="topic.replication.factor" value="([^"]*)"', html)
        assert shown, html
        assert shown[1].replace("&lt;", "<").replace("&gt;", ">") == typed


def test_more_copies_than_brokers_gets_the_message_of_the_broker(client: Client) -> None:
    response = answer(client, "topic", {"brokers": "3", "topic.replication.factor": "4"})
    assert response.status_code == 400
    assert "only 3 broker(s) are registered" in response.content.decode()


def test_an_invalid_choice_is_refused_and_shown(client: Client) -> None:
    response = answer(client, "producer", {"producer.acks": "2"})
    assert response.status_code == 400
    assert '<option value="2" selected>2</option>' in response.content.decode()


def test_reload_and_back_keep_even_invalid_values(client: Client) -> None:
    answer(client, "topic", {"topic.replication.factor": "many"})
    assert 'value="many"' in page(client, "topic")
    answer(client, "producer", {"producer.linger.ms": "7", "to": "back"})
    assert 'value="7"' in page(client, "producer")


def test_back_works_with_invalid_values(client: Client) -> None:
    response = answer(client, "producer", {"producer.linger.ms": "soon", "to": "back"})
    assert response.headers["Location"] == reverse("advisor:describe", args=["topic"])


def test_a_problem_in_another_step_prevents_saving_and_is_linked(client: Client) -> None:
    answer(client, "topic", {"brokers": "1", "topic.replication.factor": "3"})
    response = answer(client, "needs")
    assert response.status_code == 400
    assert 'href="../topic/#topic.replication.factor"' in response.content.decode()
    assert not Description.objects.exists()


def test_the_last_step_lists_unanswered_questions_of_other_steps(client: Client) -> None:
    html = page(client, "needs").partition("Not answered yet")[2]
    links = re.findall(r'href="(\.\./[^"]+)"', html)
    assert "../topic/#topic.replication.factor" in links
    assert not any("delivery.errors" in link for link in links), "this step asks for it itself"
    assert "Not answered yet" not in page(client, "topic")
    answer(client, "topic", {"topic.replication.factor": "3"})
    assert "#topic.replication.factor" not in page(client, "needs")


def test_the_topic_step_names_the_command_that_shows_the_copies(client: Client) -> None:
    assert "kafka-topics.sh --describe" in page(client, "topic")


def test_the_metadata_mode_is_asked_for_versions_with_both_modes(client: Client) -> None:
    for line, is_shown in (("4.0", False), ("3.9", True), ("3.3", True), ("3.2", False)):
        answer(client, "client", {"kafka": line})
        assert ('name="application.metadata.mode"' in page(client, "topic")) == is_shown
    answer(client, "client", {"kafka": "3.9"})
    answer(client, "topic", {"application.metadata.mode": "zookeeper"})
    assert '<option value="zookeeper" selected>ZooKeeper<' in page(client, "topic")


def test_a_field_of_another_step_is_ignored(client: Client) -> None:
    answer(client, "topic", {"producer.acks": "0", "made.up": "x"})
    assert client.session["draft"]["fields"] == {}


def test_changing_the_client_omits_its_settings_and_back_restores_them(
    client: Client,
) -> None:
    answer(client, "client", {"family": "librdkafka"})
    answer(client, "consumer", {"consumer.enable.auto.offset.store": "false"})
    answer(client, "producer", {"producer.acks": "all"})
    answer(client, "client", {"family": "java"})
    html = page(client, "consumer")
    assert 'name="consumer.enable.auto.offset.store"' not in html
    assert "consumer.enable.auto.offset.store=false" in html, "it says what is left out"
    assert '<option value="all" selected>' in page(client, "producer")
    answer(client, "client", {"family": "librdkafka"})
    html = page(client, "consumer")
    assert re.search(r'enable.auto.offset.store"[^§]*<option value="false" selected>', html)


def test_spark_shows_the_settings_that_it_decides(client: Client) -> None:
    answer(client, "client", {"family": "spark"})
    html = page(client, "consumer")
    assert 'name="consumer.startingOffsets"' in html
    assert 'name="consumer.auto.offset.reset"' not in html
    assert "Decided by the client" in html


def test_an_unknown_client_or_version_is_refused(client: Client) -> None:
    for fields in (
        {"family": "carrier-pigeon"},
        {"family": "java", "version.java": "0.7"},
        {"family": "java", "version.java": "", "kafka": "<b>"},
    ):
        assert answer(client, "client", fields).status_code == 400, fields
        for step in steps(Family.JAVA):
            assert client.get(reverse("advisor:describe", args=[step.slug])).status_code == 200


def test_the_card_judges_and_keeps_typed_values(client: Client) -> None:
    html = type_in(client, "producer", {"producer.acks": "0"}, stamp(client, "producer"))
    assert "<html" not in html
    assert "guarantee-" in html
    assert "The worst that can happen" in html
    assert '<option value="0" selected>' in page(client, "producer")


def test_the_card_names_the_problem_that_prevents_a_judgement(client: Client) -> None:
    html = type_in(client, "producer", {"producer.retries": "some"}, stamp(client, "producer"))
    assert "Not judged yet" in html
    assert "retries must be a whole number" in html


def test_typed_values_that_arrive_after_the_form_are_judged_but_not_kept(client: Client) -> None:
    typed = {"producer.acks": "0", "producer.linger.ms": ""}
    stamped = stamp(client, "producer")
    answer(client, "producer", {"producer.acks": "1", "producer.linger.ms": "7"})
    assert "acks=0" in type_in(client, "producer", typed, stamped)
    html = page(client, "producer")
    assert '<option value="1" selected>' in html
    assert 'value="7"' in html
    assert "producer" in client.session["draft"]["done"]


def test_values_typed_before_starting_over_are_not_kept(client: Client) -> None:
    for action in ("start-over", "undo"):
        stamped = stamp(client, "producer")
        client.post(reverse(f"advisor:{action}"))
        type_in(client, "producer", {"producer.linger.ms": "7"}, stamped)
        assert 'value="7"' not in page(client, "producer"), action


def test_a_form_sent_during_a_card_request_is_not_overwritten(client: Client) -> None:
    stamped = stamp(client, "producer")
    session = client.session
    assert drafts.load(session).fields == {}, "the card's request has read the session"
    answer(client, "producer", {"producer.acks": "1"})
    drafts.keep(session, questionnaire.PRODUCER, {"producer.acks": "0"}, stamped)
    assert client.session["draft"]["fields"] == {"producer.acks": "1"}


def test_a_lost_session_is_no_error(
    client: Client,
) -> None:
    stamped = stamp(client, "producer")
    assert client.session.session_key
    client.session.flush()
    assert "acks=0" in type_in(client, "producer", {"producer.acks": "0"}, stamped)


def test_pages_of_the_questionnaire_are_not_cached(client: Client) -> None:
    response = client.get(reverse("advisor:describe", args=["producer"]))
    assert "no-store" in response.headers["Cache-Control"]
    assert "Cache-Control" not in answer(client, "topic", {"brokers": "many"}).headers


def test_the_card_accepts_only_post(client: Client) -> None:
    assert client.get(reverse("advisor:card", args=["producer"])).status_code == 405


def test_starting_over_can_be_undone(client: Client) -> None:
    answer(client, "producer", {"producer.linger.ms": "7"})
    client.post(reverse("advisor:start-over"))
    assert 'value="7"' not in page(client, "producer")
    assert "Restore them" in page(client, "client")
    client.post(reverse("advisor:undo"))
    assert 'value="7"' in page(client, "producer")


def test_editing_a_saved_pipeline_creates_a_new_link(client: Client) -> None:
    slug = walk(client, producer={"producer.acks": "1", "producer.linger.ms": "9"})
    client.session.flush()
    client.post(reverse("advisor:edit", args=[slug]))
    html = page(client, "producer")
    assert '<option value="1" selected>' in html
    assert 'value="9"' in html
    new_slug = walk(client, producer={"producer.acks": "all"})
    assert new_slug != slug
    assert Description.objects.get(slug=slug).data["settings"]["producer"]["acks"] == "1"
    settings = Description.objects.get(slug=new_slug).data["settings"]["producer"]
    assert settings == {"acks": "all", "linger.ms": 9}
