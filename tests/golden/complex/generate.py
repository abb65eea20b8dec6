#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes cases.txt beside it: arithmetic, sums and products of complex numbers by NumPy.

    python3 tests/golden/complex/generate.py

cases.txt has the form of ../generate.py. Complex arrays have their parts along one more last axis. The arguments of a case are the
numbers of its operands' views, which are taken of the complex tensors, in VIEWS below; then the axis, if there is one.
"""
from pathlib import Path

import numpy as np

VIEWS = [lambda a: a, lambda a: a.T, lambda a: a[..., ::2], lambda a: a[::-1]]  # as `viewed` of ../complex.cpp
SHAPES = [((), 0), ((1,), 0), ((0, 3), 0), ((13,), 3), ((5, 7), 0), ((7, 5), 1), ((3, 14), 2), ((2, 3, 5), 1)]
PAIRS = [((5, 7), 0, (7,), 3), ((5, 1), 0, (1, 7), 0), ((7, 5), 1, (5, 14), 2), ((), 0, (11,), 0), ((0, 3), 0, (3,), 0), ((1,), 0, (1,), 0)]
PRODUCTS = [((5, 7), 0, (7, 3), 0), ((7, 5), 1, (7, 3), 3), ((1, 1), 0, (1, 1), 0), ((5, 0), 0, (0, 3), 0), ((7,), 0, (7, 3), 0),
            ((5, 14), 2, (7,), 3), ((2, 5, 3), 0, (3, 2), 0), ((13, 11), 1, (13, 2), 0)]
rng = np.random.Generator(np.random.Philox(2033))
lines = []


def parts(array):
    array = np.asarray(array)
    return np.stack([array.real, array.imag], -1) if np.iscomplexobj(array) else array


def line(array, digits):
    return " ".join([str(array.ndim), *map(str, array.shape), *(f"{v:.{digits}g}" for v in array.reshape(-1))])


def numbers(shape, is_complex=True):
    draw = np.round(rng.uniform(-3, 3, (*shape, 2)), 2)
    return draw[..., 0] + 1j * draw[..., 1] if is_complex else draw[..., 0]


def case(op, operands, function, args=(), dtype="float64", exact=False):
    """operands: (array, number of its view) pairs."""
    lines.append(f"case {op}-{len(lines)}")
    lines.append(" ".join(["op", op, *(str(view) for _, view in operands), *map(str, args)]))
    lines.extend(f"in {dtype} plain {line(parts(array), 9)}" for array, _ in operands)
    result = parts(function(*(VIEWS[view](array) for array, view in operands)))
    bound = 0 if exact else 20 * np.finfo(dtype).eps * max(1.0, float(np.abs(result).max(initial=0)))
    lines.extend([f"out {dtype} {line(result, 9 if dtype == 'float32' else 16)}", f"tol 0 {bound:.2g}"])


for dtype in ["float64", "float32"]:
    few = slice(None) if dtype == "float64" else slice(4, 7)
    for op, function in {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide}.items():
        for a, va, b, vb in PAIRS if dtype == "float64" else PAIRS[:3]:
            case(op, [(numbers(a), va), (numbers(b), vb)], function, dtype=dtype)
    for op, function in {"negative": np.negative, "conj": np.conj, "real": np.real, "imag": np.imag}.items():
        for shape, view in SHAPES[few]:
            case(op, [(numbers(shape), view)], function, dtype=dtype, exact=True)
    for op, function in {"abs": np.abs, "angle": np.angle}.items():
        for shape, view in SHAPES[few]:
            case(op, [(numbers(shape), view)], function, dtype=dtype)
    for shape, view in SHAPES[few]:
        case("polar", [(numbers(shape, False), view), (numbers(shape, False), view)], lambda r, phi: r * np.exp(1j * phi), dtype=dtype)
        for op, function in {"sum": np.sum, "prod": np.prod, "cumsum": np.cumsum, "cumprod": np.cumprod}.items():
            x = numbers(shape)
            for axis in {0, x.ndim - 1} if x.ndim and op in ("sum", "cumsum") else range(min(x.ndim, 1)):
                case(op, [(x, view)], lambda y, f=function, a=axis: f(y, axis=a), [axis], dtype)
        if shape and 0 not in shape:
            case("mean", [(numbers(shape), view)], lambda y: y.mean(0), [0], dtype)
    for a, va, b, vb in PRODUCTS if dtype == "float64" else PRODUCTS[:2]:
        case("matmul", [(numbers(a), va), (numbers(b), vb)], np.matmul, dtype=dtype)
case("angle", [(np.array([0, 1, -1, 1j, -1j, -2 + 0j, 3 - 4j]), 0)], np.angle)
(Path(__file__).parent / "cases.txt").write_text("\n".join(lines) + "\n")
