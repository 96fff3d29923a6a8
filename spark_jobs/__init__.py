"""Plain PySpark programs: a ledger in, counts and a verdict out. They import none of our packages."""
