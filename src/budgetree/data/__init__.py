"""From files, frames and arrays to one kind of table, and from its columns to codes.

    CSV files ──── csv ────┐ by DuckDB
    Parquet files ─ parquet┤ (duckdb)
    workbook ───── workbook│                            ┌─ encoders ── outcome codes
    data frame ─── frames ─┼──► Table of Columns ───────┤
    array ──────── frames  │    (table, column)         └─ profile ─── class codes
    bundled set ── datasets┘

`source` tells which reader a file wants and holds what a user says about it; `number_format` tells numbers from words.
"""
