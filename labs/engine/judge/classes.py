"""The class-data archive of Spark (AppCDS), which halves the CPU time of starting a session.

`python -m labs.engine.judge.classes` makes it, once for each Java and each pyspark: half a minute
(`make setup` and the image run it). Without the archive Spark only starts more slowly.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from labs.engine.base.processes import ROOT, end, spawn
from labs.engine.base.wait import WaitTimeout, until
from labs.engine.distributions import classes
from labs.engine.distributions.download import Progress
from labs.engine.distributions.java import Java, find_java
from labs.engine.distributions.spark_java import pyspark_jars, quoted, spark_home

_TRAIN_LIMIT_S = 300.0


def archive_options(java: Java) -> tuple[str, ...]:
    """Options of Spark's JVM that map the archive, if there is one; else none.

    The JVM logs an archive that does not match to standard error, because standard output may be
    read as an answer.
    """
    try:
        options = _archive(java).options
    except OSError:  # there is no cache folder, and none can be made: judging works without
        return ()
    return (*options, "-Xlog:disable", "-Xlog:all=warning:stderr") if options else ()


def make_archive(java: Java, progress: Progress) -> None:
    """Makes the archive, unless it exists or an earlier attempt failed."""
    jars = [*pyspark_jars().glob("*.jar")]
    archive = _archive(java)
    if not archive.settled(jars):
        progress(f"preparing Spark for Java {java.version}: class archive (once, half a minute)")
    archive.make(jars, lambda folder: _train(java, folder), (WaitTimeout,))


def _archive(java: Java) -> classes.Archive:
    return classes.archive(f"spark-{version('pyspark')}", java, str(pyspark_jars()))


def _train(java: Java, folder: Path) -> Path:
    """Runs a short judging, then archives the classes that Spark loaded; returns the archive."""
    loaded, log = folder / "classes.txt", folder / "spark.log"
    options = (f"-XX:DumpLoadedClassList={loaded}", f"-Djava.io.tmpdir={folder}")
    environment = {
        **os.environ, "JAVA_HOME": str(spark_home(java)), "SPARK_LOCAL_DIRS": str(folder),
        "SPARK_SUBMIT_OPTS": " ".join(map(quoted, options)),
    }  # fmt: skip
    program: list[str | Path] = [sys.executable, ROOT / "spark_jobs" / "train.py", folder]
    process = spawn(program, log=log, env=environment)
    try:
        until(lambda: process.poll() is not None, _TRAIN_LIMIT_S, "Spark judges a synthetic ledger",
              awaits="for Spark to list its classes")  # fmt: skip
    finally:
        code = end(process, grace_s=0)
    if code != 0:
        log_end = log.read_text("utf-8", "replace")[-1000:]
        raise subprocess.SubprocessError(f"the training of Spark ended with code {code}: {log_end}")
    return classes.dump(java, loaded, (folder / "class_path").read_text("utf-8"))


if __name__ == "__main__":
    make_archive(find_java(), lambda line: print(line, file=sys.stderr, flush=True))  # noqa: T201
