# SPDX-License-Identifier: Apache-2.0
"""PyTorch's side of the GPU benchmark: the rows of main.cpp, eager and compiled, with the same shapes, timed the same
way and on the same commands (see main.cpp). Needs PyTorch with a GPU; exits with 77 where there is none.

With --rehearse it answers without PyTorch, so that the driver's part can be tried anywhere."""

import json
import sys
import time

SMALL = "--small" in sys.argv
REHEARSE = "--rehearse" in sys.argv


def size(full, small):
    return small if SMALL else full


def rows(torch):
    """name -> (clock, function that makes the operands and gives {peer name: formula} with its arguments)."""
    f = torch.nn.functional
    bf16 = torch.bfloat16
    n = size(2**28, 2**14)
    r, c = size(8192, 64), size(32768, 256)
    side = size(16384, 128)
    lines, columns = size(65536, 128), size(4096, 256)
    soft = (size(32768, 64), size(8192, 512))
    k = size(8192, 64)

    def rand(*shape, dtype=torch.float32):
        return torch.rand(*shape, dtype=dtype, device="cuda")

    def randn(*shape, dtype=torch.float32):
        return torch.randn(*shape, dtype=dtype, device="cuda")

    def formula(operation, *arguments):
        return {"": (operation, arguments)}

    def multiply_add():
        a, b, d = rand(n), rand(n), rand(n)
        return {
            "": (lambda a, b, d: a * b + d, (a, b, d)),
            "addcmul": (lambda a, b, d: torch.addcmul(d, a, b), (a, b, d)),
        }

    def into_existing():
        z = torch.zeros(n, device="cuda")
        return formula(lambda z, a, b, d: torch.addcmul(d, a, b, out=z), z, rand(n), rand(n), rand(n))

    def chain(a):
        return -torch.relu(torch.square(torch.sqrt(torch.abs(a) * 0.5 + 1) - 0.25))

    def linear_gelu():
        given = (randn(k, k, dtype=bf16), randn(k, k, dtype=bf16), randn(k, dtype=bf16))
        return {
            "": (lambda x, w, b: f.gelu(f.linear(x, w, b), approximate="tanh"), given),
            "_addmm_activation": (lambda x, w, b: torch._addmm_activation(b, x, w.t(), use_gelu=True), given),
        }

    def tf32(allowed):
        def make():
            torch.backends.cuda.matmul.allow_tf32 = allowed
            return formula(torch.matmul, randn(k, k), randn(k, k))

        return make

    def ten(a, b):
        return torch.relu((((a * b + a) * 0.5 - b) * a + 1) * b - a)

    def ten_sums(x):
        for _ in range(10):
            x = x * 0.5 + x.sum()
        return x

    def training(net, *shape):
        def step(x, y):
            with torch.enable_grad():
                optimizer.zero_grad()
                f.cross_entropy(net(x), y).backward()
                optimizer.step()

        net = net.cuda()
        optimizer = torch.optim.SGD(net.parameters(), lr=1e-3, momentum=0.9)
        return formula(step, rand(*shape), torch.randint(0, 10, shape[:1], device="cuda"))

    def perceptron(batch):
        nn = torch.nn
        return lambda: training(nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10)), size(batch, 4), 784)

    def convolutional(batch):
        nn = torch.nn
        return lambda: training(
            nn.Sequential(
                nn.Conv2d(1, 16, 3, padding=1),
                nn.ReLU(),
                nn.MaxPool2d(2),
                nn.Conv2d(16, 32, 3, padding=1),
                nn.ReLU(),
                nn.MaxPool2d(2),
                nn.Flatten(),
                nn.Linear(32 * 7 * 7, 10),
            ),
            *(size(batch, 4), 1, 28, 28),
        )

    def gather():
        at = torch.arange(soft[1] - 1, -1, -1, device="cuda").expand(soft).contiguous()
        return formula(lambda x, at: torch.gather(x, 1, at), randn(*soft), at)

    def adam():
        weight = torch.nn.Parameter(randn(size(2**27, 2**12)))
        optimizer = torch.optim.Adam([weight], lr=1e-3, fused=True)

        def step():
            with torch.enable_grad():
                optimizer.zero_grad()
                (weight * 0.5).sum().backward()
                optimizer.step()

        return {"fused": (step, ())}

    def convolution():
        torch.backends.cudnn.allow_tf32 = False
        images, channels, extent = size(64, 1), size(64, 4), size(56, 8)
        given = (randn(images, channels, extent, extent), randn(channels, channels, 3, 3), randn(channels))
        return formula(lambda x, w, b: f.conv2d(x, w, b, padding=1), *given)

    small = 1024
    host = "host"
    transfer = size(2**28, 2**16)
    return {
        "relu fp32": ("gpu", lambda: formula(torch.relu, rand(n))),
        "a*b+c fp32": ("gpu", multiply_add),
        "a*b+c fp32, into an existing tensor": ("gpu", into_existing),
        "chain of 8 operations fp32": ("gpu", lambda: formula(chain, rand(n))),
        "add bf16": ("gpu", lambda: formula(torch.add, rand(n, dtype=bf16), rand(n, dtype=bf16))),
        "row bias fp32": ("gpu", lambda: formula(torch.add, rand(r, c), rand(c))),
        "column scale fp32": ("gpu", lambda: formula(torch.mul, rand(r, c), rand(r, 1))),
        "transpose copy fp32": ("gpu", lambda: formula(lambda x: x.t().contiguous(), rand(side, side))),
        "rand fp32": ("gpu", lambda: formula(lambda: torch.rand(n, device="cuda"))),
        "randn fp32": ("gpu", lambda: formula(lambda: torch.randn(n, device="cuda"))),
        "sum fp32": ("gpu", lambda: formula(torch.sum, rand(size(2**30, 2**16)))),
        "mean((a-b)^2) fp32": ("gpu", lambda: formula(lambda a, b: torch.mean(torch.square(a - b)), rand(n), rand(n))),
        "sum of the last axis fp32": ("gpu", lambda: formula(lambda x: x.sum(1), rand(lines, columns))),
        "sum of the first axis fp32": ("gpu", lambda: formula(lambda x: x.sum(0), rand(lines, columns))),
        "softmax fp32": ("gpu", lambda: formula(lambda x: torch.softmax(x, 1), randn(*soft))),
        "layer norm bf16": (
            "gpu",
            lambda: formula(
                lambda x, w, b: f.layer_norm(x, (columns,), w, b),
                randn(lines, columns, dtype=bf16),
                torch.ones(columns, dtype=bf16, device="cuda"),
                torch.zeros(columns, dtype=bf16, device="cuda"),
            ),
        ),
        "gather fp32": ("gpu", gather),
        "adam step fp32": ("gpu", adam),
        "convolution 3x3 fp32": ("gpu", convolution),
        "product bf16": ("gpu", lambda: formula(torch.matmul, randn(k, k, dtype=bf16), randn(k, k, dtype=bf16))),
        "linear bf16 + bias + gelu_tanh": ("gpu", linear_gelu),
        "product fp32": ("gpu", tf32(False)),
        "product tf32": ("gpu", tf32(True)),
        **{
            f"training step, {name}, batch {batch}": ("gpu", make(batch))
            for batch in (64, 1024)
            for name, make in (("perceptron 784-256-10", perceptron), ("convolutional 16-32", convolutional))
        },
        "a small operation, new tensor, host": (host, lambda: formula(torch.add, rand(small), rand(small))),
        "a small operation, existing tensor, host": (
            host,
            lambda: formula(lambda a, b, z: torch.add(a, b, out=z), rand(small), rand(small), rand(small)),
        ),
        "10 fusable small operations, host": (host, lambda: formula(ten, rand(small), rand(small))),
        "20 small operations that do not fuse, host": (host, lambda: formula(ten_sums, rand(small))),
        "sum of a small tensor, host": (host, lambda: formula(torch.sum, rand(small))),
        "pinned to GPU": (
            "wall",
            lambda: formula(lambda x: x.to("cuda", non_blocking=True), torch.ones(transfer).pin_memory()),
        ),
        "GPU to pinned": (
            "wall",
            lambda: formula(
                lambda x, to: to.copy_(x, non_blocking=True), rand(transfer), torch.ones(transfer).pin_memory()
            ),
        ),
        "pageable to GPU": ("wall", lambda: formula(lambda x: x.to("cuda"), torch.ones(transfer))),
        "GPU to pageable": ("wall", lambda: formula(lambda x: x.cpu(), rand(transfer))),
    }


