"""`budgetree report`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import FIT_KNOWN, run

from budgetree.proof.check import seal


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
