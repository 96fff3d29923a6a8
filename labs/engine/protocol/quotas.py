"""The quota on what every client may write: set and asked for as kafka-configs.sh does (KIP-546).

DescribeClientQuotas has the API key 48, AlterClientQuotas 49, both in their first flexible
version, 1; brokers from 3.3 to 4.3 know both. A quota holds for each broker by itself.
"""

from __future__ import annotations

import struct

from labs.engine.protocol.wire import Flexible, compact, request

_DESCRIBE, _ALTER = (48, 1), (49, 1)
_ENTITY, _RATE = "client-id", "producer_byte_rate"
_DEFAULT, _ONE = 1, b"\x02"
"""Every client that has no quota of its own; an array of one."""


def limit(port: int, bytes_per_s: float | None, limit_s: float) -> None:
    """Lets each client write so many bytes a second, or as many as it can.

    Raises `OSError` if no answer came in `limit_s` seconds or the broker refused.
    """
    entity = _ONE + compact(_ENTITY) + b"\0" + b"\0"
    rate, removed = bytes_per_s or 0.0, bytes_per_s is None
    change = _ONE + compact(_RATE) + struct.pack(">d?", rate, removed) + b"\0"
    reader = request(port, _ALTER, _ONE + entity + change + b"\0" + b"\0" + b"\0", limit_s)
    reader.number(">i")  # throttle
    reader.array(lambda: _altered(reader))


def limited_to(port: int, limit_s: float) -> float | None:
    """How many bytes a second each client may write; None where that is not limited."""
    wish = _ONE + compact(_ENTITY) + struct.pack(">b", _DEFAULT) + b"\0" + b"\0"
    reader = request(port, _DESCRIBE, wish + b"\0" + b"\0", limit_s)
    reader.number(">i")  # throttle
    _accept(reader.number(">h"))
    reader.text()
    results = reader.array(lambda: _entry(reader)) or ()
    return next((rate for rates in results for rate in rates), None)


def _altered(reader: Flexible) -> None:
    error = reader.number(">h")
    _accept(error)
    reader.text()
    reader.array(lambda: _entity(reader))
    reader.tags()


def _entry(reader: Flexible) -> tuple[float, ...]:
    reader.array(lambda: _entity(reader))
    rates = reader.array(lambda: _value(reader)) or ()
    reader.tags()
    return rates


def _entity(reader: Flexible) -> None:
    reader.text()
    reader.text()
    reader.tags()


def _value(reader: Flexible) -> float:
    reader.text()
    (rate,) = reader.take(">d")
    reader.tags()
    return float(rate)


def _accept(error: int) -> None:
    if error:
        raise ConnectionError(f"the broker refused with error {error}")
