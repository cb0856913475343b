"""`budgetree show` into files, and `budgetree report`."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from command_line import FIT_KNOWN, run

import budgetree as bt
from budgetree.proof.check import seal
from budgetree.show.export import FORMATS


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "stages"])
def test_every_form_goes_into_a_file(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bt.grow(bt.datasets.load("pima"), budget=2).to_json("a.json")
    assert run(capsys, "show", "a.json", "--as", form, "-o", f"a.{form}").endswith(" kB\n")
    written = Path(f"a.{form}").read_bytes()
    if form == "onnx":
        assert written == bt.Tree.from_json("a.json").to_onnx()
    else:
        assert run(capsys, "show", "a.json", "--as", form).rstrip("\n") == written.decode().rstrip("\n")


def test_a_query_names_the_table_and_what_stands_beside_the_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tree, frame = bt.grow(bt.datasets.load("pima"), budget=2), bt.datasets.frame("pima")
    tree.to_json("a.json")
    query = run(capsys, "show", "a.json", "--as", "sql", "--full", "--table", "my patients", "--column", "o1")
    with closing(sqlite3.connect(":memory:")) as connection:
        frame.assign(o1=range(len(frame))).to_sql("my patients", connection, index=False)
        found = connection.execute(query)
        assert [entry[0] for entry in found.description] == [
            "o1", "answer", "probability of neg", "probability of pos", "cost",
        ]  # fmt: skip
        assert [row[:2] for row in found] == list(enumerate(tree.predict(frame).tolist()))
    printed = run(capsys, "show", "a.json", "--as", "sql", "--full", "--column", "Answer", code=1)
    assert "columns: 'answer' is what the query calls a column of its own" in printed


def test_another_trees_certificate_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run(capsys, *FIT_KNOWN, "figure1", "--budget", "1", "-o", "a.json", "--certificate", "a.cert")
    run(capsys, *FIT_KNOWN, "figure1", "--budget", "0", "-o", "b.json")
    printed = run(capsys, "report", "b.json", "-o", "b.html", "--certificate", "a.cert", code=1)
    assert "this is not a certificate of b.json: it is about another tree." in printed
    run(capsys, "report", "a.json", "-o", "a.html", "--certificate", "a.cert")


def test_the_language_is_an_option_and_one_that_is_not_there_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run(capsys, *FIT_KNOWN, "figure1", "--budget", "1", "-o", "a.json")
    run(capsys, "report", "a.json", "-o", "a.html", "--language", "de")
    assert '<html lang="de">' in Path("a.html").read_text(encoding="utf-8")
    printed = run(capsys, "report", "a.json", "-o", "b.html", "--language", "tlh", code=1)
    assert "language is 'tlh'; expected one of 'de', 'en'" in printed
    assert not Path("b.html").exists()


def test_a_certificate_that_was_edited_is_not_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run(capsys, *FIT_KNOWN, "figure1", "--budget", "2", "-o", "a.json", "--certificate", "a.cert")
    document = json.loads(Path("a.cert").read_text())
    false = document | {"lower_bound": "999"}
    for content, reason in [
        (false, "it was changed after it was sealed"),
        (false | {"seal": seal(false)}, "its lower bound or ratio cannot be true of this tree"),
        ({"format": "budgetree certificate"}, "'version' is missing"),
        (document | {"ratio": "1/0"}, 'ratio: \'1/0\' is not allowed; expected an exact number as text, "p" or "p/q"'),
    ]:
        Path("b.cert").write_text(json.dumps(content))
        assert reason in run(capsys, "report", "a.json", "-o", "a.html", "--certificate", "b.cert", code=1)
    assert not Path("a.html").exists()
