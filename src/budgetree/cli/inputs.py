"""A command's request, and how its DATA becomes known cases with prices, losses and labels."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any

from budgetree import datasets
from budgetree.cli.output import warn
from budgetree.data.checks import Finding, class_findings, find_suspects
from budgetree.data.encoders import Binning, BlankPlan, LevelPlan
from budgetree.data.source import Reading, Source, TableSource, find_files, open_source
from budgetree.data.table import Table, known_cases
from budgetree.datasets import own_prices
from budgetree.distributed import AnyCases
from budgetree.errors import BudgetreeError, FileError, LabelsError, LossesError, PricesError, SettingError, Where
from budgetree.learn.settings import FitRequest
from budgetree.messages import copies_sentence
from budgetree.problem import Instance, Labels, Losses, Prices
from budgetree.problem.instance import Duplicates
from budgetree.problem.prices import left_out_sentence
from budgetree.problem.settings_file import Settings, read_settings
from budgetree.services.files import check_place
from budgetree.services.words import listed, some_of
from budgetree.tree import Tree
from budgetree.tree.provenance import Objective

READING = frozenset(entry.name for entry in fields(Reading)) - {"drop", "limits"}


@dataclass(frozen=True, slots=True)
class Request:
    """What the options of `options.table` say."""

    data: str
    reading: Reading = field(default_factory=Reading)
    target: str | None = None
    prices: str | None = None
    default_price: float | None = None
    losses: str | None = None
    labels: str | None = None
    levels: LevelPlan = field(default_factory=LevelPlan)
    blanks: BlankPlan = field(default_factory=BlankPlan)
    binning: Binning = "quantile"
    categories: Sequence[str] = ()
    drop: Sequence[str] = ()
    limits: Mapping[str, float] = field(default_factory=dict)  # of resources, instead of those in the price list
    first: Sequence[str] = ()  # what every path begins with, instead of what the price list says
    without: Sequence[str] = ()
    duplicates: Duplicates = "keep"
    groups: str | None = None

    @classmethod
    def take(cls, data: str, options: dict[str, Any]) -> Request:
        """The request of a command's options; those that it does not know stay in the dict."""
        reading = Reading(**{name: options.pop(name) for name in READING & options.keys()})
        own = {entry.name for entry in fields(cls)} & options.keys()
        return cls(data, reading, **{name: options.pop(name) for name in own})

    @property
    def files(self) -> tuple[str | None, ...]:
        """The files to read."""
        return self.data, self.prices, self.losses, self.labels

    @property
    def no_tests(self) -> list[str]:
        """The columns to leave out."""
        left_out = [*self.drop, *self.without]
        return left_out if self.groups is None or self.groups in left_out else [*left_out, self.groups]

    def plan(self, given: Settings) -> LevelPlan:
        """How columns become outcomes."""
        return replace(
            self.levels, binning=self.binning, order_of=given.order_of, blanks=self.blanks, categories=self.categories
        )


def open_data(data: str, reading: Reading) -> Source:
    """A file of any kind, or a bundled data set; a file comes first if both have the name."""
    return TableSource(datasets.table(data)) if is_bundled(data) else open_source(data, reading)


def load(request: Request, asked: dict[str, Any]) -> tuple[Instance, dict[str, Any]]:
    """The known cases, with prices; and the same question with their groups and the time that is left of its limit."""
    start, limit = time.monotonic(), asked["time_limit"]
    table = open_data(request.data, request.reading).table()
    instance = instance_from(table, request)
    rows = table.without_empty_rows()
    if not is_bundled(request.data):
        warn_of(find_suspects(rows, request.target, request.no_tests), instance)
    if limit is not None and limit > 0:  # else it is refused by its name
        limit = max(0.0, limit - (time.monotonic() - start))
    groups = None if request.groups is None else rows.column(request.groups).to_list()
    return instance, asked | {"time_limit": limit, "groups": groups}


def warn_of_doubts(request: Request, wanted: FitRequest) -> None:
    """Warn if trees for new cases ignore an option, or if rows are copies."""
    defaults = Request(request.data)
    given = [name for name in ("levels", "binning") if getattr(request, name) != getattr(defaults, name)]
    if given and wanted.objective is Objective.NEW:
        names = " and ".join(f"--{name}" for name in given)
        why = "trees for new cases read numbers as they are"
        warn(f"{names}: no effect, as {why}; --objective known makes trees of levels.")
    if wanted.rows is not None and wanted.rows.n_copies and request.duplicates == "keep":
        warn(copies_sentence(wanted.rows.n_copies, wanted.rows.n_raw))


