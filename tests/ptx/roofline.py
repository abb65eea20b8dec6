# SPDX-License-Identifier: Apache-2.0
"""From counts of machine code to a prediction of time: nothing here was measured on a GPU.

A kernel that moves memory is as fast as the slowest of these: the memory itself; as many bytes on the way as hide its
latency; the instructions, and the units that begin fewer of a kind a cycle."""

import collections
import math

# Datasheets (NVIDIA H200, L4, GeForce RTX 4090) and the tables of the CUDA programming guide, "Arithmetic instructions"
# (throughput of compute capability 9.0 and 8.9) and "Compute capabilities" (registers, threads, blocks). `latency`, of
# a load from memory in nanoseconds, and `copies`, the part of the memory's rate that a copy reaches, are what others
# publish.
Gpu = collections.namedtuple("Gpu", "name processors gigahertz rate copies latency threads blocks double")
GPUS = (
    Gpu("H200", 132, 1.78, 4.8e12, 0.90, 650, 2048, 32, 64),
    Gpu("L4", 58, 1.7, 300e9, 0.88, 600, 1536, 24, 2),
)
REGISTERS = 65536
# Begun in a cycle by a multiprocessor, each of 32 threads a warp; the same on both.
A_CYCLE = {"instructions": 128, "integer": 64, "multiply": 64, "special": 16, "access": 32}
ISSUED = 0.85  # of the cycles, a warp is ready in well-fed kernels
SMOOTH = 0.97  # of the copy rate: what beginning and end of a launch leave


def resident_warps(gpu, registers, threads):
    """Warps of a multiprocessor at once, by registers, threads and blocks."""
    warps = math.ceil(threads / 32)
    of_a_warp = math.ceil(registers * 32 / 256) * 256
    by_registers = REGISTERS // of_a_warp // warps
    blocks = min(by_registers, gpu.threads // 32 // warps, gpu.blocks)
    return blocks * warps


def predict(gpu, counts, read, written, registers, threads):
    """[(part of the rate of a copy, what limits it to that), ...] of a kernel that reads and writes so many bytes an element,
    the least first."""
    copy_rate = gpu.rate * gpu.copies
    elements = copy_rate / (read + written) / gpu.processors / (gpu.gigahertz * 1e9)  # a cycle and multiprocessor
    limits = {"memory": SMOOTH}
    if counts["bytes"] and read:
        on_the_way = resident_warps(gpu, registers, threads) * 32 * counts["bytes"]
        wanted = copy_rate * read / (read + written) / gpu.processors * gpu.latency * 1e-9
        limits["latency"] = on_the_way / wanted
    for unit, a_cycle in dict(A_CYCLE, double=gpu.double).items():
        if counts[unit]:
            limits[unit] = ISSUED * a_cycle / (counts[unit] * elements)
    return sorted((part, limit) for limit, part in limits.items())
