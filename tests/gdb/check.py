#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What gdb shows of situ's values with src/gdb/situ.py, of program.cpp stopped at its end; exit code 77 without a gdb that
runs programs here."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PRINTER = HERE.parents[1] / "src" / "gdb" / "situ.py"
SKIPPED = 77
SHOWN = {  # what is printed: a regular expression of all that gdb says
    "x": r"float32 on cpu, shape \(2, 3\), \[\[0\.1, 0\.2, 0\.3\], \[1, 2, 1e\+20\]\]",
    "column": r"float32 on cpu, shape \(2\), strides \(3\), offset 1, \[0\.2, 2\]",
    "scalar": r"float32 on cpu, shape \(\), 0\.6(00000\d+)?",
    "empty": r"float64 on cpu, shape \(0, 3\), \[\]",
    "flags": r"bool on cpu, shape \(2\), \[true, false\]",
    "bytes": r"uint8 on cpu, shape \(3\), \[200, 200, 200\]",
    "counts": r"int64 on cpu, shape \(1000\), \[0, 1, 2, \.\.\., 997, 998, 999\]",
    "half": r"float16 on cpu, shape \(3\), \[0\.1, -2\.5, 6\.55e\+04\]",
    "brain": r"bfloat16 on cpu, shape \(2\), \[0\.1, -2\.5\]",
    "stretched": r"int32 on cpu, shape \(2, 2\), strides \(0, 1\), \[\[1, 2\], \[1, 2\]\]",
    "staged": r"float32 on pinned, shape \(2, 3\), \[\[0\.1, 0\.2, 0\.3\], \[1, 2, 1e\+20\]\]",
    "g": r"float32 on cuda:0, shape \(2, 3\), at 0x[0-9a-f]+",
    "taken": r"float32 on cpu, moved from",
    "written": r"float32 on cpu, shape \(2\), leased to 0x[0-9a-f]+",
    "w": r"variable of float32 on cpu, shape \(2, 3\), \[\[0\.1, .*",
    "rows": r"Sharded<0>, shape \(2, 3\) = \{parts = .*float32 on cpu, shape \(1, 3\), \[\[0\.1, 0\.2, 0\.3\]\].*"
            r"float32 on pinned, shape \(1, 3\), \[\[1, 2, 1e\+20\]\].*\}",
    "borrows": r"float32 on cpu, shape \(2\), \[0\.1, 0\.2\]",
    "shape": r"\(2, 3\)",
    "one": r"1\.5",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--compiler", default="c++")
    options = parser.parse_args()
    gdb = shutil.which("gdb")
    if not gdb:
        print("skipped: gdb is not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        program = pathlib.Path(scratch) / "program"
        subprocess.run([options.compiler, "-std=c++20", "-g", "-O0", "-pthread", "-DSITU_CUDA_EMULATED=1",
                        *(f"-I{folder}" for folder in options.include), str(HERE / "program.cpp"), "-o", str(program),
                        "-ldl"], check=True)
        commands = ["set confirm off", "set width 0", f"source {PRINTER}", "break stop", "run", "up"]
        for name in SHOWN:
            commands += [f"echo <{name}>", f"output {name}", "echo </>\\n"]
        said = subprocess.run([gdb, "-nx", "-batch", *(word for command in commands for word in ("-ex", command)),
                               str(program)], capture_output=True, text=True)
    if "ptrace" in said.stderr or "Couldn't get" in said.stderr or "Python scripting is not supported" in said.stderr:
        print("skipped: gdb cannot run a program here, or has no Python:\n" + said.stderr)
        return SKIPPED
    wrong = 0
    for name, expected in SHOWN.items():
        found = re.search(rf"<{name}>(.*?)</>", said.stdout, re.DOTALL)
        if not found or not re.fullmatch(expected, found.group(1), re.DOTALL):
            wrong += 1
            print(f"{name}: expected {expected}\n  gdb: {found.group(1) if found else 'nothing'}")
    if wrong:
        print(said.stdout, said.stderr, sep="\n")
    print(f"{len(SHOWN)} values shown, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
