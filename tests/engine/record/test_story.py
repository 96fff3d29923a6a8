"""The story of one message: every line comes from the ledger and states no more than it shows."""

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


def story_of(ledger: Path, value: int) -> Story:
    result = story.message_story(ledger, histories.BEGAN, value)
    assert result is not None
    return result


def test_the_story_of_a_lost_message_goes_from_its_send_to_the_message_at_its_offset(
    ledger: Path,
) -> None:
    lost = story_of(ledger, histories.LOST)
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
        (None, "gone", histories.IN_ITS_PLACE),
        (None, "gone", "Never delivered, not even to the final reader."),
    ]  # fmt: skip
    assert [line.proof for line in lost.lines if line.proof] == ["pid 4711 gone"]
    assert (lost.partition, lost.offset, lost.acked_s) == (0, 8, 0.6)


def test_samples_without_a_change_are_combined(ledger: Path) -> None:
    unchanged = histories.sample(1.2, 1, 0, 6, {1: 10, 2: 6, 3: 6})
    TableWriter(ledger, "telemetry", "more").flush_rows(unchanged)
    samples = [line for line in story_of(ledger, histories.LOST).lines if line.kind == "sample"]
    assert [line.at_s for line in samples] == [0.0, 1.0, 1.2]
    assert samples[-1].text == "No change in the last sample under this leader."


def test_the_story_of_a_kept_message_names_its_deliveries(ledger: Path) -> None:
    kept = story_of(ledger, histories.KEPT)
    assert not [line for line in kept.lines if line.kind == "gone"]
    texts = [line.text for line in kept.lines]
    assert "Delivered to group app (c) from offset 2." in texts
    assert "Delivered to the final reader (c) from offset 2." in texts
    assert texts[-1] == "In the log at the end: partition 0, offset 2."
    assert any("High watermark 6: consumers can read it." in text for text in texts)


def test_the_longer_log_of_a_dead_broker_is_not_said_to_have_later_messages(ledger: Path) -> None:
    """The log of broker 1 ends at offset 10, but it never had message 12 at offset 8."""
    (text,) = [
        line.text for line in story_of(ledger, histories.LATER).lines if "beyond" in line.text
    ]
    assert text.startswith("The logs of brokers 2 and 3 go beyond this offset. ")


def test_a_send_with_an_unknown_outcome_is_not_called_lost(ledger: Path) -> None:
    texts = [line.text for line in story_of(ledger, 15).lines]
    assert texts[:2] == [
        "Sent by p.",
        "The client does not know whether it was written: timed out.",
    ]
    assert story_of(ledger, 15).offset is None


def test_a_send_that_the_client_refused_has_the_time_of_the_refusal(ledger: Path) -> None:
    """Java clients record no other time for it (docs/ledger.md); a resend comes after it."""
    row = {"producer": "p", "value": 16, "topic": "orders", "outcome": "fail", "error": "too large"}
    again = {**row, "invoked_ns": histories.ns(4.8), "completed_ns": histories.ns(4.9)}
    refused = {**row, "completed_ns": histories.ns(4.5)}
    TableWriter(ledger, "sends", "refused").flush_rows([again, refused])
    assert [(line.at_s, line.text) for line in story_of(ledger, 16).lines[:3]] == [
        (4.5, "Not accepted by p, attempt 1."),
        (4.5, "Refused, and certainly not written: too large."),
        (4.8, "Sent by p, attempt 2."),
    ]


def transaction_lines(ledger: Path, outcome: str, **times: int) -> list[tuple[float | None, str]]:
    """The lines about transaction p-1 in the story of message 20, which was sent in it."""
    sent = {"producer": "p", "value": 20, "topic": "orders", "partition": 0, "offset": 11}
    sent |= {"transaction": "p-1", "outcome": "ok"}
    sent |= {"invoked_ns": histories.ns(4.1), "completed_ns": histories.ns(4.2)}
    ended = {"transaction": "p-1", "producer": "p", "outcome": outcome, **times}
    TableWriter(ledger, "sends", "in-transaction").flush_rows([sent])
    TableWriter(ledger, "transactions", "hand").flush_rows([ended])
    lines = story_of(ledger, 20).lines
    return [(line.at_s, line.text) for line in lines if "p-1" in line.text]


def test_the_end_of_its_transaction_is_stated_with_the_time(ledger: Path) -> None:
    (line,) = transaction_lines(ledger, "committed", ended_ns=histories.ns(4.4))
    assert line == (4.4, "Its transaction p-1 was committed.")


