"""How predictions agree with a column that says what is right; the rows may come in parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from budgetree.data.column import is_missing
from budgetree.services.words import counted

if TYPE_CHECKING:
    from budgetree.tree import Confusion, Tree

MAX_SHOWN = 12  # classes, in the list of what was missed


class Judgement:
    """Counts pairs of a right and a given answer, both as texts, since a file need not have the model's types."""

    def __init__(self, tree: Tree) -> None:
        self.schema = tree.schema
        self.answers = [str(name) for name in tree.answer_names]
        self.classes = self.answers[: len(tree.class_names)]
        self.pairs: Counter[tuple[str, str]] = Counter()
        self.n_without = 0  # rows that say nothing of what is right

    def add(self, right: Iterable[Any], predicted: Iterable[Any]) -> None:
        """Some more rows."""
        for true, answer in zip(right, predicted, strict=True):
            self.add_counts([(None if is_missing(true) else str(true), str(answer), 1)])

    def add_counts(self, counts: Iterable[tuple[str | None, str, int]]) -> None:
        """So many more rows of a right and a given answer; None where nobody knows what is right."""
        for true, answer, count in counts:
            if true is None:
                self.n_without += count
            else:
                self.pairs[true, answer] += count

    @property
    def confusion(self) -> Confusion:
        """A row per answer, a column per class: those of the model, and then whatever else the column has."""
        from budgetree.tree import Confusion

        others = sorted({true for true, _ in self.pairs} - set(self.classes))
        names = (*self.classes, *others)
        # Nothing answers what the model does not know, but a class stands at the same place in rows and columns.
        answers = (*names, *(answer for answer in self.answers[len(self.classes) :] if answer not in names))
        return Confusion(answers, names, tuple(tuple(self.pairs[true, answer] for true in names) for answer in answers))

    @property
    def mean_loss(self) -> float | None:
        """Over the rows whose class the model knows; None where there is none."""
        table = self.schema.loss_table
        place = {name: position for position, name in enumerate(self.answers)}
        known = {pair: count for pair, count in self.pairs.items() if pair[0] in self.classes}
        if not known:
            return None
        units = sum(int(table.units[place[true], place[answer]]) * count for (true, answer), count in known.items())
        return float(units / table.scale / sum(known.values()))

    def lines(self) -> Iterator[str]:
        """How many are wrong, of which classes, what that loses, and which answers were given instead."""
        from budgetree.show.text import confusion_lines

        n_rows = sum(self.pairs.values())
        referrals = set(self.answers[len(self.classes) :])
        wrong: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for (true, answer), count in self.pairs.items():
            total[true] += count
            if answer != true and answer not in referrals:
                wrong[true] += count
        share = sum(wrong.values()) / n_rows if n_rows else 0
        yield f"{sum(wrong.values())} of {counted(n_rows, 'prediction is', 'predictions are')} wrong ({share:.1%})."
        if self.n_without:
            yield f"{counted(self.n_without, 'row says', 'rows say')} nothing about what is right: left out."
        words = dict(zip(self.answers, self.schema.wording.answers, strict=True))
        for true, count in wrong.most_common(MAX_SHOWN):
            yield f"  {words.get(true, true)}: {count} of {total[true]} missed"
        if referrals:
            n_referred = sum(count for (_, answer), count in self.pairs.items() if answer in referrals)
            yield f"{counted(n_referred, 'row')} got an answer that is no class ({n_referred / max(n_rows, 1):.1%})."
        if self.schema.losses is not None:
            yield from self._loss_lines(total)
        if n_rows:
            yield from confusion_lines(self.confusion.called(self.schema))

    def _loss_lines(self, total: Counter[str]) -> Iterator[str]:
        mean = self.mean_loss
        if mean is not None:
            yield f"mean loss {mean:.4g} per row."
        unknown = sum(count for true, count in total.items() if true not in self.classes)
        if unknown:
            yield f"{counted(unknown, 'row is', 'rows are')} of a class that the model does not know, without a loss."
