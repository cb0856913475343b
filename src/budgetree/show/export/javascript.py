"""A tree as a JavaScript function that needs no library: tables, and a walk through them, in one file."""

from __future__ import annotations

import json
import re
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

from budgetree.data.number_format import LARGEST_EXACT
from budgetree.errors import SettingError, TreeError
from budgetree.services.words import visible
from budgetree.show.export.conditions import label_notes
from budgetree.show.export.program import tables_of
from budgetree.show.text import summary_line
from budgetree.tree.tree import Tree

WALK = Path(__file__).with_name("walk.js")
NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
# What may not name a constant of a module, and what walk.js needs.
RESERVED = re.compile(
    "arguments|await|break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|eval|export|extends|"
    "false|finally|for|function|if|implements|import|in|instanceof|interface|let|new|null|package|private|protected|"
    "public|return|static|super|switch|this|throw|true|try|typeof|undefined|var|void|while|with|yield|"
    "Array|Infinity|JSON|Map|Math|NaN|Number|Object|String|TypeError|globalThis"
)


def to_javascript(tree: Tree, name: str = "predict", *, module: bool = True) -> str:
    """The source of `name(values)`, as an ES module that exports it or as a script that defines it."""
    if not NAME.fullmatch(name) or RESERVED.fullmatch(name):
        expected = "a name for a JavaScript function that the language does not use"
        raise SettingError(f"name is {name!r}; expected {expected}.", subject="name", found=name, expected=expected)
    walk = WALK.read_text(encoding="utf-8").strip().replace("\n", "\n  ")
    tables = "\n".join(f"  const {key.upper()} = {_written(content, key)};" for key, content in _tables(tree).items())
    head = [
        f"// {visible(summary_line(tree))}.",
        f"// {name}({{name of a test: its raw value}}) gives {{answer, probabilities, cost, tests}}"
        f"{', and costs by resource' * (len(tree.schema.costs.resources) > 1)};",
        "// null, undefined and NaN are missing values, and dates are texts such as 2024-02-29.",
        *(f"// {note}" for note in label_notes(tree)),
    ]
    lines = [
        *(line.replace("<", "‹") for line in head),  # so that no label ends a script element
        f"{'export ' if module else ''}const {name} = (() => {{",
        f"{tables}\n\n  {walk}\n\n  return follow;\n}})();",
    ]
    return "\n".join(line.rstrip() for line in "\n".join(lines).split("\n")) + "\n"


def _tables(tree: Tree) -> dict[str, Any]:
    tables = tables_of(tree, _value)
    for test in filter(None, tables["tests"]):
        values = test.get("values", ())
        if len({(isinstance(value, str), value) for value in values}) < len(values):
            reason = "has two values that JavaScript cannot tell apart; write them as texts"
            raise TreeError(f"test {test['name']!r} {reason}.", subject=test["name"])
    return tables


def _written(content: Any, key: str = "") -> str:
    if key in ("tests", "totals", "steps"):  # a line for each
        return "[\n" + "".join(f"    {_written(entry)},\n" for entry in content) + "  ]"
    # No text can end a script element; JSON writes an infinite number as JavaScript does.
    return json.dumps(content, separators=(", ", ": ")).replace("<", "\\u003c")


def _value(value: Any) -> Any:
    """As JavaScript has it: dates and times are texts, decimals are numbers."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, (datetime, date, time)) and not getattr(value, "nanosecond", 0):
        return value.isoformat()
    if type(value) is int and abs(value) > LARGEST_EXACT:
        reason = "cannot be written as JavaScript, whose whole numbers end at 2^53; write these as texts"
    elif type(value) is int or isinstance(value, (str, bool, float)):
        return value
    else:
        reason = f"is a {type(value).__name__}, which cannot be written as JavaScript"
    raise TreeError(f"{value!r:.60} {reason}.", found=value)
