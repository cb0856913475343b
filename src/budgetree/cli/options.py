"""Options that several commands share."""

from __future__ import annotations

import glob
import math
import os
import re
from collections.abc import Callable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from budgetree.data.encoders import BlankPlan, LevelPlan

AnyCommand = Callable[..., Any]
Options = Callable[[AnyCommand], AnyCommand]


class Amount(click.types.FloatParamType):
    """A number; one that is beyond floats is refused rather than taken for 0 or for no limit."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        is_above_0 = any(digit in "123456789" for digit in str(value).casefold().partition("e")[0])
        if is_above_0 and (number == 0 or math.isinf(number)):
            self.fail(f"{value!r:.60} is beyond what can be computed; expected 0 or 1e-30 to 1e30.", param, ctx)
        return number


AMOUNT = Amount()
FILE = click.Path(dir_okay=False)
# Of search() and new_cases().
SEARCH_NAMES = ("method", "time_limit", "min_cases", "folds", "objective", "leaves", "confidence")


def several(*options: Options) -> Options:
    """All of them, shown in this order."""
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


def bundled_names(_context: Any, _parameter: Any, typed: str) -> list[Any]:
    """For shell completion: files, and the data sets that come with budgetree."""
    from click.shell_completion import CompletionItem

    from budgetree.datasets import names

    files = sorted(path + ("/" if os.path.isdir(path) else "") for path in glob.glob(glob.escape(typed) + "*"))
    return [CompletionItem(name) for name in (*names(), *files) if name.startswith(typed)]


# 3 or Ca=4, one or several with commas; a column's name may have commas and equal signs of its own.
LEVELS = re.compile(r"(?:(?P<column>.+?)=)??(?P<count>[+-]?\d+)(?:,(?=.)|$)")


def suffix_of(path: str, option: str, known: Sequence[str]) -> str:
    """How a file is called at its end, which says what to write; refused where that is not known."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in known:
        raise click.UsageError(
            f"{option} {path}: the name says what to write; expected one that ends in {' or '.join(known)}."
        )
    return suffix


def _budgets(context: click.Context, parameter: click.Parameter, given: str | None) -> list[float] | None:
    """20,110,200 as numbers."""
    return None if given is None else [AMOUNT.convert(part.strip(), parameter, context) for part in given.split(",")]


def _header_row(context: click.Context, parameter: click.Parameter, given: str | None) -> tuple[int, int] | None:
    """2 or 2-3 as the first row and the last."""
    if given is None:
        return None
    first, _, last = given.partition("-")
    if not (first.isdecimal() and (last or first).isdecimal() and len(given) < 20):
        raise click.BadParameter(f"{given!r:.60} is neither a row nor two, such as 2 or 2-3.", context, parameter)
    return int(first), int(last or first)


def _levels(context: click.Context, parameter: click.Parameter, given: Sequence[str]) -> LevelPlan:
    """The levels of all columns and of those that are named."""
    from budgetree.data.encoders import DEFAULT_LEVELS, LevelPlan

    counts: list[tuple[str | None, int]] = []
    for text in given:
        found = list(LEVELS.finditer(text))
        if "".join(part[0] for part in found) != text or not text:
            raise click.BadParameter(f"{text!r} is neither N nor COL=N, such as 3 or Ca=4.", context, parameter)
        counts += ((part["column"], int(part["count"])) for part in found)
    others = [count for column, count in counts if column is None]
    columns = {column.strip(): count for column, count in counts if column is not None}
    if len(others) > 1:
        raise click.BadParameter(f"{others[0]} and {others[1]} are both for all columns.", context, parameter)
    return LevelPlan(others[0] if others else DEFAULT_LEVELS, columns)


