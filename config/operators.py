"""The operator's account: one, whose password is `LAB_OPERATOR_PASSWORD`."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model

NAME = "operator"


def keep(**_: Any) -> None:
    """Gives the account the password of the settings, or takes it away where there is none.

    Called after each `migrate`. A new password ends the sessions that were begun with the old one.
    """
    found, _is_new = get_user_model().objects.get_or_create(username=NAME)
    given = settings.LAB_OPERATOR_PASSWORD
    if not given:
        found.set_unusable_password()
    elif not found.check_password(given):
        found.set_password(given)
    found.is_active = bool(given)
    found.save()
