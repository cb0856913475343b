"""`budgetree ask`: a consultation in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from budgetree.cli import options
from budgetree.cli.output import ending, print_json
from budgetree.services.words import largest, show_number, visible, with_more

if TYPE_CHECKING:
    from budgetree.tree import Consultation

HELP = (
    "Type the result, or: unavailable (there is no result; the test is not paid), back (one step), again (from the "
    "start), list (the possible results), quit."
)
UNAVAILABLE = ("unavailable", "not available", "n/a")
NO_RESULT = ("missing", "none", "na", "nan", "unknown", "")  # what people type who mean that
COMMANDS = (*UNAVAILABLE, "back", "again", "list", "quit", "help", "?")


@click.command(epilog=ending("budgetree ask pathway.json", page="guide/bedside"))
@options.model
@options.labels
@options.as_json
def ask(model: str, labels: str | None, as_json: bool) -> None:
    """Ask for one test at a time until the answer is clear, never over budget.

    With --json the questions go to stderr and the result to stdout.
    """
    from budgetree.cli.inputs import open_model
    from budgetree.errors import BudgetreeError
    from budgetree.tree import Consultation

    case = Consultation(open_model(model, labels))
    if not case.done:
        click.echo(HELP, err=as_json)
    while not case.done:
        _show_question(case, err=as_json)
        if not _take_answer(case, err=as_json):
            click.echo(err=True)  # the line of the prompt ends here
            raise BudgetreeError("the questions ended before the answer was clear.")
    _show_result(case, as_json)


def _show_question(case: Consultation, *, err: bool) -> None:
    price = f"costs {_amount(case, case.price)}" if case.price else "is free"
    remaining = f"spent {_amount(case, case.spent)}, at most {_amount(case, case.worst_case_remaining)} more to come"
    click.echo(f"\n{click.style(visible(str(case.question)), bold=True)} {price}  ({remaining})", err=err)
    if case.help:
        click.echo(f"  {visible(case.help)}", err=err)
    click.echo(f"  so far: {_classes(case)}", err=err)
    click.echo(f"  answer with {visible(case.expected)}", err=err)


def _take_answer(case: Consultation, *, err: bool) -> bool:
    """One answer, or a step back; False where no more answers come."""
    from budgetree.errors import BudgetreeError

    while True:
        click.echo("> ", nl=False, err=err)
        try:
            typed = input().strip()
        except EOFError:
            return False
        word = typed.casefold()
        if typed in case.outcomes or typed in case.choices or word not in COMMANDS:
            try:
                case.answer(typed)
            except BudgetreeError as error:
                click.echo(f"  {visible(error.on_command_line())}", err=err)
                if word in NO_RESULT:
                    click.echo("  If there is no result, type unavailable.", err=err)
                continue
            _warn_beyond(case, err=err)
            return True
        if word in UNAVAILABLE:
            _go_on_without(case, err=err)
            return True
        if word == "quit":
            return False
        if word == "list":
            click.echo("  " + "\n  ".join(map(visible, case.choices)), err=err)
        elif word in ("help", "?"):
            click.echo(f"  {HELP}", err=err)
        elif not case.history:
            click.echo("  this is the first test.", err=err)
        else:
            for _ in case.history if word == "again" else case.history[-1:]:
                case.undo()
            return True


def _go_on_without(case: Consultation, *, err: bool) -> None:
    """What is done without a result is said, or the answer would look like that of a case with all of them."""
    case.unavailable()
    step = case.history[-1]
    going_on = "the other tests have to answer"
    if step.assumed is not None:
        going_on = f"the case goes on as most known cases did, as if it were {step.assumed}"
    click.echo(visible(f"  note: {step.test_label} is not available and not paid; {going_on}."), err=err)


def _warn_beyond(case: Consultation, *, err: bool) -> None:
    """A typing error should not pass for a diagnosis in silence."""
    step = case.history[-1]
    known = case.tree.schema.known_range(step.test)
    try:
        number = float(str(step.value).replace(",", "."))
    except ValueError:
        return
    if known is not None and not known[0] <= number <= known[1]:
        reach = f"{known[0]:g} to {known[1]:g}"
        note = f"  note: {number:g} is beyond the known values ({reach}), and counts as {step.outcome_label}."
        click.echo(visible(note), err=err)


def _show_result(case: Consultation, as_json: bool) -> None:
    from budgetree.tree.explanation import explain

    explanation = explain(case)
    if as_json:
        steps = [
            {"test": s.test, "answer": s.value, "outcome": s.outcome, "price": s.price, "available": s.available}
            | {"assumed": s.assumed, "before": part.before, "after": part.after}
            for s, part in zip(case.history, explanation.contributions, strict=True)
        ]
        shares = {str(name): share for name, share in case.distribution.items()}
        result = {"prediction": case.prediction, "distribution": shares, "spent": case.spent}
        if case.tree.schema.losses is not None:
            result["expected_loss"] = _expected_loss(case)
        print_json(result | {"at_first": explanation.start, "steps": steps})
        return
    click.echo(f"\n→ {click.style(visible(case.conclusion), bold=True)}  spent {_amount(case, case.spent)}")
    if explained := case.tree.schema.wording.answer_help[case.position]:
        click.echo(f"  {visible(explained)}")
    click.echo(f"  {_classes(case)}")
    if case.tree.schema.losses is not None:
        click.echo(f"  expected loss {show_number(_expected_loss(case))}, the least of all answers")
    if case.tree.may_stop[case.node]:
        click.echo("  That is sure enough: no more tests are bought.")
    if explanation.contributions:
        click.echo(f"\n  {visible(explanation.opening)}. What moved it:")
    for part in explanation.largest_first:
        sign = " =" if part.available else ""
        click.echo(visible(f"    {part.test_label}{sign} {part.answered}: {part.moved}"))


def _amount(case: Consultation, number: float) -> str:
    """A number as it is, with its unit."""
    return visible(case.tree.schema.wording.with_unit(str(number)))


def _expected_loss(case: Consultation) -> float:
    """What the answer is expected to cost a case like this one."""
    table = case.tree.schema.loss_table
    return float(table.of_counts(case.shares)[case.position] / float(table.scale))


def _classes(case: Consultation) -> str:
    names, shares = case.tree.schema.wording.classes, case.shares.tolist()
    shown, n_more = largest(shares)
    likeliest = sorted(shown, key=lambda position: -shares[position])
    return visible(with_more((f"{names[position]} {shares[position]:.0%}" for position in likeliest), n_more))
