"""Texts that are no longer kept go from what was saved before (advisor/catalog/texts.py)."""

from typing import Any

from django.db import migrations

from advisor.catalog.texts import forget


def _forget(apps: Any, schema_editor: Any) -> None:
    for row in apps.get_model("labs", "Experiment").objects.all().iterator(chunk_size=100):
        spec = row.spec
        for arm in row.spec.get("arms", ()):
            spec = forget(spec, arm["settings"])
        if spec != row.spec:
            row.spec = spec
            row.save(update_fields=["spec"])
    for row in apps.get_model("labs", "Run").objects.all().iterator(chunk_size=100):
        settings, result = forget(row.settings, row.settings), forget(row.result, row.settings)
        if (settings, result) != (row.settings, row.result):
            row.settings, row.result = settings, result
            row.save(update_fields=["settings", "result"])
    for row in apps.get_model("labs", "Trial").objects.all().iterator(chunk_size=100):
        pipelines = {
            arm: forget(data, data.get("settings", {})) for arm, data in row.pipelines.items()
        }
        if pipelines != row.pipelines:
            row.pipelines = pipelines
            row.save(update_fields=["pipelines"])


class Migration(migrations.Migration):
    dependencies = [("labs", "0005_worker")]
    operations = [migrations.RunPython(_forget, migrations.RunPython.noop)]
