# SPDX-License-Identifier: Apache-2.0
"""Builds programs against situ's headers with nvcc, or emulated with g++, each source by itself and in parallel, so
that one run shows all files that do not compile: what scripts/gpu and benchmarks/gpu/run share. (CMake builds
the same sources, but all or nothing, and needs the packages of Eigen and doctest where a GPU machine may have only
headers.)

Compilers run in the root of the tree with paths relative to it, and beside an object lies what it was made of: an
object that was made elsewhere of the same files, by the same release of nvcc and for the same architecture, is not
made again."""

import concurrent.futures
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import time
from pathlib import Path

import cuda_libraries
import parts
from cuda_libraries import Missing
from limited import run_limited
from sources import ROOT, Source


# The host that objects are made for: any that has a GPU, with the instructions that the CPU's budgets are for.
HOST = ["-Xcompiler=-march=x86-64-v3"] if platform.machine() == "x86_64" else []

# Tests emulated with the products and sums of kernels rounded once, as nvcc makes them: what a rehearsal is to show of them.
CONTRACTED = ["-O1", "-mfma", "-ffp-contract=off", "-DSITU_EMULATED_CONTRACTION"]

def can_contract(compiler):
    """Whether tests can be compiled so, and run here: by g++, with fused multiply-adds."""
    try:
        flags = Path("/proc/cpuinfo").read_text()
    except OSError:
        flags = ""
    return platform.machine() == "x86_64" and "clang" not in compiler and " fma " in flags


# Programs are carried to another machine: without names, and without what nobody calls.
SMALL = ["-s", "-Wl,--gc-sections"]

# g++ 12.2 refused a correct file of six tests (a comparison in a `where` was to have a derivative), and compiles it when it
# collects its garbage later, as CMake's builds do anyway. It changes no object, so it is none of `flags`.
LARGE_HEAP = "--param=ggc-min-heapsize=1048576"


def processors():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def find_header(name, folders, deps):
    """The include folder that holds `name`: below `deps`, as unpacked packages have it, or where CMake looks, or in the
    system."""
    places = ([deps] if deps else []) + [p for p in os.environ.get("CMAKE_PREFIX_PATH", "").split(":") if p]
    candidates = [
        Path(place) / prefix / folder
        for place in places
        for prefix in ("usr/include", "include", "")
        for folder in folders
    ]
    candidates += [Path(prefix) / folder for prefix in ("/usr/include", "/usr/local/include") for folder in folders]
    for candidate in candidates:
        if (candidate / name).is_file():
            return candidate.resolve()
    raise Missing(f"{name}: not in the system, nor in {deps or 'a folder given by --deps'}")


def compute_capability():
    """Of the first GPU, as nvcc writes it: "90"; None where there is none."""
    if not shutil.which("nvidia-smi"):
        return None
    done = subprocess.run(
        ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], capture_output=True, text=True
    )
    found = re.match(r"(\d+)\.(\d+)", done.stdout) if done.returncode == 0 else None
    return found.group(1) + found.group(2) if found else None


def find_nvcc():
    found = shutil.which("nvcc") or next((p for p in ["/usr/local/cuda/bin/nvcc"] if os.access(p, os.X_OK)), None)
    if not found:
        raise Missing("nvcc")
    return found


def nvcc_release(nvcc):
    """"13.0": objects of one release do not go with the runtime of another."""
    text = subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout
    found = re.search(r"release (\d+\.\d+)", text)
    return found.group(1) if found else "unknown"


class Compiled:
    """What became of a source: `target` is None when it does not compile, or when there was no time to see."""

    def __init__(self, source, target, seconds, errors, made):
        self.source, self.target, self.seconds, self.errors = source, target, seconds, errors
        self.made = made  # whether the compiler ran


