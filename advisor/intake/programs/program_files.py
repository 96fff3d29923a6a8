"""Programs in several files: a file is read together with those that it takes something from.

A class of Java, Kotlin or Scala that holds no client is known by its file's name, where a program
beside it names it. A module of Python is known by what a program imports from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePath

from advisor.intake.programs.code_facts import MAKES_CLIENT

_JVM, _JVM_KIND = (".java", ".kt", ".scala"), "java-code"
_PYTHON, _PYTHON_KIND = (".py",), "python-dict"
_IMPORT = (
    r"^from[ \t]+\.?(?:[\w.]+\.)?{}[ \t]+import[ \t]+(?:\w+(?:[ \t]*,[ \t]*\w+)*|\([\w\s,]*\))"
    r"[ \t]*(?:#[^\n]*)?$"
)

Source = tuple[str, str]
"""A file's name and its text."""


def programs(files: Sequence[Source], kind_of: Callable[[str], str]) -> list[list[Source]]:
    """The files, each program with those that give it something; `kind_of` is how a text would be
    read, empty for one that nothing reads."""
    kinds = {name: kind_of(text) for name, text in files if _is_source(name)}
    groups, given = list[list[Source]](), set[str]()
    for name, text in files:
        group, own = [(name, text)], PurePath(name)
        for other, other_text in files:
            if other == name or PurePath(other).suffix != own.suffix:
                continue
            stem = re.escape(PurePath(other).stem)
            if own.suffix in _JVM and kinds[name] == _JVM_KIND:
                is_part = not (kinds[other] and MAKES_CLIENT.search(other_text))
                if is_part and re.search(rf"\b{stem}\s*[.(]", text):
                    group.append((other, other_text))
            elif own.suffix in _PYTHON and kinds[name] == kinds[other] == _PYTHON_KIND:
                pattern = re.compile(_IMPORT.format(stem), re.MULTILINE)
                if pattern.search(text):
                    # The names are those of the module itself, which is read before.
                    plain = pattern.sub(lambda it: "\n" * it[0].count("\n"), group[-1][1])
                    group = [(other, other_text), *group[:-1], (name, plain)]
        given |= {each for each, _ in group if each != name}
        groups.append(group)
    return [group for group in groups if len(group) > 1 or group[0][0] not in given]


def _is_source(name: str) -> bool:
    return PurePath(name).suffix in (*_JVM, *_PYTHON)
