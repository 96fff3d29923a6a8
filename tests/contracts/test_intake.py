"""Our reading of properties files, held against Java's own."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.catalog import Family
from advisor.intake import Product, read
from advisor.intake.file_text import decoded
from advisor.intake.formats.java_properties import properties
from advisor.intake.text import IntakeError
from tests.contracts.jvm import Jvm

pytestmark = pytest.mark.contract


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(alphabet=" \\\n\r\f\t=:#!u0aé€", max_size=40))
def test_we_read_what_java_reads(kafka_jvm: Jvm, text: str) -> None:
    try:
        ours = {entry.key: entry.value for entry in properties(text)}
    except IntakeError:
        assert kafka_jvm.unreadable(text)
        return
    real = kafka_jvm.read(text)
    if real.get("") == "":  # a lone backslash at the end: no name, no value, and we leave it out
        del real[""]
        ours.pop("", None)
    assert ours == real


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfacks=1\nretries=3\n",
        b"\xef\xbb\xbfacks=\\\n  1\nretries=3\n",
        b"\xef\xbb\xbf# ours\nretries=3\n",
        b"# f\xfcr\nacks=1\n ! \xe4\nretries=3\n",
        b"\xef\xbb\xbfacks=1\n# f\xfcr\nretries=3\n",
    ],
    ids=str,
)
def test_bytes_that_are_not_plain_are_read_as_java_reads_a_file(
    kafka_jvm: Jvm, content: bytes
) -> None:
    """Kafka's Utils.loadProps gives Properties.load a stream, not a Reader."""
    made = kafka_jvm.java.java.util.Properties()
    made.load(kafka_jvm.java.java.io.ByteArrayInputStream(content))
    theirs = {f"producer.{key}" for key in made.stringPropertyNames() if str(key).isascii()}
    product = Product(Family.JAVA, "4.3", "4.3")
    intake = read(decoded("f.properties", content), product, "producer-properties")
    assert not intake.problems
    assert set(intake.settings) == theirs