class Toolchain:
    """Compilers and flags of one kind of build: `emulated`, or for a GPU: the one that is there, or `architecture`."""

    def __init__(self, emulated, folder, deps=None, optimize="-O2", architecture=None, contracts=False):
        self.emulated = emulated
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.optimize = optimize
        self.compiler = os.environ.get("CXX", "g++")
        self.contracts = contracts and can_contract(self.compiler)
        self.heap = [] if "clang" in self.compiler else [LARGE_HEAP]
        self.hashes = {}
        self.failed = {}  # what did not compile: once is enough
        eigen = find_header("Eigen/Core", ["eigen3", ""], deps)
        self.includes = ["-Iinclude", "-Iemulation/include", "-Itrain/include", "-isystem", str(eigen)]
        for name in ("doctest/doctest.h", "nlohmann/json.hpp"):
            try:
                found = find_header(name, [""], deps)
            except Missing:
                continue  # only tests need it, and their compilation then says so
            if found not in (Path("/usr/include"), Path("/usr/local/include")) and str(found) not in self.includes:
                self.includes += ["-isystem", str(found)]
        self.architecture = self.nvcc = None
        if not emulated:
            self.nvcc = find_nvcc()
            self.release = nvcc_release(self.nvcc)
            self.architecture = architecture or compute_capability() or "90"
            self.libraries = {
                name: cuda_libraries.find(name, self.nvcc, self.release, *about)
                for name, about in cuda_libraries.LIBRARIES.items()
            }

    def describe(self):
        if self.emulated:
            return f"{self.compiler} {self.optimize}, emulated" + (", rounded once" if self.contracts else "")
        return f"nvcc {self.release} {self.optimize} -arch=sm_{self.architecture}"

    def flags(self, source):
        """What an object depends on beside files: no path of this machine."""
        defined = [f"-D{d}" for d in ("SITU_CUDA=1", *source.definitions)]
        if self.emulated:
            rounding = CONTRACTED if source.path.startswith("tests/") and self.contracts else [self.optimize]
            return ["-std=c++20", *rounding, "-DSITU_CUDA_EMULATED=1", *defined]
        return [
            "-std=c++20",
            # Of the host's code; that of the GPU is optimised in any case.
            "-O0" if source.path.startswith("tests/") else self.optimize,
            # Without PTX for GPUs to come, with which an archive is half as large again.
            f"-gencode=arch=compute_{self.architecture},code=sm_{self.architecture}",
            "--expt-relaxed-constexpr",
            "-diag-suppress=20208",  # long double in the references that tests compute on the host
            *HOST,
            "-DEIGEN_NO_CUDA",
            *defined,
        ]

    def command(self, source, target):
        """Compiles `source` into the object `target`, by CMake's launcher where the environment names one, as scripts/test does
        with a cache. A GPU build compiles .cpp files as CUDA too."""
        compiler = [self.compiler, *self.heap] if self.emulated else [self.nvcc, "-x", "cu"]
        launcher = os.environ.get(f"CMAKE_{'CXX' if self.emulated else 'CUDA'}_COMPILER_LAUNCHER", "")
        compiler = [*filter(None, launcher.split(";")), *compiler]
        includes = ["-I.", *self.includes]
        if not self.emulated:
            folders = {tuple(library.include_flags()) for library in self.libraries.values() if library}
            includes += [flag for flags in sorted(folders) for flag in flags]
        depends = ["-MMD", "-MF", str(target.with_suffix(".d"))]
        return [*compiler, *self.flags(source), *includes, *depends, "-c", source.file(self.folder), "-o", str(target)]

    def link_command(self, objects, program, libraries=()):
        if self.emulated:
            return [self.compiler, *SMALL, *map(str, objects), "-pthread", "-ldl", "-o", str(program)]
        small = [word for flag in SMALL for word in ("-Xlinker", flag.replace("-Wl,", ""))]
        linked = [flag for name in (*libraries, "cublasLt") for flag in self.library(name).link_flags()]
        # Nothing is to be linked for the GPU, and to find that out takes nvcc longer than the rest.
        return [self.nvcc, "-nodlink", *small, *map(str, objects), *linked, "-ldl", "-o", str(program)]

    def hash_of(self, path):
        if path not in self.hashes:
            try:
                self.hashes[path] = hashlib.sha256((ROOT / path).read_bytes()).hexdigest()
            except OSError:
                self.hashes[path] = "not there"
        return self.hashes[path]

    def settings(self, source):
        kind = self.compiler if self.emulated else f"nvcc {self.release}"
        return "\n".join([" ".join([kind, *self.flags(source)]), source.made_of()]).strip()

    def known(self, source):
        """The object, where it lies there and was made of what lies here; None else."""
        target = self.folder / source.object_name
        try:
            made_of = json.loads(target.with_suffix(".json").read_text())
        except (OSError, ValueError):
            return None
        same = made_of["settings"] == self.settings(source) and target.is_file()
        same = same and all(self.hash_of(path) == digest for path, digest in made_of["files"].items())
        return Compiled(source, target, made_of["seconds"], "", False) if same else None

    def compile(self, source, deadline=None):
        found = self.known(source)
        if found:
            return found
        if source in self.failed:
            return self.failed[source]
        target = self.folder / source.object_name
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left < 5:
            return Compiled(source, None, 0.0, "not started: no time was left", False)
        target.with_suffix(".json").unlink(missing_ok=True)  # it would be the old object's
        done = run_limited(self.command(source, target), left, folder=ROOT)
        if done.returncode != 0:
            result = Compiled(source, None, done.seconds, done.output, True)
            if not done.timed_out:
                self.failed[source] = result
            return result
        files = {path: self.hash_of(path) for path in read_dependencies(target.with_suffix(".d"))}
        made_of = {"settings": self.settings(source), "files": files, "seconds": round(done.seconds, 1)}
        target.with_suffix(".json").write_text(json.dumps(made_of))
        target.with_suffix(".d").unlink()
        return Compiled(source, target, done.seconds, "", True)

    def compile_all(self, sources, deadline=None, jobs=None, tell=None):
        """Compiles what changed, in one pool, longest first. Gives {source: Compiled}; `tell(compiled)` is called for
        each as soon as it is known."""
        self.hashes = {}
        results = {}
        ordered = sorted(dict.fromkeys(sources), key=lambda source: -source.weight())
        with concurrent.futures.ThreadPoolExecutor(jobs or processors()) as pool:
            for done in concurrent.futures.as_completed([pool.submit(self.compile, s, deadline) for s in ordered]):
                compiled = done.result()
                results[compiled.source] = compiled
                if tell:
                    tell(compiled)
        return results

    def link(self, objects, name, deadline=None, libraries=()):
        """Gives (program or None, errors)."""
        program, kept = self.folder / name, self.folder / (name + ".key")
        key = " ".join(
            self.link_command(objects, program, libraries) + [str(Path(o).stat().st_mtime_ns) for o in objects]
        )
        if program.is_file() and kept.is_file() and kept.read_text() == key:
            return program, ""
        left = None if deadline is None else max(5.0, deadline - time.monotonic())
        done = run_limited(self.link_command(objects, program, libraries), left)
        if done.returncode == 0:
            kept.write_text(key)
        return (program, "") if done.returncode == 0 else (None, done.output)

    def library(self, name):
        """One of CUDA's libraries; raises Missing."""
        if not self.libraries[name]:
            raise Missing(f"{cuda_libraries.LIBRARIES[name][0]} and lib{name}.so for CUDA {self.release}")
        return self.libraries[name]

    def part_sources(self, part):
        """Those of a compiled part of the backend: none where that is emulated."""
        return [] if self.emulated else [Source(path) for path in parts.sources_of(part)]

    def peers_source(self, definitions=()):
        """What is measured beside situ: nothing in a rehearsal."""
        return Source(ROOT / "benchmarks" / "gpu" / ("no_peers.cpp" if self.emulated else "peers.cu"), definitions)


def read_dependencies(path):
    """The files of the tree that a compiler lists for make."""
    text = path.read_text().replace("\\\n", " ")
    found = [os.path.normpath(word) for word in text.partition(":")[2].split()]
    below = [os.path.relpath(p, ROOT) if os.path.isabs(p) else p for p in found]
    return sorted({p for p in below if p.split("/")[0] in ("include", "emulation", "train", "src", "tests", "benchmarks")})
