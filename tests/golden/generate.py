#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes cases.txt: inputs and what NumPy gives for them. Run it with NumPy installed: python3 generate.py > cases.txt

A case is these lines:
    case NAME
    op OPERATION ARGUMENTS...           numbers; what they mean is the operation's business
    in DTYPE VIEW RANK EXTENTS... VALUES...
    out DTYPE RANK EXTENTS... VALUES...
    tol RELATIVE ABSOLUTE               0 0: equal to the bit (NaN equals NaN)
VIEW says how the test derives the operand from the array written: plain, transpose (all axes reversed), step (every
second element of the last axis), flip (first axis backwards), broadcast (three times along a new first axis).
Floating results are computed in float64 and rounded, so that they are NumPy's and yet no single-precision artefact.
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
rng = np.random.Generator(np.random.Philox(2024))
count = 0


def text(value, dtype):
    """The shortest decimal that reads back as the same value."""
    return str(value) if dtype.kind == "f" else str(int(value))


def array_line(array):
    array = np.asarray(array)
    fields = [str(array.ndim), *map(str, array.shape)]
    fields += [text(v, array.dtype) for v in array.reshape(-1)]
    return " ".join(fields)


def case(name, op, inputs, function, args=(), tol=(0.0, 0.0)):
    """inputs: (array, view) pairs; function is called with the views, floats widened to float64."""
    global count
    count += 1
    views = [VIEWS[view](array) for array, view in inputs]
    floating = [v.dtype for v in views if v.dtype.kind == "f"]
    exact = tol == (0.0, 0.0)
    with np.errstate(all="ignore"):
        wide = [v if exact or v.dtype.kind != "f" else v.astype(np.float64) for v in views]
        result = np.asarray(function(*wide))
    if result.dtype.kind == "f" and floating:
        with np.errstate(all="ignore"):
            result = result.astype(floating[0])
    print(f"case {name}-{count}")
    print("op", op, *args)
    for array, view in inputs:
        print("in", array.dtype, view, array_line(array))
    print("out", result.dtype, array_line(result))
    print("tol", *tol)


def numbers(shape, dtype, low=-3.0, high=3.0):
    dtype = np.dtype(dtype)
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return rng.integers(0 if dtype.kind == "u" else -9, 10, shape).astype(dtype)
    return rng.uniform(low, high, shape).astype(dtype)


SHAPES = [((), "plain"), ((0,), "plain"), ((1,), "plain"), ((17,), "plain"), ((5, 7), "plain"), ((7, 5), "transpose"),
          ((3, 14), "step"), ((4, 3), "flip"), ((2, 5), "broadcast"), ((2, 0, 3), "plain"), ((13, 2, 3), "transpose"),
          ((67,), "plain"), ((3, 67), "plain")]
FLOATS = [np.float32, np.float64]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-30, 1e30, math.inf, -math.inf, math.nan, 3.5, 2.5, -0.5]


def tolerance(dtype):
    return (1e-6, 1e-37) if np.dtype(dtype) == np.float32 else (1e-14, 1e-300)


