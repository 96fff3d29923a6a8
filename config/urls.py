"""Every address of the site."""

from __future__ import annotations

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path

urlpatterns = [
    path("", include("advisor.urls")),
    path("concepts/", include("advisor.pages.concept_urls")),
    path("reference/", include("advisor.pages.reference_urls")),
    path("advisories/", include("advisor.pages.advisory_urls")),
    path("operator/", LoginView.as_view(http_method_names=["get", "head", "post"]), name="login"),
    path("operator/leave/", LogoutView.as_view(), name="logout"),
    path("", include("labs.urls")),
]
handler500 = "config.errors.failed"
