"""All stories: small histories with their counts, grouped by topic."""

from __future__ import annotations

from tests.spark.stories.base import Story
from tests.spark.stories.effects import EFFECTS, TIME
from tests.spark.stories.keys import KEYS
from tests.spark.stories.order import ORDER, REPLICAS
from tests.spark.stories.reading import READING
from tests.spark.stories.transactions import TRANSACTIONS
from tests.spark.stories.values import VALUES

STORIES: list[Story] = [
    *VALUES, *READING, *ORDER, *KEYS, *REPLICAS, *TRANSACTIONS, *EFFECTS, *TIME,
]  # fmt: skip
