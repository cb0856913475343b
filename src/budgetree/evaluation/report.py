"""An evaluation as text: tables for a terminal, a paragraph for a paper, a dict for programs and the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from html import escape
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from budgetree._version import __version__
from budgetree.evaluation.measures import SMALL, Comparison, Subgroup
from budgetree.evaluation.metrics import LEAST_CHANCE, RATES, Measured
from budgetree.messages import Fact
from budgetree.services.words import counted, show_number, visible_lines, with_more
from budgetree.show.tables import TextTable, html_table, text_lines
from budgetree.show.text import confusion_lines
from budgetree.tree import Confusion

if TYPE_CHECKING:
    from budgetree.evaluation.result import Evaluation, Refits

WIDTH, MAX_LISTED = 100, 12
MAX_ROWS = 40  # of a table in a notebook
SHOWN_AT = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7)  # thresholds, in the terminal
TITLES = {"ppv": "PPV", "npv": "NPV", "auc": "AUC", "brier": "Brier score"}
TITLES |= {"slope": "calibration slope", "intercept": "calibration intercept"}
WHY = {"named": "as asked", "loss": "its miss costs most", "rarer": "it is the rarer class"}


Part = Sequence[str | TextTable]


def render_text(found: Evaluation) -> str:
    """Everything that a reader of a paper asks, in its order."""
    parts = ("\n".join(line for entry in part for line in _lines(entry)) for part in _parts(found))
    return visible_lines("\n\n".join(parts))


def _lines(entry: str | TextTable) -> list[str]:
    return [entry] if isinstance(entry, str) else [line.rstrip() for line in text_lines(entry)]


def render_html(found: Evaluation) -> str:
    """The same for a notebook, in its own colours; of long tables the first rows."""
    shown = []
    for part in _parts(found):
        for kind, entries in groupby(part, type):
            if kind is TextTable:
                shown += [html_table(entry.cut(MAX_ROWS), left=(0,)) for entry in entries if not isinstance(entry, str)]
                continue
            text = escape(visible_lines("\n".join(map(str, entries))))
            tag = "pre" if "\n  " in text else "p"
            shown.append(f"<{tag}>{text}</{tag}>")
    return "".join(shown)


def _parts(found: Evaluation) -> list[Part]:
    parts: list[Part] = [
        _heading(found),
        _figures(found),
        _confusion(found),
        _decision_curve(found),
        _cost(found),
        _subgroups(found),
        [] if found.comparison is None else _comparison(found, found.comparison),
        [] if found.refits is None else _wrapped(f"stability: {stability_sentence(found.refits)}"),
        [line for note in notes(found) for line in _wrapped(f"note: {note.sentence}")],
        ["for the methods section:", *wrap(methods_paragraph(found), WIDTH)],
    ]
    return [part for part in parts if part]


def _wrapped(text: str, indent: str = "") -> list[str]:
    return wrap(text, WIDTH, initial_indent=indent, subsequent_indent=f"{indent}  ")


def _some(names: Sequence[str]) -> str:
    return with_more(names[:MAX_LISTED], len(names) - MAX_LISTED)


def _heading(found: Evaluation) -> list[str]:
    setup, classes = found.setup, found.tree.schema.wording.classes
    seen = "what seem to be the cases that it was learned from" if setup.seems_known else "cases given as new to it"
    title = f"a fixed pathway, on {seen}"
    if setup.kind == "procedure":
        times = f"{counted(setup.n_folds or 0, 'fold')} × {counted(setup.n_repeats or 0, 'repeat')}"
        how = "judged on one fifth of the cases, which it was not learned from"
        how = how if setup.is_hold_out else f"learned again without the cases that it is judged by ({times})"
        title = f"the procedure, {how}"
    counts = [f"{show_number(n)} {name}" for n, name in zip(found.overall.n_by_class, classes, strict=True) if n]
    about = "every class against all others; --positive CLASS says which one matters"
    if found.positive is not None:
        about = f"positive: {classes[found.positive]} ({WHY[found.positive_why]})"
    return [f"evaluation of {title}", f"{counted(found.overall.n, 'case')}: {_some(counts)}", about]


def _cells(value: Measured | None) -> tuple[str, str]:
    """The value and its interval."""
    if value is None:
        return "-", ""
    number, *ends = value.numbers
    return number + (" %" if value.unit == "%" else ""), " to ".join(ends)


def _one_cell(value: Measured | None) -> str:
    return "-" if value is None else str(value)


def _figures(found: Evaluation) -> Part:
    overall, one = found.overall, found.positive_measures
    rows: list[tuple[str, Measured | None, str]] = [("error", overall.error, "")]
    rows += [("loss of a case", overall.loss, "")] if overall.loss is not None else []
    if one is None:
        rows += [("Brier score", overall.brier, ""), ("log loss", overall.log_loss, "")]
    else:
        ideal = {"slope": "1 is ideal", "intercept": "0 is ideal"}
        rates = [(TITLES.get(name, name), getattr(one, name), ideal.get(name, "")) for name in RATES]
        at = f"at a prevalence of {100 * (found.prevalence or 0):g} %"
        other = [(name, value, at) for name, value in zip(("PPV", "NPV"), found.at_prevalence or (), strict=False)]
        rows += [*rates[:4], *other, *rates[4:6], ("log loss", overall.log_loss, ""), *rates[6:]]
    cells = tuple((name, *_cells(value), note) for name, value, note in rows)
    table = TextTable(("", "value", "95 % interval", ""), cells)
    if one is not None:
        return [table]
    pairs = zip(found.tree.schema.wording.classes, overall.by_class, strict=True)
    each = tuple(
        (name, show_number(of.n), *(_one_cell(getattr(of, rate)) for rate in RATES[:5])) for name, of in pairs if of.n
    )
    return [table, "", TextTable(("class", "cases", *(TITLES.get(rate, rate) for rate in RATES[:5])), each)]


def _confusion(found: Evaluation) -> list[str]:
    words = found.tree.schema.wording
    rounded = ([round(count, 1) for count in row] for row in found.overall.confusion)
    counts = tuple(tuple(int(count) if count == int(count) else count for count in row) for row in rounded)
    means = ["(means over the repeats)"] if (found.setup.n_repeats or 1) > 1 else []
    return [*confusion_lines(Confusion(words.answers, words.classes, counts)), *means]


def _decision_curve(found: Evaluation) -> Part:
    curve = found.decision_curve
    if curve is None:
        return []
    at = [curve.thresholds.index(threshold) for threshold in SHOWN_AT]
    rows = (
        ("the pathway", *(f"{curve.net_benefit[index].value:.3f}" for index in at)),
        ("treat all", *(f"{curve.treat_all[index]:.3f}" for index in at)),
        ("treat none", *("0" for _ in at)),
    )
    harm = "tests do no harm here; --worth AMOUNT says what a found case is worth"
    if curve.worth is not None:
        worth = found.tree.schema.wording.amount(curve.worth)
        harm = f"what each case paid is a harm: a found case is worth {worth}, so {curve.harm:.3f} on average"
    sentence = f"found cases per case, less false alarms at the odds of the threshold; {harm}"
    head = ("net benefit at", *(f"{100 * threshold:.0f} %" for threshold in SHOWN_AT))
    return [TextTable(head, rows), *_wrapped(sentence)]


def _amount(found: Evaluation, value: Measured | None) -> str:
    if value is None:
        return "-"
    number, *ends = value.numbers
    amount = found.tree.schema.wording.with_unit(number if ends else show_number(round(value.value, 2)))
    return f"{amount} ({' to '.join(ends)})" if ends else amount


def _cost(found: Evaluation) -> list[str]:
    cost, words = found.cost, found.tree.schema.wording
    worst = [cost.worst, *(of.worst for of in [*found.tree.costs.values()][1:])]
    by_class = zip(words.classes, cost.by_class, strict=True)
    each = [f"{name} {_amount(found, of)}" for name, of in by_class if of is not None]
    ends = []
    for of in cost.stages:
        after = f"after {counted(of.stage, 'stage')}" if of.stage else "without a test"
        ends.append(f"{after} {100 * of.share:.0f} % (mean cost {words.with_unit(f'{of.mean_cost:.3g}')})")
    done = [f"{of.name} {100 * of.share:.0f} %" for of in cost.tests]
    return [
        f"cost: worst {words.amounts(worst)}, which no case exceeds; mean {_amount(found, cost.mean)}",
        *_wrapped(f"by class: {_some(each)}", "  "),
        *_wrapped(f"answered {_some(ends)}", "  "),
        *_wrapped(f"tests done: {_some(done) or 'none'}", "  "),
    ]


def _subgroups(found: Evaluation) -> Part:
    if not found.subgroups:
        return []
    rates = () if found.positive is None else ("sensitivity", "specificity", "auc")
    rows = []
    for group in found.subgroups:
        of, mark = group.measures, " *" if group.measures.is_small else ""
        one = None if found.positive is None else of.by_class[found.positive]
        counts = [of.n] if one is None else [of.n, one.n]
        measured = [of.error, *(getattr(one, rate) for rate in rates)]
        name, cells = f"{group.by} {group.group}{mark}", [show_number(round(count, 2)) for count in counts]
        rows.append((name, *cells, *map(_one_cell, measured), _amount(found, of.mean_cost)))
    positives = () if found.positive is None else (found.tree.schema.wording.classes[found.positive],)
    head = ("group", "cases", *positives, "error", *(TITLES.get(rate, rate) for rate in rates), "mean cost")
    is_marked = any(group.measures.is_small for group in found.subgroups)
    small = [f"* fewer than {SMALL} cases of a class: unreliable"] if is_marked else []
    return [TextTable(head, tuple(rows)), *small]


def _comparison(found: Evaluation, versus: Comparison) -> Part:
    answers = found.tree.schema.wording.answers
    rows = [("error", versus.error), ("loss of a case", versus.loss), ("cost of a case", versus.cost)]
    rows += [(f"net benefit at {100 * of.threshold:g} %", of.difference) for of in versus.net_benefit]
    head = (f"{versus.names[1]} less {versus.names[0]}", "difference", "95 % interval")
    pairs = [f"{show_number(n)} {answers[b]} instead of {answers[a]}" for a, b, n in versus.changed]
    text = f"{counted(versus.n_changed, 'case gets', 'cases get')} another answer{': ' if pairs else ''}{_some(pairs)}"
    if found.other is not None and pairs:
        changed = found.rows[found.judged.case[found.judged.answers != found.other.answers]] + 1
        text += f" (rows {_some([str(row) for row in changed.tolist()])})"
    cells = tuple((name, *_cells(value)) for name, value in rows if value is not None)
    return [TextTable(head, cells), *_wrapped(text)]


def stability_sentence(refits: Refits) -> str:
    """What comes back when the pathway is learned again."""
    times = f"of {counted(refits.n_refits, 'time')}"
    first = f"began with {' and '.join(refits.first)}" if refits.first else "branched before it bought anything"
    return (
        f"Learned again {counted(refits.n_refits, 'time')} from {100 * refits.learned_from:.0f} % of the cases, the "
        f"pathway {first} {refits.same_first} {times}, used the same set of tests {refits.same_tests} {times}, and "
        f"gave {100 * refits.same_answers:.0f} % of the cases that it had not seen the same answer."
    )


def notes(found: Evaluation) -> Iterator[Fact]:
    """What a reader must know to take the figures for what they are."""
    overall, setup, one = found.overall, found.setup, found.positive_measures
    absent = [name for name, n in zip(found.tree.schema.wording.classes, overall.n_by_class, strict=True) if not n]
    if setup.seems_known:
        flatter = (
            "every leaf gets just the cases that it was learned from: figures of these flatter; new cases do worse."
        )
        yield Fact("seems_known", flatter)
    if absent:
        yield Fact("absent", f"no case is {_some(absent)}: what is about that is not known (-).", {"classes": absent})
    elif overall.is_small:
        wide = f"some class has fewer than {SMALL} cases: intervals are wide, and calibration is unreliable."
        yield Fact("small", wide, {"count": SMALL})
    if sum(map(sum, overall.confusion[len(overall.n_by_class) :])) > 0:
        neither = "referred cases are not errors; in sensitivity and specificity they are neither found nor cleared."
        yield Fact("referred", neither)
    if overall.n_impossible:
        count = round(overall.n_impossible, 1)
        counts = "got a probability of 0; log loss counts 36 for each, the most that it can."
        yield Fact("impossible", f"{counted(count, 'case is', 'cases are')} of a class that {counts}", {"count": count})
    if one is not None and found.positive is not None:
        chances, most = found.judged.chances[:, found.positive], 1 - LEAST_CHANCE
        if one.slope is None or one.intercept is None:
            why = "probabilities are all alike, or separate the classes, or one is absent."
            yield Fact("no_calibration", f"no calibration slope (-): {why}")
        elif chances.min() < LEAST_CHANCE or chances.max() > most:
            ends = f"calibration: probabilities below {LEAST_CHANCE} and above {most} count as these."
            yield Fact("clipped", ends, {"low": LEAST_CHANCE, "high": most})
        for rate, answer, value in (("PPV", "positive", one.ppv), ("NPV", "negative", one.npv)):
            if value is None:
                yield Fact(f"no_{rate.lower()}", f"no case is answered {answer}: there is no {rate} (-).")
    for kind, number, singular, plural, what in (
        ("left_out", setup.n_left_out, "fold was", "folds were", "left out, as the time was over."),
        ("without", setup.n_without, "row says", "rows say", "nothing about what is right: left out."),
        ("unlisted", setup.n_unlisted, "case has", "cases have", "a result that no known case had."),
        ("copies", setup.n_copies, "row is a copy", "rows are copies", "of another: held out together, as one case."),
    ):
        if number:
            yield Fact(kind, f"{counted(number, singular, plural)} {what}", {"count": number})


def methods_paragraph(found: Evaluation) -> str:
    """What was done, with the sample sizes, in text that a paper may have."""
    setup, overall, words, curve = found.setup, found.overall, found.tree.schema.wording, found.decision_curve
    size = counted(overall.n, "case")
    if found.positive is not None:
        size += f" ({show_number(overall.n_by_class[found.positive])} {words.classes[found.positive]})"
    missing = counted(setup.n_missing, "value was", "values were") if setup.n_missing else "no value was"
    together = f"; cases of one group ({setup.n_groups} groups) were kept together" if setup.n_groups else ""
    together += "; copies of a row were kept together" if setup.n_copies else ""
    if setup.kind == "pathway":
        seen = "it was learned from" if setup.seems_known else "were given as new to it"
        text = [f"A fixed pathway was evaluated on {size} that {seen}; {missing} missing{together}."]
    else:
        limit = "no limit on costs" if setup.budget is None else f"a budget of {setup.budget} that no case exceeds"
        aim = "the lowest error on new cases" if setup.is_for_new else "the fewest errors on the known cases"
        times = f", repeated {setup.n_repeats} times" if (setup.n_repeats or 1) > 1 else ""
        how = (
            f"by {setup.n_folds}-fold cross-validation{times}: levels, choice of tests, stopping and probabilities "
            "were learned again without the cases held out, which a pathway then answered that had not seen them"
        )
        how = "on one fifth of the cases, from which it was not learned" if setup.is_hold_out else how
        text = [f"The pathway was learned from {size} for {aim}, with {limit}; {missing} missing."]
        text += [f"It was evaluated {how}{together}."]
    text += [
        "Intervals are at 95 %: Wilson's for shares, DeLong's on the logit scale for the AUC, Student's for means."
    ]
    if (inflation := found.judged.inflation) != 1:
        more = f"Variances are enlarged by {inflation:.2f} (Nadeau and Bengio 2003), those of shares also by what"
        text += [f"{more} pathways of different folds differ in beyond chance, because what is learned varies too."]
    if curve is not None:
        text += ["Calibration: slope of a logistic regression on the predicted logit; intercept of one with slope 1."]
        worth = "without harm of testing"
        if curve.worth is not None:
            worth = f"with what each case paid as harm, one found case being worth {words.amount(curve.worth)}"
        text += [f"Net benefit was computed over thresholds from 1 to 99 %, {worth}."]
    if found.prevalence is not None:
        text += [f"PPV and NPV were also computed for a prevalence of {100 * found.prevalence:g} %."]
    return " ".join([*text, f"Software: budgetree {__version__}."])


def plain(value: Any) -> Any:
    """Records and tuples as JSON has them."""
    if isinstance(value, Measured):
        return value.to_dict()
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return [plain(entry) for entry in value] if isinstance(value, (tuple, list)) else value


def summary(found: Evaluation) -> dict[str, Any]:
    """Everything as plain JSON; what is not known is None, and a note says why."""
    setup, words, curve, versus = found.setup, found.tree.schema.wording, found.decision_curve, found.comparison
    content: dict[str, Any] = plain(found.overall)
    for name, of in zip(words.classes, content["by_class"], strict=True):
        of["class"] = name
    adjusted = found.at_prevalence and zip(("ppv", "npv"), plain(found.at_prevalence), strict=True)
    points = curve and zip(curve.thresholds, plain(curve.net_benefit), curve.treat_all, strict=True)
    entries = [{"threshold": at, "net_benefit": value, "treat_all": every} for at, value, every in points or ()]
    changed = [[words.answers[a], words.answers[b], n] for a, b, n in (versus.changed if versus else ())]
    facts = list(notes(found))
    return content | {
        **{name: getattr(setup, name) for name in ("kind", "n_missing", "n_folds", "n_repeats")},
        "classes": list(words.classes),
        "answers": list(words.answers),
        "weight": setup.n_cases,
        "positive": found.positive,
        "positive_why": found.positive_why or None,
        "at_prevalence": adjusted and {"prevalence": found.prevalence, **dict(adjusted)},
        "decision_curve": curve and {"worth": curve.worth, "harm": curve.harm, "points": entries},
        "cost": plain(found.cost),
        "subgroups": [_subgroup(group, found.positive) for group in found.subgroups],
        "stability": found.refits and plain(found.refits) | {"sentence": stability_sentence(found.refits)},
        "comparison": versus and plain(versus) | {"n_changed": versus.n_changed, "changed": changed},
        "notes": [fact.sentence for fact in facts],
        "facts": [fact.content for fact in facts],
        "methods": methods_paragraph(found),
    }


def _subgroup(group: Subgroup, positive: int | None) -> dict[str, Any]:
    one = None if positive is None else group.measures.by_class[positive]
    names = ("n", "n_by_class", "is_small", "error", "mean_cost")
    shown = {name: plain(getattr(group.measures, name)) for name in names}
    return {"by": group.by, "group": group.group, **shown, **{rate: plain(getattr(one, rate, None)) for rate in RATES}}