def unary():
    functions = {
        "sqrt": (np.sqrt, 0.0, 9.0), "rsqrt": (lambda x: 1 / np.sqrt(x), 0.1, 9.0), "exp": (np.exp, -9, 9),
        "expm1": (np.expm1, -3, 3), "exp2": (np.exp2, -9, 9), "log": (np.log, 0.01, 99), "log1p": (np.log1p, -0.9, 9),
        "log2": (np.log2, 0.01, 99), "log10": (np.log10, 0.01, 99), "sin": (np.sin, -9, 9), "cos": (np.cos, -9, 9),
        "tan": (np.tan, -1.5, 1.5), "asin": (np.arcsin, -1, 1), "acos": (np.arccos, -1, 1),
        "atan": (np.arctan, -9, 9), "sinh": (np.sinh, -5, 5), "cosh": (np.cosh, -5, 5), "tanh": (np.tanh, -5, 5),
        "asinh": (np.arcsinh, -9, 9), "acosh": (np.arccosh, 1, 9), "atanh": (np.arctanh, -0.99, 0.99),
        "erf": (np.vectorize(math.erf, otypes=[float]), -3, 3), "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), -9, 9),
        "silu": (lambda x: x / (1 + np.exp(-x)), -9, 9), "softplus": (lambda x: np.logaddexp(x, 0), -9, 9),
        "gelu": (lambda x: x / 2 * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2))), -2, 5),
        "gelu_tanh": (lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))), -2, 5),
        "elu": (lambda x: np.where(x > 0, x, np.expm1(x)), -5, 5),
    }
    for i, (op, (function, low, high)) in enumerate(functions.items()):
        for dtype in FLOATS:
            for k in range(3):
                shape, view = SHAPES[(3 * i + k + (5 if dtype == np.float64 else 0)) % len(SHAPES)]
                case(op, op, [(numbers(shape, dtype, low, high), view)], function, tol=tolerance(dtype))
    for op, function in {"abs": np.abs, "sign": np.sign, "square": np.square, "negative": np.negative}.items():
        for i, dtype in enumerate([np.float32, np.float64, np.int32, np.int64]):
            shape, view = SHAPES[(4 + i) % len(SHAPES)]
            case(op, op, [(numbers(shape, dtype), view)], function)
    for op in ("floor", "ceil", "trunc", "isnan", "isinf", "isfinite", "round", "abs", "sign"):
        function = getattr(np, op if op != "round" else "rint")
        for dtype in FLOATS:
            case(op, op, [(np.array(SPECIAL, dtype), "plain")], function)
    for op in ("exp", "log", "sqrt", "sin", "atan", "tanh", "expm1", "log1p", "asinh"):
        name = {"atan": "arctan", "asinh": "arcsinh"}.get(op, op)
        special = [v for v in SPECIAL if abs(v) < 1e9 or not math.isfinite(v)]
        for dtype in FLOATS:
            case(op, op, [(np.array(special, dtype), "plain")], getattr(np, name), tol=tolerance(dtype))


def binary():
    pairs = [((5, 7), "plain", (5, 7), "plain"), ((5, 7), "plain", (7,), "plain"), ((5, 1), "plain", (1, 7), "plain"),
             ((7, 5), "transpose", (5, 7), "plain"), ((), "plain", (17,), "plain"), ((0, 3), "plain", (3,), "plain"),
             ((3, 14), "step", (3, 7), "flip"), ((2, 5), "broadcast", (3, 2, 1), "plain"),
             ((2, 3, 37), "plain", (3, 1), "plain"), ((2, 131), "plain", (131,), "plain")]
    exact = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "minimum": np.minimum,
             "maximum": np.maximum, "equal": np.equal, "not_equal": np.not_equal, "less": np.less,
             "less_equal": np.less_equal, "greater": np.greater, "greater_equal": np.greater_equal}
    for i, (op, function) in enumerate(exact.items()):
        for k, dtype in enumerate([np.float32, np.float64, np.int32, np.int64]):
            for j in range(2):
                a, va, b, vb = pairs[(2 * i + 3 * k + j) % len(pairs)]
                case(op, op, [(numbers(a, dtype), va), (numbers(b, dtype), vb)], function)
    rounded = {"divide": (np.divide, -3, 3), "atan2": (np.arctan2, -3, 3), "hypot": (np.hypot, -3, 3),
               "pow": (np.power, 0.1, 4), "fmod": (np.fmod, -9, 9), "remainder": (np.remainder, -9, 9),
               "floor_divide": (np.floor_divide, -9, 9)}
    for i, (op, (function, low, high)) in enumerate(rounded.items()):
        for k, dtype in enumerate(FLOATS):
            a, va, b, vb = pairs[(2 * i + 5 * k) % len(pairs)]
            tol = (1e-6, 2e-6) if dtype == np.float32 else (1e-14, 1e-14)
            if op in ("fmod", "remainder", "floor_divide"):
                tol = (0.0, 0.0)
            case(op, op, [(numbers(a, dtype, low, high), va), (numbers(b, dtype, low, high), vb)], function, tol=tol)
    for op in ("remainder", "floor_divide"):
        for dtype in (np.int32, np.int64):
            a, b = numbers((40,), dtype), numbers((40,), dtype)
            b[b == 0] = 4
            case(op, op, [(a, "plain"), (b, "plain")], getattr(np, op))
    special_a, special_b = np.meshgrid(SPECIAL, SPECIAL)
    for op in ("minimum", "maximum", "add", "multiply", "divide", "less", "equal"):
        for dtype in FLOATS:
            case(op, op, [(special_a.astype(dtype), "plain"), (special_b.astype(dtype), "transpose")], getattr(np, op))
    finite = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, -3.0, math.inf, -math.inf, math.nan]
    base, exponent = np.meshgrid(finite, finite)
    for dtype in FLOATS:
        case("pow", "pow", [(base.astype(dtype), "plain"), (exponent.astype(dtype), "plain")], np.power,
             tol=tolerance(dtype))
        case("atan2", "atan2", [(base.astype(dtype), "plain"), (exponent.astype(dtype), "plain")], np.arctan2,
             tol=tolerance(dtype))
    for op, function in {"logical_and": np.logical_and, "logical_or": np.logical_or, "bitwise_xor": np.bitwise_xor}.items():
        for a, va, b, vb in pairs[:3]:
            case(op, op, [(numbers(a, bool), va), (numbers(b, bool), vb)], function)
    for op, function in {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}.items():
        case(op, op, [(numbers((5, 7), np.int32), "plain"), (numbers((7,), np.int32), "plain")], function)
    for dtype in (np.float32, np.int64):
        case("where", "where", [(numbers((5, 1), bool), "plain"), (numbers((5, 7), dtype), "plain"),
                                (numbers((7,), dtype), "plain")], np.where)
        case("clamp", "clamp", [(numbers((5, 7), dtype, -9, 9), "plain")], lambda x: np.clip(x, -2, 3), args=(-2, 3))


