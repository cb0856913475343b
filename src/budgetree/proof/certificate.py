"""Certificate: how good a tree is, and why, in a form that anyone can check and keep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

from budgetree._internal import internal
from budgetree.errors import CertificateError, SettingError, Where
from budgetree.learn.settings import check_instance, check_time_limit
from budgetree.problem import Instance
from budgetree.problem.units import LARGEST, plain_number
from budgetree.proof.check import CheckReport, seal, verify
from budgetree.proof.check.document import FORMAT, VERSION, not_applicable, reason
from budgetree.proof.check.facts import canonical
from budgetree.proof.check.reading import Deadline
from budgetree.proof.entries import facts_of, ignored_rules, loss_facts, lower_bound, rounded_prices, tree_entries
from budgetree.proof.paper_bounds import bounds_on_errors
from budgetree.services.files import check_schema, read_json, write_json
from budgetree.services.words import counted, show_number
from budgetree.tree import Tree

SCHEMA_FILE = "certificate.schema.json"


class Contradiction(StrEnum):
    """Why a document cannot be a certificate of a tree, in words."""

    TREE = "it is about another tree"
    SEAL = "it was changed after it was sealed"
    NUMBERS = "it states another cost, other errors or another loss than the tree has"
    LOSSES = "it is about other losses than the tree has"
    SHARE = "it states another share of errors or other prices than the tree has"
    RULES = "its bounds leave out other rules than there are"
    ERROR_BOUNDS = "its bounds on the share of errors are not those of this tree"
    LOWER_BOUND = "its lower bound or ratio cannot be true of this tree"


@dataclass(frozen=True, eq=False, repr=False)
class Certificate:
    """A proven lower bound on the cost of any tree with as few errors (or as little loss) as this one.

    `certify` makes one. `check` verifies it by exact arithmetic from the instance and the document alone; until then a
    certificate from elsewhere is its issuer's word, and its text says so.

    Parameters
    ----------
    document : dict
        What `to_json` writes: every number exact, as "p/q".

    Examples
    --------
    >>> import budgetree as bt
    >>> figure1 = bt.datasets.load("figure1")
    >>> certificate = bt.certify(figure1, bt.grow(figure1))
    >>> certificate.known_max_cost, certificate.lower_bound, certificate.ratio
    (2, 1, 2.0)
    >>> certificate.to_json("proof.json")
    >>> print(bt.Certificate.from_json("proof.json").check(figure1))
    The certificate holds.
    >>> print(bt.certify(figure1, bt.optimal(figure1, budget=1).tree).to_text())
    worst case 1, 10 errors
    no tree with at most 10 errors costs less: min R · F over 60 cases, with HingedPairs(10)
    HingedPairs(7.5): at most 50.0% wrong, refined 41.7%; really 16.7%
    HingedProduct(10): at most 33.3% wrong, refined 33.3%; really 16.7%
    """

    document: Mapping[str, Any]
    _instance: Instance | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self._instance is None:  # certify knows what it writes
            _check(self.document)

    @property
    def max_cost(self) -> int | float:
        """What no case exceeds, known or new."""
        return self._number("max_cost")

    @property
    def known_max_cost(self) -> int | float:
        """The costliest path that a known case takes: the paper's worst case, about which the bounds are."""
        return self._number("known_max_cost")

    @property
    def errors(self) -> int | float:
        """What the tree gets wrong, by weight."""
        return self._number("errors")

    @property
    def loss(self) -> int | float:
        """What its answers cost; the errors, where no losses are given."""
        return self._number("loss")

    @property
    def lower_bound(self) -> int | float:
        """Every tree with no more errors, or no more loss where losses are given, costs some known case this."""
        return self._number("lower_bound")

    @property
    def ratio(self) -> float | None:
        """`known_max_cost` / `lower_bound`: 1 means that no tree is cheaper. None where nothing above 0 is proven."""
        ratio = self.document["ratio"]
        return None if ratio is None else float(Fraction(ratio))

    @property
    def reason(self) -> str:
        """Why, in words: made from the numbers of the document, whatever it says itself."""
        return reason(self.document)

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

    @property
    def not_applicable(self) -> dict[str, str]:
        """What cannot be stated because losses are given, and why: made again, whatever the document says itself."""
        return not_applicable(self._has_losses, self.document["spared"] is not None)

    @property
    def rounded(self) -> list[dict[str, Any]]:
        """The prices that are not counted as they were given: what each is of, by position; given and counted."""
        entries, amounts = self.document["rounded"], ("given", "counted")
        return [dict(entry) | {key: plain_number(Fraction(entry[key])) for key in amounts} for entry in entries]

    def check(self, instance: Instance | None = None, *, time_limit: float | None = 10) -> CheckReport:
        """Verify every claim again, in exact arithmetic, with none of the code that made it.

        A bound that rests on exhaustive search is searched again by a plain program, and a guarantee by growing the
        tree again; what the time does not suffice for is said to be unverified.

        Parameters
        ----------
        instance : Instance, optional
            The known cases; it may be left out where `certify` has just made the certificate.
        time_limit : float or None, default 10
            Seconds; None for as long as it takes.

        Raises
        ------
        ValueError
            Where the instance is needed and was not given.
        """
        deadline = Deadline(check_time_limit(time_limit))
        instance = self._instance if instance is None else instance
        if instance is None:
            message = "instance: a certificate from a file is checked against an instance; pass it to check()."
            raise SettingError(message, subject="instance")
        check_instance(instance)
        return verify(self.document, facts_of(instance), deadline=deadline)

    def to_json(self, path: str | PathLike[str]) -> None:
        """Write the certificate; an existing file is replaced only once the new one is complete.

        Parameters
        ----------
        path : str or path
            The file.
        """
        write_json(Path(path), self.document, indent=1)

    @classmethod
    def from_json(cls, path: str | PathLike[str]) -> Certificate:
        """Read a certificate. Only `check` says whether it is true.

        Parameters
        ----------
        path : str or path
            The file.

        Raises
        ------
        CertificateError
            Where the file is not a certificate.
        OSError
            Where there is no such file.
        """
        document = read_json(path, CertificateError)
        try:
            return cls(document)
        except CertificateError as error:
            raise error.at(Where(str(path))) from None

    @internal
    def contradiction(self, tree: Tree) -> Contradiction | None:
        """Why this cannot be a certificate of the tree, as far as can be seen without the known cases."""
        document, known = self.document, tree.exact_known_max_cost
        if document["tree"] != tree_entries(tree):
            return Contradiction.TREE
        if document["seal"] != seal(document):
            return Contradiction.SEAL
        stated = [Fraction(document[key]) for key in ("known_max_cost", "max_cost", "errors", "loss")]
        lost = tree.exact_errors if tree.schema.loss_table.is_plain else tree.exact_loss
        if stated != [known, tree.exact_max_cost, tree.exact_errors, lost]:
            return Contradiction.NUMBERS
        losses = loss_facts(tree.schema)
        content = None if losses is None else losses.content()
        without = not_applicable(losses is not None, document["spared"] is not None)
        if document["losses"] != content or document["not_applicable"] != without:
            return Contradiction.LOSSES
        total = Fraction(int(tree.nodes.counts[0].sum())) / tree.schema.weight_scale
        if any(bound["ignores"] != ignored_rules(tree.schema, bound["kind"]) for bound in document["bounds"]):
            return Contradiction.RULES
        is_rounded = document["rounded"] in ([], rounded_prices(tree.schema))
        if Fraction(document["error_rate"]) * total != tree.exact_errors or not is_rounded:
            return Contradiction.SHARE
        if document["error_bounds"] not in ([], bounds_on_errors(tree)):
            return Contradiction.ERROR_BOUNDS
        lower, ratio = lower_bound(known, [Fraction(bound["value"]) for bound in document["bounds"]], tree.schema)
        numbers = (document[key] and Fraction(document[key]) for key in ("lower_bound", "ratio"))
        return Contradiction.LOWER_BOUND if lower > known or (lower, ratio) != tuple(numbers) else None

    def to_text(self) -> str:
        """A few lines for people. What only the known cases can tell is marked where they are not at hand."""
        few = f"loss {show_number(self.loss)}, " if self._has_losses else ""
        lines = [f"{self._worst_case()}, {few}{counted(self.errors, 'error')}", self.reason]
        if self.guarantee is not None:
            lines.append(f"the paper's guarantee beforehand: within {self.guarantee:.2f} times the best")
        rate = float(Fraction(self.document["error_rate"]))
        lines += [
            f"{entry['name']}({entry['alpha']:.4g}): at most {entry['bound']:.1%} wrong, "
            f"refined {entry['refined']:.1%}; really {rate:.1%}"
            for entry in self.error_bounds
        ]
        lines += dict.fromkeys(self.not_applicable.values())
        if self.rounded:
            first = self.rounded[0]
            more = f", and {counted(len(self.rounded) - 1, 'more price')}" if len(self.rounded) > 1 else ""
            lines.append(f"prices are counted on one grid: {first['given']} is counted as {first['counted']}{more}")
        if self.witness is not None and (ignored := self.witness["ignores"]):
            lines.append(
                f"the bound does not count on {' and '.join(ignored)}: it holds, and might be higher with them"
            )
        if not self.is_own:
            lines.append("all of this is the issuer's word until check() verifies it against the known cases")
        return "\n".join(lines)

    @property
    @internal
    def is_own(self) -> bool:
        """Whether `certify` has just made it from the known cases; any other says what its issuer says."""
        return self._instance is not None

    def __repr__(self) -> str:
        ratio = "" if self.ratio is None else f", ratio {self.ratio:.3g}"
        most = f"a loss of at most {show_number(self.loss)}" if self._has_losses else None
        return (
            f"Certificate({self._worst_case()}, at least {show_number(self.lower_bound)}{ratio}, "
            f"with {most or 'at most ' + counted(self.errors, 'error')}{'' if self.is_own else '; not checked here'})"
        )

    @property
    def _has_losses(self) -> bool:
        return self.document["losses"] is not None

    def _worst_case(self) -> str:
        known = show_number(self.known_max_cost)
        if self.max_cost == self.known_max_cost:
            return f"worst case {known}"
        return f"worst case {show_number(self.max_cost)} (known cases at most {known})"

    def _number(self, key: str) -> int | float:
        return plain_number(Fraction(self.document[key]))


