"""A ledger of many millions, judged by Spark and counted by pandas, Polars and DuckDB."""
