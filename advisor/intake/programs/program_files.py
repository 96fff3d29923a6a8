"""Programs in several files: a file is read together with those that it takes something from.

A class of Java, Kotlin or Scala that makes no client is one of a program that names it, or names
what it implements, or is given a bean by it. A module of Python is known by its imports.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath

from advisor.intake.programs.code_facts import MAKES_CLIENT

_JVM, _JVM_KINDS = (".java", ".kt", ".scala", ".groovy"), ("java-code", "spring-code")
_PYTHON, _PYTHON_KIND = (".py",), "python-dict"
_HEAD = re.compile(r"\b(?:class|object)\s+\w+(?P<of>[^{};]{0,400}+)\{")
_ABOVE = re.compile(r"\b(?:implements|extends)\b|\)\s*:|^\s*:")
"""What stands before the types that a class is one of."""
_BEAN = re.compile(r"@(?:Bean|Produces)\b(?P<of>[^;{}]{0,200})")
"""A method of a configuration that makes an object which others are given (Spring, CDI)."""
_FROM = re.compile(
    r"^(?P<margin>[ \t]*)from[ \t]+(?P<of>\.*[\w.]*)[ \t]+import[ \t]+"
    r"(?P<names>\*|\w+[\w, \t]*|\([\w\s,]*\))[ \t]*(?:#[^\n]*)?$",
    re.MULTILINE,
)
_IMPORT = re.compile(r"^[ \t]*import[ \t]+(?P<of>\w[\w., \t]*)", re.MULTILINE)
_AS = re.compile(r"\b(?P<name>\w+)\s+as\s+(?P<own>\w+)")

Source = tuple[str, str]
"""A file's name and its text."""


def programs(files: Sequence[Source], kind_of: Callable[[str], str]) -> list[list[Source]]:
    """The files, each program with those that give it something; `kind_of` is how a text would be
    read, empty for one that nothing reads."""
    kinds = {name: kind_of(text) for name, text in files if _is_source(name)}
    groups, given = list[list[Source]](), set[str]()
    for name, text in files:
        others = [file for file in files if file[0] != name and _suffix(file[0]) == _suffix(name)]
        group, own = [(name, text)], PurePath(name).stem
        if _suffix(name) in _JVM and kinds[name] in _JVM_KINDS:
            parts = [file for file in others
                     if not (kinds[file[0]] and MAKES_CLIENT.search(file[1]))]  # fmt: skip
            parts = [file for file in parts if kinds[file[0]] in ("", *_JVM_KINDS)]
            starts = [file for file in parts if not kinds[file[0]] and own in _words(file[1])]
            group += [*starts, *_used((name, text), starts, parts)]
        elif _suffix(name) in _PYTHON and kinds[name] == _PYTHON_KIND:
            modules = [file for file in others if kinds[file[0]] in ("", _PYTHON_KIND)]
            starts = [file for file in modules if not kinds[file[0]] and own in _modules(file[1])]
            group = _with_modules([(name, text), *starts], modules)
        given |= {each for each, _ in group if each != name}
        groups.append(group)
    return [group for group in groups if len(group) > 1 or group[0][0] not in given]


def _used(program: Source, starts: Sequence[Source], parts: Sequence[Source]) -> list[Source]:
    """The classes that a program uses, or what starts it, and those that these do."""
    found, rest = list[Source](), [part for part in parts if part not in starts]
    words = set[str]().union(*(_words(text) for _, text in [program, *starts]))
    names = {name: _names(name, text) for name, text in parts}
    while own := [part for part in rest if not names[part[0]].isdisjoint(words)]:
        found += own
        rest = [part for part in rest if part not in own]
        words = words.union(*(_words(text) for _, text in own))
    return found


def _names(name: str, text: str) -> set[str]:
    """The names by which others use a class: its own, that of a type that it is one of, and those
    of the objects that it makes for others."""
    names = {PurePath(name).stem}
    for match in _HEAD.finditer(text):
        if above := _ABOVE.search(match["of"]):
            names.update(re.findall(r"\b[A-Z]\w*", match["of"][above.end() :]))
    for match in _BEAN.finditer(text):
        names.update(re.findall(r"\b[A-Z]\w*", match["of"]))
    return names


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def _with_modules(program: Sequence[Source], modules: Sequence[Source]) -> list[Source]:
    """A program, and what starts it, behind the modules that they import, and those that these do.
    What they define has the names in one text that it has in the other, so that no import of one
    is left."""
    found, rest = list[Source](), [module for module in modules if module not in program]
    imported = {name for _, text in program for name in _modules(text)}
    while own := [file for file in rest if PurePath(file[0]).stem in imported]:
        found = [*own, *found]
        rest = [file for file in rest if file not in own]
        imported = imported.union(*(_modules(text) for _, text in own))
    every = [*found, *program]
    stems = {PurePath(name).stem for name, _ in every}
    return [(name, _without_imports(text, stems)) for name, text in every]


def _modules(text: str) -> Iterator[str]:
    """The last names of the modules that a text imports, or may."""
    for match in _FROM.finditer(text):
        yield match["of"].rpartition(".")[2]
        yield from _words(match["names"])
    for match in _IMPORT.finditer(text):
        yield from _words(match["of"])


def _without_imports(text: str, stems: set[str]) -> str:
    def names(match: re.Match[str]) -> str:
        if match["margin"] or match["of"].rpartition(".")[2] not in stems:
            return match[0]
        own = [f"{alias['own']} = {alias['name']}" for alias in _AS.finditer(match["names"])]
        return "; ".join(own) + "\n" * match[0].count("\n")

    return _FROM.sub(names, text)


def _suffix(name: str) -> str:
    return PurePath(name).suffix


def _is_source(name: str) -> bool:
    return _suffix(name) in (*_JVM, *_PYTHON)
