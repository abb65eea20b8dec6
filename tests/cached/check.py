#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether scripts/cached finds in one clone what another compiled, and nothing that differs.

    check.py [--compiler=g++]... [--nvcc=FILE]

Two copies of a small project, in folders of different lengths, one with a space, share a cache of their own. A program with
precompiled headers is built by each compiler, and PTX by nvcc: in the second copy everything must be found, and after a change of a
header, of a flag or of a macro nothing. Says "skipped", and ends with 77, where there is no ccache.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parents[2]
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
include_directories(include "${CMAKE_SOURCE_DIR}")
add_library(headers OBJECT none.cpp)
target_precompile_headers(headers PRIVATE <header.hpp>)
add_executable(program program.cpp)
target_precompile_headers(program REUSE_FROM headers)
"""
GPU_PROJECT = """
cmake_minimum_required(VERSION 3.25)
set(CMAKE_CUDA_ARCHITECTURES 90)
project(small LANGUAGES CUDA)
add_library(ptx OBJECT kernel.cu)
target_include_directories(ptx PRIVATE include)
set_target_properties(ptx PROPERTIES CUDA_PTX_COMPILATION ON)
add_library(object OBJECT kernel.cu)
target_include_directories(object PRIVATE include)
"""
FILES = {
    "include/header.hpp": "#pragma once\n#include <vector>\n#include <inner.hpp>\n",
    "include/inner.hpp": "#pragma once\n#define TWO 2\nconstexpr int answer() { return 1; }\n"
                         "inline const char* file() { return __builtin_FILE(); }\n",
    "include/other.hpp": "#pragma once\ninline const char* other() { return __builtin_FILE(); }\n",
    "none.cpp": "",
    "program.cpp": "#include <header.hpp>\n#include <include/other.hpp>\n#include <cstdio>\n"
                   "int main() { std::printf(\"%d %d %s %s\", answer(), TWO, file(), other()); }\n",
    "kernel.cu": "#include <inner.hpp>\nconstexpr int one = answer();\n__global__ void kernel(int* p) { *p = one + TWO; }\n",
}

# Where the program says that headers are: as seen from the build folder. An object that named the other clone's folder would be linked
# with objects that name this one's.
PLACES = "../include/inner.hpp ../include/other.hpp"


def run(command, folder=None, **variables):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, **variables})
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


class Copy:
    """A copy of the project, and its cache."""

    def __init__(self, tree, cache, project, options):
        self.tree, self.options = tree, options
        self.variables = {"CCACHE_DIR": str(cache), **{f"CMAKE_{language}_COMPILER_LAUNCHER": str(tree / "scripts" / "cached")
                                                       for language in ("CXX", "CUDA")}}
        (tree / "scripts").mkdir(parents=True)
        shutil.copyfile(TREE / "scripts" / "cached", tree / "scripts" / "cached")  # younger than the other copy's
        (tree / "scripts" / "cached").chmod(0o755)
        (tree / "CMakeLists.txt").write_text(project)
        for name, text in FILES.items():
            (tree / name).parent.mkdir(exist_ok=True)
            (tree / name).write_text(text)

    def change(self, name, old, new):
        path = self.tree / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def build(self, *options, afresh=True):
        """(found, compiled) of a configured and built copy, from an empty build folder unless told otherwise."""
        build = self.tree / "build"
        if afresh:
            shutil.rmtree(build, ignore_errors=True)
        run(["cmake", "-S", self.tree, "-B", build, *self.options, *options], **self.variables)
        run(["ccache", "--zero-stats"], **self.variables)
        run(["cmake", "--build", build], **self.variables)
        counted = dict(line.split("\t") for line in run(["ccache", "--print-stats"], **self.variables).splitlines())
        return int(counted["direct_cache_hit"]) + int(counted["preprocessed_cache_hit"]), int(counted["cache_miss"])

    def has_ptx(self):
        return ".entry" in (self.tree / "build" / "CMakeFiles" / "ptx.dir" / "kernel.ptx").read_text(errors="replace")

    def said(self):
        return run([self.tree / "build" / "program"])


def check(kind, project, objects, options, flags, folder):
    """What is wrong, of a project with so many files that ccache must take."""
    wrong = []
    first = Copy(folder / "a", folder / "cache", project, options)
    second = Copy(folder / "else where" / "b", folder / "cache", project, options)

    def expect(what, got, wanted):
        print(f"{'good  ' if got == wanted else 'WRONG '} {kind}: {what}: {got}")
        if got != wanted:
            wrong.append(what)

    is_program = project is PROJECT
    expect("found in an empty cache", first.build(), (0, objects))
    expect("found in the second copy", second.build(), (objects, 0))
    if not is_program:
        expect("the second's PTX", second.has_ptx(), True)
    else:
        expect("the second's program", second.said(), f"1 2 {PLACES}")
        shutil.rmtree(first.tree / "include")  # nothing of the second reads it
        expect("found without the first copy", second.build(), (objects, 0))
    for what, old, new, says in (("function", "return 1", "return 7", "7 2"), ("macro", "TWO 2", "TWO 5", "1 5")):
        second.change("include/inner.hpp", old, new)
        expect(f"found after a change of a {what} of the same length", second.build(), (0, objects))
        if is_program:
            expect("the program", second.said(), f"{says} {PLACES}")
        second.change("include/inner.hpp", new, old)
    expect("found with another flag", second.build(flags), (0, objects))
    expect("found after all", second.build(), (objects, 0))
    second.change("include/inner.hpp", "TWO 2", "TWO 6")
    expect("found after a change in a folder that has a build", second.build(afresh=False), (0, objects))
    second.change("include/inner.hpp", "TWO 6", "TWO 2")
    expect("found in it after the way back", second.build(afresh=False), (objects, 0))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", action="append", default=[])
    parser.add_argument("--nvcc")
    options = parser.parse_args()
    if shutil.which("ccache") is None:
        print("skipped: ccache not found")
        return 77
    wrong = []
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch).resolve()
        for number, compiler in enumerate(filter(shutil.which, options.compiler)):
            # clang's precompiled headers are each clone's own.
            objects = 2 if "clang" in run([compiler, "--version"]) else 3
            wrong += check(compiler, PROJECT, objects, [f"-DCMAKE_CXX_COMPILER={compiler}"], "-DCMAKE_CXX_FLAGS=-DMORE",
                           scratch / str(number))
        if options.nvcc:
            wrong += check("nvcc", GPU_PROJECT, 2, [f"-DCMAKE_CUDA_COMPILER={options.nvcc}"], "-DCMAKE_CUDA_FLAGS=-DMORE",
                           scratch / "nvcc")
    print(f"{len(wrong)} wrong" if wrong else "all good")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
