"""What a certificate is as a document, and what a check says of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from budgetree.proof.check.facts import digest

FORMAT, VERSION = "budgetree certificate", 3
TREE_KEYS = ("tree", "max_cost", "known_max_cost", "errors", "error_rate", "error_bounds")
BOUND_KEYS = ("lower_bound", "ratio", "winner", "bounds", "guarantee")
LOSS_KEYS = ("losses", "loss", "spared", "not_applicable", "rounded")  # since version 3, where there is such a thing
KEYS = ("format", "version", "instance", *TREE_KEYS, *BOUND_KEYS, "reason", "seal")
NEW_KEYS = ("known_max_cost",)  # since version 2; "max_cost" of version 1 is what known_max_cost is now


def seal(document: Mapping[str, Any]) -> str:
    """The digest of the document without its own seal."""
    return digest({key: value for key, value in document.items() if key != "seal"})


def keys_of(version: Any) -> tuple[str, ...]:
    """The keys that a certificate of a version has."""
    if version == 1:
        return tuple(key for key in KEYS if key not in NEW_KEYS)
    return KEYS if version == 2 else (*KEYS, *LOSS_KEYS)


@dataclass(frozen=True)
class CheckReport:
    """What is wrong with a certificate, and what was not verified: it is the issuer's word.

    Attributes
    ----------
    problems : tuple of str
        What is wrong, and where.
    unverified : tuple of str
        What was not checked.

    Examples
    --------
    >>> import budgetree as bt
    >>> figure1 = bt.datasets.load("figure1")
    >>> bt.certify(figure1, bt.grow(figure1)).check().ok
    True
    """

    problems: tuple[str, ...]
    unverified: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; `unverified` may still hold a claim that has to be believed."""
        return not self.problems

    def __str__(self) -> str:
        head = "The certificate holds."
        if self.unverified:
            head = "Nothing is wrong as far as it was checked."
        if self.problems:
            head = "The certificate does not hold."
        lines = [head, *(f"  wrong: {text}" for text in self.problems)]
        return "\n".join([*lines, *(f"  not verified: {text}" for text in self.unverified)])
