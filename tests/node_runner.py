"""Node, started once: it is given scripts and rows, and says what the scripts' function returns for each row."""

from __future__ import annotations

import atexit
import json
import math
import shutil
import subprocess
from datetime import date, time
from functools import cache
from typing import Any

import numpy as np
import pytest

import budgetree as bt

DRIVER = """
const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { source, rows } = JSON.parse(line);
  const predict = new Function(`"use strict";\\n${source}\\nreturn predict;`)();
  const found = rows.map((row) => {
    try { return predict(row); } catch (error) { return `${error.name}: ${error.message}`; }
  });
  process.stdout.write(JSON.stringify(found) + "\\n");
});
"""


def by_node(tree: bt.Tree, rows: list[dict[str, Any]]) -> list[Any]:
    """What the exported function returns for each row, or the message of what it throws."""
    process = _node()
    assert process.stdin is not None
    assert process.stdout is not None
    plain = [{name: _plain(value) for name, value in row.items()} for row in rows]
    json.dump({"source": tree.export("javascript", module=False), "rows": plain}, process.stdin)
    process.stdin.write("\n")
    process.stdin.flush()
    found: list[Any] = json.loads(process.stdout.readline())
    return found


@cache
def _node() -> subprocess.Popen[str]:
    path = shutil.which("node")
    if path is None:
        pytest.skip("there is no node")
    process = subprocess.Popen([path, "-e", DRIVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.kill)
    return process


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (date, time)):
        return value.isoformat()
    return None if isinstance(value, float) and math.isnan(value) else value
