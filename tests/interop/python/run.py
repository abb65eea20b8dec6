#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the modules of this folder and of examples/python, and runs their tests by the Python that runs this.

    run.py --work=FOLDER --compiler=g++ [--include=FOLDER]... [--asan] [--rounds=N]

Says "skipped", and ends with 77, where nanobind or NumPy are not installed. --asan: with AddressSanitizer, which is
loaded before Python; what is leaked is said by its leak check, of stacks with a function of ours.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parents[2]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--asan", action="store_true")
    parser.add_argument("--rounds", type=int, default=500)
    options = parser.parse_args()
    for module in ("nanobind", "numpy"):
        try:
            __import__(module)
        except ImportError:
            print(f"skipped: Python has no {module} (pip install {module})")
            return 77
    if shutil.which("cmake") is None:
        print("skipped: no cmake")
        return 77
    import nanobind

    flags = "-O0" if not options.asan else "-O0 -fsanitize=address -fno-omit-frame-pointer"
    configure = ["cmake", "-S", str(HERE), "-B", str(options.work), f"-DPython_EXECUTABLE={sys.executable}",
                 f"-Dnanobind_DIR={nanobind.cmake_dir()}", f"-DCMAKE_CXX_COMPILER={options.compiler}",
                 "-DCMAKE_BUILD_TYPE=Debug", f"-DCMAKE_CXX_FLAGS_DEBUG={flags}"]
    # A stub is made by loading the module, for which the sanitizer would have to be there first.
    targets = ["_native", "situ_exchange", "situ_second"] + ([] if options.asan else ["_native_stub"])
    build = ["cmake", "--build", str(options.work), "--target", *targets]
    for command in (configure, build):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            print(" ".join(command), done.stdout[-4000:], done.stderr[-4000:], sep="\n")
            return 1
    package = options.work / "package" / "situ_example"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(TREE / "examples/python/src/situ_example", package)
    for made in (options.work / "example").glob("_native*"):
        if made.suffix in (".so", ".pyi"):
            shutil.copy(made, package)
    if not options.asan:
        stub = (package / "_native.pyi").read_text()
        if "def soft_clip(x: " not in stub or "-> Tensor" not in stub:
            print("the stub lacks the signature of soft_clip:", stub, sep="\n")
            return 1
    environment = dict(os.environ, SITU_ROUNDS=str(options.rounds), PYTHONDONTWRITEBYTECODE="1",
                       PYTHONPATH=os.pathsep.join([str(options.work), str(package.parent)] + sys.path[1:]))
    if options.asan:
        # The C++ library as well: the sanitizer looks for its functions when the process begins.
        libraries = [subprocess.run([options.compiler, f"-print-file-name={name}"], capture_output=True, text=True,
                                    check=True).stdout.strip() for name in ("libasan.so", "libstdc++.so")]
        # Python leaves objects of its own, which are no leaks of ours; of ours no stack is known as far as Python.
        (options.work / "suppressions").write_text("leak:_Py\nleak:Py\nleak:/bin/python\nleak:numpy\nleak:torch\n"
                                                   "leak:nanobind::detail::nb_\n")
        environment.update(LD_PRELOAD=" ".join(libraries), PYTHONMALLOC="malloc",
                           ASAN_OPTIONS="allocator_may_return_null=1:detect_leaks=1:malloc_context_size=5",
                           LSAN_OPTIONS=f"suppressions={options.work}/suppressions:print_suppressions=0")
    failed = 0
    for folder, pattern in ((HERE, "test_exchange.py"), (TREE / "examples/python/tests", "test_*.py")):
        failed |= subprocess.run([sys.executable, "-m", "unittest", "discover", "-s", str(folder), "-p", pattern],
                                 env=environment).returncode
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
