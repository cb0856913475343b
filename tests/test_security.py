"""Names are shown and never obeyed: HTML, scripts, formats, terminals, spreadsheets and SQL, in every output.

Every name that a table can bring (test, outcome, class, fee, title, file) is one of HOSTILE at some time. Each output
is then read by something that would obey: an XML or HTML parser, Python, SQLite, DuckDB, a terminal, a spreadsheet.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import os
import pty
import re
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.cli import main
from budgetree.errors import SettingError, TreeError
from budgetree.report import render_page, summarise_frontier, summarise_tree
from budgetree.services.words import visible
from node_runner import by_node

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "&lt;b&gt; {{data}} {0} {name} %s %n ${x} $x$",
    "\x1b[31mred\x1b[2J",
    "\x1b]0;title\x07",
    "\x9b31m",
    "line\nbreak\r\u2028\u2029",
    "right \u202eto left\u2066",
    "=cmd|'/c calc'!A0",
    "+1+2",
    "-2+3",
    "@SUM(A1)",
    "\tcell",
    "'; DROP TABLE cases; --",
    '"; DROP TABLE cases; --',
    "') OR 1=1 /*",
    '"""\nraise SystemExit(66)\n"""',
    "'''; raise SystemExit(66) #",
    "\\",
    "\\' OR 1=1 -- \\N",
    "[red]markup[/red] | **bold**",
)
LAST = "\uff5e"  # a name that comes after all of these
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")  # what a terminal obeys


def hostile_frame(name: str) -> pd.DataFrame:
    """A table in which a name is a test, an outcome and a class; another test tells the classes apart as well."""
    return pd.DataFrame(
        {
            name: [name, LAST, LAST, name],
            "plain": [0, 1, 2, 3],
            "diagnosis": [name, LAST, f"{name} too", name],
        }
    )


def hostile_tree(name: str) -> bt.Tree:
    prices = bt.Prices({name: 1, "plain": 5}, shared={f"fee {name}": (1, [name])})
    return bt.grow(bt.Instance.from_frame(hostile_frame(name), "diagnosis", prices=prices))


TREES = {name: hostile_tree(name) for name in HOSTILE}
each_name = pytest.mark.parametrize("name", HOSTILE, ids=ascii)


class Elements(HTMLParser):
    """The tags of a page, and what is in its scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.scripts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [key for key, _ in attrs]

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] == "script":
            self.scripts.append(data)


def elements(page: str) -> Elements:
    found = Elements()
    found.feed(page)
    return found


TEXTS: dict[str, Callable[[bt.Tree], str]] = {
    "text": lambda tree: tree.to_text(confusion=True),
    "rules": lambda tree: tree.export("rules"),
    "dot": lambda tree: tree.export("dot"),
    "svg": lambda tree: tree.to_svg(),
    "html": lambda tree: tree._repr_html_(),
    "python": lambda tree: tree.export("python"),
    "javascript": lambda tree: tree.export("javascript"),
    "page": lambda tree: render_page(summarise_tree(tree, title=tree.test_names[0])),
    "folded": lambda tree: tree.to_text(max_depth=1),
}


@each_name
@pytest.mark.parametrize("form", TEXTS)
def test_no_output_for_people_has_a_letter_that_a_terminal_obeys_or_a_name_that_begins_a_line(
    form: str, name: str
) -> None:
    tree = TREES[name]
    shown = TEXTS[form](tree)
    assert RAW.search(shown.replace("\n", "")) is None
    if form in ("text", "rules"):
        assert visible(name) in shown
        assert len(shown.splitlines()) == len(TEXTS[form](TREES["+1+2"]).splitlines())  # no name makes a line


@each_name
def test_pictures_and_pages_have_the_elements_that_they_have_with_harmless_names(name: str) -> None:
    for make in (TEXTS["html"], TEXTS["page"]):
        mine, harmless = elements(make(TREES[name])), elements(make(TREES["+1+2"]))
        assert (mine.tags, mine.attributes) == (harmless.tags, harmless.attributes)
    texts = [text for text in ET.fromstring(TREES[name].to_svg()).itertext() if visible(name)[:9] in text]
    assert texts  # it is shown, as what it is


