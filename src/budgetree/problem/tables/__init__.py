"""From files, frames and arrays to one kind of table, and from its columns to codes.

    CSV file ──── csv_file ─────┐
    Parquet file ─ parquet_file ┤                           ┌─ encoding ── outcome codes
    data frame ── frames ───────┼──► Table of Columns ──────┤
    array ─────── arrays ───────┤    (table)                └─ labels ──── class codes
    bundled set ─ datasets ─────┘

`learned` reads the columns of a file as a model knows them, `answers` a single value.
"""
