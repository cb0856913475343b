"""Losses: what each answer costs for each true class, and which answers there are beside the classes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from budgetree._internal import internal
from budgetree.data.number_format import LARGEST_EXACT
from budgetree.errors import LossesError, Remedy
from budgetree.problem.settings_part import SettingsPart
from budgetree.problem.units import non_negative, plain_numbers
from budgetree.services.words import counted, listed

LOSS_RULE = "losses must be finite numbers of at least 0"
MAX_DENOMINATOR = 10**6  # of a quotient that a float may stand for
EXPECTED = "{class: {answer: loss}}, {class: loss}, or a square array in the order of the classes"

ClassLosses = Fraction | Mapping[Any, Fraction]
Rows = tuple[tuple[Fraction, ...], ...]
AnswerLosses = Fraction | Mapping[Any, Fraction] | tuple[Fraction, ...]
Amounts = NDArray[np.int64] | NDArray[np.float64]


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Losses(SettingsPart):
    """What a wrong answer costs.

    A class may be named by its text ("1" for 1). A right answer may cost something too.

    Parameters
    ----------
    losses : dict or array-like, optional
        {class: {answer: loss}}, where what is not named costs 1, or 0 where the answer is right; {class: loss}, missing
        this class, whatever is answered (both may be mixed); or a square array, class × answer, in the order of the
        classes.
    answers : dict, optional
        Answers that are not classes, such as a referral: {name: loss}, whatever the class; {name: {class: loss}}, for
        every class; or {name: [loss, …]} in the order of the classes.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.Losses({"cancer": {"benign": 50}}, answers={"refer": 4})
    Losses({'cancer': {'benign': 50}}, answers={'refer': 4})
    """

    _part: ClassVar[str] = "losses"
    _absent: ClassVar[Any] = (
        LossesError,
        "there is neither a table [losses] nor a table [answers]; expected at least one of them, as in: [losses] "
        "and below it: cancer = 50",
    )
    losses: Mapping[Any, ClassLosses] | Rows
    answers: Mapping[str, AnswerLosses]

    def __init__(self, losses: Any = None, *, answers: Mapping[str, Any] | None = None) -> None:
        if not isinstance(answers or {}, Mapping):
            raise LossesError.refusing("answers", answers, "{name: loss} or {name: {class: loss}}", of="losses: ")
        object.__setattr__(self, "losses", _class_losses({} if losses is None else losses))
        for name in answers or ():
            if not isinstance(name, str) or not name.strip():
                message = f"losses: an answer is named {name!r:.60}; expected a text, as in answers={{'refer': 4}}."
                raise LossesError(message, subject="answers", found=name)
        extra = {str(name): _entry("answer", name, given, "class") for name, given in (answers or {}).items()}
        object.__setattr__(self, "answers", extra)

    @classmethod
    @internal
    def of(cls, losses: Any) -> Losses | None:
        """Whatever a user may give as losses: a Losses, a mapping, a square array; or None, where errors count."""
        return losses if losses is None or isinstance(losses, Losses) else cls(losses)

    @internal
    def bind(self, class_names: Sequence[Any]) -> LossTable:
        """Lay the losses out for these classes; every name must fit.

        >>> Losses({"cancer": 50}).bind(["benign", "cancer"]).units.tolist()
        [[0, 1], [50, 0]]
        """
        names = tuple(class_names)
        rows = self._rows(names)
        for answer, loss in self.answers.items():
            if any(answer == str(name) for name in names):
                remedy = "What it costs to miss that class is one of its losses, not of the answers."
                message = f"losses: the answer {answer!r} has the name of a class; expected another name. {remedy}"
                raise LossesError(message, subject=answer)
            rows = [[*row, amount] for row, amount in zip(rows, _column(answer, loss, names), strict=True)]
        return LossTable.of((*names, *self.answers), rows)

    def _rows(self, names: tuple[Any, ...]) -> list[list[Fraction]]:
        if isinstance(self.losses, tuple):
            if len(self.losses) != len(names):
                size, classes = len(self.losses), counted(len(names), "class", "classes")
                message = f"losses: the array is {size} × {size}, but there are {classes}: {listed(names)}"
                raise LossesError(f"{message}; expected a row and a column for each.", found=size, expected=len(names))
            return [list(row) for row in self.losses]
        rows = [[Fraction(int(answer != true)) for answer in range(len(names))] for true in range(len(names))]
        for true, given in _by_position(self.losses, names, "losses").items():
            if isinstance(given, Fraction):
                rows[true] = [Fraction(0) if answer == true else given for answer in range(len(names))]
                continue
            for key in given:
                if isinstance(key, str) and key in self.answers:
                    message = f"losses: class {names[true]!r} names the answer {key!r}, which is not a class."
                    remedy = Remedy(
                        f"Give its losses in answers: {{{key!r}: {{class: loss}}}}.",
                        f"Give its losses in a table [answers.{key}], a line per class.",
                    )
                    raise LossesError(message, subject=str(names[true]), found=key, remedy=remedy)
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
        parts = [repr(plain_numbers(self.losses))] if self.losses else []
        if self.answers:
            parts.append(f"answers={plain_numbers(self.answers)!r}")
        return f"Losses({', '.join(parts)})"


def _class_losses(given: Any) -> Mapping[Any, ClassLosses] | Rows:
    if isinstance(given, Mapping):
        return {name: _entry("missing class", name, entry, "answer") for name, entry in given.items()}
    if hasattr(given, "columns"):
        message = "losses is a data frame; expected {class: {answer: loss}}, as frame.to_dict('index') has it."
        raise LossesError(message, found=type(given), expected=EXPECTED)
    try:
        if isinstance(given, str):
            raise TypeError
        rows = [list(row) for row in given]
    except TypeError:
        raise LossesError(f"losses is {given!r:.60}; expected {EXPECTED}.", found=given, expected=EXPECTED) from None
    if not rows or any(len(row) != len(rows) for row in rows):
        lengths = ", ".join(str(len(row)) for row in rows[:8])
        message = f"losses: the array has {counted(len(rows), 'row')} of {lengths or 'no'} numbers"
        wanted = "a square one, with a row and a column per class. Answers that are not classes go into answers="
        raise LossesError(f"{message}; expected {wanted}.", found=tuple(map(len, rows)), expected=EXPECTED)
    return tuple(
        tuple(_number(loss, f"the loss in row {true}, column {answer},") for answer, loss in enumerate(row))
        for true, row in enumerate(rows)
    )


def _entry(what: str, name: Any, given: Any, by: str) -> Any:
    """The losses of a class or an answer: one number, numbers by name, or of an answer in the order of the classes."""
    if isinstance(given, Mapping):
        return {
            key: _number(loss, f"the loss of {what} {name!r}, {by} {key!r},", key if by == "class" else name)
            for key, loss in given.items()
        }
    if by == "class" and isinstance(given, (Sequence, np.ndarray)) and not isinstance(given, str):
        whose = f"the loss of {what} {name!r}, class number"
        return tuple(_number(loss, f"{whose} {position},", name) for position, loss in enumerate(given))
    return _number(given, f"the loss of {what} {name!r}", name)


def _number(loss: Any, what: str, subject: object = None) -> Fraction:
    """The number that was meant: one tenth where 0.1 was given, and one third where 1 / 3 was."""
    about = None if subject is None else str(subject)
    number = non_negative(loss, f"losses: {what}", LOSS_RULE, error=LossesError, subject=about)
    if isinstance(loss, float) and number.denominator > MAX_DENOMINATOR:
        simple = Fraction(loss).limit_denominator(MAX_DENOMINATOR)
        return simple if float(simple) == loss else number
    return number


def _column(answer: str, given: AnswerLosses, names: tuple[Any, ...]) -> list[Fraction]:
    """What an answer that is not a class costs for each class; nothing is left to guess."""
    if isinstance(given, Fraction):
        return [given] * len(names)
    if isinstance(given, tuple):
        if len(given) != len(names):
            sizes = f"{counted(len(given), 'loss', 'losses')} for {counted(len(names), 'class', 'classes')}"
            message = f"losses: answer {answer!r} has {sizes}; expected one for each."
            raise LossesError(message, subject=answer, found=len(given), expected=len(names))
        return list(given)
    by_position = _by_position(given, names, f"losses of answer {answer!r}")
    missing = [name for position, name in enumerate(names) if position not in by_position]
    if missing:
        message = f"losses: answer {answer!r} has no loss for {listed(missing)}; give every class one, or one for all."
        raise LossesError(message, subject=answer, found=tuple(missing))
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
            message = f"{what}: {problem}; the classes are {listed(names)}. Correct the name, or leave it out."
            raise LossesError(message, subject=str(key), expected=names)
        if same[0] in found:
            message = f"{what}: the class {names[same[0]]!r} is named twice; expected once."
            raise LossesError(message, subject=str(key))
        found[same[0]] = entry
    return found


@dataclass(frozen=True, eq=False)
class LossTable:
    """Losses in whole units, laid out for the classes of one instance.

        answers            benign  cancer  refer
        true class benign     0       1      4       what each answer costs, times scale
                   cancer    50       0      4

    Counts of classes become losses of answers by one product. Of answers that lose the same the first is given: the
    class that sorts first, then answers that are not classes.
    """

    answers: tuple[Any, ...]  # the classes, then whatever else may be answered
    units: NDArray[np.int64]  # class × answer, without a common divisor
    scale: Fraction  # loss = units / scale

    def __post_init__(self) -> None:
        self.units.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    @classmethod
    def plain(cls, class_names: Sequence[Any]) -> LossTable:
        """Every error costs 1."""
        return cls(tuple(class_names), 1 - np.eye(len(class_names), dtype=np.int64), Fraction(1))

    @classmethod
    def of(cls, answers: Sequence[Any], losses: Sequence[Sequence[Fraction]]) -> LossTable:
        """Exact losses, class × answer, in the largest unit that makes all of them whole."""
        exact = np.array(losses, dtype=object)
        common = math.lcm(*{loss.denominator for loss in exact.flat})
        divisor = math.gcd(*{int(loss * common) for loss in exact.flat}) or 1
        units = exact * Fraction(common, divisor)
        if (largest := int(units.max())) >= LARGEST_EXACT:
            size = f"about 1e{round(largest.bit_length() * math.log10(2))} units; expected less than 9e15"
            message = f"losses: in the largest unit that makes all of them whole, one is {size}."
            raise LossesError(f"{message} Round the losses to fewer digits.", found=largest, expected=LARGEST_EXACT)
        return cls(tuple(answers), units.astype(np.int64), Fraction(common, divisor))

    @property
    def n_classes(self) -> int:
        return int(self.units.shape[0])

    @cached_property
    def is_plain(self) -> bool:
        """True when the least loss is the fewest errors: each costs the same, and every answer is a class."""
        return self.units.shape[1] == self.n_classes and bool((self.units == 1 - np.eye(self.n_classes)).all())

    @property
    def largest(self) -> int:
        """The largest loss of all."""
        return int(self.units.max())

    def positive(self, counts: Sequence[float]) -> tuple[int | None, Literal["loss", "rarer", ""]]:
        """The class that others are told apart from, and why: its miss costs most, or it is the rarer of two.

        >>> LossTable.plain(["ill", "well"]).positive([30, 70]), Losses({"b": 9}).bind("abc").positive([1, 1, 1])
        ((0, 'rarer'), (1, 'loss'))
        """
        missed = (self.units[:, : self.n_classes] * (1 - np.eye(self.n_classes, dtype=np.int64))).max(axis=1)
        if int((missed == missed.max()).sum()) == 1:
            return int(missed.argmax()), "loss"
        return (0 if counts[0] < counts[1] else 1, "rarer") if self.n_classes == 2 else (None, "")

    def of_counts(self, counts: Amounts) -> Amounts:
        """… × class amounts become … × answer losses: weight units give loss units, probabilities expected ones.

        Probabilities are added class by class: one row gets what it gets among many, and other programs can follow.
        """
        if counts.dtype.kind in "iu":
            most = int(np.max(counts.sum(axis=-1), initial=0)) * self.largest
            if most >= LARGEST_EXACT:
                return np.asarray(counts @ self.units, dtype=np.int64)
            # Every sum is a whole number that floats hold, and their product is many times as fast.
            return np.asarray(counts.astype(np.float64) @ self.units.astype(np.float64)).astype(np.int64)
        losses = np.zeros((*counts.shape[:-1], len(self.answers)))
        for true, units in enumerate(self.units):
            losses += counts[..., true, None] * units
        return losses

    def best(self, counts: Amounts) -> NDArray[np.int64]:
        """The position of the answer of least loss, for … × class amounts."""
        # The likeliest class, where that is the same: probabilities of it are compared as they are, without a sum.
        found = counts.argmax(axis=-1) if self.is_plain else self.of_counts(counts).argmin(axis=-1)
        return np.asarray(found, dtype=np.int64)

    def least(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """The least loss that one answer for all of them has, for … × class weight units."""
        return np.asarray(self.of_counts(counts).min(axis=-1), dtype=np.int64)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LossTable):
            return NotImplemented
        same_names = (self.answers, self.scale) == (other.answers, other.scale)
        return same_names and np.array_equal(self.units, other.units)

    def __hash__(self) -> int:
        return hash((self.scale, self.units.tobytes()))
