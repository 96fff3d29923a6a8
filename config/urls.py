"""Every address of the site."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("", include("advisor.urls")),
    path("reference/", include("advisor.reference_urls")),
    path("", include("labs.urls")),
]
handler500 = "config.errors.failed"
