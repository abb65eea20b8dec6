#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The first line that a compiler says to each wrong subscript of tests/unit/einsum.cpp.

    einsum_lines.py --include=include --compiler=gcc:g++

The cases of this folder are a program each. These are one: a call in each line, and the first error in a line must name the
mistake and its character, as the assertion of the unit test has them. Exit code 77: there is no such compiler.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NAMES = {
    "cannot_read": "einsum_cannot_read",
    "repeated_in_output": "the_output_of_einsum_repeats_label",
    "not_in_operands": "no_operand_of_einsum_has_output_label",
    "output_without_ellipsis": "the_output_of_einsum_lacks_the_ellipsis",
}
EVERY_ERROR = {"gcc": ["-fmax-errors=0"], "clang": ["-ferror-limit=0"], "nvcc": ["-Xcudafe", "--error_limit=1000"]}
SPELLED = {"\\n": ("\\n", "\\012", "\\x0a")}  # as compilers print it
SKIPPED = 77


def command(kind, compiler, includes):
    flags = [part for folder in includes[1:] for part in ("-isystem", folder)] + ["-I", includes[0], "-std=c++20"]
    if kind == "nvcc":
        return [compiler, "-x", "cu", "-c", "-o", "/dev/null", *flags, *EVERY_ERROR[kind]]
    return [compiler, "-fsyntax-only", *flags, *EVERY_ERROR[kind]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--compiler", required=True, help="KIND:COMPILER, of gcc, clang and nvcc")
    options = parser.parse_args()
    kind, name = options.compiler.split(":", 1)
    toolkit = pathlib.Path("/usr/local/cuda/bin/nvcc")
    compiler = shutil.which(name) or (str(toolkit) if name == "nvcc" and toolkit.exists() else None)
    if not compiler:
        print(f"skipped: {name} not found")
        return SKIPPED
    unit = pathlib.Path(__file__).parent.parent / "unit" / "einsum.cpp"
    wrong = re.findall(r'static_assert\(wrong<("(?:[^"\\]|\\.)*")>\((?:Mistake::)?(\w+), \'(\\?.)\'\)\);', unit.read_text())
    if len(wrong) < 30:
        print(f"FAILED: {unit} has {len(wrong)} wrong subscripts; it had 30")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "wrong.cpp"
        text = "#include <situ/einsum.hpp>\n"
        for number, (subscripts, _, _) in enumerate(wrong):
            operands = ", ".join(["x"] * (subscripts.split("->")[0].count(",") + 1))
            text += f"void call_{number}(const situ::Tensor<float>& x) {{ static_cast<void>(situ::einsum<{subscripts}>({operands})); }}\n"
        program.write_text(text)
        done = subprocess.run(command(kind, compiler, options.include) + [str(program)], capture_output=True, text=True,
                              errors="replace")
    said = {}
    for line, error in re.findall(r"wrong\.cpp[:(](\d+)(?::\d+:|\):) error: (.*)", done.stdout + done.stderr):
        said.setdefault(int(line), error)
    failed = 0
    for number, (subscripts, mistake, character) in enumerate(wrong):
        error = said.get(number + 2, "nothing")
        spelled = [f"'{text}'" for text in SPELLED.get(character, (character,))]
        named = NAMES[mistake] in error and (mistake == "output_without_ellipsis" or any(text in error for text in spelled))
        if not named:
            failed += 1
            print(f"FAILED einsum<{subscripts}>: expected {NAMES[mistake]} of '{character}'; {name} says: {error}")
    print(f"{name}: {len(wrong)} wrong subscripts, {failed} of which the first line does not name the mistake")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
