"""From files, frames and arrays to one kind of table, and from its columns to codes.

    CSV files ──── csv_source, csv_file ┐
    Parquet files ─ parquet_file ───────┤ by DuckDB (database)
    workbook ───── excel_file           │                      ┌─ encoding ── outcome codes
    data frame ─── frames ──────────────┼──► Table of Columns ─┤
    array ──────── arrays               │    (table, coded)    └─ labels ──── class codes
    bundled set ── datasets ────────────┘

`files` tells which reader a file wants, `reading` holds what a user says about it, `number_format` and `texts` tell
numbers from words. `learned` reads the columns of a file as a model knows them, `answers` a single value.
"""
