#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes cases.txt beside it: what numpy.fft gives, also of frames of signals, NumPy's functions of complex elements,
and its windows.

    python3 tests/golden/fft/generate.py

cases.txt has the form of ../generate.py. Complex arrays have their parts along one more last axis; the first argument of a case
says whether its operand is complex. The others are, of one axis: n (0: not given), the axis, and which of NORMS; of several axes:
which of NORMS, then s and axes (0 0 0 0 where they are not given); of shifts: the axis; of frequencies: n and 100 times d; of frames:
their samples, the hop, whether they are centred, which of NORMS, and of `istft` the length (-1: not given); a window, if there is one,
is a second operand; of functions none, and of pow 100 times the real and the imaginary part of the exponent; of windows their
elements, whether they are periodic, and 100 times Kaiser's beta.
"""
from pathlib import Path

import numpy as np

NORMS = ["backward", "ortho", "forward"]
VIEWS = {"plain": lambda a: a, "flip": lambda a: a[::-1], "transpose": lambda a: a.T, "step": lambda a: a[..., ::2]}
LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 30, 31, 32, 61, 64, 67, 134]
rng = np.random.Generator(np.random.Philox(2028))
lines = []
count = 0


def array_line(array, digits):
    return " ".join([str(array.ndim), *map(str, array.shape), *(f"{v:.{digits}g}" for v in array.reshape(-1))])


def parts(array):
    return np.stack([array.real, array.imag], -1) if np.iscomplexobj(array) else array


def case(op, shape, is_complex, function, args=(), dtype="float64", view="plain"):
    global count
    count += 1
    array = np.round(rng.uniform(-3, 3, [*shape, 2] if is_complex else shape), 2)
    operand = VIEWS[view](array)
    if is_complex:
        operand = operand[..., 0] + 1j * operand[..., 1]
    result = parts(np.asarray(function(operand)))
    eps = np.finfo(dtype).eps
    bound = 0 if op in ("fftshift", "ifftshift") else 40 * eps * max(1.0, float(np.abs(result).max(initial=0)))
    lines.extend([f"case {op}-{count}", " ".join(["op", op, str(int(is_complex)), *map(str, args)]),
                  f"in {dtype} {view} {array_line(array, 9)}",
                  f"out {dtype} {array_line(result, 9 if dtype == 'float32' else 17)}", f"tol 0 {bound:.2g}"])


def one(op, shape, is_complex, n=0, axis=-1, norm=0, **more):
    function = getattr(np.fft, op)
    case(op, shape, is_complex, lambda x: function(x, n or None, axis, NORMS[norm]), (n, axis, norm), **more)


def several(op, shape, is_complex, s=None, axes=None, norm=0, **more):
    function = getattr(np.fft, op)
    default = (-2, -1) if op.endswith("2") else None
    args = (norm, *(s or (0, 0)), *(axes or (0, 0)))
    case(op, shape, is_complex, lambda x: function(x, s, axes or default, NORMS[norm]), args, **more)


for length in LENGTHS:
    one("fft", [length], True)
    one("ifft", [length], True, norm=length % 3)
    one("rfft", [length], False)
    one("irfft", [length // 2 + 1], True, n=length, norm=length % 3)
    one("fft", [length], False, norm=(length + 1) % 3, dtype="float32")
    one("irfft", [length // 2 + 1], True, n=length, dtype="float32")
for op, is_complex in (("fft", True), ("ifft", True), ("fft", False), ("rfft", False), ("irfft", True)):
    for n in (0, 3, 4, 9):  # cut, and with zeros behind
        one(op, [5, 6], is_complex, n=n, axis=0, norm=n % 3)
        one(op, [2, 5, 3], is_complex, n=n, axis=1, view="flip")
        one(op, [6], is_complex, n=n)
    one(op, [0, 4], is_complex)
one("rfft", [5, 6], False, view="transpose")
one("rfft", [5, 12], False, view="step")
for op in ("fft2", "ifft2", "fftn", "ifftn"):
    several(op, [4, 5], True)
    several(op, [3, 4, 5], False, norm=1)
    several(op, [3, 4, 5], True, s=(5, 3), axes=(0, 2), norm=2)
    several(op, [3, 4, 5], True, s=(2, 8), axes=(-1, -3), view="flip")
    several(op, [1, 1], True)
for op, is_complex in (("rfft2", False), ("irfft2", True), ("rfftn", False), ("irfftn", True)):
    several(op, [4, 5], is_complex)
    several(op, [3, 4, 5], is_complex, norm=1)
    several(op, [3, 4, 5], is_complex, s=(5, 3), axes=(0, 2), norm=2)
    several(op, [3, 4, 5], is_complex, s=(2, 8), axes=(-1, -3), view="flip")
    several(op, [2, 3], is_complex, dtype="float32")
for length in (7, 8, 61, 134):
    one("rfft", [length], False, dtype="float32")
    one("ifft", [length], True, norm=length % 3, dtype="float32")
one("fft", [509], True)  # by a convolution, as all of these primes
one("irfft", [255], True, n=509)
one("ifft", [1009], True, dtype="float32")
one("rfft", [1009], False, dtype="float32")
for length in (1, 2, 5, 6):
    for op in ("fftshift", "ifftshift"):
        function = getattr(np.fft, op)
        case(op, [length, 3], False, lambda x: function(x, 0), (0,))
        case(op, [2, length], True, lambda x: function(x, 1), (1,))
    case("fftfreq", [1], False, lambda _: np.fft.fftfreq(length, 0.25), (length, 25))
    case("rfftfreq", [1], False, lambda _: np.fft.rfftfreq(length, 0.25), (length, 25))
for dtype in ("float64", "float32"):
    for op in ("exp", "log", "sqrt", "sin", "cos", "tanh"):
        case(op, [4, 6], True, getattr(np, op), dtype=dtype, view="flip" if dtype == "float64" else "plain")
    for re, im in ((200, 0), (-300, 0), (50, 0), (-120, 70)):
        case("pow", [5, 3], True, lambda x: x ** complex(re / 100, im / 100), (re, im), dtype=dtype)


def frames_of(x, n, hop, center, norm, window):
    """(..., samples) -> (..., n // 2 + 1, frames)"""
    if center:
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(n // 2, n // 2)], "reflect")
    starts = range(0, x.shape[-1] - n + 1, hop)
    return np.stack([np.fft.rfft(x[..., t:t + n] * window, norm=NORMS[norm]) for t in starts], -1)


def signal_of(z, n, hop, center, norm, length, window):
    """Frames added up, and divided by what the squares of their windows add up to."""
    cut = np.fft.irfft(np.swapaxes(z, -1, -2), n, norm=NORMS[norm]) * window
    total = n + hop * (z.shape[-1] - 1)
    x, weight = np.zeros([*z.shape[:-2], total]), np.zeros(total)
    for t in range(z.shape[-1]):
        x[..., t * hop:t * hop + n] += cut[..., t, :]
        weight[t * hop:t * hop + n] += window ** 2
    begin = n // 2 if center else 0
    end = total - begin if length < 0 else min(begin + length, total)
    y = x[..., begin:end] / weight[begin:end]
    return y if length < 0 else np.pad(y, [(0, 0)] * (y.ndim - 1) + [(0, length - y.shape[-1])])


def framed(op, shape, function, n, hop, args, has_window, **more):
    window = np.round(rng.uniform(0.2, 1, n), 2) if has_window else np.ones(n)
    case(op, shape, op == "istft", lambda x: function(x, n, hop, *args, window), (n, hop, *args), **more)
    if has_window:
        lines.insert(-2, f"in {more.get('dtype', 'float64')} plain {array_line(window, 9)}")


# frames of even, odd and prime numbers of samples, of one, that meet, that leave gaps, as long as the signal
for shape, n, hop, center, view in [([20], 6, 4, 0, "plain"), ([20], 6, 4, 1, "plain"), ([17], 7, 3, 1, "flip"),
                                    ([2, 13], 5, 5, 0, "plain"), ([3, 11], 4, 7, 1, "flip"), ([19, 3], 8, 2, 1, "transpose"),
                                    ([2, 26], 9, 1, 0, "step"), ([7], 1, 2, 0, "plain"), ([13], 13, 4, 0, "plain"),
                                    ([2, 1, 9], 3, 1, 1, "plain")]:
    for norm in range(3 if n == 6 else 1):
        framed("stft", shape, frames_of, n, hop, (center, norm), n % 2 == norm % 2, view=view)
framed("stft", [3, 31], frames_of, 10, 3, (1, 1), True, dtype="float32")
for frames, n, hop, center, length in [([5], 6, 2, 1, -1), ([5], 6, 2, 0, -1), ([4], 7, 3, 1, -1), ([4], 7, 3, 1, 8), ([3], 5, 5, 0, 19),
                                       ([1], 9, 4, 0, -1), ([6], 1, 1, 0, -1), ([3], 8, 2, 1, 0), ([2], 13, 7, 1, 30)]:
    for lead in [[], [2, 3]]:
        norm = (n + len(lead)) % 3
        framed("istft", [*lead, n // 2 + 1, *frames], signal_of, n, hop, (center, norm, length), (n + len(lead)) % 2 == 0)
framed("istft", [6, 4], signal_of, 10, 3, (1, 0, -1), True, dtype="float32")

def window_of(function, n, periodic, *beta):
    """NumPy has symmetric windows only; the periodic one of one element is 1, as in SciPy."""
    return function(n, *beta) if not periodic or n <= 1 else function(n + 1, *beta)[:-1]


for op, function in (("hann_window", np.hanning), ("hamming_window", np.hamming), ("blackman_window", np.blackman),
                     ("bartlett_window", np.bartlett), ("kaiser_window", np.kaiser)):
    for n in (0, 1, 2, 7, 8, 51):
        for periodic in (0, 1):
            beta = (n * 0.75,) if op == "kaiser_window" else ()
            case(op, [1], False, lambda _: window_of(function, n, periodic, *beta), (n, periodic, *(round(100 * b) for b in beta)),
                 dtype="float32" if n == 8 else "float64")
Path(__file__).with_name("cases.txt").write_text("\n".join(lines) + "\n")