def _blanks(context: click.Context, parameter: click.Parameter, given: Sequence[str]) -> BlankPlan:
    """What empty cells are in all columns, and in those that are named."""
    from budgetree.data.encoders import BlankPlan

    readings: dict[str | None, str] = {}
    for text in given:
        column, equals, reading = text.rpartition("=")
        name = column if equals else None
        if reading not in ("result", "unknown") or name == "":
            message = f"{text!r} is not result, unknown, COL=result or COL=unknown."
            raise click.BadParameter(message, context, parameter)
        if readings.setdefault(name, reading) != reading:
            message = f"{readings[name]} and {reading} are both for {'all columns' if name is None else repr(name)}."
            raise click.BadParameter(message, context, parameter)
    others: Any = readings.pop(None, None)
    return BlankPlan(others, {str(name): reading for name, reading in readings.items()})  # type: ignore[misc]


def _limits(context: click.Context, parameter: click.Parameter, given: Sequence[str]) -> dict[str, float]:
    """The most of each resource that is named."""
    limits: dict[str, float] = {}
    for text in given:
        name, equals, most = text.rpartition("=")
        if not equals or not name or name in limits:
            what = (
                "is a second limit of the same resource" if name in limits else "is not RESOURCE=MAX, such as tests=5"
            )
            raise click.BadParameter(f"{text!r:.60} {what}.", context, parameter)
        limits[name] = AMOUNT.convert(most, parameter, context)
    return limits


def _once(context: click.Context, parameter: click.Parameter, given: Sequence[float]) -> float | None:
    """One number, or none."""
    if len(given) > 1:
        message = "given twice; a tree has one budget, and `budgetree frontier --budgets` has a tree for each."
        raise click.BadParameter(message, context, parameter)
    return given[0] if given else None


budget = click.option(
    "--budget",
    metavar="B",
    type=AMOUNT,
    multiple=True,
    callback=_once,
    help="No case may cost more than this.",
)

data = click.argument("data", metavar="DATA", shell_complete=bundled_names)
model = click.argument("model", metavar="MODEL", type=FILE)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")

labels = click.option(
    "--labels",
    metavar="FILE",
    type=FILE,
    help="What tests, outcomes and classes are called, and the unit of prices, in TOML; may stand in the price list.",
)

# How a file writes its cells, where it does not say so itself.
reading = several(
    click.option(
        "--missing", metavar="TEXT", multiple=True, help="A cell that stands for a missing value. May be repeated."
    ),
    click.option("--decimal", type=click.Choice([".", ","]), help="What stands before decimals: 3.5 or 3,5."),
    click.option("--thousands", metavar="MARK", help="What stands between thousands: 1,234 or 1.234 or 1 234."),
    click.option(
        "--censored", is_flag=True, help="Take <5 and >1000 for numbers beyond a limit, each with a level of its own."
    ),
    click.option("--encoding", metavar="NAME", help="Of a CSV file that is not UTF-8, such as windows-1252."),
    click.option(
        "--max-bytes",
        metavar="N",
        type=click.IntRange(min=1),
        help="The most that a CSV file may have, unpacked; by default a packed one has up to 1 GB or 100 × its size.",
    ),
    click.option("--sheet", metavar="NAME", help="Of a workbook (.xlsx, .xls, .ods), by its name or number."),
    click.option(
        "--header-row",
        metavar="ROW",
        callback=_header_row,
        help="The row that names the columns, such as 2; or several, such as 2-3, whose names are joined.  [default: "
        "the first that holds anything]",
    ),
    click.option("--fill-down", is_flag=True, help="Give merged cells of a workbook all the value that they show."),
)

