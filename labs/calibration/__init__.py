"""Checks the advisor's claims with runs: which settings to try, and what the runs showed.

Without Django. `labs.evidence.trials` runs the edges of `edges` and stores the results; `table`
compares them with the predictions.
"""
