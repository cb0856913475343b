"""Known cases on disk, in shards: for tables that do not fit into memory."""

from budgetree.shards.shards import Shards

__all__ = ["Shards"]
