"""The built pages: every link leads somewhere, and nothing comes from the network.

python .ci/pages.py docs/_build/html
"""

import re
import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote

pages = Path(sys.argv[1]).resolve()


@cache
def text_of(page: Path) -> str:
    return re.sub(r'srcdoc="[^"]*"', "", page.read_text(encoding="utf-8"))  # a page within a page has tests of its own


@cache
def anchors(page: Path) -> set[str]:
    return set(re.findall(r'(?:id|name)="([^"]+)"', text_of(page)))


def problem(page: Path, link: str) -> str | None:
    """What is wrong with a link of a page, if anything."""
    if link.startswith(("http:", "https:", "//")):
        return "is elsewhere"
    file, _, anchor = unquote(link).partition("#")
    target = (page.parent / file.partition("?")[0]).resolve() if file else page
    if not target.exists():
        return "is not there"
    return "has no such place" if anchor and target.suffix == ".html" and anchor not in anchors(target) else None


found = {
    f"{page.relative_to(pages)}: {link} {wrong}"
    for page in pages.rglob("*.html")
    if "_static" not in page.parts
    for tag in re.findall(r"<(?:a|img|link|script|iframe)\b[^>]*>", text_of(page))
    for link in re.findall(r'(?:href|src)="((?!data:)[^"]+)"', tag)
    if (wrong := problem(page, link)) and (wrong != "is elsewhere" or not tag.startswith("<a"))
}
print("\n".join(sorted(found)) or "every link leads somewhere, and nothing comes from the network")
sys.exit(bool(found))
