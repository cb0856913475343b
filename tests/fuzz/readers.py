"""Models, certificates, price lists and losses files: read, and whatever is read is then used for all it is for."""

from __future__ import annotations

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
from .mutations import changed, to_json, to_toml

FILE = Path("input")  # in the working folder
SHOWN = (
    "text",
    "rules",
    "dot",
    "python",
    "sql",
    "svg",
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
    case = bt.Consultation(tree)
    while not case.done:
        case.unavailable()
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


def draw_prices(rng: Random) -> bytes:
    return to_toml(rng, changed(rng, examples.PRICES | (examples.LOSSES if rng.random() < 0.2 else {})))


def read_prices(data: bytes) -> bool:
    """A price list that is read, and fits the tests, prices a tree that can be saved."""
    FILE.write_bytes(data)
    settings = read_settings(FILE)
    repr(settings)
    prices = bt.Prices.from_toml(FILE)
    tree = bt.grow(examples.instance().priced(prices), budget=30)
    _saved(tree)
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
    Target("prices", ".toml", draw_prices, read_prices),
    Target("losses", ".toml", draw_losses, read_losses),
)
