"""The model file: round trips, and every broken file refused with one clear error."""

from __future__ import annotations

import copy
import json
import math
import os
import random
import subprocess
import sys
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from support import to_instance

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import TableError, TreeError
from budgetree.tree.model.file import SCHEMA_FILE, VERSION, check_shape
from built_trees import random_tree, stages_tree
from exported import by_duckdb, compiled
from show.export.test_sql import by_sqlite

ENCODING, VALUE, FEE = "tests[0].encoding", "tests[0].encoding.values[0]", "prices.shared.blood draw.fee"


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("models") / "model.json"
    bt.grow(bt.datasets.load("pima"), budget=20).to_json(path)
    return dict(json.loads(path.read_text()))


@pytest.fixture(scope="module")
def boosted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Of a tree whose models have small trees; a branch by score is node 2, and its totals are the first."""
    path = tmp_path_factory.mktemp("models") / "boosted.json"
    stages_tree().to_json(path)
    return dict(json.loads(path.read_text()))


def values(*listed: Any) -> dict[str, Any]:
    return {"kind": "values", "values": list(listed), "has_missing": False}


def check_refused(tmp_path: Path, content: Any, **fields: Any) -> None:
    path = tmp_path / "broken.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    with refused(bt.ModelFileError, source=str(path), **fields):
        bt.Tree.from_json(path)


@pytest.mark.parametrize("name", bt.datasets.names())
def test_a_tree_comes_back_from_its_file(tmp_path: Path, name: str) -> None:
    tree = bt.grow(bt.datasets.load(name), bt.HingedPairs(3))
    tree.to_json(tmp_path / "model.json")
    again = bt.Tree.from_json(tmp_path / "model.json")
    assert again == tree
    assert again.origin == tree.origin
    assert again.to_dict() == tree.to_dict()
    assert (again.max_cost, again.mean_cost, again.known_max_cost) == (
        tree.max_cost,
        tree.mean_cost,
        tree.known_max_cost,
    )


@pytest.mark.parametrize("seed", range(60))
def test_trees_with_every_kind_of_node_come_back(tmp_path: Path, seed: int) -> None:
    tree = random_tree(seed)[0]
    tree.to_json(tmp_path / "model.json")
    again = bt.Tree.from_json(tmp_path / "model.json")
    assert again == tree
    again.to_json(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


def test_prices_fees_and_weights_come_back(tmp_path: Path) -> None:
    rng = random.Random(5)
    for _ in range(100):
        tree = bt.grow(to_instance(reference.random_problem(rng)))
        tree.to_json(tmp_path / "model.json")
        assert bt.Tree.from_json(tmp_path / "model.json") == tree


def test_a_truncated_file_is_refused(tmp_path: Path, content: dict[str, Any]) -> None:
    check_refused(tmp_path, json.dumps(content)[:-40], expected="valid JSON", line=1)
    check_refused(tmp_path, "", expected="valid JSON")


def test_a_number_without_end_is_refused(tmp_path: Path, content: dict[str, Any]) -> None:
    text = json.dumps(content).replace('"n_objects": 753', f'"n_objects": {"9" * 5000}')
    check_refused(tmp_path, text, expected="valid JSON")


def test_an_entry_given_twice_is_refused(tmp_path: Path, content: dict[str, Any]) -> None:
    text = json.dumps(content).replace('"n_objects": 753', '"n_objects": 753, "n_objects": 753')
    check_refused(tmp_path, text, expected="valid JSON", subject="n_objects")


@pytest.mark.parametrize("version", [*range(1, VERSION), VERSION + 1, "6", None])
def test_another_version_is_refused(tmp_path: Path, content: dict[str, Any], version: Any) -> None:
    other = content | {"version": version}
    check_refused(tmp_path, other, subject="version", found=version, expected=VERSION)


def test_a_child_that_points_back_is_refused(tmp_path: Path, content: dict[str, Any]) -> None:
    broken = copy.deepcopy(content)
    node = next(i for i, entry in enumerate(broken["nodes"]) if i and "buy" in entry)
    broken["nodes"][node]["child"] = 1
    check_refused(tmp_path, broken, entry=f"nodes[{node}]", found=1)


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        (lambda c: c.update(format="other"), {"subject": "format", "found": "other"}),
        (lambda c: c.pop("version"), {"subject": "version"}),
        (lambda c: c.pop("tests"), {"subject": "tests"}),
        (lambda c: c.pop("labels"), {"subject": "labels"}),
        (lambda c: c.update(classes=[]), {"entry": "classes", "found": []}),
        (lambda c: c.update(n_objects=-1), {"entry": "n_objects", "found": -1, "expected": 0}),
        (lambda c: c.update(units_per_object=0), {"entry": "units_per_object", "found": 0}),
        (lambda c: c["tests"][0].update(name=c["tests"][1]["name"]), {"entry": "tests"}),
        (
            lambda c: c["tests"][0].update(outcomes=["a", "b"]),
            {"entry": ENCODING, "expected": "2 outcomes, as many as the test has"},
        ),
        (lambda c: c["prices"]["tests"].update(glucose=-1), {"entry": "prices.tests.glucose", "found": -1}),
        (lambda c: c["prices"]["tests"].update(mri=1), {"entry": "prices"}),
        (lambda c: c["prices"]["shared"]["blood draw"].update(fee="much"), {"entry": FEE, "found": "much"}),
        (lambda c: c["nodes"].clear(), {"entry": "nodes", "found": []}),
        (lambda c: c["nodes"][0].update(buy=99), {"entry": "nodes[0]", "found": 99}),
        (lambda c: c["nodes"][0].update(buy=1.0), {"entry": "nodes[0].buy", "found": 1.0}),
        (lambda c: c["nodes"][0]["shown"].pop(), {"entry": "nodes[0].shown"}),
        (lambda c: c["nodes"][0]["shown"].__setitem__(0, 1), {"entry": "nodes[0].shown"}),
        (lambda c: c["nodes"][1]["branch"]["children"].pop(), {"entry": "nodes[1]"}),
        (lambda c: c["nodes"][1]["branch"].update(test=3), {"entry": "nodes[1]"}),
        (lambda c: c["nodes"][1].update(given=[[1, 2]]), {"entry": "nodes[1].given"}),
        (lambda c: c["nodes"][-1].update(leaf="guess"), {"found": "guess"}),
        (lambda c: c["nodes"][-1].update(leaf="fixed"), {}),
        (lambda c: c["nodes"][-1].update(leaf="fixed", chances=[0.5, 0.4]), {"found": (0.5, 0.4)}),
        (lambda c: c["nodes"][-1].update(leaf="fixed", chances=[0.5, 0.5], answer=7), {"found": 7}),
        (lambda c: c["nodes"][-1].update(leaf="model", totals=0), {"found": 0}),
        (lambda c: c["nodes"][0]["counts"].append(1), {"entry": "nodes[0].counts", "found": [486, 267, 1]}),
        (lambda c: c["nodes"][0].update(counts=[1.5, 2]), {"entry": "nodes[0].counts[0]", "expected": "integer"}),
        (lambda c: c["nodes"][0].update(counts=[1, 1]), {"entry": "nodes[0].counts", "found": [1, 1]}),
        (lambda c: c["nodes"].append({"leaf": "majority", "counts": [0, 0]}), {"expected": "the child of a node"}),
        (lambda c: c["nodes"][0].update(child=10**9), {"entry": "nodes[0]", "found": 10**9}),
        (lambda c: [node.update(counts=[0, 0]) for node in c["nodes"]], {"entry": "nodes[0].counts", "found": [0, 0]}),
        (lambda c: c.update(classes=["a", "a"]), {"entry": "classes", "found": ["a", "a"]}),
        (lambda c: c["tests"][0].update(outcomes=[str(i) for i in range(300)]), {"entry": "tests[0].outcomes"}),
        (lambda c: c["prices"]["shared"]["blood draw"].update(fee="1e9999999"), {"entry": FEE, "found": "1e9999999"}),
        (lambda c: c["prices"]["shared"]["blood draw"].update(fee="1/0"), {"entry": FEE, "found": "1/0"}),
        (lambda c: c["prices"]["tests"].update(glucose=1e300), {"entry": "prices"}),
        (lambda c: c.update(units_per_object="1e300"), {"entry": "units_per_object", "found": "1e300"}),
        (lambda c: c["tests"].clear(), {"entry": "tests", "found": []}),
        (lambda c: c.update(classes=[math.nan, "a"]), {"entry": "classes"}),
        (lambda c: c["tests"][0]["encoding"].update(high=10**400), {}),
        (lambda c: c["nodes"][0].pop("shown"), {"entry": "nodes[0]"}),
        (lambda c: c["tests"][0].pop("encoding"), {"entry": "tests[0]"}),
        (lambda c: c["tests"].__setitem__(0, {"name": "age", "outcomes": ["a"]}), {"entry": "tests[0].encoding"}),
        (lambda c: c["tests"][0]["encoding"].update(kind="magic"), {"entry": f"{ENCODING}.kind", "found": "magic"}),
        (lambda c: c["tests"][0]["encoding"].pop("low"), {"entry": ENCODING, "subject": "low"}),
        (lambda c: c["tests"][0]["encoding"].update(low=99), {"entry": ENCODING, "found": (99.0, 81.0)}),
        (lambda c: c["tests"][0]["encoding"].update(high=math.inf), {"entry": ENCODING, "found": (21.0, math.inf)}),
        (lambda c: c["tests"][0]["encoding"].update(levels=9), {"entry": "nodes[0].shown"}),
        (lambda c: c["tests"][0].update(encoding=values("a", "a")), {"entry": f"{ENCODING}.values"}),
        (lambda c: c["tests"][0].update(encoding=values(math.inf)), {"entry": VALUE, "found": math.inf}),
        (lambda c: c["tests"][0].update(encoding=values({"date": "today"})), {"entry": VALUE, "expected": "a date"}),
        (lambda c: c["tests"][0].update(encoding=values({"decimal": "nan"})), {"entry": VALUE, "found": "nan"}),
        (lambda c: c["tests"][0].update(encoding=values({"code": "1"})), {"entry": VALUE, "found": "code"}),
    ],
)
def test_what_does_not_fit_is_named(
    tmp_path: Path, content: dict[str, Any], change: Any, fields: dict[str, Any]
) -> None:
    broken = copy.deepcopy(content)
    change(broken)
    check_refused(tmp_path, broken, **fields)


TREES = "totals[0].trees"


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        (lambda trees: trees["test"].append(-1), {"entry": f"{TREES}.value"}),
        (lambda trees: trees["test"].append(0), {"entry": f"{TREES}.cut"}),
        (lambda trees: trees["test"].__setitem__(0, 2), {"entry": TREES, "subject": "trees"}),
        (lambda trees: trees["test"].__setitem__(0, -2), {"entry": f"{TREES}.test[0]", "found": -2}),
        (lambda trees: trees["test"].__setitem__(0, 99), {"entry": TREES, "subject": "trees"}),
        (lambda trees: trees["test"].__setitem__(0, 0.0), {"entry": f"{TREES}.test", "found": 0.0}),
        (lambda trees: trees["test"].reverse(), {"entry": f"{TREES}.test"}),
        (lambda trees: trees["cut"].__setitem__(0, 250), {"entry": TREES, "subject": "trees"}),
        (lambda trees: trees["cut"].__setitem__(0, 255), {"entry": f"{TREES}.cut[0]", "found": 255}),
        (lambda trees: trees["cut"].__setitem__(0, -1), {"entry": f"{TREES}.cut[0]", "found": -1}),
        (lambda trees: trees["missing"].__setitem__(0, 250), {"entry": TREES, "subject": "trees"}),
        (lambda trees: trees["by_equal"].__setitem__(0, 2), {"entry": f"{TREES}.by_equal[0]", "found": 2}),
        (lambda trees: trees["value"].pop(), {"entry": f"{TREES}.value"}),
        (lambda trees: trees["value"].__setitem__(0, [1]), {"entry": f"{TREES}.value[0]"}),
        (lambda trees: trees["value"].__setitem__(0, 2**31), {"entry": f"{TREES}.value[0]", "found": 2**31}),
        (lambda trees: trees.update(left=[1]), {"entry": TREES}),
        (lambda trees: trees.update(chain(trees, 256)), {"entry": TREES, "subject": "trees"}),
    ],
)
def test_small_trees_that_do_not_fit_are_named(
    tmp_path: Path, boosted: dict[str, Any], change: Any, fields: dict[str, Any]
) -> None:
    broken = copy.deepcopy(boosted)
    change(broken["totals"][0]["trees"])
    check_refused(tmp_path, broken, **fields)


def chain(trees: dict[str, Any], n_choices: int) -> dict[str, Any]:
    """A single tree with one end more than choices."""
    inner = {name: [trees[name][0]] * n_choices for name in ("cut", "by_equal", "default_left", "missing")}
    return {"test": [0, -1] * n_choices + [-1], **inner, "value": [0] * (n_choices + 1)}


def test_the_largest_tree_that_is_allowed_is_read(tmp_path: Path, boosted: dict[str, Any]) -> None:
    large = copy.deepcopy(boosted)
    large["totals"][0]["trees"] |= chain(large["totals"][0]["trees"], 255)
    (tmp_path / "large.json").write_text(json.dumps(large))
    tree = bt.Tree.from_json(tmp_path / "large.json")
    row = {"age": 1.0, "colour": "r", "dose": 0.5, "grade": 1.0}
    expected = tree.predict(pd.DataFrame([row])).tolist()
    assert by_duckdb(tree, pa.Table.from_pylist([row])) == by_sqlite(tree, [row]) == [compiled(tree)(row)] == expected


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_json_that_is_no_model_is_refused(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    check_refused(tmp_path_factory.mktemp("any"), value)


def with_a_changed_entry(content: dict[str, Any], seed: int) -> dict[str, Any]:
    """Somewhere in the document, at any depth, one entry is another."""
    rng, broken = random.Random(seed), copy.deepcopy(content)
    place: Any = broken
    while place:
        key = rng.choice(sorted(place) if isinstance(place, dict) else range(len(place)))
        if not isinstance(place[key], (dict, list)) or not place[key] or rng.random() < 0.3:
            place[key] = rng.choice([None, True, -3, -1, 0, 1, 2, 3, 0.5, "", "x", "1/3", "\N{BULLET}", [], {}])
            break
        place = place[key]
    return broken


@given(seed=st.integers(0, 2**32))
def test_a_changed_entry_of_small_trees_is_refused_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, boosted: dict[str, Any], seed: int
) -> None:
    totals = [with_a_changed_entry(boosted["totals"][0], seed), *boosted["totals"][1:]]
    path = tmp_path_factory.mktemp("changed") / "model.json"
    path.write_text(json.dumps(boosted | {"totals": totals}))
    try:
        tree = bt.Tree.from_json(path)
    except bt.ModelFileError:
        return
    tree.to_text()
    assert len(tree.predict_codes([[0] * 4])) == 1


@given(seed=st.integers(0, 2**32))
def test_a_changed_entry_is_refused_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, content: dict[str, Any], seed: int
) -> None:
    broken = with_a_changed_entry(content, seed)
    path = tmp_path_factory.mktemp("changed") / "model.json"
    path.write_text(json.dumps(broken))
    try:
        tree = bt.Tree.from_json(path)
    except bt.ModelFileError:
        return
    tree.to_text()
    assert len(tree.predict_codes([[0] * 8])) == 1
    names = [test["name"] for test in content["tests"]]
    if tree.schema.encoders is not None and list(tree.test_names) == names:  # else the frame has no such column
        assert tree.encode(bt.datasets.frame("pima").head(1)).shape == (1, 8)


def test_a_link_stays_a_link_and_a_long_name_is_no_trouble(tmp_path: Path) -> None:
    tree = bt.grow(bt.datasets.load("figure1"))
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    link.symlink_to(real)
    tree.to_json(link)
    assert link.is_symlink()
    assert bt.Tree.from_json(real) == tree
    tree.to_json(tmp_path / ("x" * 240 + ".json"))
    with pytest.raises(FileNotFoundError, match="its folder does not exist"):
        tree.to_json(tmp_path / "nowhere" / "m.json")
    with pytest.raises(IsADirectoryError, match="this is a folder"):
        tree.to_json(tmp_path)


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    bt.grow(bt.datasets.load("figure1")).to_json(pipe)
    assert json.loads(reader.communicate()[0])["format"] == "budgetree"
    assert not pipe.is_file()


def test_a_failed_write_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.json"
    tree = bt.grow(bt.datasets.load("figure1"))
    tree.to_json(path)
    before = path.read_bytes()

    def fail(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        bt.grow(bt.datasets.load("pima")).to_json(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.json"]


def test_classes_that_json_cannot_hold_are_refused(tmp_path: Path) -> None:
    tree = bt.grow(bt.Instance([[0], [1]], [(1, 2), (3, 4)]))
    with refused(TreeError, subject="class", found=(1, 2)):
        tree.to_json(tmp_path / "model.json")


DAYS = [date(2024, 2, 28), date(2024, 2, 29), None]
RAW = {
    "number": [0.5, 2.5, math.nan] * 4,
    "many": [float(i * i) for i in range(12)],
    "text": ["ja", "nein", "weiß nicht"] * 4,
    "flag": [True, False, True] * 4,
    "day": DAYS * 4,
    "moment": [datetime(2024, 2, 29, 12, 30, tzinfo=UTC), None, datetime(2024, 2, 29, 13)] * 4,
    "span": [timedelta(hours=-3), timedelta(microseconds=1), None] * 4,
    "hour": [time(8), time(9, 30), None] * 4,
    "price": [Decimal("1.10"), Decimal("2"), None] * 4,
    "mixed": ["a", 7, math.inf] * 4,
}
LABELS = ["x", "y", "z", "z", "y", "x"] * 2


@pytest.mark.filterwarnings("ignore:.* (no known case had|no result of)")
@pytest.mark.parametrize("name", RAW)
def test_raw_values_of_every_kind_come_back(tmp_path: Path, name: str) -> None:
    known = pd.DataFrame({name: pd.Series(RAW[name], dtype=object), "label": LABELS})
    if name in ("number", "many"):
        known = known.astype({name: float})
    tree = bt.grow(bt.Instance.from_frame(known, "label", duplicates="keep"))
    tree.to_json(tmp_path / "model.json")
    again = bt.Tree.from_json(tmp_path / "model.json")
    assert again == tree
    new = pd.DataFrame({name: [*known[name], 1e9 if name in ("number", "many") else "never seen"]})
    assert np.array_equal(again.encode(new), tree.encode(new))
    assert np.array_equal(again.predict_codes(again.encode(new)), tree.predict_codes(tree.encode(new)))


def test_a_value_that_json_cannot_hold_is_refused(tmp_path: Path) -> None:
    known = pd.DataFrame({"pair": [(1, 2), (3, 4)], "label": [0, 1]})
    with refused(TableError, subject="pair", found=(1, 2)):
        bt.grow(bt.Instance.from_frame(known, "label")).to_json(tmp_path / "model.json")


@pytest.mark.filterwarnings("ignore:.* (no known case had|no result of)")
def test_another_process_predicts_the_same(tmp_path: Path) -> None:
    raw = bt.datasets.frame("house_votes")
    tree = bt.grow(bt.Instance.from_frame(raw, "party"), budget=4)
    tree.to_json(tmp_path / "model.json")
    new = raw.drop(columns="party")
    new.iloc[0, :] = "never seen"
    new.iloc[1, :] = None
    new.to_parquet(tmp_path / "new.parquet")
    script = """