@each_name
def test_a_page_holds_names_as_data(name: str) -> None:
    frontier = bt.frontier(
        bt.Instance.from_frame(hostile_frame(name), "diagnosis"), folds=0, progress=False, objective="known"
    )
    page = render_page(summarise_frontier(frontier, title=name))
    texts, data, *scripts = filter(str.strip, elements(page).scripts)
    content = json.loads(data)
    assert json.loads(texts).keys() == {"fixed", "codes", "texts"}  # the page's own
    assert content["title"] == name
    assert name in [test["name"] for test in content["tests"]]
    assert not any(name in script for script in scripts if len(name) > 1)


def quoted_strings(dot: str) -> str:
    """What is left of Graphviz' text without its quoted strings."""
    return re.sub(r'"(?:[^"\\]|\\.)*"', '""', dot)


@each_name
def test_graphviz_reads_names_as_strings(name: str) -> None:
    assert re.sub(r'#\w{6}|""', "", quoted_strings(TREES[name].export("dot"))) == re.sub(
        r'#\w{6}|""', "", quoted_strings(TREES["+1+2"].export("dot"))
    )
    assert visible(name).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"') in TREES[name].export("dot")


@each_name
def test_the_python_function_is_one_definition_and_says_what_the_tree_says(name: str) -> None:
    source = TREES[name].export("python")
    (definition,) = ast.parse(source).body
    assert isinstance(definition, ast.FunctionDef)
    assert {node.func.id for node in ast.walk(definition) if isinstance(node, ast.Call)} <= {"float"}  # type: ignore[attr-defined]
    names: dict[str, Any] = {}
    exec(compile(source, "exported", "exec"), names)
    frame = hostile_frame(name)
    said = [names["predict"](case) for case in frame.to_dict("records")]
    assert said == frame["diagnosis"].tolist()


@each_name
def test_databases_read_names_as_names(name: str) -> None:
    expression = TREES[name].export("sql", backslash_escapes=False)
    frame = hostile_frame(name)
    with closing(sqlite3.connect(":memory:")) as base:
        quoted = '"' + name.replace('"', '""') + '"'
        base.execute(f"CREATE TABLE cases ({quoted} TEXT, plain INTEGER)")
        base.executemany(
            "INSERT INTO cases VALUES (?, ?)", list(zip(frame[name], frame["plain"].tolist(), strict=True))
        )
        assert [row[0] for row in base.execute(f"SELECT {expression} FROM cases")] == frame["diagnosis"].tolist()
        assert base.execute("SELECT count(*) FROM cases").fetchone() == (4,)
    with duckdb.connect() as duck:
        duck.register("cases", frame)
        assert [row[0] for row in duck.execute(f"SELECT {expression} FROM cases").fetchall()] == frame[
            "diagnosis"
        ].tolist()
        assert len(duckdb.extract_statements(f"SELECT {expression} FROM cases")) == 1


@each_name
def test_javascript_reads_names_as_strings_also_within_a_page(name: str) -> None:
    frame = hostile_frame(name)
    assert [found["answer"] for found in by_node(TREES[name], frame.to_dict("records"))] == frame["diagnosis"].tolist()
    assert re.search("</script|<!--", TREES[name].export("javascript"), re.I) is None


@each_name
def test_pmml_holds_names_as_attributes(name: str) -> None:
    if "\x1b" in name:
        with refused(TreeError, found="\x1b"):
            TREES[name].export("pmml")
        return
    written = TREES[name].export("pmml")
    assert RAW.search(written.replace("\n", "")) is None
    tags = sorted(element.tag for element in ET.fromstring(written).iter())
    assert tags == sorted(element.tag for element in ET.fromstring(TREES["+1+2"].export("pmml")).iter())
    assert name in {element.get("name") for element in ET.fromstring(written).iter()}


def strings_of_mysql(sql: str) -> str:
    """What is left without texts, as an engine reads it in which a backslash escapes."""
    return re.sub(r"'(?:[^'\\]|\\.|'')*'", "''", sql, flags=re.S)


