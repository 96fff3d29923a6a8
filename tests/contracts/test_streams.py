"""The catalog's rules for Kafka Streams, compared with StreamsConfig and KafkaStreams."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.catalog import Component, Family, SettingError, lookup, parse, validate
from advisor.export import Stamp, find
from advisor.reasoning.pipeline import Pipeline
from labs.maintenance.products.releases import class_path
from tests.contracts.jvm import Jvm, jvm
from tests.contracts.streams import Application, Texts, configurations, parsed
from tests.contracts.test_export_files import load_yaml

pytestmark = pytest.mark.contract

STAMP = Stamp("1", "4.3", "the client", "http://127.0.0.1/")
NOT_COMPARED = {"group.instance.id", "application.id", "state.dir"}
"""Streams appends the thread's number to the first; the test itself sets the others."""


@pytest.fixture(scope="module", params=["4.3", "3.9"])
def release(request: pytest.FixtureRequest) -> Iterator[tuple[str, Jvm]]:
    """A release line of Kafka Streams, and a JVM with its classes."""
    with jvm(class_path(request.param)) as running:
        yield request.param, running


def _our_refusal(version: str, texts: Texts) -> str | None:
    problems = validate(Family.STREAMS, version, "4.3", 3, parsed(version, texts))
    return next((problem.message for problem in problems if problem.product), None)


def _pipeline(version: str, texts: Texts) -> Pipeline:
    return Pipeline(Family.STREAMS, version, settings=parsed(version, texts))


def _exported(pipeline: Pipeline, name: str) -> str:
    export = find(name)
    assert export is not None
    return export.render(pipeline, STAMP)


def test_an_application_refuses_and_sets_what_the_catalog_predicts(
    release: tuple[str, Jvm], tmp_path: Path
) -> None:
    version, running = release
    application, refused = Application(running, tmp_path), 0
    cases = configurations(protocols=version == "4.3")
    for texts in cases:
        ours = _our_refusal(version, texts)
        assert ours == application.refusal(texts), texts
        refused += ours is not None
        if ours is None:
            _assert_same(_pipeline(version, texts), application.effective_settings(texts))
    assert 30 <= refused <= len(cases) - 30, "the configurations no longer reach both sides"


def _assert_same(pipeline: Pipeline, data: dict[Component, dict[str, str]]) -> None:
    """Asserts that the catalog predicts every value in force that Streams reports."""
    for component, settings in data.items():
        for name, text in settings.items():
            try:
                setting = lookup(pipeline.family, pipeline.version, pipeline.kafka, component, name)
            except SettingError:
                continue  # not modelled, or decided by Streams
            if setting.name == name and name not in NOT_COMPARED:
                read = parse(setting, text.removeprefix("class "))  # as Java prints a class
                assert read == pipeline.value(component, name), name


def test_main_consumer_settings_override_those_of_streams(
    release: tuple[str, Jvm], tmp_path: Path
) -> None:
    """So intake.clients.streams_properties refuses these two of `main.consumer.…`."""
    version, running = release
    application = Application(running, tmp_path)
    exactly_once = {"processing.guarantee": "exactly_once_v2"}
    names = {"isolation.level": "read_uncommitted", "enable.auto.commit": "true"}
    for prefix in ("consumer", "main.consumer"):
        overrides = {f"{prefix}.{name}": text for name, text in names.items()}
        data = application.effective_settings(exactly_once | overrides)[Component.CONSUMER]
        overridden = [name for name, text in names.items() if data[name] == text]
        expected = ["isolation.level"] if version == "4.3" else list(names)
        assert overridden == (expected if prefix == "main.consumer" else [])


def test_streams_does_not_start_with_settings_that_its_clients_refuse(
    release: tuple[str, Jvm], tmp_path: Path
) -> None:
    """So intake.clients.streams_properties refuses them, except for the global consumer.

    Without a global table that consumer is not created.
    """
    version, running = release
    application, push = Application(running, tmp_path), "enable.metrics.push"
    for prefix in ("consumer", "main.consumer", "admin"):
        refusal = application.refusal({f"{prefix}.{push}": "true"})
        assert (refusal is None) == (version == "3.9"), prefix
    assert application.refusal({"restore.consumer.fetch.max.wait.ms": "-1"})
    assert application.refusal({"admin.request.timeout.ms": "soon"})
    for name in (push, f"producer.{push}", f"restore.consumer.{push}"):
        assert application.refusal({name: "true"}) is None
        assert application.refusal({name: "yes"})
    assert application.refusal({f"global.consumer.{push}": "yes"}) is None


def test_streams_accepts_the_processing_guarantees_that_we_accept(
    release: tuple[str, Jvm], tmp_path: Path
) -> None:
    version, running = release
    application = Application(running, tmp_path)
    for word in ("at_least_once", "exactly_once", "exactly_once_beta", "exactly_once_v2"):
        texts = {"processing.guarantee": word}
        try:
            parsed(version, texts)
        except SettingError:
            assert "String must be one of" in str(application.refusal(texts))
        else:
            assert application.refusal(texts) is None


def test_streams_reads_the_exported_settings_as_intended(
    release: tuple[str, Jvm], tmp_path: Path, kafka_jvm: Jvm
) -> None:
    version, running = release
    application = Application(running, tmp_path)
    accepted = [
        configuration
        for configuration in configurations(protocols=False)
        if _our_refusal(version, configuration) is None
    ]
    for texts in accepted[::4]:
        pipeline = _pipeline(version, texts)
        file = running.read(_exported(pipeline, "java-streams"))
        assert application.refusal(file) is None
        _assert_same(pipeline, application.effective_settings(file))
        streams = load_yaml(kafka_jvm, _exported(pipeline, "spring-boot"))["spring"]["kafka"][
            "streams"
        ]
        names = {"application-id": "application.id", "replication-factor": "replication.factor"}
        spring = {key.strip("[]"): value for key, value in streams.pop("properties").items()}
        spring |= {names[key]: value for key, value in streams.items()}
        assert {key: str(value).lower() for key, value in spring.items()} == {
            key: text.lower() for key, text in file.items()
        }
