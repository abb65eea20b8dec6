# SPDX-License-Identifier: Apache-2.0
"""The folders that the library's headers are in: include/, and those of the rooms beside it. All have the paths that
programs write, situ/..., and are installed into one folder."""
import pathlib

BESIDE = ("emulation/include", "train/include")


def include_folders(include):
    """`include` and those beside it; of a tree that has them, for a copy may be of include/ alone."""
    include = pathlib.Path(include)
    return [include, *(folder for name in BESIDE if (folder := include.parent / name).is_dir())]


def headers(include):
    """{"situ/tensor.hpp": its path}, sorted by the names."""
    found = {path.relative_to(folder).as_posix(): path for folder in include_folders(include) for path in folder.rglob("*.hpp")}
    return dict(sorted(found.items()))


def readme(include, room):
    """The README of a room, "cpu/fft": in it, or above the include folder of its own that it has."""
    beside = [folder for folder in include_folders(include)[1:] if (folder / "situ" / room).is_dir()]
    return beside[0].parent / "README.md" if beside and "/" not in room else pathlib.Path(include) / "situ" / room / "README.md"
