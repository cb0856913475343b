"""A summary as one HTML document that needs nothing else: no network, no fonts, no libraries."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib import resources
from typing import Any

from budgetree.errors import SettingError
from budgetree.services.words import visible

# Modules, in the order in which they import each other; the page has them in one closure.
SCRIPTS = (
    "words.js", "address.js", "dom.js", "losses.js", "model.js", "names.js", "routing.js", "facts.js", "chart.js",
    "folding.js", "layout.js", "detail.js", "tree.js", "search.js", "boxes.js", "map.js", "wall.js",
    "evaluation.js", "answers.js", "explanation.js", "record.js", "consult.js", "tabs.js", "main.js",
)  # fmt: skip
FIRST_LANGUAGE = "en"  # what Python says is in this language
TYPE, OPEN = "/** @type", ("{", "(", "[", ",", ";")
PLACE = re.compile(r"\{\{(\w+)\}\}")
# What could end the data's script element, or be read as markup inside it.
UNSAFE = {ord(character): f"\\u{ord(character):04x}" for character in "<>&"}


def render_page(content: Mapping[str, Any], *, language: str | None = None) -> str:
    """The page for what summarise_tree or summarise_frontier returned.

    The page has its texts in all languages and speaks the reader's; language="de" makes it German for everyone, unless
    they open it with ?lang=en.

    >>> render_page({"title": "Pathway", "version": "1"}).splitlines()[0]
    '<!doctype html>'
    """
    style, script, texts = _sheet(), _script(), languages()
    if language is not None and language not in texts:
        known = ", ".join(map(repr, sorted(texts)))
        message = f"language is {language!r}; expected one of {known}."
        raise SettingError(message, subject="language", found=language, expected=sorted(texts))
    spoken = language or FIRST_LANGUAGE
    filling = {
        "language": spoken,
        "noscript": _text(texts[spoken]["page.noscript"]),
        "texts": to_island({"fixed": language, "codes": list(texts), "texts": _by_key(texts)}, ascii_only=False),
        "title": _text(content["title"]),
        "generator": _text(f"budgetree {content['version']}"),
        # Nothing may load, and only our own style and script may take effect.
        "policy": f"default-src 'none'; img-src data:; style-src {_digest(style)}; script-src {_digest(script)}; "
        "base-uri 'none'; form-action 'none'",
        "style": style,
        "data": to_island(content),
        "script": script,
    }
    # One pass: a name that looks like a place is not filled in again.
    return PLACE.sub(lambda place: filling[place[1]], _asset("page.html"))


@cache
def languages() -> dict[str, dict[str, Any]]:
    """Every text of the page, by language and key: a translation is one more file in page/languages."""
    files = resources.files("budgetree.report").joinpath("page", "languages").iterdir()
    return {file.name.removesuffix(".json"): json.loads(file.read_text(encoding="utf-8")) for file in files}


def _by_key(texts: Mapping[str, Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Every key once, with its text in each language: keys are a third of the texts."""
    return {key: [own.get(key) for own in texts.values()] for key in texts[FIRST_LANGUAGE]}


def to_island(content: Mapping[str, Any], *, ascii_only: bool = True) -> str:
    """JSON that stays data inside a script element, whatever the names are; users' may hold what no file can."""
    return json.dumps(content, allow_nan=False, separators=(",", ":"), ensure_ascii=ascii_only).translate(UNSAFE)


def _text(text: str) -> str:
    """Text between tags or in an attribute; ASCII, so that even half a surrogate pair can be written to a file."""
    return escape(visible(text)).encode("ascii", "xmlcharrefreplace").decode("ascii")


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _sheet() -> str:
    """Without the spaces and line ends that only we read: a line ends with a mark, and no text in it has such."""
    sheet = _dense(_asset("page.css")).replace("\n", "").replace("; }", "}")
    for mark in (":", ";", ",", "{", "}"):
        sheet = sheet.replace(f"{mark} ", mark)
    return sheet.replace(" {", "{").replace(";}", "}")


def _script() -> str:
    """The modules one after the other in one closure, which have no name twice; what they import is above them."""
    lines = [line for name in SCRIPTS for line in _dense(_asset(name)).splitlines(keepends=True)]
    kept = (line.removeprefix("export ") for line in lines if not line.startswith("import "))
    body = "".join(line[:-1] if line[-2:-1] in OPEN else line for line in kept)  # a statement cannot end there, or has
    return f'(() => {{\n"use strict";\n{body}}})();\n'


def _dense(source: str) -> str:
    """Without indentation and comments: no text of ours spans lines or has " // " in it, so nothing else changes."""
    kept, in_comment = [], False
    for line in map(_untyped, map(str.strip, source.splitlines())):
        in_comment = in_comment or line.startswith("/*")
        if not in_comment and line and not line.startswith("//"):
            kept.append(f"{line}\n")
        elif in_comment and "*/" in line:
            in_comment = False
            kept += [f"{rest}\n" for rest in [line.partition("*/")[2].strip()] if rest]
    return "".join(kept)


def _untyped(line: str) -> str:
    """Without what stands behind it, and notes of types within the line."""
    line = line.partition(" // ")[0].rstrip()
    while TYPE in line and not line.startswith(TYPE):
        before, _, after = line.partition(TYPE)
        line = before + after.partition("*/")[2].lstrip()
    return line


@cache
def _asset(name: str) -> str:
    return resources.files("budgetree.report").joinpath("page", name).read_text(encoding="utf-8")
