#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes nn.txt: modules, inputs, outputs and gradients by PyTorch. Run it with PyTorch installed: python3 nn.py > nn.txt

A line is an array: NAME RANK EXTENTS... VALUES..., in float64. A case C has the lines
    C.x                 the input
    C.ENTRY             parameters and buffers before, by the names that PyTorch gives them
    C.y                 the output
    C.g                 the gradient of the output that is given to backward
    C.grad.ENTRY        the gradients of parameters, C.grad.x that of the input
    C.after.ENTRY       buffers afterwards
The first line is a comment that names the version.
"""
import numpy as np
import torch
from torch import nn

torch.manual_seed(2024)
torch.set_default_dtype(torch.float64)


def line(name, array):
    array = np.asarray(array, dtype=np.float64)
    print(name, array.ndim, *array.shape, *(repr(float(v)) for v in array.reshape(-1)))


def case(name, module, x, steps=1):
    """The last of several calls is recorded; what came before it has changed the buffers."""
    for _ in range(steps - 1):
        module(torch.randn_like(x))
    buffers = [key for key, _ in module.named_buffers()]
    for key, value in module.state_dict().items():
        line(f"{name}.{key}", value)
    line(f"{name}.x", x)
    if x.is_floating_point():
        x.requires_grad_(True)
    y = module(x)
    g = torch.randn_like(y)
    y.backward(g)
    line(f"{name}.y", y.detach())
    line(f"{name}.g", g)
    for key, parameter in module.named_parameters():
        line(f"{name}.grad.{key}", parameter.grad)
    if x.is_floating_point():
        line(f"{name}.grad.x", x.grad)
    for key in buffers:
        line(f"{name}.after.{key}", module.state_dict()[key])


def perturbed(module):
    """Parameters that are all 1 or 0 at first show little."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3)
    return module


print("# PyTorch", torch.__version__, "NumPy", np.__version__)
case("linear", nn.Linear(5, 3), torch.randn(4, 5))
case("linear_batches", nn.Linear(3, 2, bias=False), torch.randn(2, 4, 3))
case("conv", nn.Conv2d(3, 4, 3), torch.randn(2, 3, 5, 6))
case("conv_options", nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=(1, 2), dilation=(1, 2), groups=2, bias=False),
     torch.randn(2, 4, 6, 5))
case("max_pool", nn.MaxPool2d(2), torch.randn(2, 2, 5, 4))
case("max_pool_options", nn.MaxPool2d(3, stride=2, padding=1), torch.randn(1, 2, 6, 5))
case("avg_pool", nn.AvgPool2d((2, 3)), torch.randn(1, 2, 4, 6))
case("avg_pool_options", nn.AvgPool2d(3, stride=2, padding=1, count_include_pad=False), torch.randn(1, 2, 5, 5))
case("batch_norm_1d", perturbed(nn.BatchNorm1d(3)), torch.randn(5, 3) * 2 + 1)
case("batch_norm_2d", perturbed(nn.BatchNorm2d(2, eps=1e-3, momentum=0.3)), torch.randn(3, 2, 2, 3) - 1, steps=3)
case("batch_norm_plain", nn.BatchNorm1d(2, affine=False), torch.randn(3, 2, 4))
used = perturbed(nn.BatchNorm2d(2))
used(torch.randn(4, 2, 3, 3) * 2 + 1)
case("batch_norm_eval", used.eval(), torch.randn(2, 2, 2, 2))
case("layer_norm", perturbed(nn.LayerNorm(6)), torch.randn(4, 6))
case("layer_norm_axes", perturbed(nn.LayerNorm((2, 3), eps=1e-3)), torch.randn(3, 2, 2, 3))
case("layer_norm_plain", nn.LayerNorm(4, elementwise_affine=False), torch.randn(2, 4))
case("embedding", nn.Embedding(6, 3), torch.tensor([[1, 5, 1], [0, 2, 1]]))
case("embedding_padding", nn.Embedding(5, 2, padding_idx=1), torch.tensor([1, 3, 1, 0]))
case("flatten", nn.Flatten(), torch.randn(2, 3, 2))
for name, module in {
    "relu": nn.ReLU(), "leaky_relu": nn.LeakyReLU(0.2), "elu": nn.ELU(0.7), "selu": nn.SELU(), "gelu": nn.GELU(),
    "gelu_tanh": nn.GELU(approximate="tanh"), "silu": nn.SiLU(), "softplus": nn.Softplus(), "sigmoid": nn.Sigmoid(),
    "tanh": nn.Tanh(), "softmax": nn.Softmax(dim=1), "log_softmax": nn.LogSoftmax(dim=0),
}.items():
    case(name, module, torch.randn(3, 4) * 2)
case("network", nn.Sequential(
    nn.Conv2d(1, 3, 3, padding=1, bias=False), perturbed(nn.BatchNorm2d(3)), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
    nn.Linear(12, 5), nn.ReLU(), nn.Sequential(nn.Linear(5, 4), nn.LayerNorm(4)), nn.LogSoftmax(dim=1)),
    torch.randn(3, 1, 4, 4))
