# SPDX-License-Identifier: Apache-2.0
"""An operation written in C++ with situ. Arrays of NumPy, PyTorch, CuPy and JAX go in without a copy."""
from ._native import Tensor, soft_clip, soft_clip_gradient

__all__ = ["Tensor", "soft_clip", "soft_clip_gradient"]
