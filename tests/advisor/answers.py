"""Saved answers of older rules, and the pages that show them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from django.test import Client
from django.urls import reverse

from advisor.models import Description
from advisor.reasoning.answer import Answer, answer
from advisor.reasoning.guarantees import Boundary, Guarantee
from advisor.reasoning.plain_data import to_plain
from advisor.reasoning.serial import to_data
from tests.advisor.pipelines import described
from tests.reading import html_of

RISKY = {"producer.acks": "1", "topic.replication.factor": "3", "topic.min.insync.replicas": "1"}


def older(today: Answer) -> Answer:
    """An answer as older rules might give it: milder, with fewer findings and changes."""
    current = today.judgement
    worse = next(failure for failure in current.failures if failure.breaks)
    judgement = replace(
        current,
        guarantees={**current.guarantees, Boundary.PRODUCER_TO_LOG: Guarantee.AT_MOST_ONCE},
        failures=tuple(
            replace(failure, permits={}, breaks=False) if failure is worse else failure
            for failure in current.failures
        ),
        findings=current.findings[1:],
    )
    columns = tuple(
        replace(
            column, changes=tuple(change for change in column.changes if change.setting == "acks")
        )
        for column in today.columns
    )
    return replace(today, judgement=judgement, columns=columns)


def saved(
    fields: dict[str, str], keep: Answer | None = None, rules: str = "1", **more: object
) -> str:
    pipeline = described(fields)
    plain_answer = to_plain(keep or answer(pipeline))
    values = {"data": to_data(pipeline), "answer": plain_answer, "rules_version": rules} | more
    slug: str = Description.objects.create(**values).slug
    return slug


def get(client: Client, name: str, slug: str) -> Any:
    return client.get(reverse(f"advisor:{name}", args=[slug]))


def page_text(client: Client, name: str, slug: str) -> str:
    response = get(client, name, slug)
    assert response.status_code == 200
    return re.sub(r"<[^>]+>", " ", html_of(response))
