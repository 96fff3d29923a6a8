"""What is counted: one family of anomalies a file, each a SELECT of evidence and its weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Family:
    """Counts that one SELECT answers; all parts are texts of Spark SQL.

    A count is the sum of its weight over `rows`; rows whose weight is above 0 are the anomaly's
    examples, shown by the columns `shown`.
    """

    rows: str
    weights: Mapping[str, str]
    shown: Sequence[str]
