#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes cases.txt: matrices and what NumPy's linalg gives for them. Run it with NumPy 2: python3 generate.py > cases.txt

The form is that of ../generate.py, but for these:
    out ... and tol ... follow one another, a pair for each result; there is none where no result is unique
    throws                              NumPy raises LinAlgError, or cannot solve
Values are computed in double. Tolerances are absolute: CONSTANT * n * eps * (the condition number, where the problem is
that sensitive) * (the largest result), which are the forward error bounds of N. J. Higham, Accuracy and Stability of
Numerical Algorithms, SIAM 2002. Of factors that are unique only up to signs (R of QR) magnitudes stand here; the test
checks the product of the factors, and that they are orthogonal.
"""

import sys

import numpy as np

VIEWS = {
    "plain": lambda a: a,
    "transpose": lambda a: a.T,
    "step": lambda a: a[..., ::2],
    "flip": lambda a: a[::-1],
    "broadcast": lambda a: np.broadcast_to(a, (3,) + a.shape),
}
FLOATS = [np.float32, np.float64]
CONSTANT = 10
rng = np.random.Generator(np.random.Philox(2026))
count = 0


# --- writing ----------------------------------------------------------------------------------------------------------
def array_line(array):
    # of a floating number the shortest text that reads back as the same
    values = [str(v) if array.dtype.kind == "f" else str(int(v)) for v in array.reshape(-1)]
    return " ".join([str(array.ndim), *map(str, array.shape), *values])


def case(op, inputs, function, args=(), bound=None):
    """inputs: (array, view) pairs. function, of the views in double, gives the results; bound(eps, views, results) their
    tolerances."""
    global count
    count += 1
    dtype = inputs[0][0].dtype
    views = [VIEWS[view](array).astype(np.float64) for array, view in inputs]
    print(f"case {op}-{count}")
    print("op", op, *args)
    for array, view in inputs:
        print("in", array.dtype, view, array_line(array))
    try:
        results = function(*views)
    except np.linalg.LinAlgError:
        print("throws")
        return
    results = [np.asarray(r) for r in (results if isinstance(results, tuple) else (results,))]
    tolerances = bound(float(np.finfo(dtype).eps), views, results) if bound else [0.0] * len(results)
    for result, tolerance in zip(results, tolerances):
        result = result.astype(dtype) if result.dtype.kind == "f" else result
        print("out", result.dtype, array_line(result))
        print("tol 0.0", f"{tolerance:.2g}")


# --- matrices ---------------------------------------------------------------------------------------------------------
def numbers(shape, dtype, low=-3.0, high=3.0):
    """Two decimals: exact to read and short to write, if not exact in binary."""
    return np.round(rng.uniform(low, high, shape), 2).astype(dtype)


def dominant(shape, dtype):
    """Square matrices that are well conditioned, yet need pivots: the large elements stand off the diagonal."""
    a = numbers(shape, dtype)
    n = shape[-1]
    for i in range(n):
        a[..., i, (i + 1) % n] += 2 * n
    return a


def symmetric(shape, dtype):
    a = numbers(shape, dtype)
    lower = np.tril(a)
    return lower + np.swapaxes(np.tril(a, -1), -1, -2)


def positive(shape, dtype):
    """Positive definite, for it dominates by its diagonal."""
    a = symmetric(shape, dtype)
    return (a + 4 * shape[-1] * np.eye(shape[-1])).astype(dtype)


def hilbert(n, dtype):
    """Nearly singular: its condition grows as exp(3.5 n)."""
    return (1 / (np.arange(n)[:, None] + np.arange(n) + 1)).astype(dtype)


def of_rank(rows, columns, rank, dtype):
    """Integers, so that the rank is exact."""
    while True:
        a = rng.integers(-3, 4, (rows, rank)) @ rng.integers(-3, 4, (rank, columns))
        if np.linalg.matrix_rank(a) == rank:
            return a.astype(dtype)


# --- bounds -----------------------------------------------------------------------------------------------------------
def largest(x):
    return float(np.max(np.abs(x))) if x.size else 0.0


def condition(a):
    """The largest of the batch, over the singular values that are not 0."""
    if a.size == 0:
        return 1.0
    s = np.linalg.svd(a, compute_uv=False)
    smallest = np.min(np.where(s > s[..., :1] * 1e-13, s, np.inf), axis=-1)
    return float(np.max(np.where(smallest < np.inf, s[..., 0] / smallest, 1.0)))


def backward_stable(eps, views, results):
    """The error is that of a change of the matrix in its last places: for eigenvalues, singular values and norms."""
    return [CONSTANT * max(views[0].shape[-2:]) * eps * max(largest(r), largest(views[0])) for r in results]


def conditioned(eps, views, results):
    a = views[0]
    return [CONSTANT * max(a.shape[-2:]) * eps * condition(a) * largest(r) for r in results]


def squares(eps, views, results):
    """Of least squares: the square of the condition counts, by the residual."""
    a = views[0]
    residual = largest(views[1]) / largest(a) if largest(a) > 0 else 0.0
    return [0.0 if r.dtype.kind != "f" else
            CONSTANT * max(a.shape[-2:]) * eps * condition(a) * (largest(r) + condition(a) * residual) for r in results]


def each_matrix(function, *operands):
    """NumPy's functions that take no batches, for one."""
    batch = np.broadcast_shapes(*(x.shape[:-2] for x in operands))
    wide = [np.broadcast_to(x, batch + x.shape[-2:]) for x in operands]
    results = [function(*(x[i] for x in wide)) for i in np.ndindex(batch)]
    results = [r if isinstance(r, tuple) else (r,) for r in results]
    return tuple(np.array(r).reshape(batch + np.shape(r[0])) for r in zip(*results))


