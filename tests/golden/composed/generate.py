#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes cases.txt beside it: frames, parts of an axis, scans with options, topk, activations and layer_norm by NumPy.

    python3 tests/golden/composed/generate.py

cases.txt has the form of ../generate.py. What only moves elements is equal to the bit, and so are sums of small multiples of 1/4.
Widths of a frame are given as before and after, for each axis of the operand.
"""
from pathlib import Path

import numpy as np

VIEWS = {
    "plain": lambda a: a,
    "transpose": lambda a: a.T,
    "step": lambda a: a[..., ::2],
    "flip": lambda a: a[::-1],
    "broadcast": lambda a: np.broadcast_to(a, (3,) + a.shape),
}
rng = np.random.Generator(np.random.Philox(2032))
lines = []


def case(op, args, inputs, outputs, tol=(0, 0)):
    lines.append(f"case {op}-{len(lines)}")
    lines.append(" ".join(["op", op, *map(str, args)]))
    for array, view in [*inputs, *((np.asarray(result), None) for result in outputs)]:
        kind = ["in", str(array.dtype), view] if view else ["out", str(array.dtype)]
        text = [str(int(v)) if array.dtype.kind == "i" else str(v).removesuffix(".0") for v in array.reshape(-1)]
        lines.append(" ".join([*kind, str(array.ndim), *map(str, array.shape), *text]))
        if view is None:
            lines.append(f"tol {tol[0]} {tol[1]}")


def few(shape, dtype=np.float64):
    """Numbers whose sums are exact and of which several are equal."""
    return (rng.integers(-8, 9, shape) / 4).astype(dtype)


def spread(shape, dtype, low=-5, high=5):
    return rng.uniform(low, high, shape).astype(dtype)


# Awkward on purpose: nothing, one, primes, and operands that do not lie in memory as they are read.
SHAPES = [((1,), "plain"), ((13,), "flip"), ((5, 7), "plain"), ((7, 5), "transpose"), ((3, 14), "step"), ((2, 5), "broadcast"),
          ((3, 1, 2), "plain"), ((11, 2, 3), "transpose")]
EMPTY = [((0,), "plain"), ((3, 0), "plain"), ((0, 3), "transpose")]

for shape, view in [((), "plain"), *SHAPES, *EMPTY]:
    array = few(shape)
    x = VIEWS[view](array)
    for kind, mode in enumerate(["constant", "reflect", "symmetric", "edge", "wrap"]):
        for _ in range(2):
            widths = []
            for extent in x.shape:
                most = {"constant": 3, "edge": 3, "reflect": extent - 1}.get(mode, extent)
                most = 0 if extent == 0 and mode != "constant" else min(most, 3)
                widths.append(tuple(int(v) for v in rng.integers(0, most + 1, 2)))
            more = {"constant_values": 0.25} if mode == "constant" else {}
            result = np.pad(x, widths, mode, **more) if x.ndim else x
            case("pad", [kind, *(v for width in widths for v in width)], [(array, view)], [result])
for shape, view in [*SHAPES, *EMPTY]:
    array = few(shape)
    x = VIEWS[view](array)
    for axis in range(x.ndim):
        extent = x.shape[axis]
        for start, length in {(0, extent), (extent // 2, extent - extent // 2), (extent // 3, 0)}:
            part = [slice(None)] * x.ndim
            part[axis] = slice(start, start + length)
            case("narrow", [axis - x.ndim, start, length], [(array, view)], [x[tuple(part)]])
        for position in {0, extent // 2, -1} if extent else {}:
            case("select", [axis, position], [(array, view)], [np.take(x, position, axis)])
for shape, view in [*SHAPES, *EMPTY]:
    for op, function, identity in [("cumsum", np.cumsum, 0), ("cumprod", np.cumprod, 1)]:
        for exclusive, reverse in [(0, 0), (0, 1), (1, 0), (1, 1)]:
            array = few(shape) if op == "cumsum" else rng.choice([-2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 4.0], shape)
            x = VIEWS[view](array)
            axis = int(rng.integers(x.ndim))
            y = np.flip(x, axis) if reverse else x
            if exclusive and x.shape[axis]:
                part = [slice(None)] * x.ndim
                part[axis] = slice(0, -1)
                one = [1 if i == axis else n for i, n in enumerate(x.shape)]
                y = np.concatenate([np.full(one, identity, x.dtype), y[tuple(part)]], axis)
            y = function(y, axis=axis)
            case(op, [axis, exclusive, reverse], [(array, view)], [np.flip(y, axis) if reverse else y])
for shape, view in SHAPES:
    array = few(shape)
    x = VIEWS[view](array)
    for axis in range(x.ndim):
        for largest in [1, 0]:
            order = np.argsort(-x if largest else x, axis, kind="stable")
            for k in sorted({0, 1, x.shape[axis] // 2, x.shape[axis]}):
                indices = np.take(order, range(k), axis)
                case("topk", [k, axis, largest], [(array, view)], [np.take_along_axis(x, indices, axis), indices])


def softplus(x):
    return np.where(np.isnan(x), x, np.logaddexp(np.nan_to_num(x), 0))


ACTIVATIONS = {
    "celu": ([0.7], lambda x: np.where(x > 0, x, 0.7 * np.expm1(x / 0.7))),
    "hardsigmoid": ([], lambda x: np.clip(x / 6 + 0.5, 0, 1)),
    "hardswish": ([], lambda x: x * np.clip(x + 3, 0, 6) / 6),
    "hardtanh": ([-0.5, 1.5], lambda x: np.clip(x, -0.5, 1.5)),
    "mish": ([], lambda x: x * np.tanh(softplus(x))),
    "softsign": ([], lambda x: x / (1 + np.abs(x))),
}
CORNERS = np.array([0.0, 1.0, -1.0, 3.0, -3.0, 6.0, -6.0, 0.7, -0.7, 20.0, -20.0, np.nan])
for op, (args, function) in ACTIVATIONS.items():
    for dtype, tol in [(np.float32, (2e-6, 1e-6)), (np.float64, (1e-14, 1e-15))]:
        for shape, view in [((), "plain"), *SHAPES[::3], EMPTY[2]]:
            array = spread(shape, dtype)
            case(op, args, [(array, view)], [np.asarray(function(VIEWS[view](array).astype(np.float64))).astype(dtype)], tol)
        corners = CORNERS.astype(dtype)
        case(op, args, [(corners, "plain")], [function(corners.astype(np.float64)).astype(dtype)], tol)
for dtype in [np.float32, np.float64]:
    for shape, view, weights in [((7,), "plain", (1,)), ((5, 7), "plain", (7,)), ((7, 5), "transpose", (7,)), ((5, 7), "flip", (1,)),
                                 ((2, 3, 5), "transpose", (3,)), ((3, 14), "step", (7,)), ((0, 3), "plain", (3,))]:
        array, weight = few(shape, dtype), few(weights, dtype)
        x = VIEWS[view](array)
        wide = weight.reshape((-1,) + (1,) * (x.ndim - 2)) if weight.size > 1 else weight
        case("prelu", [], [(array, view), (weight, "plain")], [np.where(x > 0, x, wide * x)])
for dtype, tol in [(np.float32, (1e-5, 1e-5)), (np.float64, (1e-12, 1e-13))]:
    for shape, view, last in [((5, 7), "plain", 1), ((7, 5), "transpose", 1), ((3, 14), "step", 2), ((2, 3, 5), "plain", 2),
                              ((5, 3, 2), "transpose", 2), ((5, 3, 2), "transpose", 3), ((2, 3, 1, 13), "plain", 3),
                              ((2, 5), "broadcast", 2), ((1, 1), "plain", 1), ((0, 3), "plain", 1), ((11,), "flip", 1)]:
        array = spread(shape, dtype)
        x = VIEWS[view](array).astype(np.float64)
        weight, bias = spread(x.shape[-last:], dtype), spread(x.shape[-last:], dtype)
        axes = tuple(range(-last, 0))
        centred = x - x.mean(axes, keepdims=True)
        y = centred / np.sqrt((centred ** 2).mean(axes, keepdims=True) + 0.01) * weight + bias
        case("layer_norm", [0.01], [(array, view), (weight, "plain"), (bias, "plain")], [y.astype(dtype)], tol)
(Path(__file__).parent / "cases.txt").write_text("\n".join(lines) + "\n")
