"""From files, frames and arrays to codes: Source → Table of Columns → ColumnProfile → encoder → codes.

    CSV files ──── csv ──────┐ by DuckDB (duckdb)                ┌─ profile ── encoders ── outcome codes
    Parquet files ─ parquet ─┤                                   │
    workbook ───── workbook ─┼──► Table of Columns ──────────────┼─ profile ── class codes
    data frame ─── frames ───┤    (table, column)                │
    array ──────── frames ───┘                                   └─ checks ─── findings

`source` tells which of them a file is and holds what a user says about it; a table in parts has a profile of each part,
and the profiles merge to that of the whole. `number_format` tells numbers from words.
"""
