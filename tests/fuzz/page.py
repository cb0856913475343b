"""Answers typed into the report page: its scripts under node, beside what the model says of the same number."""

from __future__ import annotations

import json
import math
from functools import cache
from random import Random
from typing import Any

import numpy as np

from budgetree.data.column import Column
from budgetree.report import summarise_tree
from page_process import HAS_NODE, Page

from . import examples
from .contract import Target, ViolationError, allowing
from .odd_values import odd_number, odd_text


@cache
def page() -> Page:
    with allowing("subprocess.Popen", "os.posix_spawn", "os.fork"):
        made = Page()
    made.ask({"contents": [summarise_tree(tree, title="fuzz") for tree in examples.trees()]})
    return made


def draw_typed(rng: Random) -> bytes:
    usual = ("45", " 61.5 ", "1.2", "0", "-3", "+.5", "1e3", "61,5", "1e309", "٣")
    texts: list[Any] = []
    for _ in range(rng.randrange(10)):
        kind = rng.random()
        odd = odd_text(rng) if kind < 0.3 else odd_number(rng) if kind < 0.4 else rng.choice(usual)
        texts.append(odd if kind < 0.7 else None if kind < 0.75 else rng.randrange(12))
    return json.dumps({"tree": rng.randrange(len(examples.trees())), "texts": texts}).encode()


def type_answers(data: bytes) -> bool:
    """No error is thrown; a number that the page takes is of the level that the model gives it."""
    request = json.loads(data)
    tree = examples.trees()[request["tree"]]
    state = page().ask(request)
    for said in state["said"]:
        if said["refused"]:
            if len(said["refused"]) < 12:
                raise ViolationError(f"{said['text']!r} is refused without words: {said['refused']!r}")
            continue
        assert tree.schema.encoders is not None
        encoder, number = (
            tree.schema.encoders[said["test"]],
            float(said["text"].strip("\ufeff \t\r\n\x0b\x0c\u00a0\u2028\u2029")),
        )
        column = Column(encoder.name, "number", numbers=np.array([number]))
        if not math.isfinite(number) or int(encoder.encode(column)[0]) != said["level"]:
            raise ViolationError(f"{said['text']!r} is level {said['level']} on the page, and another in the model")
    if not 0 <= state["spent"] <= float(tree.max_cost) * (1 + 1e-9):
        raise ViolationError(f"the page spends {state['spent']}, beyond {tree.max_cost}")
    return not any(said["refused"] for said in state["said"])


TARGETS = (Target("page", ".json", draw_typed, type_answers),) if HAS_NODE else ()
