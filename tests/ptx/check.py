#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks at what nvcc makes of the kernels, which needs no GPU: compiles kernels.cu for sm_90 and checks

- in the PTX that flat kernels read and write 16 bytes at a time, all that a thread reads before the first store, and
  that
  kernels which read much do so 16 bytes at a time;
- in the resource report of ptxas that no kernel spills registers or has a stack frame.

    check.py --include=include --include=/usr/include/eigen3 [--nvcc=nvcc] [--architecture=90]
    check.py --selftest

Prints a table of registers and shared memory. The exit code is 77 where nvcc is missing."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent

# What to look for: the kernel's name as a regular expression, then the least numbers of 16-byte loads and stores in it,
# and whether all such loads must stand before the first such store (as they do in a kernel without a loop).
WANTED = {
    "a*b+c": (r"FlatElementwise<.*Multiply.*, float>", 6, 2, True),
    "relu": (r"FlatElementwise<.*Relu.*, float>", 4, 4, True),
    "bf16 add": (r"FlatElementwise<.*Add.*bfloat16.*>", 4, 2, True),
    "row bias": (r"StridedElementwise<.*Subtract.*, float, *(\(int\))?4>", 2, 1, True),
    "sum": (r"cuda::.*Reduce.*Sum.*", 2, 0, False),
    "softmax": (r"cuda::.*[Ss]oftmax.*float", 2, 1, False),
    "cumsum": (r"ScanRows<.*Sum<float>, float, float, *(\(int\))?4>", 2, 2, False),
    "gradients": (r"Together<.*FlatElementwise<.*Partial<.*Multiply", 6, 4, False),
    "gradient of softmax": (r"StridedElementwise<.*Multiply, float, .*Subtract.*, float, *(\(int\))?4>", 3, 1, False),
    "layer norm": (r"cuda::.*([Ll]ayer_?[Nn]orm|Normalize).*bfloat16", 2, 1, False),
}


def entries(ptx):
    """{mangled name: text} of the kernels in PTX."""
    found = {}
    for match in re.finditer(r"^(?:\.visible |\.weak )?\.entry (\w+)\(", ptx, re.M):
        end = ptx.index("\n}", match.end())
        found[match.group(1)] = ptx[match.end() : end]
    return found


def vector_accesses(body):
    """([positions of 16-byte loads], [positions of 16-byte stores]) in a kernel's text; global memory only."""
    loads, stores = [], []
    for match in re.finditer(r"\b(ld|st)\.global(?:\.\w+(?:::\w+)?)*?\.v(\d)\.[a-z](\d+)\b", body):
        if int(match.group(2)) * int(match.group(3)) == 128:
            (loads if match.group(1) == "ld" else stores).append(match.start())
    return loads, stores


def resources(report):
    """{mangled name: {registers, shared, stack, spill}} from what -Xptxas -v prints."""
    found, name = {}, None
    for line in report.splitlines():
        if match := re.search(r"Compiling entry function '(\w+)'", line):
            name = match.group(1)
            found[name] = {"registers": 0, "shared": 0, "stack": 0, "spill": 0}
        elif match := re.search(r"Function properties for (\w+)", line):
            name = match.group(1) if match.group(1) in found else None
        elif name and (
            match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line)
        ):
            found[name]["stack"] = int(match.group(1))
            found[name]["spill"] = int(match.group(2)) + int(match.group(3))
        elif name and (match := re.search(r"Used (\d+) registers", line)):
            found[name]["registers"] = int(match.group(1))
            shared = re.search(r"(\d+) bytes smem", line)
            found[name]["shared"] = int(shared.group(1)) if shared else 0
    return found


def demangle(names):
    if not shutil.which("c++filt"):
        return {name: name for name in names}
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    return dict(zip(names, done.stdout.splitlines()))


def short(name):
    """A kernel's name as a person reads it: without namespaces and the kernel function around it."""
    name = re.sub(r"^void .*?run_kernel<(.*)>\(.*$", r"\1", name)
    return re.sub(r"\bsitu::(?:\w+::)*|\(anonymous namespace\)::", "", name)


def judge(kernels, wanted):
    """The complaints. `kernels` is {readable name: (body, resources)}."""
    wrong = []
    for name, (_, used) in kernels.items():
        if used and (used["spill"] or used["stack"]):
            wrong.append(f"{short(name)}: {used['spill']} bytes of spills, a stack frame of {used['stack']} bytes")
    for title, (pattern, least_loads, least_stores, ordered) in wanted.items():
        matching = {name: body for name, (body, _) in kernels.items() if re.search(pattern, name)}
        if not matching:
            wrong.append(f"{title}: no kernel is called {pattern}")
            continue
        # An operation may have kernels for other cases beside the one that is meant.
        good, seen = False, []
        for name, body in matching.items():
            loads, stores = vector_accesses(body)
            in_order = not ordered or not loads or not stores or max(loads) < min(stores)
            good = good or (len(loads) >= least_loads and len(stores) >= least_stores and in_order)
            seen.append(
                f"{len(loads)} loads and {len(stores)} stores of 16 bytes"
                + ("" if in_order else ", a load after a store")
                + f" in {short(name)[:100]}"
            )
        if not good:
            wrong.append(
                f"{title}: wants {least_loads} loads and {least_stores} stores of 16 bytes"
                + (", all loads first" if ordered else "")
                + "; found "
                + "; ".join(seen)
            )
    return wrong


