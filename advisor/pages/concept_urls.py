"""The addresses of the concepts."""

from __future__ import annotations

from django.urls import path

from advisor.pages import concept_views as views

app_name = "concepts"
urlpatterns = [
    path("", views.index, name="index"),
    path("<slug:name>/", views.concept, name="concept"),
]
