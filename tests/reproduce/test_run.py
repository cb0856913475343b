"""budgetree reproduce: what it writes, what it prints, and that docs/paper.md is of its making."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import pytest

from budgetree.cli import main
from budgetree.reproduce import Reproduction, Verdict, reproduce

mpl.use("Agg")
PAPER = (Path(__file__).parents[2] / "docs" / "paper.md").read_text(encoding="utf-8")


def test_all_nine_sets_give_the_document_and_its_verdicts() -> None:
    """But for what depends on how far the search for dna's frontier gets; here it hardly begins."""
    whole = reproduce(hard_seconds=0.01, progress=False)
    written, kept = whole.document.splitlines(), PAPER.splitlines()
    different = [(ours, theirs) for ours, theirs in zip(written, kept, strict=True) if ours != theirs]
    verdicts = ("**Not settled.**", "**Holds in part.**")  # of the first trend, which waits for dna
    assert all(("dna" in ours and "dna" in theirs) or (ours, theirs) == verdicts for ours, theirs in different)
    by_verdict: dict[Verdict, set[str]] = {}
    for claim in whole.claims:
        by_verdict.setdefault(claim.verdict, set()).add(claim.where)
    assert by_verdict[Verdict.FAILS] == {"Section 2, prices by outcome"}
    assert by_verdict[Verdict.IN_PART] == {"Appendix, data sets", "Section 5, second trend, large budgets"}
    assert by_verdict[Verdict.NOT_SETTLED] == {"Section 5, first trend"}


def test_everything_is_written(tmp_path: Path, small: Reproduction) -> None:
    files = small.write(tmp_path / "out")
    names = {Path(path).name for path in files}
    expected = {"index.html", "paper.md", "baselines.csv", "data_sets.csv", "figure1.csv", "methods.csv"}
    expected |= {f"figure5{which}.{kind}" for which in ("", "_mammographic", "_house_votes") for kind in ("png", "svg")}
    expected |= {"synthetic.png", "synthetic.svg", "curves_mammographic.csv", "curves_synthetic.csv"}
    assert expected <= names
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    for claim in small.claims:
        assert claim.where in page
    assert page.count("<svg") == 2
    assert not re.search(r"(src|href)=[\"']?https?://", page.replace("http://www.w3.org", ""))
    ElementTree.parse(tmp_path / "out" / "figure5.svg")


def test_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, small: Reproduction
) -> None:
    monkeypatch.setattr("budgetree.reproduce.reproduce", lambda **_: small)
    monkeypatch.setattr(Reproduction, "write", lambda _, out: [f"{out}/index.html"])
    assert main(["reproduce", "--out", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    assert "Theorem 2.2: holds" in printed
    assert "index.html in a browser" in printed
    assert main(["reproduce"]) == 0
    assert "--out DIR writes" in capsys.readouterr().out
