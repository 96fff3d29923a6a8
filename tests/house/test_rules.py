"""House rules that no linter has, checked in every file of the project."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from tests.house.files import ROOT, files, name

MOST_LINES = 450
MOST_FUNCTION_LINES = 40
THIRD_PARTY_TEXTS = {"LICENSE"}

# The patterns are joined from halves, so that this file does not match them.
TODO_MARKS = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X"]) + r")\b")
MACHINE_ADDRESSES = re.compile(
    "|".join(
        [
            r"pypi\." + "org",
            "python" + r"hosted\.org",
            r"repo\d?\.maven" + r"\.",
            r"registry\." + "npmjs",
            r"(?<![\w.])/work" + "/",
            "/tmp/" + "lab",
            "/ro" + "ot/",
            "/home/" + r"\w+/",
        ]
    )
)

PRIVATE = re.compile(
    r"\._[a-z]|setattr\(\w+, \"_[a-z]"
    r"|^from (?:advisor|config|labs|spark_jobs)\S* import .*\b_[a-z]",
    re.MULTILINE,
)
PRIVATE_OF_LIBRARIES = re.compile(
    r": from confluent_kafka|\b(?:self|cls|os|super\(\))\._[a-z]"
    r"|\._(?:replace|default_manager|jsc|gateway)\b"
)
"""Named tuples, Django's models, and parts of PySpark and librdkafka without a public name."""


def python_files() -> list[Path]:
    return [path for path in files("*.py") if "migrations" not in path.parts]


