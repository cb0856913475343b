"""A small reader of PMML trees, and the rules of PMML 4.4 for what such a document holds, written from its text alone.

It shares no code with budgetree, and must never import it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any
from xml.etree import ElementTree as ET

SPACE = "{http://www.dmg.org/PMML-4_4}"
PREDICATES = ("SimplePredicate", "CompoundPredicate", "SimpleSetPredicate", "True", "False")
OPTYPES = ("categorical", "ordinal", "continuous")
TYPES = ("string", "integer", "float", "double", "boolean", "date", "time", "dateTime")
# Per element: its attributes (those with a star are required), and its children in their order with how many of each.
STRUCTURE: dict[str, tuple[tuple[str, ...], tuple[tuple[str, int, float], ...]]] = {
    "PMML": (
        ("version*",),
        (("Header", 1, 1), ("DataDictionary", 1, 1), ("TransformationDictionary", 0, 1), ("TreeModel", 0, math.inf)),
    ),
    "Header": (
        ("copyright", "description", "modelVersion"),
        (("Extension", 0, math.inf), ("Application", 0, 1), ("Annotation", 0, math.inf), ("Timestamp", 0, 1)),
    ),
    "Application": (("name*", "version"), (("Extension", 0, math.inf),)),
    "DataDictionary": (("numberOfFields",), (("Extension", 0, math.inf), ("DataField", 1, math.inf))),
    "DataField": (
        ("name*", "displayName", "optype*", "dataType*", "isCyclic"),
        (("Extension", 0, math.inf), ("Interval", 0, math.inf), ("Value", 0, math.inf)),
    ),
    "Value": (("value*", "displayValue", "property"), (("Extension", 0, math.inf),)),
    "TreeModel": (
        (
            "modelName", "functionName*", "algorithmName", "missingValueStrategy", "missingValuePenalty",
            "noTrueChildStrategy", "splitCharacteristic", "isScorable",
        ),
        (("Extension", 0, math.inf), ("MiningSchema", 1, 1), ("Output", 0, 1), ("Node", 1, 1)),
    ),
    "MiningSchema": ((), (("Extension", 0, math.inf), ("MiningField", 1, math.inf))),
    "MiningField": (
        ("name*", "usageType", "optype", "missingValueTreatment", "invalidValueTreatment", "invalidValueReplacement"),
        (("Extension", 0, math.inf),),
    ),
    "Output": ((), (("Extension", 0, math.inf), ("OutputField", 1, math.inf))),
    "OutputField": (
        ("name*", "displayName", "optype", "dataType*", "targetField", "feature", "value", "isFinalResult"),
        (("Extension", 0, math.inf),),
    ),
    "Node": (
        ("id", "score", "recordCount", "defaultChild"),
        (("Extension", 0, math.inf), ("predicate", 1, 1), ("ScoreDistribution", 0, math.inf), ("Node", 0, math.inf)),
    ),
    "Extension": (("extender", "name", "value"), ()),
    "ScoreDistribution": (("value*", "recordCount*", "confidence", "probability"), (("Extension", 0, math.inf),)),
    "SimplePredicate": (("field*", "operator*", "value"), (("Extension", 0, math.inf),)),
    "CompoundPredicate": (("booleanOperator*",), (("Extension", 0, math.inf), ("predicate", 2, math.inf))),
    "True": ((), (("Extension", 0, math.inf),)),
    "False": ((), (("Extension", 0, math.inf),)),
}  # fmt: skip
CHOICES = {
    ("PMML", "version"): ("4.4",),
    ("DataField", "optype"): OPTYPES,
    ("DataField", "dataType"): TYPES,
    ("TreeModel", "functionName"): ("classification",),
    ("TreeModel", "missingValueStrategy"): ("none", "nullPrediction", "lastPrediction", "defaultChild"),
    ("TreeModel", "noTrueChildStrategy"): ("returnNullPrediction", "returnLastPrediction"),
    ("TreeModel", "splitCharacteristic"): ("binarySplit", "multiSplit"),
    ("MiningField", "usageType"): ("active", "target", "predicted", "supplementary"),
    ("MiningField", "invalidValueTreatment"): ("returnInvalid", "asIs", "asMissing", "asValue"),
    ("OutputField", "feature"): ("predictedValue", "probability", "entityId"),
    ("OutputField", "dataType"): TYPES,
    ("SimplePredicate", "operator"): (
        "equal", "notEqual", "lessThan", "lessOrEqual", "greaterThan", "greaterOrEqual", "isMissing", "isNotMissing",
    ),
    ("CompoundPredicate", "booleanOperator"): ("or", "and", "xor", "surrogate"),
}  # fmt: skip


def _tag(element: ET.Element) -> str:
    assert element.tag.startswith(SPACE), f"{element.tag} is not in the namespace of PMML 4.4"
    return element.tag.removeprefix(SPACE)


def check_structure(text: str) -> None:
    """An AssertionError where the document is not as PMML 4.4 says."""
    root = ET.fromstring(text)
    assert _tag(root) == "PMML"
    for element in root.iter():
        _check_element(element)
    names = [field.get("name") for field in root.iter(f"{SPACE}DataField")]
    assert len(set(names)) == len(names), "two fields have one name"
    (count,) = (dictionary.get("numberOfFields") for dictionary in root.iter(f"{SPACE}DataDictionary"))
    assert count == str(len(names))
    used = {field.get("name"): field.get("usageType", "active") for field in root.iter(f"{SPACE}MiningField")}
    assert set(used) <= set(names)
    assert list(used.values()).count("target") == 1
    for predicate in root.iter(f"{SPACE}SimplePredicate"):
        assert used[predicate.get("field")] == "active"
        assert (predicate.get("value") is None) == (predicate.get("operator") in ("isMissing", "isNotMissing"))
    ids = [node.get("id") for node in root.iter(f"{SPACE}Node")]
    assert len(set(ids)) == len(ids)
    for node in root.iter(f"{SPACE}Node"):
        shares = [share.get("probability") for share in node.findall(f"{SPACE}ScoreDistribution")]
        assert all(share is not None for share in shares)
        assert math.isclose(sum(float(share or "nan") for share in shares), 1)


def _check_element(element: ET.Element) -> None:
    tag = _tag(element)
    attributes, children = STRUCTURE[tag]
    assert set(element.attrib) <= {name.rstrip("*") for name in attributes}, f"{tag} has {sorted(element.attrib)}"
    for name in attributes:
        assert not name.endswith("*") or name.rstrip("*") in element.attrib, f"{tag} has no {name}"
    for (owner, name), allowed in CHOICES.items():
        if owner == tag and name in element.attrib:
            assert element.attrib[name] in allowed, f"{tag} {name} is {element.attrib[name]}"
    found = ["predicate" if _tag(child) in PREDICATES else _tag(child) for child in element]
    for kind, least, most in children:
        count = 0
        while found and found[0] == kind:
            found.pop(0)
            count += 1
        assert least <= count <= most, f"{tag} has {count} × {kind}"
    assert not found, f"{tag} has {found[0]} where it may not be"


@dataclass(frozen=True, slots=True)
class Scored:
    answer: Any
    probabilities: dict[str, float]


class PmmlTree:
    """A TreeModel that scores rows of raw values."""

    def __init__(self, text: str) -> None:
        root = ET.fromstring(text)
        self.types = {field.get("name"): field.get("dataType") for field in root.iter(f"{SPACE}DataField")}
        model = root.find(f"{SPACE}TreeModel")
        assert model is not None
        assert model.get("missingValueStrategy") == "none"
        self.stops = model.get("noTrueChildStrategy") == "returnLastPrediction"
        (self.target,) = (
            field.get("name") for field in model.iter(f"{SPACE}MiningField") if field.get("usageType") == "target"
        )
        self.root = model.find(f"{SPACE}Node")

    def score(self, row: dict[str, Any]) -> Scored:
        node = self.root
        assert node is not None
        while children := node.findall(f"{SPACE}Node"):
            chosen = next((child for child in children if self._holds(_predicate_of(child), row)), None)
            if chosen is None:
                assert self.stops
                break
            node = chosen
        shares = {
            share.attrib["value"]: float(share.attrib["probability"])
            for share in node.findall(f"{SPACE}ScoreDistribution")
        }
        return Scored(self._read(self.target, node.attrib["score"]), shares)

    def _holds(self, predicate: ET.Element, row: dict[str, Any]) -> bool:
        kind = _tag(predicate)
        if kind in ("True", "False"):
            return kind == "True"
        if kind == "CompoundPredicate":
            joined = any if predicate.get("booleanOperator") == "or" else all
            return joined(self._holds(part, row) for part in predicate)
        value = row[predicate.attrib["field"]]
        is_missing = value is None or value != value
        operator = predicate.get("operator")
        if operator in ("isMissing", "isNotMissing"):
            return is_missing == (operator == "isMissing")
        if is_missing:
            return False  # as missingValueStrategy="none" says
        other = self._read(predicate.attrib["field"], predicate.attrib["value"])
        if operator == "equal":
            return bool(value == other)
        return bool(value < other if operator == "lessThan" else value >= other)

    def _read(self, field: str | None, text: str) -> Any:
        kind = self.types[field]
        if kind == "boolean":
            return {"true": True, "false": False}[text]
        readers = {"double": float, "integer": int, "date": date.fromisoformat, "time": time.fromisoformat}
        return readers.get(kind or "", datetime.fromisoformat if kind == "dateTime" else str)(text)


def _predicate_of(node: ET.Element) -> ET.Element:
    return next(child for child in node if _tag(child) in PREDICATES)
