#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes cases.txt beside it: interp, cov, corrcoef, gradient, polyfit and polyval by NumPy.

    python3 tests/golden/numerics/generate.py

cases.txt has the form of ../generate.py. Values are computed in double. The arguments are: of interp whether left and right are given,
and which; of cov the ddof; of gradient the axis, the spacing and the edge_order; of polyfit the degree. At NaN, of one point, NumPy
has the value there; here it is NaN. Of a matrix of one row NumPy's cov has rank 0, here it is a matrix. cov, corrcoef and gradient have a
second operand in some cases: more variables, and coordinates.
"""
from pathlib import Path

import numpy as np

VIEWS = {
    "plain": lambda a: a,
    "transpose": lambda a: a.T,
    "step": lambda a: a[..., ::2],
    "flip": lambda a: a[::-1],
}
rng = np.random.Generator(np.random.Philox(2033))
lines = []
count = 0


def array_line(array):
    return " ".join([str(array.ndim), *map(str, array.shape), *map(str, array.reshape(-1))])


def case(op, args, inputs, function, absolute):
    """inputs: (array, view) pairs; absolute: of the largest result."""
    global count
    count += 1
    dtype = inputs[0][0].dtype
    result = np.asarray(function(*(VIEWS[view](array).astype(np.float64) for array, view in inputs)), np.float64)
    lines.extend([f"case {op}-{count}", " ".join(["op", op, *map(str, args)])])
    lines.extend(f"in {array.dtype} {view} {array_line(array)}" for array, view in inputs)
    largest = float(np.abs(result[np.isfinite(result)]).max(initial=0))
    lines.extend([f"out {dtype} {array_line(result.astype(dtype))}", f"tol 0 {absolute * np.finfo(dtype).eps * max(largest, 1e-3):.2g}"])


def numbers(shape, dtype=np.float64, low=-3, high=3):
    return np.round(rng.uniform(low, high, shape), 2).astype(dtype)


def matrix_of(x, result):
    return np.atleast_2d(result) if x.ndim == 2 else result


for dtype in (np.float32, np.float64):
    for points in (1, 2, 3, 8, 41):
        xp = np.sort(numbers((points,), dtype, -5, 5))
        fp = numbers((points,), dtype)
        for shape, view in (((11,), "plain"), ((4, 5), "transpose"), ((3, 8), "step"), ((0, 3), "plain"), ((), "plain")):
            x = numbers(shape, dtype, -7, 7)
            if x.size > 4:  # at points, at ends, and no number
                x.reshape(-1)[:4] = [xp[0], xp[-1], xp[points // 2], np.nan if points > 1 else 0]
            given = int(rng.integers(0, 2))
            left, right = (-9.5, 9.5) if given else (None, None)
            case("interp", [given, -9.5, 9.5], [(x, view), (xp, "plain"), (fp, "plain")],
                 lambda a, p, f: np.interp(a, p, f, left, right), 20 * points)
    steps = np.array([0, 1, 1, 1, 2, 2, 4], dtype)
    case("interp", [0, 0, 0], [(np.array([-1, 0, 0.5, 1, 1.5, 2, 3, 4, 5], dtype), "plain"), (steps, "plain"), (numbers((7,), dtype), "plain")],
         np.interp, 20)
    case("interp", [0, 0, 0], [(np.array([-np.inf, 0, 0.5, 1, np.inf], dtype), "plain"), (np.array([0, 1, 2], dtype), "plain"),
                               (np.array([1, np.inf, 2], dtype), "plain")], np.interp, 20)
    for shape, view in (((7,), "plain"), ((7,), "flip"), ((3, 8), "plain"), ((8, 3), "transpose"), ((4, 14), "step"), ((5, 2), "flip"),
                        ((1, 9), "plain"), ((20, 70), "plain")):
        for ddof in (1, 0):
            case("cov", [ddof], [(numbers(shape, dtype), view)], lambda x: matrix_of(x, np.cov(x, ddof=ddof)), 20)
        case("corrcoef", [], [(numbers(shape, dtype), view)], lambda x: matrix_of(x, np.corrcoef(x)), 20)
    case("cov", [1], [(numbers((9,), dtype), "plain"), (numbers((9,), dtype), "flip")], lambda x, y: np.cov(x, y), 20)
    case("cov", [0], [(numbers((2, 9), dtype), "plain"), (numbers((9, 3), dtype), "transpose")], lambda x, y: np.cov(x, y, ddof=0), 20)
    case("corrcoef", [], [(numbers((9,), dtype), "plain"), (numbers((2, 9), dtype), "plain")], lambda x, y: np.corrcoef(x, y), 20)
    for shape, view in (((3,), "plain"), ((9,), "flip"), ((5, 4), "plain"), ((4, 5), "transpose"), ((3, 8), "step"), ((3, 5, 4), "plain"),
                        ((4, 1, 3), "plain")):
        x = numbers(shape, dtype)
        viewed = VIEWS[view](x)
        for axis in range(viewed.ndim):
            for edge in (1, 2):
                if viewed.shape[axis] <= edge:
                    continue
                case("gradient", [axis, 0.25, edge], [(x, view)], lambda a: np.gradient(a, 0.25, axis=axis, edge_order=edge), 40)
                places = np.cumsum(rng.uniform(0.2, 2, viewed.shape[axis])).round(2).astype(dtype)
                case("gradient", [axis - viewed.ndim, 0, edge], [(x, view), (places, "plain")],
                     lambda a, p: np.gradient(a, p, axis=axis, edge_order=edge), 200)
    case("gradient", [0, 1, 1], [(numbers((2,), dtype), "plain")], np.gradient, 20)
    for points, degree, curves in ((5, 0, 0), (5, 1, 0), (5, 4, 0), (30, 3, 0), (30, 3, 4), (30, 2, 1), (8, 1, 3)):
        x = np.linspace(-2, 3, points).round(2).astype(dtype)
        y = numbers((points, curves) if curves else (points,), dtype)
        case("polyfit", [degree], [(x, "flip"), (y, "plain")], lambda a, b: np.polyfit(a, b, degree), 40 * 4.0 ** degree)
    for terms in (0, 1, 2, 6):
        for shape, view in (((4,), "flip"), ((3, 4), "transpose"), ((2, 6), "step"), ((), "plain"), ((0,), "plain")):
            case("polyval", [], [(numbers((terms,), dtype), "plain"), (numbers(shape, dtype), view)], np.polyval, 40)
Path(__file__).with_name("cases.txt").write_text("\n".join(lines) + "\n")
