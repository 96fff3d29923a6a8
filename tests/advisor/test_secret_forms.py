"""Secrets in values are dropped by every reader, and never shown, stored or logged."""

from __future__ import annotations

import io
import logging
import re
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.test import Client

from advisor.catalog import Family
from advisor.intake import Product, all_readers, read, read_pipeline
from tests.advisor.secret_forms import FORMS

SECRET = "hunterZq"
JAVA = Product(Family.JAVA, "4.3", "4.3")
KINDS = ("", *(reader.kind for reader in all_readers()))
COMMANDS = (("--json",), ("--format", "sarif"), ("--verbose",))

pytestmark = [pytest.mark.wide, pytest.mark.parametrize("form", FORMS)]


def text_with_secret(form: str) -> str:
    return re.sub(r"\bS\b", SECRET, FORMS[form])


def test_no_reader_returns_the_secret(form: str) -> None:
    text = text_with_secret(form)
    assert SECRET in text
    assert [kind for kind in KINDS if SECRET in repr(read(text, JAVA, kind))] == []
    assert SECRET not in repr(read_pipeline(text))


@pytest.mark.django_db
def test_no_page_session_or_log_has_the_secret(
    client: Client, form: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    answer = client.post("/describe/from-files/", {"text": text_with_secret(form)})
    assert SECRET not in answer.content.decode()
    assert SECRET not in repr([session.get_decoded() for session in Session.objects.all()])
    assert SECRET not in caplog.text


def test_no_output_of_the_command_has_the_secret(tmp_path: Path, form: str) -> None:
    file = tmp_path / "producer.properties"
    file.write_text(text_with_secret(form), "utf-8")
    for options in COMMANDS:
        out = io.StringIO()
        try:
            call_command("advise", "--producer", str(file), *options, stdout=out, stderr=out)
        except (SystemExit, CommandError) as end:
            out.write(str(end))
        assert out.getvalue()
        assert SECRET not in out.getvalue(), options
