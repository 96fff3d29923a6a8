"""An answer of `manage.py advise` that is given as a file is refused: it states no settings."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command


def advise(*arguments: str) -> str:
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("advise", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


@pytest.mark.parametrize(
    "style",
    [("--format", "text"), ("--verbose",), ("--format", "json"), ("--format", "sarif")],
    ids=" ".join,
)
@pytest.mark.parametrize("setting", ["producer.acks=0", "producer.transactional.id=a"])
def test_an_answer_is_no_description(tmp_path: Path, style: tuple[str, ...], setting: str) -> None:
    path = tmp_path / "answer"
    path.write_text(advise("--set", setting, *style))
    with pytest.raises(CommandError) as error:
        call_command("advise", str(path), stdout=StringIO(), stderr=StringIO())
    assert error.value.returncode == 2
    assert "this is an answer of Delivery Lab" in str(error.value)


def test_a_program_that_reads_answers_is_read(tmp_path: Path) -> None:
    path = tmp_path / "producer.properties"
    path.write_text("# producer to log: at-least-once\nclient.id=Delivery Lab\nacks=1\n")
    answer = json.loads(advise(str(path), "--json"))
    assert any(change["setting"] == "acks" for change in answer["changes"])
