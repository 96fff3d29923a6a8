"""The story of one message: every line from the ledger, and no more than it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from labs.engine.record import story
from labs.engine.record.ledger import TableWriter
from labs.engine.record.story import Story
from tests.engine import histories


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return histories.lost_at_the_end_of_a_log(tmp_path)


def lines_of(ledger: Path, value: int) -> Story:
    result = story.message_story(ledger, histories.BEGAN, value)
    assert result is not None
    return result


def test_a_lost_message_from_its_sending_to_what_stands_in_its_place(ledger: Path) -> None:
    lost = lines_of(ledger, histories.LOST)
    assert [(line.at_s, line.kind, line.text) for line in lost.lines] == [
        (0.0, "sample", "Broker 1 leads (epoch 0), in sync: 1, 2, 3. High watermark 0."),
        (0.5, "client", "Sent by p."),
        (0.6, "client", "Acknowledged for partition 0, offset 8."),
        (1.0, "sample", "The log of broker 1 goes beyond this offset; the logs of brokers 2 and 3 "
                        "end at it or before. High watermark 6: no consumer can read it yet."),
        (1.5, "fault", "Leader broker 1 was killed."),
        (3.0, "gone", "Broker 2 leads (epoch 1), in sync: 2, 3. High watermark 6. Its log ends at "
                      "6: offset 8 is not in it."),
        (None, "gone", "Not in the log at the end."),
        (None, "gone", "At the offset of its acknowledgement, 8, the log holds message 12."),
        (None, "gone", "Never delivered, not even to the final reader."),
    ]  # fmt: skip
    assert [line.proof for line in lost.lines if line.proof] == ["pid 4711 gone"]
    assert (lost.partition, lost.offset, lost.acked_s) == (0, 8, 0.6)


def test_what_two_samples_say_alike_is_said_once(ledger: Path) -> None:
    again = histories.sample(1.2, 1, 0, 6, {1: 10, 2: 6, 3: 6})
    TableWriter(ledger, "telemetry", "more").flush_rows(again)
    samples = [line for line in lines_of(ledger, histories.LOST).lines if line.kind == "sample"]
    assert [line.at_s for line in samples] == [0.0, 1.0, 1.2]
    assert samples[-1].text == "No change in the last sample under this leader."


def test_a_message_that_stayed_is_found_and_its_deliveries_named(ledger: Path) -> None:
    kept = lines_of(ledger, histories.KEPT)
    assert not [line for line in kept.lines if line.kind == "gone"]
    texts = [line.text for line in kept.lines]
    assert "Delivered to group app (c) from offset 2." in texts
    assert "Delivered to the final reader (c) from offset 2." in texts
    assert texts[-1] == "In the log at the end: partition 0, offset 2."
    assert any("High watermark 6: consumers can read it." in text for text in texts)


def test_a_dead_brokers_longer_log_is_not_said_to_hold_what_came_later(ledger: Path) -> None:
    """Broker 1's files end at 10, beyond offset 8 of message 12, which it never had."""
    (reach,) = [
        line.text for line in lines_of(ledger, histories.LATER).lines if "beyond" in line.text
    ]
    assert reach.startswith("The logs of brokers 2 and 3 go beyond this offset. ")


def test_what_the_client_does_not_know_is_not_called_lost(ledger: Path) -> None:
    texts = [line.text for line in lines_of(ledger, 15).lines]
    assert texts[:2] == [
        "Sent by p.",
        "The client does not know whether it was written: timed out.",
    ]
    assert lines_of(ledger, 15).offset is None


def test_what_a_client_refused_before_it_took_it_has_the_time_of_the_refusal(ledger: Path) -> None:
    """Java's clients leave no other (docs/ledger.md); what is sent again comes after it."""
    row = {"producer": "p", "value": 16, "topic": "orders", "outcome": "fail", "error": "too large"}
    again = {**row, "invoked_ns": histories.ns(4.8), "completed_ns": histories.ns(4.9)}
    refused = {**row, "completed_ns": histories.ns(4.5)}
    TableWriter(ledger, "sends", "refused").flush_rows([again, refused])
    assert [(line.at_s, line.text) for line in lines_of(ledger, 16).lines[:3]] == [
        (4.5, "Not accepted by p, attempt 1."),
        (4.5, "Refused, and certainly not written: too large."),
        (4.8, "Sent by p, attempt 2."),
    ]


def end_of(ledger: Path, outcome: str, **times: int) -> list[tuple[float | None, str]]:
    """What is told of a transaction, and of the message 20 that was sent in it."""
    sent = {"producer": "p", "value": 20, "topic": "orders", "partition": 0, "offset": 11}
    sent |= {"transaction": "p-1", "outcome": "ok"}
    sent |= {"invoked_ns": histories.ns(4.1), "completed_ns": histories.ns(4.2)}
    ended = {"transaction": "p-1", "producer": "p", "outcome": outcome, **times}
    TableWriter(ledger, "sends", "in-transaction").flush_rows([sent])
    TableWriter(ledger, "transactions", "hand").flush_rows([ended])
    lines = lines_of(ledger, 20).lines
    return [(line.at_s, line.text) for line in lines if "p-1" in line.text]


