"""The training run for the class archive: `python spark_jobs/train.py FOLDER`.

Its JVM lists the classes that it loads. It judges a synthetic ledger as a small one and as a larger
one, writes the class path of the JVM to `FOLDER/class_path`, and waits for the end of the JVM.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> None:
    """Runs the program with the parent folder as the import path."""
    if not __package__:
        sys.path[0] = str(Path(__file__).resolve().parent.parent)
    from spark_jobs.judging import judge
    from spark_jobs.practice import write
    from spark_jobs.session import BRIEF, start

    folder = Path(sys.argv[1])
    spark = start("delivery-lab-train", "local[2]", kind=BRIEF)
    ledger = folder / "ledger"
    write(spark, ledger)
    judge(spark, ledger, small=True)
    judge(spark, ledger, small=False, large=False)
    context = spark.sparkContext
    path = context._jvm.System.getProperty("java.class.path")  # type: ignore[union-attr]
    (folder / "class_path").write_text(path, "utf-8")
    java = context._gateway.proc  # type: ignore[union-attr]  # no public way to it
    spark.stop()
    # The JVM ends when its standard input closes, and then has written its list.
    java.stdin.close()
    java.wait()


if __name__ == "__main__":
    main()
