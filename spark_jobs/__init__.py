"""Plain PySpark programs: a ledger in, counts and a verdict out; they import nothing of ours."""