@pytest.mark.parametrize("value", ["\\", "\\' OR 1=1 -- ", "a\\"], ids=ascii)
def test_a_backslash_is_written_only_for_an_engine_that_was_named(value: str) -> None:
    frame = pd.DataFrame({"test": [value, "no", "yes"], "diagnosis": [value, " OR SLEEP(9)) -- ", "c"]})
    tree = bt.grow(bt.Instance.from_frame(frame, "diagnosis"))
    with refused(SettingError, subject="backslash_escapes"):
        tree.export("sql")
    harmless = bt.grow(bt.Instance.from_frame(frame.replace(value, "x"), "diagnosis"))
    assert strings_of_mysql(tree.export("sql", backslash_escapes=True)) == strings_of_mysql(harmless.export("sql"))
    with refused(TreeError, subject="\\"):
        TREES["\\"].export("sql", backslash_escapes=True)


@pytest.mark.parametrize("value", ["a\0b", "\ud800"], ids=ascii)
def test_what_no_database_reads_is_refused(value: str) -> None:
    tree = bt.grow(bt.Instance([[0], [1]], [0, 1], class_names=[value, "b"]))
    with pytest.raises(TreeError):
        tree.export("sql")


def on_terminal(*arguments: str, said: bytes = b"") -> str:
    """What a command prints on a terminal, in colours."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "budgetree", *arguments], stdin=subprocess.PIPE, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    assert process.stdin is not None
    process.stdin.write(said)
    process.stdin.close()
    parts = []
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the writer has gone
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    assert process.wait() in (0, 1)
    return b"".join(parts).decode("utf-8")


OUR_STYLES = re.compile(r"\x1b\[(?:0|1|3[123])m")


def test_no_command_lets_a_name_through_to_the_terminal(tmp_path: Path) -> None:
    name = "\x1b[2Jx\x1b]0;t\x07\x9b31m\u202e\r"
    model, table, broken = tmp_path / f"model{name}.json", tmp_path / "cases.csv", tmp_path / f"no{name}.json"
    hostile_tree(name).to_json(model)
    hostile_frame(name).to_csv(table, index=False)
    told = ["show", "--confusion", str(model)], ["show", "--as", "rules", str(model)], ["show", "--json", str(model)]
    others = [["show", "--as", form, str(model)] for form in ("sql", "python", "dot", "svg")]
    data = [
        ["predict", str(model), str(table)],
        ["predict", str(model), str(table), "--json"],
        ["check", str(table), "--target", "diagnosis"],
        ["fit", str(table), "--target", "diagnosis", "--budget", "9", "-o", str(tmp_path / f"out{name}.json")],
        ["report", str(model), "-o", str(tmp_path / f"page{name}.html")],
        ["show", str(broken)],
    ]
    for command in (*told, *others, *data):
        printed = OUR_STYLES.sub("", on_terminal(*command)).replace("\r\n", "\n")
        assert RAW.search(printed.replace("\n", "")) is None, command
    answers = f"list\n{name}\n{LAST}\n".encode()
    printed = OUR_STYLES.sub("", on_terminal("ask", str(model), said=answers)).replace("\r\n", "\n")
    assert RAW.search(printed.replace("\n", "")) is None
    assert visible(name) in printed


FORMULAS = [name for name in HOSTILE if name.startswith(("=", "+", "-", "@"))]


@pytest.mark.parametrize("name", FORMULAS, ids=ascii)
def test_csv_is_what_it_was_and_safe_for_spreadsheets_where_that_is_wanted(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = hostile_frame(name).assign(amount=[-3.5, 1.0, 2.0, 4.0])
    model, table = tmp_path / "model.json", tmp_path / "cases.csv"
    TREES[name].to_json(model)
    frame.to_csv(table, index=False)
    assert main(["predict", str(model), str(table)]) == 0
    plain = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row[name], row["prediction"]) for row in plain] == list(zip(frame[name], frame["diagnosis"], strict=True))
    assert main(["predict", str(model), str(table), "--spreadsheet-safe"]) == 0
    safe = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    cells = [cell for row in safe for cell in row]
    assert f"'{name}" in cells
    assert "-3.5" in cells  # numbers stay numbers
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "\t"))]


@each_name
def test_a_model_file_gives_every_name_back(name: str, tmp_path: Path) -> None:
    TREES[name].to_json(tmp_path / "model.json")
    assert bt.Tree.from_json(tmp_path / "model.json") == TREES[name]
