"""The data files of the advisories: all are complete, and an invalid one is refused."""

from __future__ import annotations

import pytest
from packaging.version import Version

from advisor.advisories import AdvisoryError, advisories
from advisor.advisories.load import read
from advisor.advisories.model import Part
from advisor.advisories.releases import releases
from advisor.catalog import Family, SettingError
from advisor.catalog.lookups import lookup
from advisor.catalog.versions import kafka_versions, versions

GOOD = {
    "id": '"KAFKA-1"', "title": '"It loses"', "component": '"broker"',
    "affected": '[">=2.4.0,<2.4.1"]', "fixed": '["2.4.1"]', "anomalies": '["lost_write"]',
    "mechanism": '["One.", "Two.", "Three."]', "workaround": '"None."', "sources": '["a ticket"]',
    "checked": '"by its tag"', "confidence": '"both"',
}  # fmt: skip


def write_advisory(folder, **changed):
    """Writes an advisory file with some keys changed; None omits a key."""
    file = folder / "kafka-1.toml"
    keys = {key: value for key, value in (GOOD | changed).items() if value is not None}
    file.write_text("\n".join(f"{key} = {value}" for key, value in keys.items()), "utf-8")
    return file


def test_an_advisory_file_is_read(tmp_path):
    advisory = read(write_advisory(tmp_path))
    assert (advisory.id, advisory.part, str(advisory.affected[0])) == (
        "KAFKA-1", Part.BROKER, ">=2.4.0,<2.4.1",
    )  # fmt: skip
    assert advisory.affects(Version("2.4.0"))
    assert not advisory.affects(Version("2.4.1"))


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"id": '"KAFKA"'}, "id"),
        ({"id": '"KAFKA-2"'}, "id"),
        ({"title": '""'}, "title"),
        ({"component": '"zookeeper"'}, "component"),
        ({"affected": '["2.4"]'}, "affected"),
        ({"affected": '[">=2.4.1,<2.4.0"]'}, "affected"),
        ({"affected": '["<2.4.2"]'}, "fixed"),
        ({"affected": '["<2.3.9"]'}, "affected"),
        ({"fixed": '["2.5.0", "2.4.1"]'}, "fixed"),
        ({"fixed": "[]", "affected": '["<2.4.1"]'}, "affected"),
        ({"anomalies": '["lost"]'}, "anomalies"),
        ({"mechanism": '["One."]'}, "mechanism"),
        ({"mechanism": '["One.", "Two.", "Three"]'}, "mechanism"),
        ({"sources": "[]"}, "sources"),
        ({"confidence": '"hearsay"'}, "confidence"),
        ({"features": '["wishes"]'}, "features"),
        ({"settings": '{ "producer.acks" = "1" }'}, "settings"),
        ({"settings": '{ "maker.acks" = ["1"] }'}, "settings"),
        ({"checked": None}, "checked"),
        ({"found_by": '"somebody"'}, "found_by"),
        ({"title": "It loses"}, "line 2"),
    ],
)
def test_an_invalid_file_is_refused_with_its_name_and_key(tmp_path, changed, key):
    with pytest.raises(AdvisoryError, match=rf"^kafka-1\.toml: .*{key}"):
        read(write_advisory(tmp_path, **changed))


def test_every_advisory_affects_releases_that_exist():
    for advisory in advisories():
        versions = releases(advisory.product)
        assert any(advisory.affects(version) for version in versions), advisory.id
        assert set(advisory.fixed) <= set(versions), advisory.id
        for item in advisory.affected:
            assert item.since is None or item.since in versions, advisory.id


def test_every_required_setting_is_in_the_catalog():
    for advisory in advisories():
        for need in advisory.settings:
            assert any(
                _exists(family, line, kafka, need)
                for family in Family
                for line in versions(family)
                for kafka in (kafka_versions()[0], kafka_versions()[-1])
            ), f"{advisory.id}: {need}"


def _exists(family, line, kafka, need):
    try:
        lookup(family, line, kafka, need.component, need.setting, every=True)
    except SettingError:
        return False
    return True


def test_every_advisory_has_a_public_source():
    for advisory in advisories():
        assert all(" " not in source for source in advisory.sources if "://" in source), advisory.id
        assert any(source.startswith("https://") for source in advisory.sources), advisory.id
