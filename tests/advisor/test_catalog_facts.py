"""The generated facts, and their agreement with the catalog."""

from __future__ import annotations

import pytest

from advisor.catalog import (
    Component,
    Family,
    Kind,
    Setting,
    SettingError,
    UnknownSetting,
    kafka_versions,
    lookup,
    parse,
    render,
    settings_of,
    versions,
)
from advisor.catalog.facts import PRODUCTS, Fact, examined, facts, lines_of
from advisor.catalog.other_settings import products_of

P, C, S, T, B, A = Component
KAFKA = ("2.8", "3.0", "3.3", "3.6", "3.9", "4.0", "4.1", "4.2", "4.3")
NOT_IN_KAFKA = {(T, "replication.factor"), (S, "topic.min.insync.replicas")}
"""Modelled settings that are in no ConfigDef: an argument of topic creation, and a topic setting
with the prefix of StreamsConfig."""
SPARK = ("3.5", "4.0", "4.1", "4.2")
OTHER_DEFAULT_IN_STREAMS = {
    "linger.ms",
    "enable.auto.commit",
    "auto.offset.reset",
    "max.poll.records",
}
"""Client settings with another default in Kafka Streams, as tests/contracts shows."""


def test_there_are_facts_of_every_product_for_every_offered_version() -> None:
    assert PRODUCTS == (
        "broker",
        "java_consumer",
        "java_producer",
        "librdkafka",
        "spark",
        "streams",
        "topic",
    )
    for product in PRODUCTS:
        lines = set(examined(product))
        if product == "librdkafka":
            assert len(lines) >= 3
            assert versions(Family.LIBRDKAFKA)[0] in lines
        elif product == "spark":
            assert lines == set(SPARK) >= set(versions(Family.SPARK))
        else:
            assert lines >= set(KAFKA)
    for product in ("java_producer", "java_consumer"):
        assert set(versions(Family.JAVA)) <= set(examined(product))
    for product in ("topic", "broker"):
        assert set(kafka_versions()) <= set(examined(product))


@pytest.mark.parametrize(
    ("product", "name", "defaults"),
    [
        ("java_producer", "acks", {"2.8": "1", "3.0": "all", "4.3": "all"}),
        ("java_producer", "enable.idempotence", {"2.8": False, "3.0": True}),
        ("java_producer", "linger.ms", {"3.9": 0, "4.0": 5}),
        ("java_consumer", "session.timeout.ms", {"2.8": 10000, "3.0": 45000}),
        (
            "java_consumer",
            "isolation.level",
            {"2.8": "read_uncommitted", "4.3": "read_uncommitted"},
        ),
        ("topic", "message.timestamp.after.max.ms", {"3.9": 2**63 - 1, "4.0": 3600000}),
        ("broker", "min.insync.replicas", {"2.8": 1, "4.3": 1}),
        ("librdkafka", "delivery.timeout.ms", {"2.0": 300000, "2.16": 300000}),
        ("spark", "startingOffsets", {"3.5": "latest", "4.2": "latest"}),
        ("spark", "fetchOffset.numRetries", {"4.2": 3}),
        ("streams", "processing.guarantee", {"2.8": "at_least_once", "4.3": "at_least_once"}),
    ],
)
def test_defaults_are_those_of_the_fact_base(
    product: str, name: str, defaults: dict[str, object]
) -> None:
    assert {line: facts(product, line)[name].default for line in defaults} == defaults


def test_settings_are_added_and_removed_by_versions() -> None:
    assert facts("java_producer", "3.9")["acks"].since is None
    assert facts("topic", "4.0")["message.timestamp.after.max.ms"].since == "3.6"
    zookeeper = facts("broker", "3.9")["zookeeper.connect"]
    assert (zookeeper.since, zookeeper.removed) == (None, "4.0")
    assert "zookeeper.connect" not in facts("broker", "4.0")
    assert "exactly_once_beta" not in facts("streams", "4.0")["processing.guarantee"].one_of
    assert facts("librdkafka", "2.16")["message.timeout.ms"].alias == ""
    assert facts("librdkafka", "2.16")["delivery.timeout.ms"].alias == "message.timeout.ms"


