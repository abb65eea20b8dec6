# SPDX-License-Identifier: Apache-2.0
"""Functions of elements, reductions, scans and sorting: draws a case of each, with what NumPy makes of it.

What the tolerances rest on: 0 where IEEE 754 or whole numbers leave one result. For functions the bound that the table of functions
states (tests/functions.hpp), and for float16 one unit, since it is computed in float and rounded. For sums, by N. Higham, Accuracy and
Stability of Numerical Algorithms, 2002, 4.2: the number of terms in a block times the unit roundoff times the sum of absolute values.
"""

import numpy as np

from draw import Case, Expected, arranged, distinct, operand, shape, values

EXACT = {"negative": np.negative, "abs": np.abs, "sign": np.sign, "square": np.square, "floor": np.floor, "ceil": np.ceil,
         "trunc": np.trunc, "round": np.round, "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "sqrt": np.sqrt}
# function, ulps, the interval
ROUNDED = {"exp": (np.exp, 4, -20, 20), "log": (np.log, 4, 1e-3, 1e3), "tanh": (np.tanh, 4, -6, 6), "exp2": (np.exp2, 4, -20, 20),
           "expm1": (np.expm1, 4, -6, 6), "log2": (np.log2, 4, 1e-3, 1e3), "log10": (np.log10, 4, 1e-3, 1e3),
           "log1p": (np.log1p, 4, -0.9, 9), "sin": (np.sin, 4, -30, 30), "cos": (np.cos, 4, -30, 30), "tan": (np.tan, 4, -30, 30),
           "asin": (np.arcsin, 4, -1, 1), "acos": (np.arccos, 4, -1, 1), "atan": (np.arctan, 4, -9, 9), "sinh": (np.sinh, 4, -9, 9),
           "cosh": (np.cosh, 4, -9, 9), "asinh": (np.arcsinh, 4, -9, 9), "acosh": (np.arccosh, 4, 1, 90),
           "atanh": (np.arctanh, 4, -0.99, 0.99)}
ARITHMETIC = ["negative", "abs", "sign", "square"]
BY_HALF = ["floor", "ceil", "trunc", "round", "isnan", "isinf", "isfinite", "sqrt", "exp", "log", "tanh"]


def wide(x):
    return x.astype(np.longdouble if x.dtype == np.float64 else np.float64)


def function(rng):
    dtype = rng.choice(["float32", "float32", "float64", "float16", "int8", "int64", "bool", "uint8"])
    if dtype in ("bool", "uint8"):
        x = operand(rng, shape(rng), dtype)
        return Case(*(("logical_not", [x], [Expected(~x.value)]) if dtype == "bool" else ("bitwise_invert", [x], [Expected(~x.value)])))
    names = {"float32": ARITHMETIC + BY_HALF[:8] + list(ROUNDED), "float64": ARITHMETIC + BY_HALF, "float16": BY_HALF}.get(dtype, ARITHMETIC)
    op = str(rng.choice(names))
    if op in EXACT:
        x = operand(rng, shape(rng), dtype, special=0.1 * (np.dtype(dtype).kind == "f"),
                    **({"low": -128} if dtype == "int8" else {"low": 0.0} if op == "sqrt" else {}))
        return Case(op, [x], [Expected(EXACT[op](x.value))])
    f, ulps, low, high = ROUNDED[op]
    if dtype == "float16":
        ulps, low, high = 1, max(low, -9), min(high, 9)
    x = operand(rng, shape(rng), dtype, low=low, high=high, special=0.1 if low <= -6 else 0)
    return Case(op, [x], [Expected(f(wide(x.value)), ulps, dtype=dtype)])


BINARY = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "minimum": np.minimum, "maximum": np.maximum, "less": np.less,
          "equal": np.equal, "divide": np.divide, "not_equal": np.not_equal, "less_equal": np.less_equal, "greater": np.greater,
          "greater_equal": np.greater_equal, "remainder": np.remainder, "fmod": np.fmod, "floor_divide": np.floor_divide,
          "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor, "logical_and": np.logical_and,
          "logical_or": np.logical_or}
