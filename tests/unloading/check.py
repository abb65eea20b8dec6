#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A shared library that uses situ may be closed, by any thread: check.py --include=DIR... --compiler=CXX

Compiles library.cpp such that the dynamic linker could take it out of the memory (g++'s own way to mark templates' variables keeps it
there), and runs program.cpp, which loads, uses and closes it in several ways. Exit code 77 where there is no glibc, or no such compiler.
"""
import argparse
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WAYS = {"closed by the program": 1, "closed by a thread": 1, "only opened by a thread": 0, "used by a thread that lives on": 1,
        "opened twice": 2}  # and how often it is used


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--compiler", required=True)
    arguments = parser.parse_args()
    if platform.libc_ver()[0] != "glibc" or not shutil.which(arguments.compiler):
        print(f"skipped: not glibc, or no {arguments.compiler}")
        return 77
    includes = [f"-I{arguments.include[0]}", *(f"-isystem{one}" for one in arguments.include[1:])]
    version = subprocess.run([arguments.compiler, "--version"], capture_output=True, text=True, check=True).stdout
    unique = [] if "clang" in version else ["-fno-gnu-unique"]
    with tempfile.TemporaryDirectory() as name:
        library, program = pathlib.Path(name) / "library.so", pathlib.Path(name) / "program"
        subprocess.run([arguments.compiler, "-std=c++20", "-O0", "-shared", "-fPIC", "-pthread", *unique, *includes, HERE / "library.cpp",
                        "-o", library], check=True)
        subprocess.run([arguments.compiler, "-std=c++20", "-pthread", HERE / "program.cpp", "-ldl", "-o", program], check=True)
        wrong = []
        for way, uses in WAYS.items():
            run = subprocess.run([program, library, way], capture_output=True, text=True)
            lines = run.stdout.split()
            if run.returncode != 0 or len(lines) != uses + 1 or lines[-1] != "done" or not all(100000 < float(x) < 200000 for x in lines[:-1]):
                wrong.append(f"{way}: ended with {run.returncode}, said {run.stdout!r} {run.stderr!r}")
    print("\n".join(wrong) or f"a library is closed in {len(WAYS)} ways")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