def warn_of(suspects: Iterable[Finding], cases: AnyCases) -> None:
    """Warn of doubtful columns and classes."""
    for finding in (*suspects, *class_findings(cases.schema.wording.classes, cases.has_one_row_per_class)):
        warn(str(finding))


def given_settings(request: Request) -> Settings:
    """What the price list holds; losses and labels from files of their own come first."""
    given = Settings()
    if request.prices is not None:
        given = read_settings(request.prices, request.reading)
        if given == Settings():  # an empty file is a list without a price, not a file about something else
            given = Settings(Prices({}))
    if is_bundled(request.data) and given.prices is None and request.default_price is None:
        given = replace(given, prices=own_prices(request.data, [*request.no_tests, request.target or ""]))
    if request.default_price is not None:
        prices = given.prices or Prices({})
        if prices.default is not None:
            message = "prices: the list has a default of its own; leave out --default-price."
            raise PricesError(message, subject="default", where=Where(str(request.prices)))
        given = replace(given, prices=prices.changed(default=request.default_price))
    if request.limits or request.first:
        prices = (given.prices or Prices(1)).limited(request.limits)
        given = replace(given, prices=prices.changed(first=request.first) if request.first else prices)
    losses = given.losses if request.losses is None else Losses.from_toml(request.losses)
    labels = given.labels if request.labels is None else Labels.from_toml(request.labels)
    given, needing = replace(given, losses=losses, labels=labels).leaving_out(request.no_tests)
    kept = () if given.prices is None else given.prices.first
    if gone := [name for name in request.first if name not in kept]:
        message = f"every path is to begin with {listed(gone)}, which {'is' if len(gone) == 1 else 'are'} left out"
        raise PricesError(f"{message}; change --first, or what is left out.", subject=gone[0])
    if needing:
        warn(left_out_sentence(needing))
    return given


def instance_from(table: Table, request: Request) -> Instance:
    """A table's rows as known cases, with prices."""
    given = given_settings(request)
    with located(request, table.source):
        target, plan = target_among(table.names, request), request.plan(given)
        cases = known_cases(table, target, given.left_out)
        read = Instance.from_table(
            cases, target, prices=given.prices, losses=given.losses, levels=plan, duplicates=request.duplicates
        )
        return read if given.labels is None else read.with_labels(given.labels)


@contextmanager
def located(request: Request, source: str) -> Iterator[None]:
    """Name the file that an error is about: of prices, of losses, of labels, or of the table."""
    files = {
        PricesError: request.prices,
        LossesError: request.losses or request.prices,
        LabelsError: request.labels or request.prices,
    }
    try:
        yield
    except (SettingError, FileError):
        raise  # it names the option or the file
    except BudgetreeError as error:
        file = next((file for kind, file in files.items() if isinstance(error, kind)), None)
        error.at(Where(file or source))
        raise


def check_outputs(outputs: Sequence[str | None], inputs: Sequence[str | None]) -> None:
    """An error if a file could not be written, or would replace what is read or another output."""
    taken = {os.path.realpath(file) for path in inputs if path is not None for file in _files_of(path)}
    for path in (path for path in outputs if path is not None):
        refused = partial(SettingError, subject="out", found=path, where=Where(path))
        if path == "-":
            raise refused("the output is a file, not the terminal; expected its name (./- for a file called -).")
        check_place(path)
        if os.path.realpath(path) in taken:
            raise refused("this file is in use by the same command; choose another name for the output.")
        taken.add(os.path.realpath(path))


def _files_of(path: str) -> list[str]:
    """The file, or those that a pattern names."""
    try:
        return find_files(path)
    except FileNotFoundError:  # reported when it is read
        return [path]


def target_among(names: Sequence[str], request: Request) -> str:
    """The target's name; by default that of a bundled data set, its last column."""
    if request.target is None and is_bundled(request.data):
        return names[-1]
    if request.target is None:
        message = f"missing --target: the column with the class of each case. There are: {some_of(names)}."
        raise SettingError(message, subject="target", where=Where(request.data))
    if request.target in request.drop:
        message = f"--drop {request.target}: that is the target; it cannot be left out."
        raise SettingError(message, subject="drop", found=request.target)
    return request.target


def is_bundled(data: str) -> bool:
    return data in datasets.names() and not os.path.exists(data)


def open_model(model: str, labels: str | None) -> Tree:
    """The tree of a model file; labels that are given now take the place of its own."""
    tree = Tree.from_json(model)
    with located(Request(model, labels=labels), model):
        return tree if labels is None else tree.with_labels(Labels.from_toml(labels))
