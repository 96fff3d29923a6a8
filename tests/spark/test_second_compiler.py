"""What the JVM of a warm session compiles twice: it has heard, and the names are of this Spark."""

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
_MADE = "org/apache/spark/sql/catalyst/expressions/GeneratedClass*"
"""Spark makes these while it runs."""
_OF_THE_CONNECTOR = "org/apache/spark/sql/kafka010/*"
"""These are in a jar of their own."""


def test_rows_go_through_what_is_compiled_twice_and_plans_do_not() -> None:
    java = find_java().path
    options = [*shlex.split(LASTING.jvm), "-XX:+CompilerDirectivesPrint", "-version"]
    said = subprocess.run([java, *options], capture_output=True, text=True, check=True).stdout
    rows, plans, rest = said.split("Directive:")[1:]
    assert _MADE in rows
    assert "Exclude:false" in rows.partition("c2 directives")[2]
    assert "org/apache/spark/sql/*.*" in plans
    assert "Exclude:true" in plans.partition("c2 directives")[2]
    assert "Exclude:true" not in plans.partition("c2 directives")[0] + rest


@pytest.mark.wide
def test_each_name_is_one_of_this_spark() -> None:
    """A name that Spark has given up would leave its methods to the first compiler, unseen."""
    classes: list[str] = []
    for jar in _JARS.glob("*.jar"):
        with ZipFile(jar) as opened:
            classes += (name.removesuffix(".class") for name in opened.namelist())
    lines = SECOND_COMPILER.read_text("utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.lstrip().startswith("//"))
    names = re.findall(r'"([^"]+)\.\*"', text)
    stale = [name for name in names if not fnmatch.filter(classes, name)]
    assert stale == [_MADE, _OF_THE_CONNECTOR]
