"""Defaults of the whole cluster that a script sets with `kafka-configs.sh --entity-default`.

Expected from KIP-226, KIP-966 and apache/kafka#16866: they apply to each topic without a value of
its own, whatever the brokers' files state, also with eligible leader replicas.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, assert_files, given

CREATE = "kafka-topics.sh --bootstrap-server a --create --topic t --replication-factor 3%s\n"
SET = "kafka-configs.sh --bootstrap-server a --alter --entity-type brokers --entity-default "
SET += "--add-config %s\n"
MINIMUM, UNCLEAN = "min.insync.replicas=%d", "unclean.leader.election.enable=true"
HERE = " --config min.insync.replicas=%d"
SERVER = "process.roles=broker,controller\nnode.id=1\nlog.dirs=/data\n"
SERVER += "controller.quorum.voters=1@a:9093,2@b:9093,3@c:9093\nmin.insync.replicas=%d\n"
LOW, TWO = "topic.min.insync.replicas: 1 -> 2", SET % MINIMUM % 2
EXACTLY = COPIES.replace("earliest", "none").replace("after-processing", "in-transaction")
EXACTLY += " consumer.isolation.level=read_committed producer.transactional.id=a"


@pytest.mark.parametrize(("files", "code", "expected"), [
    ({"c.sh": CREATE % "" + TWO}, 0, "^YES.*counts for __consumer_offsets, too"),
    ({"c.sh": TWO + CREATE % (HERE % 1)}, 1, LOW),
    ({"c.sh": SET % MINIMUM % 1 + CREATE % (HERE % 2)}, 0, "^YES"),
    ({"c.sh": CREATE % (HERE % 2) + SET % UNCLEAN}, 1, "election.enable: true -> false"),
    ({"s.properties": SERVER % 1, "c.sh": CREATE % "" + TWO}, 0, "^YES"),
    ({"c.sh": CREATE % "" + SET % MINIMUM % 1, "s.properties": SERVER % 2}, 1, LOW),
])  # fmt: skip
def test_a_default_of_the_cluster_counts(
    tmp_path: Path, files: dict[str, str], code: int, expected: str
):
    assert_files(tmp_path, files, COPIES, code, expected)


def test_no_finding_says_that_only_files_state_it(tmp_path: Path):
    path = tmp_path / "c.sh"
    path.write_text(CREATE % "" + TWO)
    code, text = given(str(path), COPIES)
    assert code == 0
    assert "B001" not in text


def test_it_also_counts_for_committed_offsets(tmp_path: Path):
    path = tmp_path / "c.sh"
    path.write_text(CREATE % "" + TWO)
    code, text = given(f"--want exactly-once {path}", EXACTLY)
    assert code == 0, text
