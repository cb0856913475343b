"""export("dot"): Graphviz reads the graph."""

from __future__ import annotations

import pydot
import pytest

import budgetree as bt
from exported import deep_tree, is_among
from losing import losing_tree
from new_cases import frame_of, new_frame, wild_rows


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # pydot's, about its parser
def test_graphviz_reads_the_graph() -> None:
    tree = bt.grow(bt.datasets.load("pima"), budget=2)
    graph = pydot.graph_from_dot_data(tree.export("dot"))[0]
    leaves = [node for node in graph.get_nodes() if node.get("color")]
    assert len(graph.get_edges()) == len(graph.get_nodes()) - 3  # beside the defaults for nodes and edges, one root
    assert len(leaves) == len(tree.rules())
    odd = bt.grow(bt.Instance([[0], [1]], ['"quoted"', "back\\slash"], test_names=["a\nb"]))
    labels = [node.get("label") for node in pydot.graph_from_dot_data(odd.export("dot"))[0].get_nodes()]
    assert any('\\"quoted\\"' in (label or "") for label in labels)


@pytest.mark.filterwarnings("ignore:.* (no known case had|no result of)")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("seed", range(3))
def test_who_follows_the_graph_comes_to_what_predict_says(seed: int) -> None:
    frame = new_frame(seed, 120)
    tree = bt.grow(bt.Instance.from_frame(frame, "class", levels=4), budget=2)
    graph = pydot.graph_from_dot_data(tree.export("dot"))[0]
    labels = {node.get_name(): node.get("label").strip('"').split("\\n")[0] for node in graph.get_nodes()[2:]}
    edges: dict[str, dict[str, tuple[str, ...]]] = {}
    for edge in graph.get_edges():
        names = edge.get("label").strip('"').split("\\n")[0].split(" | ")
        edges.setdefault(edge.get_source(), {})[edge.get_destination()] = tuple(names)
    codes = tree.encode(frame_of(wild_rows(seed, 100)))
    seen = [not tree.outline.is_hidden(leaf) for leaf in tree.walk_codes(codes).leaf.tolist()]
    for row, answer in zip(codes[seen].tolist(), tree.predict_codes(codes[seen]).tolist(), strict=True):
        at = "n0"
        while at in edges:
            test = tree.test_names.index(labels[at])
            outcome = tree.schema.outcome_names[test][row[test]]
            (at,) = (below for below, names in edges[at].items() if is_among(outcome, names))
        assert labels[at] == answer


def test_a_deep_tree_has_an_edge_per_branch() -> None:
    assert deep_tree(1500).export("dot").count("->") == 3000


@pytest.mark.parametrize("leaves", [None, "tree", "model"])
def test_answers_that_are_no_class_are_grey(leaves: str | None) -> None:
    text = losing_tree(leaves).export("dot")
    assert ('label="refer\\n' in text) == (leaves != "model")
    assert '"#8C8C8C"' in text
