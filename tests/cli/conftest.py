"""A table as a clinic might send it, for several commands."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

import pytest

PRICES = """
default = 1
[tests]
"Blutdruck (mmHg)" = 4
EKG = { normal = 20, "auffällig" = 35, missing = 20 }
[shared.Blutabnahme]
fee = 2.10
tests = ["Troponin", "D-Dimer"]
"""


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table as a clinic might send it: quotes, gaps, dates, umlauts, a semicolon in a cell, a line break."""
    rng = random.Random(7)
    rows = []
    for number in range(120):
        pressure = rng.gauss(130, 20)
        ekg = rng.choice(["normal", "normal", "auffällig", ""])
        troponin, dimer = rng.choice(["hoch", "niedrig"]), f"{rng.uniform(0, 3):.2f}"
        pain = rng.choice(["drückend; links", "stechend,\nbeim Atmen", "keiner"])
        ill = (troponin == "hoch") + (ekg == "auffällig") + (pressure > 150) + (pain == "keiner") * -1
        answer = "Infarkt" if ill >= 2 else "Angina pectoris" if ill == 1 else 'anderes ("harmlos")'
        day = f"2024-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        rows.append(
            [f"P{number:04d}", day, f"{pressure:.1f}", ekg, troponin, dimer if number % 9 else "n/a", pain, answer]
        )
    names = ["Patient", "Aufnahme", "Blutdruck (mmHg)", "EKG", "Troponin", "D-Dimer", "Schmerz", "Befund"]
    text = io.StringIO()
    csv.writer(text).writerows([names, *rows])
    (tmp_path / "fälle.csv").write_text(text.getvalue(), encoding="utf-8-sig", newline="")
    (tmp_path / "preise.toml").write_text(PRICES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path
