"""The producer byte rate of every client, set and read as kafka-configs.sh does (KIP-546).

DescribeClientQuotas has the API key 48 and AlterClientQuotas 49; both are used in their first
flexible version, 1, which brokers from 3.3 to 4.3 support. A quota applies to each broker
separately.
"""

from __future__ import annotations

import struct

from labs.engine.protocol.wire import TEXT, check_error, compact, request

_DESCRIBE, _ALTER = (48, 1), (49, 1)
_ENTITY, _RATE = "client-id", "producer_byte_rate"
_DEFAULT, _ONE = 1, b"\x02"
"""The match type for every client without its own quota; the length of an array of one."""


def limit(port: int, bytes_per_s: float | None, limit_s: float) -> None:
    """Limits each client to `bytes_per_s`, or removes the limit if that is None.

    Raises `OSError` if there was no response in `limit_s` seconds or the broker refused.
    """
    entity = _ONE + compact(_ENTITY) + b"\0" + b"\0"
    rate, removed = bytes_per_s or 0.0, bytes_per_s is None
    change = _ONE + compact(_RATE) + struct.pack(">d?", rate, removed) + b"\0"
    reader = request(port, _ALTER, _ONE + entity + change + b"\0" + b"\0" + b"\0", limit_s)
    # throttle; entries: error, message, entity
    _, entries = reader.fields("i", ["h", TEXT, [TEXT, TEXT]])
    for error, *_ in entries or ():
        check_error(error)


def limited_to(port: int, limit_s: float) -> float | None:
    """Returns how many bytes per second each client may write; None if there is no limit."""
    component = _ONE + compact(_ENTITY) + struct.pack(">b", _DEFAULT) + b"\0" + b"\0"
    reader = request(port, _DESCRIBE, component + b"\0" + b"\0", limit_s)
    # throttle, error, message; entries: entity, values: name, rate
    _, error, _, entries = reader.fields("ih", TEXT, [[TEXT, TEXT], [TEXT, "d"]])
    check_error(error)
    return next((rate for _, values in entries or () for _, rate in values or ()), None)
