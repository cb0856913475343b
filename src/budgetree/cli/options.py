"""The options of all commands: their names, meanings and the headings of --help-all."""

from __future__ import annotations

import glob
import math
import os
import re
from collections.abc import Callable, Sequence
from functools import partial, reduce
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from budgetree.cli.output import ending

if TYPE_CHECKING:
    from budgetree.data.encoders import BlankPlan, LevelPlan

AnyCommand = Callable[..., Any]
Options = Callable[[AnyCommand], AnyCommand]
FILE = click.Path(dir_okay=False)
FOLDER = click.Path(file_okay=False)
PAGES = (".html", ".htm")  # how the names of report pages end
ALL, TYPED = "budgetree.help_all", "budgetree.typed"  # in a context's meta


class Option(click.Option):
    """An option with the heading under which --help-all shows it; those that most people need have none."""

    def __init__(self, *names: Any, heading: str = "", **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.heading = heading


class Command(click.Command):
    """Its --help fits one screen; --help-all shows every option under headings."""

    def __init__(self, *given: Any, **settings: Any) -> None:
        super().__init__(*given, **settings)
        self.params.append(Option(["--json", "as_json"], is_flag=True, help="Print JSON instead of text."))
        if any(getattr(option, "heading", "") for option in self.params):
            shown = "Show all options, under headings."
            self.params.append(
                Option(["--help-all"], is_flag=True, expose_value=False, is_eager=True, callback=_show_all, help=shown)
            )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[TYPED] = list(args)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One section, or with --help-all one per heading."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for option in self.get_params(ctx):
            if (record := option.get_help_record(ctx)) is not None and record[1]:
                sections.setdefault(getattr(option, "heading", ""), []).append(record)
        for heading, records in sections.items():
            if not heading or ALL in ctx.meta:
                with formatter.section(heading or "Options"):
                    formatter.write_dl(records)


def _show_all(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        context.meta[ALL] = True
        click.echo(context.get_help(), color=context.color)
        context.exit()


def continued(name: str, *added: str) -> str:
    """Another command with the arguments that were typed for this one, but for --json, and further ones."""
    typed = [text for text in click.get_current_context().meta[TYPED] if text != "--json"]
    return " ".join(map(quote, ["budgetree", name, *typed, *added]))


def command(*examples: str, page: str, before: str = "") -> Callable[[AnyCommand], click.Command]:
    """Make a command whose help ends with examples and the page to read."""
    return click.command(cls=Command, epilog=before + ending(*examples, page=page))


option = partial(click.option, cls=Option)


def several(*options: Options) -> Options:
    """All of them, shown in this order."""
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


class Amount(click.types.FloatParamType):
    """A number; one that is beyond floats is refused rather than taken for 0 or for no limit."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        is_above_0 = any(digit in "123456789" for digit in str(value).casefold().partition("e")[0])
        if is_above_0 and (number == 0 or math.isinf(number)):
            self.fail(f"{value!r:.60} is beyond what can be computed; expected 0 or 1e-30 to 1e30.", param, ctx)
        return number


AMOUNT = Amount()


def bundled_names(_context: Any, _parameter: Any, typed: str) -> list[Any]:
    """For shell completion: files, and the bundled data sets."""
    from click.shell_completion import CompletionItem

    from budgetree.datasets import names

    files = sorted(path + ("/" if os.path.isdir(path) else "") for path in glob.glob(glob.escape(typed) + "*"))
    return [CompletionItem(name) for name in (*names(), *files) if name.startswith(typed)]


def check_suffix(path: str | None, name: str, known: Sequence[str]) -> str:
    """The suffix of a file, which says what to write; an error if it is none of the known ones."""
    suffix = "" if path is None else os.path.splitext(path)[1].lower()
    if path is not None and suffix not in known:
        raise click.UsageError(
            f"{name} {path}: unknown type of file; expected a name that ends in {' or '.join(known)}."
        )
    return suffix


def _by_name(
    context: click.Context, parameter: click.Parameter, given: Sequence[str], value: str, expected: str
) -> dict[str | None, str]:
    """VALUE or NAME=VALUE, one or several with commas, by name; a name may have commas and equal signs of its own."""
    pattern = re.compile(rf"(?:(?P<name>.+?)=)??(?P<value>{value})(?:,(?=.)|$)")
    values: dict[str | None, str] = {}
    for text in given:
        found = list(pattern.finditer(text))
        if "".join(part[0] for part in found) != text or not text:
            raise click.BadParameter(f"{text!r:.60} is not {expected}.", context, parameter)
        for part in found:
            name = part["name"] and part["name"].strip()
            if values.setdefault(name, part["value"]) != part["value"]:
                about = "all columns" if name is None else repr(name)
                message = f"{values[name]} and {part['value']} are both for {about}."
                raise click.BadParameter(message, context, parameter)
    return values


def _levels(context: click.Context, parameter: click.Parameter, given: Sequence[str]) -> LevelPlan:
    from budgetree.data.encoders import DEFAULT_LEVELS, LevelPlan

    counts = _by_name(context, parameter, given, r"[+-]?\d+", "N or COL=N, such as 3 or Ca=4")
    others = counts.pop(None, DEFAULT_LEVELS)
    return LevelPlan(int(others), {str(column): int(count) for column, count in counts.items()})


def _blanks(context: click.Context, parameter: click.Parameter, given: Sequence[str]) -> BlankPlan:
    from budgetree.data.encoders import BlankPlan

    readings: Any = _by_name(context, parameter, given, "result|unknown", "result, unknown, COL=result or COL=unknown")
    return BlankPlan(readings.pop(None, None), readings)


def _limits(context: click.Context, parameter: click.Parameter, given: Sequence[str]) -> dict[str, float]:
    limits = _by_name(context, parameter, given, "[^=,]+", expected := "RESOURCE=MAX, such as tests=5")
    if None in limits:
        raise click.BadParameter(f"{limits[None]!r:.60} is not {expected}.", context, parameter)
    return {str(name): AMOUNT.convert(most, parameter, context) for name, most in limits.items()}


def read_budgets(context: click.Context, parameter: click.Parameter, given: str | None) -> list[float] | None:
    return None if given is None else [AMOUNT.convert(part.strip(), parameter, context) for part in given.split(",")]


def _header_row(context: click.Context, parameter: click.Parameter, given: str | None) -> tuple[int, int] | None:
    if given is None:
        return None
    first, _, last = given.partition("-")
    if not (first.isdecimal() and (last or first).isdecimal() and len(given) < 20):
        raise click.BadParameter(f"{given!r:.60} is not a row or two, such as 2 or 2-3.", context, parameter)
    return int(first), int(last or first)


def _once(context: click.Context, parameter: click.Parameter, given: Sequence[float]) -> float | None:
    if len(given) > 1:
        message = "given twice; a tree has one budget, and `budgetree frontier --budgets` has a tree for each."
        raise click.BadParameter(message, context, parameter)
    return given[0] if given else None


data = click.argument("data", metavar="DATA", shell_complete=bundled_names)
model = click.argument("model", metavar="MODEL", type=FILE)
budget = option(
    "--budget", metavar="B", type=AMOUNT, multiple=True, callback=_once, help="The most that a case may cost."
)
out = option("-o", "--out", metavar="FILE", type=FILE, help="The file to write.")
folder = several(
    option("-o", "--out", metavar="DIR", type=FOLDER, help="Write the results to this folder."),
    option("--force", is_flag=True, heading="Output", help="Write to DIR even if it is not empty; other files stay."),
)
labels = option(
    "--labels",
    metavar="FILE",
    type=FILE,
    heading="Prices, losses and names",
    help="Display names of tests, outcomes and classes, and the unit of prices, in TOML.",
)

# How a file writes its cells, where it does not say so itself.
_file = partial(option, heading="Reading the file")
reading = several(
    _file("--missing", metavar="TEXT", multiple=True, help="A text that means missing. May be repeated."),
    _file("--decimal", type=click.Choice([".", ","]), help="The decimal mark: 3.5 or 3,5."),
    _file("--thousands", metavar="MARK", help="The thousands separator: 1,234 or 1.234 or 1 234."),
    _file("--censored", is_flag=True, help="Read <5 and >1000 as numbers beyond a limit, each with its own level."),
    _file("--encoding", metavar="NAME", help="The encoding of a CSV file that is not UTF-8, such as windows-1252."),
    _file("--sheet", metavar="NAME", help="The sheet of a workbook (.xlsx, .xls, .ods), by its name or number."),
    _file(
        "--header-row",
        metavar="ROW",
        callback=_header_row,
        help="The row with the column names, such as 2, or 2-3 to join two rows.  [default: the first that is not "
        "empty]",
    ),
    _file("--fill-down", is_flag=True, help="Give each of several merged cells their common value."),
    _file(
        "--max-bytes",
        metavar="N",
        type=click.IntRange(min=1),
        help="The largest CSV file to accept, unpacked; by default 1 GB or 100 times a packed file's size.",
    ),
)

# How to read a table of known cases.
_rule = partial(option, heading="Prices, losses and names")
_column = partial(option, heading="Columns and rows")
table = several(
    option("--target", "-t", metavar="COL", help="The column with the class of each case."),
    option(
        "--prices",
        metavar="FILE",
        type=FILE,
        help="Prices: TOML, or a table with the columns test and price. By default every test costs 1.",
    ),
    option("--drop", metavar="COL", multiple=True, help="Leave out a column. May be repeated."),
    option(
        "--groups", metavar="COL", help="Rows with the same value (one patient's) are held out together; not a test."
    ),
    _rule("--default-price", metavar="P", type=AMOUNT, help="The price of tests that are not in the price list."),
    _rule(
        "--limit",
        "limits",
        metavar="RESOURCE=MAX",
        multiple=True,
        callback=_limits,
        help="The most of a resource that a case may use, such as time=60 or tests=5. May be repeated.",
    ),
    _rule("--first", metavar="TEST", multiple=True, help="Begin every path with this test. May be repeated."),
    _rule("--losses", metavar="FILE", type=FILE, help="What wrong answers cost, and answers that are not classes."),
    labels,
    _column(
        "--levels",
        metavar="N",
        multiple=True,
        callback=_levels,
        help="Cut a column of numbers into at most N levels; COL=N for one column. May be repeated.  [default: 10]",
    ),
    _column(
        "--binning",
        type=click.Choice(["quantile", "uniform"]),
        default="quantile",
        help="quantile: levels with about as many cases each. uniform: levels of equal width, as in the paper.",
    ),
    _column(
        "--blanks",
        metavar="HOW",
        multiple=True,
        callback=_blanks,
        help="Read empty cells as result or unknown; COL=HOW for one column. May be repeated.  [default: unknown for "
        "new cases, result for known ones]",
    ),
    _column(
        "--categories",
        metavar="COL,…",
        multiple=True,
        callback=lambda _context, _parameter, given: [name for text in given for name in text.split(",")],
        help="Columns whose numbers are codes, not amounts. May be repeated.",
    ),
    _column(
        "--duplicates",
        type=click.Choice(["keep", "merge"]),
        default="keep",
        help="keep: every row counts. merge: identical rows are one case with the most common class, as in the paper.",
    ),
    reading,
)

# Where cases are counted.
_cluster = partial(option, heading="Cluster")
engine = several(
    _cluster(
        "--engine",
        type=click.Choice(["memory", "dask"]),
        default="memory",
        help="dask: read files of any size, in parts.",
    ),
    _cluster("--scheduler", metavar="ADDRESS", help="The address of a Dask cluster; by default one is started here."),
)

time_limit = option(
    "--time-limit", metavar="S", type=AMOUNT, help="Stop after S seconds with the best found so far (inf: never)."
)

# How trees are found, and what for.
_search = partial(option, heading="Search")
search = several(
    option(
        "--objective",
        type=click.Choice(["auto", "new", "known"]),
        default="auto",
        help="new: fewest errors on cases not in the table. known: fewest on those in it. auto: known for lists of "
        "facts, else new.",
    ),
    time_limit,
    _search(
        "--method",
        type=click.Choice(["auto", "exact", "greedy"]),
        default="auto",
        help="For known cases. exact: prove the best tree. greedy: in moments, for millions of cases. auto: exact "
        "for some seconds.",
    ),
    _search(
        "--min-cases",
        metavar="N",
        type=click.IntRange(min=1),
        default=1,
        help="For known cases: the fewest cases at any outcome.",
    ),
    _search(
        "--folds",
        metavar="N",
        type=int,
        default=5,
        help="Estimate the error on new cases by N-fold cross-validation; 0: no estimate.",
    ),
    _search(
        "--leaves",
        type=click.Choice(["auto", "tree", "points", "model"]),
        default="auto",
        help="For new cases: a plain tree, points to add up (two classes), or a model of all results; auto: the "
        "simplest that is good enough.",
    ),
    _search(
        "--confidence",
        metavar="P",
        type=click.FloatRange(0, 1, min_open=True),
        help="For new cases: stop when a class has this probability. By default, stop when further tests would "
        "hardly change the answer.",
    ),
)
