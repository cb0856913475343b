"""Cases one after the other until something differs; then the smallest case that still does."""

from __future__ import annotations

import json
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count
from random import Random

import reference_losses as brute

from .cases import Case, draw
from .checks import CHECKS, DifferenceError

SECONDS_TO_SHRINK = 60.0
# Why the library may refuse a case: sums of prices, or products of weights and losses, that 53 bits do not hold.
REFUSALS = ("orders of magnitude", "expected a product below")


@dataclass(frozen=True)
class Found:
    """A difference: which check, what it said, and on which case."""

    check: str
    message: str
    case: Case


@dataclass
class Figures:
    """How often each check was made, and how many cases were refused."""

    cases: int = 0
    refused: int = 0
    made: Counter[str] = field(default_factory=Counter)


def run(seed: int, end: float) -> bool:
    """Whether brute force agrees with everything until then; else the smallest case that differs is printed."""
    figures, found = Figures(), None
    for number in count():
        found = compare(seed, number, figures)
        if found is not None or time.monotonic() > end:
            break
    print(f"{figures.cases:,} cases, {figures.refused:,} of them refused; compared: ", end="")
    print(", ".join(f"{name} {times:,}" for name, times in figures.made.items()))
    if found is None:
        print("brute force agrees with everything.", flush=True)
        return True
    print(f"seed {seed}, case {figures.cases - 1}: {found.check} differs.\n{found.message}")
    print("the smallest case that differs:")
    print(json.dumps(smallest(found).case.to_json(), ensure_ascii=False), flush=True)
    return False


def compare(seed: int, number: int, figures: Figures) -> Found | None:
    """One case through all checks; None where brute force agrees."""
    case = draw(Random(f"{seed}:{number}"))
    figures.cases += 1
    if (message := _difference("build", case)) is not None:
        return Found("build", message, case)
    if _is_refused(case):
        figures.refused += 1
        return None
    for name in CHECKS:
        figures.made[name] += 1
        if (message := _difference(name, case)) is not None:
            return Found(name, message, case)
    return None


def _is_refused(case: Case) -> bool:
    try:
        _ = case.built
    except ValueError:
        return True
    return False


def _difference(name: str, case: Case) -> str | None:
    """What differs; chance is the check's own, so that a smaller case meets the same."""
    try:
        built = case.built
    except ValueError as error:
        if any(words in str(error) for words in REFUSALS):
            return None
        return f"refused: {error}"
    except Exception:
        return traceback.format_exc(limit=-5)
    if name == "build":
        return None
    try:
        CHECKS[name](built, Random(name))
    except DifferenceError as error:
        return str(error)
    except Exception:
        return traceback.format_exc(limit=-5)
    return None


def smallest(found: Found) -> Found:
    """The same difference on fewer rows, tests, fees and plainer numbers and names, as far as a minute goes."""
    end = time.monotonic() + SECONDS_TO_SHRINK
    is_smaller = True
    while is_smaller and time.monotonic() < end:
        is_smaller = False
        for case in _smaller(found.case):
            message = _difference(found.check, case)
            if message is not None:
                found, is_smaller = Found(found.check, message, case), True
                break
            if time.monotonic() > end:
                break
    return found


def _smaller(case: Case) -> Iterator[Case]:
    """Every case that is a step simpler and still one."""
    problem = case.problem
    for row in range(len(problem.rows)):
        keep = [at for at in range(len(problem.rows)) if at != row]
        classes = tuple(problem.classes[at] for at in keep)
        weights = tuple(problem.weights[at] for at in keep)
        rows = tuple(problem.rows[at] for at in keep)
        is_whole = set(classes) == set(problem.classes) and any(weights)
        if is_whole and (not case.is_table or _outcomes(rows) == _outcomes(problem.rows)):
            yield replace(case, problem=replace(problem, rows=rows, classes=classes, weights=weights))
    for test in range(len(case.tests)) if len(case.tests) > 1 else ():
        yield replace(
            case,
            problem=replace(
                problem,
                rows=tuple(_without(row, test) for row in problem.rows),
                prices=_without(problem.prices, test),
                needs=_without(problem.needs, test),
            ),
            tests=_without(case.tests, test),
            outcomes=_without(case.outcomes, test),
        )
    simpler = (
        {"fees": (), "needs": (frozenset(),) * len(case.tests)},
        {"weights": (Fraction(1),) * len(problem.rows)},
        {"min_cases": 1},
        {"prices": tuple(tuple(Fraction(1) for _ in own) for own in problem.prices)},
        {"prices": tuple((max(own),) * len(own) for own in problem.prices)},
    )
    for change in simpler:
        if any(getattr(problem, key) != value for key, value in change.items()):
            yield replace(case, problem=replace(problem, **change))
    usual = brute.zero_one(problem.n_classes)
    if problem.losses != usual:
        yield replace(case, problem=replace(problem, losses=usual), answers=())
    plain = {
        "tests": tuple(f"t{at}" for at in range(len(case.tests))),
        "outcomes": tuple(tuple(f"o{at}" for at in range(len(names))) for names in case.outcomes),
        "classes": tuple(f"c{at}" for at in range(len(case.classes))),
        "answers": tuple(f"a{at}" for at in range(len(case.answers))),
    }
    for key, names in plain.items():
        if getattr(case, key) != names:
            yield replace(case, **{key: names})


def _without(entries: tuple, at: int) -> tuple:  # type: ignore[type-arg]
    return entries[:at] + entries[at + 1 :]


def _outcomes(rows: tuple[tuple[int, ...], ...]) -> list[set[int]]:
    return [set(column) for column in zip(*rows, strict=True)]
