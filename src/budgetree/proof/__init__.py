"""Proof: lower bounds on what any tree costs, and certificates that anyone can check."""

from budgetree.proof.certificate import Certificate
from budgetree.proof.certify import certify

__all__ = ["Certificate", "certify"]
