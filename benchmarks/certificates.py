"""Certificates: how close to the best possible the greedy error-free trees of the paper's nine data sets are.

python benchmarks/certificates.py       # up to ten seconds for each set; dna takes all of them
python benchmarks/certificates.py 60    # up to a minute for each
python benchmarks/certificates.py 60 pima dna    # of these sets alone

Every test costs 1, but for pima with its real prices. "at least" is what every error-free tree costs in the worst case,
"by" which bound says so, and "checked" whether the certificate was verified again, in exact arithmetic, by a program
that shares nothing with the one that made it; dna's search is too long for that.
"""

import sys
import time

import budgetree as bt


def main(seconds: float = 10, *names: str) -> None:
    print(f"{'':>14} {'worst case':>11} {'at least':>9} {'ratio':>6} {'by':>7} {'seconds':>8}  checked")
    for name in names or bt.datasets.names()[:9]:
        instance = bt.datasets.load(name)
        tree = bt.grow(instance)
        start = time.perf_counter()
        certificate = bt.certify(instance, tree, time_limit=seconds)
        took = time.perf_counter() - start
        report = certificate.check(time_limit=seconds / 2)
        checked = "no" if not report.ok else "but for the search" if report.unverified else "yes"
        print(
            f"{name:>14} {certificate.max_cost:>11} {certificate.lower_bound:>9} {certificate.ratio:>6.2f} "
            f"{certificate.witness['kind']:>7} {took:>8.1f}  {checked}"
        )


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]), *sys.argv[2:])
