"""SVG: XML in which names are only shown."""

from __future__ import annotations

from xml.etree import ElementTree

import budgetree as bt


def test_an_svg_is_xml_and_names_are_not_markup() -> None:
    name = "<script>x</script> & \x00\n"
    tree = bt.grow(bt.Instance([[0], [1]], ["<b>", '"&'], test_names=[name]))
    root = ElementTree.fromstring(tree.to_svg())
    assert len(list(root.iter("{http://www.w3.org/2000/svg}title"))) == 3  # the long story of each box
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert r"<script>x</script> & \x00\n" in "".join(text or "" for text in texts)
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))


def test_a_notebook_draws_the_tree() -> None:
    tree = bt.grow(bt.datasets.load("pima"), budget=2)
    html = tree._repr_html_()
    assert html.startswith("<div")
    assert html.count("<rect") > 10
    assert "glucose" in html or "age" in html