class Server:
    def __init__(self, torch):
        self.torch = torch
        self.rows = rows(torch)
        self.peers = {}
        self.clock = "gpu"

    def prepare(self, name):
        if name not in self.rows:
            return {"peers": []}
        self.clock, make = self.rows[name]
        self.peers = {}
        self.torch._dynamo.reset()  # all rows go through one lambda, and Dynamo compiles one function a few times only
        for variant, (operation, arguments) in make().items():
            suffix = f" ({variant})" if variant else ""
            self.peers["torch" + suffix] = lambda operation=operation, arguments=arguments: operation(*arguments)
            # Copies and fixed random numbers have nothing to compile.
            if self.clock != "wall" and not variant and "existing" not in name:
                compiled = self.torch.compile(lambda *given, operation=operation: operation(*given))
                self.peers["torch.compile"] = lambda compiled=compiled, arguments=arguments: compiled(*arguments)
        failed = {}
        for who in list(self.peers):
            try:
                with self.torch.no_grad():
                    self.peers[who]()
                self.torch.cuda.synchronize()
            except Exception as error:  # a compiler that fails must not cost the row
                failed[who] = f"{type(error).__name__}: {str(error)[:200]}"
                del self.peers[who]
        return {"clock": self.clock, "peers": sorted(self.peers), "failed": failed}

    def time(self, who, count):
        torch, work = self.torch, self.peers[who]
        times = []
        with torch.no_grad():
            work()
            work()
            if self.clock == "gpu":
                spans = [
                    (torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(count)
                ]
                for start, end in spans:
                    start.record()
                    work()
                    end.record()
                torch.cuda.synchronize()
                times = [start.elapsed_time(end) for start, end in spans]
            else:
                batch = 1 if self.clock == "wall" else 5 if SMALL else 200
                for _ in range(count):
                    torch.cuda.synchronize()
                    start = time.perf_counter()
                    for _ in range(batch):
                        work()
                    if self.clock == "wall":
                        torch.cuda.synchronize()
                    times.append((time.perf_counter() - start) * 1e3 / batch)
                torch.cuda.synchronize()
        return {"ms": times}

    def release(self):
        self.peers = {}
        self.torch.cuda.empty_cache()
        return {}


class Rehearsal:
    """Says what the server would, of no row in particular."""

    def prepare(self, name):
        return {"clock": "gpu", "peers": ["torch", "torch.compile"]}

    def time(self, who, count):
        return {"ms": [1.0] * count}

    def release(self):
        return {}


def main():
    if REHEARSE:
        server, described = Rehearsal(), "rehearsal, no PyTorch"
    else:
        try:
            import torch
        except ImportError as error:
            print(json.dumps({"error": str(error)}), flush=True)
            return 77
        if not torch.cuda.is_available():
            print(json.dumps({"error": "PyTorch sees no GPU"}), flush=True)
            return 77
        server, described = Server(torch), f"PyTorch {torch.__version__}, {torch.cuda.get_device_name(0)}"
    print(json.dumps({"device": described}), flush=True)
    for line in sys.stdin:
        verb, _, rest = line.strip().partition(" ")
        if verb == "quit":
            break
        try:
            if verb == "prepare":
                answer = server.prepare(rest)
            elif verb == "time":
                who, _, count = rest.rpartition(" ")
                answer = server.time(who, int(count))
            elif verb == "release":
                answer = server.release()
            else:
                answer = {"error": f"no such command: {verb}"}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:500]}
        print(json.dumps(answer), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
