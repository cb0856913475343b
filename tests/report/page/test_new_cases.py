"""Trees for new cases on the page: its scripts answer, stop and charge as Python does."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
from support import to_instance

import budgetree as bt
from budgetree.report import render_page, summarise_tree
from budgetree.tree.explanation import explain
from built_trees import random_tree
from losing import losing_tree
from new_cases import new_tree

SCRIPTS = Path(__file__).parents[3] / "src/budgetree/report/page"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
KINDS = [
    ("model", 0.8),
    ("model", 1.0),
    ("tree", None),
    ("exact", None),
    ("losing model", None),
    ("losing tree", None),
    *(("random", seed) for seed in range(25)),
]
# Per case a code per test: 255 for what is on no list, -1 for a result that is not available.
SCRIPT = """
import {{ readFileSync }} from "node:fs";
import {{ indexTree, nodeShares }} from "{scripts}/model.js";
import {{ nameAll }} from "{scripts}/names.js";
import {{ follow }} from "{scripts}/routing.js";
import "{speaking}";
import {{ explain }} from "{scripts}/explanation.js";
const {{ content: given, cases }} = JSON.parse(readFileSync(0, "utf8"));
const content = nameAll(given);
const index = indexTree(content, content.trees[0]);
const found = cases.map((codes) => {{
  const answers = [];
  const left = [];
  for (;;) {{
    const state = follow(index, answers);
    left.push(state.left);
    if (!state.open) {{
      const {{ start, parts, together }} = explain(index, state);
      const moves = [start, ...parts.map((part) => part.after), ...(together ? [together.after] : [])];
      const before = parts.map((part) => part.before);
      return {{ ...state, shares: state.shares ?? nodeShares(index, state.at), left, moves, before }};
    }}
    const test = index.nodes[state.at].test;
    const outcome = codes[test] in content.tests[test].outcomes ? codes[test] : null;
    answers.push({{ outcome, said: "", unavailable: codes[test] === -1 }});
  }}
}});
console.log(JSON.stringify(found));
"""


@cache
def exact_tree() -> bt.Tree:
    """A table that a small tree explains better than any sum of columns does."""
    codes = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 8)
    return bt.predictive(bt.Instance(codes, codes[:, 0] ^ codes[:, 1]), budget=2)


def tree_of(kind: str, confidence: float | None) -> bt.Tree:
    if kind.startswith("losing "):
        return losing_tree(kind.removeprefix("losing "))
    if kind == "losing":
        return losing_tree(None)
    if kind == "random":
        return random_tree(int(confidence or 0))[0]
    return exact_tree() if kind == "exact" else new_tree(kind, confidence)


@needs_node
@pytest.mark.parametrize(("kind", "confidence"), KINDS)
def test_the_page_answers_stops_and_charges_as_python_does(kind: str, confidence: float | None) -> None:
    tree = tree_of(kind, confidence)
    rng = np.random.default_rng(3)
    codes = rng.integers(0, tree.schema.n_outcomes + 1, (120, len(tree.test_names)))
    codes = np.where(codes == tree.schema.n_outcomes, 255, codes).astype(np.uint8)
    found, walk = by_page(tree, codes), tree.walk_codes(codes)
    assert [state["at"] for state in found] == walk.leaf.tolist()
    assert [state["label"] for state in found] == walk.answers.tolist()
    assert [state["spent"] for state in found] == pytest.approx(walk.cost.tolist())
    assert [state["shares"] for state in found] == walk.probabilities.tolist()
    assert {state["left"][0] for state in found} == {tree.max_cost}


@cache
def ordinary_tree(seed: int) -> bt.Tree:
    return bt.grow(to_instance(reference.random_problem(random.Random(seed))))


@needs_node
@pytest.mark.parametrize(
    ("kind", "confidence"), [*KINDS, *(("ordinary", seed) for seed in (0, 5, 12, 16)), ("losing", None)]
)
def test_the_page_goes_on_without_results_and_explains_as_python_does(kind: str, confidence: Any) -> None:
    tree = ordinary_tree(confidence) if kind == "ordinary" else tree_of(kind, confidence)
    rng = np.random.default_rng(5)
    codes = rng.integers(0, tree.schema.n_outcomes, (60, len(tree.test_names)))
    codes[rng.random(codes.shape) < 0.3] = -1
    is_without = 0
    for row, state in zip(codes.tolist(), by_page(tree, codes), strict=True):
        case = bt.Consultation(tree)
        left = [case.worst_case_remaining]
        while not case.done:
            test = tree.test_names.index(str(case.next_test))
            case.unavailable() if row[test] < 0 else case.answer(case.outcomes[row[test]])
            left.append(case.worst_case_remaining)
        assert state["at"] == case.node
        assert state["spent"] == pytest.approx(case.spent)
        assert state["left"] == pytest.approx(left)
        assert state["label"] == tree.answer_names.index(case.prediction)
        assert state["shares"] == pytest.approx(case.shares.tolist())
        for step, done in zip(state["steps"], case.history, strict=True):
            assert step["price"] == pytest.approx(done.price)
            assert (step["answer"]["unavailable"], step["assumed"]) == (not done.available, done.assumed)
        explanation = explain(case)
        parts = [*explanation.contributions, *([explanation.correction] if explanation.correction else [])]
        assert state["moves"] == pytest.approx([explanation.start, *(part.after for part in parts)])
        assert state["before"] == pytest.approx([part.before for part in explanation.contributions])
        is_without += any(not step.available for step in case.history)
    assert is_without > 10 or kind == "random"


def by_page(tree: bt.Tree, codes: np.ndarray) -> list[dict[str, Any]]:
    script = SCRIPT.format(speaking=(Path(__file__).parent / "js/speaking.js").as_uri(), scripts=SCRIPTS.as_uri())
    given = json.dumps({"content": summarise_tree(tree, title="new"), "cases": codes.tolist()})
    command = ["node", "--input-type=module", "-e", script]
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_the_exact_start_is_shown_with_what_is_not_on_its_lists() -> None:
    tree = exact_tree()
    assert tree.errors == 0
    assert "anything else: → " in tree.to_text()
    names: dict[str, Any] = {}
    exec(tree.export("python", name="diagnose"), names)
    codes = np.array([[a, b, 0] for a in (0, 1, 255) for b in (0, 1, 255)], dtype=np.uint8)
    by_function = [names["diagnose"](dict(zip(tree.test_names, row, strict=True))) for row in codes.tolist()]
    assert by_function == tree.predict_codes(codes).tolist()
    assert "ELSE" in tree.export("sql")


@pytest.mark.parametrize(("kind", "confidence"), KINDS)
def test_the_page_is_made_of_what_is_plain_json(kind: str, confidence: float | None) -> None:
    content = summarise_tree(tree_of(kind, confidence), title="new")
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    assert "new" in render_page(content)
