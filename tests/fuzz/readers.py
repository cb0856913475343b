"""Models, certificates, settings, price lists, losses, shards: read, and then used for all that they are for."""

from __future__ import annotations

import warnings
import zlib
from contextlib import suppress
from pathlib import Path
from random import Random

import numpy as np

import budgetree as bt
from budgetree.problem.settings_file import read_settings
from budgetree.proof.check import seal
from budgetree.report import render_page, summarise_tree
from budgetree.show.export import FORMATS

from . import examples
from .contract import REFUSALS, Target, ViolationError
from .mutations import changed, damaged, to_json, to_toml
from .odd_values import odd_number, odd_text

FILE, TABLE, SHARDS = Path("input"), Path("prices.csv"), Path("shards")  # in the working folder
SHOWN = (
    *FORMATS,
    "summary",
    "to_dict",
    "_repr_html_",
    "__repr__",
    "page",
)
# Statements that are true and stand there twice, or not at all, are as good for the check, and none of the report's.
FINE = (None, "its bounds on the share of errors are not those of this tree")


def draw_model(rng: Random) -> bytes:
    return to_json(rng, changed(rng, examples.load(rng.choice(examples.models()))))


def read_model(data: bytes) -> bool:
    """What can be read can be shown, asked, and written so that it can be read again."""
    FILE.write_bytes(data)
    tree = bt.Tree.from_json(FILE)
    tree.to_json(FILE)
    if bt.Tree.from_json(FILE) != tree:
        raise ViolationError("a model that was written is another one when it is read")
    for name in Random(zlib.crc32(data)).sample(SHOWN, 3):  # all of them would take as long as ten other inputs
        try:
            if name == "page":
                render_page(summarise_tree(tree, title="fuzz"))
            else:
                tree.export(name) if name in FORMATS else getattr(tree, name)()
        except REFUSALS as error:
            if "depth" not in str(error) and "deep" not in str(error):  # some languages have no deep trees
                raise
    codes = np.array([[0] * len(tree.test_names), [count - 1 for count in tree.schema.n_outcomes]])
    tree.predict_codes(codes)
    if not np.isfinite(tree.walk_codes(codes).probabilities).all():
        raise ViolationError("a probability is not a number")
    if tree.walk_codes(codes).cost.max() > tree.max_cost * (1 + 1e-12):
        raise ViolationError(f"a case costs {tree.walk_codes(codes).cost.max()}, beyond the worst case {tree.max_cost}")
    rng = Random(zlib.crc32(data))
    case, charged = bt.Consultation(tree), bt.Consultation(tree, charge_unavailable=True)
    while not case.done:
        is_there = rng.random() < 0.5 and case.outcomes
        case.answer(rng.choice(case.outcomes), insist=True) if is_there else case.unavailable()
    while not charged.done:
        charged.unavailable()
    for each in (case, charged):
        if each.spent > tree.max_cost * (1 + 1e-9):
            raise ViolationError(f"a consultation costs {each.spent}, beyond the worst case {tree.max_cost}")
        if not 0.999 < sum(each.distribution.values()) < 1.001:
            raise ViolationError(f"probabilities add up to {sum(each.distribution.values())}")
    str(tree.statement)
    return True


def draw_certificate(rng: Random) -> bytes:
    text, _, _ = rng.choice(examples.certificates())
    document = changed(rng, examples.load(text))
    if rng.random() < 0.6 and isinstance(document, dict):
        with suppress(Exception):
            document["seal"] = seal(document)  # by an attacker who knows how
    return to_json(rng, document)


def read_certificate(data: bytes) -> bool:
    FILE.write_bytes(data)
    certificate = bt.Certificate.from_json(FILE)
    for name in ("max_cost", "known_max_cost", "errors", "loss", "lower_bound", "ratio", "reason", "witness", "bounds"):
        getattr(certificate, name)
    for name in ("guarantee", "error_bounds", "not_applicable", "rounded"):
        getattr(certificate, name)
    certificate.to_text()
    repr(certificate)
    accepted = False
    for text, tree, cases in examples.certificates():
        why = certificate.contradiction(tree)
        report = certificate.check(cases, time_limit=0.2)
        str(report)
        is_verified = report.ok and not report.unverified
        if is_verified and certificate.document["tree"] == examples.load(text)["tree"] and why not in FINE:
            raise ViolationError(f"check holds what the report refuses: {why}")
        accepted |= report.ok
    summarise_tree(examples.certificates()[0][1], title="fuzz", certificate=certificate)
    certificate.to_json(FILE)
    bt.Certificate.from_json(FILE)
    return accepted


