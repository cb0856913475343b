"""All that reads what others wrote."""

from __future__ import annotations

from . import commands, page, readers
from .contract import Target

TARGETS: dict[str, Target] = {target.name: target for target in (*readers.TARGETS, *commands.TARGETS, *page.TARGETS)}
