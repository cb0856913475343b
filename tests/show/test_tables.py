"""Tables: whatever a cell holds is text in HTML, Markdown and CSV."""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser

from budgetree.show.tables import TextTable, csv_text, html_table, markdown_table

TABLE = TextTable(("name", "n"), (('<script>"&', "1"), ("a,b\nc", "2")), "… and 3 more rows")


class Cells(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_html_shows_every_cell_and_no_markup_of_theirs() -> None:
    cells = Cells(html_table(TABLE))
    assert cells.texts == ["name", "n", '<script>"&', "1", r"a,b\nc", "2", "… and 3 more rows"]
    assert cells.tags == ["table", "thead", "tr", "th", "th", "tbody", *["tr", "td", "td"] * 2, "tr", "td"]


def test_only_the_columns_of_text_stand_left() -> None:
    assert html_table(TABLE, left=(0,)).count("text-align:left") == 3
    assert "style" not in html_table(TABLE)


def test_csv_reads_back() -> None:
    assert [tuple(row) for row in csv.reader(io.StringIO(csv_text(TABLE)))] == [TABLE.head, *TABLE.rows]


def test_markdown_has_a_line_per_row() -> None:
    table = TextTable(("a", "b"), (("1", "2"),))
    assert markdown_table(table) == ["| a | b |", "| --- | --- |", "| 1 | 2 |"]