def _check(document: Any) -> None:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        found = document.get("format") if isinstance(document, dict) else document
        message = f'this is not a certificate; expected an object with "format": "{FORMAT}".'
        raise CertificateError(message, subject="format", found=found, expected=FORMAT)
    version = document.get("version", VERSION)
    if type(version) is not int or version != VERSION:
        message = f"this is a certificate of version {version!r:.60}; this budgetree reads version {VERSION}."
        raise CertificateError(message, subject="version", found=version, expected=VERSION)
    try:
        canonical(document)
    except (TypeError, ValueError, RecursionError) as error:
        message = f"this is not a certificate: it cannot be written as JSON ({type(error).__name__})."
        raise CertificateError(message, expected="JSON") from None
    check_schema(document, "budgetree.proof", SCHEMA_FILE, CertificateError)
    winner, n_bounds = document["winner"], len(document["bounds"])
    if winner is not None and not (isinstance(winner, int) and winner < n_bounds):  # a schema lets 1.0 pass
        message = f"{winner} is not a position in the list of {counted(n_bounds, 'bound')}; expected one, or null."
        raise CertificateError(message, found=winner, expected=n_bounds, where=Where(entry="winner"))
    for entry, number in _numbers(document):
        if abs(Fraction(number)) > LARGEST:
            message = f"{number:.30}… is too large; expected a number up to 1e100."
            raise CertificateError(message, found=number, expected=LARGEST, where=Where(entry=entry))


def _numbers(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every number that a reader may show, and where it stands."""
    for key in ("max_cost", "known_max_cost", "errors", "error_rate", "lower_bound", "ratio", "loss"):
        if document[key] is not None:
            yield key, document[key]
    for position, bound in enumerate(document["bounds"]):
        yield f"bounds[{position}].value", bound["value"]
        if bound["kind"] == "ratio" and bound["impurity"]["parameter"] is not None:
            yield f"bounds[{position}].impurity.parameter", bound["impurity"]["parameter"]
    for name, keys in (("error_bounds", ("alpha", "bound", "refined")), ("rounded", ("given", "counted"))):
        for position, entry in enumerate(document[name]):
            yield from ((f"{name}[{position}].{key}", entry[key]) for key in keys)
