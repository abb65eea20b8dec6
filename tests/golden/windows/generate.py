#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes cases.txt, in the form of ../generate.py: convolutions and poolings of one, two and three axes by their definition.

    python3 generate.py > cases.txt
"""
import itertools
import math
import sys

import numpy as np

rng = np.random.Generator(np.random.Philox(33))
count = 0


def line(array):
    return " ".join([str(array.ndim), *map(str, array.shape), *(str(v) for v in array.reshape(-1))])


def case(op, args, inputs, outputs, tolerance=0.0):
    global count
    count += 1
    print(f"case {op}-{count}")
    print("op", op, *(int(a) for a in args))
    for array in inputs:
        print("in", array.dtype, "plain", line(array))
    for array in outputs:
        print("out", array.dtype, line(array))
        print("tol", tolerance, tolerance)


def extent(size, kernel, stride, padding, dilation, up):
    room = size + 2 * padding - dilation * (kernel - 1) - 1
    out = (-(-room // stride) if up else room // stride) + 1
    return out - 1 if up and (out - 1) * stride >= size + padding else out


def quarters(*shape):
    """Numbers of which sums of products are exact in any order."""
    return rng.integers(-8, 9, shape) / 4


def conv(axes, x, weight, bias, stride, padding, dilation, groups):
    """Of a batch."""
    inner = [extent(n, k, s, p, d, False) for n, k, s, p, d in zip(x.shape[2:], weight.shape[2:], stride, padding, dilation)]
    padded = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)])
    y = np.zeros((x.shape[0], weight.shape[0], *inner))
    per_in, per_out = x.shape[1] // groups, weight.shape[0] // groups
    for o in range(weight.shape[0]):
        read = padded[:, o // per_out * per_in:][:, :per_in]
        for at in np.ndindex(*inner):
            window = tuple(slice(i * s, i * s + d * (k - 1) + 1, d)
                           for i, s, d, k in zip(at, stride, dilation, weight.shape[2:]))
            y[(slice(None), o, *at)] = (read[(slice(None), slice(None), *window)] * weight[o]).sum(tuple(range(1, axes + 2)))
    return y + bias.reshape(-1, *[1] * axes)


def pool(x, kernel, stride, padding, dilation, up, counts):
    """Largest elements, their flat positions, and averages."""
    size = x.shape[2:]
    inner = [extent(*a, up) for a in zip(size, kernel, stride, padding, dilation)]
    largest, places, average = (np.zeros((*x.shape[:2], *inner), t) for t in (x.dtype, np.int64, np.float64))
    for at in np.ndindex(*largest.shape):
        plane, windows = x[at[:2]], at[2:]
        first = [i * s - p for i, s, p in zip(windows, stride, padding)]
        read = [[f + j * d for j in range(k) if 0 <= f + j * d < n] for f, d, k, n in zip(first, dilation, kernel, size)]
        best = None
        for place in itertools.product(*read):
            if best is None or plane[place] > plane[best]:
                best = place
        largest[at] = plane[best]
        places[at] = np.ravel_multi_index(best, size)
        padded = math.prod(sum(f + j * d < n + p for j in range(k)) for f, d, k, n, p in zip(first, dilation, kernel, size, padding))
        elements = [float(plane[place]) for place in itertools.product(*read)]
        average[at] = sum(elements) / (padded if counts else len(elements))
    return largest, places, average


for axes, x, weight, stride, padding, dilation, groups in [
        (1, (2, 3, 9), (4, 3, 3), (1,), (0,), (1,), 1), (1, (1, 4, 11), (6, 2, 4), (2,), (3,), (2,), 2),
        (1, (3, 2, 5), (2, 1, 5), (3,), (2,), (1,), 2), (1, (2, 1, 6), (3, 1, 1), (1,), (0,), (1,), 1),
        (3, (2, 3, 4, 5, 3), (2, 3, 2, 3, 2), (1, 1, 1), (0, 0, 0), (1, 1, 1), 1),
        (3, (1, 2, 3, 4, 5), (3, 2, 3, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1), 1),
        (3, (2, 4, 6, 5, 4), (4, 2, 2, 2, 3), (2, 1, 3), (1, 0, 2), (3, 2, 1), 2),
        (3, (1, 3, 4, 3, 3), (3, 1, 3, 1, 2), (1, 2, 1), (2, 0, 1), (1, 1, 2), 3),
        (3, (2, 2, 3, 2, 2), (2, 2, 1, 1, 1), (1, 1, 1), (0, 0, 0), (1, 1, 1), 1)]:
    a, w, b = quarters(*x), quarters(*weight), quarters(weight[0])
    case(f"conv{axes}d", [*stride, *padding, *dilation, groups], [a, w, b], [conv(axes, a, w, b, stride, padding, dilation, groups)])

for axes, shape, kernel, stride, padding, dilation in [
        (1, (2, 3, 9), (2,), (2,), (0,), (1,)), (1, (1, 2, 10), (3,), (2,), (1,), (1,)), (1, (2, 1, 11), (3,), (2,), (1,), (2,)),
        (2, (2, 3, 6, 5), (2, 2), (2, 2), (0, 0), (1, 1)), (2, (1, 2, 7, 6), (3, 2), (2, 1), (1, 1), (1, 1)),
        (2, (1, 1, 9, 8), (2, 3), (1, 2), (1, 0), (3, 2)),
        (3, (2, 2, 4, 5, 6), (2, 2, 2), (2, 2, 2), (0, 0, 0), (1, 1, 1)),
        (3, (1, 2, 5, 4, 6), (3, 2, 3), (2, 1, 2), (1, 1, 1), (1, 1, 1)),
        (3, (1, 1, 7, 6, 5), (2, 3, 2), (1, 2, 2), (1, 0, 1), (3, 2, 1))]:
    for up in [False, True]:
        for counts in [False, True]:
            x = rng.integers(-3, 4, shape) / 4
            largest, places, average = pool(x, kernel, stride, padding, dilation, up, counts)
            options = [*kernel, *stride, *padding]
            if not counts:
                case(f"max_pool{axes}d", [*options, *dilation, up], [x], [largest, places])
            if axes == 2 or max(dilation) == 1:
                case(f"avg_pool{axes}d", [*options, *(dilation if axes == 2 else []), up, counts], [x], [average], 1e-14)
        if axes == 2:
            for dtype in [np.uint8, np.int8, np.int16, np.int32]:
                x = rng.integers(0 if dtype == np.uint8 else -100, 255 if dtype == np.uint8 else 100, shape).astype(dtype)
                if dtype == np.int32:
                    x += 2**30
                case("max_pool2d", [*options, *dilation, up], [x], [pool(x, kernel, stride, padding, dilation, up, True)[0]])
print(count, "cases", file=sys.stderr)
