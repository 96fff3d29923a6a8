"""Free texts in settings are not stored or shown, whatever their way in and out."""

from __future__ import annotations

import io
import json
import logging
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core import serializers
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from advisor import services
from advisor.catalog import Component, Family, Kind, parse, settings_of, versions
from advisor.catalog.texts import STATED, forget, is_free, kept_text, placeholder
from advisor.export import all_exports
from advisor.export.base import Stamp
from advisor.intake import Product, read, short_name
from advisor.models import Description
from advisor.reasoning.fields import from_fields
from labs.runs import services as labs

SECRET = "hunter2-Zq7"
NEWEST = "4.3"
FIELDS = {
    Family.JAVA: ("producer.transactional.id", "consumer.group.instance.id", "broker.log.dirs",
                  "producer.partitioner.class"),
    Family.LIBRDKAFKA: ("producer.transactional.id", "consumer.group.instance.id"),
    Family.SPARK: ("consumer.group.id", "broker.log.dirs"),
    Family.STREAMS: ("streams.application.id", "streams.state.dir",
                     "streams.processing.exception.handler", "broker.log.dirs"),
}  # fmt: skip
"""Fields that accept any text, by client."""


def _text(field: str) -> str:
    if field.endswith((".class", ".handler")):
        return f"com.{SECRET.replace('-', '')}.Own"
    return f"/tmp/{SECRET}" if field.endswith(("dirs", "dir")) else SECRET


def _reveals_secret(answer: object) -> bool:
    return any(name in str(answer) for name in (SECRET, SECRET.replace("-", "")))


def _rows() -> str:
    rows = str(serializers.serialize("json", [*Description.objects.all()]))
    return rows + repr([session.get_decoded() for session in Session.objects.all()])


def test_every_modelled_setting_with_free_text_is_known_as_free() -> None:
    free = set()
    for family in Family:
        for version in versions(family):
            for component in Component:
                for setting in settings_of(family, version, NEWEST, component):
                    is_class_name = setting.kind is Kind.CHOICE and "[A-Za-z_$]" in setting.pattern
                    if setting.kind is Kind.TEXT or is_class_name:
                        free.add(setting.name)
                        assert is_free(setting.name), setting.name
    assert free >= {field.partition(".")[2] for fields in FIELDS.values() for field in fields}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("transactional.id", SECRET, STATED),
        ("group.instance.id", SECRET, STATED),
        ("group.instance.id", "rack/1", "rack/1"),
        ("group.instance.id", "reader-${HOSTNAME}/1", STATED),
        ("log.dirs", "/var/lib/kafka,/tmpdata", STATED),
        ("log.dirs", f"/var/lib/kafka, /tmp/{SECRET}", "/tmp"),
        ("log.dirs", "/tmp/kraft-combined-logs", "/tmp/kraft-combined-logs"),
        ("state.dir", "/var/tmp", "/var/tmp"),
        ("partitioner.class", f"org.apache.kafka.{SECRET}", STATED),
        ("partitioner.class", "org.apache.kafka.clients.producer.RoundRobinPartitioner",) * 1
        + ("org.apache.kafka.clients.producer.RoundRobinPartitioner",),
        ("acks", SECRET, SECRET),
    ],
)  # fmt: skip
def test_only_the_part_of_a_text_that_the_model_uses_is_kept(name, text, expected) -> None:
    assert kept_text(name, text) == expected
    assert kept_text(name, expected) == expected


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("family", "field"), [(family, field) for family, fields in FIELDS.items() for field in fields]
)
class TestFormOnTheSite:
    """Checks every response, every database row and every log line."""

    @pytest.mark.wide
    def test_a_secret_in_a_form_is_never_shown_stored_or_logged(
        self, client: Client, family, field, caplog
    ) -> None:
        caplog.set_level(logging.DEBUG)
        fields = {"family": family, field: _text(field), "to": "advice"}
        shown = [client.post("/describe/from-files/use/", fields, follow=True)]
        saved = Description.objects.get()
        assert list(saved.data["settings"].values())
        at = f"/pipelines/{saved.slug}/"
        shown += [client.get(at), client.get(f"{at}report/"), client.post(f"{at}edit/")]
        shown += [client.get(f"/describe/{step}/") for step in ("client", "send", "topic", "need")]
        shown += [client.get(f"{at}export/{export.name}/") for export in all_exports()]
        shown.append(client.post("/describe/send/card/", {field: _text(field)}))
        archive = zipfile.ZipFile(io.BytesIO(client.get(f"{at}archive.zip").content))
        texts = [archive.read(name).decode() for name in archive.namelist()]
        started = client.post("/experiments/start/", {"pipeline": saved.slug})
        from labs.models import Experiment

        for experiment in Experiment.objects.all():
            assert not _reveals_secret(json.dumps(experiment.spec))
            assert not _reveals_secret([run.settings for run in experiment.runs.all()])
        assert not _reveals_secret([response.content.decode() for response in [*shown, started]])
        assert not _reveals_secret(texts)
        assert not _reveals_secret(_rows())
        assert not _reveals_secret(caplog.text)


