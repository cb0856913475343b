"""What was reproduced, as one HTML page and as a Markdown document."""

from __future__ import annotations

from html import escape

from budgetree.reproduce.claims import Claim
from budgetree.show.tables import TextTable, html_table, markdown_table

COMMAND = "budgetree reproduce --out DIR"
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-size: .9rem; } th, td { padding: .2rem .7rem; text-align: left; }
thead { border-bottom: 2px solid; }
tbody tr { border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
.scroll { overflow-x: auto; } figure { margin: 1rem 0; }
.paper { background: white; } .paper svg { max-width: 100%; height: auto; }
.verdict { font-weight: 600; }
"""


def html_page(sections: list[tuple[str, str]]) -> str:
    """A page of headings and bodies that are HTML already."""
    body = "\n".join(f"<h2>{escape(heading)}</h2>\n{content}" for heading, content in sections)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>The paper, reproduced</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head><body><h1>Max-Cost Discrete Function Evaluation under a Budget, reproduced</h1>"
        f"<p>Made by <code>{escape(COMMAND)}</code> from the bundled data; every test costs 1 unless prices "
        "are named.</p>"
        f"{body}</body></html>\n"
    )


def html_scrolling(table: TextTable) -> str:
    """A table that scrolls by itself where it is too wide."""
    return f'<div class="scroll">{html_table(table)}</div>'


def html_claims(claims: list[Claim]) -> str:
    """Claim by claim."""
    return "".join(
        f"<h3>{escape(claim.where)}</h3><p>{escape(claim.says)}</p><p>{escape(claim.result)}</p>"
        f'<p class="verdict">{escape(claim.verdict)}</p>'
        for claim in claims
    )


def html_picture(svg: str, words: str) -> str:
    """An SVG inside the page, so that the page is one file."""
    drawing = svg[svg.index("<svg") :]
    return f'<figure><div class="paper">{drawing}</div><figcaption>{escape(words)}</figcaption></figure>'


def markdown(claims: list[Claim], tables: list[tuple[str, TextTable]]) -> str:
    """The document docs/paper.md."""
    lines = [
        "# The paper, claim by claim",
        "",
        "*Max-Cost Discrete Function Evaluation Problem under a Budget* (Nan, Wang, Saligrama, AISTATS "
        "2015), tried on the",
        "bundled data. Everything on this page is printed by one command, which also draws the figures:",
        "",
        f"    pip install 'budgetree[plot]'\n    {COMMAND}",
        "",
        'The claims are in our words. Every test costs 1 unless prices are named; "proven" means by exact search.',
        "",
    ]
    for claim in claims:
        lines += [f"## {claim.where}", "", f"**Says:** {claim.says}", "", f"**Found:** {claim.result}", ""]
        lines += [f"**{claim.verdict.capitalize()}.**", ""]
    for heading, table in tables:
        lines += [f"## {heading}", "", *markdown_table(table), ""]
    return "\n".join(lines)
