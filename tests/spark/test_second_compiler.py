"""The classes that the JVM of a warm session compiles with C2, in second_compiler.json."""

from __future__ import annotations

import fnmatch
import re
import shlex
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pyspark
import pytest

from labs.engine.distributions.java import find_java
from spark_jobs.session import LASTING, SECOND_COMPILER

_JARS = Path(pyspark.__file__).parent / "jars"
_GENERATED = "org/apache/spark/sql/catalyst/expressions/GeneratedClass*"
"""Spark generates these classes while it runs."""
_CONNECTOR = "org/apache/spark/sql/kafka010/*"
"""The connector is in a jar of its own."""


def test_c2_compiles_the_code_for_rows_and_not_the_planner() -> None:
    java = find_java().path
    options = [*shlex.split(LASTING.jvm), "-XX:+CompilerDirectivesPrint", "-version"]
    output = subprocess.run([java, *options], capture_output=True, text=True, check=True).stdout
    rows, plans, rest = output.split("Directive:")[1:]
    assert _GENERATED in rows
    assert "Exclude:false" in rows.partition("c2 directives")[2]
    assert "org/apache/spark/sql/*.*" in plans
    assert "Exclude:true" in plans.partition("c2 directives")[2]
    assert "Exclude:true" not in plans.partition("c2 directives")[0] + rest


@pytest.mark.wide
def test_each_listed_class_exists_in_this_spark() -> None:
    """The methods of a class that Spark renamed would silently be left to C1."""
    classes: list[str] = []
    for jar in _JARS.glob("*.jar"):
        with ZipFile(jar) as archive:
            classes += (name.removesuffix(".class") for name in archive.namelist())
    lines = SECOND_COMPILER.read_text("utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.lstrip().startswith("//"))
    names = re.findall(r'"([^"]+)\.\*"', text)
    stale = [name for name in names if not fnmatch.filter(classes, name)]
    assert stale == [_GENERATED, _CONNECTOR]
