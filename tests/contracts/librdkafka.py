"""The librdkafka inside the installed confluent-kafka, through its C interface.

The Python client cannot report the values in force; `rd_kafka_conf_dump` can.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from ctypes import CDLL, POINTER, byref, c_char_p, c_int, c_size_t, c_void_p, create_string_buffer
from functools import cache
from pathlib import Path
from typing import Any

import confluent_kafka
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer

PRODUCER, CONSUMER = 0, 1
_UNREACHABLE = {"bootstrap.servers": "127.0.0.1:1"}
_QUIET = logging.getLogger("contracts.librdkafka")
_QUIET.propagate = False
_QUIET.addHandler(logging.NullHandler())


def defaults() -> dict[str, str]:
    """Every default of the library: global settings, then those of topics."""
    library = _library()
    topics = _dump(library.rd_kafka_topic_conf_dump, library.rd_kafka_topic_conf_new())
    return topics | _dump(library.rd_kafka_conf_dump, library.rd_kafka_conf_new())


def values(kind: int, settings: Mapping[str, str]) -> dict[str, str]:
    """The values in force in a client made of these settings, which must be accepted."""
    library = _library()
    conf, error = library.rd_kafka_conf_new(), create_string_buffer(512)
    for key, value in (_UNREACHABLE | {"log_level": "0"} | dict(settings)).items():
        answer = library.rd_kafka_conf_set(conf, key.encode(), value.encode(), error, 512)
        assert answer == 0, error.value.decode()
    client = library.rd_kafka_new(kind, conf, error, 512)
    assert client, error.value.decode()
    try:
        results = _dump(library.rd_kafka_conf_dump, library.rd_kafka_conf(client))
        # A duplicate of the topic configuration would lose the library's own adjustments. The dump
        # has the address of the one in use.
        topic = results.pop("default_topic_conf", None)
        used = int(topic, 16) if topic else library.rd_kafka_topic_conf_new()
        return _dump(library.rd_kafka_topic_conf_dump, used) | results
    finally:
        library.rd_kafka_destroy(client)


def producer_refusal(settings: Mapping[str, str]) -> str | None:
    """Why `confluent_kafka.Producer` refuses these settings, or None if it starts."""
    try:
        Producer(_UNREACHABLE | dict(settings), logger=_QUIET)
    except KafkaException as refused:
        return _message(refused, "Failed to create producer: ")
    return None


def consumer_refusal(settings: Mapping[str, str]) -> str | None:
    """Why `confluent_kafka.Consumer` refuses these settings, or None if it starts."""
    all_settings = _UNREACHABLE | {"group.id": "contract"} | dict(settings)
    try:
        Consumer(all_settings, logger=_QUIET).close()
    except KafkaException as refused:
        return _message(refused, "Failed to create consumer: ")
    return None


def _message(refused: KafkaException, head: str) -> str:
    error: KafkaError = refused.args[0]
    return error.str().removeprefix(head).strip()


@cache
def _library() -> CDLL:
    package = Path(confluent_kafka.__file__).parent
    # The other bundled libraries are loaded by the import above; this finds the same one.
    library = CDLL(str(next(package.with_name("confluent_kafka.libs").glob("librdkafka*"))))
    pointer, text = c_void_p, c_char_p
    dump = ([pointer, POINTER(c_size_t)], POINTER(c_char_p))
    signatures: dict[str, tuple[list[Any], Any]] = {
        "rd_kafka_conf_new": ([], pointer),
        "rd_kafka_topic_conf_new": ([], pointer),
        "rd_kafka_conf_dump": dump,
        "rd_kafka_topic_conf_dump": dump,
        "rd_kafka_conf_set": ([pointer, text, text, text, c_size_t], c_int),
        "rd_kafka_new": ([c_int, pointer, text, c_size_t], pointer),
        "rd_kafka_conf": ([pointer], pointer),
        "rd_kafka_destroy": ([pointer], None),
    }
    for name, (arguments, result) in signatures.items():
        function = getattr(library, name)
        function.argtypes, function.restype = arguments, result
    return library


def _dump(function: Any, conf: int) -> dict[str, str]:
    count = c_size_t()
    flat = function(conf, byref(count))
    words = [flat[index].decode() for index in range(count.value)]
    return dict(zip(words[::2], words[1::2], strict=True))
