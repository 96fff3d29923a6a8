"""Our reading of properties files, compared with Java's."""

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
def test_properties_are_read_as_java_reads_them(kafka_jvm: Jvm, text: str) -> None:
    try:
        ours = {entry.key: entry.value for entry in properties(text)}
    except IntakeError:
        assert kafka_jvm.unreadable(text)
        return
    real = kafka_jvm.read(text)
    if real.get("") == "":  # a lone backslash at the end: no name, no value; we skip it
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
def test_a_byte_order_mark_and_latin_1_are_read_as_java_reads_them(
    kafka_jvm: Jvm, content: bytes
) -> None:
    """Kafka's Utils.loadProps passes a stream to Properties.load, not a Reader."""
    java_properties = kafka_jvm.java.java.util.Properties()
    java_properties.load(kafka_jvm.java.java.io.ByteArrayInputStream(content))
    expected = {
        f"producer.{key}" for key in java_properties.stringPropertyNames() if str(key).isascii()
    }
    product = Product(Family.JAVA, "4.3", "4.3")
    intake = read(decoded("f.properties", content), product, "producer-properties")
    assert not intake.problems
    assert set(intake.settings) == expected
