"""Our reading of properties files, held against Java's own."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.intake.java_properties import properties
from advisor.intake.text import IntakeError
from tests.contracts.jvm import Jvm

pytestmark = pytest.mark.contract


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(alphabet=" \\\n\r\f\t=:#!u0aé€", max_size=40))
def test_we_read_what_java_reads(kafka_jvm: Jvm, text: str) -> None:
    try:
        ours = {found.key: found.value for found in properties(text)}
    except IntakeError:
        assert kafka_jvm.unreadable(text)
        return
    real = kafka_jvm.read(text)
    if real.get("") == "":  # a lone backslash at the end: no name, no value, and we leave it out
        del real[""]
        ours.pop("", None)
    assert ours == real
