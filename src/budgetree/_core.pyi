"""The native core (core/bindings/): what it offers to Python. tests/core/test_names.py compares the two."""

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    @property
    def work(self) -> int: ...
    def stop(self) -> None: ...
    @property
    def is_stopped(self) -> bool: ...
    @property
    def was_interrupted(self) -> bool: ...

class PathState:
    def __init__(self, spent: Sequence[int] = ..., flags: int = 0) -> None: ...
    @property
    def spent(self) -> list[int]: ...
    @property
    def flags(self) -> int: ...

class CostModel:
    def __init__(
        self,
        amounts: NDArray[np.int64],
        flag_amounts: NDArray[np.int64],
        pays: NDArray[np.uint64],
        needs: NDArray[np.uint64],
        sets: NDArray[np.uint64],
        limits: NDArray[np.int64],
    ) -> None: ...
    def price(self, amounts: Sequence[int]) -> int: ...
    def charge(self, state: PathState, test: int, outcome: int) -> list[int]: ...
    def most(self, state: PathState, test: int) -> list[int]: ...
    def may_buy(self, state: PathState, test: int, limits: Sequence[int]) -> bool: ...
    def after(self, state: PathState, test: int, outcome: int) -> PathState: ...
    @staticmethod
    def dominates(better: PathState, worse: PathState) -> bool: ...

class LeafPolicy:
    def __init__(self, losses: NDArray[np.int64] | None, n_classes: int, min_cases: int = 1) -> None: ...

class Cases:
    def __init__(
        self,
        codes: NDArray[np.uint8],
        labels: NDArray[np.int32],
        weights: NDArray[np.int64] | None,
        n_outcomes: NDArray[np.int32],
        n_classes: int,
        codes_are_checked: bool = False,
    ) -> None: ...

class PackedTable:
    def __new__(cls, cases: Cases, clock: Clock) -> PackedTable: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def total_weight(self) -> int: ...

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

class Hinges:
    def __new__(cls, q: bytes, p: bytes, subtracts_square: bool, budget: int, min_cases: int = 1) -> Hinges: ...

StepArrays = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]

class Pool:
    def __new__(cls, table: PackedTable, costs: CostModel, policy: LeafPolicy, cache_bytes: int) -> Pool: ...
    def grow(self, settings: Sequence[GrowthSettings], clock: Clock) -> StepArrays: ...
    def bisect(
        self, hinges: Hinges, largest: int, close: int, clock: Clock
    ) -> tuple[NDArray[np.int64], StepArrays]: ...

def grow(
    table: PackedTable, costs: CostModel, settings: GrowthSettings, threads: int, clock: Clock
) -> dict[str, NDArray[np.generic]] | None: ...
def count_classes(cases: Cases, numbers: NDArray[np.int32], clock: Clock) -> NDArray[np.int64]: ...
def move_cases(
    cases: Cases, places: NDArray[np.int32], test: NDArray[np.int32], below: NDArray[np.int32], clock: Clock
) -> NDArray[np.int32]: ...
def count_places(
    cases: Cases, places: NDArray[np.int32], slots: NDArray[np.int32], n_slots: int, clock: Clock
) -> NDArray[np.int64] | NDArray[np.uint32]: ...

class LevelChooser:
    def __new__(
        cls, n_outcomes: NDArray[np.int32], n_classes: int, costs: CostModel, settings: GrowthSettings
    ) -> LevelChooser: ...
    def stops(
        self, class_weights: NDArray[np.int64], spent: NDArray[np.int64], flags: NDArray[np.uint64]
    ) -> NDArray[np.uint8]: ...
    def choose(
        self, counts: NDArray[np.int64], spent: NDArray[np.int64], flags: NDArray[np.uint64], clock: Clock
    ) -> tuple[NDArray[np.int32], NDArray[np.uint8]]: ...

class Ensemble:
    def __init__(
        self,
        start: NDArray[np.int32],
        test: NDArray[np.int32],
        cut: NDArray[np.uint8],
        by_equal: NDArray[np.bool_],
        default_left: NDArray[np.bool_],
        missing: NDArray[np.int16],
        right: NDArray[np.int32],
        value: NDArray[np.int32],
    ) -> None: ...

def preorder(start: NDArray[np.int32], left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.int32]: ...

class Scorer:
    def __init__(
        self,
        tests: NDArray[np.int32],
        points: Sequence[NDArray[np.int32]],
        intercept: NDArray[np.int64],
        trees: Ensemble | None = None,
    ) -> None: ...
    def add_up(self, codes: NDArray[np.uint8]) -> NDArray[np.int64]: ...

class TotalSplit:
    def __init__(self, scorer: int, cuts: Sequence[int], confidence: float = 0.0) -> None: ...

# Per row the leaf, what was spent, the first unlisted test, totals, the highest of them; and whether digits are kept.
Walked = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], bool]

class Coder:
    def __init__(self, cuts: NDArray[np.float64], codes: NDArray[np.uint8], missing: int) -> None: ...

