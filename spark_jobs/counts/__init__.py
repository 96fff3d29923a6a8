"""The counts: one family of anomalies per file, each a SELECT of evidence with weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Family:
    """Counts that one SELECT answers. All parts are Spark SQL.

    A count is the sum of its weight over `rows`. Rows whose weight is above 0 are examples of the
    anomaly; `shown` are the columns of an example.
    """

    rows: str
    weights: Mapping[str, str]
    shown: Sequence[str]
