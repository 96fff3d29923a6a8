"""Who a visitor is, without accounts: a session, which begins when there is something to keep."""

from __future__ import annotations

from django.http import HttpRequest

from labs.models import Experiment


def key(request: HttpRequest) -> str:
    """The key of the visitor's session; one begins if there is none."""
    if not request.session.session_key:
        request.session["visits"] = True  # an empty session is never sent to the browser
        request.session.save()
    return str(request.session.session_key)


def may_cancel(request: HttpRequest, experiment: Experiment) -> bool:
    """Whether this visitor started it. An operator cancels by `manage.py cancel`."""
    mine = request.session.session_key
    return bool(mine) and experiment.visitor == mine
