"""Racks that brokers' own settings name (`broker.rack`), as they are read from a live cluster.

Expected from KIP-36: with 2 racks, one of them holds 2 of 3 copies, and a cluster with all brokers
in one rack is lost with it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, TOPIC, assert_answer, write_files

SETTINGS = f"{COPIES} {TOPIC}"
VOTERS = "controller.quorum.voters=11@a:9093,12@b:9093,13@c:9093\n"
SERVER = "process.roles=broker\nnode.id=%d\nlog.dirs=/data\n" + VOTERS
SERVICE = """  k%d:
    image: apache/kafka:4.1.0
    environment:
      KAFKA_NODE_ID: %d
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_LOG_DIRS: /data
      KAFKA_BROKER_RACK: %s
    volumes: ['d%d:/data']
"""
TWO_RACKS, ONE_RACK = "1 of 2 racks lost for good", "application.racks=1"


def servers(*racks: str) -> dict[str, str]:
    return {
        f"b{number}.properties": SERVER % number + (f"broker.rack={rack}\n" if rack else "")
        for number, rack in enumerate(racks, start=1)
    }


def services(*racks: str) -> dict[str, str]:
    rows = (SERVICE % (at, at, rack, at) for at, rack in enumerate(racks, start=1))
    return {"compose.yml": f"services:\n{''.join(rows)}"}


@pytest.mark.parametrize(("files", "options", "settings", "code", "expected"), [
    (servers("a", "a", "b"), "", "", 1, TWO_RACKS),
    (servers("a", "a", "a"), "", "", 1, ONE_RACK),
    (servers("a", "b", "c"), "", "", 0, "^YES"),
    (servers("a", "b", ""), "", "", 0, "^YES"),
    (servers("a", "a"), "", "", 0, "broker.rack names the rack.*state it as application.racks"),
    (servers("a", "b", "b"), "--brokers 4", "", 0, "^YES"),
    (servers("${ZONE}", "a", "a"), "", "", 0, "^YES"),
    (servers("a", "a", "b"), "", "application.racks=3", 0, "^YES"),
    (services("a", "a", "b"), "", "", 1, TWO_RACKS),
    (services("a", "b", "c"), "", "", 0, "^YES"),
])  # fmt: skip
def test_the_racks_of_all_brokers_are_counted(
    tmp_path: Path, files: dict[str, str], options: str, settings: str, code: int, expected: str
):
    write_files(tmp_path, files)
    paths = " ".join(str(tmp_path / name) for name in files)
    assert_answer(f"{options} {paths}", f"{SETTINGS} {settings}", code, expected)
