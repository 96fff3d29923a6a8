"""What is downloaded, and what of it is let in. Needs the repository only where it says so."""

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
def shelf(tmp_path, monkeypatch) -> Path:
    """A Maven repository in a folder, named as an operator would name a mirror."""
    root: Path = tmp_path / "shelf"
    home = root / "org/example/hello/1.0"
    home.mkdir(parents=True)
    jar = home / "hello-1.0.jar"
    jar.write_bytes(b"the jar that was recorded")
    monkeypatch.setenv("LAB_MAVEN_REPOSITORY", root.as_uri())
    monkeypatch.setenv("LAB_CACHE_DIR", str(tmp_path / "cache"))
    locks = tmp_path / "locks"
    locks.mkdir()
    monkeypatch.setattr(distribution, "LOCKS", locks)
    record(jar)
    return jar


def record(jar: Path) -> None:
    """Locks the jar as it is now."""
    digest = hashlib.sha256(jar.read_bytes()).hexdigest()
    (distribution.LOCKS / "small.txt").write_text(f"org.example:hello:1.0 {digest}\n")


def test_a_jar_is_fetched_once_and_then_only_looked_at(shelf):
    heard: list[str] = []
    (jar,) = distribution.install("small", heard.append)
    assert jar == cache_dir() / "jars" / "small" / "hello-1.0.jar"
    assert jar.read_bytes() == b"the jar that was recorded"
    lines = [
        "downloading hello-1.0.jar (1 of 1)",
        "1 jars of small, 0 MB, are those that were recorded",
    ]
    assert heard == lines
    shelf.unlink()
    assert distribution.install("small", heard.append) == (jar,)
    assert heard == lines


def test_a_jar_that_another_lock_has_brought_is_copied_and_a_damaged_one_is_not(shelf):
    (first,) = distribution.install("small")
    for name in ("same", "again"):
        text = (distribution.LOCKS / "small.txt").read_text()
        (distribution.LOCKS / f"{name}.txt").write_text(text)
    kept = shelf.read_bytes()
    shelf.unlink()
    (copied,) = distribution.install("same")
    assert copied.read_bytes() == kept
    first.write_bytes(b"damaged since")
    copied.write_bytes(b"damaged, too")
    with pytest.raises(download.DownloadFailed):
        distribution.install("again")


def test_a_tampered_jar_is_refused_by_name_with_both_sums_and_nothing_is_installed(shelf):
    shelf.write_bytes(b"the jar that somebody changed")
    with pytest.raises(WrongChecksum) as refused:
        distribution.install("small")
    message = str(refused.value)
    assert "hello-1.0.jar" in message
    (locked,) = parse_lock((distribution.LOCKS / "small.txt").read_text())
    assert locked.sha256 in message
    assert hashlib.sha256(shelf.read_bytes()).hexdigest() in message
    assert "LAB_MAVEN_REPOSITORY" in message
    assert not (cache_dir() / "jars" / "small").exists()
    assert [path.name for path in (cache_dir() / "jars").iterdir()] == [".small.lock"]


def test_a_release_that_is_too_large_is_refused_with_its_size_and_not_kept(shelf, monkeypatch):
    shelf.write_bytes(bytes(3 * download.MEGABYTE))
    record(shelf)
    monkeypatch.setattr(download, "MOST_MB", 2)
    with pytest.raises(download.DownloadFailed, match=r"small have 3 MB, and .* 2 MB"):
        distribution.install("small")
    assert distribution.installed() == ()
    monkeypatch.setattr(download, "MOST_MB", 3)
    assert distribution.install("small")


def test_a_jar_that_shrank_or_went_missing_or_a_new_lock_is_fetched_again(shelf):
    (jar,) = distribution.install("small")
    jar.write_bytes(b"torn")
    assert distribution.install("small")[0].read_bytes() == b"the jar that was recorded"
    jar.unlink()
    assert distribution.install("small")[0].read_bytes() == b"the jar that was recorded"
    shelf.write_bytes(b"the jar of a newer lock..")
    record(shelf)
    assert distribution.install("small")[0].read_bytes() == b"the jar of a newer lock.."


