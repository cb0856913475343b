"""The native core (core/bindings/): what it offers to Python. tests/core/test_names.py compares the two."""

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Int64 = NDArray[np.int64]
Int32 = NDArray[np.int32]
Int16 = NDArray[np.int16]
UInt8 = NDArray[np.uint8]
UInt32 = NDArray[np.uint32]
UInt64 = NDArray[np.uint64]
Float64 = NDArray[np.float64]
Float32 = NDArray[np.float32]
Bool = NDArray[np.bool_]

__version__: str
parts: ModuleType  # components by themselves, for tests

def processor() -> str: ...

class Clock:
    def __init__(
        self,
        seconds: float | None = None,
        tick: Callable[[int, int], object] | None = None,
        max_work: int | None = None,
    ) -> None: ...
    work: int
    def stop(self) -> None: ...
    is_stopped: bool
    was_interrupted: bool

class PathState:
    def __init__(self, spent: Sequence[int] = ..., flags: int = 0) -> None: ...
    spent: list[int]
    flags: int

class CostModel:
    def __init__(
        self, amounts: Int64, flag_amounts: Int64, pays: UInt64, needs: UInt64, sets: UInt64, limits: Int64
    ) -> None: ...
    def price(self, amounts: Sequence[int]) -> int: ...
    def charge(self, state: PathState, test: int, outcome: int) -> list[int]: ...
    def most(self, state: PathState, test: int) -> list[int]: ...
    def may_buy(self, state: PathState, test: int, limits: Sequence[int]) -> bool: ...
    def after(self, state: PathState, test: int, outcome: int) -> PathState: ...
    @staticmethod
    def dominates(better: PathState, worse: PathState) -> bool: ...

class LeafPolicy:
    def __init__(self, losses: Int64 | None, n_classes: int, min_cases: int = 1) -> None: ...

class Cases:
    def __init__(
        self,
        codes: UInt8,
        labels: Int32,
        weights: Int64 | None,
        n_outcomes: Int32,
        n_classes: int,
        codes_are_checked: bool = False,
    ) -> None: ...

class PackedTable:
    def __new__(cls, cases: Cases, clock: Clock) -> PackedTable: ...
    n_rows: int
    total_weight: int

class IntegerImpurity:
    @staticmethod
    def powers(power: int, n_classes: int) -> IntegerImpurity: ...
    @staticmethod
    def hinge(q: bytes, p: bytes, subtracts_square: bool, n_classes: int) -> IntegerImpurity: ...
    @staticmethod
    def polynomial(
        coefficients: Sequence[bytes], exponents: Sequence[Sequence[int]], n_classes: int
    ) -> IntegerImpurity: ...
    @staticmethod
    def gini(n_classes: int) -> IntegerImpurity: ...
    @staticmethod
    def entropy(n_classes: int) -> IntegerImpurity: ...

class GrowthSettings:
    def __new__(
        cls,
        impurity: IntegerImpurity,
        threshold: bytes,
        float_threshold: float,
        budget: int,
        is_worst: bool,
        min_cases: int = 1,
    ) -> GrowthSettings: ...

StepArrays = tuple[Int64, Int64, Int64]

class Pool:
    def __new__(cls, table: PackedTable, costs: CostModel, policy: LeafPolicy, cache_bytes: int) -> Pool: ...
    def grow(self, settings: Sequence[GrowthSettings], clock: Clock) -> StepArrays: ...

def grow(
    table: PackedTable, costs: CostModel, settings: GrowthSettings, threads: int, clock: Clock
) -> dict[str, NDArray[np.generic]] | None: ...
def count_classes(cases: Cases, numbers: Int32, clock: Clock) -> Int64: ...
def move_cases(cases: Cases, places: Int32, test: Int32, below: Int32, clock: Clock) -> Int32: ...
def count_places(cases: Cases, places: Int32, slots: Int32, n_slots: int, clock: Clock) -> Int64 | UInt32: ...

class LevelChooser:
    def __new__(cls, n_outcomes: Int32, n_classes: int, costs: CostModel, settings: GrowthSettings) -> LevelChooser: ...
    def stops(self, class_weights: Int64, spent: Int64, flags: UInt64) -> UInt8: ...
    def choose(self, counts: Int64, spent: Int64, flags: UInt64, clock: Clock) -> tuple[Int32, UInt8]: ...

class Ensemble:
    def __init__(
        self,
        start: Int32,
        test: Int32,
        cut: UInt8,
        by_equal: Bool,
        default_left: Bool,
        missing: Int16,
        right: Int32,
        value: Int32,
    ) -> None: ...

def preorder(start: Int32, left: Int32, right: Int32) -> Int32: ...

class Scorer:
    def __init__(
        self, tests: Int32, points: Sequence[Int32], intercept: Int64, trees: Ensemble | None = None
    ) -> None: ...
    def add_up(self, codes: UInt8) -> Int64: ...