def matches(pattern: re.Pattern[str], below: str = "") -> list[str]:
    """The lines that match a pattern, with file and number, in all our texts or below a folder."""
    return [
        f"{place}:{number}: {line.strip()}"
        for place, text in _texts()
        if place.startswith(below) and pattern.search(text)
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


@cache
def _texts() -> list[tuple[str, str]]:
    texts = []
    for path in files():
        with suppress(UnicodeDecodeError):  # an image
            texts.append((name(path), path.read_text("utf-8")))
    return [(place, text) for place, text in texts if place not in THIRD_PARTY_TEXTS]


def nodes(path: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(path.read_text("utf-8")))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yields the functions, methods and inner functions of a file.

    Expressions have none and are skipped: they are most of a tree.
    """
    pending: list[ast.AST] = [ast.parse(path.read_text("utf-8"))]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, part, ())
            pending += inner if isinstance(inner, list) else ()


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The number of its lines without the docstring: documentation must not cost code."""
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    if ast.get_docstring(function) is not None:
        docstring = function.body[0]
        lines -= (docstring.end_lineno or docstring.lineno) - docstring.lineno + 1
    return lines


def test_files_are_short_enough():
    too_long = {
        name(path): lines
        for path in python_files()
        if (lines := len(path.read_text("utf-8").splitlines())) >= MOST_LINES
    }
    assert not too_long


def test_functions_are_short_enough():
    too_long = {
        f"{name(path)}:{function.lineno} {function.name}": lines
        for path in python_files()
        for function in functions(path)
        if (lines := lines_of(function)) >= MOST_FUNCTION_LINES
    }
    assert not too_long


def test_there_are_no_todo_marks():
    assert not matches(TODO_MARKS)


def test_no_address_of_a_registry_and_no_path_of_a_machine():
    assert not matches(MACHINE_ADDRESSES)


def test_tests_wait_for_conditions_and_never_sleep():
    assert not calls_in_tests("sleep", "wait_for_timeout")


def test_tests_use_only_public_names():
    assert not [
        line for line in matches(PRIVATE, "tests/")
        if not PRIVATE_OF_LIBRARIES.search(line)
    ]  # fmt: skip


def test_no_test_is_skipped():
    assert not calls_in_tests("skip", "skipif", "importorskip", "xfail")


def calls_in_tests(*names: str) -> list[str]:
    return [
        f"{name(path)}:{node.lineno}"
        for path in files("tests/*.py")
        if any(f"{word}(" in path.read_text("utf-8") for word in names)
        for node in nodes(path)
        if isinstance(node, ast.Call) and called_name(node) in names
    ]


def test_gitignore_has_only_plain_names():
    lines = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    assert not [line for line in lines if not re.fullmatch(r"[\w.*-]+/?", line)]


def test_no_external_program_is_run_for_what_python_and_proc_provide():
    """A minimal system has none of these programs, and `make test` needs none."""
    absent = {"git", "kill", "killall", "lsof", "pgrep", "pkill", "ps", "ss", "which"}
    assert not [
        f"{name(path)}:{node.lineno}"
        for path in python_files()
        if any(f'"{word}"' in path.read_text("utf-8") for word in absent)
        for node in nodes(path)
        if isinstance(node, ast.List | ast.Tuple) and isinstance(node.ctx, ast.Load)
        if (words := [getattr(element, "value", None) for element in node.elts])
        if words[0] in absent and len(words) > 1 and str(words[1]).startswith("-")
    ]


def called_name(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def test_decisions_are_numbered_and_dated():
    decisions = files("docs/decisions/0*.md")
    assert decisions, "there is at least the one about dependencies"
    numbers = []
    for path in decisions:
        assert re.fullmatch(r"\d{4}-[a-z0-9-]+", path.stem), f"{name(path)}: NNNN-words.md"
        numbers.append(path.stem[:4])
        head = "\n".join(path.read_text("utf-8").splitlines()[:6])
        assert re.search(r"\b20\d\d-\d\d-\d\d\b", head), f"{name(path)} says no date at its top"
    assert len(numbers) == len(set(numbers)), f"a number is used twice: {numbers}"


def test_the_index_of_decisions_names_each_by_its_title() -> None:
    index = (ROOT / "docs/decisions/README.md").read_text("utf-8")
    for path in files("docs/decisions/0*.md"):
        title = path.read_text("utf-8").splitlines()[0].partition(" · ")[2]
        row = f"- [{path.stem[:4]}]({path.name}) {title}"
        assert any(line.startswith(row) for line in index.splitlines()), row


def test_every_module_postpones_the_evaluation_of_annotations():
    missing = [
        name(path)
        for path in python_files()
        if path.name != "__init__.py"
        and "from __future__ import annotations" not in path.read_text("utf-8")
    ]
    assert not missing


def test_locks_have_hashes_and_no_addresses():
    for lock in files("config/locks/*.txt"):
        text = lock.read_text("utf-8")
        assert "://" not in text, name(lock)
        pins = re.findall(r"^[\w.-]+==\S+", text, re.MULTILINE)
        blocks = re.findall(
            r"^[\w.-]+==[^\n]*\\\n    --hash=sha256:[0-9a-f]{64}", text, re.MULTILINE
        )
        assert pins, name(lock)
        assert len(pins) == len(blocks), name(lock)


def test_every_dependency_is_explained():
    declared = (ROOT / "pyproject.toml").read_text("utf-8")
    packages = re.findall(r'^  "([a-z][\w-]*)', declared.split("[tool.")[0], re.MULTILINE)
    explained = (ROOT / "docs/decisions/0001-dependencies.md").read_text("utf-8").lower()
    assert not [package for package in packages if package not in explained]


def test_the_architecture_lists_every_package() -> None:
    listed: dict[str, set[str]] = {}
    jvm, python = "advisor/intake/programs/jvm", "advisor/intake/programs/python"
    inner = (jvm, "advisor/intake", "advisor/reasoning", "labs/engine", "labs/pages")
    place = ""
    for line in (ROOT / "docs" / "architecture.md").read_text("utf-8").splitlines():
        if table := re.match(rf"(?:\| |The rooms of )`(advisor|labs|{'|'.join(inner)})/`", line):
            place = table[1]
        elif line.startswith("#"):
            place = ""
        elif place and (row := re.match(r"\| `(\w+)`", line)):
            listed.setdefault(place, set()).add(row[1])
    django = {"management", "migrations", "templatetags"}
    listed[python] = listed[jvm] - {"trees"}
    for place in ("advisor", "labs", python, *inner):
        packages = {
            path.relative_to(ROOT / place).parts[0]
            for path in python_files()
            if path.is_relative_to(ROOT / place) and path.parent != ROOT / place
        }
        assert listed[place] == packages - django, f"rooms of {place}"


def test_the_architecture_names_only_existing_files_and_modules() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    paths = set(re.findall(r"(?:`|^ {4,})((?:\w+/)+[\w.]*+(?!-))", text, re.MULTILINE))
    modules = set(re.findall(r"^ {4,}((?:config|labs)(?:\.\w+)+)", text, re.MULTILINE))
    assert {"spark_jobs/verify.py", "advisor/reasoning/failures/"} <= paths
    assert {"config.web", "labs.engine.run.keeper"} <= modules
    paths |= {f"{module.replace('.', '/')}.py" for module in modules - {"labs.engine.clients"}}
    assert not [path for path in paths if not (ROOT / path).exists()]