def test_a_message_of_an_aborted_transaction_is_not_said_to_lack_an_effect(ledger: Path) -> None:
    TableWriter(ledger, "effects", "sink").close()
    (line,) = transaction_lines(ledger, "aborted")
    assert line == (
        None, "Its transaction p-1 was aborted: consumers that read committed messages skip it.",
    )  # fmt: skip
    assert "It had no effect." not in [line.text for line in story_of(ledger, 20).lines]


def test_a_message_after_an_open_transaction_is_not_called_readable_by_all(ledger: Path) -> None:
    held_back = histories.sample(0.8, 1, 0, 9, {1: 10, 2: 9, 3: 9}, last_stable_offset=3)
    TableWriter(ledger, "telemetry", "open").flush_rows(held_back)
    texts = " ".join(line.text for line in story_of(ledger, histories.LOST).lines)
    assert "offset 3: only consumers that read uncommitted messages can read it yet." in texts


def test_effects_are_stated_with_their_first_time_and_number(ledger: Path) -> None:
    row = {"sink": "sqlite", "value": histories.KEPT, "applied": 2, "time_ns": histories.ns(4.3)}
    TableWriter(ledger, "effects", "sink").flush_rows([row])
    lines = [(line.at_s, line.text) for line in story_of(ledger, histories.KEPT).lines]
    assert (4.3, "It took effect in sqlite, 2 times by the end.") in lines


def test_a_missing_effect_is_stated_only_if_effects_were_recorded(
    ledger: Path,
) -> None:
    assert story_of(ledger, histories.LATER).lines[-1].kind == "found"
    TableWriter(ledger, "effects", "sink").close()
    assert story_of(ledger, histories.LATER).lines[-1].text == "It had no effect."
    assert "It had no effect." not in [line.text for line in story_of(ledger, 15).lines]


DELETED = "By then the log begins at offset 9: everything before was deleted."
COMPACTED = "Its topic is compacted: only the last message of a key stays."


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"log_start_offset": 9}, DELETED),
        ({"log_start_offset": 8}, None),
        ({"cleanup_policy": "compact"}, COMPACTED),
        ({"cleanup_policy": "delete", "log_start_offset": 0}, None),
    ],
)
def test_deletion_or_compaction_is_stated_as_the_reason_for_a_missing_message(
    ledger: Path, row: dict[str, int | str], reason: str | None
) -> None:
    TableWriter(ledger, "partitions", "hand").flush_rows([{"partition": 0, **row}])
    texts = [line.text for line in story_of(ledger, histories.LOST).lines]
    next_text = texts[texts.index("Not in the log at the end.") + 1]
    assert next_text == (
        reason or "At the offset of its acknowledgement, 8, the log holds message 12."
    )


def test_lines_without_a_time_come_last(ledger: Path) -> None:
    row = {"producer": "p", "value": 17, "topic": "orders", "invoked_ns": histories.ns(4.5)}
    TableWriter(ledger, "sends", "never").flush_rows([{**row, "outcome": "info"}])
    assert [line.at_s for line in story_of(ledger, 17).lines[:2]] == [4.5, None]


def test_duplicates_in_the_log_are_counted(ledger: Path) -> None:
    duplicate = {"topic": "orders", "partition": 0, "value": histories.KEPT, "offset": 11}
    TableWriter(ledger, "log", "more").flush_rows([duplicate])
    assert story_of(ledger, histories.KEPT).lines[-1].text == (
        "In the log at the end 2 times: partition 0, offset 2; partition 0, offset 11."
    )


def test_a_message_that_was_never_sent_has_no_story(ledger: Path) -> None:
    assert story.message_story(ledger, histories.BEGAN, 99) is None


def test_the_story_states_that_a_group_skipped_the_message(ledger: Path) -> None:
    row = {"consumer": "c9", "topic": "orders", "partition": 0, "outcome": "ok"}
    beyond, before = histories.KEPT + 1, histories.KEPT
    rows = [
        {**row, "group": "billing", "offset": beyond},
        {**row, "group": "mail", "offset": before},
    ]
    TableWriter(ledger, "commits", "groups").flush_rows(rows)
    last = story_of(ledger, histories.KEPT).lines[-1]
    text = "Group billing skipped it: it committed a later offset and never received it."
    assert (last.kind, last.text) == ("gone", text)
