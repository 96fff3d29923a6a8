"""Names of a brokers' setting of which one takes precedence, in options and in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import C, assert_answer, assert_file

COMBINED = "process.roles=broker,controller\nnode.id=1\n"
OUTAGE = "application.outage.ms=7200000"
MEMORY = "log.dirs=/dev/shm/kafka\n"
FILES = [
    # KafkaConfig.logRetentionTimeMillis reads hours only without ms and minutes
    ("log.retention.ms=3600000\n", f"broker.log.retention.hours=168 {OUTAGE}", 1,
     "broker.log.retention.hours has no effect: log.retention.ms of [^ ]*:3 takes precedence"),
    ("log.retention.minutes=60\n", f"broker.log.retention.hours=168 {OUTAGE}", 1, "minutes of"),
    ("log.retention.hours=1\n", f"broker.log.retention.minutes=10080 {OUTAGE}", 0, "YES"),
    ("log.retention.ms=3600000\n", f"broker.log.retention.ms=604800000 {OUTAGE}", 0, "YES"),
    ("log.retention.ms=3600000\n", "broker.log.retention.hours=x", 2, "must be a whole number"),
    # ConfigDef: minutes and hours are of the type INT
    ("log.retention.hours=2147483648\n", "", 2, "hours must be from -2147483648 to 2147483647"),
    ("log.retention.minutes=-2147483649\n", "", 2, "log.retention.minutes must be from"),
    ("log.retention.hours=2147483647\n", "", 0, "YES"),
    ("log.retention.ms=604800000\nlog.retention.hours=2147483648\n", "", 2, "must be from"),
    # the folder of an option replaces that of the file
    (MEMORY, "", 1, "log.dirs is in memory"),
    (MEMORY, "broker.log.dirs=/data", 0, "YES(?!.*in memory)"),
    ("log.dir=/dev/shm/kafka\n", "broker.log.dirs=/data", 0, "YES(?!.*in memory)"),
    (MEMORY, "broker.log.dirs=/data application.disk.lost=returns-empty", 1, "^NO"),
    ("log.dirs=/data\n", "broker.log.dirs=/dev/shm/kafka", 1, "log.dirs is in memory"),
    # log.dir has no effect if the file has log.dirs
    ("log.dirs=/data\n", "broker.log.dir=/dev/shm/kafka", 0,
     "YES.*broker.log.dir has no effect: log.dirs of [^ ]*:3 takes precedence"),
    (MEMORY, "broker.log.dir=/data", 1, "log.dirs is in memory"),
    ("log.dir=/dev/shm/kafka\n", "broker.log.dir=/data", 0, "YES(?!.*in memory)"),
    ("log.dir=/data\n", "broker.log.dir=/dev/shm/kafka", 1, "log.dirs? is in memory"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "settings", "code", "expected"), FILES)
def test_an_option_has_the_precedence_that_its_name_has_for_brokers(
    tmp_path: Path, lines: str, settings: str, code: int, expected: str
) -> None:
    file = tmp_path / "server.properties"
    assert_file(file, COMBINED + lines, "--kafka 3.9 --broker", f"{C} {settings}", code, expected)


OPTIONS = [
    # ServerLogConfigs: log.dir is read only without log.dirs
    ("broker.log.dirs=/data broker.log.dir=/dev/shm/kafka", 0, "log.dir has no effect: log.dirs"),
    ("broker.log.dir=/dev/shm/kafka broker.log.dirs=/data", 0, "YES(?!.*in memory)"),
    ("broker.log.dir=/dev/shm/kafka", 1, "is in memory: after a restart"),
    ("broker.log.retention.minutes=2147483648", 2, "log.retention.minutes must be from"),
    ("broker.log.retention.ms=604800000 broker.log.retention.hours=x", 2, "must be a whole number"),
]  # fmt: skip


@pytest.mark.parametrize(("settings", "code", "expected"), OPTIONS)
def test_options_have_the_precedence_that_their_names_have_for_brokers(
    settings: str, code: int, expected: str
) -> None:
    assert_answer("--kafka 3.9", f"{C} {settings}", code, expected)