def draw_settings(rng: Random) -> bytes:
    """Prices, often with rules; sometimes whatever else a settings file may say."""
    document = dict(examples.PRICES)
    document |= {name: rule for name, rule in examples.RULES.items() if rng.random() < 0.4}
    if "panels" in document:
        document["shared"] = {}
    others = examples.LOSSES | {"labels": examples.LABELS, "order_of": examples.ORDERS}
    return to_toml(rng, changed(rng, document | {name: of for name, of in others.items() if rng.random() < 0.2}))


def read_all_settings(data: bytes) -> bool:
    """Settings that are read, and fit the tests, price a tree that can be saved and keeps to them."""
    FILE.write_bytes(data)
    settings = read_settings(FILE)
    repr(settings)
    prices = bt.Prices.from_toml(FILE)
    cases = examples.instance().priced(prices)
    if settings.losses is not None:
        cases = cases.with_losses(settings.losses)
    if settings.labels is not None:
        cases = cases.with_labels(settings.labels)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "prices: no path can buy")
        tree = bt.grow(cases, budget=30)
    for name, cost in tree.costs.items():
        if cost.limit is not None and cost.worst > cost.limit * (1 + 1e-12):
            raise ViolationError(f"{name}: {cost.worst} exceeds the limit {cost.limit}")
    _saved(tree)
    return True


def draw_price_table(rng: Random) -> bytes:
    """A price list as a spreadsheet has it."""
    mark, price = rng.choice(((",", "12.50"), (";", "12,50"), ("\t", "3.5")))
    rows = [["test", "price"], *([name, rng.choice(("2", price))] for name in examples.HEADER[:-1])]
    for _ in range(rng.randrange(3)):
        row = rows[rng.randrange(len(rows))]
        row[rng.randrange(2)] = rng.choice((odd_text(rng), odd_number(rng), "1,136", "4.500", "€ 3"))
    cells = ([f'"{cell}"' if mark in cell else cell for cell in row] for row in rows)
    return damaged(rng, "\n".join(map(mark.join, cells)).encode("utf-8", "surrogatepass"))


def read_price_table(data: bytes) -> bool:
    TABLE.write_bytes(data)
    prices = read_settings(TABLE).prices
    assert prices is not None
    _saved(bt.grow(examples.instance().priced(prices), budget=30))
    return True


def draw_shards(rng: Random) -> bytes:
    """A folder of shards with a file that was changed: its name in the first line."""
    files = examples.shards()
    name = rng.choice(sorted(files))
    if name.endswith(".json"):
        content = to_json(rng, changed(rng, examples.load(files[name].decode())))
    else:
        content = damaged(rng, damaged(rng, files[name]))
    return name.encode() + b"\n" + content


def read_shards(data: bytes) -> bool:
    name, _, content = data.partition(b"\n")
    for other, whole in examples.shards().items():
        (SHARDS / other).write_bytes(content if other == name.decode() else whole)
    shards = bt.Shards(SHARDS)
    _saved(bt.grow(shards, budget=10))
    _saved(bt.fit(shards, budget=3, objective="new", leaves="tree", folds=0, progress=False).tree)
    return True


def draw_losses(rng: Random) -> bytes:
    return to_toml(rng, changed(rng, examples.LOSSES | ({"default": 1} if rng.random() < 0.2 else {})))


def read_losses(data: bytes) -> bool:
    FILE.write_bytes(data)
    losses = bt.Losses.from_toml(FILE)
    repr(losses)
    tree = bt.grow(examples.instance().with_losses(losses), budget=30)
    _saved(tree)
    return True


def _saved(tree: bt.Tree) -> None:
    tree.to_text()
    tree.to_json(FILE)
    if bt.Tree.from_json(FILE) != tree:
        raise ViolationError("a model that was written is another one when it is read")


TARGETS = (
    Target("models", ".json", draw_model, read_model, cost=2),
    Target("certificates", ".json", draw_certificate, read_certificate, cost=2),
    Target("settings", ".toml", draw_settings, read_all_settings),
    Target("price-tables", ".csv", draw_price_table, read_price_table),
    Target("shards", ".bin", draw_shards, read_shards, cost=8),
    Target("losses", ".toml", draw_losses, read_losses),
)
