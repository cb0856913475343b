"""Formulas without a value: programs write them, and only a spreadsheet program computes them."""

from __future__ import annotations

import re
import zipfile
from xml.etree import ElementTree

SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}sheet"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
CELL = re.compile(rb"<c\b([^>]*[^/>])>(.*?)</c>", re.DOTALL)
VALUE = re.compile(rb"<v\b[^>]*>[^<]")
TEXT = re.compile(rb"""\bt=["']str""")  # of a formula: what it gives is a text, which may be empty
PLACE = re.compile(rb"""\br=["']([A-Z]+[0-9]+)""")


def empty_formula(path: str, sheet: str) -> str | None:
    """The first cell of a sheet in an .xlsx file that has a formula and no value, such as "B2"; None if there is none.

    Files of another kind, or written in a way that is not understood here, have none.
    """
    try:
        with zipfile.ZipFile(path) as book:
            content = book.read(_part_of(book, sheet))
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError, OSError):
        return None
    if b"<f" not in content:
        return None
    for attributes, inner in CELL.findall(content):
        place = PLACE.search(attributes)
        is_empty = b"<f" in inner and not VALUE.search(inner) and not TEXT.search(attributes)
        if is_empty and place is not None:
            return place[1].decode()
    return None


def _part_of(book: zipfile.ZipFile, sheet: str) -> str:
    """The name of the archive's part that holds the sheet; KeyError where there is none."""
    listed = ElementTree.fromstring(book.read("xl/workbook.xml")).iter(SHEET)
    relation = {entry.get("name"): entry.get(RELATION) for entry in listed}[sheet]
    targets = ElementTree.fromstring(book.read("xl/_rels/workbook.xml.rels"))
    target = {entry.get("Id"): entry.get("Target", "") for entry in targets}[relation]
    return target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
