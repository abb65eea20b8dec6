# SPDX-License-Identifier: Apache-2.0
"""The operation for PyTorch, with its gradient."""
import torch

from . import _native


# [function]
class SoftClip(torch.autograd.Function):
    """`limit * tanh(x / limit)`, computed by situ where x lies."""

    @staticmethod
    def forward(ctx, x, limit):
        y = torch.from_dlpack(_native.soft_clip(x.detach(), limit))
        ctx.save_for_backward(y)
        ctx.limit = limit
        return y

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, dy):
        (y,) = ctx.saved_tensors
        return torch.from_dlpack(_native.soft_clip_gradient(y.detach(), dy, ctx.limit)), None


def soft_clip(x: torch.Tensor, limit: float) -> torch.Tensor:
    return SoftClip.apply(x, limit)
# [function-end]
