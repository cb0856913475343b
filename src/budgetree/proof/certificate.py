"""Certificate: how good a tree is, and why, in a form that anyone can check and keep."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from budgetree.errors import CertificateError
from budgetree.problem import Instance
from budgetree.problem.units import LARGEST, plain_number
from budgetree.proof.check import CheckReport, seal, verify
from budgetree.proof.check.facts import Facts
from budgetree.proof.check.verifier import FORMAT, VERSION
from budgetree.services.files import write_text
from budgetree.services.json_shape import first_flaw
from budgetree.services.words import counted, show_number
from budgetree.tree import LEAF, Tree

SCHEMA_FILE = "certificate.schema.json"


@dataclass(frozen=True, eq=False, repr=False)
class Certificate:
    """A proven lower bound on what any tree with as few errors costs, beside what this one does.

    Make one with budgetree.certify. check() verifies it by exact arithmetic from the instance and the document alone.
    """

    document: Mapping[str, Any]  # what to_json writes: every number exact, as "p/q"
    _instance: Instance | None = field(default=None, repr=False)

    @property
    def max_cost(self) -> int | float | None:
        """What no case exceeds, known or new; None where a certificate of version 1 does not say it."""
        return None if self._is_old else self._number("max_cost")

    @property
    def known_max_cost(self) -> int | float:
        """The costliest path that a known case takes: the paper's worst case, about which the bounds are."""
        return plain_number(Fraction(self._known_text))

    @property
    def errors(self) -> int | float:
        """What the tree gets wrong, by weight."""
        return self._number("errors")

    @property
    def lower_bound(self) -> int | float:
        """Every tree with at most as many errors costs some known case at least this."""
        return self._number("lower_bound")

    @property
    def ratio(self) -> float | None:
        """known_max_cost / lower_bound: 1 means that no tree is cheaper. None where nothing above 0 is proven."""
        ratio = self.document["ratio"]
        return None if ratio is None else float(Fraction(ratio))

    @property
    def reason(self) -> str:
        """Why, in words."""
        return str(self.document["reason"])

    @property
    def witness(self) -> Mapping[str, Any] | None:
        """The data from which the lower bound follows."""
        winner = self.document["winner"]
        return None if winner is None else self.document["bounds"][winner]

    @property
    def bounds(self) -> dict[str, int | float]:
        """The value of each kind of bound, before it is rounded up to what a path can cost."""
        return {bound["kind"]: plain_number(Fraction(bound["value"])) for bound in self.document["bounds"]}

    @property
    def guarantee(self) -> float | None:
        """The paper's a-priori factor ln F(S) + 1, where the tree is a greedy one."""
        guarantee = self.document["guarantee"]
        return None if guarantee is None else float(guarantee["factor"])

    @property
    def error_bounds(self) -> list[dict[str, Any]]:
        """The paper's bounds on the share of errors: name, alpha, bound and the bound refined over η."""
        return [
            {"name": entry["name"]} | {key: float(Fraction(entry[key])) for key in ("alpha", "bound", "refined")}
            for entry in self.document["error_bounds"]
        ]

    def check(self, instance: Instance | None = None, *, time_limit: float | None = 10) -> CheckReport:
        """Verify every claim again, in exact arithmetic, with none of the code that made it.

        A bound that rests on exhaustive search is searched again by a plain program; what the time does not suffice
        for is said to be unverified. The instance may be left out where certify has just made the certificate.
        """
        instance = self._instance if instance is None else instance
        if instance is None:
            raise ValueError("instance: a certificate from a file is checked against an instance; pass it to check().")
        return verify(self.document, facts_of(instance), time_limit=time_limit)

    def to_json(self, path: str | PathLike[str]) -> None:
        """Write the certificate; an existing file is replaced only once the new one is complete."""
        write_text(Path(path), json.dumps(self.document, ensure_ascii=False, indent=1))

    @classmethod
    def from_json(cls, path: str | PathLike[str]) -> Certificate:
        """Read a certificate. Only check() says whether it is true."""
        try:
            document = json.loads(Path(path).read_text(encoding="utf-8-sig"), parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise CertificateError(f"{path}: this is not a certificate: {error}.") from None
        if (flaw := _flaw(document)) is not None:
            raise CertificateError(f"{path}: this is not a certificate: {flaw}")
        return cls(document)

    def contradiction(self, tree: Tree) -> str | None:
        """Why this cannot be a certificate of the tree, as far as can be seen without the known cases."""
        if self.document["tree"] != tree_entries(tree):
            return "it is about another tree"
        if self.document["seal"] != seal(self.document):
            return "it was changed after it was sealed"
        known = Fraction(int(tree.nodes.paid.max())) / tree.schema.table.scale
        lower, stated = (Fraction(self.document["lower_bound"]), self.document["ratio"])
        if (Fraction(self._known_text), Fraction(self.document["errors"])) != (known, tree.exact_errors):
            return "it states another cost or other errors than the tree has"
        ratio = known / lower if lower else (Fraction(1) if known == 0 else None)
        if lower > known or (None if stated is None else Fraction(stated)) != ratio:
            return "its lower bound or ratio cannot be true of this tree"
        return None

    def to_text(self) -> str:
        """A few lines for people."""
        lines = [f"{self._worst_case()}, {counted(self.errors, 'error')}", self.reason]
        if self.guarantee is not None:
            lines.append(f"the paper's guarantee beforehand: within {self.guarantee:.2f} times the best")
        rate = float(Fraction(self.document["error_rate"]))
        lines += [
            f"{entry['name']}({entry['alpha']:.4g}): at most {entry['bound']:.1%} wrong, "
            f"refined {entry['refined']:.1%}; really {rate:.1%}"
            for entry in self.error_bounds
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        ratio = "" if self.ratio is None else f", ratio {self.ratio:.3g}"
        return (
            f"Certificate({self._worst_case()}, at least {show_number(self.lower_bound)}{ratio}, "
            f"with at most {counted(self.errors, 'error')})"
        )

    @property
    def _is_old(self) -> bool:
        """In version 1 "max_cost" was that of known cases, and the other was not said."""
        return bool(self.document["version"] == 1)

    @property
    def _known_text(self) -> str:
        return str(self.document["max_cost" if self._is_old else "known_max_cost"])

    def _worst_case(self) -> str:
        known = show_number(self.known_max_cost)
        if self.max_cost is None:
            return f"worst case of known cases {known}"
        if self.max_cost == self.known_max_cost:
            return f"worst case {known}"
        return f"worst case {show_number(self.max_cost)} (known cases at most {known})"

    def _number(self, key: str) -> int | float:
        return plain_number(Fraction(self.document[key]))


def tree_entries(tree: Tree) -> list[dict[str, Any]]:
    """A tree as a certificate has it."""
    nodes, schema = tree.nodes, tree.schema
    entries: list[dict[str, Any]] = []
    for node in range(len(nodes)):
        test = int(nodes.test[node])
        if test == LEAF:
            entries.append({"test": None, "children": {}})
        else:
            below = nodes.children(node, len(schema.outcome_names[test])).tolist()
            children = {str(outcome): child for outcome, child in enumerate(below) if child >= 0}
            entries.append({"test": test, "children": children})
    return entries


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON's")


def _flaw(document: Any) -> str | None:
    """What keeps a document from being a certificate, in words."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        return f'expected an object with "format": "{FORMAT}".'
    version = document.get("version")
    if isinstance(version, int) and version > VERSION:
        return f"version {version} was written by a later budgetree; this one reads up to {VERSION}. Upgrade it."
    if (flaw := first_flaw(document, "budgetree.proof", SCHEMA_FILE)) is not None:
        return flaw
    if document["winner"] is not None and document["winner"] >= len(document["bounds"]):
        listed = counted(len(document["bounds"]), "bound")
        return f"winner is {document['winner']}; expected null, or a position in the list of {listed}."
    stated = ("max_cost", "errors", "error_rate", "lower_bound", "ratio")
    numbers = [document[key] for key in stated if document[key] is not None]
    numbers += [bound["value"] for bound in document["bounds"]]
    numbers += [entry[key] for entry in document["error_bounds"] for key in ("alpha", "bound", "refined")]
    if "known_max_cost" in document:
        numbers.append(document["known_max_cost"])
    too_large = [number for number in numbers if abs(Fraction(number)) > LARGEST]
    return f"{too_large[0]:.30}… is beyond 1e100." if too_large else None


def facts_of(instance: Instance) -> Facts:
    """The instance in plain numbers, as the checker wants it."""
    schema, table = instance.schema, instance.schema.table
    scale = schema.weight_scale
    return Facts(
        codes=instance.codes.tolist(),
        labels=instance.labels.tolist(),
        weights=[Fraction(units) / scale for units in instance.weight_units.tolist()],
        test_names=schema.test_names,
        class_names=[str(name) for name in schema.class_names],
        outcome_names=schema.outcome_names,
        prices=[
            [Fraction(units) / table.scale for units in own[: len(names)]]
            for own, names in zip(table.own.tolist(), schema.outcome_names, strict=True)
        ],
        fees=[
            (
                Fraction(fee) / table.scale,
                frozenset(t for t, mask in enumerate(table.fee_mask.tolist()) if mask >> f & 1),
            )
            for f, fee in enumerate(table.fees.tolist())
        ],
    )
