#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes convolution.txt: conv2d, max_pool2d, avg_pool2d and their gradients by PyTorch. Run it with PyTorch installed:
python3 convolution.py > convolution.txt

A line is an array as in nn.py. A case C has C.options (what: 0 conv2d, 1 max_pool2d, 2 avg_pool2d; then stride, padding,
dilation and kernel, two numbers each, groups, ceil_mode, count_include_pad), C.x, C.y, C.g (given to backward), C.grad.x,
and for conv2d C.weight, C.bias, C.grad.weight, C.grad.bias. Inputs of max_pool2d have few values, so that many are equal.
The first line is a comment that names the version.
"""
import numpy as np
import torch
import torch.nn.functional as F

torch.manual_seed(2025)
torch.set_default_dtype(torch.float64)


def line(name, array):
    array = np.asarray(array.detach() if torch.is_tensor(array) else array, dtype=np.float64)
    print(name, array.ndim, *array.shape, *(format(float(v), ".12g") for v in array.reshape(-1)))


def rounded(*shape):
    """Numbers that their text holds exactly."""
    return torch.round(torch.randn(*shape) * 64) / 64


def record(name, what, y, leaves, stride, padding, dilation=(1, 1), kernel=(1, 1), groups=1, ceil=False, counts=True):
    line(f"{name}.options", [what, *stride, *padding, *dilation, *kernel, groups, ceil, counts])
    g = rounded(*y.shape)
    y.backward(g)
    line(f"{name}.y", y)
    line(f"{name}.g", g)
    for key, leaf in leaves.items():
        line(f"{name}.{key}", leaf)
        line(f"{name}.grad.{key}", leaf.grad)


def conv(name, x, weight, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1):
    leaves = {"x": rounded(*x), "weight": rounded(*weight), "bias": rounded(weight[0])}
    for leaf in leaves.values():
        leaf.requires_grad_(True)
    y = F.conv2d(leaves["x"], leaves["weight"], leaves["bias"], stride, padding, dilation, groups)
    record(name, 0, y, leaves, stride, padding, dilation, groups=groups)


def max_pool(name, x, kernel, stride, padding=(0, 0), dilation=(1, 1), ceil=False):
    x = torch.randint(-2, 3, x).double().requires_grad_(True)
    y = F.max_pool2d(x, kernel, stride, padding, dilation, ceil)
    record(name, 1, y, {"x": x}, stride, padding, dilation, kernel, ceil=ceil)


def avg_pool(name, x, kernel, stride, padding=(0, 0), ceil=False, counts=True):
    x = rounded(*x).requires_grad_(True)
    y = F.avg_pool2d(x, kernel, stride, padding, ceil, counts)
    record(name, 2, y, {"x": x}, stride, padding, kernel=kernel, ceil=ceil, counts=counts)


print("# PyTorch", torch.__version__, "NumPy", np.__version__)
conv("conv", (2, 3, 5, 6), (4, 3, 3, 3), padding=(1, 1))
conv("conv_stride", (2, 2, 7, 8), (3, 2, 2, 3), stride=(3, 2), padding=(1, 2))
conv("conv_dilation", (1, 2, 9, 8), (3, 2, 3, 2), stride=(2, 1), padding=(2, 1), dilation=(2, 3))
conv("conv_groups", (2, 6, 4, 5), (4, 3, 3, 3), padding=(1, 0), groups=2)
conv("conv_depthwise", (1, 3, 5, 4), (6, 1, 3, 3), padding=(1, 1), groups=3)
conv("conv_one_image", (2, 4, 4), (3, 2, 2, 2))
max_pool("max", (2, 2, 6, 4), (2, 2), (2, 2))
max_pool("max_overlap", (1, 2, 7, 8), (3, 2), (1, 2), padding=(1, 1))
max_pool("max_ceil", (1, 2, 6, 7), (3, 3), (2, 2), padding=(1, 1), ceil=True)
max_pool("max_ceil_behind", (1, 1, 5, 5), (2, 2), (3, 4), padding=(1, 1), ceil=True)
max_pool("max_dilation", (1, 1, 8, 9), (2, 3), (1, 2), padding=(1, 1), dilation=(3, 2))
for counts in (False, True):
    suffix = "" if counts else "_inside"
    avg_pool("avg" + suffix, (1, 2, 6, 5), (3, 2), (2, 1), padding=(1, 1), counts=counts)
    avg_pool("avg_ceil" + suffix, (1, 2, 6, 7), (3, 4), (2, 3), padding=(1, 2), ceil=True, counts=counts)
    avg_pool("avg_ceil_behind" + suffix, (1, 1, 5, 5), (2, 2), (3, 4), padding=(1, 1), ceil=True, counts=counts)
