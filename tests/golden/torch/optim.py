#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes optim.txt: steps of optimisers, learning rates and clipped gradients by PyTorch: python3 optim.py > optim.txt

The format is that of nn.py. A case C of an optimiser has five steps over the parameters w and b, and the lines
    C.w C.b             the parameters before
    C.S.grad.w          the gradient in step S; b has none in step 2
    C.S.w C.S.b         the parameters after step S
    C.state.NAME.w      the state at the end, by PyTorch's names
A schedule is one line with the rates of 25 steps. clip.M has gradients before and after, and their norm before.
"""
import numpy as np
import torch

torch.manual_seed(2025)
torch.set_default_dtype(torch.float64)


def line(name, array):
    array = np.asarray(array, dtype=np.float64)
    print(name, array.ndim, *array.shape, *(repr(float(v)) for v in array.reshape(-1)))


def case(name, make):
    parameters = {"w": torch.randn(3, 7).requires_grad_(), "b": torch.randn(()).requires_grad_()}
    optimizer = make(list(parameters.values()))
    for key, value in parameters.items():
        line(f"{name}.{key}", value.detach())
    for step in range(5):
        for key, value in parameters.items():
            value.grad = None
            if key == "b" and step == 2:
                continue
            value.grad = torch.randn_like(value)
            line(f"{name}.{step}.grad.{key}", value.grad)
        optimizer.step()
        for key, value in parameters.items():
            line(f"{name}.{step}.{key}", value.detach())
    for key, value in parameters.items():
        for kind, state in optimizer.state[value].items():
            if kind != "step" and state is not None:
                line(f"{name}.state.{kind}.{key}", state)


print("# PyTorch", torch.__version__, "NumPy", np.__version__)
case("sgd", lambda p: torch.optim.SGD(p, lr=0.1))
case("sgd_decay", lambda p: torch.optim.SGD(p, lr=0.1, weight_decay=0.3))
case("sgd_momentum", lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9))
case("sgd_dampening", lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.8, dampening=0.4, weight_decay=0.2))
case("sgd_nesterov", lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.7, nesterov=True, weight_decay=0.1))
case("adam", lambda p: torch.optim.Adam(p, lr=0.05))
case("adam_options", lambda p: torch.optim.Adam(p, lr=0.02, betas=(0.6, 0.8), eps=0.1, weight_decay=0.3))
case("adamw", lambda p: torch.optim.AdamW(p, lr=0.05))
case("adamw_options", lambda p: torch.optim.AdamW(p, lr=0.02, betas=(0.5, 0.9), eps=1e-3, weight_decay=0.4))


def rates(name, make):
    optimizer = torch.optim.SGD([torch.zeros(1).requires_grad_()], lr=0.2)
    schedule = make(optimizer)
    seen = []
    for _ in range(25):
        seen.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    line(name, seen)


lr = torch.optim.lr_scheduler
rates("rate.step", lambda o: lr.StepLR(o, 6, gamma=0.3))
rates("rate.exponential", lambda o: lr.ExponentialLR(o, 0.9))
rates("rate.cosine", lambda o: lr.CosineAnnealingLR(o, 24, eta_min=0.01))
rates("rate.warm_up", lambda o: lr.LinearLR(o, start_factor=0.25, total_iters=10))

for most in (0.5, 100.0):
    w, b = torch.randn(4, 5).requires_grad_(), torch.randn(3).requires_grad_()
    w.grad, b.grad = torch.randn_like(w), torch.randn_like(b)
    line(f"clip.{most}.w", w.grad)
    line(f"clip.{most}.b", b.grad)
    line(f"clip.{most}.norm", torch.nn.utils.clip_grad_norm_([w, b], most))
    line(f"clip.{most}.after.w", w.grad)
    line(f"clip.{most}.after.b", b.grad)