FILES = [
    ("producer-properties", f"transactional.id={SECRET}\nacks=all\nclient.id={SECRET}\n"),
    ("consumer-properties", f"group.instance.id={SECRET}\ngroup.id={SECRET}\nclient.rack={SECRET}"),
    ("producer-properties", f"partitioner.class=com.{SECRET.replace('-', '')}\nacks=1"),
    ("producer-properties", f"bootstrap.servers=user:{SECRET}@host:9092\nacks=1"),
    ("producer-properties", f"sasl.jaas.config={SECRET}\nacks=1\nsasl.mechanism={SECRET}"),
    ("producer-properties", f"ssl.keystore.location=/{SECRET}\nacks=1"),
    ("broker-properties", f"log.dirs=/tmp/{SECRET},/{SECRET}\nnode.id=1\n"),
    ("broker-properties", f"advertised.listeners=A://{SECRET}:1\nnode.id=1\nbroker.rack={SECRET}"),
    ("librdkafka-json", json.dumps({"transactional.id": SECRET, "acks": "all"})),
    ("librdkafka-json", json.dumps({"group.instance.id": SECRET, "group.id": SECRET})),
    ("librdkafka-json", json.dumps({"bootstrap.servers": f"u:{SECRET}@h:1", "acks": "1"})),
    ("python-dict", f"Producer({{'transactional.id': '{SECRET}', 'acks': 'all'}})"),
    ("python-dict", f"Consumer({{'group.instance.id': '{SECRET}', 'client.id': '{SECRET}'}})"),
    ("spring", f"spring: {{kafka: {{producer: {{transaction-id-prefix: {SECRET}}}}}}}"),
    ("spring", f"spring: {{kafka: {{consumer: {{group-id: {SECRET}, client-id: {SECRET}}}}}}}"),
    ("spring", "spring.kafka.streams: {application-id: S, state-dir: /S}".replace("S", SECRET)),
    ("spark-options", f'x = a.readStream.format("kafka").option("kafka.group.id", "{SECRET}")'),
    ("spark-options", f'a.readStream.option("subscribe", "{SECRET}").option("failOnDataLoss", 1)'),
    ("streams-properties", f"application.id={SECRET}\nstate.dir=/tmp/{SECRET}\nacks=1"),
    ("streams-properties", f"application.id={SECRET}\nproducer.client.id={SECRET}"),
    ("environment", f"SPRING_KAFKA_PRODUCER_TRANSACTION_ID_PREFIX={SECRET}\nKAFKA_A={SECRET}"),
    ("compose", "services: {S: {environment: {KAFKA_LOG_DIRS: /S, KAFKA_NODE_ID: 1}}}".replace(
        "S:", f"{SECRET}:").replace("/S", f"/{SECRET}")),
]  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize(("kind", "text"), FILES)
def test_a_secret_in_a_file_is_never_shown_stored_or_logged(
    client: Client, kind: str, text: str, caplog
) -> None:
    caplog.set_level(logging.DEBUG)
    files = [SimpleUploadedFile(f"{SECRET}.properties", text.encode())]
    for sent in ({"text": text, "kind": kind}, {"files": files, "kind": kind}):
        html = client.post("/describe/from-files/", sent).content.decode()
        assert "Line" in html or "line" in html
        assert not _reveals_secret(html)
    product = Product(Family.JAVA, NEWEST, NEWEST)
    assert not _reveals_secret(read(text, product, kind))
    assert not _reveals_secret(_rows())
    assert not _reveals_secret(caplog.text)


def _advise(*arguments: str) -> str:
    out = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("advise", *arguments, stdout=out, stderr=out)
    return out.getvalue()


@pytest.mark.parametrize("options", [["--json"], ["--format", "sarif"], ["--verbose"], []])
def test_a_secret_in_files_of_the_command_is_never_printed(
    tmp_path: Path, options: list[str]
) -> None:
    described, more = tmp_path / "pipeline.toml", tmp_path / "producer.properties"
    described.write_text(
        f'producer.transactional.id = "{SECRET}"\nconsumer.group.instance.id = "{SECRET}"\n'
        f'broker.log.dirs = "/tmp/{SECRET}"\n'
    )
    more.write_text(f"transactional.id=another-{SECRET}\nacks=all\n")
    text = _advise("--pipeline", str(described), "--producer", str(more), *options)
    assert not _reveals_secret(text)
    assert "disagree" in text or options != ["--verbose"]


