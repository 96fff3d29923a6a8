"""What is counted: one family of anomalies a file, each a frame of evidence and its weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame


@dataclass(frozen=True, slots=True)
class Family:
    """Counts that one frame answers.

    A count is the sum of its weight over `rows`; rows whose weight is above 0 are the anomaly's
    examples, shown by the columns `shown`.
    """

    rows: DataFrame
    weights: Mapping[str, Column]
    shown: Sequence[Column]