def test_the_lines_that_have_a_setting_are_known() -> None:
    assert lines_of("broker", "zookeeper.connect")[::10] == ("2.8", "3.9")
    assert lines_of("spark", "maxRecordsPerPartition") == ("4.0", "4.1", "4.2")
    assert lines_of("topic", "zookeeper.connect") == ()


def test_options_of_spark_name_the_sources_of_their_facts() -> None:
    documented = _look_up("fetchOffset.retryIntervalMs", C, Family.SPARK)
    assert documented.default == 10
    assert documented.source == (
        "org.apache.spark.sql.kafka010.KafkaSourceProvider, read from 4.2.0; type and default: "
        "Spark's structured-streaming-kafka-integration.md"
    )
    assert _look_up("topic", P, Family.SPARK).kind is Kind.TEXT


def test_options_of_spark_ignore_case_and_keys_of_clients_do_not() -> None:
    assert _look_up("MINPARTITIONS", C, Family.SPARK).name == "minPartitions"
    setting = lookup(Family.SPARK, "4.2", "4.3", C, "startingoffsets")
    assert setting.name == "startingOffsets"
    with pytest.raises(UnknownSetting):
        _look_up("MAX.POLL.RECORDS", C)


def test_a_line_between_two_examined_lines_has_the_facts_of_the_older_one() -> None:
    assert facts("librdkafka", "2.10") == facts("librdkafka", "2.8")


EACH_PART = pytest.mark.parametrize(("family", "component"), [
    *((family, part) for family in Family for part in (P, C)), (Family.STREAMS, S),
    (Family.JAVA, T), (Family.JAVA, B),
])  # fmt: skip


def _lines(family: Family, component: Component) -> list[tuple[str, str]]:
    """Every line of the client with the newest brokers, or every line of the brokers."""
    if component in (T, B):
        return [("4.3", line) for line in kafka_versions()]
    return [(line, "4.3") for line in versions(family)]


def _fact_names(family: Family, line: str, kafka: str, component: Component) -> dict[str, Fact]:
    products = products_of(family, line, kafka, component)
    return {name: fact for row in reversed(products) for name, fact in facts(*row).items()}


@EACH_PART
def test_modelled_settings_agree_with_the_facts_of_the_product(
    family: Family, component: Component
) -> None:
    for line, kafka in _lines(family, component):
        _assert_agreement(family, line, kafka, component)


def _assert_agreement(family: Family, line: str, kafka: str, component: Component) -> None:
    by_name = _fact_names(family, line, kafka, component)
    for setting in settings_of(family, line, kafka, component):
        if (component, setting.name) in NOT_IN_KAFKA:
            continue
        fact = by_name[setting.name]
        if family is Family.STREAMS and setting.name in OTHER_DEFAULT_IN_STREAMS:
            assert setting.default != fact.default, setting.name
        elif fact.default is None:
            assert setting.default is None, setting.name
        else:
            assert setting.default == parse(setting, f"{fact.default}".removesuffix(".0"))
        for bound, limit, worse in (
            (setting.minimum, fact.min, lambda ours, real: ours < real),
            (setting.maximum, fact.max, lambda ours, real: ours > real),
        ):
            assert bound is None or limit is None or not worse(bound, limit), setting.name
        if fact.one_of and setting.choices:
            written = {text for text, _ in setting.choices}
            if fact.any_case:
                assert setting.any_case
                written = {text.upper() for text in written}
            assert written <= set(fact.one_of), setting.name
        names_of_fact = {
            item.name
            for item in by_name.values()
            if fact.name in (item.alias, item.name)
            or (fact.alias and fact.alias in (item.name, item.alias))
        }
        # StreamsConfig does not say which names are deprecated aliases of others.
        deprecated_aliases = set(setting.aliases) if component is S else set()
        assert {setting.name, *setting.aliases} == names_of_fact | deprecated_aliases, setting.name
        assert deprecated_aliases <= by_name.keys()


