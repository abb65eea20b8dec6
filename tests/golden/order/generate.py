#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes cases.txt, in the form of ../generate.py: what NumPy gives for operations on sorted and counted values.

    python3 generate.py > cases.txt
"""
import math
import sys

import numpy as np

VIEWS = {
    "plain": lambda a: a,
    "transpose": lambda a: a.T,
    "step": lambda a: a[..., ::2],
    "flip": lambda a: a[::-1],
    "broadcast": lambda a: np.broadcast_to(a, (3,) + a.shape),
}
SHAPES = [((1,), "plain"), ((2,), "plain"), ((17,), "plain"), ((5, 7), "plain"), ((7, 5), "transpose"), ((3, 14), "step"),
          ((4, 3), "flip"), ((2, 5), "broadcast"), ((11, 2, 3), "transpose"), ((67,), "plain")]
rng = np.random.Generator(np.random.Philox(16))
count = 0


def line(array):
    array = np.asarray(array)
    return " ".join([str(array.ndim), *map(str, array.shape),
                     *(str(v) if array.dtype.kind == "f" else str(int(v)) for v in array.reshape(-1))])


def case(op, inputs, outputs, args=(), absolute=0.0):
    """inputs: (array, view) pairs."""
    global count
    count += 1
    print(f"case {op}-{count}")
    print("op", op, *args)
    for array, view in inputs:
        print("in", array.dtype, view, line(array))
    for output in outputs:
        output = np.asarray(output)
        print("out", output.dtype, line(output))
        print("tol", 0.0, absolute)


def drawn(shape, dtype):
    """Numbers of which many are equal, and for floats a few infinities."""
    x = rng.integers(-6, 7, shape).astype(dtype)
    if np.dtype(dtype).kind == "f":
        x = x / 2
        x[rng.uniform(size=shape) < 0.05] = math.inf
        x[rng.uniform(size=shape) < 0.05] = -math.inf
    return x.astype(dtype)


def distinct(shape, dtype):
    return (rng.permutation(math.prod(shape)).reshape(shape) * 0.37 - 3).astype(dtype)


for shape, view in [((0,), "plain"), *SHAPES]:
    for dtype in [np.float32, np.int64]:
        a = drawn(shape, dtype)
        x = VIEWS[view](a)
        values, index, inverse, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
        case("unique", [(a, view)], [values, index, inverse.reshape(x.shape), counts])
        ends = np.sort(drawn((13,), dtype))
        case("searchsorted", [(a, view), (ends, "plain")], [np.searchsorted(ends, x), np.searchsorted(ends, x, "right")])
        case("isin", [(a, view), (ends[:3], "plain")], [np.isin(x, ends[:3])])
    n = rng.integers(0, 9, shape)
    x = VIEWS[view](n)
    w = rng.integers(-8, 8, shape) / 4
    for least in [0, 12]:
        case("bincount", [(n, view)], [np.bincount(x.reshape(-1), minlength=least)], [least])
    case("bincount_weighted", [(n, view), (w, view)], [np.bincount(x.reshape(-1), VIEWS[view](w).reshape(-1)).astype(np.float64)])
    for dtype in [np.float64, np.int64]:
        a = rng.uniform(-3, 5, shape) if dtype == np.float64 else rng.integers(-9, 9, shape)
        x = VIEWS[view](a)
        for bins in [1, 7]:
            case("histogram", [(a, view)], np.histogram(x, bins), [bins], 1e-14)
            case("histogram_between", [(a, view)], np.histogram(x, bins, (-1.5, 2.5)), [bins, -1.5, 2.5], 1e-14)
        edges = np.array([-2.0, -1.0, -1.0, 0.5, 4.0])
        case("histogram_edges", [(a, view), (edges, "plain")], np.histogram(x, edges))
    w = rng.integers(-8, 8, shape) / 4
    a = rng.uniform(-3, 5, shape)
    case("histogram_weighted", [(a, view), (w, view)],
         [np.histogram(VIEWS[view](a), 6, (-2, 4), weights=VIEWS[view](w))[0].astype(np.float64)], [6, -2, 4])
for shape, view in SHAPES:
    for dtype, absolute in [(np.float32, 1e-5), (np.float64, 1e-13)]:
        a = distinct(shape, dtype)
        x = VIEWS[view](a)
        wide = x.astype(np.float64)
        for axis in range(-1, x.ndim):
            one = {} if axis < 0 else {"axis": axis}
            case("median", [(a, view)], [np.median(wide, **one).astype(dtype)], [axis], absolute)
            for q in [0.0, 0.3, 1.0]:
                case("quantile", [(a, view)], [np.quantile(wide, q, **one).astype(dtype)], [axis, q], absolute)
            case("quantiles", [(a, view)], [np.quantile(wide, [0.1, 0.5, 0.9], **one, keepdims=True).astype(dtype)], [axis], absolute)
            if axis >= 0:
                k = 1 + x.shape[axis] // 2
                order = np.argsort(x, axis=axis, kind="stable")
                case("kthvalue", [(a, view)], [np.take(np.sort(x, axis=axis), k - 1, axis=axis), np.take(order, k - 1, axis=axis)],
                     [axis, k])
                case("cummax", [(a, view)], [np.maximum.accumulate(x, axis=axis)], [axis])
                case("cummin", [(a, view)], [np.minimum.accumulate(x, axis=axis)], [axis])
print(count, "cases", file=sys.stderr)
