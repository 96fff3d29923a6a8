"""The house: settings, the processes of `manage.py up`, what `manage.py doctor` knows."""