def test_how_its_transaction_ended_is_told_with_the_time(ledger: Path) -> None:
    (line,) = end_of(ledger, "committed", ended_ns=histories.ns(4.4))
    assert line == (4.4, "Its transaction p-1 was committed.")


def test_of_a_message_that_was_taken_back_no_effect_is_missed(ledger: Path) -> None:
    TableWriter(ledger, "effects", "sink").close()
    (line,) = end_of(ledger, "aborted")
    assert line == (
        None, "Its transaction p-1 was aborted: consumers that read committed messages skip it.",
    )  # fmt: skip
    assert "It had no effect." not in [line.text for line in lines_of(ledger, 20).lines]


def test_a_message_behind_an_open_transaction_is_not_called_readable_by_all(ledger: Path) -> None:
    more = histories.sample(0.8, 1, 0, 9, {1: 10, 2: 9, 3: 9}, last_stable_offset=3)
    TableWriter(ledger, "telemetry", "open").flush_rows(more)
    texts = " ".join(line.text for line in lines_of(ledger, histories.LOST).lines)
    assert "offset 3: only consumers that read uncommitted messages can read it yet." in texts


def test_effects_are_told_with_the_first_time_and_how_often(ledger: Path) -> None:
    row = {"sink": "sqlite", "value": histories.KEPT, "applied": 2, "time_ns": histories.ns(4.3)}
    TableWriter(ledger, "effects", "sink").flush_rows([row])
    lines = [(line.at_s, line.text) for line in lines_of(ledger, histories.KEPT).lines]
    assert (4.3, "It took effect in sqlite, 2 times by the end.") in lines


def test_an_acknowledged_message_without_an_effect_is_told_where_effects_were_recorded(
    ledger: Path,
) -> None:
    assert lines_of(ledger, histories.LATER).lines[-1].kind == "found"
    TableWriter(ledger, "effects", "sink").close()
    assert lines_of(ledger, histories.LATER).lines[-1].text == "It had no effect."
    assert "It had no effect." not in [line.text for line in lines_of(ledger, 15).lines]


DELETED = "By then the log begins at offset 9: everything before was deleted."
COMPACTED = "Its topic is compacted: only the last message of a key stays."


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"log_start_offset": 9}, DELETED),
        ({"log_start_offset": 8}, None),
        ({"cleanup_policy": "compact"}, COMPACTED),
        ({"cleanup_policy": "delete", "log_start_offset": 0}, None),
    ],
)
def test_why_a_log_need_not_have_a_message_is_told(
    ledger: Path, row: dict[str, int | str], why: str | None
) -> None:
    TableWriter(ledger, "partitions", "hand").flush_rows([{"partition": 0, **row}])
    texts = [line.text for line in lines_of(ledger, histories.LOST).lines]
    after = texts[texts.index("Not in the log at the end.") + 1]
    assert after == (why or "At the offset of its acknowledgement, 8, the log holds message 12.")


def test_what_has_no_time_comes_after_what_has(ledger: Path) -> None:
    row = {"producer": "p", "value": 17, "topic": "orders", "invoked_ns": histories.ns(4.5)}
    TableWriter(ledger, "sends", "never").flush_rows([{**row, "outcome": "info"}])
    assert [line.at_s for line in lines_of(ledger, 17).lines[:2]] == [4.5, None]


def test_copies_are_counted(ledger: Path) -> None:
    again = {"topic": "orders", "partition": 0, "value": histories.KEPT, "offset": 11}
    TableWriter(ledger, "log", "more").flush_rows([again])
    assert lines_of(ledger, histories.KEPT).lines[-1].text == (
        "In the log at the end 2 times: partition 0, offset 2; partition 0, offset 11."
    )


def test_a_message_that_nobody_sent_has_no_story(ledger: Path) -> None:
    assert story.message_story(ledger, histories.BEGAN, 99) is None


def test_a_message_that_a_group_passed_over_does_not_end_well(ledger: Path) -> None:
    row = {"consumer": "c9", "topic": "orders", "partition": 0, "outcome": "ok"}
    beyond, before = histories.KEPT + 1, histories.KEPT
    rows = [
        {**row, "group": "billing", "offset": beyond},
        {**row, "group": "mail", "offset": before},
    ]
    TableWriter(ledger, "commits", "groups").flush_rows(rows)
    last = lines_of(ledger, histories.KEPT).lines[-1]
    text = "Group billing skipped it: it committed a later offset and never received it."
    assert (last.kind, last.text) == ("gone", text)