import sys, pandas as pd, budgetree as bt
tree = bt.Tree.from_json(sys.argv[1])
codes = tree.encode(pd.read_parquet(sys.argv[2]))
print(*tree.predict_codes(codes), *tree.walk_codes(codes).cost)
"""
    command = [sys.executable, "-c", script, str(tmp_path / "model.json"), str(tmp_path / "new.parquet")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    codes = tree.encode(new)
    assert printed == [*map(str, tree.predict_codes(codes)), *map(str, tree.walk_codes(codes).cost)]


def test_the_schema_is_of_the_files_version() -> None:
    schema = json.loads(files("budgetree.tree.model").joinpath(SCHEMA_FILE).read_text(encoding="utf-8"))
    assert schema["$id"] == f"urn:budgetree:model:{VERSION}"


@pytest.mark.parametrize("which", ["content", "boosted"])
def test_the_published_schema_is_one_and_another_validator_agrees(which: str, request: pytest.FixtureRequest) -> None:
    content: dict[str, Any] = request.getfixturevalue(which)
    schema = json.loads(files("budgetree.tree.model").joinpath(SCHEMA_FILE).read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    validator.validate(content)

    @given(seed=st.integers(0, 2**32))
    def agree(seed: int) -> None:
        broken = with_a_changed_entry(content, seed)
        try:
            check_shape(broken)
        except bt.ModelFileError:
            assert not validator.is_valid(broken)
        else:
            assert validator.is_valid(broken)

    agree()


def test_a_class_that_is_no_finite_number_is_refused_when_it_is_written(tmp_path: Path) -> None:
    tree = bt.grow(bt.Instance([[0], [1]], [0, 1], class_names=[float("nan"), 1.0]))
    with refused(TreeError, subject="class"):
        tree.to_json(tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()


def test_a_file_says_who_wrote_it_and_from_which_table(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [0, 1, 2, 3] * 6, "b": range(24), "y": ["ill", "well"] * 12})
    for objective in ("known", "new"):
        trees = [bt.fit(bt.Instance.from_frame(f, "y"), budget=1, objective=objective, folds=0).tree for f in (
            frame, frame.sample(frac=1, random_state=1)[["b", "y", "a"]], frame.assign(b=[23, *range(1, 23), 0]),
        )]  # fmt: skip
        for number, tree in enumerate(trees):
            tree.to_json(tmp_path / f"{number}.json")
        same, shuffled, other = (json.loads((tmp_path / f"{number}.json").read_text()) for number in range(3))
        assert same["written_by"] == f"budgetree {bt.__version__}"
        assert same["origin"]["table"] == shuffled["origin"]["table"] != other["origin"]["table"]
        assert bt.Tree.from_json(tmp_path / "0.json").origin.table == same["origin"]["table"]
