"""The report page's scripts in a node process that reads a line and answers with one (page_process.mjs)."""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

HAS_NODE = shutil.which("node") is not None
needs_node = pytest.mark.skipif(not HAS_NODE, reason="node is not installed; it runs the page's scripts")


class Page:
    """Asked by requests that the script's first lines list."""

    def __init__(self) -> None:
        script = Path(__file__).with_suffix(".mjs")
        self._process = subprocess.Popen(["node", str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        atexit.register(self._process.kill)

    def ask(self, request: Any) -> dict[str, Any]:
        """The script's answer; RuntimeError with what it threw."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        if "thrown" in answer:
            raise RuntimeError(answer["thrown"])
        return answer


@cache
def the_page() -> Page:
    """One process for all that only ask."""
    return Page()
