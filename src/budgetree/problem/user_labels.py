"""Labels: the user's own words for tests, outcomes and classes, and the unit of all prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from budgetree.services.words import visible

MAX_NAME, MAX_HELP, MAX_UNIT = 200, 2000, 30  # letters
PLACE = "{}"  # in a unit, where the number goes


@dataclass(frozen=True, slots=True)
class LabelledTest:
    """What a test and its outcomes are called; None where it keeps its name."""

    name: str | None = None
    help: str = ""
    outcomes: Mapping[str, str] = field(default_factory=dict)  # by their names in the table


@dataclass(frozen=True, slots=True)
class LabelledClass:
    """What a class, or an answer that is none, is called; None where it keeps its name."""

    name: str | None = None
    help: str = ""


@dataclass(frozen=True, slots=True, init=False)
class Labels:
    """What people read in place of the names in a table.

    Labels change what is shown, and nothing else: predictions, tables and programs keep the names that they have.

    Parameters
    ----------
    tests : dict, optional
        {test: label}, or {test: {"name": …, "help": …, "outcomes": {outcome: label}}}, each part if wanted.
    classes : dict, optional
        {class: label}, or {class: {"name": …, "help": …}}; also answers that are no class.
    unit : str, default ''
        Of prices and costs: "€" is written after a number; with "{}" it says where the number goes: "${}".

    Attributes
    ----------
    tests : dict
        What each test that has a label, and its outcomes, are called.
    classes : dict
        What each class that has a label is called.
    unit : str
        The unit.

    Raises
    ------
    ValueError
        For what is no label.

    Examples
    --------
    >>> import budgetree as bt
    >>> labels = bt.Labels({"sex": {"name": "Sex", "outcomes": {0: "female", 1: "male"}}}, {1: "heart disease"})
    >>> labels.tests["sex"].outcomes["0"], labels.classes[1].name
    ('female', 'heart disease')
    """

    tests: Mapping[str, LabelledTest]
    classes: Mapping[Any, LabelledClass]
    unit: str

    def __init__(
        self, tests: Mapping[Any, Any] | None = None, classes: Mapping[Any, Any] | None = None, *, unit: str = ""
    ) -> None:
        for what, given in (("tests", tests), ("classes", classes)):
            if given is not None and not isinstance(given, Mapping):
                raise ValueError(f"labels: {what} is {given!r:.60}; expected {{name: label}}.")
        object.__setattr__(self, "tests", {str(name): _test(str(name), entry) for name, entry in (tests or {}).items()})
        object.__setattr__(self, "classes", {name: _class(name, entry) for name, entry in (classes or {}).items()})
        object.__setattr__(self, "unit", _unit(unit))

    @classmethod
    def of(cls, labels: Any) -> Labels | None:
        """Whatever a user may give: a Labels, {"tests": …, "classes": …, "unit": …}, or None.

        :meta private:
        """
        if labels is None or isinstance(labels, Labels):
            return labels
        if not isinstance(labels, Mapping):
            raise ValueError(
                f"labels is {labels!r:.60}; expected a Labels, or a mapping with tests, classes and unit. A file is "
                "read by Labels.from_toml."
            )
        _check_entries(labels, ("tests", "classes", "unit"), "")
        return cls(labels.get("tests"), labels.get("classes"), unit=labels.get("unit", ""))

    @classmethod
    def from_toml(cls, path: str | Path) -> Labels:
        """Read the table [labels] of a file, which may be a price list.

        Parameters
        ----------
        path : str or path
            A TOML file.

        Returns
        -------
        Labels
            What the table says.

        Raises
        ------
        ValueError
            Where the file has no such table, or what is in it is no label.

        Examples
        --------
        >>> from pathlib import Path
        >>> import budgetree as bt
        >>> size = Path("labels.toml").write_text('[labels.tests]\\nsex = "Sex"', encoding="utf-8")
        >>> bt.Labels.from_toml("labels.toml").tests["sex"].name
        'Sex'
        """
        from budgetree.problem.label_file import read_labels

        return read_labels(path)

    def __hash__(self) -> int:
        return hash((tuple(self.tests), self.unit))


def _test(test: str, given: Any) -> LabelledTest:
    if isinstance(given, LabelledTest):
        given = {"name": given.name, "help": given.help, "outcomes": given.outcomes}
    where = f"test {test!r}"
    if not isinstance(given, Mapping):
        return LabelledTest(_text(given, where, MAX_NAME))
    _check_entries(given, ("name", "help", "outcomes"), f" of {where}")
    outcomes = given.get("outcomes", {})
    if not isinstance(outcomes, Mapping):
        raise ValueError(f"labels: the outcomes of {where} are {outcomes!r:.60}; expected {{outcome: label}}.")
    named = {str(outcome): _text(text, f"{where}, outcome {outcome!r}", MAX_NAME) for outcome, text in outcomes.items()}
    return LabelledTest(*_name_and_help(given, where), named)


def _class(name: Any, given: Any) -> LabelledClass:
    if isinstance(given, LabelledClass):
        given = {"name": given.name, "help": given.help}
    where = f"class {name!r}"
    if not isinstance(given, Mapping):
        return LabelledClass(_text(given, where, MAX_NAME))
    _check_entries(given, ("name", "help"), f" of {where}")
    return LabelledClass(*_name_and_help(given, where))


def _name_and_help(given: Mapping[str, Any], where: str) -> tuple[str | None, str]:
    name, explained = given.get("name"), given.get("help", "")
    return (
        None if name is None else _text(name, where, MAX_NAME),
        "" if explained == "" else _text(explained, f"the help of {where}", MAX_HELP),
    )


def _unit(given: Any) -> str:
    if given is None or given == "":
        return ""
    unit = _text(given, "the unit", MAX_UNIT)
    if unit.count(PLACE) > 1:
        raise ValueError(f"labels: the unit is {unit!r}; expected {PLACE} once, where the number goes, or not at all.")
    return unit


def _text(given: Any, where: str, max_length: int) -> str:
    if not isinstance(given, str) or not given.strip():
        raise ValueError(f"labels: {where} has the label {given!r:.60}; expected a text that is not empty.")
    text = " ".join(given.split())  # a text of several lines, as TOML allows, is shown on one
    if len(text) > max_length:
        raise ValueError(f"labels: {where} has a label of {len(text):,} letters; expected at most {max_length:,}.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"labels: {where} has the label {text!r:.60}, which is not valid Unicode.") from None
    return visible(text)


def _check_entries(given: Mapping[Any, Any], expected: tuple[str, ...], where: str) -> None:
    unknown = [name for name in given if name not in expected]
    if unknown:
        known = ", ".join(expected[:-1])
        raise ValueError(
            f"labels{where}: unknown entry {str(unknown[0])!r}; expected {known} or {expected[-1]}. In TOML a name "
            'with a dot needs quotes: "1.5".'
        )