def test_two_texts_are_compared_before_they_are_dropped() -> None:
    from advisor.intake.inputs import Inputs

    inputs = Inputs()
    inputs.add_text("a", f"transactional.id={SECRET}\nacks=all\n")
    inputs.add_text("b", f"transactional.id={SECRET}\nacks=all\n")
    assert inputs.notes == []
    inputs.add_text("c", "transactional.id=other\nacks=all\ntransactional.id=third\n")
    assert [note for note in inputs.notes if "transactional.id" in note] == [
        "c:3: transactional.id replaces line 1.",
        "c:3: producer.transactional.id replaces that of b:1: the two disagree.",
    ]


def _stamp() -> Stamp:
    return Stamp("8", NEWEST, "client", "http://localhost/")


def _exports() -> Iterator[Any]:
    for family, fields in FIELDS.items():
        data = {field: _text(field) for field in fields}
        pipeline, problems = from_fields({"family": family, **data})
        assert pipeline
        assert not problems
        for export in all_exports():
            if export.applies(pipeline):
                yield pytest.param(pipeline, export, fields, id=f"{family}-{export.name}")


@pytest.mark.parametrize(("pipeline", "export", "fields"), _exports())
def test_an_exported_file_has_a_placeholder_that_reads_back_as_stated(pipeline, export, fields):
    text = export.render(pipeline, _stamp())
    assert not _reveals_secret(text)
    for field in fields:
        component, _, name = field.partition(".")
        yours = placeholder(name, pipeline.value(Component(component), name))
        assert yours == f"YOUR-{name}"
        if yours in text:
            assert f"Put your own {name} in place of {yours}" in " ".join(
                text.replace("#", "").split()
            )
    reader = {"java-producer": "producer-properties", "librdkafka-json": "librdkafka-json"}
    if kind := reader.get(export.name):
        back = read(text, Product(pipeline.family, pipeline.version, NEWEST), kind)
        assert back.settings["producer.transactional.id"] == STATED


def test_stated_and_the_placeholder_are_both_parsed_as_stated() -> None:
    for family in Family:
        for component in Component:
            for setting in settings_of(family, versions(family)[0], NEWEST, component):
                if is_free(setting.name):
                    assert (
                        parse(setting, STATED) == parse(setting, f"YOUR-{setting.name}") == STATED
                    )


def test_a_text_in_an_older_answer_is_replaced() -> None:
    settings = {"producer": {"transactional.id": SECRET, "acks": "1"}}
    answer = {
        "settings": settings, "in_force": [{"key": "transactional.id", "value": SECRET}],
        "told": [f"transactional.id={SECRET}: a second"], "family": "java", "count": 3,
    }  # fmt: skip
    assert forget(answer, settings) == {
        "settings": {"producer": {"transactional.id": STATED, "acks": "1"}},
        "in_force": [{"key": "transactional.id", "value": STATED}],
        "told": [f"transactional.id={STATED}: a second"], "family": "java", "count": 3,
    }  # fmt: skip
    assert forget(answer, {"producer": {"acks": "1"}}) is answer


@pytest.mark.django_db
def test_an_experiment_has_stated_in_place_of_the_text() -> None:
    pipeline, _ = from_fields({"producer.transactional.id": SECRET, "producer.acks": "all"})
    assert pipeline is not None
    experiment = labs.start(services.save(pipeline).slug, "leader-killed")
    assert not _reveals_secret(json.dumps(experiment.spec))
    assert experiment.spec["arms"][0]["settings"]["producer"]["transactional.id"] == STATED


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("producer.properties", "producer.properties"),
        ("docker-compose.yml", "docker-compose.yml"),
        ("application-prod-2.yaml", "application-prod-2.yaml"),
        (f"{SECRET}.properties", "file 2 (hun….properties)"),
        (f"producer-{SECRET}.yml", "file 2 (pro….yml)"),
        (f"producer.{SECRET}", "file 2 (pro…)"),
        (SECRET, "file 2 (hun…)"),
        ("", "file 2 (…)"),
        ("<b>.yml", "file 2 (b….yml)"),
    ],
)
def test_a_file_name_is_shown_shortened(name: str, shown: str) -> None:
    assert short_name(name, 2) == shown
