"""Losses: what each answer costs for each true class, and which answers there are beside the classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from budgetree.problem.loss_table import LossTable
from budgetree.problem.units import non_negative, plain_number
from budgetree.services.words import counted, listed

LOSS_RULE = "losses must be finite numbers of at least 0"
MAX_DENOMINATOR = 10**6  # of a quotient that a float may stand for
EXPECTED = "expected {class: {answer: loss}}, {class: loss}, or a square array in the order of the classes"

ClassLosses = Fraction | Mapping[Any, Fraction]
Rows = tuple[tuple[Fraction, ...], ...]
AnswerLosses = Fraction | Mapping[Any, Fraction] | tuple[Fraction, ...]


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Losses:
    """What a wrong answer costs.

    A class may be named by its text ("1" for 1). A right answer may cost something too.

    Parameters
    ----------
    losses : dict or array-like, optional
        {class: {answer: loss}}, where what is not named costs 1, or 0 where the answer is right; {class: loss}, missing
        this class, whatever is answered (both may be mixed); or a square array, class × answer, in the order of the
        classes.
    answers : dict, optional
        Answers that are no class, such as a referral: {name: loss}, whatever the class; {name: {class: loss}}, for
        every class; or {name: [loss, …]} in the order of the classes.

    Raises
    ------
    ValueError
        Where a loss is negative or no number, or the array is not square.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.Losses({"cancer": {"benign": 50}}, answers={"refer": 4})
    Losses({'cancer': {'benign': 50}}, answers={'refer': 4})
    """

    losses: Mapping[Any, ClassLosses] | Rows
    answers: Mapping[str, AnswerLosses]

    def __init__(self, losses: Any = None, *, answers: Mapping[str, Any] | None = None) -> None:
        if not isinstance(answers or {}, Mapping):
            raise ValueError(
                f"losses: answers is {answers!r:.60}; expected {{name: loss}} or {{name: {{class: loss}}}}."
            )
        object.__setattr__(self, "losses", _class_losses({} if losses is None else losses))
        extra = {_answer_name(name): _answer_losses(name, loss) for name, loss in (answers or {}).items()}
        object.__setattr__(self, "answers", extra)

    @classmethod
    def of(cls, losses: Any) -> Losses | None:
        """Whatever a user may give as losses: a Losses, a mapping, a square array; or None, where errors count.

        :meta private:
        """
        return losses if losses is None or isinstance(losses, Losses) else cls(losses)

    @classmethod
    def from_toml(cls, path: str | Path) -> Losses:
        """Read the tables [losses] and [answers] of a file, which may be a price list.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        Losses
            What wrong answers cost.

        Raises
        ------
        ValueError
            Where the file does not say losses; the message names the place.
        OSError
            Where there is no such file.

        Examples
        --------
        >>> import budgetree as bt
        >>> from pathlib import Path
        >>> _ = Path("losses.toml").write_text('''[losses]
        ... cancer = 50
        ... [answers]
        ... refer = 4''')
        >>> bt.Losses.from_toml("losses.toml")
        Losses({'cancer': 50}, answers={'refer': 4})
        """
        from budgetree.problem.loss_file import read_losses

        return read_losses(path)

    def bind(self, class_names: Sequence[Any]) -> LossTable:
        """Lay the losses out for these classes; every name must fit.

        >>> Losses({"cancer": 50}).bind(["benign", "cancer"]).units.tolist()
        [[0, 1], [50, 0]]

        :meta private:
        """
        names = tuple(class_names)
        rows = self._rows(names)
        for answer, loss in self.answers.items():
            if any(answer == str(name) for name in names):
                raise ValueError(
                    f"losses: the answer {answer!r} has the name of a class; expected another name, or give the loss "
                    "of that class in the first argument."
                )
            for row, amount in zip(rows, _column(answer, loss, names), strict=True):
                row.append(amount)
        return LossTable.of((*names, *self.answers), rows)

    def _rows(self, names: tuple[Any, ...]) -> list[list[Fraction]]:
        if isinstance(self.losses, tuple):
            if len(self.losses) != len(names):
                size = len(self.losses)
                raise ValueError(
                    f"losses: the array is {size} × {size}, but there are {counted(len(names), 'class', 'classes')}: "
                    f"{listed(names)}; expected a row and a column for each."
                )
            return [list(row) for row in self.losses]
        rows = [[Fraction(int(answer != true)) for answer in range(len(names))] for true in range(len(names))]
        for true, given in _by_position(self.losses, names, "losses").items():
            if isinstance(given, Fraction):
                rows[true] = [Fraction(0) if answer == true else given for answer in range(len(names))]
                continue
            for key in given:
                if isinstance(key, str) and key in self.answers:
                    raise ValueError(
                        f"losses: class {names[true]!r} names the answer {key!r}, which is no class; "
                        f"give its losses in answers: {{{key!r}: {{class: loss}}}}."
                    )
            for answer, loss in _by_position(given, names, f"losses of class {names[true]!r}").items():
                rows[true][answer] = loss
        return rows

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Losses):
            return NotImplemented
        # The order of further answers is the order in which ties are decided.
        return (self.losses, list(self.answers.items())) == (other.losses, list(other.answers.items()))

    def __hash__(self) -> int:
        losses = self.losses if isinstance(self.losses, tuple) else frozenset(self.losses)
        return hash((losses, tuple(self.answers)))

    def __repr__(self) -> str:
        parts = [repr(_shown(self.losses))] if self.losses else []
        if self.answers:
            parts.append(f"answers={_shown(self.answers)!r}")
        return f"Losses({', '.join(parts)})"


def _class_losses(given: Any) -> Mapping[Any, ClassLosses] | Rows:
    if isinstance(given, Mapping):
        return {
            name: {answer: _loss(loss, name, answer) for answer, loss in entry.items()}
            if isinstance(entry, Mapping)
            else _number(entry, f"the loss of missing class {name!r}")
            for name, entry in given.items()
        }
    if hasattr(given, "columns"):
        raise ValueError("losses is a data frame; expected {class: {answer: loss}}, as frame.to_dict('index') has it.")
    try:
        if isinstance(given, str):
            raise TypeError
        rows = [list(row) for row in given]
    except TypeError:
        raise ValueError(f"losses is {given!r:.60}; {EXPECTED}.") from None
    if not rows or any(len(row) != len(rows) for row in rows):
        lengths = ", ".join(str(len(row)) for row in rows[:8])
        raise ValueError(
            f"losses: the array has {counted(len(rows), 'row')} of {lengths or 'no'} numbers; expected a square one, "
            "with a row and a column per class. Answers that are no class go into answers=."
        )
    return tuple(
        tuple(_number(loss, f"the loss in row {true}, column {answer},") for answer, loss in enumerate(row))
        for true, row in enumerate(rows)
    )


def _loss(loss: Any, true: Any, answer: Any) -> Fraction:
    return _number(loss, f"the loss of class {true!r}, answer {answer!r},")


def _number(loss: Any, what: str) -> Fraction:
    """The number that was meant: one tenth where 0.1 was given, and one third where 1 / 3 was."""
    number = non_negative(loss, f"losses: {what}", LOSS_RULE)
    if isinstance(loss, float) and number.denominator > MAX_DENOMINATOR:
        simple = Fraction(loss).limit_denominator(MAX_DENOMINATOR)
        return simple if float(simple) == loss else number
    return number


def _answer_name(name: Any) -> str:
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"losses: an answer is named {name!r:.60}; expected a text, as in answers={{'refer': 4}}.")
    return str(name)


def _answer_losses(name: str, given: Any) -> AnswerLosses:
    if isinstance(given, Mapping):
        return {true: _loss(loss, true, name) for true, loss in given.items()}
    if isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, str):
        return tuple(_loss(loss, f"number {position}", name) for position, loss in enumerate(given))
    return _number(given, f"the loss of answer {name!r}")


def _column(answer: str, given: AnswerLosses, names: tuple[Any, ...]) -> list[Fraction]:
    """What an answer that is no class costs for each class; nothing is left to guess."""
    if isinstance(given, Fraction):
        return [given] * len(names)
    if isinstance(given, tuple):
        if len(given) != len(names):
            raise ValueError(
                f"losses: answer {answer!r} has {counted(len(given), 'loss', 'losses')} for "
                f"{counted(len(names), 'class', 'classes')}; expected one for each."
            )
        return list(given)
    by_position = _by_position(given, names, f"losses of answer {answer!r}")
    missing = [name for position, name in enumerate(names) if position not in by_position]
    if missing:
        raise ValueError(
            f"losses: answer {answer!r} has no loss for {listed(missing)}; give every class one, or one number for all."
        )
    return [by_position[position] for position in range(len(names))]


def _by_position(entries: Mapping[Any, Any], names: tuple[Any, ...], what: str) -> dict[int, Any]:
    """Entries by the position of the class that they name: itself, or else its text, as a file has it."""
    found: dict[int, Any] = {}
    for key, entry in entries.items():
        same = [position for position, name in enumerate(names) if type(name) is type(key) and name == key]
        same = same or [position for position, name in enumerate(names) if name == key]
        same = same or [position for position, name in enumerate(names) if str(name) == str(key)]
        if len(same) != 1:
            problem = f"several classes are named {key!r}" if same else f"no class is named {key!r}"
            raise ValueError(f"{what}: {problem}; the classes are {listed(names)}.")
        if same[0] in found:
            raise ValueError(f"{what}: the class {names[same[0]]!r} is named twice; expected once.")
        found[same[0]] = entry
    return found


def _shown(value: Any) -> Any:
    """Numbers as people write them, at any depth."""
    if isinstance(value, Mapping):
        return {key: _shown(entry) for key, entry in value.items()}
    if isinstance(value, tuple):
        return [_shown(entry) for entry in value]
    return plain_number(value)
