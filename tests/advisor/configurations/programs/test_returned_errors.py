"""Programs whose processing returns an error, in a variable of a type of errors.

Source: The Java Language Specification, 14.9 (a value that a call returns throws nothing).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import KOTLIN, LOOP, READER, SCALA

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


@pytest.mark.parametrize(("body", "expected"), [
    ("val (ok, error) = process(r); if (error != null) { log.error(error) }", SKIP),
    ("val (ok, error) = process(r); if (error != null) { throw error }", YES),
    ("val (ok, error) = process(r); if (!ok) { log.error(error) }", SKIP),
    ("val (ok, error) = process(r); if (!ok) { throw E(error) }", YES),
    ("val (ok, error) = process(r); if (!ok) { letters.store(r) }", YES),
    ("val (ok, n) = process(r); if (!ok) { log.warn(n) }", SKIP),
    ("val (order, error) = parse(r); if (error != null) { log.error(error) } "
     "else { save(order) }", SKIP),
    ("val (order, error) = parse(r); if (error != null) { throw error }; save(order)", YES),
    ("val (key, value) = decode(r); save(key, value)", YES),
])  # fmt: skip
@pytest.mark.parametrize(("name", "program", "loop"), [
    ("A.kt", KOTLIN, "for (r in rs) { %s }\nc.commitSync()"),
    ("A.scala", SCALA, "for (r <- rs.asScala) { %s }\nc.commitSync()"),
])  # fmt: skip
def test_an_outcome_in_two_variables_that_is_only_logged_skips_its_record(
    tmp_path: Path, name: str, program: str, loop: str, body: str, expected: str
) -> None:
    assert_program(tmp_path / name, program % (loop % body, ""), expected)
