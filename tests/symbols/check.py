#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels do not know which GPU they run on: a program for two GPUs has the kernels of a program for one.

    check.py --compiler=nvcc --include=DIR...    compiles devices.cpp twice, for one GPU and for two, and compares the kernels
    check.py --selftest                          what is compared, on lists of symbols made by hand

A kernel is an instantiation of `run_kernel`, found in PTX, or in the emulation of `launch`, found in an object file. Their
symbols are compared, not only counted; that no name in them says `Cuda<` is checked too. Exit code 77 where the compiler is
missing.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KERNEL = {"nvcc": re.compile(r"\brun_kernel<"), "host": re.compile(r"\bvoid situ::internal::cuda::(\w+::)*launch<")}
FLAGS = {"nvcc": ["-x", "cu", "-arch=sm_90", "--expt-relaxed-constexpr", "-DSITU_CUDA=1", "-DEIGEN_NO_CUDA", "-Xcicc=-O0",
                  "-ptx"],
         "host": ["-O0", "-DSITU_CUDA_EMULATED=1", "-c"]}


LINE = {"nvcc": re.compile(r"^(?:\.visible |\.weak )?\.entry (.*)$"), "host": re.compile(r"^[0-9a-f]+ [TtWwVv] (.*)$")}


def kernels(text, kind):
    """The names of the kernels in demangled text: PTX of nvcc, else nm's output, functions only."""
    names = set()
    for line in text.splitlines():
        match = LINE[kind].match(line)
        if match and KERNEL[kind].search(match.group(1)):
            names.add(match.group(1))
    return names


def compare(one, two):
    problems = []
    if not one:
        problems.append("the program for one GPU has no kernel")
    problems += [f"only with two GPUs: {name}" for name in sorted(two - one)]
    problems += [f"only with one GPU: {name}" for name in sorted(one - two)]
    problems += [f"a kernel knows its GPU: {name}" for name in sorted(one | two) if "Cuda<" in name]
    return problems


def selftest():
    text = (".weak .entry void situ::internal::cuda::of_this_library::run_kernel<situ::internal::cuda::Double<float> >(\n"
            ".param .b32 run_kernel<elsewhere>\n.visible .func run_kernel<function>(\n")
    host = "0001 W void situ::internal::cuda::launch<K>(situ::internal::cuda::Backend const&, situ::internal::cuda::Grid, K const&, unsigned long)\n"
    expected = [
        ("the kernel is found", len(kernels(text, "nvcc")), 1),
        ("the emulated kernel is found", len(kernels(host, "host")), 1),
        ("equal", compare({"a"}, {"a"}), []),
        ("none", len(compare(set(), set())), 1),
        ("one more", len(compare({"a"}, {"a", "b"})), 1),
        ("one less", len(compare({"a", "b"}, {"a"})), 1),
        ("device in the name", len(compare({"k<Cuda<0> >"}, {"k<Cuda<0> >"})), 1),
    ]
    wrong = [f"{name}: {got}, not {wanted}" for name, got, wanted in expected if got != wanted]
    print("selftest:", wrong or "all as expected")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler")
    parser.add_argument("--include", action="append", default=[], help="situ's folder first, then system folders")
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    if options.selftest:
        return selftest()
    compiler, reader = shutil.which(options.compiler), shutil.which("c++filt" if options.compiler.endswith("nvcc") else "nm")
    kind = "nvcc" if pathlib.Path(options.compiler).name == "nvcc" else "host"
    if not compiler and kind == "nvcc":
        compiler = shutil.which("/usr/local/cuda/bin/nvcc")
    if not compiler or not reader:
        print(f"skipped: {options.compiler if not compiler else 'nm or c++filt'} not found")
        return 77
    flags = ["-std=c++20", *FLAGS[kind]]
    flags += [part for i, folder in enumerate(options.include) for part in ("-isystem" if i else "-I", folder)]
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        jobs = []
        for second in ([], ["-DSITU_TEST_SECOND"]):
            target = pathlib.Path(scratch) / f"{len(jobs)}.o"
            jobs.append((target, subprocess.Popen([compiler, *flags, *second, str(HERE / "devices.cpp"), "-o", str(target)])))
        for target, job in jobs:
            if job.wait() != 0:
                print(f"FAILED {options.compiler} does not compile devices.cpp")
                return 1
            arguments, text = ([], target.read_text()) if kind == "nvcc" else (["-C", str(target)], None)
            said = subprocess.run([reader, *arguments], input=text, capture_output=True, text=True, check=True).stdout
            found.append(kernels(said, kind))
    problems = compare(*found)
    for problem in problems:
        print("FAILED", problem)
    print(f"{options.compiler}: {len(found[0])} kernels for one GPU, {len(found[1])} for two")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
