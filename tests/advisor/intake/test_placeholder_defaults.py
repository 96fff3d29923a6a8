"""The default of a placeholder may be a password, so it is never repeated."""

from __future__ import annotations

import pytest

from advisor.intake.inputs import Inputs

_COMPOSE = "services:\n  kafka:\n    image: apache/kafka:4.1.0\n    environment:\n      {}: {}\n"
_SPRING = "spring:\n  kafka:\n    producer:\n      {}: {}\n"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        (_COMPOSE, "KAFKA_MIN_INSYNC_REPLICAS"),
        (_COMPOSE, "KAFKA_DEFAULT_REPLICATION_FACTOR"),
        (_SPRING, "acks"),
        (_SPRING, "retries"),
        (_SPRING, "transaction-id-prefix"),
    ],
)
@pytest.mark.parametrize(
    "placeholder", ["${ADMIN_PASSWORD%hunter2}", "${X%${DB_SECRET%hunter2}}", "a-${TOKEN%hunter2}"]
)
def test_the_default_of_a_secret_is_neither_read_nor_repeated(file, name, placeholder) -> None:
    separator = ":" if file is _SPRING else ":-"
    inputs = Inputs()
    inputs.add_text("file.yml", file.format(name, placeholder.replace("%", separator)))
    assert "hunter2" not in repr(inputs)
    assert any("not read" in note for note in inputs.notes)


def test_an_invalid_default_is_not_repeated() -> None:
    inputs = Inputs()
    inputs.add_text("file.yml", _SPRING.format("acks", "${X:hunter2}"))
    assert "hunter2" not in repr(inputs)