@EACH_PART
def test_every_real_setting_can_be_looked_up_and_its_default_parsed(
    family: Family, component: Component
) -> None:
    for line, kafka in _lines(family, component):
        _assert_names(family, line, kafka, component)


def _assert_names(family: Family, line: str, kafka: str, component: Component) -> None:
    modelled = settings_of(family, line, kafka, component)
    all_settings = settings_of(family, line, kafka, component, every=True)
    assert all_settings[: len(modelled)] == modelled
    assert all(setting.modelled for setting in modelled)
    assert not any(setting.modelled for setting in all_settings[len(modelled) :])
    names = [name for setting in all_settings for name in (setting.name, *setting.aliases)]
    assert len(names) == len(set(names))
    client = {"": True, component.value: True}
    entry = _fact_names(family, line, kafka, component).values()
    real = {fact.name for fact in entry if component in (T, B) or client.get(fact.client)}
    decided = {
        Family.SPARK: {"enable.auto.commit", "auto.offset.reset", "transactional.id"},
        Family.STREAMS: {"transactional.id"} | ({"group.protocol"} if component is C else set()),
    }  # fmt: skip
    beyond = {name for part, name in NOT_IN_KAFKA if part is component}
    assert set(names) - beyond == real - decided.get(family, set())
    for setting in all_settings[len(modelled) :]:
        assert lookup(family, line, kafka, component, setting.name, every=True) == setting
        assert setting.source
        if setting.default is not None and setting.kind is not Kind.TEXT:
            assert parse(setting, render(setting, setting.default)) == setting.default


def _look_up(name: str, component: Component = P, family: Family = Family.JAVA) -> Setting:
    return lookup(family, versions(family)[0], "4.3", component, name, every=True)


def test_a_setting_that_is_not_modelled_is_known_as_a_real_one() -> None:
    with pytest.raises(UnknownSetting, match="is not taken into account") as raised:
        lookup(Family.JAVA, "4.3", "4.3", P, "compression.type")
    assert raised.value.problem.suggestion is None
    setting = _look_up("compression.type")
    assert (setting.kind, setting.default, setting.modelled) == (Kind.CHOICE, "none", False)
    assert setting.source == "org.apache.kafka.clients.producer.ProducerConfig, read from 4.4.0"
    assert _look_up("kafka.compression.type", family=Family.SPARK).name == "compression.type"
    assert _look_up("compression.type", family=Family.LIBRDKAFKA).name == "compression.codec"


@pytest.mark.parametrize(
    ("name", "component", "text", "words"),
    [("compression.type", P, "gzop", "must be one of none, gzip"),
     ("send.buffer.bytes", P, "-2", "must be from -1 to 2147483647 bytes; -2 is not"),
     ("log.cleaner.min.cleanable.ratio", B, "half", "must be a number"),
     ("node.id", B, "x", "must be a whole number from 0 to 2147483647")],
)  # fmt: skip
def test_an_invalid_value_of_any_setting_is_refused(
    name: str, component: Component, text: str, words: str
) -> None:
    with pytest.raises(SettingError, match=words):
        parse(_look_up(name, component), text)


def test_a_choice_ignores_case_only_where_the_product_does() -> None:
    assert parse(_look_up("security.protocol"), "sasl_ssl") == "SASL_SSL"
    with pytest.raises(SettingError):
        parse(_look_up("compression.type"), "GZIP")


def test_an_unknown_name_suggests_the_nearest_real_setting() -> None:
    with pytest.raises(UnknownSetting) as raised:
        _look_up("compresion.type")
    assert raised.value.problem.suggestion == "compression.type"
    with pytest.raises(UnknownSetting) as raised:
        lookup(Family.JAVA, "4.3", "4.3", P, "compresion.type")
    assert raised.value.problem.suggestion is None
