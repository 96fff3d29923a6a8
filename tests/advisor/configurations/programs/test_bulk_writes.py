"""Bulk writes in Java, whose response says which records were not written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.programs import SKIP, YES, assert_program
from tests.advisor.programs.jvm import JAVA_APP

_BULK = "BulkResponse done = client.bulk(requests(rs), DEFAULT);"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("client.bulk(requests(rs), DEFAULT);", SKIP),
        (f"{_BULK} if (done.hasFailures()) log.error(done.toString());", SKIP),
        (f"{_BULK} if (done.hasFailures()) throw new IllegalStateException();", YES),
        ("BulkResponse b; do { b = client.bulk(of(rs)); } while (b.hasFailures());", YES),
        (f"{_BULK} for (var it : done) {{ if (it.isFailed()) {{ log.error(it); }} }}", SKIP),
        (f"{_BULK} for (var it : done) {{ if (it.isFailed()) {{ again(it); }} }}", YES),
        (f"{_BULK} done.forEach(it -> {{ if (it.isFailed()) {{ log.error(it); }} }});", SKIP),
        (f"{_BULK} done.forEach(it -> {{ if (it.isFailed()) {{ again(it); }} }});", YES),
        (f"{_BULK} for (var it : done) {{ var span = tracer.start(it); "
         "try { if (it.isFailed()) { log.error(it); } } finally { span.end(); } }", SKIP),
        ("check(client.bulk(requests(rs), DEFAULT));", YES),
        ("kinesis.putRecords(requests(rs));", SKIP),
        ("repository.bulk(rs);", YES),
    ],
)  # fmt: skip
def test_a_failed_bulk_write_that_is_not_checked_is_reported(
    body: str, expected: str, tmp_path: Path
) -> None:
    code = JAVA_APP.format(more="", before="", body=f"{body} c.commitSync();")
    assert_program(tmp_path / "App.java", code, expected)
