"""A certificate as a file and as text: what is not a certificate is refused in words, and no property crashes."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError
from budgetree.proof.certificate import Contradiction
from budgetree.proof.check import seal


@pytest.fixture(scope="module")
def certificate() -> bt.Certificate:
    votes = bt.datasets.load("house_votes")
    return bt.certify(votes, bt.grow(votes), time_limit=1)


def test_files_keep_everything(certificate: bt.Certificate, tmp_path: Path) -> None:
    instance = bt.datasets.load("house_votes")
    certificate.to_json(tmp_path / "certificate.json")
    again = bt.Certificate.from_json(tmp_path / "certificate.json")
    assert again.document == certificate.document
    assert again.check(instance).ok
    with refused(SettingError, subject="instance"):
        again.check()
    other = again.check(bt.datasets.load("house_votes", prices=2))
    assert any(problem.startswith("instance: ") for problem in other.problems)
    for content in ("{", "[]", '{"format": 1}'):
        (tmp_path / "broken.json").write_text(content)
        with refused(bt.CertificateError, source=str(tmp_path / "broken.json")):
            bt.Certificate.from_json(tmp_path / "broken.json")


def read(document: Any, folder: Path) -> bt.Certificate:
    path = folder / "certificate.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return bt.Certificate.from_json(path)


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        (lambda d: d.pop("version"), {"subject": "version"}),
        (lambda d: d.pop("seal"), {"subject": "seal"}),
        (lambda d: d.pop("known_max_cost"), {"subject": "known_max_cost"}),
        (lambda d: d.update(ratio="1/0"), {"entry": "ratio", "found": "1/0"}),
        (lambda d: d.update(max_cost=7), {"entry": "max_cost", "found": 7, "expected": "string"}),
        (lambda d: d.update(errors="9" * 200), {"entry": "errors", "found": "9" * 200, "expected": 10**100}),
        (lambda d: d.update(winner=0.0), {"entry": "winner", "found": 0.0, "expected": 3}),
        (lambda d: d.update(winner=17), {"entry": "winner", "found": 17, "expected": 3}),
        (lambda d: d.update(bounds=[{}]), {"entry": "bounds[0]", "subject": "kind"}),
        (lambda d: d.update(guarantee={"factor": 1}), {"entry": "guarantee", "subject": "impurity"}),
        (lambda d: d.update(error_bounds=None), {"entry": "error_bounds", "found": None, "expected": "array"}),
        (lambda d: d["error_bounds"][0].update(name="\x1b[2J"), {"entry": "error_bounds[0].name", "found": "\x1b[2J"}),
        (lambda d: d["guarantee"].update(factor=0.5), {"entry": "guarantee.factor", "found": 0.5, "expected": 1}),
        (lambda d: d["guarantee"].update(factor=1e300), {"entry": "guarantee.factor", "expected": 1000000}),
    ],
)
def test_what_is_malformed_is_named(
    certificate: bt.Certificate, change: Callable[[dict[str, Any]], Any], fields: dict[str, Any], tmp_path: Path
) -> None:
    document = copy.deepcopy(dict(certificate.document))
    change(document)
    with refused(bt.CertificateError, source=str(tmp_path / "certificate.json"), **fields) as caught:
        read(document, tmp_path)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"format": NaN}', "", "\x00"])
def test_what_is_no_json_is_refused(text: str, tmp_path: Path) -> None:
    with refused(bt.CertificateError, source=str(tmp_path / "certificate.json")):
        read(text, tmp_path)


@pytest.mark.parametrize("document", [None, [], "x", {}, {"format": "budgetree certificate"}, {"format": 1}])
def test_what_is_no_certificate_is_none_by_hand_either(document: Any) -> None:
    with refused(bt.CertificateError, where=None):
        bt.Certificate(document)


def nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


def test_what_is_nested_deeply_is_refused_wherever_it_stands(certificate: bt.Certificate, tmp_path: Path) -> None:
    deep = nested(100_000)
    for key in sorted({*certificate.document, "remark"} - {"format", "version"}):
        with refused(bt.CertificateError, expected="JSON"):
            bt.Certificate(dict(certificate.document) | {key: deep})
    bound = dict(certificate.document["bounds"][0]) | {"objects": deep}
    with refused(bt.CertificateError, expected="JSON"):
        bt.Certificate(dict(certificate.document) | {"bounds": [bound]})
    text = json.dumps(dict(certificate.document) | {"reason": "here"}).replace('"here"', "[" * 100_000 + "]" * 100_000)
    with refused(bt.CertificateError, expected="valid JSON"):
        read(text, tmp_path)


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), {1, 2}, object(), b"x"])
def test_what_is_no_json_by_hand_is_refused(certificate: bt.Certificate, odd: Any) -> None:
    for key in ("guarantee", "reason", "remark"):
        with refused(bt.CertificateError, expected="JSON"):
            bt.Certificate(dict(certificate.document) | {key: odd})


def test_a_factor_beyond_all_numbers_is_refused(certificate: bt.Certificate, tmp_path: Path) -> None:
    text = json.dumps(dict(certificate.document) | {"guarantee": None})
    huge = '{"impurity": {"name": "Pairs", "parameter": null}, "factor": 1e999}'
    with refused(bt.CertificateError, expected="JSON"):
        read(text.replace('"guarantee": null', f'"guarantee": {huge}'), tmp_path)


def resealed(certificate: bt.Certificate, **changes: Any) -> bt.Certificate:
    document = copy.deepcopy(dict(certificate.document)) | changes
    return bt.Certificate(document | {"seal": seal(document)})


def test_nothing_is_shown_that_the_tree_contradicts(certificate: bt.Certificate) -> None:
    """Without the known cases: what the tree alone can tell, however the document was sealed again."""
    tree = bt.grow(bt.datasets.load("house_votes"))
    assert certificate.contradiction(tree) is None
    bounds = [dict(bound) | {"value": "999"} for bound in certificate.document["bounds"]]
    error_bounds = [dict(entry) | {"bound": "0"} for entry in certificate.document["error_bounds"]]
    error_bounds[0]["refined"] = "1/7"
    for changes in (
        {"bounds": bounds},
        {"bounds": bounds, "lower_bound": "999"},
        {"lower_bound": "6"},
        {"max_cost": "2"},
        {"known_max_cost": "2"},
        {"errors": "1"},
        {"error_rate": "1/2"},
        {"error_bounds": error_bounds},
        {"ratio": "1"},
    ):
        assert resealed(certificate, **changes).contradiction(tree) is not None, changes


def test_a_reason_is_made_from_the_numbers_and_what_was_not_checked_is_the_issuers_word(
    certificate: bt.Certificate,
) -> None:
    forged = resealed(certificate, reason="no tree at all is cheaper")
    assert forged.reason == certificate.reason
    assert "no tree at all" not in forged.to_text()
    word = "all of this is the issuer's word until check() verifies it against the known cases"
    assert forged.to_text().splitlines()[-1] == word
    assert word not in certificate.to_text(), "it was just made from the known cases"
    assert repr(forged) == repr(certificate)[:-1] + "; not checked here)"
    report = forged.check(bt.datasets.load("house_votes"))
    assert report.ok
    assert any("'no tree at all is cheaper' is the issuer's word" in text for text in report.unverified)


def test_what_losses_leave_out_is_said_in_our_words_alone(tmp_path: Path) -> None:
    votes = bt.datasets.load("house_votes").with_losses({"republican": 3})
    tree = bt.grow(votes)
    certificate = bt.certify(votes, tree, time_limit=1)
    assert certificate.contradiction(tree) is None
    forged = resealed(certificate, not_applicable={"guarantee": "budgetree vouches for this \x1b[2J"})
    assert "vouches" not in forged.to_text() + repr(forged.not_applicable)
    assert forged.not_applicable == certificate.not_applicable
    assert forged.contradiction(tree) is Contradiction.LOSSES
    losses = certificate.document["losses"] | {"matrix": [["0", "9"], ["9", "0"]]}
    assert resealed(certificate, losses=losses).contradiction(tree) is Contradiction.LOSSES
    plain = bt.certify(bt.datasets.load("house_votes"), other := bt.grow(bt.datasets.load("house_votes")), time_limit=1)
    remark = resealed(plain, not_applicable={"guarantee": "budgetree vouches for this"})
    assert "vouches" not in remark.to_text()
    assert remark.contradiction(other) is not None


def test_a_guarantee_forged_onto_another_tree_does_not_hold(certificate: bt.Certificate) -> None:
    votes = bt.datasets.load("house_votes")
    other = bt.certify(votes, bt.optimal(votes, budget=7).tree, time_limit=1)
    assert other.guarantee is None
    report = resealed(other, guarantee=certificate.document["guarantee"]).check(votes, time_limit=3)
    assert any(problem.startswith("guarantee: the tree is not one that Pairs grows") for problem in report.problems)


@pytest.mark.parametrize("time_limit", [float("nan"), -1, "1", True])
def test_a_time_limit_must_be_one(certificate: bt.Certificate, time_limit: Any) -> None:
    votes = bt.datasets.load("house_votes")
    for call in (partial(certificate.check, votes), partial(bt.certify, votes, bt.grow(votes))):
        with refused(SettingError, subject="time_limit") as caught:
            call(time_limit=time_limit)
        assert caught.value.found is time_limit


def test_what_is_read_can_be_shown_whatever_it_holds(certificate: bt.Certificate, tmp_path: Path) -> None:
    """Either it is refused, or none of its properties raises."""
    rng = random.Random(2)
    odd = [None, True, -1, 10**30, 1.5, "", "1/0", "-3", "1e9", [], {}, [[]], {"0": {}}, "9" * 5000, "9" * 300]
    shown = 0
    for _ in range(300):
        document = copy.deepcopy(dict(certificate.document))
        at: Any = document
        for _ in range(rng.randrange(1, 5)):
            key = rng.choice(list(at) if isinstance(at, dict) else list(range(len(at))))
            if not isinstance(at[key], (dict, list)) or not at[key] or rng.random() < 0.3:
                at[key] = rng.choice(odd)
                break
            at = at[key]
        try:
            found = read(document, tmp_path)
        except bt.CertificateError:
            continue
        shown += 1
        properties = (found.max_cost, found.known_max_cost, found.ratio, found.witness, found.bounds, found.guarantee)
        assert all(text for text in (found.to_text(), repr(found), repr(properties)))
    assert 0 < shown < 300


@pytest.mark.parametrize("version", [0, 2, 3, 1.5, "1", None, True])
def test_another_version_is_refused(certificate: bt.Certificate, version: Any, tmp_path: Path) -> None:
    with refused(
        bt.CertificateError, subject="version", found=version, expected=1, source=str(tmp_path / "certificate.json")
    ):
        read(dict(certificate.document) | {"version": version}, tmp_path)


def test_both_costs_are_said_where_they_differ() -> None:
    prices = {"a": 2, "b": {"0": 5, "1": 1, "2": 7}}
    instance = bt.Instance([[0, 0], [0, 1], [1, 2]], ["x", "y", "y"], prices=prices, test_names=["a", "b"])
    certificate = bt.certify(instance, bt.grow(instance, bt.HingedPairs(0)))
    assert (certificate.max_cost, certificate.known_max_cost) == (9, 7)
    assert certificate.to_text().splitlines()[0] == "worst case 9 (known cases at most 7), 0 errors"
    assert "costs a known case less than" in certificate.reason
    assert certificate.check().ok


def test_the_text_says_what_is_proven_and_why(certificate: bt.Certificate) -> None:
    text = certificate.to_text().splitlines()
    assert text[0] == "worst case 7, 0 errors"
    assert text[1].startswith("no tree with no errors costs less than 5: ")
    assert text[2].startswith("the paper's guarantee beforehand: within ")
    assert "HingedPairs(0): at most 0.0% wrong" in text[3]
