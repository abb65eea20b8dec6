#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes cases.txt, in the form of ../generate.py: losses of classes by the formulas of PyTorch's documentation, in NumPy.

    python3 generate.py > cases.txt
"""
import sys

import numpy as np

# The shape of the labels and the number of classes, which stand along axis 1, or 0 of one example.
SHAPES = [((1,), 1), ((5,), 3), ((17,), 10), ((4, 3), 2), ((2, 3, 2), 5), ((), 4), ((3, 1), 7)]
REDUCTIONS = ["mean", "sum", "none"]
IGNORED = -100
rng = np.random.Generator(np.random.Philox(5))
count = 0


def line(array):
    return " ".join([str(array.ndim), *map(str, array.shape), *(str(v) for v in array.reshape(-1))])


def log_softmax(x, axis):
    shifted = x - x.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


def losses(log_p, labels, weight, smoothing, axis):
    """The loss of each example that counts, 0 of the others, and the weight of its class."""
    classes = log_p.shape[axis]
    counts = labels != IGNORED
    chosen = np.where(counts, labels, 0)
    at_label = np.take_along_axis(log_p, np.expand_dims(chosen, axis), axis).squeeze(axis)
    along = weight.reshape([classes] + [1] * (log_p.ndim - 1 - axis))
    smooth = (log_p * along).sum(axis) * smoothing / classes
    each = -(1 - smoothing) * weight[chosen] * at_label - smooth
    return np.where(counts, each, 0), np.where(counts, weight[chosen], 0)


def case(op, x, labels, weight, smoothing):
    global count
    axis = 1 if x.ndim > 1 else 0
    w = np.ones(x.shape[axis]) if weight is None else weight
    wide = x.astype(np.float64)
    log_p = log_softmax(wide, axis) if op == "cross_entropy" else wide
    each, weights = losses(log_p, labels, w.astype(np.float64), smoothing, axis)
    for reduction, result in enumerate([each.sum() / weights.sum(), each.sum(), each]):
        count += 1
        print(f"case {op}-{count}")
        print("op", op, reduction, smoothing)
        for array in [x, labels] + ([] if weight is None else [weight]):
            print("in", array.dtype, "plain", line(array))
        print("out", x.dtype, line(np.asarray(result)))
        print("tol", *((2e-6, 2e-6) if x.dtype == np.float32 else (1e-14, 1e-14)))


for shape, classes in SHAPES:
    for dtype in [np.float32, np.float64]:
        for ignores in [False, True]:
            labels = rng.integers(0, classes, shape)
            if ignores:
                labels = np.where(rng.uniform(size=shape) < 0.4, IGNORED, labels)
                if not (labels != IGNORED).any():
                    labels = np.zeros(shape, np.int64)
            whole = (*shape[:1], classes, *shape[1:])
            x = rng.uniform(-4, 4, whole).round(2).astype(dtype)
            for weight in [None, rng.uniform(0.25, 2, classes).round(2).astype(dtype)]:
                for smoothing in [0.0, 0.25, 1.0]:
                    case("cross_entropy", x, labels, weight, smoothing)
                case("nll_loss", -np.abs(x), labels, weight, 0.0)
print(count, "cases", file=sys.stderr)
