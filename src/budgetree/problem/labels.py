"""Labels: the user's own names for tests, outcomes and classes, and the unit of prices; Wording: these by position.

Everything that is shown asks a schema's wording, so that what a thing is called is decided once.
"""

from __future__ import annotations

import math
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from budgetree._internal import internal
from budgetree.data.encoders import Categories, FineLevels, NumberEncoder
from budgetree.errors import LabelsError
from budgetree.problem.settings_part import SettingsPart
from budgetree.problem.units import finite_float
from budgetree.services.words import counted, joined, listed, no_such, show_number, visible

if TYPE_CHECKING:
    from budgetree.problem.schema import Schema

MAX_NAME, MAX_HELP, MAX_UNIT = 200, 2000, 30  # letters
CURRENCIES = frozenset(
    ["EUR", "USD", "GBP", "CHF", "CAD", "AUD", "NZD", "SEK", "NOK", "DKK", "PLN", "CZK", "BRL", "INR", "CNY"]
)
PLACE = "{}"  # in a unit, where the number goes
BEFORE = frozenset({"$", "US$", "A$", "C$", "£", "¥", "₹"})  # are written before a number, and need not say so
PARTS = {"test": ("name", "help", "outcomes"), "class": ("name", "help")}  # of a label


@dataclass(frozen=True, slots=True)
class Label:
    """What a test, a class, or an answer that is not one, is called; None where it keeps its name."""

    name: str | None = None
    help: str = ""
    outcomes: Mapping[str, str] = field(default_factory=dict)  # of a test, by their names in the table


NO_LABEL = Label()


@dataclass(frozen=True, slots=True, init=False)
class Labels(SettingsPart):
    """Display names for the tests, outcomes and classes of a table.

    Labels change only what is shown: predictions, tables and programs keep the names of the table.

    Parameters
    ----------
    tests : dict, optional
        {test: label}, or {test: {"name": …, "help": …, "outcomes": {outcome: label}}}, each part if wanted.
    classes : dict, optional
        {class: label}, or {class: {"name": …, "help": …}}; also answers that are not classes.
    unit : str, default ''
        Of prices and costs: "$" is written before a number, "€" after it; "{}" says where the number goes: "CHF {}".

    Attributes
    ----------
    tests : dict
        The labels of tests and of their outcomes.
    classes : dict
        The labels of classes.
    unit : str
        The unit.

    Examples
    --------
    >>> import budgetree as bt
    >>> labels = bt.Labels({"sex": {"name": "Sex", "outcomes": {0: "female", 1: "male"}}}, {1: "heart disease"})
    >>> labels.tests["sex"].outcomes["0"], labels.classes[1].name
    ('female', 'heart disease')
    """

    _part: ClassVar[str] = "labels"
    _absent: ClassVar[Any] = (
        LabelsError,
        'there is no table [labels]; expected one, as in: [labels.classes] and below it: 1 = "ill"',
    )
    tests: Mapping[str, Label]
    classes: Mapping[Any, Label]
    unit: str

    def __init__(
        self, tests: Mapping[Any, Any] | None = None, classes: Mapping[Any, Any] | None = None, *, unit: str = ""
    ) -> None:
        named = {str(name): _label("test", str(name), entry) for name, entry in _entries(tests, "tests")}
        object.__setattr__(self, "tests", named)
        answers = {name: _label("class", name, entry) for name, entry in _entries(classes, "classes")}
        object.__setattr__(self, "classes", answers)
        object.__setattr__(self, "unit", "" if unit is None or unit == "" else _text(unit, "the unit", MAX_UNIT))
        if self.unit.count(PLACE) > 1:
            message = f"labels: the unit is {unit!r}; expected {PLACE} once, where the number goes, or not at all."
            raise LabelsError(message, subject="unit", found=unit)

    @classmethod
    @internal
    def of(cls, labels: Any) -> Labels | None:
        """Whatever a user may give: a Labels, {"tests": …, "classes": …, "unit": …}, or None."""
        if labels is None or isinstance(labels, Labels):
            return labels
        if not isinstance(labels, Mapping):
            expected = "a Labels, or a mapping with tests, classes and unit"
            message = f"labels is {labels!r:.60}; expected {expected}. A file is read by Labels.from_toml."
            raise LabelsError(message, found=labels, expected=expected)
        _check_entries(labels, ("tests", "classes", "unit"), "")
        return cls(labels.get("tests"), labels.get("classes"), unit=labels.get("unit", ""))

    @internal
    def without(self, tests: Collection[str]) -> Labels:
        kept = {name: label for name, label in self.tests.items() if name not in tests}
        return Labels(kept, self.classes, unit=self.unit)

    def __hash__(self) -> int:
        return hash((tuple(self.tests), self.unit))


