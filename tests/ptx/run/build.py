# SPDX-License-Identifier: Apache-2.0
"""What stage.py and faults.py compile: a file to PTX by nvcc, and emulated by g++, with what was compiled kept."""
import collections
import functools
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SKIPPED = 77
# Kernels that the library compiles once, for what the column `needs` of files.txt names.
SOURCES = {"copy": "copy.cu", "products": "product_kernels.cu", "sort": "sort.cu", "linalg": "linalg/kernels.cu"}


class Failed(Exception):
    """A command that failed, with what it said."""


def find_nvcc(named=None):
    return shutil.which(named or "nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


@functools.lru_cache(maxsize=None)
def digest(path):
    try:
        return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
    except OSError:
        return "gone"


def listed(depfile):
    """The files that a compiler read."""
    if not depfile.is_file():
        return []
    text = depfile.read_text().replace("\\\n", " ")
    words = re.split(r"(?<!\\)\s+", text.partition(": ")[2].strip())
    return sorted({word.replace("\\ ", " ") for word in words if word and not word.endswith(":")})


def run_measured(command, folder):
    """(exit code, what it printed, seconds of processors) of a command."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return process.returncode, output.read().decode(errors="replace"), usage.ru_utime + usage.ru_stime


def processor_seconds():
    """Of this process and of all that it has waited for."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


class Build:
    """Compiles into `folder`, where PTX of each architecture has its own; with the headers `instead`, if given."""

    def __init__(self, folder, include, compiler="g++", nvcc=None, architecture=90, launcher=(), instead=None):
        self.folder = pathlib.Path(folder).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.architecture = architecture
        self.launcher = list(launcher)
        self.nvcc = find_nvcc(nvcc)
        self.compiler = compiler
        system = [word for path in include if not same(path, ROOT / "include") for word in ("-isystem", path)]
        own = [f"-I{instead or ROOT / 'include'}", f"-I{ROOT / 'tests'}"]
        self.common = ["-std=c++20", "-DSITU_CUDA=1", *own, *system]
        self.made = {}  # what: seconds of processors, of what was compiled anew
        self._locks = collections.defaultdict(threading.Lock)

    def _make(self, output, command, depfile):
        """Runs the command unless `output` is what it gave for files that have not changed."""
        with self._locks[output]:
            return self._make_alone(output, command, depfile)

    def _make_alone(self, output, command, depfile):
        output.parent.mkdir(parents=True, exist_ok=True)
        stamp = output.with_name(output.name + ".inputs")
        if output.is_file() and stamp.is_file():
            before = json.loads(stamp.read_text())
            if before["command"] == command and all(digest(path) == was for path, was in before["files"].items()):
                return output
        stamp.unlink(missing_ok=True)
        code, said, seconds = run_measured(self.launcher + command, self.folder)
        if code != 0:
            output.unlink(missing_ok=True)
            raise Failed(f"{' '.join(command)}\n{said[-8000:]}")
        self.made[output.name] = seconds
        read = [str((self.folder / path).resolve()) for path in listed(depfile)]
        # What has read nothing that is known is compiled again.
        files = {path: digest(path) for path in read} or {str(output): "unknown"}
        stamp.write_text(json.dumps({"command": command, "files": files}))
        return output

    def ptx(self, source):
        output = self.folder / f"sm_{self.architecture}" / (flat(source) + ".ptx")
        depfile = output.with_suffix(".ptx.d")
        # Optimised, with contraction: what a user's program runs.
        device = [f"-arch=sm_{self.architecture}", "--expt-relaxed-constexpr", "-diag-suppress=20208", "-DEIGEN_NO_CUDA"]
        return self._make(output, [self.nvcc, *self.common, "-O2", *device, "-x", "cu", "-ptx", str(source), "-o", str(output),
                                   "-MD", "-MF", str(depfile)], depfile)

    def emulated(self, source):
        output = self.folder / "emulated" / (flat(source) + ".o")
        depfile = output.with_suffix(".o.d")
        # Kernels with a product and a sum made one operation, as nvcc does, and the rest without.
        rounded = ["-O1", "-mfma", "-ffp-contract=off", "-DSITU_EMULATED_CONTRACTION"]
        return self._make(output, [self.compiler, *self.common, *rounded, "-DSITU_CUDA_EMULATED=1", "-c", str(source),
                                   "-o", str(output), "-MD", "-MF", str(depfile)], depfile)

    def program(self, source, harness, more=()):
        """The emulated program, with what observes its launches."""
        output = self.folder / "emulated" / flat(source)
        objects = [str(self.emulated(source)), *map(str, more)]
        harness = [str(pathlib.Path(part).resolve()) for part in harness]
        # Whole, for nothing in the program asks for who observes it.
        whole = ["-Wl,--whole-archive", *harness, "-Wl,--no-whole-archive"]
        command = [self.compiler, *objects, *whole, "-o", str(output), "-lpthread", "-ldl"]
        stamp = output.with_name(output.name + ".linked")
        key = json.dumps([command, [digest(path) for path in objects + harness]])
        if not output.is_file() or not stamp.is_file() or stamp.read_text() != key:
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                raise Failed(f"{' '.join(command)}\n{done.stderr[-6000:]}")
            stamp.write_text(key)
        return output

    def library(self, needs):
        """The PTX of what the library compiles once."""
        return [self.ptx(ROOT / "src" / "cuda" / SOURCES[name]) for name in needs]


def same(a, b):
    return pathlib.Path(a).resolve() == pathlib.Path(b).resolve()


def flat(source):
    """A name for what is made of a file: unit_x for tests/unit/x.cpp, src_cuda_x for src/cuda/x.cu."""
    path = pathlib.Path(source).resolve()
    if not path.is_relative_to(ROOT):
        return path.stem
    parts = path.relative_to(ROOT).with_suffix("").parts
    return "_".join(parts[-2:] if parts[0] == "tests" else parts)


def run_program(program, ptx, report, allowed, environment=None):
    """(exit code, report or None, what it printed) of an emulated program."""
    report.unlink(missing_ok=True)
    variables = {**os.environ, "SITU_PTX_FILES": ":".join(map(str, ptx)),
                 "SITU_PTX_REPORT": str(report), "SITU_PTX_ALLOWED": str(allowed),
                 "SITU_PTX_PROGRAM": pathlib.Path(program).name, **(environment or {})}
    done = subprocess.run([str(program)], env=variables, capture_output=True, text=True, errors="replace")
    try:
        found = json.loads(report.read_text())
    except (OSError, ValueError):  # it ended before, or while it wrote
        found = None
    return done.returncode, found, done.stdout + done.stderr
