#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes checkpoint.safetensors and checkpoint.npz: a network of PyTorch, an input and its output.

Run it with PyTorch, NumPy and safetensors installed: python3 checkpoint.py. The versions stand in the metadata of the first.
"""
import numpy as np
import safetensors
import torch
from safetensors.torch import save_file
from torch import nn

torch.manual_seed(11)
net = nn.Sequential(nn.Linear(5, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 3, bias=False))
for _ in range(2):
    net(torch.randn(8, 5) * 2 + 1)
net.eval()
x = torch.randn(6, 5)
with torch.no_grad():
    tensors = {f"net.{name}": value for name, value in net.state_dict().items()} | {"x": x, "y": net(x)}
versions = {"torch": torch.__version__, "numpy": np.__version__, "safetensors": safetensors.__version__}
save_file(tensors, "checkpoint.safetensors", metadata=versions)
np.savez("checkpoint.npz", **{name: value.numpy() for name, value in tensors.items()})