def reductions():
    exact = {"min": np.min, "max": np.max, "argmin": np.argmin, "argmax": np.argmax}
    rounded = {"sum": np.sum, "prod": np.prod, "mean": np.mean, "var": np.var, "stddev": np.std,
               "logsumexp": lambda x, axis=None: np.log(np.sum(np.exp(x), axis=axis))}
    inputs = [((17,), "plain", [None, 0]), ((5, 7), "plain", [None, 0, 1, -1]), ((7, 5), "transpose", [0, 1]),
              ((3, 14), "step", [None, 1]), ((2, 5), "broadcast", [0, 2]), ((2, 3, 37), "plain", [None, 0, 1, 2]),
              ((), "plain", [None])]
    for dtype in FLOATS:
        tol = (3e-6, 3e-6) if dtype == np.float32 else (1e-13, 1e-13)
        for shape, view, axes in inputs:
            for axis in axes:
                array = numbers(shape, dtype, -1.5, 1.5)
                args = () if axis is None else (axis,)
                for op, function in exact.items():
                    case(op, op, [(array, view)], lambda x, f=function, a=axis: f(x, axis=a), args=args)
                for op, function in rounded.items():
                    case(op, op, [(array, view)], lambda x, f=function, a=axis: f(x, axis=a), args=args, tol=tol)
        for op in ("sum", "prod"):
            case(op, op, [(numbers((3, 0), dtype), "plain")], lambda x, f=getattr(np, op): f(x, axis=1), args=(1,))
        with_nan = np.array([[1, math.nan, 3], [2, 1, math.nan]], dtype)
        for op in ("min", "max", "argmin", "argmax"):
            case(op, op, [(with_nan, "plain")], lambda x, f=exact[op]: f(x, axis=0), args=(0,))
    for dtype in (np.int32, np.int64):
        for op in ("sum", "prod", "min", "max", "argmin", "argmax"):
            function = getattr(np, op)
            case(op, op, [(numbers((5, 7), dtype), "plain")], lambda x, f=function: f(x, axis=0), args=(0,))
            case(op, op, [(numbers((7, 5), dtype), "transpose")], lambda x, f=function: f(x))
    for op in ("any", "all"):
        function = getattr(np, op)
        for shape, axis in (((5, 7), 0), ((5, 7), 1), ((0,), None), ((3, 0), 1)):
            args = () if axis is None else (axis,)
            case(op, op, [(numbers(shape, bool), "plain")], lambda x, f=function, a=axis: f(x, axis=a), args=args)
    for op in ("cumsum", "cumprod"):
        function = getattr(np, op)
        for dtype, tol in ((np.float32, (3e-6, 3e-6)), (np.float64, (1e-13, 1e-13)), (np.int64, (0.0, 0.0))):
            for shape, view, axis in (((5, 7), "plain", 0), ((7, 5), "transpose", 1), ((17,), "plain", 0)):
                case(op, op, [(numbers(shape, dtype, -1.5, 1.5), view)], lambda x, f=function, a=axis: f(x, axis=a),
                     args=(axis,), tol=tol)
    for dtype in FLOATS:
        for shape, view, axis in (((5, 7), "plain", -1), ((7, 5), "transpose", 1), ((3, 14), "plain", 0)):
            def softmax(x, a=axis):
                e = np.exp(x - x.max(axis=a, keepdims=True))
                return e / e.sum(axis=a, keepdims=True)
            case("softmax", "softmax", [(numbers(shape, dtype), view)], softmax, args=(axis,), tol=tolerance(dtype))
            case("log_softmax", "log_softmax", [(numbers(shape, dtype), view)],
                 lambda x, f=softmax: np.log(f(x)), args=(axis,),
                 tol=(2e-6, 1e-6) if dtype == np.float32 else (1e-13, 1e-13))


