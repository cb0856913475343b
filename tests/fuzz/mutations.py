"""Valid documents, a little wrong: types swapped, keys lost or doubled, deep nesting, numbers beyond all bounds."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

from .odd_values import CONSTANTS, ODD_TEXTS, odd_number, odd_plain, odd_text

Place = tuple[Any, Any]  # a dict or list, and a key or position in it
MARK = "\u2063literal:"  # stands before a literal that JSON's own writer would not write
DEPTHS = (3, 60, 900, 1100, 20_000, 100_000)
MAX_CHANGES = 4


def changed(rng: Random, document: Any, least: int = 0) -> Any:
    """A copy with a few changes of its structure."""
    document = copy.deepcopy(document)
    for _ in range(rng.randint(least, MAX_CHANGES)):
        places = list(_places(document))
        if not places:
            break
        rng.choice(CHANGES)(rng, places)
    return document


def to_json(rng: Random, document: Any) -> bytes:
    """Its text, which may have literals that no JSON has, a key twice, or an end too early."""
    text = json.dumps(document, ensure_ascii=rng.random() < 0.5)
    text = _with_literals(text)
    if rng.random() < 0.05 and (found := list(re.finditer(r'"\w+": ?[\w".-]+', text))):
        pair = rng.choice(found)
        text = f"{text[: pair.end()]}, {pair.group()}{text[pair.end() :]}"
    return damaged(rng, text.encode("utf-8", "surrogatepass"))


def to_toml(rng: Random, document: dict[str, Any]) -> bytes:
    """The same in TOML: every value inline, so that any structure has a text."""
    lines = [f"{_toml_key(rng, key)} = {_toml(rng, value)}" for key, value in document.items()]
    if rng.random() < 0.05 and lines:
        lines.append(rng.choice(lines))
    return damaged(rng, _with_literals("\n".join(lines)).encode("utf-8", "surrogatepass"))


def damaged(rng: Random, data: bytes) -> bytes:
    """Mostly as it is; else bytes flipped, cut out, doubled, inserted, or none of them left."""
    if rng.random() < 0.75 or not data:
        return data
    at, size = rng.randrange(len(data)), rng.choice((1, 1, 4, 40, 400))
    match rng.randrange(8):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + data[at + size :]
        case 2:
            return data[:at] + data[at : at + size] * rng.choice((2, 50)) + data[at:]
        case 3:
            return data[:at] + rng.randbytes(size) + data[at + size :]
        case 4:
            return data[:at] + rng.choice(ODD_TEXTS).encode("utf-8", "surrogatepass") + data[at:]
        case 5:
            return rng.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00", b"\n")) + data
        case 6:
            flipped = bytearray(data)
            for _ in range(rng.randint(1, 8)):
                flipped[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            return bytes(flipped)
        case _:
            return rng.randbytes(rng.randrange(200))


def _places(document: Any) -> list[Place]:
    found: list[Place] = []
    waiting = [document]
    while waiting:
        at = waiting.pop()
        keys = list(at) if isinstance(at, dict) else range(len(at)) if isinstance(at, list) else ()
        for key in keys:
            found.append((at, key))
            waiting.append(at[key])
    return found


def _replace(rng: Random, places: list[Place]) -> None:
    at, key = rng.choice(places)
    at[key] = odd_plain(rng)


def _literal(rng: Random, places: list[Place]) -> None:
    """Where a number stood, if there is one."""
    numbers = [(at, key) for at, key in places if isinstance(at[key], (int, float)) and not isinstance(at[key], bool)]
    at, key = rng.choice(numbers or places)
    at[key] = MARK + (odd_number(rng) if rng.random() < 0.8 else rng.choice(CONSTANTS))


def _near(rng: Random, places: list[Place]) -> None:
    """A number that could be right."""
    numbers = [(at, key) for at, key in places if type(at[key]) in (int, float)]
    if numbers:
        at, key = rng.choice(numbers)
        at[key] = rng.choice((at[key] + 1, at[key] - 1, -at[key], at[key] * 2, at[key] * 10**6, at[key] / 3))


def _text(rng: Random, places: list[Place]) -> None:
    texts = [(at, key) for at, key in places if isinstance(at[key], str)]
    at, key = rng.choice(texts or places)
    at[key] = odd_number(rng) if rng.random() < 0.3 else odd_text(rng)


def _delete(rng: Random, places: list[Place]) -> None:
    at, key = rng.choice(places)
    del at[key]


def _rename(rng: Random, places: list[Place]) -> None:
    keys = [(at, key) for at, key in places if isinstance(at, dict)]
    if keys:
        at, key = rng.choice(keys)
        at[odd_text(rng)] = at.pop(key)


def _swap(rng: Random, places: list[Place]) -> None:
    (at, key), (other, other_key) = rng.choice(places), rng.choice(places)
    at[key], other[other_key] = copy.deepcopy(other[other_key]), copy.deepcopy(at[key])


def _repeat(rng: Random, places: list[Place]) -> None:
    lists = [(at, key) for at, key in places if isinstance(at, list)]
    if lists:
        at, key = rng.choice(lists)
        at[key:key] = [at[key]] * rng.choice((1, 1, 2, 300))


def _nest(rng: Random, places: list[Place]) -> None:
    at, key = rng.choice(places)
    depth = rng.choice(DEPTHS)
    opened, closed = rng.choice((("[", "]"), ('{"a":', "}")))
    at[key] = MARK + opened * depth + "1" + closed * depth


CHANGES: tuple[Callable[[Random, list[Place]], None], ...] = (
    _replace, _replace, _literal, _literal, _literal, _near, _near, _text, _text, _delete, _rename, _swap, _swap,
    _repeat, _nest,
)  # fmt: skip


def _with_literals(text: str) -> str:
    for mark in (MARK, json.dumps(MARK)[1:-1]):
        if mark not in text:
            continue
        text = re.sub(rf'"{re.escape(mark)}((?:[^"\\]|\\.)*)"', lambda found: _unescaped(found.group(1)), text)
    return text


def _unescaped(inner: str) -> str:
    return inner.replace('\\"', '"')


def _toml_key(rng: Random, key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) and rng.random() < 0.7 else json.dumps(key, ensure_ascii=False)


def _toml(rng: Random, value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml_key(rng, key)} = {_toml(rng, inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(rng, inner) for inner in value) + "]"
    if value is None:
        return "null"
    return json.dumps(value, ensure_ascii=False)
