# SPDX-License-Identifier: Apache-2.0
"""What moves elements, reads and writes by index, and linear algebra, Fourier transforms and windows: draws a case of each.

What the tolerances rest on: 0 for what moves elements, and for products of whole numbers. Products of floats: the number of terms times
the unit roundoff times the product of absolute values (Higham 2002, 3.5). Linear algebra: 2^14 units of the largest element, for
matrices that are well conditioned. Transforms: 16 units of the largest element for each factor of 2 in the length (Higham 2002, 24.1).
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from draw import Case, Expected, arranged, operand, shape, values

try:
    import scipy.signal
except ImportError:
    scipy = None


def axis_of(rng, rank):
    return int(rng.integers(rank)) - (rank if rng.random() < 0.3 else 0)


def moved(rng):
    dtype = str(rng.choice(["uint8", "float32", "int64"]))
    op = str(rng.choice(["copy", "reshape", "permute", "flip", "roll", "tile", "repeat", "moveaxis", "split", "concat", "stack",
                         "triu", "tril", "pad", "pad", "pad"]))
    lowest = 2 if op in ("triu", "tril") else 0 if op in ("copy", "reshape", "permute", "stack", "tile", "pad") else 1
    x = operand(rng, shape(rng, lowest, 4 if op == "stack" else 5), dtype)
    v, rank = x.value, x.value.ndim
    if op == "copy":
        return Case(op, [x], [Expected(v)])
    if op == "reshape":
        left, extents = v.size, []
        while left > 1 and len(extents) < 4:
            extents.append(int(rng.choice([d for d in range(1, left + 1) if left % d == 0])))
            left //= extents[-1]
        extents = extents + [left] if left != 1 or not extents else extents
        return Case(op, [x], [Expected(v.reshape(extents))], extents)
    if op == "permute":
        axes = rng.permutation(rank).tolist()
        return Case(op, [x], [Expected(v.transpose(axes))], axes)
    if op == "flip":
        axes = rng.permutation(rank)[:int(rng.integers(1, rank + 1))].tolist()
        return Case(op, [x], [Expected(np.flip(v, axes))], axes)
    if op == "roll":
        shift, axis = int(rng.integers(-9, 10)), axis_of(rng, rank)
        if rng.random() < 0.2:
            return Case(op, [x], [Expected(np.roll(v, shift))], [shift])
        return Case(op, [x], [Expected(np.roll(v, shift, axis))], [shift, axis])
    if op == "tile":
        repeats = rng.integers(0 if rng.random() < 0.1 else 1, 4, rank).tolist()
        return Case(op, [x], [Expected(np.tile(v, repeats) if rank else v)], repeats)
    if op == "repeat":
        count, axis = int(rng.integers(0, 4)), axis_of(rng, rank)
        return Case(op, [x], [Expected(np.repeat(v, count, axis))], [count, axis])
    if op == "moveaxis":
        a, b = axis_of(rng, rank), axis_of(rng, rank)
        return Case(op, [x], [Expected(np.moveaxis(v, a, b))], [a, b])
    if op == "split":
        axis = int(rng.integers(rank))
        cuts = np.sort(rng.integers(0, v.shape[axis] + 1, int(rng.integers(0, 3))))
        return Case(op, [x], [Expected(p) for p in np.split(v, cuts, axis)], [axis, *np.diff([0, *cuts, v.shape[axis]])])
    if op in ("triu", "tril"):
        k = int(rng.integers(-4, 5))
        return Case(op, [x], [Expected(getattr(np, op)(v, k))], [k])
    if op == "pad":
        mode = int(rng.integers(5)) if v.size else 0
        widths = [tuple(rng.integers(0, 4, 2).tolist()) for _ in range(rank)]
        if mode:
            widths = [tuple(min(w, max(0, e - 1)) for w in width) for width, e in zip(widths, v.shape)]
        how = {} if mode else {"constant_values": 7}
        name = ["constant", "reflect", "symmetric", "edge", "wrap"][mode]
        return Case(op, [x], [Expected(np.pad(v, widths, name, **how) if rank else v)], [mode, 7, *sum(widths, ())])
    others, axis = [x], int(rng.integers(rank + (op == "stack")))
    for _ in range(int(rng.integers(0, 3))):
        extents = list(v.shape)
        if op == "concat":
            extents[axis] = int(rng.integers(0, 5))
        others.append(operand(rng, tuple(extents), dtype))
    return Case(op, others, [Expected((np.concatenate if op == "concat" else np.stack)([o.value for o in others], axis))], [axis])


def places(rng, extent, extents):
    """Positions along an axis, some from the end."""
    found = rng.integers(0, extent, extents)
    return np.asarray(np.where(rng.random(extents) < 0.2, found - extent, found))


def indexed(rng):
    dtype = str(rng.choice(["float32", "int64"]))
    op = str(rng.choice(["take", "gather", "scatter", "scatter_add", "index_add", "pick", "put", "masked_select", "masked_fill",
                         "masked_scatter", "nonzero", "assign"]))
    x = operand(rng, shape(rng, 2 if op in ("pick", "put") else 1, least=1), dtype, low=-9, high=9)
    v = x.value = np.asarray(x.value)
    if dtype == "float32":  # whole numbers, whose sums are exact
        x = arranged(rng, np.round(v))
        v = x.value
    axis = int(rng.integers(v.ndim))
    behind = (slice(None),) * axis
    new = lambda extents: arranged(rng, np.round(values(rng, extents, dtype, -9, 9)).astype(dtype))  # noqa: E731
    y = np.array(v)
    if op == "take":
        i = arranged(rng, places(rng, v.shape[axis], shape(rng, 0, 2)))
        return Case(op, [x, i], [Expected(np.take(v, i.value, axis))], [axis])
    if op in ("gather", "scatter", "scatter_add"):
        extents = list(v.shape)
        extents[axis] = int(rng.integers(0, v.shape[axis] + 1))
        drawn = places(rng, v.shape[axis], tuple(extents)) if op != "scatter" else np.argsort(rng.random(v.shape), axis)[
            behind + (slice(0, extents[axis]),)]
        i = arranged(rng, drawn, free=op != "scatter")
        if op == "gather":
            return Case(op, [x, i], [Expected(np.take_along_axis(v, i.value, axis))], [axis])
        source = new(tuple(extents))
        if op == "scatter":
            np.put_along_axis(y, i.value, source.value, axis)
        else:
            where = list(np.indices(i.value.shape))
            where[axis] = i.value
            np.add.at(y, tuple(where), source.value)
        return Case(op, [x, i, source], [Expected(y)], [axis])
    if op == "index_add":
        i = arranged(rng, places(rng, v.shape[axis], (int(rng.integers(0, 6)),)))
        extents = list(v.shape)
        extents[axis] = i.value.size
        source = new(tuple(extents))
        np.add.at(y, behind + (i.value,), source.value)
        return Case(op, [x, i, source], [Expected(y)], [axis])
    if op in ("pick", "put"):
        count = shape(rng, 1, 2)
        i, j = (arranged(rng, places(rng, e, count)) for e in v.shape[:2])
        if op == "pick":
            return Case(op, [x, i, j], [Expected(v[i.value, j.value])])
        source = new(i.value.shape + v.shape[2:])
        if rng.random() < 0.5:  # the same everywhere, for which of two comes last is open
            source = arranged(rng, np.full_like(source.value, 5))
            y[i.value, j.value] = source.value
            return Case(op, [x, i, j, source], [Expected(y)], [0])
        np.add.at(y, (i.value, j.value), source.value)
        return Case(op, [x, i, j, source], [Expected(y)], [1])
    if op.startswith("masked"):
        mask = operand(rng, v.shape, "bool")
        if op == "masked_select":
            return Case(op, [x, mask], [Expected(v[mask.value])])
        if op == "masked_fill":
            y[mask.value] = 3
            return Case(op, [x, mask], [Expected(y)], [3])
        count = int(np.count_nonzero(mask.value))
        source = new((count + int(rng.integers(0, 3)),))
        y[mask.value] = source.value[:count]
        return Case(op, [x, mask, source], [Expected(y)])
    if op == "nonzero":
        return Case(op, [x], [Expected(np.argwhere(v), dtype="int64")])
    start, stop = (int(n) for n in rng.integers(-v.shape[axis] - 2, v.shape[axis] + 3, 2))
    step = int(rng.choice([1, 2, 3, -1, -2]))
    part = behind + (slice(start, stop, step),)
    source = new(v[part].shape)
    y[part] = source.value
    return Case(op, [x, source], [Expected(y)], [axis, start, stop, step])


def product_case(op, operands, f, args=(), terms=1):
    a = [o.value for o in operands]
    if a[0].dtype.kind != "f":
        return Case(op, operands, [Expected(f(*a))], args)
    dtype, wide = a[0].dtype, [x.astype(np.float64 if a[0].dtype == np.float32 else np.longdouble) for x in a]
    return Case(op, operands, [Expected(f(*wide), 1, terms * np.finfo(dtype).eps * f(*map(np.abs, wide)), dtype)], args)


def product(rng):
    dtype = str(rng.choice(["float32", "float64", "int32"]))
    op = str(rng.choice(["matmul", "outer", "tensordot", "einsum"])) if dtype != "int32" else "matmul"
    n, k, m = (int(e) for e in rng.integers(0 if rng.random() < 0.1 else 1, 40 if rng.random() < 0.2 else 9, 3))
    of = lambda *extents: operand(rng, extents, dtype)  # noqa: E731
    if op == "outer":
        return product_case(op, [of(n), of(m)], np.outer)
    if op == "tensordot":
        a, b = shape(rng, 1, 3, most=5), shape(rng, 1, 3, most=5)
        count = int(rng.integers(1, min(len(a), len(b)) + 1))
        of_a, of_b = rng.permutation(len(a))[:count].tolist(), rng.permutation(len(b))[:count].tolist()
        b = list(b)
        for i, j in zip(of_a, of_b):
            b[j] = a[i]
        terms = int(np.prod([a[i] for i in of_a]))
        return product_case(op, [of(*a), of(*b)], lambda x, y: np.tensordot(x, y, (of_a, of_b)), [count, *of_a, *of_b], terms + 1)
    if op == "einsum":
        dtype, which, b = "float64", int(rng.integers(5)), int(rng.integers(1, 4))
        text = ["ij,jk->ik", "bij,bjk->bik", "ii->i", "ijk->ki", "i,j,ij->"][which]
        extents = {"i": n, "j": k, "k": m, "b": b}
        operands = [of(*(extents[c] for c in part)) for part in text.split("->")[0].split(",")]
        return product_case(f"einsum_{which}", operands, lambda *x: np.einsum(text, *x), terms=n * k + 2)
    batch = shape(rng, 0, 2, least=1, most=3)
    kind = int(rng.integers(4))
    a, b = [((n, k), (k, m)), ((k,), (k, m)), ((n, k), (k,)), (batch + (n, k), batch[int(rng.integers(len(batch) + 1)):] + (k, m))][kind]
    return product_case("matmul", [of(*a), of(*b)], np.matmul, terms=k + 1)


def solved(rng):
    n, m = (int(e) for e in rng.integers(1, 9, 2))
    op = str(rng.choice(["solve", "det", "inv", "cholesky", "eigvalsh", "svdvals", "pinv", "lstsq", "matrix_power"]))
    batch = shape(rng, 0, 2, least=1, most=3) if op not in ("lstsq", "matrix_power", "pinv") else ()
    square = rng.normal(size=batch + (n, n))
    if op in ("cholesky", "eigvalsh"):
        square = square @ square.swapaxes(-1, -2) + np.eye(n)
    else:
        square = square + 2 * n * np.eye(n)
    if op in ("svdvals", "pinv", "lstsq"):
        square = rng.normal(size=batch + (n + 2, n)) + 3 * np.eye(n + 2, n)
    a = arranged(rng, square, free=False)
    inputs, args = [a], []
    if op in ("solve", "lstsq"):
        inputs.append(operand(rng, a.value.shape[:-1] + (m,), "float64"))
        value = np.linalg.solve(a.value, inputs[1].value) if op == "solve" else np.linalg.lstsq(a.value, inputs[1].value, None)[0]
    elif op == "svdvals":
        value = np.linalg.svd(a.value, compute_uv=False)
    elif op == "matrix_power":
        args = [int(rng.integers(0, 5))]
        value = np.linalg.matrix_power(a.value, args[0])
    else:
        value = getattr(np.linalg, op)(a.value)
    absolute = 2.0**14 * np.finfo(float).eps * np.max(np.abs(value), initial=0)
    return Case(op, inputs, [Expected(value, 0, absolute)], args)


def transformed(rng):
    op = str(rng.choice(["fft_real", "fft", "ifft", "rfft", "irfft"]))
    extents = shape(rng, 1, 3, least=1)
    axis = axis_of(rng, len(extents))
    n = extents[axis] if rng.random() < 0.5 else int(rng.integers(1, 80))
    if op == "irfft" and n < 2:
        n = 2
    x = operand(rng, extents, "float64" if op in ("fft_real", "rfft") else "complex128")
    norm = int(rng.integers(3))
    value = getattr(np.fft, op.split("_")[0])(x.value, n, axis, ["backward", "ortho", "forward"][norm])
    absolute = 16 * (np.log2(n) + 1) * np.finfo(float).eps * np.max(np.abs(value), initial=0)
    return Case(op, [x], [Expected(value, 0, absolute)], [axis, n, norm])


def windows(x, kernel, stride, dilation=1):
    """The windows of the last axes, those of `kernel`."""
    axes = tuple(range(x.ndim - len(kernel), x.ndim))
    seen = sliding_window_view(x, [(k - 1) * dilation + 1 for k in kernel], axes)
    seen = seen[(Ellipsis,) + (slice(None, None, stride),) * len(kernel) + (slice(None),) * len(kernel)]
    return seen[(Ellipsis,) + (slice(None, None, dilation),) * len(kernel)]


def convolved(rng, axes):
    groups = int(rng.choice([1, 1, 2]))
    channels, kernels, batch = groups * int(rng.integers(1, 3)), groups * int(rng.integers(1, 3)), int(rng.integers(1, 3))
    kernel = tuple(int(k) for k in rng.integers(1, 4, axes))
    stride, padding, dilation = int(rng.integers(1, 3)), int(rng.integers(0, 3)), int(rng.integers(1, 3))
    extents = tuple((k - 1) * dilation + 1 + int(rng.integers(0, 9)) for k in kernel)
    x, w = operand(rng, (batch, channels) + extents, "float32"), operand(rng, (kernels, channels // groups) + kernel, "float32")

    def conv(values_of, weights):
        padded = np.pad(values_of, [(0, 0)] * 2 + [(padding, padding)] * axes)
        if scipy is not None and groups == stride == dilation == 1:
            return np.stack([[scipy.signal.correlate(image, weight, "valid")[0] for weight in weights] for image in padded])
        seen = windows(padded, kernel, stride, dilation)
        each = channels // groups
        parts = [np.einsum("ncxk,ock->nox" if axes == 1 else "ncxykl,ockl->noxy", seen[:, g * each:(g + 1) * each],
                           weights[g * kernels // groups:(g + 1) * kernels // groups]) for g in range(groups)]
        return np.concatenate(parts, 1)
    terms = int(np.prod(kernel)) * channels // groups + 1
    return product_case(f"conv{axes}d", [x, w], conv, [stride, padding, dilation, groups], terms)


def pooled(rng, axes):
    kernel = int(rng.integers(1, 4))
    stride, padding = int(rng.integers(1, 4)), int(rng.integers(0, kernel // 2 + 1))
    x = operand(rng, shape(rng, 2, 2, least=1)[:2] + tuple(int(e) for e in rng.integers(kernel, kernel + 8, axes)), "float32")
    frame = [(0, 0)] * 2 + [(padding, padding)] * axes
    last = tuple(range(-axes, 0))
    if rng.random() < 0.5:
        padded = np.pad(x.value, frame, constant_values=-np.inf)
        return Case(f"max_pool{axes}d", [x], [Expected(np.max(windows(padded, (kernel,) * axes, stride), last))], [kernel, stride, padding])
    include = bool(rng.integers(2))
    sums = np.sum(windows(np.pad(x.value.astype(float), frame), (kernel,) * axes, stride), last)
    counts = np.sum(windows(np.pad(np.ones_like(x.value), frame), (kernel,) * axes, stride), last) if not include else kernel**axes
    absolute = 2 * kernel**axes * np.finfo(np.float32).eps * np.max(np.abs(x.value), initial=0)
    return Case(f"avg_pool{axes}d", [x], [Expected(sums / counts, 1, absolute, "float32")], [kernel, stride, padding, include])


def window_case(rng):
    axes = int(rng.integers(1, 3))
    return convolved(rng, axes) if rng.random() < 0.5 else pooled(rng, axes)


DRAWN = [(moved, 5), (indexed, 4), (product, 2), (solved, 1), (transformed, 1), (window_case, 1)]