# --- the groups -------------------------------------------------------------------------------------------------------
SQUARE = [((1, 1), "plain"), ((2, 2), "plain"), ((3, 3), "transpose"), ((4, 8), "step"), ((5, 5), "flip"),
          ((7, 7), "plain"), ((33, 33), "plain"), ((4, 3, 3), "plain"), ((3, 3, 4), "transpose"), ((4, 4), "broadcast"),
          ((3, 2, 2), "flip"), ((0, 0), "plain"), ((0, 3, 3), "plain"), ((2, 3, 4, 4), "plain"), ((8, 8, 5), "transpose")]


def made(maker, shape, view, dtype):
    """An array whose view has square matrices of a kind: they are made, and laid out so that the view gives them."""
    if view == "step":
        a = numbers(shape, dtype)
        a[..., ::2] = maker((shape[0], shape[1] // 2), dtype)
        return a
    if view == "flip" and len(shape) == 2:
        return maker(shape, dtype)[::-1].copy()
    if view == "transpose":
        return maker(tuple(reversed(shape)), dtype).T.copy()
    return maker(shape, dtype)


def right_side(a, view, dtype, columns):
    shape = VIEWS[view](a).shape
    return numbers(shape[:-2] + ((shape[-1],) if columns is None else (shape[-1], columns)), dtype)


def square():
    for dtype in FLOATS:
        for k, (shape, view) in enumerate(SQUARE):
            a = made(dominant, shape, view, dtype)
            case("solve", [(a, view), (right_side(a, view, dtype, 1 + k % 3), "plain")], np.linalg.solve, bound=conditioned)
            if k % 2 == (dtype == np.float64):
                case("inv", [(a, view)], np.linalg.inv, bound=conditioned)
            else:
                case("det", [(a, view)], np.linalg.det, bound=conditioned)
            if k % 3 == 0:
                case("slogdet", [(a, view)], lambda x: tuple(np.linalg.slogdet(x)),
                     bound=lambda eps, v, r: [0.0, CONSTANT * v[0].shape[-1] * eps * condition(v[0])])
        # a vector, the batches that broadcast, and operands that lie otherwise
        case("solve", [(dominant((4, 4), dtype), "plain"), (numbers((4,), dtype), "plain")], np.linalg.solve, bound=conditioned)
        case("solve", [(dominant((2, 3, 4, 4), dtype), "plain"), (numbers((4,), dtype), "plain")],
             np.linalg.solve, bound=conditioned)
        case("solve", [(dominant((2, 1, 3, 3), dtype), "plain"), (numbers((4, 3, 2), dtype), "plain")],
             np.linalg.solve, bound=conditioned)
        case("solve", [(dominant((3, 3), dtype), "plain"), (numbers((5, 3, 1), dtype), "flip")], np.linalg.solve, bound=conditioned)
        case("solve", [(dominant((4, 4), dtype), "transpose"), (numbers((2, 4), dtype), "transpose")],
             np.linalg.solve, bound=conditioned)
        case("solve", [(dominant((3, 3), dtype), "plain"), (numbers((3, 0), dtype), "plain")], np.linalg.solve, bound=conditioned)
        # nearly singular, and singular
        n = 3 if dtype == np.float32 else 6
        case("solve", [(hilbert(n, dtype), "plain"), (numbers((n, 2), dtype), "plain")], np.linalg.solve, bound=conditioned)
        case("inv", [(hilbert(n, dtype), "plain")], np.linalg.inv, bound=conditioned)
        case("det", [(hilbert(n, dtype), "plain")], np.linalg.det, bound=conditioned)
        # a pivot is 0 in any order of operations
        singular = np.array([[1, 2, 0], [2, 4, 0], [0, 0, 1]], dtype)
        for a in (np.zeros((2, 2), dtype), singular, np.stack([np.eye(3), singular, np.eye(3)]).astype(dtype)):
            case("inv", [(a, "plain")], np.linalg.inv)
            case("solve", [(a, "plain"), (np.ones(a.shape[-1:] + (1,), dtype), "plain")], np.linalg.solve)
            case("det", [(a, "plain")], np.linalg.det)
            case("slogdet", [(a, "plain")], lambda x: tuple(np.linalg.slogdet(x)))


def triangular():
    for dtype in FLOATS:
        for k, (shape, view) in enumerate(SQUARE):
            if (k + (dtype == np.float64)) % 2:
                a = made(positive, shape, view, dtype)
                case("cholesky", [(a, view)], np.linalg.cholesky, bound=conditioned)
            else:
                a = made(positive, shape, view, dtype)
                lower, unit = k // 2 % 2, k // 4 % 2
                if unit:
                    a = (a / 100).astype(dtype)  # or the solution grows as 2^n
                case("solve_triangular", [(a, view), (right_side(a, view, dtype, 2), "plain")],
                     lambda x, y: solve_of(x, y, lower, unit), (lower, unit),
                     lambda eps, v, r: conditioned(eps, [triangle_of(v[0], lower, unit)], r))
        for lower, unit, b in ((1, 0, (4,)), (0, 1, (3, 4, 1)), (0, 0, (4, 5)), (1, 1, (2, 1, 4, 2))):
            a = numbers((4, 4), dtype) + 4 * np.eye(4, dtype=dtype)
            case("solve_triangular", [(a, "transpose"), (numbers(b, dtype), "plain")],
                 lambda x, y: solve_of(x, y, lower, unit), (lower, unit),
                 lambda eps, v, r: conditioned(eps, [triangle_of(v[0], lower, unit)], r))
        case("solve_triangular", [(np.array([[1, 0], [5, 0]], dtype), "plain"), (np.ones((2, 1), dtype), "plain")],
             lambda x, y: solve_of(x, y, 1, 0), (1, 0))
        for a, b in (((4, 4), (4,)), ((3, 4, 4), (4, 2)), ((4, 4), (2, 4, 1)), ((0, 0), (0, 2))):
            lower = np.linalg.cholesky(positive(a, np.float64)).astype(dtype)
            case("cholesky_solve", [(lower, "plain"), (numbers(b, dtype), "plain")],
                 lambda x, y: np.linalg.solve(x @ np.swapaxes(x, -1, -2), y),
                 bound=lambda eps, v, r: conditioned(eps, [v[0] @ np.swapaxes(v[0], -1, -2)], r))
        n = 4 if dtype == np.float32 else 7
        case("cholesky", [(hilbert(n, dtype), "plain")], np.linalg.cholesky, bound=conditioned)
        for a in ([[1, 2], [2, 1]], [[0]], [[-1]], [[1, 0, 0], [0, 1, 0], [0, 0, -2]], [[[2]], [[-2]]]):
            case("cholesky", [(np.array(a, dtype), "plain")], np.linalg.cholesky)


def triangle_of(x, lower, unit):
    x = np.tril(x) if lower else np.triu(x)
    return x - np.eye(x.shape[-1]) * x + np.eye(x.shape[-1]) if unit else x


def solve_of(x, y, lower, unit):
    return np.linalg.solve(triangle_of(x, lower, unit), y)


RECTANGLES = [((1, 1), "plain"), ((3, 3), "plain"), ((6, 3), "plain"), ((3, 6), "plain"), ((7, 4), "transpose"),
              ((4, 7), "transpose"), ((5, 8), "step"), ((6, 2), "flip"), ((1, 5), "plain"), ((5, 1), "plain"),
              ((3, 6, 4), "plain"), ((4, 6, 3), "transpose"), ((5, 3), "broadcast"), ((3, 2, 5), "flip"),
              ((0, 3), "plain"), ((3, 0), "plain"), ((0, 4, 2), "plain"), ((2, 2, 3, 2), "plain"), ((40, 6), "plain"),
              ((6, 40), "plain")]


def reference_lu(a):
    """Partial pivoting, row by row; the matrices have no ties."""
    a, rows = a.copy(), np.arange(a.shape[0])
    m, n = a.shape
    for k in range(min(m, n)):
        pivot = k + int(np.argmax(np.abs(a[k:, k])))
        a[[k, pivot]], rows[[k, pivot]] = a[[pivot, k]], rows[[pivot, k]]
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= np.outer(a[k + 1:, k], a[k, k + 1:])
    k = min(m, n)
    return rows, np.tril(a[:, :k], -1) + np.eye(m, k), np.triu(a[:k])


def factors():
    for dtype in FLOATS:
        for k, (shape, view) in enumerate(RECTANGLES):
            a = numbers(shape, dtype)
            complete = k % 2
            case("qr", [(a, view)], lambda x: np.abs(np.linalg.qr(x, ("reduced", "complete")[complete])[1]), (complete,),
                 conditioned)
            case("svd", [(a, view)], lambda x: np.linalg.svd(x, compute_uv=False), (complete,), backward_stable)
            if k % 2 == (dtype == np.float64):
                case("svdvals", [(a, view)], lambda x: np.linalg.svd(x, compute_uv=False), bound=backward_stable)
            elif 0 not in shape:
                case("lu", [(a, view)], lambda x: each_matrix(reference_lu, x),
                     bound=lambda eps, v, r: [0.0] + [conditioned(eps, v, r)[i] for i in (1, 2)])
        for k, (shape, view) in enumerate(SQUARE):
            a = made(symmetric, shape, view, dtype)
            case("eigh", [(a, view)], np.linalg.eigvalsh, bound=backward_stable)
            if k % 3 == 0:
                case("eigvalsh", [(a, view)], np.linalg.eigvalsh, bound=backward_stable)
        # equal values, values of 0, and matrices of low rank: only the product of the factors is unique
        for a in (np.eye(4, dtype=dtype), np.zeros((3, 3), dtype), np.ones((5, 5), dtype), hilbert(8, dtype)):
            case("eigh", [(a, "plain")], np.linalg.eigvalsh, bound=backward_stable)
            case("svd", [(a, "plain")], lambda x: np.linalg.svd(x, compute_uv=False), (0,), backward_stable)
            case("qr", [(a, "plain")], lambda x: (), (0,))
        for rows, columns in ((6, 4), (4, 6)):
            a = of_rank(rows, columns, 2, dtype)
            case("svd", [(a, "plain")], lambda x: np.linalg.svd(x, compute_uv=False), (1,), backward_stable)
            case("qr", [(a, "plain")], lambda x: (), (1,))
            case("lu", [(a, "plain")], lambda x: ())


def least_squares():
    for dtype in FLOATS:
        eps = float(np.finfo(dtype).eps)

        def solve(x, y):
            return each_matrix(lambda u, v: np.linalg.lstsq(u, v, rcond=None)[0], x, y)

        for a, view, b in (((6, 3), "plain", (6, 2)), ((3, 6), "transpose", (6, 1)), ((3, 3), "plain", (3, 2)),
                           ((5, 8), "step", (5, 1)), ((4, 6, 3), "plain", (6, 2)), ((6, 3), "plain", (4, 6, 1)),
                           ((5, 2), "broadcast", (3, 5, 1)), ((1, 1), "plain", (1, 1)), ((40, 5), "plain", (40, 3))):
            case("lstsq", [(numbers(a, dtype), view), (numbers(b, dtype), "plain")], solve, bound=squares)
        case("lstsq", [(numbers((6, 3), dtype), "plain"), (numbers((6,), dtype), "plain")],
             lambda x, y: np.linalg.lstsq(x, y, rcond=None)[0], bound=squares)
        case("lstsq", [(np.array([[1, 0], [2, 0], [3, 0]], dtype), "plain"), (np.ones((3, 1), dtype), "plain")], throws)

        def of_any_rank(x, y):
            rcond = eps * max(x.shape[-2:])
            return each_matrix(lambda u, v: (np.linalg.lstsq(u, v, rcond=rcond)[0], np.linalg.matrix_rank(u, rtol=rcond)), x, y)

        for a in (numbers((6, 3), dtype), numbers((3, 6), dtype), of_rank(6, 4, 2, dtype), of_rank(4, 6, 2, dtype),
                  of_rank(5, 5, 3, dtype), np.zeros((3, 2), dtype), np.stack([of_rank(5, 3, r, dtype) for r in (1, 2, 3)])):
            case("lstsq_rank_revealing", [(a, "plain"), (numbers((a.shape[-2], 2), dtype), "plain")], of_any_rank, bound=squares)
        # what is counted, norms and the pseudo-inverse
        for a in (numbers((6, 3), dtype), of_rank(4, 6, 2, dtype), np.zeros((3, 2), dtype), of_rank(5, 5, 3, dtype),
                  numbers((1, 1), dtype), np.stack([of_rank(3, 4, r, dtype) for r in (1, 2, 3)]), np.zeros((2, 0), dtype)):
            case("pinv", [(a, "plain")], lambda x: np.linalg.pinv(x, rtol=eps * max(x.shape[-2:])),
                 bound=lambda e, v, r: [CONSTANT * max(v[0].shape[-2:]) * e * condition(v[0]) ** 2 * largest(r[0])])
            if a.size > 0:
                case("matrix_rank", [(a, "plain")], lambda x: np.linalg.matrix_rank(x, rtol=eps * max(x.shape[-2:])))
        for k, a in enumerate((numbers((3, 3), dtype), numbers((4, 6), dtype), numbers((3, 4, 2), dtype), numbers((1, 1), dtype))):
            for code, order in enumerate(("fro", "nuc", 2, 1, np.inf)):
                view = ("plain", "transpose")[(k + code) % 2]
                case("matrix_norm", [(a, view)], lambda x, o=order: np.linalg.matrix_norm(x, ord=o), (code,),
                     lambda e, v, r: [CONSTANT * v[0].shape[-1] * v[0].shape[-2] * e * largest(r[0])])
        for a in (dominant((4, 4), dtype), dominant((2, 3, 3), dtype), hilbert(3, dtype)):
            for code, order in enumerate(("fro", "nuc", 2, 1, np.inf)):
                case("cond", [(a, "plain")], lambda x, o=order: np.linalg.cond(x, o), (code,), conditioned)
        case("cond", [(numbers((5, 3), dtype), "plain")], np.linalg.cond, (2,), conditioned)


def throws(*_):
    raise np.linalg.LinAlgError


def expm(a):
    """Taylor's series of a / 2^k, squared k times, in the long double of x86: no step of it is one of the library's."""
    a = a.astype(np.longdouble)
    k = max(0, int(np.ceil(np.log2(max(float(np.abs(a).sum(axis=-2).max(initial=0)), 1e-30)))) + 3)
    x = a / np.longdouble(2) ** k
    term = result = np.broadcast_to(np.eye(a.shape[-1], dtype=np.longdouble), a.shape)
    for i in range(1, 30):
        term = term @ x / i
        result = result + term
    for _ in range(k):
        result = result @ result
    return result.astype(np.float64)


def power_of_norm(a, n):
    """A bound of the power, and for one of the inverse of what its error grows by."""
    if a.size == 0:
        return 0.0
    x = a if n >= 0 else np.linalg.inv(a)
    return float(np.max(np.linalg.norm(x, 2, axis=(-2, -1)))) ** abs(n) * (condition(a) if n < 0 else 1.0)


def products():
    for dtype in FLOATS:
        for shape, view, n in (((3, 3), "plain", 0), ((3, 3), "transpose", 1), ((4, 4), "plain", 2), ((2, 3, 3), "plain", 5),
                               ((3, 3), "plain", -1), ((4, 4), "plain", -3), ((3, 3), "broadcast", 7), ((0, 0), "plain", 2),
                               ((1, 1), "plain", 9)):
            case("matrix_power", [(made(dominant, shape, view, dtype), view)], lambda x, p=n: np.linalg.matrix_power(x, p), (n,),
                 lambda e, v, r, p=n: [CONSTANT * (abs(p) + 1) * v[0].shape[-1] * e * power_of_norm(v[0], p)])
        case("matrix_power", [(np.zeros((2, 2), dtype), "plain")], lambda x: np.linalg.matrix_power(x, -1), (-1,))
        for scale in (0.01, 0.3, 2.0, 9.0):
            for shape, view in (((3, 3), "plain"), ((2, 4, 4), "plain")):
                a = numbers(shape, dtype, -scale, scale)
                case("expm", [(a, view)], expm,
                     bound=lambda e, v, r: [CONSTANT * v[0].shape[-1] * e * (1 + largest(v[0]) * v[0].shape[-1]) * largest(r[0])])
        case("expm", [(np.array([[0, 1, 5], [0, 0, 2], [0, 0, 0]], dtype), "plain")], expm,
             bound=lambda e, v, r: [CONSTANT * 3 * e * largest(r[0])])
        case("expm", [(np.zeros((0, 0), dtype), "plain")], expm)
        for a, b in (((2, 3), (3, 2)), ((3,), (2,)), ((2, 2), (3,)), ((2, 1, 2), (3, 2)), ((1, 1), (2, 2)), ((0, 2), (2, 2))):
            case("kron", [(numbers(a, dtype), "plain"), (numbers(b, dtype), "plain")], np.kron)
        for a, b, axis in (((3,), (3,), -1), ((4, 3), (3,), -1), ((3, 4), (3, 4), 0), ((2, 3, 1), (2, 3, 5), 1)):
            case("cross", [(numbers(a, dtype), "plain"), (numbers(b, dtype), "plain")],
                 lambda x, y, k=axis: np.cross(x, y, axis=k), (axis,),
                 lambda e, v, r: [4 * e * largest(v[0]) * largest(v[1])])


# A new group comes last: then the cases before it keep their numbers.
for group in (square, triangular, factors, least_squares, products):
    group()
print(f"{count} cases", file=sys.stderr)
