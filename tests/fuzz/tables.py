"""Tables as CSV, workbooks and Parquet, with cells, names and bytes that do not belong there."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zipfile
from decimal import Decimal
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from workbooks import write_ods, write_xlsx

from .examples import HEADER, rows
from .mutations import damaged
from .odd_values import ODD_TEXTS, odd_number, odd_text

ENCODINGS = ("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "shift_jis", "utf-7")
XML_ODDITIES = (
    "<!DOCTYPE a [<!ENTITY b 'c'><!ENTITY d '&b;&b;&b;'>]>", "&d;", "<v>1e999</v>", "<v>#REF!</v>", "<f>1/0</f>",
    't="e"', 't="s"', 'r="XFD1048576"', 'r="A0"', 'r="ZZZZ9999999999"', "<c/>", "<row/>", 'xml:space="x"', "\x00",
    "</worksheet>",
)  # fmt: skip


def draw_rows(rng: Random) -> list[list[Any]]:
    """The table, header first, with a few changes of cells, rows or columns."""
    table: list[list[Any]] = [list(HEADER), *(list(row) for row in rows())]
    for _ in range(rng.randrange(6)):
        row = rng.randrange(len(table))
        if not table[row]:
            continue
        at = rng.randrange(len(table[row]))
        match rng.randrange(9):
            case 0 | 1 | 2:
                table[row][at] = rng.choice((odd_text(rng), odd_number(rng), None))
            case 3 if table[0]:
                table[0][at % len(table[0])] = rng.choice((odd_text(rng), table[0][0]))
            case 4:
                del table[row][at]
            case 5:
                table[row].insert(at, odd_text(rng))
            case 6:
                table[rng.randrange(len(table)) :] = []
                table = table or [[""]]
            case 7:
                value = odd_text(rng)
                for other in table[1:]:
                    other[min(at, len(other) - 1) if other else 0 :][:1] = [value]
            case _:
                table += [list(table[row])] * rng.choice((1, 30))
    return table


def draw_csv(rng: Random) -> bytes:
    text = io.StringIO()
    delimiter = rng.choice((",", ",", ";", "\t", "|", ":", "a", "\x01"))
    quoting = rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONE))
    end = rng.choice(("\n", "\r\n", "\r", "\n\n"))
    writer = csv.writer(text, delimiter=delimiter, quoting=quoting, escapechar="\\", lineterminator=end)
    for row in draw_rows(rng):
        cells = ["" if cell is None else str(cell) for cell in row]
        if cells == [""] or not cells:  # which csv refuses to leave without quotes
            text.write(end)
        else:
            writer.writerow(cells)
    whole = text.getvalue()
    if rng.random() < 0.1:
        at = rng.randrange(len(whole) + 1)
        whole = whole[:at] + rng.choice(('"', '""', "\r", "\n", *ODD_TEXTS)) + whole[at:]
    data = damaged(rng, codecs.encode(whole, rng.choice(ENCODINGS), errors="replace"))
    return damaged(rng, gzip.compress(data, 1)) if rng.random() < 0.05 else data


def draw_xlsx(rng: Random) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "book"
        if rng.random() < 0.7:
            sheets = (
                {"cases": draw_rows(rng), odd_text(rng): [["a"], [1]]}
                if rng.random() < 0.2
                else {"cases": draw_rows(rng)}
            )
            write_xlsx(path, {_xml_text(name): _xml_rows(table) for name, table in sheets.items()})
        else:
            write_ods(path, "cases", _xml_rows(draw_rows(rng)))
        data = path.read_bytes()
    return damaged(rng, _with_odd_parts(rng, data) if rng.random() < 0.5 else data)


def _with_odd_parts(rng: Random, data: bytes) -> bytes:
    """A workbook one of whose parts is damaged, lost or empty, while the archive is whole."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as book, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as odd:
        names = book.namelist()
        chosen = rng.choice(names)
        for name in names:
            content = book.read(name)
            if name == chosen:
                at = rng.randrange(len(content) + 1)
                match rng.randrange(5):
                    case 0:
                        continue
                    case 1:
                        content = b""
                    case 2:
                        content = content[:at] + rng.choice(XML_ODDITIES).encode() + content[at:]
                    case 3:
                        content = content[:at] + b" " * rng.choice((10, 10**6)) + content[at:]
                    case _:
                        content = damaged(rng, content[:at] + rng.randbytes(3) + content[at:])
            odd.writestr(name, content)
    return made.getvalue()


def _xml_rows(table: list[list[Any]]) -> list[list[Any]]:
    return [[_xml_text(cell) if isinstance(cell, str) else cell for cell in row[:20]] for row in table]


def _xml_text(text: str) -> str:
    """Without what could not be written at all."""
    return "".join(letter for letter in text[:2000] if not 0xD800 <= ord(letter) < 0xE000)


ODD_COLUMNS = (
    lambda n: pa.array([None] * n),
    lambda n: pa.array([[1, 2]] * n),
    lambda n: pa.array([{"a": 1}] * n),
    lambda n: pa.array([b"\xff\x00"] * n),
    lambda n: pa.array([Decimal("1." + "3" * 30)] * n),
    lambda n: pa.array([float("nan"), *[float("inf")] * (n - 1)]),
    lambda n: pa.array([2**63] * n, pa.uint64()),
    lambda n: pa.array(range(n), pa.timestamp("ns")),
    lambda n: pa.array(range(n), pa.time64("ns")),
    lambda n: pa.array(range(n), pa.duration("us")),
    lambda n: pa.array(["a"] * n).dictionary_encode(),
    lambda n: pa.array([True, None] * n)[:n],
    lambda n: pa.array([[("k", 1)]] * n, pa.map_(pa.string(), pa.int64())),
    lambda n: pa.array([-(2**53) - 1] * n),
    lambda n: pa.array(["b" * 10_000] * n),
)


def draw_parquet(rng: Random) -> bytes:
    table = [[None if cell is None else cell for cell in row] for row in rows()]
    n_rows = rng.choice((0, 1, 2, len(table)))
    arrays = (
        [pa.array(list(column)) for column in zip(*table[:n_rows], strict=True)]
        if n_rows
        else [pa.array([])] * len(HEADER)
    )
    names = list(HEADER)
    for _ in range(rng.randrange(4)):
        at = rng.randrange(len(names))
        if rng.random() < 0.6 and n_rows:
            arrays[at] = rng.choice(ODD_COLUMNS)(n_rows)
        else:
            names[at] = rng.choice((odd_text(rng).encode("utf-8", "replace").decode(), names[0]))
    made = io.BytesIO()
    compression = rng.choice(("none", "snappy", "gzip", "zstd"))
    pq.write_table(pa.Table.from_arrays(arrays, names=names), made, compression=compression)
    return damaged(rng, made.getvalue())
