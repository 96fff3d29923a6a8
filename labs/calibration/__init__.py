"""The advisor's claims held against runs: which settings to try, and what the runs then say.

Pure of Django: `labs.evidence.trials` runs what `edges` draws and keeps it, `table` reads it back.
"""