def flip(jar: Path, *, keep_times: bool = False) -> None:
    """Changes one bit; the size stays, and the times if they are set back."""
    before = jar.stat()
    content = bytearray(jar.read_bytes())
    content[5] ^= 1
    jar.write_bytes(content)
    if keep_times:
        os.utime(jar, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("keep_times", [False, True])
def test_a_jar_with_a_flipped_bit_is_found_and_fetched_again(shelf, keep_times):
    (jar,) = distribution.install("small")
    flip(jar, keep_times=keep_times)
    heard: list[str] = []
    assert distribution.changed("small") == ["hello-1.0.jar"]
    assert distribution.install("small", heard.append)[0].read_bytes() == shelf.read_bytes()
    assert heard[0] == "small: not the jars that were recorded, fetching them again"
    assert distribution.changed("small", full=True) == []


def test_what_the_times_do_not_show_is_found_by_hashing_all_and_then_fetched_again(
    shelf, monkeypatch
):
    """As a disk that rots: not even the kernel knows that the file is another."""
    (jar,) = distribution.install("small")
    looks = distribution.snapshot(jar)
    flip(jar)
    monkeypatch.setattr(distribution, "snapshot", lambda _: looks)
    assert distribution.changed("small") == []
    assert distribution.changed("small", full=True) == ["hello-1.0.jar"]
    assert distribution.install("small")[0].read_bytes() == shelf.read_bytes()


def test_a_jar_that_was_only_touched_or_recorded_by_an_older_release_stays(shelf):
    (jar,) = distribution.install("small")
    shelf.unlink()
    jar.touch()
    assert distribution.install("small") == (jar,)
    (jar.parent / "verified.json").write_text('{"lock": "of old", "sizes": {"hello-1.0.jar": 25}}')
    assert distribution.install("small") == (jar,)
    assert distribution.changed("small") == []


def test_a_changed_jar_that_cannot_be_fetched_again_is_not_given_to_anybody(shelf):
    (jar,) = distribution.install("small")
    shelf.unlink()
    flip(jar)
    for _ in range(2):
        with pytest.raises(download.DownloadFailed):
            distribution.install("small")
    assert distribution.changed("small") == ["hello-1.0.jar"]


def test_two_at_once_fetch_once(shelf):
    heard: list[str] = []
    threads = [
        threading.Thread(target=distribution.install, args=("small", heard.append))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == [
        "downloading hello-1.0.jar (1 of 1)",
        "1 jars of small, 0 MB, are those that were recorded",
    ]


LARGEST_KB: dict[str, int] = json.loads(
    (Path(__file__).parent / "artifact_kilobytes.json").read_text("utf-8")
)
"""By group and artifact, the largest of its jars in any release that was fetched, as thousands of
bytes, rounded up. A lock has no sizes; what is fetched is weighed then (`download.MOST_MB`)."""


@pytest.mark.parametrize("lock", sorted(path.stem for path in distribution.LOCKS.glob("*.txt")))
def test_a_release_has_150_megabytes_at_most(lock: str):
    """Of all locks, fetched or not: each jar as large as the largest of its kind."""
    jars = parse_lock((distribution.LOCKS / f"{lock}.txt").read_text())
    assert sum(LARGEST_KB[f"{jar.group}:{jar.artifact}"] for jar in jars) <= 150_000


def test_no_jar_that_is_here_is_larger_than_the_largest_of_its_kind():
    for name in distribution.installed():
        for jar in parse_lock((distribution.LOCKS / f"{name}.txt").read_text()):
            file = cache_dir() / "jars" / name / jar.file
            most = LARGEST_KB[f"{jar.group}:{jar.artifact}"] * 1000
            assert not file.exists() or file.stat().st_size <= most, file.name


def test_a_download_makes_room_and_says_what_it_deleted(shelf, monkeypatch):
    old = cache_dir() / "jars" / "past-2.4.0"
    old.mkdir(parents=True)
    (old / "a-1.0.jar").write_bytes(bytes(2_000_000))
    monkeypatch.setenv("LAB_CACHE_LIMIT_MB", "1")
    heard: list[str] = []
    (jar,) = distribution.install("small", heard.append)
    assert jar.exists(), "what was just fetched stays"
    assert not old.exists()
    assert heard[-1].startswith("past-2.4.0 was deleted from the cache (2 MB")


def test_a_jar_that_is_not_there_is_an_error_that_names_it_and_says_what_to_do(shelf):
    shelf.unlink()
    with pytest.raises(download.DownloadFailed, match="repository does not have them") as failed:
        distribution.install("small")
    assert "org.example:hello:1.0" in str(failed.value)
    assert "HTTPS_PROXY" in str(failed.value)
    assert "LAB_IVY_SETTINGS" not in str(failed.value)


def test_who_named_a_mirror_to_ivy_is_told_that_downloads_no_longer_read_it(shelf, monkeypatch):
    monkeypatch.setenv("LAB_IVY_SETTINGS", "mirror.xml")
    assert distribution.install("small"), "it is no obstacle where nothing fails"
    monkeypatch.delenv("LAB_MAVEN_REPOSITORY")
    monkeypatch.setattr(download, "urlopen", refuse)
    (distribution.LOCKS / "other.txt").write_text(f"{SMALL} {'0' * 64}\n")
    with pytest.raises(download.DownloadFailed, match="LAB_IVY_SETTINGS is set, but is no longer"):
        distribution.install("other")


def refuse(*_: object, **__: object) -> None:
    """As `urlopen` of a machine without a network."""
    raise URLError(socket.gaierror(-2, "Name or service not known"))


@pytest.mark.parametrize("address", [
    "repo.example", "ftp://repo.example/maven2", "https://", "http://repo.example:port/maven2",
    "http://[::1/maven2", "../shelf",
])  # fmt: skip
def test_what_is_no_address_of_a_repository_is_refused_by_name(shelf, monkeypatch, address: str):
    monkeypatch.setenv("LAB_MAVEN_REPOSITORY", address)
    with pytest.raises(download.DownloadFailed, match="LAB_MAVEN_REPOSITORY is not the address"):
        distribution.install("small")


def test_a_version_without_a_lock_is_refused_with_those_that_have_one():
    assert distribution.kafka_versions()[0] == "4.3.1"
    with pytest.raises(UnknownVersion, match=r"'9\.9\.9'.*4\.3\.1"):
        distribution.kafka("9.9.9")
    with pytest.raises(UnknownVersion):
        distribution.kafka("../../etc/passwd")


def test_every_line_of_kraft_that_a_team_can_describe_has_a_release_that_runs_here():
    runs = [
        distribution.brokers_to_run(line, zookeeper=False, staged=False)
        for line in catalog.kafka_versions()
    ]
    own = [run.release for run in runs if run.instead_of is None]
    assert own == [*distribution.kafka_versions()]
    assert distribution.release("3.9.1") == "3.9.2"
    assert distribution.earlier_releases("3.9.2") == ("3.9.0", "3.9.1")
    assert not {*distribution.patch_releases()} & {*distribution.all_versions()}
    for unknown in ("2.8", "3.0.2", "4", "", "3.9/../.."):
        with pytest.raises(UnknownVersion):
            distribution.release(unknown)


@pytest.mark.parametrize("line", catalog.kafka_versions())
def test_brokers_that_have_zookeeper_run_as_described_where_the_scenario_is_staged_so(line: str):
    may_have_it = line.startswith(("2.", "3."))
    run = distribution.brokers_to_run(line, zookeeper=may_have_it, staged=True)
    assert (run.zookeeper, run.instead_of) == (may_have_it, None)
    assert run.release.startswith(f"{line}.")
    stood_for = distribution.brokers_to_run(line, zookeeper=may_have_it, staged=False)
    assert not stood_for.zookeeper
    assert stood_for.instead_of == (f"{line} with ZooKeeper" if may_have_it else None)
    assert stood_for.release in distribution.kafka_versions()


def test_a_release_that_has_zookeeper_alone_is_locked_and_serves_nothing_else():
    alone = set(distribution.zookeeper_versions()) - set(distribution.kafka_versions())
    assert alone == {"2.8.2", "3.0.2", "3.1.2", "3.2.3"}
    for version in alone:
        locked = parse_lock((distribution.LOCKS / f"zookeeper-{version}.txt").read_text())
        assert "zookeeper" in {jar.artifact for jar in locked}


def test_a_malformed_line_of_a_lock_is_an_error():
    good = f"{SMALL} {'0' * 64}"
    (locked,) = parse_lock(f"# why\n\n{good}\n")
    assert locked.file == "slf4j-api-1.7.36.jar"
    for bad in (SMALL, f"{SMALL} 123", f"../x:y:1 {'0' * 64}", f"{good} more"):
        with pytest.raises(ValueError, match="not a line of a lock"):
            parse_lock(bad)


def test_the_locks_name_every_jar_once():
    for path in distribution.LOCKS.glob("*.txt"):
        locked = parse_lock(path.read_text())
        assert len({jar.file for jar in locked}) == len(locked), path
        assert len({(jar.group, jar.artifact) for jar in locked}) == len(locked), path


def test_spark_brings_the_connectors_other_half():
    """The four jars of the connector's lock are all that pyspark does not hold already."""
    locked = parse_lock(
        (distribution.LOCKS / f"spark-connector-{distribution.SPARK}.txt").read_text()
    )
    names = {path.name for path in pyspark_jars().glob("*.jar")}
    assert {jar.file for jar in locked}.isdisjoint(names)
    assert any(name.startswith(f"spark-sql_2.13-{distribution.SPARK}") for name in names)


@pytest.mark.thorough  # asks the network
def test_the_public_repository_serves_a_locked_jar(tmp_path, monkeypatch):
    """The one test here that needs the network: the real repository, the real checksum."""
    monkeypatch.delenv("LAB_MAVEN_REPOSITORY", raising=False)
    locked = parse_lock((distribution.LOCKS / "kafka-4.3.1.txt").read_text())
    (slf4j,) = (jar for jar in locked if jar.artifact == "slf4j-api")
    download.fetch([(slf4j.group, slf4j.artifact, slf4j.version)], tmp_path)
    distribution.verify((slf4j,), tmp_path)
