"""The Django project: settings, the processes of `manage.py up`, the checks of `doctor`."""
