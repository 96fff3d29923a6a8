"""The page that reads files: results are confirmed first, invalid files are reported."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from advisor.intake import MAX_BYTES
from advisor.models import Description
from advisor.questions import drafts

pytestmark = pytest.mark.django_db

URL = "/describe/from-files/"
SECRET = "hunter2"


def _fields(html: str) -> dict[str, str]:
    """The fields that the confirmation form would send."""
    results = re.findall(r'<input type="hidden" name="([\w.]+)" value="([^"]*)">', html)
    others = ("csrfmiddlewaretoken", "before.", "earlier.")
    return {name: text for name, text in results if not name.startswith(others)}


def _carried(html: str) -> dict[str, str]:
    """The fields of earlier files that the upload form sends along."""
    return dict(
        re.findall(
            r'<input type="hidden" name="((?:before|earlier)\.[\w.]+)" value="([^"]*)">', html
        )
    )


def _values(html: str) -> dict[str, list[str]]:
    """The values that can be chosen, the new one first, for each field that has an earlier one."""
    values: dict[str, list[str]] = {}
    for name, text in re.findall(r'name="chosen\.([\w.]+)" value="([^"]*)" form="take-over"', html):
        values.setdefault(name, []).append(text)
    return values


def _send(client: Client, text: str = "", **more: object) -> tuple[int, str]:
    response = client.post(URL, {"text": text, **more})
    return response.status_code, response.content.decode()


def test_the_questionnaire_links_to_the_page(client: Client) -> None:
    assert reverse("advisor:intake") == URL
    assert f'href="{URL}"' in client.get("/describe/client/").content.decode()
    html = client.get(URL).content.decode()
    assert '<option value="spring">Spring Boot application.yml</option>' in html
    assert not re.search(r"\sstyle=|<style|\son\w+=|javascript:", html)


def test_the_settings_read_are_shown_and_not_stored(client: Client) -> None:
    status, html = _send(client, f"acks=1\nsasl.password={SECRET}\nbootstrap.servers=a:1\n")
    assert status == 200
    assert "1 answer read. Is this right?" in html
    assert re.search(
        r"acks</span> <span[^>]*>producer</span></th><td[^>]*><code>1</code></td>"
        r"<td[^>]*>Pasted text, line 1",
        html,
    )
    assert "sasl.password is a credential: dropped, not read" in html
    assert SECRET not in html
    assert _fields(html) == {"producer.acks": "1"}
    assert not drafts.load(client.session).fields
    assert not Description.objects.exists()


def test_a_second_file_adds_to_the_first_before_the_confirmation(client: Client) -> None:
    _, first = _send(client, "acks=1\nretries=3\n")
    _, second = _send(client, "linger.ms=9\nacks=all\n", **_carried(first))
    assert _fields(second) == {
        "producer.acks": "all", "producer.retries": "3", "producer.linger.ms": "9"
    }  # fmt: skip
    assert "producer.acks=all replaces producer.acks=1 of an earlier text" in second
    assert _values(second) == {"producer.acks": ["all", "1"]}
    assert "1 of these answers differs from an earlier one." in second
    html = _send(client, "no such thing", **_carried(second))[1]
    assert _carried(html) == _carried(second), "a text that cannot be read takes nothing away"


def test_the_value_of_an_earlier_text_can_be_chosen_instead(client: Client) -> None:
    _, first = _send(client, "acks=1\nretries=3\n")
    assert not _values(first)
    _, second = _send(client, "acks=all\nretries=3\n", **_carried(first))
    chosen = {"chosen.producer.acks": "1"}
    _, third = _send(client, "linger.ms=9\n", **_carried(second), **chosen)
    assert _fields(third)["producer.acks"] == "1"
    assert _values(third) == {"producer.acks": ["1", "all"]}, "the other one is still offered"
    _, without = _send(client, "linger.ms=9\n", **_carried(second))
    assert _values(without) == {"producer.acks": ["all", "1"]}
    client.post(f"{URL}use/", {**_fields(second), **chosen, "to": "questions"})
    assert drafts.load(client.session).fields["producer.acks"] == "1"


def test_a_replaced_answer_is_shown_and_can_be_kept(client: Client) -> None:
    client.post(f"{URL}use/", {"producer.acks": "all", "producer.linger.ms": "5"})
    _, html = _send(client, "acks=1\nlinger.ms=5\n")
    assert _values(html) == {"producer.acks": ["1", "all"]}
    assert "your earlier answer" in html
    same = _send(client, "acks=-1\n")[1]
    assert not _values(same), "acks=-1 is acks=all"


def test_a_replaced_client_is_named_and_not_offered(client: Client) -> None:
    client.post(f"{URL}use/", {"family": "java"})
    _, html = _send(client, "acks=1\n", family="librdkafka")
    assert "instead of Java client, your earlier answer" in html
    assert not _values(html)


def test_carried_fields_are_validated(client: Client) -> None:
    _, html = _send(
        client,
        "acks=1",
        **{
            "before.sasl.password": SECRET,
            "before.no.such": "1",
            "chosen.sasl.password": SECRET,
            "earlier.sasl.password": SECRET,
        },
    )
    assert _fields(html) == {"producer.acks": "1"}
    assert SECRET not in html


def test_answers_that_do_not_apply_to_another_client_are_named(client: Client) -> None:
    librdkafka = '{"queuing.strategy": "lifo", "partitioner": "random", "acks": 1}'
    _, html = _send(client, librdkafka, family="librdkafka")
    client.post(f"{URL}use/", {**_fields(html), "to": "questions"})
    _, html = _send(client, "spring.kafka.producer.acks=all\n")
    text = re.sub(r"<[^>]+>", "", html)
    assert "With these, 2 answers of another client or version no longer apply" in text
    assert "producer.partitioner, producer.queuing.strategy" in text


def test_a_confirmed_file_becomes_a_pipeline(client: Client) -> None:
    _, html = _send(client, "acks=1\nretries=3\n")
    response = client.post(f"{URL}use/", {**_fields(html), "to": "advice"})
    saved = Description.objects.get()
    assert response.headers["Location"] == f"/pipelines/{saved.slug}/"
    assert saved.data["settings"] == {"producer": {"acks": "1", "retries": 3}}


def test_files_sent_one_after_another_make_one_pipeline(client: Client) -> None:
    _, first = _send(client, "Topic: a\tPartitionCount: 1\tReplicationFactor: 3\tConfigs:\n")
    response = client.post(f"{URL}use/", {**_fields(first), "to": "questions"})
    assert response.headers["Location"] == "/describe/client/"
    _, second = _send(client, "group.id=g\nauto.offset.reset=earliest\n")
    assert "Earlier answers that do not change: 1." in second
    client.post(f"{URL}use/", {**_fields(second), "to": "advice"})
    assert Description.objects.get().data["settings"] == {
        "topic": {"replication.factor": 3}, "consumer": {"auto.offset.reset": "earliest"}
    }  # fmt: skip


def test_a_topic_setting_takes_precedence_over_a_broker_default(client: Client) -> None:
    _, first = _send(
        client, "Topic: a\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: retention.ms=7\n"
    )
    client.post(f"{URL}use/", {**_fields(first), "to": "questions"})
    _, second = _send(
        client, "process.roles=broker\nlog.retention.hours=2\nlog.retention.bytes=9\n"
    )
    assert "Pasted text:2: your answer to topic.retention.ms takes precedence." in second
    assert _fields(second)["topic.retention.bytes"] == "9"
    assert "topic.retention.ms" not in _fields(second)


def test_several_files_in_one_request_are_named(client: Client) -> None:
    files = [
        SimpleUploadedFile("producer.properties", b"acks=all\n"),
        SimpleUploadedFile("compose.yml", b"services: {a: {environment: {KAFKA_NODE_ID: 1}}}"),
    ]
    status, html = _send(client, files=files)
    assert status == 200
    assert "producer.properties, line 1" in html
    assert _fields(html) == {
        "producer.acks": "all", "brokers": "1", "application.disk.lost": "returns-empty",
    }  # fmt: skip


def test_the_client_is_recognised_from_the_file_or_chosen(client: Client) -> None:
    _, html = _send(client, "c = {'acks': 'all', 'enable.idempotence': True}")
    assert _fields(html)["family"] == "librdkafka"
    _, html = _send(client, "message.timeout.ms=9000\nacks=all", family="librdkafka")
    assert _fields(html)["producer.delivery.timeout.ms"] == "9000"


@pytest.mark.parametrize(("text", "message"), [
    ("acks=all\nenable.idempotance=true\n", "Pasted text:2: There is no producer setting"),
    ("Dear diary", "Pasted text: Nothing here looks like a file that Delivery Lab reads."),
    ("spring:\n  kafka:\n\t x", "Pasted text:3: this is not well-formed YAML."),
    ("", "Nothing was sent, or a file of more than 1048576 bytes."),
])  # fmt: skip
def test_an_invalid_file_is_reported_with_its_line_and_status_400(
    client: Client, text: str, message: str
) -> None:
    status, html = _send(client, text)
    assert status == 400
    assert message in html
    assert 'role="alert"' in html
    assert not _fields(html)


def test_a_too_large_or_binary_file_is_refused(client: Client) -> None:
    for content, text in (
        (b"#" * (MAX_BYTES + 1), "longer than"),
        (b"\xfe\xfd", "file 1 (a….properties):1: this is not text in UTF-8"),
    ):
        status, html = _send(client, files=[SimpleUploadedFile("a.properties", content)])
        assert status == 400
        assert text in html
    many = [SimpleUploadedFile(f"{n}.properties", b"acks=1") for n in range(11)]
    assert "More than 10 files" in _send(client, files=many)[1]


def test_conflicting_settings_are_reported_and_can_be_corrected(client: Client) -> None:
    status, html = _send(client, "acks=1\nenable.idempotence=true\n")
    assert status == 200
    assert "cannot be used yet" in html
    assert 'value="advice"' not in html
    response = client.post(f"{URL}use/", {**_fields(html), "to": "advice"})
    assert response.headers["Location"] == "/describe/client/"
    assert drafts.load(client.session).answer("producer.acks") == "1"


def test_htmx_receives_only_the_result(client: Client) -> None:
    response = client.post(URL, {"text": "acks=1"}, headers={"HX-Request": "true"})
    html = response.content.decode()
    assert "<html" not in html
    assert "Is this right?" in html


@pytest.mark.parametrize("field", ["need.guarantee", "csrfmiddlewaretoken", "x", "producer"])
def test_only_fields_that_a_file_may_state_are_accepted(client: Client, field: str) -> None:
    client.post(f"{URL}use/", {field: "1", "producer.acks": "<script>"})
    fields = drafts.load(client.session).fields
    assert field not in fields or field == "producer"
    assert "<script>" not in client.get("/describe/producer/").content.decode()


def test_only_names_of_the_catalog_are_accepted(client: Client) -> None:
    junk = {f"producer.junk{number}": "1" for number in range(600)}
    client.post(reverse("advisor:intake-use"), {**junk, "producer.acks": "1"})
    assert dict(drafts.load(client.session).fields) == {"producer.acks": "1"}
