"""Byte lanes: counting one level across 32 columns with a single vector comparison.

For up to 255 objects the number of times that each of 32 neighbouring columns shows a level fits into a byte. One
vector register holds those 32 bytes for one level; comparing a row with the level gives −1 in the lanes that match,
and subtracting that counts them. LLVM's generic vectors are used, so any processor with byte vectors profits.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 32
MOST_ROWS = 255  # beyond that a byte would overflow
LEVELS_AT_ONCE = 10  # accumulators that still fit into registers

_BYTE = ir.IntType(8)
_INDEX = ir.IntType(64)
_VECTOR = ir.VectorType(_BYTE, LANES)


def _lane_counter(n_levels: int) -> Any:
    """An intrinsic count(codes, order, first, last, column, level, out).

    It writes to out[v, lane] how many of the rows order[first:last] have the code level + v in the column
    column + lane, for v below n_levels. It may read up to 31 bytes past a row's end: the caller keeps away from
    the table's last bytes.
    """

    @intrinsic
    def count(
        typing_context: Any, codes: Any, order: Any, first: Any, last: Any, column: Any, level: Any, out: Any
    ) -> Any:
        whole = types.int64
        signature = types.void(codes, order, whole, whole, whole, whole, out)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            codes_type, order_type, *_, out_type = signature.args
            codes_value, order_value, first, last, column, level, out_value = arguments
            table = context.make_array(codes_type)(context, builder, codes_value)
            rows = context.make_array(order_type)(context, builder, order_value)
            result = context.make_array(out_type)(context, builder, out_value)
            row_bytes = cgutils.unpack_tuple(builder, table.strides)[0]
            start = builder.gep(table.data, [column])
            wanted = [_splat(builder, builder.add(builder.trunc(level, _BYTE), _BYTE(v))) for v in range(n_levels)]

            entry = builder.block
            loop = builder.append_basic_block("rows")
            done = builder.append_basic_block("done")
            builder.branch(loop)
            builder.position_at_end(loop)
            position = builder.phi(_INDEX)
            position.add_incoming(first, entry)
            tallies = [builder.phi(_VECTOR) for _ in range(n_levels)]
            row = builder.sext(builder.load(builder.gep(rows.data, [position])), _INDEX)
            address = builder.gep(start, [builder.mul(row, row_bytes)])
            shown = builder.load(builder.bitcast(address, _VECTOR.as_pointer()), align=1)
            counted = [
                builder.sub(tally, builder.sext(builder.icmp_unsigned("==", shown, level), _VECTOR))
                for tally, level in zip(tallies, wanted, strict=True)
            ]
            following = builder.add(position, _INDEX(1))
            position.add_incoming(following, loop)
            for tally, updated in zip(tallies, counted, strict=True):
                tally.add_incoming(_VECTOR([0] * LANES), entry)
                tally.add_incoming(updated, loop)
            builder.cbranch(builder.icmp_signed("<", following, last), loop, done)

            builder.position_at_end(done)
            target = builder.bitcast(result.data, _VECTOR.as_pointer())
            for v, updated in enumerate(counted):
                builder.store(updated, builder.gep(target, [_INDEX(v)]), align=1)
            return context.get_dummy_value()

        return signature, generate

    return count


def _splat(builder: Any, byte: Any) -> Any:
    """The byte in all lanes."""
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    single = builder.insert_element(undefined, byte, ir.IntType(32)(0))
    all_first = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(single, undefined, all_first)


count_1_level = _lane_counter(1)
count_4_levels = _lane_counter(4)
count_6_levels = _lane_counter(6)
count_10_levels = _lane_counter(LEVELS_AT_ONCE)
