"""What is read back of a run's telemetry: every sample as it was, and nothing besides."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs.engine.record import replay
from labs.engine.record.replay import Moment, Replay
from tests.engine import histories


@pytest.fixture
def seen(tmp_path: Path) -> Replay:
    histories.telemetry(tmp_path)
    result = replay.read(tmp_path, histories.BEGAN)
    assert result is not None
    return result


def at(seen: Replay, second: float) -> Moment:
    moment = seen.before(second)
    assert moment is not None
    return moment


def test_what_came_before_the_sends_and_the_quiet_end_are_left_out(seen: Replay) -> None:
    assert [moment.at_s for moment in seen.moments] == [0, 1, 2, 3, 4]


def test_a_moment_holds_what_all_its_rows_say(seen: Replay) -> None:
    moment = at(seen, 1)
    assert (moment.leader, moment.epoch, moment.isr) == (1, 0, (1, 2, 3))
    assert moment.ends == {1: 10, 2: 6, 3: 6}
    assert moment.high_watermark == 6
    assert seen.brokers == (1, 2, 3)


def test_a_dead_leader_is_the_brokers_word_and_leads_nobody(seen: Replay) -> None:
    assert at(seen, 2).leader == 1
    assert at(seen, 2).live_leader is None
    assert at(seen, 3).live_leader == 2


def test_between_two_samples_the_earlier_one_stands(seen: Replay) -> None:
    assert at(seen, 1.99).at_s == 1
    assert seen.before(-1) is None
    after = seen.after(1)
    assert after is not None
    assert after.at_s == 2
    assert seen.after(4) is None


def test_lag_is_what_could_be_read_and_was_not_committed(seen: Replay) -> None:
    assert at(seen, 1).lag == 6
    assert at(seen, 2).lag is None, "nobody told the high watermark"
    assert at(seen, 4).lag == 0


def test_only_what_is_proved_was_done(seen: Replay) -> None:
    assert [(done.at_s, done.fault, done.evidence) for done in seen.faults] == [
        (1.5, "kill", "pid 4711 gone")
    ]


def test_partitions_are_kept_apart(tmp_path: Path) -> None:
    other = [{**row, "partition": 3} for row in histories.sample(1, 2, 0, 5, {2: 5})]
    histories.write(tmp_path, "telemetry", *histories.sample(1, 1, 0, 9, {1: 9}), *other)
    zero, three = (replay.read(tmp_path, histories.BEGAN, partition) for partition in (0, 3))
    assert zero is not None
    assert three is not None
    assert (zero.moments[0].ends, three.moments[0].ends) == ({1: 9}, {2: 5})
    assert replay.partitions(tmp_path) == (0, 3)


def test_without_telemetry_there_is_no_replay(tmp_path: Path) -> None:
    assert replay.read(tmp_path, histories.BEGAN) is None
    assert replay.partitions(tmp_path) == ()