def _entries(given: Any, what: str, subject: object = None) -> Iterable[tuple[Any, Any]]:
    if given is not None and not isinstance(given, Mapping):
        message = f"labels: {what} is {given!r:.60}; expected {{name: label}}."
        raise LabelsError(message, subject=str(subject or what), found=given, expected="{name: label}")
    return (given or {}).items()


def _label(kind: str, name: Any, given: Any) -> Label:
    """A label alone is the name; else each part that a thing of this kind has is there if wanted."""
    if isinstance(given, Label):
        return given
    what = f"{kind} {name!r}"
    if not isinstance(given, Mapping):
        return Label(_text(given, what, MAX_NAME, name))
    _check_entries(given, PARTS[kind], f" of {what}")
    called, explained = given.get("name"), given.get("help", "")
    return Label(
        None if called is None else _text(called, what, MAX_NAME, name),
        "" if explained == "" else _text(explained, f"the help of {what}", MAX_HELP, name),
        {
            str(outcome): _text(text, f"{what}, outcome {outcome!r}", MAX_NAME, name)
            for outcome, text in _entries(given.get("outcomes", {}), f"outcomes of {what}", name)
        },
    )


def _text(given: Any, what: str, max_length: int, subject: Any = "unit") -> str:
    def refused(message: str) -> LabelsError:
        return LabelsError(f"labels: {what} has {message}", subject=str(subject), found=given)

    if not isinstance(given, str) or not given.strip():
        raise refused(f"the label {given!r:.60}; expected a text that is not empty.")
    text = " ".join(given.split())  # a text of several lines, as TOML allows, is shown on one
    if len(text) > max_length:
        raise refused(f"a label of {len(text):,} letters; expected at most {max_length:,}.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise refused(f"the label {text!r:.60}, which is not valid Unicode.") from None
    return visible(text)


def _check_entries(given: Mapping[Any, Any], expected: tuple[str, ...], where: str) -> None:
    for name in given:
        if name not in expected:
            entries = f"{', '.join(expected[:-1])} or {expected[-1]}"
            message = f"labels{where}: unknown entry {str(name)!r}; expected {entries}."
            in_toml = 'In TOML a name with a dot needs quotes: "1.5".'
            raise LabelsError(f"{message} {in_toml}", subject=str(name), expected=expected)


@dataclass(frozen=True, slots=True)
class Wording:
    """What people read for the parts of one schema, by position: their labels, or else their names."""

    tests: tuple[str, ...]
    test_help: tuple[str, ...]  # "" where nothing is explained
    outcomes: tuple[tuple[str, ...], ...]  # per test
    labelled: tuple[frozenset[int], ...]  # per test, the outcomes that have a label
    answers: tuple[str, ...]  # the classes, and then whatever else may be answered
    answer_help: tuple[str, ...]
    n_classes: int
    unit: str = ""
    further: tuple[str, ...] = ()  # units of the resources besides the price

    @property
    def classes(self) -> tuple[str, ...]:
        return self.answers[: self.n_classes]

    @property
    def unit_name(self) -> str:
        """The unit by itself, for a heading; "" if it is missing."""
        return self.unit.replace(PLACE, "").strip()

    @property
    def decimals(self) -> int | None:
        """Of an amount that is not whole; None where the unit is not money, and has as many as it needs."""
        name = self.unit_name
        is_money = name.upper() in CURRENCIES or any(unicodedata.category(letter) == "Sc" for letter in name)
        return 2 if is_money else None

    def amount(self, number: Fraction | float) -> str:
        """A price or cost with its unit: "12.5", "12.50 €", "$12.50"."""
        if self.decimals is None or -1 < number < 1 or number == int(number):
            return self.with_unit(show_number(number))
        return self.with_unit(f"{float(number):.{self.decimals}f}")

    def amounts(self, numbers: Sequence[Fraction | float]) -> str:
        """What is taken of each resource: "$40 and 25 min"."""
        return joined(self.each_amount(numbers))

    def each_amount(self, numbers: Sequence[Fraction | float]) -> list[str]:
        """The same, one by one."""
        price, *others = numbers
        shown = [self.amount(price)]
        for number, unit in zip(others, self.further, strict=True):
            shown.append(counted(number, "test" if unit == "tests" else unit, unit))
        return shown

    def with_unit(self, number: str) -> str:
        if not self.unit:
            return number
        return self.unit.replace(PLACE, number) if PLACE in self.unit else f"{number} {self.unit}"


def lay_out(labels: Labels | None, schema: Schema) -> Wording:
    """The labels by position; those of what this schema does not have are left out, as a part of the rows may."""
    given = labels or Labels()
    tests = [given.tests.get(name, NO_LABEL) for name in schema.test_names]
    outcomes = [
        {outcome_of(schema, test, key): text for key, text in label.outcomes.items()}
        for test, label in enumerate(tests)
    ]
    by_text = {str(name): label for name, label in given.classes.items()}
    answers = [given.classes.get(name, by_text.get(str(name), NO_LABEL)) for name in schema.answer_names]
    return Wording(
        tests=tuple(label.name or name for label, name in zip(tests, schema.test_names, strict=True)),
        test_help=tuple(label.help for label in tests),
        outcomes=tuple(
            tuple(named.get(position, name) for position, name in enumerate(names))
            for named, names in zip(outcomes, schema.outcome_names, strict=True)
        ),
        labelled=tuple(frozenset(position for position in named if position is not None) for named in outcomes),
        answers=tuple(label.name or str(name) for label, name in zip(answers, schema.answer_names, strict=True)),
        answer_help=tuple(label.help for label in answers),
        n_classes=len(schema.class_names),
        unit=f"{given.unit}{PLACE}" if given.unit in BEFORE else given.unit,
        further=tuple(visible(limit.unit or name) for name, limit in schema.prices.limits.items()),
    )


def check_labels(labels: Labels, schema: Schema) -> None:
    """An error for a label of what is not there, and for labels that would make two things look the same."""
    answers = [str(name) for name in schema.answer_names]
    for kind, named, known in (("test", labels.tests, schema.test_names), ("class", labels.classes, answers)):
        for name in map(str, named):
            if name not in known:
                message = f"labels: {no_such(kind, name, known)}"
                raise LabelsError(message, subject=name, found=name, expected=tuple(known))
    wording = lay_out(labels, schema)
    _check_differ(wording.tests, schema.test_names, "tests")
    _check_differ(wording.answers, answers, "classes")
    for test, name in enumerate(schema.test_names):
        if name in labels.tests and labels.tests[name].outcomes:
            _check_outcomes(schema, test, labels.tests[name].outcomes, wording.outcomes[test])


def outcome_of(schema: Schema, test: int, key: str) -> int | None:
    """The outcome that a label is for: by its name, or by the one number that it stands for."""
    names = schema.outcome_names[test]
    if key in names:
        return names.index(key)
    encoder, number = schema.encoder(test), finite_float(key)
    if number is None:
        return None
    if isinstance(encoder, FineLevels):
        level = bisect_right(encoder.thresholds, number)
        return level if math.isclose(encoder.values[level], number, rel_tol=1e-9, abs_tol=1e-300) else None
    if isinstance(encoder, Categories):
        same = (position for position, value in enumerate(encoder.values) if _is_number(value) and value == number)
        return next(same, None)
    return None


def _check_outcomes(schema: Schema, test: int, keys: Iterable[str], shown: Sequence[str]) -> None:
    """A result may be typed by its name or its label, so that a label may not be the name of another result."""
    name, names, encoder = schema.test_names[test], schema.outcome_names[test], schema.encoder(test)
    for key in keys:
        if outcome_of(schema, test, key) is None:
            problem = no_such("outcome", key, names)
            if isinstance(encoder, NumberEncoder) and finite_float(key) is not None:
                problem = (
                    f"it is cut into levels, so that {key!r} is not an outcome of its own; the outcomes are "
                    f"{listed(names)}. Label these, or ask for as many levels as it has values."
                )
            raise LabelsError(f"labels: test {name!r}: {problem}", subject=name, found=key, expected=names)
    _check_differ(shown, names, f"outcomes of test {name!r}")
    # A tree for new cases cuts any column of numbers into fine levels: what is refused there is refused here.
    has_numbers = any(map(_is_number, encoder.values)) if isinstance(encoder, Categories) else encoder is not None
    for position, (text, raw) in enumerate(zip(shown, names, strict=True)):
        meant = outcome_of(schema, test, text)
        if meant not in (None, position) or (meant is None and has_numbers and finite_float(text) is not None):
            taken = "the name of another outcome" if text in names else "a number, which could be a result"
            message = f"labels: outcome {raw!r} of test {name!r} has the label {text!r}, {taken}"
            expected = "another label, since a result may be typed as either"
            raise LabelsError(f"{message}; expected {expected}.", subject=name, found=text)


def _check_differ(shown: Sequence[str], names: Sequence[str], what: str) -> None:
    text, count = Counter(map(visible, shown)).most_common(1)[0]
    if count > 1 and list(shown) != list(names):
        same = [name for name, other in zip(names, shown, strict=True) if visible(other) == text]
        message = f"labels: {listed(same)} of the {what} would all be called {text!r}; expected labels that differ."
        raise LabelsError(message, subject=what, found=text)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
