"""What a tree or a point of a frontier gets wrong, in words: its errors, or its loss where losses are given."""

from __future__ import annotations

from budgetree.learn import Point
from budgetree.services.words import counted, show_number
from budgetree.tree import Tree


def loss_words(found: Tree | Point, *, has_losses: bool) -> str:
    """ "12 errors", or "loss 84 (12 errors, 40 referred)"; nothing about referrals where there are none."""
    errors = counted(found.errors, "error")
    if not has_losses:
        return errors
    referred = f", {show_number(found.referred)} referred" if found.referred else ""
    return f"loss {show_number(found.loss)} ({errors}{referred})"
