"""One channel or binding of several (`--only`): settings of the others do not apply to it.

Expected from KafkaConnector of SmallRye and BindingUtils of Spring Cloud Stream: both create a
client from the settings of its channel or binding, and set acks=1 where these state none.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file

READS = f"{TOPIC} application.commit=after-processing application.restart=resumes"
CHANNELS = "".join(
    f"mp.messaging.{direction}.{name}.connector=smallrye-kafka\nmp.messaging.{direction}.{name}.{line}\n"
    for direction, name, line in (
        ("incoming", "o", "auto.offset.reset=earliest"), ("outgoing", "p", "acks=all"),
        ("outgoing", "z", "merge=true"),
    )
)  # fmt: skip
READERS = "mp.messaging.incoming.i.connector=smallrye-kafka\n"
READERS += "mp.messaging.incoming.i.auto.offset.reset=earliest\nmp.messaging.incoming.i."
BINDINGS = """spring.cloud.stream:
  kafka:
    bindings:
      a-out-0: {producer: {sync: true, configuration: {acks: all}}}
      b-out-0: {producer: {%s}}
      in-in-0: {consumer: {startOffset: earliest}}
  bindings:
    a-out-0: {destination: t}
    b-out-0: {destination: u}
    in-in-0: {destination: v, group: g}
"""


@pytest.mark.parametrize(("more", "only", "code", "expected"), [
    ("", "", 2, "acks differs from another one"),
    ("", "--only z", 1, "acks: 1 -> all"),
    ("", "--only p", 0, "^YES"),
    ("mp.messaging.outgoing.z.waitForWriteCompletion=false\n", "--only p", 0, "^YES"),
    (f"{READERS}assign-seek=1\n", "--only o --only p", 0, "^YES"),
    (f"{READERS}commit-strategy=ignore\n", "--only o --only p", 0, "^YES"),
    (f"{READERS}fail-on-deserialization-failure=false\n", "--only o --only p", 0, "^YES"),
    (f"{READERS}fail-on-deserialization-failure=false\n", "--only i --only p", 1, "skip -> retry"),
])  # fmt: skip
def test_a_chosen_channel_is_read_alone(
    tmp_path: Path, more: str, only: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "application.properties", CHANNELS + more, only, TOPIC, code, expected)


@pytest.mark.parametrize(("other", "only", "code", "expected"), [
    ("sync: true", "", 2, "acks differs from another one"),
    ("sync: true", "--only b-out-0", 1, "acks: 1 -> all"),
    ("sync: false", "--only a-out-0", 0, "^YES"),
    ("sync: false, configuration: {acks: all}", "--only b-out-0", 1, "errors: ignored ->"),
])  # fmt: skip
def test_a_chosen_binding_is_read_alone(
    tmp_path: Path, other: str, only: str, code: int, expected: str
) -> None:
    settings = f"{READS} application.processing.errors=retry"
    assert_file(tmp_path / "application.yml", BINDINGS % other, only, settings, code, expected)
