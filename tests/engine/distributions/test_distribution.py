"""Downloading and verifying jars. Only one test uses the network, and it says so."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import threading
from pathlib import Path
from urllib.error import URLError

import pytest

from advisor import catalog
from labs.engine.base.cache import cache_dir
from labs.engine.distributions import distribution, download
from labs.engine.distributions.distribution import UnknownVersion, WrongChecksum, parse_lock
from labs.engine.distributions.spark_java import pyspark_jars

SMALL = "org.slf4j:slf4j-api:1.7.36"


@pytest.fixture
def mirrored_jar(tmp_path, monkeypatch) -> Path:
    """The only jar of a Maven repository in a folder, which is configured as a mirror."""
    repository: Path = tmp_path / "shelf"
    home = repository / "org/example/hello/1.0"
    home.mkdir(parents=True)
    jar = home / "hello-1.0.jar"
    jar.write_bytes(b"the jar that was recorded")
    monkeypatch.setenv("LAB_MAVEN_REPOSITORY", repository.as_uri())
    monkeypatch.setenv("LAB_CACHE_DIR", str(tmp_path / "cache"))
    locks = tmp_path / "locks"
    locks.mkdir()
    monkeypatch.setattr(distribution, "LOCKS", locks)
    write_lock(jar)
    return jar


def write_lock(jar: Path) -> None:
    """Writes a lock with the checksum that the jar has now."""
    digest = hashlib.sha256(jar.read_bytes()).hexdigest()
    (distribution.LOCKS / "small.txt").write_text(f"org.example:hello:1.0 {digest}\n")


def test_a_jar_is_downloaded_once_and_then_only_verified(mirrored_jar):
    messages: list[str] = []
    (jar,) = distribution.install("small", messages.append)
    assert jar == cache_dir() / "jars" / "small" / "hello-1.0.jar"
    assert jar.read_bytes() == b"the jar that was recorded"
    lines = [
        "downloading hello-1.0.jar (1 of 1)",
        "1 jars of small, 0 MB, are those that were recorded",
    ]
    assert messages == lines
    mirrored_jar.unlink()
    assert distribution.install("small", messages.append) == (jar,)
    assert messages == lines


def test_a_jar_of_another_lock_is_copied_unless_it_is_damaged(mirrored_jar):
    (first,) = distribution.install("small")
    for name in ("same", "again"):
        text = (distribution.LOCKS / "small.txt").read_text()
        (distribution.LOCKS / f"{name}.txt").write_text(text)
    content = mirrored_jar.read_bytes()
    mirrored_jar.unlink()
    (copied,) = distribution.install("same")
    assert copied.read_bytes() == content
    first.write_bytes(b"damaged since")
    copied.write_bytes(b"damaged, too")
    with pytest.raises(download.DownloadFailed):
        distribution.install("again")


def test_a_tampered_jar_is_refused_with_both_checksums_and_nothing_is_installed(mirrored_jar):
    mirrored_jar.write_bytes(b"the jar that somebody changed")
    with pytest.raises(WrongChecksum) as refused:
        distribution.install("small")
    message = str(refused.value)
    assert "hello-1.0.jar" in message
    (locked,) = parse_lock((distribution.LOCKS / "small.txt").read_text())
    assert locked.sha256 in message
    assert hashlib.sha256(mirrored_jar.read_bytes()).hexdigest() in message
    assert "LAB_MAVEN_REPOSITORY" in message
    assert not (cache_dir() / "jars" / "small").exists()
    assert [path.name for path in (cache_dir() / "jars").iterdir()] == [".small.lock"]


def test_a_release_that_is_too_large_is_refused_and_not_kept(mirrored_jar, monkeypatch):
    mirrored_jar.write_bytes(bytes(3 * download.MEGABYTE))
    write_lock(mirrored_jar)
    monkeypatch.setattr(download, "MOST_MB", 2)
    with pytest.raises(download.DownloadFailed, match=r"small have 3 MB, and .* 2 MB"):
        distribution.install("small")
    assert distribution.installed() == ()
    monkeypatch.setattr(download, "MOST_MB", 3)
    assert distribution.install("small")


def test_jars_are_downloaded_again_if_truncated_missing_or_locked_anew(mirrored_jar):
    (jar,) = distribution.install("small")
    jar.write_bytes(b"torn")
    assert distribution.install("small")[0].read_bytes() == b"the jar that was recorded"
    jar.unlink()
    assert distribution.install("small")[0].read_bytes() == b"the jar that was recorded"
    mirrored_jar.write_bytes(b"the jar of a newer lock..")
    write_lock(mirrored_jar)
    assert distribution.install("small")[0].read_bytes() == b"the jar of a newer lock.."


def flip(jar: Path, *, keep_times: bool = False) -> None:
    """Flips one bit, and restores the file's times if `keep_times`; the size does not change."""
    before = jar.stat()
    content = bytearray(jar.read_bytes())
    content[5] ^= 1
    jar.write_bytes(content)
    if keep_times:
        os.utime(jar, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("keep_times", [False, True])
def test_a_jar_with_a_flipped_bit_is_detected_and_downloaded_again(mirrored_jar, keep_times):
    (jar,) = distribution.install("small")
    flip(jar, keep_times=keep_times)
    messages: list[str] = []
    assert distribution.changed("small") == ["hello-1.0.jar"]
    assert (
        distribution.install("small", messages.append)[0].read_bytes() == mirrored_jar.read_bytes()
    )
    assert messages[0] == "small: not the jars that were recorded, fetching them again"
    assert distribution.changed("small", full=True) == []


def test_a_change_without_new_times_is_detected_by_hashing_and_downloaded_again(
    mirrored_jar, monkeypatch
):
    """As on a failing disk: the content changes, and the metadata of the file does not."""
    (jar,) = distribution.install("small")
    before = distribution.snapshot(jar)
    flip(jar)
    monkeypatch.setattr(distribution, "snapshot", lambda _: before)
    assert distribution.changed("small") == []
    assert distribution.changed("small", full=True) == ["hello-1.0.jar"]
    assert distribution.install("small")[0].read_bytes() == mirrored_jar.read_bytes()


def test_a_jar_that_was_touched_or_verified_by_an_older_release_is_kept(mirrored_jar):
    (jar,) = distribution.install("small")
    mirrored_jar.unlink()
    jar.touch()
    assert distribution.install("small") == (jar,)
    (jar.parent / "verified.json").write_text('{"lock": "of old", "sizes": {"hello-1.0.jar": 25}}')
    assert distribution.install("small") == (jar,)
    assert distribution.changed("small") == []


def test_a_changed_jar_that_cannot_be_downloaded_again_is_not_installed(mirrored_jar):
    (jar,) = distribution.install("small")
    mirrored_jar.unlink()
    flip(jar)
    for _ in range(2):
        with pytest.raises(download.DownloadFailed):
            distribution.install("small")
    assert distribution.changed("small") == ["hello-1.0.jar"]


def test_concurrent_installs_download_once(mirrored_jar):
    messages: list[str] = []
    threads = [
        threading.Thread(target=distribution.install, args=("small", messages.append))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert messages == [
        "downloading hello-1.0.jar (1 of 1)",
        "1 jars of small, 0 MB, are those that were recorded",
    ]


LARGEST_KB: dict[str, int] = json.loads(
    (Path(__file__).parent / "artifact_kilobytes.json").read_text("utf-8")
)
"""By group and artifact, the size of its largest jar in any downloaded release, in thousands of
bytes, rounded up. A lock has no sizes; downloads are limited by `download.MOST_MB`."""


@pytest.mark.parametrize("lock", sorted(path.stem for path in distribution.LOCKS.glob("*.txt")))
def test_a_release_has_150_megabytes_at_most(lock: str):
    """Holds for all locks, downloaded or not: each jar counts as the largest of its artifact."""
    jars = parse_lock((distribution.LOCKS / f"{lock}.txt").read_text())
    assert sum(LARGEST_KB[f"{jar.group}:{jar.artifact}"] for jar in jars) <= 150_000


def test_no_installed_jar_is_larger_than_the_recorded_size_of_its_artifact():
    for name in distribution.installed():
        for jar in parse_lock((distribution.LOCKS / f"{name}.txt").read_text()):
            file = cache_dir() / "jars" / name / jar.file
            limit = LARGEST_KB[f"{jar.group}:{jar.artifact}"] * 1000
            assert not file.exists() or file.stat().st_size <= limit, file.name


def test_a_download_frees_cache_space_and_reports_what_it_deleted(mirrored_jar, monkeypatch):
    old = cache_dir() / "jars" / "past-2.4.0"
    old.mkdir(parents=True)
    (old / "a-1.0.jar").write_bytes(bytes(2_000_000))
    monkeypatch.setenv("LAB_CACHE_LIMIT_MB", "1")
    messages: list[str] = []
    (jar,) = distribution.install("small", messages.append)
    assert jar.exists(), "what was just fetched stays"
    assert not old.exists()
    assert messages[-1].startswith("past-2.4.0 was deleted from the cache (2 MB")


def test_a_jar_missing_from_the_repository_is_an_error_with_its_name_and_a_remedy(mirrored_jar):
    mirrored_jar.unlink()
    with pytest.raises(download.DownloadFailed, match="repository does not have them") as failed:
        distribution.install("small")
    assert "org.example:hello:1.0" in str(failed.value)
    assert "HTTPS_PROXY" in str(failed.value)
    assert "LAB_IVY_SETTINGS" not in str(failed.value)


def test_an_error_says_that_ivy_settings_are_no_longer_used(mirrored_jar, monkeypatch):
    monkeypatch.setenv("LAB_IVY_SETTINGS", "mirror.xml")
    assert distribution.install("small"), "it is no obstacle where nothing fails"
    monkeypatch.delenv("LAB_MAVEN_REPOSITORY")
    monkeypatch.setattr(download, "urlopen", refuse)
    (distribution.LOCKS / "other.txt").write_text(f"{SMALL} {'0' * 64}\n")
    with pytest.raises(download.DownloadFailed, match="LAB_IVY_SETTINGS is set, but is no longer"):
        distribution.install("other")


def refuse(*_: object, **__: object) -> None:
    """Fails like `urlopen` on a machine without a network."""
    raise URLError(socket.gaierror(-2, "Name or service not known"))


@pytest.mark.parametrize("address", [
    "repo.example", "ftp://repo.example/maven2", "https://", "http://repo.example:port/maven2",
    "http://[::1/maven2", "../shelf",
])  # fmt: skip
def test_an_invalid_repository_address_is_refused_with_the_name_of_the_variable(
    mirrored_jar, monkeypatch, address: str
):
    monkeypatch.setenv("LAB_MAVEN_REPOSITORY", address)
    with pytest.raises(download.DownloadFailed, match="LAB_MAVEN_REPOSITORY is not the address"):
        distribution.install("small")


def test_a_version_without_a_lock_is_refused_and_the_available_ones_are_listed():
    assert distribution.kafka_versions()[0] == "4.3.1"
    with pytest.raises(UnknownVersion, match=r"'9\.9\.9'.*4\.3\.1"):
        distribution.kafka("9.9.9")
    with pytest.raises(UnknownVersion):
        distribution.kafka("../../etc/passwd")


def test_every_kafka_line_in_the_catalog_with_kraft_has_a_release_to_run():
    runs = [
        distribution.brokers_to_run(line, zookeeper=False, staged=False)
        for line in catalog.kafka_versions()
    ]
    releases = [run.release for run in runs if run.instead_of is None]
    assert releases == [*distribution.kafka_versions()]
    assert distribution.release("3.9.1") == "3.9.2"
    assert distribution.earlier_releases("3.9.2") == ("3.9.0", "3.9.1")
    assert not {*distribution.patch_releases()} & {*distribution.all_versions()}
    for unknown in ("2.8", "3.0.2", "4", "", "3.9/../.."):
        with pytest.raises(UnknownVersion):
            distribution.release(unknown)


@pytest.mark.parametrize("line", catalog.kafka_versions())
def test_brokers_run_with_zookeeper_only_where_the_scenario_is_staged_with_it(line: str):
    has_zookeeper = line.startswith(("2.", "3."))
    run = distribution.brokers_to_run(line, zookeeper=has_zookeeper, staged=True)
    assert (run.zookeeper, run.instead_of) == (has_zookeeper, None)
    assert run.release.startswith(f"{line}.")
    substitute = distribution.brokers_to_run(line, zookeeper=has_zookeeper, staged=False)
    assert not substitute.zookeeper
    assert substitute.instead_of == (f"{line} with ZooKeeper" if has_zookeeper else None)
    assert substitute.release in distribution.kafka_versions()


def test_releases_that_run_only_with_zookeeper_have_locks_of_their_own():
    zookeeper_only = set(distribution.zookeeper_versions()) - set(distribution.kafka_versions())
    assert zookeeper_only == {"2.8.2", "3.0.2", "3.1.2", "3.2.3"}
    for version in zookeeper_only:
        locked = parse_lock((distribution.LOCKS / f"zookeeper-{version}.txt").read_text())
        assert "zookeeper" in {jar.artifact for jar in locked}


def test_a_malformed_line_in_a_lock_is_an_error():
    good = f"{SMALL} {'0' * 64}"
    (locked,) = parse_lock(f"# why\n\n{good}\n")
    assert locked.file == "slf4j-api-1.7.36.jar"
    for bad in (SMALL, f"{SMALL} 123", f"../x:y:1 {'0' * 64}", f"{good} more"):
        with pytest.raises(ValueError, match="not a line of a lock"):
            parse_lock(bad)


def test_each_lock_names_every_jar_once():
    for path in distribution.LOCKS.glob("*.txt"):
        locked = parse_lock(path.read_text())
        assert len({jar.file for jar in locked}) == len(locked), path
        assert len({(jar.group, jar.artifact) for jar in locked}) == len(locked), path


def test_the_connectors_lock_names_no_jar_that_pyspark_has():
    """The four jars in the connector's lock are exactly those that pyspark does not include."""
    locked = parse_lock(
        (distribution.LOCKS / f"spark-connector-{distribution.SPARK}.txt").read_text()
    )
    names = {path.name for path in pyspark_jars().glob("*.jar")}
    assert {jar.file for jar in locked}.isdisjoint(names)
    assert any(name.startswith(f"spark-sql_2.13-{distribution.SPARK}") for name in names)


@pytest.mark.thorough  # uses the network
def test_the_public_repository_serves_a_locked_jar(tmp_path, monkeypatch):
    """The only test here that uses the network: with the real repository and checksum."""
    monkeypatch.delenv("LAB_MAVEN_REPOSITORY", raising=False)
    locked = parse_lock((distribution.LOCKS / "kafka-4.3.1.txt").read_text())
    (slf4j,) = (jar for jar in locked if jar.artifact == "slf4j-api")
    download.fetch([(slf4j.group, slf4j.artifact, slf4j.version)], tmp_path)
    distribution.verify((slf4j,), tmp_path)
