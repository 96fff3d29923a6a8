"""The addresses of the site."""

from __future__ import annotations

from django.contrib.auth.views import LogoutView
from django.urls import include, path

from config.operators import OperatorView

urlpatterns = [
    path("", include("advisor.urls")),
    path("operator/", OperatorView.as_view(), name="login"),
    path("operator/leave/", LogoutView.as_view(), name="logout"),
    path("", include("labs.urls")),
]
handler500 = "config.errors.failed"