FEW = list(BINARY)[:7]


def broadcast_pair(rng, dtype, **how):
    """Two operands whose shapes go together: extents of 1, and leading axes that one does not have."""
    extents = shape(rng)
    a, b = (tuple(1 if rng.random() < 0.2 else e for e in extents) for _ in range(2))
    cut = int(rng.integers(0, len(extents) + 1)) if rng.random() < 0.3 else 0
    return operand(rng, a, dtype, **how), operand(rng, b[cut:], dtype, **how)


def two(rng):
    dtype = str(rng.choice(["float32", "float64", "float16", "int32", "uint8", "int16", "bool", "complex64"]))
    if dtype == "bool":
        op = str(rng.choice(["logical_and", "logical_or"]))
    elif dtype == "complex64":
        op = "multiply"
    else:
        names = {"float32": list(BINARY)[:14] + ["floor_divide", "pow", "hypot", "atan2"], "int32": FEW + list(BINARY)[8:18],
                 "float64": FEW + ["divide"], "float16": FEW + ["divide"]}.get(dtype, FEW)
        op = str(rng.choice(names))
    floating = np.dtype(dtype).kind == "f"
    a, b = broadcast_pair(rng, dtype, **({"special": 0.1} if floating and op not in ("pow", "floor_divide", "remainder", "fmod") else {}))
    if op in ("remainder", "fmod", "floor_divide") and not floating:
        b = arranged(rng, np.where(b.value == 0, 7, b.value).astype(dtype))
    if op in ("pow", "hypot", "atan2"):
        if op == "pow":
            a = arranged(rng, np.abs(a.value))
        f = {"pow": np.power, "hypot": np.hypot, "atan2": np.arctan2}[op]
        return Case(op, [a, b], [Expected(f(wide(a.value), wide(b.value)), 4, dtype=dtype)])
    if dtype == "complex64":  # one product may be a fused one
        absolute = 4 * np.finfo(np.float32).eps * np.abs(a.value) * np.abs(b.value)
        return Case(op, [a, b], [Expected(a.value * b.value, 0, absolute)])
    # Which zero is the smaller one is open in IEEE 754-2008, and in NumPy another from one instruction set to the next.
    return Case(op, [a, b], [Expected(BINARY[op](a.value, b.value), any_zero=op in ("minimum", "maximum"))])


def where(rng):
    dtype = str(rng.choice(["float32", "uint8", "int64"]))
    a, b = broadcast_pair(rng, dtype)
    extents = np.broadcast_shapes(a.value.shape, b.value.shape)
    mask = operand(rng, extents[int(rng.integers(0, len(extents) + 1)):], "bool")
    return Case("where", [mask, a, b], [Expected(np.where(mask.value, a.value, b.value))])


def some_axes(rng, rank):
    if rank == 0 or rng.random() < 0.25:
        return None
    axes = rng.permutation(rank)[:int(rng.integers(1, rank + 1))]
    return tuple(int(a) - (rank if rng.random() < 0.3 else 0) for a in axes)


def truth_reduction(rng):
    op, dtype = str(rng.choice(["any", "all", "count_nonzero"])), str(rng.choice(["bool", "float32"]))
    x = operand(rng, shape(rng), dtype, special=0.3)
    axes, keep = some_axes(rng, x.value.ndim), bool(rng.integers(2))
    value = getattr(np, op)(x.value, axis=axes, keepdims=keep)
    return Case(op, [x], [Expected(value, dtype="int64" if op == "count_nonzero" else "bool")], [keep, len(axes or ()), *(axes or ())])


