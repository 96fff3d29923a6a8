"""Checks the advisor's claims with runs: which settings to try, and what the runs show.

Pure of Django: `labs.evidence.trials` runs what `edges` draws and keeps it, `table` reads it back.
"""