def structure():
    for dtype in (np.float32, np.float64, np.int32, np.int64):
        a = numbers((4, 6), dtype)
        case("reshape", "reshape", [(a, "plain")], lambda x: x.reshape(3, 8), args=(3, 8))
        case("reshape", "reshape", [(a, "transpose")], lambda x: x.reshape(8, 3), args=(8, -1))
        case("permute", "permute", [(numbers((2, 3, 5), dtype), "plain")], lambda x: x.transpose(2, 0, 1), args=(2, 0, 1))
        case("flip", "flip", [(a, "transpose")], lambda x: np.flip(x, 1), args=(1,))
        case("roll", "roll", [(a, "step")], lambda x: np.roll(x, 2, 1), args=(2, 1))
        case("concat", "concat", [(a, "plain"), (numbers((6, 4), dtype), "transpose")],
             lambda x, y: np.concatenate([x, y], 1), args=(1,))
        case("stack", "stack", [(a, "plain"), (a, "flip")], lambda x, y: np.stack([x, y], 1), args=(1,))
        case("tile", "tile", [(a, "step")], lambda x: np.tile(x, (2, 3)), args=(2, 3))
        case("tril", "tril", [(a, "plain")], lambda x: np.tril(x, 1), args=(1,))
        case("triu", "triu", [(a, "transpose")], lambda x: np.triu(x, -1), args=(-1,))
        case("take", "take", [(a, "transpose"), (np.array([5, 0, -1, 2]), "plain")],
             lambda x, i: np.take(x, i, axis=0), args=(0,))
        case("sort", "sort", [(a, "transpose")], lambda x: np.sort(x, axis=0), args=(0,))
        case("argsort", "argsort", [(a, "plain")], lambda x: np.argsort(x, axis=1, kind="stable"), args=(1,))
        case("slice", "slice", [(a, "plain")], lambda x: x[3:0:-2, 1:6:2], args=(3, 0, -2, 1, 6, 2))
        case("outer", "outer", [(numbers((3,), dtype), "plain"), (numbers((8,), dtype), "step")], np.outer)
    with_nan = np.array([3, math.nan, -1, math.inf, math.nan, 0], np.float32)
    case("sort", "sort", [(with_nan, "flip")], lambda x: np.sort(x), args=(0,))
    case("argsort", "argsort", [(with_nan, "plain")], lambda x: np.argsort(x, kind="stable"), args=(0,))


