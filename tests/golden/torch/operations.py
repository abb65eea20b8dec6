#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes operations.txt: operations and their gradients by PyTorch. Run it with PyTorch installed: python3 operations.py

A line is an array as in nn.py. A case C has its operands C.x0, C.x1, ..., of which gradients are wanted, arrays of integers or of 0
and 1 C.i0, C.i1, ..., the result C.y, C.g (given to backward), and C.grad.x0, C.grad.x1, ... Complex arrays have their parts
along one more last axis. operations.hpp says what each case is. The first line is a comment that names the version.
"""
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

torch.manual_seed(2033)
torch.set_default_dtype(torch.float64)
lines = [f"# PyTorch {torch.__version__.split('+')[0]} NumPy {np.__version__}"]


def line(name, array):
    array = torch.view_as_real(array.resolve_conj()) if torch.is_complex(array) else array
    array = np.asarray(array.detach(), dtype=np.float64)
    text = (format(float(v), ".14g") for v in array.reshape(-1))
    lines.append(" ".join([name, str(array.ndim), *map(str, array.shape), *text]))


def rounded(*shape):
    """Numbers that their text holds exactly."""
    return torch.round(torch.randn(shape) * 64) / 64


def few(*shape):
    """Numbers of which several are equal."""
    return torch.randint(-2, 3, shape).double()


def distinct(*shape):
    return (torch.randperm(int(np.prod(shape))).reshape(shape) - 5) / 4


def spectrum(*shape):
    return torch.complex(rounded(*shape), rounded(*shape))


def case(name, function, leaves, integers=()):
    leaves = [leaf.clone().requires_grad_(True) for leaf in leaves]
    y = function(*leaves, *integers)
    g = spectrum(*y.shape) if torch.is_complex(y) else rounded(*y.shape)
    y.backward(g)
    for i, leaf in enumerate(leaves):
        line(f"{name}.x{i}", leaf)
        line(f"{name}.grad.x{i}", leaf.grad)
    for i, array in enumerate(integers):
        line(f"{name}.i{i}", array)
    line(f"{name}.y", y)
    line(f"{name}.g", g)


def order():
    x = few(3, 7)
    case("kthvalue", lambda v: torch.kthvalue(v, 3, 1).values, [distinct(3, 7)])
    case("median", lambda v: torch.quantile(v, 0.5, 1), [distinct(3, 6)])
    case("median_all", lambda v: torch.quantile(v, 0.5), [distinct(13)])
    case("quantile", lambda v: torch.quantile(v, 0.3, 0), [distinct(7, 2)])
    case("quantiles", lambda v: torch.quantile(v, torch.tensor([0.1, 0.5, 1.0]), 1, keepdim=True), [distinct(2, 5)])
    case("cummax", lambda v: torch.cummax(v, 1).values, [x])
    case("cummin", lambda v: torch.cummin(v, 0).values, [x.T])
    case("sort", lambda v: torch.sort(v, 1, descending=True).values, [distinct(3, 5)])
    case("topk", lambda v: torch.topk(v, 3, 1).values, [distinct(3, 7)])
    case("topk_smallest", lambda v: torch.topk(v, 2, 0, largest=False).values, [distinct(5, 3)])


def scans():
    def exclusive(v, none):
        return torch.cat([torch.full_like(v[:, :1], none), v[:, :-1]], 1)
    case("cumsum_exclusive", lambda v: torch.cumsum(exclusive(v, 0), 1), [rounded(3, 5)])
    case("cumsum_reverse", lambda v: torch.flip(torch.cumsum(torch.flip(v, [1]), 1), [1]), [rounded(3, 5)])
    case("cumprod_exclusive", lambda v: torch.cumprod(exclusive(v, 1), 1), [rounded(3, 5)])
    case("cumprod_both", lambda v: torch.flip(torch.cumprod(exclusive(torch.flip(v, [1]), 1), 1), [1]), [few(3, 5)])  # zeros too


def masks():
    mask = torch.tensor([[1, 0, 1, 1, 0], [0, 0, 0, 0, 0], [1, 1, 0, 0, 1]])
    row = torch.tensor([1, 0, 1])
    case("masked_select", lambda v, m: torch.masked_select(v, m != 0), [rounded(3, 5)], [mask])
    case("masked_select_broadcast", lambda v, m: torch.masked_select(v, m != 0), [rounded(5)], [mask])
    case("masked_fill", lambda v, m: v.masked_fill(m != 0, 7.0), [rounded(3, 5)], [mask[0]])
    case("masked_scatter", lambda v, s, m: v.masked_scatter(m != 0, s), [rounded(3, 5), rounded(8)], [mask])
    case("mask_rows", lambda v, m: v[m != 0], [rounded(3, 5)], [row])


def frames():
    x = rounded(2, 3, 5, 4)
    for mode in ["constant", "reflect", "replicate", "circular"]:
        case(f"pad_{mode}", lambda v: F.pad(v, (1, 3, 2, 0), mode), [x])
    case("narrow", lambda v: torch.narrow(v, 1, 2, 2), [rounded(3, 5)])
    case("select", lambda v: torch.select(v, 1, -2), [rounded(3, 5)])


def activations():
    # The derivatives of F.celu and F.hardsigmoid round 1 / alpha and 1 / 6 to single precision.
    for name, function in {"celu": lambda v: torch.where(v > 0, v, 0.7 * torch.expm1(v / 0.7)),
                           "hardsigmoid": lambda v: F.relu6(v + 3) / 6, "hardswish": F.hardswish,
                           "hardtanh": lambda v: F.hardtanh(v, -0.5, 1.5), "mish": F.mish, "softsign": F.softsign}.items():
        case(name, function, [torch.round(torch.randn(17) * 160) / 64 + 1 / 128])  # at no corner
    case("prelu", F.prelu, [rounded(2, 3, 4) + 1 / 128, rounded(3)])
    case("prelu_one", F.prelu, [rounded(7) + 1 / 128, rounded(1)])


def indices():
    at = torch.tensor([[2, 0, 2, 1], [1, 1, 1, 3], [0, 3, 3, 3]])
    for how in ["sum", "prod", "mean", "amax", "amin"]:
        for self in [True, False]:
            # An extremum that x shares is divided by PyTorch as if x were included where it is not: there x shares none.
            x = few(3, 5) + (0 if self else 0.5)
            case(f"scatter_{how}_{'self' if self else 'others'}",
                 lambda v, s, i: torch.scatter_reduce(v, 1, i, s, how, include_self=self), [x, few(3, 4)], [at])
    rows = torch.tensor([2, 0, 2, 1])
    case("index_add", lambda v, s, i: torch.index_add(v, 1, i, s), [rounded(2, 3, 2), rounded(2, 4, 2)], [rows])
    case("index_copy", lambda v, s, i: torch.index_copy(v, 1, i, s), [rounded(2, 5), rounded(2, 3)], [torch.tensor([4, 0, 2])])
    i, j = torch.tensor([[0, 2], [1, 1]]), torch.tensor([3, 0])
    case("index_put", lambda v, s, i, j: torch.index_put(v, (i, j), s), [rounded(3, 4), rounded(2, 2)], [i, j])
    case("index_put_add", lambda v, s, i, j: torch.index_put(v, (i, j), s, accumulate=True), [rounded(3, 4, 2), rounded(2, 1, 2)],
         [i * 0, j])
    case("integer_index", lambda v, i, j: v[i, j], [rounded(3, 4)], [i, j])
    case("gather", lambda v, i: torch.gather(v, 1, i), [rounded(3, 5)], [at])
    case("scatter", lambda v, s, i: torch.scatter(v, 1, i, s), [rounded(2, 5), rounded(2, 3)], [torch.tensor([[4, 0, 2], [1, 3, 0]])])
    case("take", lambda v, i: torch.index_select(v, 1, i), [rounded(2, 3)], [rows])


def products():
    case("einsum_chain", lambda a, b, c: torch.einsum("bij,jk,bk->ib", a, b, c), [rounded(2, 3, 5), rounded(5, 4), rounded(2, 4)])
    case("einsum_diagonal", lambda a, b: torch.einsum("iij,j->i", a, b), [rounded(3, 3, 2), rounded(2)])
    case("einsum_ellipsis", lambda a, b: torch.einsum("...ij,...j->...i", a, b), [rounded(2, 1, 3, 5), rounded(4, 5)])
    case("tensordot", lambda a, b: torch.tensordot(a, b, ([1, 0], [0, 2])), [rounded(2, 3, 4), rounded(3, 1, 2)])
    for order, name in [(1, "one"), (2, "two"), (float("inf"), "infinity")]:
        case(f"cdist_{name}", lambda a, b: torch.cdist(a, b, order, "donot_use_mm_for_euclid_dist"), [rounded(2, 3, 5), rounded(4, 5)])


def spectra():
    z = spectrum(3, 5)
    case("fft", lambda v: torch.fft.fft(v, 7, 1), [z])
    case("fft_cut", lambda v: torch.fft.fft(v, 2, 0, "ortho"), [z])
    case("ifft", lambda v: torch.fft.ifft(v, 6, 1, "forward"), [z])
    case("fftn", lambda v: torch.fft.fftn(v), [z])
    case("ifft2", lambda v: torch.fft.ifft2(v, (4, 3)), [z])
    case("rfft", lambda v: torch.fft.rfft(v, 8), [rounded(3, 7)])
    case("rfft_odd", lambda v: torch.fft.rfft(v, None, 0, "ortho"), [rounded(5, 2)])
    case("irfft", lambda v: torch.fft.irfft(v), [z])
    case("irfft_odd", lambda v: torch.fft.irfft(v, 7, 1, "ortho"), [z])
    case("irfft_cut", lambda v: torch.fft.irfft(v, 4, 0), [z])
    case("rfft2", lambda v: torch.fft.rfft2(v), [rounded(4, 5)])
    case("irfftn", lambda v: torch.fft.irfftn(v, (3, 6)), [z])
    case("fftshift", lambda v: torch.fft.fftshift(v), [z])
    case("stft", lambda v, w: torch.stft(v, 6, 2, window=w, return_complex=True), [rounded(2, 13), rounded(6)])
    case("istft", lambda v, w: torch.istft(v, 6, 2, window=w), [spectrum(4, 5), rounded(6).abs() + 1])


def complex_numbers():
    a, b = spectrum(3, 4), spectrum(4)
    case("complex_quotient", lambda v, w: (v * w - v) / (v + w), [a, b])
    case("complex_parts", lambda v: v.real * torch.angle(v) + torch.abs(v) * v.imag, [a])
    case("complex_conj", lambda v: v * torch.conj(v) * (1 + 2j) - torch.conj(v), [a])
    case("polar", lambda r, p: torch.polar(r, p), [rounded(5).abs() + 0.25, rounded(5)])
    case("make_complex", lambda x, y: torch.complex(x, y) * torch.complex(y, x), [rounded(5), rounded(5)])
    case("complex_sums", lambda v: v.sum(0) * v.mean(0), [a])
    case("complex_products", lambda v: torch.cumprod(v, 0)[2] + torch.prod(v, 0), [a])
    case("complex_matmul", lambda v, w: v @ w, [spectrum(2, 3), spectrum(3, 4)])


for group in (order, scans, masks, frames, activations, indices, products, spectra, complex_numbers):
    group()
Path(__file__).with_name("operations.txt").write_text("\n".join(lines) + "\n")
