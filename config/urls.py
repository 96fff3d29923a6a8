"""Every address of the site."""

from __future__ import annotations

from importlib.util import find_spec

from django.urls import include, path

urlpatterns = [path("", include(room)) for room in ("advisor.urls", "labs.urls") if find_spec(room)]