def reduction(rng):
    dtype = str(rng.choice(["float32", "float64", "int32", "uint8"]))
    floating = dtype.startswith("float")
    op = str(rng.choice(["sum", "prod", "max", "min", "argmax", "argmin"] + ["mean", "var", "std1", "norm", "logsumexp"] * floating))
    x = operand(rng, shape(rng), dtype, special=0.02 if floating and op in ("max", "min", "argmax", "argmin", "sum") else 0,
                **({"low": 0.5, "high": 2.0} if op == "prod" and floating else {}))
    axes, keep = some_axes(rng, x.value.ndim), bool(rng.integers(2))
    if op.startswith("arg") and axes is not None:
        axes = axes[:1]
    if op == "norm" and axes is None and x.value.ndim == 0:
        op = "sum"
    args = [keep, len(axes or ()), *(axes or ())]
    v, how = x.value, {"axis": axes, "keepdims": keep}
    if not floating:
        f = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}.get(op)
        try:
            if f is None:
                f = getattr(np, op)
                return Case(op, [x], [Expected(f(v, axis=axes[0] if axes else None, keepdims=keep), dtype="int64")], args)
            return Case(op, [x], [Expected(f(v, **how, **({"dtype": np.int64} if op in ("sum", "prod") else {})))], args)
        except ValueError:
            return Case(op, [x], None, args)
    w, eps, zero = wide(v), np.finfo(dtype).eps, 0.0
    count = max(1, v.size if axes is None else int(np.prod([v.shape[a] for a in axes])))
    scale = np.nan_to_num(np.sum(np.abs(np.where(np.isfinite(w), w, zero)), **how))
    try:
        if op in ("argmax", "argmin"):
            value = getattr(np, op)(v, axis=axes[0] if axes else None, keepdims=keep)
            return Case(op, [x], [Expected(value, dtype="int64")], args)
        if op in ("max", "min"):
            return Case(op, [x], [Expected(getattr(np, op)(v, **how), any_zero=True)], args)
    except ValueError:
        return Case(op, [x], None, args)
    if op == "sum":  # blocks of at most 128 in the type itself, blocks in double
        expected = Expected(np.sum(w, **how), 1, min(count, 128) * eps * scale, dtype)
    elif op == "prod":
        expected = Expected(np.prod(w, **how), count + 1, dtype=dtype)
    elif op == "mean":
        expected = Expected(np.mean(w, **how), 1, min(count, 128) * eps * scale / count, dtype)
    elif op in ("var", "std1"):  # the sum of squares of differences has the errors of a sum, and of the mean
        f = np.var if op == "var" else np.std
        value = f(w, **how, ddof=0 if op == "var" else 1)
        expected = Expected(value, 8 + 2 * min(count, 128), eps * eps * 100, dtype)
    elif op == "norm":
        expected = Expected(np.sqrt(np.sum(w * w, **how)), 4 + min(count, 128), dtype=dtype)
    else:
        if v.size == 0:
            return reduction(rng)
        top = np.max(w, axis=axes, keepdims=True)
        value = np.log(np.sum(np.exp(w - top), **how)) + np.max(w, **how)
        expected = Expected(value, 4, (8 + min(count, 128)) * eps * (1 + np.abs(np.max(np.abs(w)))), dtype)
    return Case(op, [x], [expected], args)


def scan(rng):
    dtype = str(rng.choice(["float32", "float64", "int64"]))
    floating = dtype.startswith("float")
    op = str(rng.choice(["cumsum", "cumprod", "cumsum_with", "cummax", "cummin", "diff"]))
    x = operand(rng, shape(rng, 1), dtype, **({"low": 0.5, "high": 1.5} if op == "cumprod" and floating else {}))
    v, axis = x.value, int(rng.integers(x.value.ndim))
    w, count = (wide(v) if floating else v), v.shape[axis]
    if op in ("cummax", "cummin"):
        f = np.maximum if op == "cummax" else np.minimum
        return Case(op, [x], [Expected(f.accumulate(v, axis), any_zero=True)], [axis])
    if op == "diff":
        return Case(op, [x], [Expected(np.diff(v, axis=axis))], [axis])
    eps = np.finfo(dtype).eps if floating else 0
    if op == "cumprod":
        return Case(op, [x], [Expected(np.cumprod(w, axis), count + 1 if floating else 0, dtype=dtype)], [axis])
    exclusive, reverse = (bool(b) and op == "cumsum_with" for b in rng.integers(0, 2, 2))
    turned = np.flip(w, axis) if reverse else w
    value, scale = np.cumsum(turned, axis), np.cumsum(np.abs(turned), axis)
    if exclusive:
        value = np.roll(value, 1, axis)
        value[(slice(None),) * axis + (slice(0, 1),)] = 0
    if reverse:
        value, scale = np.flip(value, axis), np.flip(scale, axis)
    absolute = np.max(scale, initial=0) * count * eps  # one after another, in the worst case
    return Case(op, [x], [Expected(value, 0, absolute, dtype)], [axis] + ([exclusive, reverse] if op == "cumsum_with" else []))


