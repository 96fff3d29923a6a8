"""A JVM of which Python can call any class, through py4j, which pyspark brings."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

from labs.engine.distributions.java import find_java
from labs.engine.distributions.spark_java import pyspark_jars

_BROUGHT = ("slf4j-api", "lz4-java", "janino", "commons-compiler")


@contextmanager
def gateway(jars: Iterable[Path]) -> Iterator[JavaGateway]:
    """A JVM with these jars and a few that pyspark brings (logging, a compiler); gone at the end.

    Raises `java.JavaMissing`.
    """
    pyspark = pyspark_jars()
    brought = [jar for name in _BROUGHT for jar in pyspark.glob(f"{name}-[0-9]*.jar")]
    with Path(os.devnull).open("w", encoding="utf-8") as output:
        port, token, java = launch_gateway(
            jarpath=str(next(pyspark.glob("py4j-*.jar"))),
            classpath=os.pathsep.join(map(str, [*jars, *brought])),
            java_path=str(find_java().path), die_on_exit=True, enable_auth=True,
            redirect_stdout=output, redirect_stderr=output,
            return_proc=True,
        )  # fmt: skip
        address = GatewayParameters(port=port, auth_token=token, auto_convert=True)
        opened = JavaGateway(gateway_parameters=address)
        try:
            yield opened
        finally:
            opened.shutdown()
            java.kill()  # what a client left running would keep it, as long as we live
            java.stdin.close()
            java.wait()  # its output is py4j's thread's to read and close
