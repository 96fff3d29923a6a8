"""Code of an application that sets up its clients, beside the application's own files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from advisor.catalog import Component
from advisor.intake.application_file import file_profile, rank
from advisor.intake.frameworks.spring import set_up, stated_by_code
from advisor.intake.frameworks.spring.containers import ELSEWHERE
from advisor.intake.kinds import detect_kind
from advisor.intake.programs.code_facts import SPRING_KAFKA_IMPORT
from advisor.intake.reading import Item

_CLIENTS = {Component.PRODUCER, Component.CONSUMER, Component.STREAMS}
_SUFFIXES = (".java", ".kt")
_OF_SPRING = re.compile(r"(?i)\bspring[._]kafka[._]|^[ \t]*kafka:[ \t]*$", re.MULTILINE)
_ELSEWHERE = (
    "this class sets up clients, and settings of Spring stand in a file that is not the "
    "application's own (variables, a manifest). Give application.yml with what counts"
)
_SEVERAL = (
    "this class sets up clients of one application, and files of several are here. Give those of "
    "one"
)

Source = tuple[str, str]
"""A file's name and its text."""


def with_code(texts: Sequence[Source]) -> tuple[list[str], list[Source]] | None:
    """The names of the application's own files, and what its classes state as more of them; None
    where no class sets up anything, or the files say too little without it."""
    code = [
        row
        for row in texts
        if PurePath(row[0]).suffix in _SUFFIXES and SPRING_KAFKA_IMPORT.search(row[1])
    ]
    if not code or len({name for name, _ in texts}) != len(texts):
        return None
    stated = set_up.stated(code)
    own = [name for name, text in texts if name not in {name for name, _ in code}
           and (file_profile(name) is not None or detect_kind(text) == "spring")]  # fmt: skip
    if not stated or not (own or _is_whole(stated)):
        return None
    others = [text for name, text in texts if name not in {*own, *(name for name, _ in code)}]
    folders = {re.sub(r"(?:^|/)config$", "", name.rpartition("/")[0]) for name in own}
    words = (
        _SEVERAL if len(folders) > 1 else _ELSEWHERE if any(map(_OF_SPRING.search, others)) else ""
    )
    name, text = stated[0]
    if words:
        text = stated_by_code.with_more(text, stated_by_code.REFUSED, words)
    elif not own:
        text = stated_by_code.with_more(text, stated_by_code.ALONE, "true")
    return sorted(own, key=rank), [(name, text), *stated[1:]]


def idle_words(idle: Iterable[str], items: Iterable[Item]) -> list[str]:
    """What counts of why files say nothing by themselves: where others set up a client, only that
    what classes set up is not read."""
    is_started = any(item.component in _CLIENTS for item in items)
    return [words for words in idle if not is_started or ELSEWHERE in words]


def _is_whole(stated: Sequence[Source]) -> bool:
    """Whether classes say what the application's files would: how a client is set up."""
    facts = (stated_by_code.OWN_CONSUMER, stated_by_code.OWN_PRODUCER, stated_by_code.REFUSED)
    return any(f'["{fact}"' in text for _, text in stated for fact in facts)
