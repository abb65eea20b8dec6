#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes cases.txt beside it: reading and writing by index and by mask, and what NumPy gives for it.

    python3 tests/golden/indexing/generate.py

cases.txt has the form of ../generate.py. Numbers are small integers, so that sums and products are exact in double whatever
their order is.
"""
from pathlib import Path

import numpy as np

VIEWS = {
    "plain": lambda a: a,
    "transpose": lambda a: a.T,
    "step": lambda a: a[..., ::2],
    "flip": lambda a: a[::-1],
}
HOW = [np.add, np.multiply, np.minimum, np.maximum, np.add]  # ScatterReduction; the last is the mean
IDENTITY = [0, 1, np.inf, -np.inf, 0]
rng = np.random.Generator(np.random.Philox(2031))
lines = []


def case(name, op, args, inputs, result):
    lines.append(f"case {name}-{len(lines)}")
    lines.append(" ".join(["op", op, *map(str, args)]))
    for array, view in [*inputs, (np.asarray(result), None)]:
        kind = ["in", str(array.dtype), view] if view else ["out", str(array.dtype)]
        text = [str(int(v)) if array.dtype.kind == "i" else str(float(v)).removesuffix(".0") for v in array.reshape(-1)]
        lines.append(" ".join([*kind, str(array.ndim), *map(str, array.shape), *text]))
    lines.append("tol 0 0")


def numbers(shape):
    return rng.integers(-4, 5, shape).astype(np.float64)


def drawn(shape):
    """An array, the view of it that has this shape, and its name."""
    view = [v for v in VIEWS if shape or v == "plain"][int(rng.integers(4 if shape else 1))]
    if view == "step" and len(shape) > 2:
        view = "plain"
    written = shape[::-1] if view == "transpose" else (*shape[:-1], 2 * shape[-1]) if view == "step" else shape
    array = numbers(written)
    return array, view, VIEWS[view](array)


def positions(shape, extent):
    return rng.integers(-extent, extent, shape)


def places(index, axis):
    """`index` for NumPy: all other axes their own positions."""
    at = list(np.indices(index.shape))
    at[axis] = index
    return tuple(at)


SHAPES = [(5,), (1,), (7, 3), (1, 5), (2, 3, 5), (3, 0)]
for shape in SHAPES:
    for axis in range(len(shape)):
        if shape[axis] == 0:
            continue
        for count in [0, 1, 7] if len(shape) == 1 else [7]:
            wide = (*shape[:axis], count, *shape[axis + 1:])
            index = positions(wide, shape[axis])
            source = numbers(wide)
            for how in range(5):
                for include in [0, 1]:
                    array, view, x = drawn(shape)
                    y = x.copy()
                    at = places(index, axis)
                    if not include:
                        y[at] = IDENTITY[how]
                    HOW[how].at(y, at, source)
                    if how == 4:
                        counts = np.full(shape, include)
                        np.add.at(counts, at, 1)
                        y = y / np.maximum(counts, 1)
                    case("scatter_reduce", "scatter_reduce", [how, axis, include],
                         [(array, view), (index, "plain"), (source, "plain")], y)
            array, view, x = drawn(shape)
            rows = positions((count,), shape[axis])
            y, z = x.copy(), x.copy()
            np.add.at(y, (slice(None),) * axis + (rows,), source)
            z[(slice(None),) * axis + (rows,)] = source
            for op, result in [("index_add", y), ("index_copy", z)]:
                case(op, op, [axis], [(array, view), (rows, "plain"), (source, "plain")], result)
for shape in [(5, 3), (1, 7), (4, 3, 2), (3, 2, 2, 5)]:
    for lists in [((6,), (6,)), ((4, 1), (3,)), ((), (5,)), ((0,), (0,)), ((2, 3), (2, 3))]:
        array, view, x = drawn(shape)
        rows, columns = positions(lists[0], shape[0]), positions(lists[1], shape[1])
        rows, columns = np.asarray(rows, np.int64), np.asarray(columns, np.int64)
        read = x[rows, columns]
        ins = [(array, view), (rows, "plain"), (columns, "plain")]
        case("integer_index", "integer_index", [], ins, read)
        together = np.stack(np.broadcast_arrays(rows, columns), -1)
        case("gather_nd", "gather_nd", [], [(array, view), (together, "plain")], read)
        values = numbers(read.shape)
        put, added = x.copy(), x.copy()
        put[rows, columns] = values
        np.add.at(added, (rows, columns), values)
        case("index_put", "index_put", [0], [*ins, (values, "plain")], put)
        case("index_put", "index_put", [1], [*ins, (values, "plain")], added)
for shape in [(), (1,), (7,), (5, 3), (2, 3, 4), (0, 3)]:
    for share in [0, 0.3, 1]:
        array, view, x = drawn(shape)
        mask = (rng.random(shape) < share).astype(np.int64)
        source = numbers((int(mask.sum()) + int(rng.integers(3)),))
        y = x.copy()
        y[mask != 0] = source[:mask.sum()]
        case("masked_scatter", "masked_scatter", [], [(array, view), (np.asarray(mask), "plain"), (source, "plain")], y)
for extents in [(3, 2), (1, 5), (0, 2)]:
    lists = [numbers((n,)) for n in extents]
    for ij in [0, 1]:
        for at, grid in enumerate(np.meshgrid(*lists, indexing="ij" if ij else "xy")):
            case("meshgrid", "meshgrid", [ij, at], [(a, "plain") for a in lists], grid)
for a, b, left, right in [((3, 4, 5), (4, 3, 2), (1, 0), (0, 1)), ((3, 4, 5), (4, 3, 2), (0, 1), (1, 0)), ((7,), (7, 1), (0,), (0,)),
                          ((2, 3), (4, 5), (), ()), ((3, 0), (0, 2), (1,), (0,)), ((5, 2, 3), (3, 2, 5), (2, 1, 0), (0, 1, 2))]:
    x, y = drawn(a), drawn(b)
    case("tensordot", "tensordot", [len(left), *left, *right], [x[:2], y[:2]], np.tensordot(x[2], y[2], (left, right)))
for a, b in [((5, 3), (4, 3)), ((1, 1), (7, 1)), ((2, 1, 3, 4), (3, 5, 4)), ((0, 3), (2, 3)), ((2, 0), (3, 0))]:
    x, y = drawn(a), drawn(b)
    differences = np.abs(x[2][..., :, None, :] - y[2][..., None, :, :])
    for order, result in [(1, differences.sum(-1)), (2, np.sqrt((differences ** 2).sum(-1))),
                          (0, differences.max(-1, initial=0))]:  # 0: infinity
        case("cdist", "cdist", [order], [x[:2], y[:2]], result)


def viewed(shape, make=numbers):
    """As `drawn`, of any element type, and also of what broadcasts."""
    views = [v for v in VIEWS if v == "plain" or (shape and (v != "step" or len(shape) < 3))]
    views += ["broadcast"] * 2 if shape and shape[0] == 3 else []
    view = views[int(rng.integers(len(views)))]
    written = {"transpose": shape[::-1], "step": (*shape[:-1], 2 * shape[-1]) if shape else shape, "broadcast": shape[1:]}.get(view, shape)
    array = np.asarray(make(written))
    return array, view, np.broadcast_to(array, shape) if view == "broadcast" else VIEWS[view](array)


AWKWARD = [(1,), (2,), (13,), (1, 1), (7, 1), (1, 7), (3, 5), (11, 3), (0, 3), (3, 0), (2, 3, 5), (3, 1, 2)]
for shape in AWKWARD:
    for axis in range(len(shape)):
        count = int(rng.choice([1, 3, 7])) if shape[axis] else 0
        wide = (*shape[:axis], count, *shape[axis + 1:])
        array, view, x = viewed(shape)
        index, index_view, at = viewed(wide, lambda s: positions(s, max(shape[axis], 1)))
        source, source_view, values = viewed(wide)
        rows, rows_view, row = viewed((count,), lambda s: positions(s, max(shape[axis], 1)))
        operand, by = (array, view), (index, index_view)
        placed, added, reached = x.copy(), x.copy(), places(at, axis)
        placed[reached] = values
        np.add.at(added, reached, values)
        case("gather", "gather", [axis], [operand, by], np.take_along_axis(x, at, axis))
        case("scatter", "scatter", [axis], [operand, by, (source, source_view)], placed)
        case("scatter_add", "scatter_add", [axis], [operand, by, (source, source_view)], added)
        case("take", "take", [axis], [operand, (rows, rows_view)], np.take(x, row, axis))
        for how in rng.permutation(4)[:2]:
            y = x.copy()
            HOW[how].at(y, reached, values)
            case("scatter_reduce", "scatter_reduce", [how, axis, 1], [operand, by, (source, source_view)], y)
        y, z, part = x.copy(), x.copy(), (slice(None),) * axis + (row,)
        np.add.at(y, part, values)
        z[part] = values
        for op, result in [("index_add", y), ("index_copy", z)]:
            case(op, op, [axis], [operand, (rows, rows_view), (source, source_view)], result)
for shape in [(), *AWKWARD]:
    for share in [0, 0.4, 1]:
        array, view, x = viewed(shape)
        flags, flags_view, mask = viewed(shape, lambda s: (rng.random(s) < share).astype(np.int64))
        where = mask != 0
        operand, by = (array, view), (flags, flags_view)
        found = np.argwhere(where)
        case("nonzero", "nonzero", [], [operand, by], found)
        size = int(rng.integers(len(found) + 3))
        bounded = np.full((size, x.ndim), -1)
        bounded[:len(found)] = found[:size]
        case("nonzero_bounded", "nonzero_bounded", [size, -1], [operand, by], bounded)
        for axes in [(), *((axis,) for axis in range(x.ndim)), *([(0, x.ndim - 1)] if x.ndim > 1 else [])]:
            case("count_nonzero", "count_nonzero", axes, [operand], np.asarray(np.count_nonzero(x, axis=axes or None)))
        case("mask_index", "mask_index", [], [operand, by], x[where])
        case("masked_select", "masked_select", [], [operand, by], x[where])
        selected = np.full(size, 9.0)
        selected[:len(found)] = x[where][:size]
        case("masked_select_bounded", "masked_select_bounded", [size, 9], [operand, by], selected)
        case("masked_fill", "masked_fill", [-7], [operand, by], np.where(where, -7.0, x))
        values, values_view, written = viewed(shape)
        for kind, result in enumerate([np.where(where, written, x), np.where(where, x + written, x), np.where(where, 0.5, x)]):
            case("mask_write", "mask_write", [kind], [operand, by, (values, values_view)], result)
        if x.ndim > 1:  # one mask for each row: what it is for rows, and broadcast
            first, first_view, row = viewed(shape[:1], lambda s: (rng.random(s) < share).astype(np.int64))
            case("mask_index", "mask_index", [], [operand, (first, first_view)], x[row != 0])
            last, last_view, column = viewed(shape[-1:], lambda s: (rng.random(s) < share).astype(np.int64))
            case("masked_select", "masked_select", [], [operand, (last, last_view)], x[np.broadcast_to(column != 0, shape)])
            case("masked_fill", "masked_fill", [4], [operand, (last, last_view)], np.where(column != 0, 4.0, x))
        source = numbers((int(mask.sum()) + int(rng.integers(3)),))
        y = x.copy()
        y[where] = source[:mask.sum()]
        case("masked_scatter", "masked_scatter", [], [operand, by, (source, "plain")], y)
(Path(__file__).parent / "cases.txt").write_text("\n".join(lines) + "\n")