class Route:
    def __init__(
        self,
        kind: NDArray[np.uint8],
        test: NDArray[np.int32],
        first: NDArray[np.int64],
        children: NDArray[np.int32],
        charge_at: NDArray[np.int64],
        charges: NDArray[np.int64],
        rule: NDArray[np.int32],
        n_outcomes: NDArray[np.int32],
        scorers: Sequence[Scorer],
        splits: Sequence[TotalSplit],
    ) -> None: ...
    def walk(self, codes: NDArray[np.uint8], clock: Clock, threads: int | None = None) -> Walked: ...
    def walk_table(
        self,
        table: NDArray[Any],
        at: NDArray[np.int64],
        coders: Sequence[Coder | None],
        clock: Clock,
        threads: int | None = None,
    ) -> Walked: ...
    def walk_columns(
        self,
        columns: Sequence[NDArray[Any]],
        coders: Sequence[Coder | None],
        clock: Clock,
        threads: int | None = None,
    ) -> Walked: ...

def softmax(totals: NDArray[np.int64]) -> NDArray[np.float64]: ...

class Ridge:
    def __init__(
        self,
        codes: NDArray[np.uint8],
        labels: NDArray[np.int32],
        weights: NDArray[np.float64],
        bases: Sequence[NDArray[np.float64]],
        n_classes: int,
    ) -> None: ...
    def fit(
        self, sets: Sequence[Sequence[int]], threads: int, clock: Clock
    ) -> tuple[list[NDArray[np.float64]], NDArray[np.float32]] | None: ...
    def honest(self, tests: Sequence[int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

class CodedRows:
    def __init__(
        self,
        codes: NDArray[np.uint8],
        labels: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
        n_outcomes: NDArray[np.int32],
        is_ordered: NDArray[np.bool_],
        missing: NDArray[np.int32],
        n_classes: int,
        groups: NDArray[np.int32] | None = None,
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
) -> NDArray[np.float32] | None: ...
def forest_probabilities(
    rows: CodedRows, tests: Sequence[int], settings: ForestSettings, n_rows: int, clock: Clock
) -> NDArray[np.float32] | None: ...

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
    @property
    def tree_start(self) -> NDArray[np.int32]: ...
    @property
    def test(self) -> NDArray[np.int32]: ...
    @property
    def cut(self) -> NDArray[np.uint8]: ...
    @property
    def is_nominal(self) -> NDArray[np.bool_]: ...
    @property
    def left(self) -> NDArray[np.int32]: ...
    @property
    def right(self) -> NDArray[np.int32]: ...
    @property
    def default_left(self) -> NDArray[np.bool_]: ...
    @property
    def value(self) -> NDArray[np.float64]: ...

class Boosted:
    @property
    def n_rounds(self) -> int: ...
    @property
    def losses(self) -> NDArray[np.float64]: ...
    @property
    def scores(self) -> NDArray[np.float64]: ...
    @property
    def models(self) -> list[BoostedTrees]: ...
    @property
    def refit(self) -> BoostedTrees | None: ...

def boost(
    rows: CodedRows,
    tests: Sequence[int],
    start: NDArray[np.float64],
    parts: NDArray[np.int32],
    settings: BoostingSettings,
    threads: int,
    clock: Clock,
) -> Boosted | None: ...

ALL_TESTS: int
NEVER: int
WORKERS: int

class Pass:
    def __init__(self, breadth: int = ..., is_wide_first: bool = False, max_pair_work: int = ...) -> None: ...

class Question:
    def __init__(self, budget: int, cutoff: int = ..., only: int = -1) -> None: ...
    is_canonical: bool

class Answer:
    @property
    def value(self) -> int: ...
    @property
    def changes(self) -> int: ...
    @property
    def need(self) -> int: ...
    @property
    def test(self) -> int: ...

class ParallelSearchResult:
    @property
    def answer(self) -> Answer | None: ...
    @property
    def lower_bound(self) -> int: ...
    @property
    def tree_errors(self) -> int: ...

class Search:
    def __init__(
        self,
        cases: Cases,
        costs: CostModel,
        policy: LeafPolicy,
        unavoidable: NDArray[np.int64],
        cache_bytes: int,
        may_count_pairs: bool = True,
    ) -> None: ...
    @property
    def counts_pairs(self) -> bool: ...
    def ask(self, question: Question, clock: Clock, pass_: Pass = ...) -> Answer | None: ...
    def tree(self, question: Question, clock: Clock, pass_: Pass = ...) -> dict[str, NDArray[np.int64]] | None: ...
    def fewest_errors_of_triples(self) -> int: ...
    def lower_bound(self, question: Question, wanted: int, clock: Clock) -> int: ...
    def search_in_parallel(
        self, question: Question, clock: Clock, threads: int, bound_seconds: float = 0.0, known_bound: int = 0
    ) -> tuple[ParallelSearchResult, dict[str, NDArray[np.int64]] | None]: ...
