# SPDX-License-Identifier: Apache-2.0
"""Builds programs against situ's headers with nvcc, or emulated with g++, each source by itself and in parallel, so
that one file that does not compile costs no other: what scripts/gpu_hour and benchmarks/gpu/run share. (CMake builds
the same sources, but all or nothing, and needs the packages of Eigen and doctest where a GPU machine may have only
headers.)"""

import concurrent.futures
import hashlib
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class Missing(Exception):
    """Something that is not installed."""


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
            return candidate
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


class Toolchain:
    """Compilers and flags of one kind of build: `emulated`, or for the GPU that is there (sm_90 where there is none)."""

    def __init__(self, emulated, folder, deps=None, optimize="-O2"):
        self.emulated = emulated
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.optimize = optimize
        self.headers = None
        eigen = find_header("Eigen/Core", ["eigen3", ""], deps)
        self.includes = [f"-I{ROOT / 'include'}", "-isystem", str(eigen)]
        for name in ("doctest/doctest.h", "nlohmann/json.hpp"):
            try:
                found = find_header(name, [""], deps)
            except Missing:
                continue  # only tests need it, and their compilation then says so
            if found not in (Path("/usr/include"), Path("/usr/local/include")) and str(found) not in self.includes:
                self.includes += ["-isystem", str(found)]
        self.architecture = None if emulated else compute_capability() or "90"
        self.nvcc = None if emulated else find_nvcc()

    def describe(self):
        return (
            f"g++ {self.optimize}, emulated" if self.emulated else f"nvcc {self.optimize} -arch=sm_{self.architecture}"
        )

    def command(self, source, target, definitions=()):
        """Compiles `source` into the object `target`. A GPU build compiles .cpp files as CUDA too."""
        defined = [f"-D{d}" for d in ("SITU_CUDA=1", *definitions)]
        if self.emulated:
            return [
                os.environ.get("CXX", "g++"),
                "-std=c++20",
                self.optimize,
                "-DSITU_CUDA_EMULATED=1",
                *defined,
                *self.includes,
                "-c",
                str(source),
                "-o",
                str(target),
            ]
        return [
            self.nvcc,
            "-std=c++20",
            self.optimize,
            f"-arch=sm_{self.architecture}",
            "--expt-relaxed-constexpr",
            "-DEIGEN_NO_CUDA",
            *defined,
            *self.includes,
            "-x",
            "cu",
            "-c",
            str(source),
            "-o",
            str(target),
        ]

    def link_command(self, objects, program, libraries=()):
        if self.emulated:
            return [os.environ.get("CXX", "g++"), *map(str, objects), "-pthread", "-o", str(program)]
        libraries_folder = (
            Path(self.nvcc).resolve().parent.parent / "lib64"
        )  # where nvcc finds cuBLAS, the loader may not
        return [
            self.nvcc,
            f"-arch=sm_{self.architecture}",
            *map(str, objects),
            *[f"-l{l}" for l in libraries],
            "-lcublasLt",
            "-Xlinker",
            f"-rpath={libraries_folder}",
            "-o",
            str(program),
        ]

    def object_of(self, source):
        name = os.path.relpath(Path(source).resolve(), ROOT)
        return self.folder / (re.sub(r"[^A-Za-z0-9.]", "_", name) + ".o")

    def key(self, source, target, definitions):
        """What an object depends on: not on times, for a tree may be copied anew before every run."""
        if self.headers is None:
            digest = hashlib.sha256()
            for folder in ("include/situ", "benchmarks/gpu", "tests"):
                for path in sorted((ROOT / folder).glob("**/*.hpp")):
                    digest.update(str(path).encode() + path.read_bytes())
            self.headers = digest.hexdigest()
        command = " ".join(self.command(source, target, definitions))
        return hashlib.sha256((self.headers + command).encode() + Path(source).read_bytes()).hexdigest()

    def compile_all(self, sources, deadline=None, definitions=(), jobs=None):
        """Compiles what changed. Gives {source: (object or None, seconds, last lines of the errors)}."""
        results = {}

        def one(source):
            target = self.object_of(source)
            key, kept = self.key(source, target, definitions), target.with_suffix(".key")
            if target.is_file() and kept.is_file() and kept.read_text() == key:
                return source, (target, 0.0, "")
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left < 5:
                return source, (None, 0.0, "not started: no time was left")
            done = run_limited(self.command(source, target, definitions), left)
            if done.returncode == 0:
                kept.write_text(key)
            return source, (
                target if done.returncode == 0 else None,
                done.seconds,
                "" if done.returncode == 0 else done.output,
            )

        self.headers = None
        with concurrent.futures.ThreadPoolExecutor(jobs or processors()) as pool:
            for source, result in pool.map(one, sources):
                results[source] = result
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

    def library_sources(self):
        """The compiled part of the real backend."""
        return [] if self.emulated else sorted([*ROOT.glob("src/cuda/*.cu"), *ROOT.glob("src/cuda/*.cpp")])


class Done:
    def __init__(self, returncode, output, seconds, timed_out):
        self.returncode, self.output, self.seconds, self.timed_out = returncode, output, seconds, timed_out


def run_limited(command, limit=None, environment=None, standard_input=None):
    """Runs a command with all it starts in a process group of its own, which is killed at the limit. Output and errors
    come back together; the exit code is 124 when it was stopped, 127 when it could not be started."""
    start = time.monotonic()
    try:
        process = subprocess.Popen(
            [str(c) for c in command],
            stdin=subprocess.PIPE if standard_input else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=dict(os.environ, **(environment or {})),
            start_new_session=True,
        )
    except OSError as error:
        return Done(127, str(error), 0.0, False)
    RUNNING.add(process)
    try:
        output, _ = process.communicate(standard_input, timeout=limit)
        return Done(process.returncode, output, time.monotonic() - start, False)
    except subprocess.TimeoutExpired:
        kill_group(process)
        output, _ = process.communicate()
        return Done(124, output + f"\nstopped after {limit:.0f} s\n", time.monotonic() - start, True)
    finally:
        kill_group(process)  # nothing, unless the caller was interrupted
        RUNNING.discard(process)


RUNNING = set()


def kill_group(process):
    if process.poll() is None:
        try:
            os.killpg(process.pid, 9)
        except ProcessLookupError:
            pass


def stop_all(*_):
    """Ends what `run_limited` has started: for a script that is itself told to end."""
    for process in list(RUNNING):
        kill_group(process)
    os._exit(143)
