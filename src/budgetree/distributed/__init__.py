"""Cases in partitions: coded, moved and counted where they are, in files of this machine or on a Dask cluster."""

from budgetree.distributed.cases import AnyCases, DistributedCases

__all__ = ["AnyCases", "DistributedCases"]
