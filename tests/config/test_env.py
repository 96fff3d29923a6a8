"""Invalid environment variables are refused by name."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env


@pytest.mark.parametrize(
    ("text", "expected"), [("1", True), ("Yes", True), ("off", False), ("0", False)]
)
def test_flags(monkeypatch, text, expected):
    monkeypatch.setenv("LAB_X", text)
    assert env.flag("LAB_X", default=not expected) is expected


def test_an_empty_variable_counts_as_absent(monkeypatch):
    monkeypatch.setenv("LAB_X", " ")
    assert env.flag("LAB_X", default=True) is True
    assert env.integer("LAB_X", lambda: 3, least=1, most=5) == 3
    assert env.text("LAB_X", "so") == "so"
    assert env.words("LAB_X", ("a", "b")) == ["a", "b"]


def test_words_are_separated_by_commas_or_spaces(monkeypatch):
    monkeypatch.setenv("LAB_X", "one, two three")
    assert env.words("LAB_X") == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("text", "parse"),
    [
        ("maybe", lambda: env.flag("LAB_X", default=True)),
        ("two", lambda: env.integer("LAB_X", lambda: 1, least=1, most=5)),
        ("6", lambda: env.integer("LAB_X", lambda: 1, least=1, most=5)),
        ("http://secret@host", lambda: env.address("LAB_X", ("redis",), "redis://x")),
    ],
    ids=["flag", "not a number", "out of bounds", "scheme"],
)
def test_a_refusal_names_the_variable(monkeypatch, text, parse):
    monkeypatch.setenv("LAB_X", text)
    with pytest.raises(ImproperlyConfigured, match="LAB_X") as refused:
        parse()
    assert "secret" not in str(refused.value)


def test_pairs_are_words_of_a_key_and_a_value(monkeypatch):
    monkeypatch.setenv("LAB_X", " a=h:1,h:2  b-1=/etc/b.properties ")
    assert env.pairs("LAB_X") == {"a": "h:1,h:2", "b-1": "/etc/b.properties"}
    monkeypatch.delenv("LAB_X")
    assert env.pairs("LAB_X") == {}


@pytest.mark.parametrize("text", ["secret", "a=", "=secret", "a/b=secret", "-=secret"])
def test_a_word_that_is_not_a_pair_is_refused_without_quoting_it(monkeypatch, text):
    monkeypatch.setenv("LAB_X", text)
    with pytest.raises(ImproperlyConfigured, match="LAB_X") as refused:
        env.pairs("LAB_X")
    assert "secret" not in str(refused.value)


def test_a_folder_may_not_be_a_file(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("LAB_X", str(tmp_path / "file"))
    with pytest.raises(ImproperlyConfigured, match="LAB_X"):
        env.folder("LAB_X", tmp_path)