SAMPLE = """
.visible .entry good(
\t.param .u64 p
)
{
\tld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];
\tld.global.L1::no_allocate.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2];
\tst.global.v4.u32 [%rd3], {%r1, %r2, %r3, %r4};
}
.entry narrow(
)
{
\tld.global.v2.f32 {%f1, %f2}, [%rd1];
\tst.global.v2.f32 [%rd3], {%f1, %f2};
}
.weak .entry disordered(
)
{
\tld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];
\tst.global.v4.f32 [%rd3], {%f1, %f2, %f3, %f4};
\tld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];
\tst.global.v4.f32 [%rd3], {%f1, %f2, %f3, %f4};
}
"""
REPORT = """ptxas info    : Compiling entry function 'good' for 'sm_90'
ptxas info    : Function properties for good
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 128 bytes smem
ptxas info    : Compiling entry function 'spilling' for 'sm_90'
ptxas info    : Function properties for spilling
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 255 registers
"""


def selftest():
    """Each mistake must be found, and what is right must not be."""
    bodies, used = entries(SAMPLE), resources(REPORT)

    def case(name, wanted):
        return judge({name: (bodies.get(name, ""), used.get(name))}, {"x": (name, *wanted)})

    checks = [
        ("three kernels", sorted(bodies) == ["disordered", "good", "narrow"]),
        (
            "report",
            used["good"] == {"registers": 32, "shared": 128, "stack": 0, "spill": 0}
            and used["spilling"]["spill"] == 20,
        ),
        ("good passes", case("good", (2, 1, True)) == []),
        ("too few loads", case("good", (3, 1, True)) != []),
        ("narrow loads do not count", case("narrow", (1, 0, False)) != []),
        ("load after store", case("disordered", (2, 2, True)) != [] and case("disordered", (2, 2, False)) == []),
        ("spills", case("spilling", (0, 0, False)) != []),
        ("kernel missing", judge({}, {"x": ("good", 0, 0, False)}) != []),
    ]
    for title, passed in checks:
        print(f"{'ok    ' if passed else 'FAILED'} {title}")
    return 0 if all(passed for _, passed in checks) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--architecture", default="90")
    parser.add_argument("--keep", type=pathlib.Path, help="write the PTX and the report into this folder")
    parser.add_argument("--selftest", action="store_true")
    arguments = parser.parse_args()
    if arguments.selftest:
        return selftest()
    if not shutil.which(arguments.nvcc):
        print("skipped: nvcc is not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        folder = arguments.keep or pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        includes = [part for i, path in enumerate(arguments.include) for part in ("-isystem" if i else "-I", path)]
        ptx = folder / "kernels.ptx"
        target = [arguments.nvcc, f"-arch=sm_{arguments.architecture}"]
        compiled = [
            *(word for word in os.environ.get("CMAKE_CUDA_COMPILER_LAUNCHER", "").split(";") if word),
            *target,
            "-std=c++20",
            "-O2",
            "--expt-relaxed-constexpr",
            "-DSITU_CUDA=1",
            "-DEIGEN_NO_CUDA",
            *includes,
            "-ptx",
            HERE / "kernels.cu",
            "-o",
            ptx,
        ]
        assembled = [*target, "-Xptxas", "-v", "-cubin", ptx, "-o", folder / "kernels.cubin"]
        for command in compiled, assembled:
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
            if done.returncode:
                print(done.stdout + done.stderr[-6000:])
                return 1
        (folder / "report.txt").write_text(done.stderr)
        ptx = ptx.read_text()
    bodies, used = entries(ptx), resources(done.stderr)
    names = demangle(list(bodies))
    kernels = {names[mangled]: (body, used.get(mangled)) for mangled, body in bodies.items()}
    print("| kernel | registers | shared bytes | 16-byte loads | stores |\n|---|---:|---:|---:|---:|")
    for name, (body, resource) in sorted(kernels.items()):
        loads, stores = vector_accesses(body)
        shown = short(name).replace("|", "/")
        print(
            f"| {shown[:150]} | {resource['registers'] if resource else '?'} | {resource['shared'] if resource else '?'} | "
            f"{len(loads)} | {len(stores)} |"
        )
    wrong = judge(kernels, WANTED)
    if not kernels or any(resource is None for _, resource in kernels.values()):
        wrong.append("the resource report names other kernels than the PTX")
    for line in wrong:
        print(f"WRONG: {line}")
    print(f"{len(kernels)} kernels, {len(wrong)} complaints")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
