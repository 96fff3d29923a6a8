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

    `data` is what `advisor.reasoning.serial` writes; `rules_version` is that of the answers
    given when it was saved.
    """

    slug = models.CharField(max_length=SLUG_LENGTH, primary_key=True, default=new_slug)
    data = models.JSONField()
    rules_version = models.CharField(max_length=16)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.slug
