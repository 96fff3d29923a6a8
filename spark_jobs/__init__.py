"""Plain PySpark programs: a ledger in, counts and a verdict out. They import nothing else of ours."""
