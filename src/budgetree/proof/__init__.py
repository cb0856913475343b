"""Proof: lower bounds on what any tree costs, and certificates that anyone can check."""

from budgetree.proof._certify import certify
from budgetree.proof.certificate import Certificate

__all__ = ["Certificate", "certify"]
