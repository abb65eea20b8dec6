#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Object files compiled for different instruction sets must not link: check.py --include=DIR... --compiler=CXX

Links two files that both use situ, one for the processor's baseline and one for x86-64-v3; then, as the control, two of
one kind. Exit code 77 where it cannot be tried: another architecture, or a linker other than GNU ld and gold.
"""

import argparse
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES = {
    "main": "#include <situ/core/config.hpp>\nint other();\nint main() { return other(); }\n",
    "other": "#include <situ/core/config.hpp>\nint other() { return 0; }\n",
}
SETTINGS = {"baseline": [], "v3": ["-march=x86-64-v3"], "v4": ["-march=x86-64-v4"]}


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
        objects = {}
        for setting, flags in SETTINGS.items():
            for name, text in SOURCES.items():
                source = Path(folder) / f"{name}.cpp"
                source.write_text(text)
                objects[name, setting] = Path(folder) / f"{name}_{setting}.o"
                subprocess.run([arguments.compiler, "-std=c++20", *flags, *(f"-I{i}" for i in arguments.include),
                                "-c", source, "-o", objects[name, setting]], check=True)
        for first in SETTINGS:
            for second in SETTINGS:
                link = subprocess.run([arguments.compiler, objects["main", first], objects["other", second],
                                       "-o", Path(folder) / "program"], capture_output=True, text=True)
                linked = link.returncode == 0
                named = "every_file_of_a_program_needs_the_same_march" in link.stderr
                if linked != (first == second) or (not linked and not named):
                    print(f"{first} with {second}: linked={linked}\n{link.stderr}")
                    return 1
    print("files of one instruction set link, files of different ones do not")
    return 0


if __name__ == "__main__":
    sys.exit(main())
