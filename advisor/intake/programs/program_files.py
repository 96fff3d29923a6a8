"""Programs in several files: a file is read together with the files that it depends on.

A class in Java, Kotlin or Scala that creates no client belongs to a program that names the class,
a type that it implements or the type of a bean that it creates. A module in Python belongs to the
programs that import it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath

from advisor.intake.programs.code_facts import MAKES_CLIENT

_JVM, _JVM_KINDS = (".java", ".kt", ".scala", ".groovy"), ("java-code", "spring-code")
_PYTHON, _PYTHON_KIND = (".py",), "python-dict"
_CLASS_HEAD = re.compile(r"\b(?:class|object)\s+\w+(?P<head>[^{};]{0,400}+)\{")
_SUPERTYPES = re.compile(r"\b(?:implements|extends)\b|\)\s*:|^\s*:")
"""The code before the supertypes of a class."""
_BEAN = re.compile(r"@(?:Bean|Produces)\b(?P<head>[^;{}]{0,200})")
"""A method of a configuration that creates a bean for other classes (Spring, CDI)."""
_FROM_IMPORT = re.compile(
    r"^(?P<margin>[ \t]*)from[ \t]+(?P<module>\.*[\w.]*)[ \t]+import[ \t]+"
    r"(?P<names>\*|\w+[\w, \t]*|\([\w\s,]*\))[ \t]*(?:#[^\n]*)?$",
    re.MULTILINE,
)
_IMPORT = re.compile(r"^[ \t]*import[ \t]+(?P<modules>\w[\w., \t]*)", re.MULTILINE)
_ALIAS = re.compile(r"\b(?P<name>\w+)\s+as\s+(?P<alias>\w+)")

Source = tuple[str, str]
"""The name and the text of a file."""


def programs(files: Sequence[Source], kind_of: Callable[[str], str]) -> list[list[Source]]:
    """Returns the files in groups, each a program with the files that it depends on.

    `kind_of` returns the kind of file as which a text is read, empty for an unknown kind.
    """
    kinds = {name: kind_of(text) for name, text in files if _is_source(name)}
    groups, dependencies = list[list[Source]](), set[str]()
    for name, text in files:
        others = [file for file in files if file[0] != name and _suffix(file[0]) == _suffix(name)]
        group, stem = [(name, text)], PurePath(name).stem
        if _suffix(name) in _JVM and kinds[name] in _JVM_KINDS:
            classes = [file for file in others
                     if not (kinds[file[0]] and MAKES_CLIENT.search(file[1]))]  # fmt: skip
            classes = [file for file in classes if kinds[file[0]] in ("", *_JVM_KINDS)]
            starts = [file for file in classes if not kinds[file[0]] and stem in _words(file[1])]
            group += [*starts, *_used_classes((name, text), starts, classes)]
        elif _suffix(name) in _PYTHON and kinds[name] == _PYTHON_KIND:
            modules = [file for file in others if kinds[file[0]] in ("", _PYTHON_KIND)]
            starts = [
                file
                for file in modules
                if not kinds[file[0]] and stem in _imported_modules(file[1])
            ]
            group = _with_modules([(name, text), *starts], modules)
        dependencies |= {other for other, _ in group if other != name}
        groups.append(group)
    return [group for group in groups if len(group) > 1 or group[0][0] not in dependencies]


def _used_classes(
    program: Source, starts: Sequence[Source], classes: Sequence[Source]
) -> list[Source]:
    """Returns the classes that a program or its start uses, and those that these classes use."""
    classes_in_use, rest = list[Source](), [class_ for class_ in classes if class_ not in starts]
    words = set[str]().union(*(_words(text) for _, text in [program, *starts]))
    names = {name: _provided_names(name, text) for name, text in classes}
    while next_classes := [class_ for class_ in rest if not names[class_[0]].isdisjoint(words)]:
        classes_in_use += next_classes
        rest = [class_ for class_ in rest if class_ not in next_classes]
        words = words.union(*(_words(text) for _, text in next_classes))
    return classes_in_use


def _provided_names(name: str, text: str) -> set[str]:
    """Returns the names by which other files use a class: its own name, those of its supertypes,
    and those of the types of its beans."""
    names = {PurePath(name).stem}
    for match in _CLASS_HEAD.finditer(text):
        if keyword := _SUPERTYPES.search(match["head"]):
            names.update(re.findall(r"\b[A-Z]\w*", match["head"][keyword.end() :]))
    for match in _BEAN.finditer(text):
        names.update(re.findall(r"\b[A-Z]\w*", match["head"]))
    return names


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def _with_modules(program: Sequence[Source], modules: Sequence[Source]) -> list[Source]:
    """Returns a program and its start after the modules that these import, directly or not.

    The files share one scope, so that their imports of each other are removed.
    """
    imported_files, rest = list[Source](), [module for module in modules if module not in program]
    imported = {name for _, text in program for name in _imported_modules(text)}
    while next_files := [file for file in rest if PurePath(file[0]).stem in imported]:
        imported_files = [*next_files, *imported_files]
        rest = [file for file in rest if file not in next_files]
        imported = imported.union(*(_imported_modules(text) for _, text in next_files))
    files = [*imported_files, *program]
    stems = {PurePath(name).stem for name, _ in files}
    return [(name, _without_imports(text, stems)) for name, text in files]


def _imported_modules(text: str) -> Iterator[str]:
    """Yields the last names of the modules that a text imports or may import."""
    for match in _FROM_IMPORT.finditer(text):
        yield match["module"].rpartition(".")[2]
        yield from _words(match["names"])
    for match in _IMPORT.finditer(text):
        yield from _words(match["modules"])


def _without_imports(text: str, stems: set[str]) -> str:
    def assign_aliases(match: re.Match[str]) -> str:
        if match["margin"] or match["module"].rpartition(".")[2] not in stems:
            return match[0]
        assignments = [
            f"{alias['alias']} = {alias['name']}" for alias in _ALIAS.finditer(match["names"])
        ]
        return "; ".join(assignments) + "\n" * match[0].count("\n")

    return _FROM_IMPORT.sub(assign_aliases, text)


def _suffix(name: str) -> str:
    return PurePath(name).suffix


def _is_source(name: str) -> bool:
    return _suffix(name) in (*_JVM, *_PYTHON)
