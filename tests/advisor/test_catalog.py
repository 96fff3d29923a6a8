"""The catalog: lookup, parsing, effective values, and malformed data files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.catalog import (
    Component,
    Family,
    Kind,
    Setting,
    SettingError,
    UnknownSetting,
    Value,
    effective,
    kafka_versions,
    lookup,
    parse,
    render,
    settings_of,
    versions,
)
from advisor.catalog.load import CatalogError, entries, read

P, C, S, T, B, A = Component
NEWEST = {family: versions(family)[0] for family in Family}
ALL_SETTINGS = {
    f"{family}.{component}.{setting.name}": setting
    for family, version in NEWEST.items()
    for component in Component
    for setting in settings_of(family, version, "4.3", component)
}


def _setting(name: str, component: Component = P, family: Family = Family.JAVA) -> Setting:
    return lookup(family, NEWEST[family], "4.3", component, name)


def _in_force(
    settings: dict[Component, dict[str, Value]],
    component: Component,
    name: str,
    family: Family = Family.JAVA,
    version: str | None = None,
) -> Value:
    return effective(family, version or NEWEST[family], "4.3", settings, component, name)


@pytest.mark.parametrize("family", list(Family))
def test_every_version_has_every_component(family: Family) -> None:
    for version in versions(family):
        for kafka in kafka_versions():
            for component in Component:
                has = component is not Component.STREAMS or family is Family.STREAMS
                assert bool(settings_of(family, version, kafka, component)) == has


def test_a_default_survives_rendering_and_parsing() -> None:
    for name, setting in ALL_SETTINGS.items():
        assert setting.meaning.endswith("."), name
        assert setting.source, name
        if setting.default is not None:
            assert parse(setting, render(setting, setting.default)) == setting.default, name


@pytest.mark.parametrize(
    ("version", "acks", "idempotence", "linger", "session"),
    [("2.8", "1", False, 0, 10000), ("3.0", "all", True, 0, 45000), ("3.9", "all", True, 0, 45000),
     ("4.0", "all", True, 5, 45000), ("4.4", "all", True, 5, 45000)],
)  # fmt: skip
def test_defaults_of_java_depend_on_its_version(
    version: str, acks: str, idempotence: bool, linger: int, session: int
) -> None:
    names = [
        _in_force({}, P, name, version=version)
        for name in ("acks", "enable.idempotence", "linger.ms")
    ]
    assert names == [acks, idempotence, linger]
    assert _in_force({}, C, "session.timeout.ms", version=version) == session


def test_a_patch_version_is_looked_up_as_its_line() -> None:
    assert lookup(Family.JAVA, "4.3.1", "4.3.1", P, "acks") == _setting("acks")


@pytest.mark.parametrize("version", ["9.9", "4", "", "4.3.1; rm", "4.3\n", "٤.٣", "0004.3"])
def test_an_unknown_version_is_refused_with_the_known_ones(version: str) -> None:
    with pytest.raises(SettingError, match=r"4\.4 to 2\.8"):
        settings_of(Family.JAVA, version, "4.3", P)


def test_by_duration_is_valid_since_java_4() -> None:
    new = lookup(Family.JAVA, "4.0", "4.3", C, "auto.offset.reset")
    assert parse(new, "by_duration:P1DT2H") == "by_duration:P1DT2H"
    with pytest.raises(SettingError, match="latest, earliest, none"):
        parse(lookup(Family.JAVA, "3.9", "4.3", C, "auto.offset.reset"), "by_duration:P1DT2H")
    for invalid in ("by_duration:", "by_duration:P", "by_duration:PT", "by_duration:1h"):
        with pytest.raises(SettingError):
            parse(new, invalid)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("ack", "acks"), ("enable.idempotance", "enable.idempotence"),
     ("max.in.flight.requests", "max.in.flight.requests.per.connection"), ("zzz", None)],
)  # fmt: skip
def test_an_unknown_name_suggests_the_nearest(name: str, nearest: str | None) -> None:
    with pytest.raises(UnknownSetting) as raised:
        _setting(name)
    assert raised.value.problem.suggestion == nearest


def test_settings_that_spark_decides_are_refused_with_the_option_to_set() -> None:
    with pytest.raises(SettingError, match="set startingOffsets instead"):
        _setting("auto.offset.reset", C, Family.SPARK)
    stated: dict[Component, dict[str, Value]] = {C: {"startingOffsets": "earliest"}}
    assert _in_force(stated, C, "auto.offset.reset", Family.SPARK) == "earliest"
    assert _in_force({}, C, "enable.auto.commit", Family.SPARK) is False
    assert _in_force({}, A, "resend", Family.SPARK) == "on-error"


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [("acks", " -1 ", "all"), ("acks", "all", "all"), ("acks", "0", "0"),
     ("enable.idempotence", "TRUE", True), ("retries", "+7", 7), ("linger.ms", "0", 0),
     ("acks", "\tall \t\r\n", "all"), ("retries", "5\t", 5), ("retries", "010", 10),
     ("transactional.id", "payments-1", "stated")],
)  # fmt: skip
def test_values_are_read_as_the_client_reads_them(name: str, text: str, value: Value) -> None:
    assert parse(_setting(name), text) == value


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("acks", "2", "must be one of all, -1, 1, 0"),
        ("acks", "ALL", "must be one of"),
        ("retries", "-1", "must be from 0 to 2147483647; -1 is not"),
        ("retries", "2147483648", "2147483648 is not"),
        ("retries", "0" * 20, "must be a whole number"),
        ("retries", "0x10", "must be a whole number"),
        ("retries", "٣", "must be a whole number"),
        ("retries", "9" * 200, "must be a whole number"),
        ("retries", "", "is empty"),
        ("retries", "1e3", "must be a whole number"),
        ("linger.ms", "x", "must be a whole number from 0 to 9223372036854775807 ms"),
        ("enable.idempotence", "yes", "must be true or false"),
        ("transactional.id", "a b", "letters, digits"),
        ("transactional.id", "$(reboot)", "letters, digits"),
        ("transactional.id", "x" * 251, "is 251 characters long; at most 250 are accepted"),
        ("transactional.id", "a\nacks=0", "a newline or another control character"),
        ("acks", "a\tll", "a newline or another control character"),
        ("acks", "all\xa0", "a newline or another control character"),
        ("acks", "all\u2028", "a newline or another control character"),
    ],
)
def test_an_invalid_value_is_refused_with_the_valid_ones(name: str, text: str, words: str) -> None:
    with pytest.raises(SettingError) as raised:
        parse(_setting(name), text)
    assert words in raised.value.problem.message
    assert raised.value.problem.message.isprintable()


@given(text=st.text(max_size=260), setting=st.sampled_from(list(ALL_SETTINGS.values())))
def test_any_text_is_parsed_or_refused_with_one_message(text: str, setting: Setting) -> None:
    try:
        value = parse(setting, text)
    except SettingError as error:
        problem = error.problem
    else:
        assert render(setting, value).isprintable()
        assert parse(setting, render(setting, value)) == value
        return
    assert (problem.component, problem.setting) == (setting.component, setting.name)
    assert problem.message.isprintable()


@given(value=st.one_of(st.none(), st.booleans(), st.integers(), st.text()))
def test_only_values_that_can_be_parsed_are_rendered(value: Value) -> None:
    for setting in ALL_SETTINGS.values():
        try:
            text = render(setting, value)
        except SettingError:
            continue
        assert parse(setting, text) == value
        assert (setting.kind is Kind.BOOL) == isinstance(value, bool)


@pytest.mark.parametrize(
    ("settings", "component", "name", "value"),
    [
        ({P: {"acks": "1"}}, P, "enable.idempotence", False),
        ({P: {"acks": "1", "enable.idempotence": True}}, P, "enable.idempotence", True),
        ({P: {"retries": 0}}, P, "enable.idempotence", False),
        ({P: {"linger.ms": 100_000}}, P, "delivery.timeout.ms", 130_000),
        ({B: {"default.replication.factor": 3}}, T, "replication.factor", 3),
        ({B: {"min.insync.replicas": 2}}, T, "min.insync.replicas", 2),
        ({B: {"min.insync.replicas": 2}, T: {"min.insync.replicas": 1}}, T,
         "min.insync.replicas", 1),
        ({B: {"unclean.leader.election.enable": True}}, T, "unclean.leader.election.enable", True),
        ({}, A, "commit", "auto"),
        ({C: {"enable.auto.commit": False}}, A, "commit", "after-processing"),
        ({A: {"commit": "before-processing"}}, A, "commit", "before-processing"),
        ({A: {"commit": "before-processing"}}, C, "enable.auto.commit", True),
        ({}, P, "transactional.id", None),
    ],
)  # fmt: skip
def test_effective_values_of_unstated_java_settings(
    settings: dict[Component, dict[str, Value]], component: Component, name: str, value: Value
) -> None:
    assert _in_force(settings, component, name) == value


@pytest.mark.parametrize("name", ["acks", "enable.idempotence", "queuing.strategy"])
def test_librdkafka_refuses_white_space_around_a_word(name: str) -> None:
    setting = _setting(name, P, Family.LIBRDKAFKA)
    word = {"acks": "all", "enable.idempotence": "1"}.get(name, "fifo")
    parse(setting, word)
    for text in (f"{word} ", f" {word}", f"{word}\n"):
        with pytest.raises(SettingError, match="white space"):
            parse(setting, text)


def test_librdkafka_accepts_white_space_around_a_number() -> None:
    assert parse(_setting("acks", P, Family.LIBRDKAFKA), "1 ") == "1"
    assert parse(_setting("retries", P, Family.LIBRDKAFKA), " 5 ") == 5
    with pytest.raises(SettingError):  # librdkafka reads it as octal: 8
        parse(_setting("retries", P, Family.LIBRDKAFKA), "010")


def test_librdkafka_lowers_requests_in_flight_for_idempotence() -> None:
    name = "max.in.flight.requests.per.connection"
    assert _in_force({}, P, name, Family.LIBRDKAFKA) == 1_000_000
    stated: dict[Component, dict[str, Value]] = {P: {"enable.idempotence": True}}
    assert _in_force(stated, P, name, Family.LIBRDKAFKA) == 5
    transactional: dict[Component, dict[str, Value]] = {P: {"transactional.id": "t"}}
    assert _in_force(transactional, P, "enable.idempotence", Family.LIBRDKAFKA) is True
    assert _in_force(transactional, P, "delivery.timeout.ms", Family.LIBRDKAFKA) == 60_000


def test_six_requests_in_flight_disable_idempotence_before_java_4_only() -> None:
    stated: dict[Component, dict[str, Value]] = {P: {"max.in.flight.requests.per.connection": 6}}
    assert _in_force(stated, P, "enable.idempotence", version="3.9") is False
    assert _in_force(stated, P, "enable.idempotence", version="4.0") is True
    assert _in_force(stated, P, "enable.idempotence", Family.SPARK) is False


def test_an_alias_names_the_same_setting() -> None:
    stated: dict[Component, dict[str, Value]] = {P: {"delivery.timeout.ms": 9}}
    assert _in_force(stated, P, "message.timeout.ms", Family.LIBRDKAFKA) == 9


_HEAD = 'families = ["java"]\ncomponent = "producer"\nline = "client"\n'
_GOOD = '[[setting]]\nname = "x"\nkind = "int"\nmeaning = "m."\nsource = "s"\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("families = [", "broken.toml: "),
        (_HEAD, "broken.toml: 'setting'"),
        (_HEAD + _GOOD.replace('source = "s"', ""), "broken.toml: x: missing or unknown: source"),
        (_HEAD + _GOOD + 'colour = "red"', "broken.toml: x: missing or unknown: colour"),
        (_HEAD + _GOOD.replace('"int"', '"float"'), "broken.toml: x: 'float'"),
        (_HEAD + _GOOD + 'default = "many"', "broken.toml: x: the default 'many'"),
        (_HEAD + _GOOD + "minimum = 5\ndefault = 4", "broken.toml: x: the default 4"),
        (_HEAD + _GOOD + 'default = [{since = "new", value = 1}]', "since 'new' is not a line"),
        (_HEAD.replace("java", "erlang") + _GOOD, "broken.toml: x: 'erlang'"),
        (_HEAD.replace('"client"', '"moon"') + _GOOD, "broken.toml: x: 'moon'"),
    ],
)
def test_a_malformed_data_file_is_named_with_its_key(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "broken.toml"
    file.write_text(text)
    with pytest.raises(CatalogError) as raised:
        read(file)
    assert words in str(raised.value)


def test_the_data_files_are_read_once() -> None:
    assert entries() is entries()