def products():
    shapes = [((5, 7), "plain", (7, 3), "plain"), ((7, 5), "transpose", (7, 3), "plain"), ((1, 1), "plain", (1, 1), "plain"),
              ((0, 7), "plain", (7, 3), "plain"), ((5, 0), "plain", (0, 3), "plain"), ((7,), "plain", (7, 3), "plain"),
              ((5, 7), "plain", (7,), "plain"), ((7,), "plain", (7,), "plain"), ((4, 5, 7), "plain", (7, 3), "plain"),
              ((2, 1, 5, 7), "plain", (4, 7, 3), "plain"), ((19, 37), "plain", (37, 17), "plain"),
              ((37, 11), "transpose", (13, 37), "transpose")]
    for dtype in (np.float32, np.float64, np.int32, np.int64):
        tol = {np.float32: (1e-5, 1e-4), np.float64: (1e-13, 1e-12)}.get(dtype, (0.0, 0.0))
        for a, va, b, vb in shapes:
            case("matmul", "matmul", [(numbers(a, dtype), va), (numbers(b, dtype), vb)], np.matmul, tol=tol)


def more_functions():
    def relu(x):
        return np.where(x <= 0, np.zeros_like(x), x)
    for i, (op, (function, low, high)) in enumerate({
            "relu": (relu, -5, 5),
            "leaky_relu": (lambda x: np.where(x > 0, x, 0.01 * x), -5, 5),
            "selu": (lambda x: 1.0507009873554804934193349852946 * np.where(
                x > 0, x, 1.6732632423543772848170429916717 * np.expm1(x)), -5, 5)}.items()):
        for dtype in FLOATS:
            tol = (0.0, 0.0) if op == "relu" else tolerance(dtype)
            for k in range(3):
                shape, view = SHAPES[(3 * i + k + (5 if dtype == np.float64 else 0)) % len(SHAPES)]
                case(op, op, [(numbers(shape, dtype, low, high), view)], function, tol=tol)
    case("relu", "relu", [(np.array(SPECIAL, np.float32), "plain")], relu)
    for view in ("plain", "transpose"):
        case("logical_not", "logical_not", [(numbers((5, 7), bool), view)], np.logical_not)
        case("bitwise_invert", "bitwise_invert", [(numbers((5, 7), bool), view)], np.invert)
    for op, function in {"equal": np.equal, "not_equal": np.not_equal}.items():
        case(op, op, [(numbers((5, 7), bool), "plain"), (numbers((7,), bool), "plain")], function)
    for dtype in (np.int32, np.int64):
        case("pow", "pow", [(numbers((5, 7), dtype), "plain"), (np.abs(numbers((7,), dtype)), "plain")], np.power)
    for op, function in {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}.items():
        case(op, op, [(numbers((5, 7), np.int64), "plain"), (numbers((7,), np.int64), "plain")], function)


def integers():
    def trunc_divide(a, b):
        return np.where((a < 0) == (b < 0), np.abs(a) // np.abs(b), -(np.abs(a) // np.abs(b))).astype(a.dtype)
    views = [((5, 7), "plain", (7,), "plain"), ((7, 5), "transpose", (5, 1), "plain"), ((3, 14), "step", (3, 7), "flip"),
             ((0, 3), "plain", (3,), "plain")]
    for i, (op, function) in enumerate({"bitwise_left_shift": np.left_shift, "bitwise_right_shift": np.right_shift,
                                        "fmod": np.fmod, "trunc_divide": trunc_divide}.items()):
        for k, dtype in enumerate((np.int32, np.int64)):
            for j in range(2):
                a, va, b, vb = views[(i + k + 2 * j) % len(views)]
                right = numbers(b, dtype)
                if i > 1:
                    right = np.where(right == 0, 4, right).astype(dtype)
                elif j == 0:  # NumPy shifts everything out by what is no count
                    right = (right * 7).astype(dtype)
                case(op, op, [(numbers(a, dtype), va), (right, vb)], function)


# A new group comes last: then the cases before it keep their numbers.
for group in (unary, binary, reductions, structure, products, more_functions, integers):
    group()
print(f"{count} cases", file=sys.stderr)
