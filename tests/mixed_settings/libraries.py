#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shared libraries of different settings compute right in one process: libraries.py --include=DIR... --compiler=CXX

Compiles library.cpp for several instruction sets, and loads each two of them into one process: linked in either order, and by dlopen
with RTLD_LOCAL and RTLD_GLOBAL in either order. Both have to compute what they compute alone, to the rounding of their own settings.
Exit code 77 where it cannot be tried: another architecture, or a processor without AVX2.
"""
import argparse
import itertools
import pathlib
import platform
import subprocess
import sys
import tempfile

LIBRARY = pathlib.Path(__file__).resolve().parent / "library.cpp"
SETTINGS = {"baseline": [], "fma": ["-mfma"], "v3": ["-march=x86-64-v3"]}
WHAT = {"the sum of 2 x + 1": 10000200001, "the sum of 30 softmaxes": 30, "wrong products": 0, "wrong copies": 0, "out of order": 0,
        "error of sines": 0}
CALLS = """
#include <cstdio>
void print(const char* name, int (*numbers)(double*)) {
  double found[16];
  std::printf("%s", name);
  for (int i = 0, count = numbers(found); i < count; ++i) std::printf(" %.17g", found[i]);
  std::printf("\\n");
}
"""
OPENS = CALLS + """
#include <dlfcn.h>
#include <cstring>
#include <string>
int main(int, char** given) {  // local or global, then a file and a name for each library
  const int mode = RTLD_NOW | (std::strcmp(given[1], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL);
  for (char** library = given + 2; *library != nullptr; library += 2) {
    void* const file = dlopen(library[0], mode);
    if (file == nullptr) return std::fprintf(stderr, "%s\\n", dlerror()), 1;
    print(library[1], reinterpret_cast<int (*)(double*)>(dlsym(file, ("numbers_of_" + std::string(library[1])).c_str())));
  }
}
"""


def right(said, names):
    """What is wrong with what a program said of the libraries `names`; nothing where all is right."""
    lines = [line.split() for line in said.splitlines()]
    if [line[0] for line in lines] != list(names):
        return [f"said {said!r}"]
    wrong = []
    for name, *numbers in lines:
        if len(numbers) != len(WHAT):
            wrong.append(f"{name}: {len(numbers)} numbers")
        for (what, wanted), got in zip(WHAT.items(), map(float, numbers)):
            if not abs(got - wanted) <= 2e-6 * (what == "the sum of 30 softmaxes"):
                wrong.append(f"{name}: {what} is {got!r}, not {wanted}")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--compiler", required=True)
    arguments = parser.parse_args()
    flags = pathlib.Path("/proc/cpuinfo")
    if platform.machine() != "x86_64" or not flags.exists() or " avx2 " not in flags.read_text():
        print("skipped: not an x86-64 with AVX2")
        return 77
    with tempfile.TemporaryDirectory() as name:
        return tried(arguments, pathlib.Path(name))


def tried(arguments, folder):
    includes = [f"-I{arguments.include[0]}", *(f"-isystem{one}" for one in arguments.include[1:])]
    for name, flags in SETTINGS.items():
        subprocess.run([arguments.compiler, "-std=c++20", "-O0", "-shared", "-fPIC", "-pthread", *includes, *flags, f"-DLIBRARY={name}",
                        LIBRARY, "-o", folder / f"lib{name}.so"], check=True)
    (folder / "opens.cpp").write_text(OPENS)
    subprocess.run([arguments.compiler, folder / "opens.cpp", "-ldl", "-o", folder / "opens"], check=True)
    wrong = []

    def run(how, names, *command):
        said = subprocess.run(command, capture_output=True, text=True)
        problems = right(said.stdout, names) + ([f"ended with {said.returncode}: {said.stderr}"] if said.returncode else [])
        wrong.extend(f"{how}, {problem}" for problem in problems)

    for names in [*((name,) for name in SETTINGS), *itertools.permutations(SETTINGS, 2)]:
        together = " before ".join(names)
        for mode in ("local", "global"):
            files = [word for name in names for word in (folder / f"lib{name}.so", name)]
            run(f"dlopen of {together}, {mode}", names, folder / "opens", mode, *files)
        calls = [f'print("{name}", numbers_of_{name});' for name in names]
        declared = [f'extern "C" int numbers_of_{name}(double*);' for name in names]
        (folder / "linked.cpp").write_text(CALLS + "\n".join(declared) + "\nint main() {\n" + "\n".join(calls) + "\n}\n")
        subprocess.run([arguments.compiler, folder / "linked.cpp", f"-L{folder}", f"-Wl,-rpath,{folder}",
                        *(f"-l{name}" for name in names), "-o", folder / "linked"], check=True)
        run(f"linked {together}", names, folder / "linked")
    print("\n".join(wrong) or f"{len(SETTINGS)} libraries compute right, alone and each two of them in one process")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