class TotalSplit:
    def __init__(self, scorer: int, cuts: Sequence[int], confidence: float = 0.0) -> None: ...

# Per row the leaf, what was spent, the first unlisted test, totals, the highest of them; and whether digits are kept.
Walked = tuple[Int32, Int64, Int32, Int64, Int64, bool]

class Coder:
    def __init__(self, cuts: Float64, codes: UInt8, missing: int) -> None: ...

class Route:
    def __init__(
        self,
        kind: UInt8,
        test: Int32,
        first: Int64,
        children: Int32,
        charge_at: Int64,
        charges: Int64,
        rule: Int32,
        n_outcomes: Int32,
        scorers: Sequence[Scorer],
        splits: Sequence[TotalSplit],
    ) -> None: ...
    def walk(self, codes: UInt8, clock: Clock, threads: int | None = None) -> Walked: ...
    def walk_table(
        self, table: NDArray[Any], at: Int64, coders: Sequence[Coder | None], clock: Clock, threads: int | None = None
    ) -> Walked: ...
    def walk_columns(
        self, columns: Sequence[NDArray[Any]], coders: Sequence[Coder | None], clock: Clock, threads: int | None = None
    ) -> Walked: ...

def softmax(totals: Int64) -> Float64: ...

class Ridge:
    def __init__(
        self, codes: UInt8, labels: Int32, weights: Float64, bases: Sequence[Float64], n_classes: int
    ) -> None: ...
    def fit(
        self, sets: Sequence[Sequence[int]], threads: int, clock: Clock
    ) -> tuple[list[Float64], Float32] | None: ...
    def honest(self, tests: Sequence[int]) -> tuple[Float64, Float64]: ...

class CodedRows:
    def __init__(
        self,
        codes: UInt8,
        labels: Int32,
        weights: Float64 | None,
        n_outcomes: Int32,
        is_ordered: Bool,
        missing: Int32,
        n_classes: int,
        groups: Int32 | None = None,
    ) -> None: ...

class ForestSettings:
    def __new__(
        cls,
        *,
        n_trees: int = 24,
        n_parts: int = 2,
        min_leaf: float = 5.0,
        max_depth: int = 12,
        smooth: float = 1.0,
        salt: int = 0,
    ) -> ForestSettings: ...

def forest_losses(
    rows: CodedRows, sets: Sequence[Sequence[int]], settings: ForestSettings, n_rows: int, threads: int, clock: Clock
) -> Float32 | None: ...
def forest_probabilities(
    rows: CodedRows, tests: Sequence[int], settings: ForestSettings, n_rows: int, clock: Clock
) -> Float32 | None: ...

class BoostingSettings:
    def __new__(
        cls,
        *,
        n_leaves: int = 12,
        rate: float = 0.15,
        ridge: float = 1.0,
        min_leaf: int = 10,
        max_rounds: int = 400,
        patience: int = 20,
        refits: bool = False,
    ) -> BoostingSettings: ...

class BoostedTrees:
    tree_start: Int32
    test: Int32
    cut: UInt8
    is_nominal: Bool
    left: Int32
    right: Int32
    default_left: Bool
    value: Float64

class Boosted:
    n_rounds: int
    losses: Float64
    scores: Float64
    models: list[BoostedTrees]
    refit: BoostedTrees | None

def boost(
    rows: CodedRows,
    tests: Sequence[int],
    start: Float64,
    parts: Int32,
    settings: BoostingSettings,
    threads: int,
    clock: Clock,
) -> Boosted | None: ...

ALL_TESTS: int
NEVER: int
WORKERS: int

class Pass:
    breadth: int
    is_wide_first: bool
    def __init__(self, breadth: int = ..., is_wide_first: bool = False, max_pair_work: int = ...) -> None: ...

class Question:
    def __init__(self, budget: int, cutoff: int = ..., only: int = -1) -> None: ...
    is_canonical: bool

class Answer:
    value: int
    changes: int
    need: int
    test: int

class ParallelSearchResult:
    answer: Answer | None
    lower_bound: int
    tree_errors: int

class Search:
    def __init__(
        self,
        cases: Cases,
        costs: CostModel,
        policy: LeafPolicy,
        unavoidable: Int64,
        cache_bytes: int,
        may_count_pairs: bool = True,
    ) -> None: ...
    counts_pairs: bool
    def ask(self, question: Question, clock: Clock, pass_: Pass = ...) -> Answer | None: ...
    def tree(self, question: Question, clock: Clock, pass_: Pass = ...) -> dict[str, Int64] | None: ...
    def fewest_errors_of_triples(self) -> int: ...
    def lower_bound(self, question: Question, wanted: int, clock: Clock) -> int: ...
    def search_in_parallel(
        self, question: Question, clock: Clock, threads: int, bound_seconds: float = 0.0, known_bound: int = 0
    ) -> tuple[ParallelSearchResult, dict[str, Int64] | None]: ...
