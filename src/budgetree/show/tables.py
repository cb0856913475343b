"""Tables of text, and the one place that writes them as HTML, Markdown and CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from html import escape

from budgetree.services.words import visible


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table ready to show."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""  # below the rows, such as how many were left out

    def cut(self, max_rows: int) -> TextTable:
        """The first rows, and how many more there are."""
        n_more = len(self.rows) - max_rows
        return replace(self, rows=self.rows[:max_rows], note=f"… and {n_more} more") if n_more > 0 else self


def html_table(table: TextTable, left: tuple[int, ...] = ()) -> str:
    """One table element; the columns in `left` are text, and stand left where a page puts cells to the right.

    >>> html_table(TextTable(("errors", "by"), (("3", "<b>"),)), left=(1,))
    "<table><thead><tr><th>errors</th><th style='text-align:left'>by</th></tr></thead><tbody><tr><td>3</td>\
<td style='text-align:left'>&lt;b&gt;</td></tr></tbody></table>"
    """

    def row(tag: str, cells: tuple[str, ...]) -> str:
        styles = [" style='text-align:left'" if index in left else "" for index in range(len(cells))]
        written = (f"<{tag}{style}>{escape(visible(cell))}</{tag}>" for style, cell in zip(styles, cells, strict=True))
        return f"<tr>{''.join(written)}</tr>"

    body = "".join(row("td", cells) for cells in table.rows)
    if table.note:
        body += f"<tr><td colspan={len(table.head)}>{escape(table.note)}</td></tr>"
    return f"<table><thead>{row('th', table.head)}</thead><tbody>{body}</tbody></table>"


def markdown_table(table: TextTable) -> list[str]:
    """Its lines. No cell begins another or is HTML; what is Markdown inside of it stays so, and is ours."""
    lines = (table.head, ("---",) * len(table.head), *table.rows)
    written = ((visible(cell).replace("|", "\\|").replace("<", "&lt;") for cell in cells) for cells in lines)
    return [f"| {' | '.join(cells)} |" for cells in written]


def text_lines(table: TextTable) -> list[str]:
    """Its lines in a terminal: the first column to the left, numbers to the right.

    >>> text_lines(TextTable(("answer", "ill"), (("refer", "12"),)))
    ['answer  ill', 'refer    12']
    """
    lines = [tuple(map(visible, row)) for row in (table.head, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join([f"{first:<{widths[0]}}", *map(str.rjust, others, widths[1:])]) for first, *others in lines]


def csv_text(table: TextTable) -> str:
    """The content of a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([table.head, *table.rows])
    return text.getvalue()
