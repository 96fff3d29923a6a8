"""Reading the telemetry of a run as a replay: its samples as recorded, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs.engine.record import replay
from labs.engine.record.replay import Moment, Replay
from tests.engine import histories


@pytest.fixture
def run_replay(tmp_path: Path) -> Replay:
    histories.telemetry(tmp_path)
    result = replay.read(tmp_path, histories.BEGAN)
    assert result is not None
    return result


def moment_before(run_replay: Replay, second: float) -> Moment:
    moment = run_replay.before(second)
    assert moment is not None
    return moment


def test_samples_before_the_sends_and_of_the_unchanged_end_are_left_out(run_replay: Replay) -> None:
    assert [moment.at_s for moment in run_replay.moments] == [0, 1, 2, 3, 4]


def test_a_moment_combines_the_rows_of_all_replicas(run_replay: Replay) -> None:
    moment = moment_before(run_replay, 1)
    assert (moment.leader, moment.epoch, moment.isr) == (1, 0, (1, 2, 3))
    assert moment.ends == {1: 10, 2: 6, 3: 6}
    assert moment.high_watermark == 6
    assert run_replay.brokers == (1, 2, 3)


def test_a_dead_leader_is_not_a_live_leader(run_replay: Replay) -> None:
    assert moment_before(run_replay, 2).leader == 1
    assert moment_before(run_replay, 2).live_leader is None
    assert moment_before(run_replay, 3).live_leader == 2


def test_between_two_samples_the_earlier_one_applies(run_replay: Replay) -> None:
    assert moment_before(run_replay, 1.99).at_s == 1
    assert run_replay.before(-1) is None
    after = run_replay.after(1)
    assert after is not None
    assert after.at_s == 2
    assert run_replay.after(4) is None


def test_lag_is_the_high_watermark_minus_the_committed_offset(run_replay: Replay) -> None:
    assert moment_before(run_replay, 1).lag == 6
    assert moment_before(run_replay, 2).lag is None, "nobody told the high watermark"
    assert moment_before(run_replay, 4).lag == 0


def test_only_proved_faults_are_listed(run_replay: Replay) -> None:
    assert [(fault.at_s, fault.fault, fault.evidence) for fault in run_replay.faults] == [
        (1.5, "kill", "pid 4711 gone")
    ]


def test_each_partition_has_its_own_replay(tmp_path: Path) -> None:
    other_rows = [{**row, "partition": 3} for row in histories.sample(1, 2, 0, 5, {2: 5})]
    histories.write(tmp_path, "telemetry", *histories.sample(1, 1, 0, 9, {1: 9}), *other_rows)
    first, second = (replay.read(tmp_path, histories.BEGAN, partition) for partition in (0, 3))
    assert first is not None
    assert second is not None
    assert (first.moments[0].ends, second.moments[0].ends) == ({1: 9}, {2: 5})
    assert replay.partitions(tmp_path) == (0, 3)


def test_without_telemetry_there_is_no_replay(tmp_path: Path) -> None:
    assert replay.read(tmp_path, histories.BEGAN) is None
    assert replay.partitions(tmp_path) == ()
