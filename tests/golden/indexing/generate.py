#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes cases.txt beside it: reading and writing by index, and what NumPy gives for it.

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
        text = [str(int(v)) if array.dtype.kind == "i" else str(float(v)) for v in array.reshape(-1)]
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
(Path(__file__).parent / "cases.txt").write_text("\n".join(lines) + "\n")
