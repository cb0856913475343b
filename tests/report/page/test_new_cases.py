"""Trees for new cases on the page: its scripts answer, stop and charge as Python does."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import budgetree as bt
from budgetree.report import render_page, summarise_tree
from new_cases import new_tree

MODEL_JS = Path(__file__).parents[3] / "src/budgetree/report/page/model.js"
KINDS = [("model", 0.8), ("model", None), ("count", None), ("exact", None)]
SCRIPT = """
import {{ readFileSync }} from "node:fs";
import {{ indexTree, follow }} from {module};
const {{ content, cases }} = JSON.parse(readFileSync(0, "utf8"));
const index = indexTree(content, content.trees[0]);
const found = cases.map((codes) => {{
  const answers = [];
  for (;;) {{
    const state = follow(index, answers);
    if (!state.open) return {{ ...state, steps: undefined, left: index.remaining[0] }};
    const test = index.nodes[state.at].test;
    answers.push({{ outcome: codes[test] < content.tests[test].outcomes.length ? codes[test] : null, said: "" }});
  }}
}});
console.log(JSON.stringify(found));
"""


@cache
def exact_tree() -> bt.Tree:
    """A table that a small tree explains better than any sum of columns does."""
    codes = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 8)
    return bt.predictive(bt.Instance(codes, codes[:, 0] ^ codes[:, 1]), budget=2)


def tree_of(kind: str, sure: float | None) -> bt.Tree:
    return exact_tree() if kind == "exact" else new_tree(kind, sure)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(("kind", "sure"), KINDS)
def test_the_page_answers_stops_and_charges_as_python_does(kind: str, sure: float | None) -> None:
    tree = tree_of(kind, sure)
    rng = np.random.default_rng(3)
    codes = rng.integers(0, tree.schema.n_outcomes + 1, (120, len(tree.test_names)))
    codes = np.where(codes == tree.schema.n_outcomes, 255, codes).astype(np.uint8)
    found = by_page(tree, codes)
    assert [state["at"] for state in found] == tree.route(codes).tolist()
    assert [state["label"] for state in found] == tree.answers(codes).tolist()
    assert [state["spent"] for state in found] == pytest.approx(tree.plain_cost(codes))
    assert np.array([state["shares"] for state in found]) == pytest.approx(tree.predict_proba(codes))
    assert {state["left"] for state in found} == {tree.max_cost}
    assert not any(state["stopped"] for state in found)


def by_page(tree: bt.Tree, codes: np.ndarray) -> list[dict[str, Any]]:
    script = SCRIPT.format(module=json.dumps(MODEL_JS.as_uri()))
    given = json.dumps({"content": summarise_tree(tree, title="new"), "cases": codes.tolist()})
    command = ["node", "--input-type=module", "-e", script]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_the_exact_start_is_shown_with_what_is_not_on_its_lists() -> None:
    tree = exact_tree()
    assert tree.models is None
    assert tree.errors == 0
    assert "anything else: → " in tree.to_text()
    names: dict[str, Any] = {}
    exec(tree.to_python("diagnose"), names)
    codes = np.array([[a, b, 0] for a in (0, 1, 255) for b in (0, 1, 255)], dtype=np.uint8)
    by_function = [names["diagnose"](dict(zip(tree.test_names, row, strict=True))) for row in codes.tolist()]
    assert by_function == tree.predict(codes).tolist()
    assert "ELSE" in tree.to_sql()


@pytest.mark.parametrize(("kind", "sure"), KINDS)
def test_the_page_is_made_of_what_is_plain_json(kind: str, sure: float | None) -> None:
    content = summarise_tree(tree_of(kind, sure), title="new")
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    assert "new" in render_page(content)