# How to read a table of known cases.
table = several(
    click.option("--target", "-t", metavar="COL", help="The column that says what each case is."),
    click.option(
        "--prices",
        metavar="FILE",
        type=FILE,
        help="A price list in TOML, or a table with the columns test and price (CSV, Excel); without one every "
        "test costs 1.",
    ),
    click.option(
        "--limit",
        "limits",
        metavar="RESOURCE=MAX",
        multiple=True,
        callback=_limits,
        help="No case takes more of this than MAX: a resource of the price list, such as time=60, or tests=5. May be "
        "repeated.",
    ),
    click.option("--default-price", metavar="P", type=AMOUNT, help="What a test costs that is not in the price list."),
    click.option(
        "--losses",
        metavar="FILE",
        type=FILE,
        help="What wrong answers cost, in TOML, and answers that are not classes; may stand in the price list.",
    ),
    labels,
    click.option(
        "--levels",
        metavar="N",
        multiple=True,
        callback=_levels,
        help="Cut a column of numbers with more different values into N levels; COL=N for one column. May be "
        "repeated, or in one: 3,Ca=4.  [default: 10]",
    ),
    click.option(
        "--binning",
        type=click.Choice(["quantile", "uniform"]),
        default="quantile",
        help="quantile: levels with about as many cases each. uniform: evenly spaced ones, as in the paper.",
    ),
    click.option(
        "--blanks",
        metavar="HOW",
        multiple=True,
        callback=_blanks,
        help="What an empty cell is: result (one like any other) or unknown (not known: no branch on it); COL=HOW for "
        "one column. May be repeated.  [default: unknown for new cases, result for known ones]",
    ),
    click.option(
        "--categories",
        metavar="COL,…",
        multiple=True,
        callback=lambda _context, _parameter, given: [name for text in given for name in text.split(",")],
        help="Columns whose numbers are codes, such as chestpain,thal: each is a category. May be repeated.",
    ),
    click.option("--drop", metavar="COL", multiple=True, help="Leave out a column. May be repeated."),
    reading,
    click.option(
        "--duplicates",
        type=click.Choice(["keep", "merge"]),
        default="keep",
        help="keep: every row counts. merge: identical rows are one case with the most common class, as in the paper.",
    ),
)

budgets = click.option(
    "--budgets",
    metavar="B,B,…",
    callback=_budgets,
    help="Only these budgets, such as 20,110,200: a line for each, also where two buy the same tree.",
)

# Where cases are counted.
engine = several(
    click.option(
        "--engine",
        type=click.Choice(["memory", "dask"]),
        default="memory",
        help="dask: files of any size, on a cluster; one tree, or with --method greedy the best of many.",
    ),
    click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Of a Dask cluster, such as tcp://10.0.0.1:8786; without it one is started on this machine.",
    ),
)

# How to search for trees.
search = several(
    click.option(
        "--method",
        type=click.Choice(["auto", "exact", "greedy"]),
        default="auto",
        help="exact: proven to be best. greedy: at once, on millions of cases. auto: exact for some seconds.",
    ),
    click.option(
        "--time-limit",
        metavar="S",
        type=AMOUNT,
        help="Stop after S seconds, reading included, with the best so far (inf: never); by default work is counted, "
        "not time.",
    ),
    click.option(
        "--min-cases",
        metavar="N",
        type=click.IntRange(min=1),
        default=1,
        help="Every outcome has so many known cases, also where several share a leaf (with --objective known).",
    ),
)

# What is known about new cases, and whether they or the known ones are what the tree is for.
new_cases = several(
    click.option(
        "--objective",
        type=click.Choice(["auto", "new", "known"]),
        default="auto",
        help="new: the lowest error on cases not in the table. known: the fewest errors on those in it. auto: "
        "known where most classes have fewer than three rows, or an option is only about known cases; else new.",
    ),
    click.option(
        "--folds",
        metavar="N",
        type=int,
        default=5,
        help="Estimate the error on new cases by holding out the rows in N parts; 0 leaves it out.",
    ),
    click.option(
        "--groups",
        metavar="COL",
        help="Rows with the same value here belong together (a patient's); the column is not a test.",
    ),
    click.option(
        "--leaves",
        type=click.Choice(["auto", "tree", "points", "model"]),
        default="auto",
        help="With --objective new: a plain tree, points that are added up (two classes), or a model of all that "
        "was paid; auto: the simplest that is good enough.",
    ),
    click.option(
        "--confidence",
        metavar="P",
        type=click.FloatRange(0, 1, min_open=True),
        help="With --objective new: a case stops where a class has this probability; by default where going on "
        "would hardly change its answer.",
    ),
)
