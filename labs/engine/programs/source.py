"""Java programs of ours, compiled when their JVM starts, so that no Java compiler is needed.

Janino, whose jars pyspark brings, does it. It takes one file: what every program has in common
(`Owner.java`) is appended to its own. A program's log goes to standard error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from labs.engine.base.processes import ROOT
from labs.engine.cluster.jvm import LOG4J_1, LOG4J_2
from labs.engine.distributions import ivy

_SOURCES = ROOT / "labs" / "engine" / "clients"
_COMMON = "Owner.java"
_COMPILER = ("janino", "commons-compiler")


def compiler() -> Iterator[Path]:
    """The jars that must stand behind those which a program is compiled against."""
    brought = ivy.ivy_jar().parent
    for name in _COMPILER:
        yield from brought.glob(f"{name}-[0-9]*.jar")


def command(
    java: Sequence[str], class_path: str, program: str, arguments: Sequence[str], folder: Path
) -> tuple[str, ...]:
    """The command of a program, by its class's name; `folder` receives its files.

    `java` is the JVM with its options; `class_path` has the compiler's jars.
    """
    source, one, two = (
        folder / name for name in (f"{program}.java", "java-log4j.properties",
                                   "java-log4j2.properties")
    )  # fmt: skip
    texts = ((_SOURCES / name).read_text("utf-8") for name in (source.name, _COMMON))
    source.write_text("".join(texts), "utf-8")
    one.write_text(LOG4J_1, "ascii")
    two.write_text(LOG4J_2, "ascii")
    logging = (f"-Dlog4j.configuration=file:{one}", f"-Dlog4j2.configurationFile={two}")
    compiled = ("org.codehaus.janino.SimpleCompiler", str(source), program)
    return (*java, *logging, "-cp", class_path, *compiled, *arguments)
