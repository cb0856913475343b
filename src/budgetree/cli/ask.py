"""`budgetree ask`: a consultation in the terminal."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from budgetree.cli import options
from budgetree.cli.options import option
from budgetree.cli.output import print_json
from budgetree.errors import BudgetreeError
from budgetree.services.words import counted, largest, show_number, visible, with_more

if TYPE_CHECKING:
    from budgetree.tree import Consultation

HELP = (
    "Type the result, or: unavailable (there is no result; the test is {paid}), back (one step), again (from the "
    "start), list (the possible results), quit. To insist on a result that is refused, put ! behind it."
)
UNAVAILABLE = ("unavailable", "not available", "n/a")
NO_RESULT = ("missing", "none", "na", "nan", "unknown", "")  # what people type who mean that
COMMANDS = (*UNAVAILABLE, "back", "again", "list", "quit", "help", "?")


@options.command("budgetree ask pathway.json --known age=54", page="guide/bedside")
@options.model
@option(
    "--known",
    multiple=True,
    metavar="TEST=RESULT",
    help="A result that is already known, and free. May be repeated.",
)
@option("--charge-unavailable", is_flag=True, help="Charge for tests that turn out to be unavailable.")
@options.labels
def ask(model: str, labels: str | None, known: tuple[str, ...], charge_unavailable: bool, as_json: bool) -> None:
    """Consult a pathway for one case, one test at a time.

    With --json the questions go to stderr and the result to stdout.
    """
    from budgetree.cli.inputs import open_model
    from budgetree.tree import Consultation

    if wrong := [entry for entry in known if "=" not in entry]:
        raise click.UsageError(f"--known is {wrong[0]!r}; expected TEST=RESULT, such as age=54.")
    results = {name: value for name, _, value in (entry.partition("=") for entry in known)}
    case = Consultation(open_model(model, labels), known=results, charge_unavailable=charge_unavailable)
    say = partial(click.echo, err=as_json)
    if not case.done:
        say(_help(case))
    while not case.done:
        price = f"costs {_amounts(case, 'next')}" if any(cost.next for cost in case.costs.values()) else "is free"
        to_come = f"at most {_amounts(case, 'remaining')} more to come"
        of = case.tree.test_names.index(str(case.next_test))
        question = visible(case.tree.schema.costs.called(of, case.tree.schema.wording.tests))
        say(f"\n{click.style(question, bold=True)} {price}  (spent {_amounts(case, 'spent')}, {to_come})")
        if case.help:
            say(f"  {visible(case.help)}")
        say(f"  so far: {_classes(case)}\n  answer with {visible(case.expected)}")
        if not _take_answer(case, say):
            click.echo(err=True)  # the line of the prompt ends here
            raise BudgetreeError("the input ended before the answer was clear.")
    _show_result(case, as_json)


def _take_answer(case: Consultation, say: Callable[..., None]) -> bool:
    """One answer, or a step back; False where no more answers come."""

    while True:
        say("> ", nl=False)
        try:
            typed = input().strip()
        except EOFError:
            return False
        word = typed.casefold()
        if typed in case.outcomes or typed in case.choices or word not in COMMANDS:
            try:
                is_name = typed in case.outcomes or typed in case.choices
                insist = typed.endswith("!") and not is_name
                case.answer(typed.removesuffix("!").rstrip() if insist else typed, insist=insist)
            except BudgetreeError as error:
                say(f"  {visible(error.on_command_line())}")
                if not insist and word not in NO_RESULT:
                    say(f"  If it is right, type {visible(typed)}!")
                if word in NO_RESULT:
                    say("  If there is no result, type unavailable.")
                continue
        elif word in UNAVAILABLE:
            case.unavailable()
        elif word == "quit":
            return False
        elif word in ("list", "help", "?"):
            say("  " + ("\n  ".join(map(visible, case.choices)) if word == "list" else _help(case)))
            continue
        elif not (given := [step for step in case.history if not step.known]):
            say("  this is the first test.")
            continue
        else:
            for _ in given if word == "again" else given[-1:]:
                case.undo()
            return True
        if (note := _note(case)) is not None:
            say(visible(f"  note: {note}."))
        return True


def _help(case: Consultation) -> str:
    return HELP.format(paid="paid all the same" if case.charge_unavailable else "not paid")


def _note(case: Consultation) -> str | None:
    """What the last step should not do in silence: go on without a result, or take a typing error for a result."""
    step = [step for step in case.history if not step.known][-1]
    if not step.available:
        going_on = "the other tests have to answer"
        if step.assumed is not None:
            going_on = f"all its results stay possible, and the case goes on as with {step.assumed}"
        paid = "paid all the same" if case.charge_unavailable else "not paid"
        return f"{step.test_label} is not available and {paid}; {going_on}"
    known = case.tree.schema.known_range(step.test)
    try:
        number = float(str(step.value).replace(",", "."))
    except ValueError:
        return None
    if known is None or known[0] <= number <= known[1]:
        return None
    return f"{number:g} is beyond the known values ({known[0]:g} to {known[1]:g}), and counts as {step.outcome_label}"


def _show_result(case: Consultation, as_json: bool) -> None:
    from budgetree.tree.explanation import explain

    explanation = explain(case)
    if as_json:
        steps = [
            {"test": s.test, "answer": s.value, "outcome": s.outcome, "price": s.price, "available": s.available}
            | {"known": s.known}
            | {"assumed": s.assumed, "before": part.before, "after": part.after}
            for s, part in zip(case.history, explanation.contributions, strict=True)
        ]
        shares = {str(name): share for name, share in case.distribution.items()}
        result = {"prediction": case.prediction, "distribution": shares, "spent": case.spent, "possible": case.possible}
        if len(case.costs) > 1:
            result["costs"] = {name: cost._asdict() for name, cost in case.costs.items()}
        if case.tree.schema.losses is not None:
            result["expected_loss"] = _expected_loss(case)
        last = explanation.correction
        together = {} if last is None else {"together": {"before": last.before, "after": last.after}}
        print_json(result | {"at_first": explanation.start, "steps": steps} | together)
        return
    click.echo(f"\n→ {click.style(visible(case.conclusion), bold=True)}  spent {_amounts(case, 'spent')}")
    if explained := case.tree.schema.wording.answer_help[case.position]:
        click.echo(f"  {visible(explained)}")
    click.echo(f"  {_classes(case)}")
    if without := [step.test_label for step in case.history if step.assumed is not None]:
        known = counted(case.possible, "known case")
        click.echo(visible(f"  These are shares of all that is possible without {' and '.join(without)}: {known}."))
    if case.tree.schema.losses is not None:
        click.echo(f"  expected loss {show_number(_expected_loss(case))}, the least of all answers")
    if case.refusal is not None:
        click.echo(visible(f"  The pathway ends here: {case.refusal}"))
    if case.is_early:
        click.echo("  This is certain enough: no further tests are bought.")
    if explanation.contributions:
        click.echo(f"\n  {visible(explanation.opening)}. What moved it:")
    for part in explanation.largest_first:
        sign = " =" if part.available else ""
        click.echo(visible(f"    {part.test_label}{sign} {part.answered}: {part.moved}"))
    if explanation.correction is not None:
        click.echo(f"    the answers together: {explanation.correction.moved}")


def _amounts(case: Consultation, which: str) -> str:
    """What was taken of each resource, is still to come, or the next test takes."""
    return visible(case.tree.schema.wording.amounts([getattr(cost, which) for cost in case.costs.values()]))


def _expected_loss(case: Consultation) -> float:
    """What the answer is expected to cost a case like this one."""
    table = case.tree.schema.loss_table
    return float(table.of_counts(case.shares)[case.position] / float(table.scale))


def _classes(case: Consultation) -> str:
    names, shares = case.tree.schema.wording.classes, case.shares.tolist()
    shown, n_more = largest(shares)
    likeliest = sorted(shown, key=lambda position: -shares[position])
    return visible(with_more((f"{names[position]} {shares[position]:.0%}" for position in likeliest), n_more))
