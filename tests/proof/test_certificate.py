"""A certificate as a file and as text: what is no certificate is refused in words, and no property crashes."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import budgetree as bt
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
    with pytest.raises(ValueError, match=r"pass it to check\(\)"):
        again.check()
    other = again.check(bt.datasets.load("house_votes", prices=2))
    assert any(problem.startswith("instance: ") for problem in other.problems)
    for content in ("{", "[]", '{"format": 1}'):
        (tmp_path / "broken.json").write_text(content)
        with pytest.raises(bt.CertificateError, match="not a certificate"):
            bt.Certificate.from_json(tmp_path / "broken.json")


def read(document: Any, folder: Path) -> bt.Certificate:
    path = folder / "certificate.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return bt.Certificate.from_json(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(version=4), "version 4 was written by a later budgetree"),
        (lambda d: d.pop("seal"), "'seal' is missing"),
        (lambda d: d.pop("known_max_cost"), "known_max_cost"),
        (lambda d: d.update(ratio="1/0"), "ratio is '1/0'; expected an exact number as text"),
        (lambda d: d.update(max_cost=7), "max_cost is 7; expected string"),
        (lambda d: d.update(errors="9" * 200), "999… is beyond 1e100"),
        (lambda d: d.update(winner=17), "winner is 17; expected null, or a position in the list of 3 bounds"),
        (lambda d: d.update(bounds=[{}]), r"bounds\[0\]: 'kind' is missing"),
        (lambda d: d.update(guarantee={"factor": 1}), "guarantee: 'impurity' is missing"),
        (lambda d: d.update(error_bounds=None), "error_bounds is None; expected array"),
    ],
)
def test_what_is_malformed_is_named(
    certificate: bt.Certificate, change: Callable[[dict[str, Any]], Any], message: str, tmp_path: Path
) -> None:
    document = copy.deepcopy(dict(certificate.document))
    change(document)
    with pytest.raises(bt.CertificateError, match=message):
        read(document, tmp_path)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"format": NaN}', "", "\x00"])
def test_what_is_no_json_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(bt.CertificateError, match="this is not a certificate"):
        read(text, tmp_path)


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


def test_a_certificate_of_version_1_does_not_say_what_no_case_exceeds(
    certificate: bt.Certificate, tmp_path: Path
) -> None:
    old = dict(certificate.document) | {"version": 1, "max_cost": certificate.document["known_max_cost"]}
    del old["known_max_cost"]
    found = read(old | {"seal": seal(old)}, tmp_path)
    assert (found.max_cost, found.known_max_cost) == (None, certificate.known_max_cost)
    assert repr(found).startswith("Certificate(worst case of known cases 7, at least ")
    votes = bt.datasets.load("house_votes")
    assert found.check(votes).ok
    assert found.contradiction(bt.grow(votes)) is None


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
