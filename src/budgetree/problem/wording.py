"""Wording: what people read for each test, outcome, answer and amount; the user's labels, or else the table's names.

Everything that is shown asks a schema's wording, so that nobody decides twice what a thing is called.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from budgetree.data.encoders import Categories, FineLevels, Levels
from budgetree.problem.user_labels import PLACE, LabelledClass, LabelledTest, Labels
from budgetree.services.words import listed, show_number, visible

if TYPE_CHECKING:
    from budgetree.problem.schema import Schema

CLOSE = 0.5  # how alike two names must be for one to be proposed in place of the other
UNLABELLED_TEST, UNLABELLED_CLASS = LabelledTest(), LabelledClass()


@dataclass(frozen=True, slots=True)
class Wording:
    """The words for one schema, by position."""

    tests: tuple[str, ...]
    test_help: tuple[str, ...]  # "" where nothing is explained
    outcomes: tuple[tuple[str, ...], ...]  # per test
    labelled: tuple[frozenset[int], ...]  # per test, the outcomes that have a label
    answers: tuple[str, ...]  # the classes, and then whatever else may be answered
    answer_help: tuple[str, ...]
    n_classes: int
    unit: str = ""

    @property
    def classes(self) -> tuple[str, ...]:
        return self.answers[: self.n_classes]

    @property
    def unit_name(self) -> str:
        """The unit by itself, for a heading; "" where there is none."""
        return self.unit.replace(PLACE, "").strip()

    def amount(self, number: Fraction | float) -> str:
        """A price or cost with its unit: "12.5", "12.5 €", "$12.5"."""
        return self.with_unit(show_number(number))

    def with_unit(self, number: str) -> str:
        if not self.unit:
            return number
        return self.unit.replace(PLACE, number) if PLACE in self.unit else f"{number} {self.unit}"


def lay_out(labels: Labels | None, schema: Schema) -> Wording:
    """The labels by position; those of what this schema does not have are left out, as a part of the rows may."""
    given = Labels() if labels is None else labels
    tests = [given.tests.get(name, UNLABELLED_TEST) for name in schema.test_names]
    outcomes = [_outcomes(schema, test, label.outcomes) for test, label in enumerate(tests)]
    by_text = {str(name): label for name, label in given.classes.items()}
    answers = [
        given.classes.get(name, by_text.get(str(name), UNLABELLED_CLASS)) if given.classes else UNLABELLED_CLASS
        for name in schema.answer_names
    ]
    return Wording(
        tests=tuple(label.name or name for label, name in zip(tests, schema.test_names, strict=True)),
        test_help=tuple(label.help for label in tests),
        outcomes=tuple(
            tuple(named.get(place, name) for place, name in enumerate(names))
            for named, names in zip(outcomes, schema.outcome_names, strict=True)
        ),
        labelled=tuple(frozenset(named) for named in outcomes),
        answers=tuple(label.name or str(name) for label, name in zip(answers, schema.answer_names, strict=True)),
        answer_help=tuple(label.help for label in answers),
        n_classes=len(schema.class_names),
        unit=given.unit,
    )


def check_labels(labels: Labels, schema: Schema) -> None:
    """An error for a label of what is not there, and for labels that would make two things look the same."""
    for name, label in labels.tests.items():
        if name not in schema.test_names:
            raise ValueError(f"labels: no test is named {name!r}; {_nearest(name, schema.test_names, 'tests')}.")
        for key in label.outcomes:
            _check_outcome(schema, schema.test_names.index(name), key)
    known = [str(name) for name in schema.answer_names]
    for answer in labels.classes:
        if str(answer) not in known:
            raise ValueError(f"labels: no class is named {str(answer)!r}; {_nearest(str(answer), known, 'classes')}.")
    wording = lay_out(labels, schema)
    _check_differ(wording.tests, schema.test_names, "tests")
    _check_differ(wording.answers, known, "classes")
    for test, (shown, names) in enumerate(zip(wording.outcomes, schema.outcome_names, strict=True)):
        if wording.labelled[test]:
            _check_outcomes(schema, test, shown, names)


def _outcomes(schema: Schema, test: int, labels: Mapping[str, str]) -> dict[int, str]:
    places = {outcome_of(schema, test, key): text for key, text in labels.items()}
    return {place: text for place, text in places.items() if place is not None}


def outcome_of(schema: Schema, test: int, key: str) -> int | None:
    """The outcome that a label is for: by its name, or by the one number that it stands for."""
    names = schema.outcome_names[test]
    if key in names:
        return names.index(key)
    encoder, number = None if schema.encoders is None else schema.encoders[test], _number(key)
    if number is None or encoder is None:
        return None
    if isinstance(encoder, FineLevels):
        level = bisect_right(encoder.thresholds, number)
        return level if math.isclose(encoder.values[level], number, rel_tol=1e-9, abs_tol=1e-300) else None
    if isinstance(encoder, Categories):
        places = [place for place, value in enumerate(encoder.values) if _is_number(value) and value == number]
        return places[0] if places else None
    return None


def _check_outcome(schema: Schema, test: int, key: str) -> None:
    if outcome_of(schema, test, key) is not None:
        return
    name, names = schema.test_names[test], schema.outcome_names[test]
    encoder = None if schema.encoders is None else schema.encoders[test]
    if isinstance(encoder, Levels) and _number(key) is not None:
        raise ValueError(
            f"labels: test {name!r} is rounded to levels, so that {key!r} is no outcome of its own; the outcomes are "
            f"{listed(names)}. Label these, or ask for as many levels as it has values."
        )
    raise ValueError(f"labels: test {name!r} has no outcome {key!r}; {_nearest(key, names, 'outcomes')}.")


def _check_outcomes(schema: Schema, test: int, shown: Sequence[str], names: Sequence[str]) -> None:
    name, encoder = schema.test_names[test], None if schema.encoders is None else schema.encoders[test]
    _check_differ(shown, names, f"outcomes of test {name!r}")
    # A tree for new cases cuts any column of numbers into fine levels: what is refused there is refused here.
    has_numbers = any(map(_is_number, encoder.values)) if isinstance(encoder, Categories) else encoder is not None
    for place, (text, raw) in enumerate(zip(shown, names, strict=True)):
        meant = outcome_of(schema, test, text)
        if meant not in (None, place) or (meant is None and has_numbers and _number(text) is not None):
            taken = "the name of another outcome" if text in names else "a number, which could be a result"
            raise ValueError(
                f"labels: outcome {raw!r} of test {name!r} has the label {text!r}, {taken}; expected another label, "
                "since a result may be typed as either."
            )


def _check_differ(shown: Sequence[str], names: Sequence[str], what: str) -> None:
    text, count = Counter(map(visible, shown)).most_common(1)[0]
    if count > 1 and list(shown) != list(names):
        alike = [name for name, other in zip(names, shown, strict=True) if visible(other) == text]
        raise ValueError(
            f"labels: {listed(alike)} of the {what} would all be called {text!r}; expected labels that tell them apart."
        )


def _nearest(name: str, names: Sequence[str], what: str) -> str:
    """What may have been meant, and where nothing is alike, what there is."""
    by_folded = {known.casefold(): known for known in reversed(names)}
    close = get_close_matches(name.casefold(), by_folded, n=1, cutoff=CLOSE)
    return f"the nearest is {by_folded[close[0]]!r}" if close else f"the {what} are {listed(names)}"


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in text else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
