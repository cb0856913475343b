"""What a certificate is as a document, and what a check says of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from budgetree.proof.check.facts import digest

FORMAT, VERSION = "budgetree certificate", 1
TREE_KEYS = ("tree", "max_cost", "known_max_cost", "errors", "error_rate", "error_bounds")
BOUND_KEYS = ("lower_bound", "ratio", "winner", "bounds", "guarantee")
LOSS_KEYS = ("losses", "loss", "spared", "not_applicable", "rounded")
KEYS = ("format", "version", "instance", *TREE_KEYS, *BOUND_KEYS, "reason", "seal", *LOSS_KEYS)


def seal(document: Mapping[str, Any]) -> str:
    """The digest of the document without its own seal."""
    return digest({key: value for key, value in document.items() if key != "seal"})


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
