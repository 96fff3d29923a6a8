"""Programs whose processing returns an error, in a variable of a type of errors.

Source: The Java Language Specification, 14.9 (a value that a call returns throws nothing).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.programs.test_java_loops import LOOP, READER
from tests.advisor.programs import SKIP, YES, assert_program

_OPTIONAL = "Optional<Failure> f = process(r); "
_FAILURE = "Failure f = process(r); "


@pytest.mark.parametrize(("body", "expected"), [
    (f"{_OPTIONAL}if (f.isPresent()) {{ log.error(f.get()); }}", SKIP),
    (f"{_OPTIONAL}if (f.isPresent()) {{ throw new E(f.get()); }}", YES),
    (f"{_OPTIONAL}if (f.isPresent()) {{ letters.store(r); }}", YES),
    ("Optional<Order> o = process(r); if (o.isPresent()) { log.info(o.get()); }", YES),
    (f"{_FAILURE}if (f != null) log.error(f);", SKIP),
    (f"{_FAILURE}if (f == null) {{ log.info(r); }} else {{ log.error(f); }}", SKIP),
    (f"{_FAILURE}if (f == null) {{ log.info(r); }} else {{ throw f; }}", YES),
    (f"{_FAILURE}if (f == null) continue; log.error(f);", SKIP),
    (f"{_FAILURE}if (f == null) {{ continue; }} throw f;", YES),
    (f"{_FAILURE}if (f == null) {{ continue; }} letters.store(r);", YES),
])  # fmt: skip
def test_a_returned_error_that_is_only_logged_skips_its_record(
    tmp_path: Path, body: str, expected: str
) -> None:
    loop = f"for (ConsumerRecord<String, String> r : rs) {{ {body} }} c.commitSync();"
    assert_program(tmp_path / "A.java", READER % (LOOP % loop), expected)
