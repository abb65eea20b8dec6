# SPDX-License-Identifier: Apache-2.0
"""Draws shapes, values and layouts, and says what a case is."""

import numpy as np


class Expected:
    """A result as NumPy has it, and how far from it another may be: `ulps` units in the last place of its type, and `absolute`.
    `any_zero`: either zero will do."""

    def __init__(self, value, ulps=0.0, absolute=0.0, dtype=None, any_zero=False):
        self.value, self.ulps, self.absolute, self.any_zero = np.asarray(value), ulps, absolute, any_zero
        self.dtype = np.dtype(dtype) if dtype is not None else self.value.dtype


class Case:
    def __init__(self, op, inputs, expected, args=()):
        """`inputs` are operands of `arranged`; `expected` is a list of `Expected`, or None where NumPy refuses."""
        self.op, self.inputs, self.expected, self.args = op, inputs, expected, [float(a) for a in args]

    def message(self, number):
        """The case as the program reads it."""
        args = "".join(f" {a:.17g}" for a in self.args)
        parts = [f"case {number} {self.op} {len(self.inputs)}{args}\n".encode()]
        for operand in self.inputs:
            data = np.ascontiguousarray(operand.base).tobytes()
            views = "".join(f" {kind} {len(n)}" + "".join(f" {x}" for x in n) for kind, n in operand.views)
            extents = "".join(f" {e}" for e in operand.base.shape)
            parts.append(f"in {operand.base.dtype} {operand.base.ndim}{extents} {len(operand.views)}{views} {len(data)}\n".encode())
            parts.append(data)
        return b"".join(parts)

    def __str__(self):
        operands = ", ".join(map(str, self.inputs))
        args = "(" + ", ".join(f"{a:g}" for a in self.args) + ")" if self.args else ""
        return f"{self.op}{args} of {operands}"


class Operand:
    def __init__(self, base, views, value):
        self.base, self.views, self.value = base, views, value

    def __str__(self):
        text = f"{self.value.dtype} {self.value.shape}"
        layout = ", ".join(" ".join([kind, *map(str, n)]) for kind, n in self.views)
        text += f" [{layout} of {self.base.shape}]" if layout else ""
        return text + (f" {self.value.tolist()}" if self.value.size <= 6 else "")


def shape(rng, lowest=0, highest=5, least=0, most=7):
    """Extents, often with 1 and sometimes with 0 among them; long where there is one axis."""
    rank = int(rng.integers(lowest, highest + 1))
    limit = {0: 1, 1: 70, 2: 12}.get(rank, most if rank == 3 else 4)
    if rank == 1 and rng.random() < 0.1:
        limit = 2000
    extents = [int(rng.integers(max(1, least), limit + 1)) for _ in range(rank)]
    for axis in range(rank):
        if rng.random() < 0.1 and least <= 1:
            extents[axis] = 1
    if rank in (2, 3) and rng.random() < 0.06:  # more than a block of any kernel has
        axis = int(rng.integers(rank))
        extents = [e if i != axis else int(rng.integers(100, 2000)) for i, e in enumerate(min(e, 4) for e in extents)]
    if rank and least == 0 and rng.random() < 0.06:
        extents[int(rng.integers(rank))] = 0
    return tuple(extents)


def values(rng, extents, dtype, low=None, high=None, special=0.0):
    """Numbers of a type; floats between `low` and `high`, with a NaN, an infinity or a zero at the rate `special`."""
    dtype = np.dtype(dtype)
    if dtype == np.bool_:
        return np.asarray(rng.random(extents) < rng.choice([0.1, 0.5, 0.9]))
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        low = max(-100, limits.min) if low is None else low
        high = min(100, limits.max) if high is None else high
        return rng.integers(low, high + 1, extents, dtype=dtype)
    if dtype.kind == "c":
        return (rng.normal(0, 2, extents) + 1j * rng.normal(0, 2, extents)).astype(dtype)
    result = np.asarray(rng.uniform(-6 if low is None else low, 6 if high is None else high, extents)).astype(dtype)
    if special:
        odd = rng.choice(np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0], dtype), extents)
        result = np.where(rng.random(extents) < special, odd, result)
    return np.asarray(result, dtype)


def distinct(rng, extents, dtype):
    """No two the same."""
    count = int(np.prod(extents))
    return rng.permutation(count).reshape(extents).astype(dtype)


def laid_out(rng, value):
    """One view and the array that it gives `value` of."""
    rank, kind = value.ndim, rng.choice(["perm", "slice", "slice"])
    if kind == "perm":
        axes = rng.permutation(rank)
        return np.ascontiguousarray(value.transpose(np.argsort(axes))), ("perm", axes.tolist())
    axis, step = int(rng.integers(rank)), int(rng.choice([1, 2, 3, -1, -2]))
    count = value.shape[axis]
    reach = max(0, count - 1) * abs(step)
    before, behind = (int(n) for n in rng.integers(0, 3, 2))
    extent = before + reach + 1 + behind
    start = before if step > 0 else before + reach
    stop = start + count * step
    if stop < 0:
        stop = -extent - 1
    extents = list(value.shape)
    extents[axis] = extent
    base = np.asarray(values(rng, tuple(extents), value.dtype))
    base[(slice(None),) * axis + (slice(start, stop, step),)] = value
    return base, ("slice", [axis, start, stop, step])


def arranged(rng, value, free=True):
    """An operand with this value, or where it is `free` one that is repeated along an axis, in some layout."""
    value = np.asarray(value)
    views, base = [], value
    if value.ndim and rng.random() < 0.6:
        if free and rng.random() < 0.2:
            axis = int(rng.integers(value.ndim))
            if value.shape[axis] > 0:
                base = value.take([0], axis)
                value = np.ascontiguousarray(np.broadcast_to(base, value.shape))
                views.append(("bcast", list(value.shape)))
        for _ in range(int(rng.integers(1, 3))):
            base, view = laid_out(rng, base)
            views.append(view)
    views.reverse()
    seen = base
    for kind, numbers in views:  # the views as NumPy has them give the value: a check of this file
        if kind == "perm":
            seen = seen.transpose(numbers)
        elif kind == "bcast":
            seen = np.broadcast_to(seen, numbers)
        else:
            seen = seen[(slice(None),) * numbers[0] + (slice(*numbers[1:]),)]
    assert seen.shape == value.shape and np.array_equal(seen, value, equal_nan=value.dtype.kind in "fc")
    return Operand(base, views, value)


def operand(rng, extents, dtype, free=True, **how):
    return arranged(rng, values(rng, extents, dtype, **how), free)
