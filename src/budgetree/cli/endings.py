"""How the help of every command ends: an example to copy, and where to read on."""

from __future__ import annotations

# Where pages are, by their name below docs/: in the sources, until they are published. Then it is an address, such as
# "https://site/{}.html" (CONTRIBUTING.md, "The documentation").
PAGE = "docs/{}.md"


def ending(*examples: str, page: str) -> str:
    """The last lines of a command's help, as click takes them.

    >>> print(ending("budgetree ask pathway.json", page="guide/bedside").replace(chr(8), ""))
    <BLANKLINE>
    Example:
      budgetree ask pathway.json
    <BLANKLINE>
    <BLANKLINE>
    Read more: docs/guide/bedside.md
    """
    title = "Example" if len(examples) == 1 else "Examples"
    lines = ["\b", f"{title}:", *(f"  {example}" for example in examples), "", "\b", f"Read more: {PAGE.format(page)}"]
    return "\n".join(lines)
