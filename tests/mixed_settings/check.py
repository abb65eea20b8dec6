#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Object files compiled with settings that change code must not link: check.py --include=DIR... --compiler=CXX

Links two files that both use situ, compiled for different instruction sets, with and without the CUDA backend, with products and factorisations by whom,
checked or not; then, as the control, two of one kind. And compiles a part of situ::compiled with and without the backend, which must be the same to the
byte, since cmake/compiled.cmake compiles it once for both. Exit code 77 where it cannot be tried: another architecture, or a linker other than GNU ld and gold.
"""

import argparse
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

INCLUDES = "#include <situ/core/config.hpp>\n#include <situ/cpu/linalg/provider.hpp>\n"
SOURCES = {
    "main": INCLUDES + "int other();\nint main() { return other(); }\n",
    "other": INCLUDES + "int other() { return 0; }\n",
}
MARCH = "every_file_of_a_program_needs_the_same_march"
TARGET = "every_file_of_a_program_needs_the_same_situ_target"
PRODUCTS = "every_file_of_a_program_needs_the_same_SITU_PRODUCTS"
LINALG = "every_file_of_a_program_needs_the_same_SITU_LINALG"
CHECKED = "every_file_of_a_program_needs_the_same_SITU_CHECKED"
PART = Path(__file__).resolve().parents[2] / "src" / "compiled" / "drivers.cpp"
SETTINGS = {  # the flags, by name, and what the linker says of files that differ in them
    MARCH: {"baseline": [], "v3": ["-march=x86-64-v3"], "v4": ["-march=x86-64-v4"]},
    TARGET: {"cpu": [], "cuda": ["-DSITU_CUDA=1"], "emulated": ["-DSITU_CUDA_EMULATED"]},
    PRODUCTS: {"own": [], "eigen": ["-DSITU_PRODUCTS_EIGEN"], "blas": ["-DSITU_PRODUCTS_BLAS"]},
    LINALG: {"eigen": [], "lapack": ["-DSITU_COMPILED", "-DSITU_LINALG_LAPACK"]},
    CHECKED: {"unchecked": [], "checked": ["-DSITU_CHECKED"]},
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--compiler", required=True)
    arguments = parser.parse_args()
    if platform.machine() != "x86_64":
        print("skipped: not x86-64")
        return 77
    version = subprocess.run([arguments.compiler, "-Wl,--version"], capture_output=True, text=True)
    if "GNU" not in version.stdout:
        print("skipped: the linker is neither GNU ld nor gold")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for message, settings in SETTINGS.items():
            if not check(arguments, Path(folder), message, settings):
                return 1
        if not is_for_any_target(arguments, Path(folder)):
            return 1
    print("files of one kind link, files of different ones do not; the compiled part is for any target")
    return 0


def is_for_any_target(arguments, folder):
    """Whether the backend changes nothing in a part that includes what all of them include."""
    objects = []
    for name, flags in (("cpu", []), ("emulated", ["-DSITU_CUDA_EMULATED=1"])):
        objects.append(folder / f"part_{name}.o")
        subprocess.run([arguments.compiler, "-std=c++20", "-DSITU_COMPILED", "-DSITU_COMPILED_FOR_ANY_TARGET", *flags,
                        *(f"-I{i}" for i in arguments.include), "-c", PART, "-o", objects[-1]], check=True)
    if objects[0].read_bytes() == objects[1].read_bytes():
        return True
    print(f"{PART.name} differs with the backend: compile it for each target, as print.cpp, in cmake/compiled.cmake")
    return False


def check(arguments, folder, message, settings):
    """Whether each pair of `settings` links when they are the same, and else not, with `message`."""
    objects = {}
    for setting, flags in settings.items():
        for name, text in SOURCES.items():
            source = folder / f"{name}.cpp"
            source.write_text(text)
            objects[name, setting] = folder / f"{name}_{setting}.o"
            subprocess.run([arguments.compiler, "-std=c++20", *flags, *(f"-I{i}" for i in arguments.include),
                            "-c", source, "-o", objects[name, setting]], check=True)
    for first in settings:
        for second in settings:
            link = subprocess.run([arguments.compiler, objects["main", first], objects["other", second],
                                   "-o", folder / "program"], capture_output=True, text=True)
            linked = link.returncode == 0
            if linked != (first == second) or (not linked and message not in link.stderr):
                print(f"{first} with {second}: linked={linked}\n{link.stderr}")
                return False
    return True


if __name__ == "__main__":
    sys.exit(main())
