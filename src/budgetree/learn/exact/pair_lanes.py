"""Vector instructions for binary tests: counting and scoring one test together with many others at once.

Eight objects are one byte: bit i says what object i shows. A row of such bytes, one per test, is a block. For a test s
the byte of s is compared (AND) with 32 neighbouring tests' bytes, and the ones in each byte are counted; after at most
31 blocks the counts still fit into bytes and are widened. LLVM's generic vectors are used: any processor profits.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 32
BLOCK = 8  # objects
MOST_BLOCKS = 31  # 31 × 8 objects are the most that a byte can count
WORDS = 16  # 16-bit counts in a vector

_BYTE, _WORD, _INDEX = ir.IntType(8), ir.IntType(16), ir.IntType(64)
_BYTES = ir.VectorType(_BYTE, LANES)
_WIDE = ir.VectorType(_WORD, LANES)
_COUNTS = ir.VectorType(_WORD, WORDS)


def _data(context: Any, builder: Any, array_type: Any, value: Any) -> Any:
    return context.make_array(array_type)(context, builder, value).data


def _splat(builder: Any, element: Any, vector: ir.VectorType) -> Any:
    """The element in all lanes."""
    undefined = ir.Constant(vector, ir.Undefined)
    single = builder.insert_element(undefined, element, ir.IntType(32)(0))
    return builder.shuffle_vector(
        single, undefined, ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    )


def _load(builder: Any, data: Any, at: Any, vector: ir.VectorType) -> Any:
    return builder.load(builder.bitcast(builder.gep(data, [at]), vector.as_pointer()), align=1)


def _store(builder: Any, value: Any, data: Any, at: Any) -> None:
    builder.store(value, builder.bitcast(builder.gep(data, [at]), value.type.as_pointer()), align=1)


def _pair_counter(n_vectors: int) -> Any:
    """An intrinsic count(packed, row_bytes, first, last, test, column, out, at).

    It writes to out[at + lane] how many objects of the blocks first to last show a one in `test` and in column + lane,
    for n_vectors × 32 lanes. packed is flat, row_bytes to a block; out is flat and of 16 bits.
    """

    @intrinsic
    def count(
        typing_context: Any,
        packed: Any,
        row_bytes: Any,
        first: Any,
        last: Any,
        test: Any,
        column: Any,
        out: Any,
        at: Any,
    ) -> Any:
        whole = types.int64
        signature = types.void(packed, whole, whole, whole, whole, whole, out, whole)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            packed_type, *_, out_type, _ = signature.args
            packed_value, row_bytes, first, last, test, column, out_value, at = arguments
            blocks = _data(context, builder, packed_type, packed_value)
            result = _data(context, builder, out_type, out_value)
            ones_in = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(_BYTES, [_BYTES]), f"llvm.ctpop.v{LANES}i8"
            )
            for v in range(n_vectors):
                _store(builder, _WIDE([0] * LANES), result, builder.add(at, _INDEX(v * LANES)))

            outer, outer_body, inner, widen, done = (
                builder.append_basic_block(name) for name in ("chunks", "chunk", "blocks", "widen", "done")
            )
            entry = builder.block
            builder.branch(outer)
            builder.position_at_end(outer)
            start = builder.phi(_INDEX)
            start.add_incoming(first, entry)
            builder.cbranch(builder.icmp_signed("<", start, last), outer_body, done)

            builder.position_at_end(outer_body)
            full = builder.add(start, _INDEX(MOST_BLOCKS))
            end = builder.select(builder.icmp_signed("<", full, last), full, last)
            builder.branch(inner)

            builder.position_at_end(inner)
            block = builder.phi(_INDEX)
            block.add_incoming(start, outer_body)
            tallies = [builder.phi(_BYTES) for _ in range(n_vectors)]
            row = builder.mul(block, row_bytes)
            shown = _splat(builder, builder.load(builder.gep(blocks, [builder.add(row, test)])), _BYTES)
            counted = []
            for v, tally in enumerate(tallies):
                others = _load(builder, blocks, builder.add(row, builder.add(column, _INDEX(v * LANES))), _BYTES)
                counted.append(builder.add(tally, builder.call(ones_in, [builder.and_(shown, others)])))
            following = builder.add(block, _INDEX(1))
            block.add_incoming(following, inner)
            for tally, updated in zip(tallies, counted, strict=True):
                tally.add_incoming(_BYTES([0] * LANES), outer_body)
                tally.add_incoming(updated, inner)
            builder.cbranch(builder.icmp_signed("<", following, end), inner, widen)

            builder.position_at_end(widen)
            for v, updated in enumerate(counted):
                place = builder.add(at, _INDEX(v * LANES))
                so_far = _load(builder, result, place, _WIDE)
                _store(builder, builder.add(so_far, builder.zext(updated, _WIDE)), result, place)
            start.add_incoming(end, widen)
            builder.branch(outer)

            builder.position_at_end(done)
            return context.get_dummy_value()

        return signature, generate

    return count


count_1_vector = _pair_counter(1)
count_2_vectors = _pair_counter(2)
count_3_vectors = _pair_counter(3)


@intrinsic
def score_pairs(
    typing_context: Any, counts: Any, at: Any, step: Any, less: Any, less_at: Any, less_step: Any, ones: Any,
    ones_step: Any, totals: Any, n_classes: Any, test: Any, first: Any, last: Any, masks: Any, mask_at: Any, best: Any,
    best_at: Any,
) -> Any:  # fmt: skip
    """What each pair of `test` and a column from first to last gets right; all arrays are flat and of 16 bits.

    The number of objects of class c with a one in both is counts[at + c·step + column] − less[less_at + c·less_step +
    column]; ones[c·ones_step + column] have a one in the column, totals[c] there are. mask_at names four rows of
    `masks` (all bits or none per column): the column may follow the test's one, its zero; the test may follow the
    column's one, its zero. best[best_at + test] and, ones_step further on, the same for zeros: the most that is right
    of the objects with that outcome of a test when another follows. Those of the test and of the columns are raised.
    """
    whole = types.int64
    signature = types.void(
        counts, whole, whole, less, whole, whole, ones, whole, totals, whole, whole, whole, whole, masks, mask_at, best,
        whole,
    )  # fmt: skip

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (counts_v, at, step, less_v, less_at, less_step, ones_v, ones_step, totals_v, n_classes, test, first, last,
         masks_v, mask_at, best_v, best_at) = arguments  # fmt: skip
        kinds = signature.args
        counts = _data(context, builder, kinds[0], counts_v)
        less = _data(context, builder, kinds[3], less_v)
        ones = _data(context, builder, kinds[6], ones_v)
        totals = _data(context, builder, kinds[8], totals_v)
        masks = _data(context, builder, kinds[13], masks_v)
        best = _data(context, builder, kinds[15], best_v)
        mask_rows = cgutils.unpack_tuple(builder, mask_at)
        zero = _COUNTS([0] * WORDS)

        def most(one: Any, other: Any) -> Any:
            return builder.select(builder.icmp_unsigned(">", one, other), one, other)

        columns, classes, score, done = (
            builder.append_basic_block(name) for name in ("columns", "classes", "score", "done")
        )
        entry = builder.block
        builder.branch(columns)
        builder.position_at_end(columns)
        column = builder.phi(_INDEX)
        column.add_incoming(first, entry)
        after_one, after_zero = builder.phi(_COUNTS), builder.phi(_COUNTS)
        after_one.add_incoming(zero, entry)
        after_zero.add_incoming(zero, entry)
        builder.branch(classes)

        builder.position_at_end(classes)
        label = builder.phi(_INDEX)
        label.add_incoming(_INDEX(0), columns)
        cells = [builder.phi(_COUNTS) for _ in range(4)]
        for cell in cells:
            cell.add_incoming(zero, columns)
        plus = _load(builder, counts, builder.add(builder.add(at, builder.mul(label, step)), column), _COUNTS)
        minus = _load(builder, less, builder.add(builder.add(less_at, builder.mul(label, less_step)), column), _COUNTS)
        both = builder.sub(plus, minus)
        ones_row = builder.mul(label, ones_step)
        column_ones = _load(builder, ones, builder.add(ones_row, column), _COUNTS)
        test_ones = _splat(builder, builder.load(builder.gep(ones, [builder.add(ones_row, test)])), _COUNTS)
        total = _splat(builder, builder.load(builder.gep(totals, [label])), _COUNTS)
        column_only = builder.sub(column_ones, both)
        here = [
            both,
            builder.sub(test_ones, both),
            column_only,
            builder.sub(builder.sub(total, test_ones), column_only),
        ]
        largest = [most(new, old) for new, old in zip(here, cells, strict=True)]
        next_label = builder.add(label, _INDEX(1))
        label.add_incoming(next_label, classes)
        for cell, updated in zip(cells, largest, strict=True):
            cell.add_incoming(updated, classes)
        builder.cbranch(builder.icmp_signed("<", next_label, n_classes), classes, score)

        builder.position_at_end(score)
        one_one, one_zero, zero_one, zero_zero = largest
        allowed = [_load(builder, masks, builder.add(row, column), _COUNTS) for row in mask_rows]
        new_one = most(builder.and_(builder.add(one_one, one_zero), allowed[0]), after_one)
        new_zero = most(builder.and_(builder.add(zero_one, zero_zero), allowed[1]), after_zero)
        for right, mask, row in (
            (builder.add(one_one, zero_one), allowed[2], 0),
            (builder.add(one_zero, zero_zero), allowed[3], 1),
        ):
            place = builder.add(builder.add(best_at, builder.mul(ones_step, _INDEX(row))), column)
            _store(builder, most(builder.and_(right, mask), _load(builder, best, place, _COUNTS)), best, place)
        next_column = builder.add(column, _INDEX(WORDS))
        column.add_incoming(next_column, score)
        after_one.add_incoming(new_one, score)
        after_zero.add_incoming(new_zero, score)
        builder.cbranch(builder.icmp_signed("<", next_column, last), columns, done)

        builder.position_at_end(done)
        largest_of = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_WORD, [_COUNTS]), f"llvm.vector.reduce.umax.v{WORDS}i16"
        )
        for value, row in ((new_one, 0), (new_zero, 1)):
            place = builder.gep(best, [builder.add(builder.add(best_at, builder.mul(ones_step, _INDEX(row))), test)])
            builder.store(most(builder.call(largest_of, [value]), builder.load(place)), place)
        return context.get_dummy_value()

    return signature, generate
