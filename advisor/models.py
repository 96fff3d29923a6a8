"""What the advisor keeps: descriptions of pipelines, each behind a permanent link."""

from __future__ import annotations

import secrets

from django.db import models

_SLUG_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""Nothing that is mistaken for something else when it is read aloud or typed."""
SLUG_LENGTH = 8


def new_slug() -> str:
    """31^8, some 850 thousand million, possibilities: not to be found by guessing."""
    return "".join(secrets.choice(_SLUG_ALPHABET) for _ in range(SLUG_LENGTH))


class Description(models.Model):
    """A pipeline as a team described it. Never changed once saved: its link is permanent.

    `data` is what `advisor.reasoning.serial` writes, `answer` the `reasoning.answer.Answer` that
    was given when it was saved, as `reasoning.plain` writes it, and `rules_version` that of the
    rules which gave it. `digest` is of all three, so that what is saved twice is kept once; empty
    where it was saved before there were digests. `answer` is null where it was saved before
    answers were kept.
    """

    slug = models.CharField(max_length=SLUG_LENGTH, primary_key=True, default=new_slug)
    data = models.JSONField()
    answer = models.JSONField(null=True)
    rules_version = models.CharField(max_length=16)
    digest = models.CharField(max_length=64, blank=True, default="", db_index=True)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.slug
