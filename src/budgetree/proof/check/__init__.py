"""What checks a certificate: exact arithmetic on plain lists. It imports nothing of ours from outside this folder."""

from budgetree.proof.check.document import CheckReport, seal
from budgetree.proof.check.facts import Facts, LossFacts
from budgetree.proof.check.verifier import verify

__all__ = ["CheckReport", "Facts", "LossFacts", "seal", "verify"]
