"""Texts that are no longer kept go from what was saved before (advisor/catalog/texts.py)."""

from typing import Any

from django.db import migrations

from advisor.catalog.texts import forget


def _forget(apps: Any, schema_editor: Any) -> None:
    for row in apps.get_model("advisor", "Description").objects.all().iterator(chunk_size=100):
        settings = row.data.get("settings", {})
        data, answer = forget(row.data, settings), forget(row.answer, settings)
        if (data, answer) != (row.data, row.answer):
            row.data, row.answer, row.digest = data, answer, ""
            row.save(update_fields=["data", "answer", "digest"])


class Migration(migrations.Migration):
    dependencies = [("advisor", "0003_description_digest")]
    operations = [migrations.RunPython(_forget, migrations.RunPython.noop)]
