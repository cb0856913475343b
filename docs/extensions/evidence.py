"""Pages link to what shows their claims: a test, a benchmark, an example or the code itself, as text in the same site.

`tests/test_security.py` in a page becomes a link to that file, and so does a command such as `python
benchmarks/exact.py`. `tests/test_rule.py::test_a_tie_goes_to_the_first` becomes a link to that line, which reads "a tie
goes to the first": a test's name says what must hold. Below src/budgetree and tests the first folders may be left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
FOLDERS = ("", "src/budgetree", "tests")  # a path is below the first of these that has it
SHOWN = re.compile(r"(?<![\w/.<-])((?:[\w-]+/)+[\w.-]+\.(?:pyi?|mjs|json|js|cpp|hpp|md|html)\b)(?:::(\w+))?")
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


class Place(NamedTuple):
    """A file of the repository, and the line in it that is meant (0: the whole file)."""

    path: str
    line: int
    claim: str  # what the test's name says, where one is named

    @property
    def page(self) -> str:
        return f"evidence/{self.path}"


def found(text: str) -> Place | None:
    """What a piece of code in a page names, if it is a file of ours. Raises where the file lacks the test's name."""
    named = SHOWN.search(text)
    if named is None:
        return None
    path = next((Path(folder, named[1]) for folder in FOLDERS if (ROOT / folder / named[1]).is_file()), None)
    if path is None:
        return None
    name = named[2] or ""
    claim = name.removeprefix("test_").replace("_", " ") if name.startswith("test_") else ""
    return Place(path.as_posix(), line_of(name, path) if name else 0, claim)


def line_of(name: str, path: Path) -> int:
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    defined = re.compile(rf"\s*(?:def|class) {name}\b|{name} = ")
    line = next((number for number, line in enumerate(lines, 1) if defined.match(line)), None)
    if line is None:
        raise ValueError(f"{path} has no {name}; name one that it has")
    return line


def named_in(pages: Path) -> Iterator[Place]:
    """Everything that the pages of a folder name."""
    for page in sorted(pages.glob("*.md")) + sorted((pages / "guide").glob("*.md")):
        for span in SPAN.findall(page.read_text(encoding="utf-8")):
            if (place := found(span)) is not None:
                yield place


def setup(app):
    from docutils import nodes
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_for_filename
    from sphinx.transforms.post_transforms import SphinxPostTransform

    class Links(SphinxPostTransform):
        """Code that names a file of ours becomes a link to it."""

        default_priority = 400
        formats = ("html",)

        def run(self, **_):
            for literal in list(self.document.findall(nodes.literal)):
                place = None if isinstance(literal.parent, nodes.reference) else found(literal.astext())
                if place is None:
                    continue
                address = self.app.builder.get_relative_uri(self.env.docname, place.page)
                anchor = f"#line-{place.line}" if place.line else ""
                link = nodes.reference("", "", internal=True, refuri=address + anchor, reftitle=place.path)
                literal.replace_self(link)
                link += nodes.inline("", place.claim, classes=["claim"]) if place.claim else literal

    def pages(app):
        if app.builder.format != "html":
            return
        formatter = HtmlFormatter(lineanchors="line", cssclass="highlight")
        for path in sorted({place.path for place in named_in(Path(app.srcdir))}):
            source = (ROOT / path).read_text(encoding="utf-8")
            body = highlight(source, get_lexer_for_filename(path), formatter)
            yield f"evidence/{path}", {"title": path, "body": f"<h1>{path}</h1>{body}"}, "page.html"

    app.add_post_transform(Links)
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
