# SPDX-License-Identifier: Apache-2.0
"""Where CUDA's own libraries lie: in the toolkit, or, on many machines only there, in the packages that PyTorch brings
along (site-packages/nvidia), which have no link without a version in its name."""

import re
import shutil
import subprocess
import sys
from pathlib import Path


class Missing(Exception):
    """Something that is not installed."""


def toolkit(nvcc):
    """Folders in which the toolkit of this nvcc may have `include` and libraries."""
    root = Path(nvcc).resolve().parent.parent
    return [root, root / "targets" / "x86_64-linux", root / "targets" / "sbsa-linux"]


_packages = None


def packages():
    """The folders of the packages called nvidia-... of this and of PATH's python3."""
    global _packages
    if _packages is None:
        found = []
        for python in dict.fromkeys([sys.executable, shutil.which("python3")]):
            if not python:
                continue
            question = "import nvidia; print(*nvidia.__path__, sep='\\n')"
            done = subprocess.run([python, "-c", question], capture_output=True, text=True)
            found += done.stdout.split("\n") if done.returncode == 0 else []
        places = [Path(line) for line in dict.fromkeys(found) if line]
        _packages = [folder for place in places for folder in sorted(place.iterdir()) if folder.is_dir()]
    return _packages


def version_of(path):
    """13 of libcublasLt.so.13, 0 of libcublasLt.so."""
    found = re.search(r"\.so\.(\d+)", path.name)
    return int(found.group(1)) if found else 0


class Library:
    """A library's header and file."""

    def __init__(self, include, library):
        self.include, self.library = include, library

    def include_flags(self):
        """None for a folder that nvcc looks into anyway."""
        return ["-isystem", str(self.include)] if self.include.parent in packages() else []

    def link_flags(self):
        folder = self.library.parent
        return ["-L", str(folder), f"-l:{self.library.name}", "-Xlinker", f"-rpath={folder}"]  # nvcc finds it, the loader may not


def find(name, nvcc, release, header=None, behind=0):
    """The library `name`, header and file, of the major version of CUDA `release`, or so many behind; None where there
    is none."""
    major = int(release.partition(".")[0]) - behind if release[:1].isdigit() else 0
    header = header or f"{name}.h"
    headers = [p / "include" for p in toolkit(nvcc)] + [Path("/usr/include")] + [p / "include" for p in packages()]
    include = next((h for h in headers if (h / header).is_file()), None)
    folders = [root / lib for root in toolkit(nvcc) for lib in ("lib64", "lib")]
    folders += [Path("/usr/lib/x86_64-linux-gnu"), Path("/usr/lib64")] + [p / "lib" for p in packages()]
    for folder in folders:
        files = sorted(folder.glob(f"lib{name}.so*"), key=lambda p: len(p.name))
        files = [f for f in files if version_of(f) in (0, major) and f.resolve().is_file()]
        if include and files:
            return Library(include, files[0])
    return None


# Header, and how far the version of the library is behind that of CUDA.
LIBRARIES = {"cublasLt": ("cublasLt.h", 0), "cublas": ("cublas_v2.h", 0), "cusolver": ("cusolverDn.h", 1), "cufft": ("cufft.h", 1)}


# The libraries that programs are linked with, what these need, and what programs load when they first need it.
LOADED = ("cublas", "cusolver", "cusparse", "cufft", "nvjitlink", "nccl", "cudnn")


def loader_path():
    """Folders of libraries, for LD_LIBRARY_PATH: programs that were linked elsewhere find them there. Those of PyTorch's
    packages are first, for PyTorch to find the ones that it came with."""
    folders = [p / "lib" for p in packages() if p.name in LOADED or re.fullmatch(r"cu\d+", p.name)]
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    folders += [root / lib for root in toolkit(nvcc) for lib in ("lib64", "lib")]
    return [str(folder) for folder in folders if folder.is_dir()]
