"""The page and the document: texts are only shown."""

from __future__ import annotations

from budgetree.reproduce.claims import Claim
from budgetree.reproduce.pages import html_claims, html_page, html_picture, html_scrolling, markdown
from budgetree.show.tables import TextTable

CLAIM = Claim("Lemma <1>", "a < b", "it is & was", "holds in part")
TABLE = TextTable(("a",), (("<x>",),))


def test_texts_are_no_markup() -> None:
    page = html_page([("<heading>", html_claims([CLAIM]) + html_scrolling(TABLE))])
    assert "&lt;heading&gt;" in page
    assert "<p>a &lt; b</p><p>it is &amp; was</p>" in page
    assert "<td>&lt;x&gt;</td>" in page


def test_a_picture_is_inside_the_page() -> None:
    assert html_picture("<?xml?><svg></svg>", "a & b").startswith('<figure><div class="paper"><svg></svg></div>')


def test_the_document_has_every_claim_and_table() -> None:
    text = markdown([CLAIM], [("Sizes", TABLE)])
    assert "## Lemma <1>\n\n**Says:** a < b\n\n**Found:** it is & was\n\n**Holds in part.**\n" in text
    assert "## Sizes\n\n| a |\n| --- |\n| &lt;x> |\n" in text
