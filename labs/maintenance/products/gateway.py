"""A JVM whose classes Python can call through py4j, which pyspark includes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

from labs.engine.distributions.java import find_java
from labs.engine.distributions.spark_java import pyspark_jars

_PYSPARK_JARS = ("slf4j-api", "lz4-java", "janino", "commons-compiler")


@contextmanager
def gateway(jars: Iterable[Path]) -> Iterator[JavaGateway]:
    """A JVM with these jars and a few from pyspark (logging, a compiler), ended on exit.

    Raises `java.JavaMissing`.
    """
    pyspark = pyspark_jars()
    extra = [jar for name in _PYSPARK_JARS for jar in pyspark.glob(f"{name}-[0-9]*.jar")]
    with Path(os.devnull).open("w", encoding="utf-8") as output:
        port, token, java = launch_gateway(
            jarpath=str(next(pyspark.glob("py4j-*.jar"))),
            classpath=os.pathsep.join(map(str, [*jars, *extra])),
            java_path=str(find_java().path), die_on_exit=True, enable_auth=True,
            redirect_stdout=output, redirect_stderr=output,
            return_proc=True,
        )  # fmt: skip
        address = GatewayParameters(port=port, auth_token=token, auto_convert=True)
        jvm_gateway = JavaGateway(gateway_parameters=address)
        try:
            yield jvm_gateway
        finally:
            jvm_gateway.shutdown()
            java.kill()  # threads of a client could keep it running
            java.stdin.close()
            java.wait()  # a thread of py4j reads and closes its output
