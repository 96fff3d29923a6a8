"""The size of the code base at commits: `python -m benchmarks.size [COMMIT…]`.

For each commit it prints the files and lines of Python without tests and migrations, by top folder;
the lines of tests and templates; the files at the root of each app; and the floors of
`labs.engine`: the modules in its longest chain of imports. The default is HEAD.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

_ENGINE = "labs/engine"
_NO_CODE = {"tests", "migrations"}


def main(commits: list[str]) -> None:
    """Prints one line per commit."""
    for commit in commits or ["HEAD"]:
        with tempfile.TemporaryDirectory() as folder:
            unpack(commit, Path(folder))
            print(f"{commit}: {', '.join(f'{n:,} {name}' for name, n in size(Path(folder)))}")


def unpack(commit: str, into: Path) -> None:
    """Extracts the tree of a commit into a folder."""
    archived = subprocess.run(["git", "archive", commit], capture_output=True, check=True).stdout
    archive = into / "tree.tar"
    archive.write_bytes(archived)
    with tarfile.open(archive) as tree:
        tree.extractall(into, filter="data")
    archive.unlink()


def size(tree: Path) -> Iterator[tuple[str, int]]:
    """Yields each figure with its name."""
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for file in sorted(tree.rglob("*.py")):
        place = file.relative_to(tree)
        kind = "tests" if place.parts[0] == "tests" else "code"
        if kind == "code" and _NO_CODE & {*place.parts}:
            continue
        top = place.parts[0] if kind == "code" else "tests"
        files[kind] += 1
        for name in {kind, top}:
            lines[name] += len(file.read_text("utf-8").splitlines())
    yield "files of code", files["code"]
    yield from ((f"lines of {name}", count) for name, count in lines.most_common())
    templates = (file.read_text("utf-8").splitlines() for file in tree.rglob("*.html"))
    yield "lines of templates", sum(map(len, templates))
    for app in ("advisor", "labs", _ENGINE):
        yield f"files at the root of {app}", len([*(tree / app).glob("*.py")])
    yield f"floors of {_ENGINE}", floors(imports(tree))


def imports(tree: Path) -> dict[str, set[str]]:
    """Module of the engine → the modules of the engine that it imports."""
    paths = {file: ".".join(file.relative_to(tree).with_suffix("").parts)
             for file in (tree / _ENGINE).rglob("*.py")}  # fmt: skip
    names = set(paths.values())
    graph = {}
    for file, name in paths.items():
        imported = set(_imported_names(ast.parse(file.read_text("utf-8"))))
        graph[name] = {other for other in imported & names if other != name}
    return graph


def _imported_names(module: ast.Module) -> Iterator[str]:
    """Yields every module that the import statements may name, except those within functions."""
    for statement in module.body:
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            yield str(statement.module)
            yield from (f"{statement.module}.{alias.name}" for alias in statement.names)


def floors(graph: Mapping[str, set[str]]) -> int:
    """The length of the longest chain of imports. The graph must not have a cycle."""

    @cache
    def height(name: str) -> int:
        return 1 + max(map(height, graph[name]), default=0)

    return max(map(height, graph))


if __name__ == "__main__":
    main(sys.argv[1:])
