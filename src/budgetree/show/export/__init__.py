"""A tree for other programs. FORMATS lists what there is: `tree.export` and the command line read it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from budgetree.errors import SettingError
from budgetree.services.words import no_such


@dataclass(frozen=True, slots=True)
class Format:
    """A language in which a tree can be written.

    Attributes
    ----------
    module, function : str
        What writes it: a function of a tree and options. It is loaded when it is needed.
    suffix : str
        How a file with it ends.
    description : str
        One line for people.
    """

    module: str
    function: str
    suffix: str
    description: str


FORMATS = {
    "text": Format("text", "to_text", ".txt", "a line per branch: test and price, outcome, running cost, class counts"),
    "stages": Format("text", "to_stages", ".txt", "stages to work through on paper, with points"),
    "rules": Format("export.rules", "to_rules", ".txt", "a rule per path, with what it costs"),
    "python": Format("export.python", "to_python", ".py", "a function that needs nothing but Python"),
    "javascript": Format("export.javascript", "to_javascript", ".mjs", "an ES module without any library"),
    "sql": Format("export.sql", "to_sql", ".sql", "an expression in standard SQL, for SELECT … FROM cases"),
    "pmml": Format("export.pmml", "to_pmml", ".pmml", "a PMML 4.4 document for scoring engines"),
    "onnx": Format("export.onnx", "to_onnx", ".onnx", "an ONNX model, for onnxruntime and others"),
    "dot": Format("export.dot", "to_dot", ".dot", "for Graphviz"),
    "svg": Format("svg", "to_svg", ".svg", "a picture"),
}


def export(tree: Any, format: str, **options: Any) -> Any:  # noqa: A002 - what users call it
    """The tree in one of FORMATS: a text, but for ONNX."""
    if format not in FORMATS:
        raise SettingError(
            f"export: {no_such('format', format, tuple(FORMATS))}",
            subject="format",
            found=format,
            expected=tuple(FORMATS),
        )
    module, function = FORMATS[format].module, FORMATS[format].function
    return getattr(import_module(f"budgetree.show.{module}"), function)(tree, **options)