def order(rng):
    dtype = str(rng.choice(["float32", "int64", "uint8"]))
    op = str(rng.choice(["sort", "argsort", "unique", "unique_counts", "topk"]))
    extents = shape(rng, 1 if op != "unique" else 0, least=1 if op == "topk" else 0)
    if op.startswith("unique"):
        x = arranged(rng, values(rng, extents, dtype, 0, 9).astype(np.int64).astype(dtype))
        found, counts = np.unique(x.value, return_counts=True)
        return Case(op, [x], [Expected(found)] + [Expected(counts, dtype="int64")] * (op == "unique_counts"))
    axis = int(rng.integers(len(extents)))
    if op == "topk":
        if int(np.prod(extents)) > 256:
            dtype = "int64"
        x = arranged(rng, distinct(rng, extents, dtype), free=False)
        k, largest = int(rng.integers(1, extents[axis] + 1)), bool(rng.integers(2))
        places = np.argsort(x.value, axis, kind="stable")
        places = (np.flip(places, axis) if largest else places).take(range(k), axis)
        return Case(op, [x], [Expected(np.take_along_axis(x.value, places, axis)), Expected(places)], [axis, k, largest])
    descending = bool(rng.integers(2))
    x = operand(rng, extents, dtype, **({"special": 0.1} if not descending and dtype == "float32" else {}))
    key = -x.value.astype(np.float64 if dtype == "float32" else np.int64) if descending else x.value
    places = np.argsort(key, axis, kind="stable")
    value = places if op == "argsort" else np.take_along_axis(x.value, places, axis)
    return Case(op, [x], [Expected(value)], [axis, descending])


def search(rng):
    op = str(rng.choice(["median", "searchsorted", "isin", "bincount"]))
    if op == "median":
        x = operand(rng, shape(rng, least=1), "float64")
        axes = some_axes(rng, x.value.ndim)
        return Case(op, [x], [Expected(np.median(x.value, axis=axes), 1)], [0, len(axes or ()), *(axes or ())])
    if op == "searchsorted":
        line = arranged(rng, np.sort(values(rng, shape(rng, 1, 1), "float32")), free=False)
        x = arranged(rng, rng.choice(line.value, shape(rng)) if line.value.size and rng.random() < 0.5 else values(rng, shape(rng), "float32"))
        return Case(op, [line, x], [Expected(np.searchsorted(line.value, x.value), dtype="int64")])
    if op == "isin":
        x, y = operand(rng, shape(rng), "int64", low=-9, high=9), operand(rng, shape(rng, 1, 2), "int64", low=-9, high=9)
        return Case(op, [x, y], [Expected(np.isin(x.value, y.value))])
    x, least = operand(rng, shape(rng, 1, 1), "int64", low=0, high=20), int(rng.integers(0, 30))
    return Case(op, [x], [Expected(np.bincount(x.value, minlength=least), dtype="int64")], [least])


DRAWN = [(function, 4), (two, 4), (where, 1), (truth_reduction, 1), (reduction, 4), (scan, 2), (order, 2), (search, 1)]
