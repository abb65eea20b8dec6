# SPDX-License-Identifier: Apache-2.0
"""Which compiled parts of the backend a source needs. The functions of a part are declared in an inline namespace
`in_library_` and its name, so that the headers that a source reaches tell: nothing has to be written down for a new
test, or for a new part, whose folder below src/cuda and whose libraries of CUDA are listed here."""

import re
import sys

from sources import ROOT

sys.path.append(str(ROOT / "tests"))
import rooms  # noqa: E402

HEADERS = rooms.headers(ROOT / "include")

# Target of CMake: the folder below src/cuda, and the libraries that it calls.
PARTS = {
    "situ_cuda": ("", []),
    "situ_cuda_linalg": ("linalg", ["cublas", "cusolver"]),
    "situ_cuda_fft": ("fft", ["cufft"]),
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
NAMESPACE = re.compile(r"\binline namespace in_library_(\w+)")


def sources_of(part):
    """The files of the folder that belong to the part."""
    folder = ROOT / "src" / "cuda" / PARTS[part][0]
    return sorted([*folder.glob("*.cu"), *folder.glob("*.cpp")])


def reached(path, seen=None):
    """The files of the tree that `path` includes, itself among them."""
    seen = {} if seen is None else seen
    if path in seen or not path.is_file():
        return seen
    seen[path] = text = path.read_text()
    for bracket, name in INCLUDE.findall(text):
        if bracket == '"':
            reached((path.parent / name).resolve(), seen)
        elif name.startswith("situ/"):
            reached(HEADERS.get(name, ROOT / "include" / name), seen)
    return seen


def needed_by(paths):
    """The parts that these files need, sorted; all need the first."""
    found, seen = {"situ_cuda"}, {}
    for path in paths:
        reached(path.resolve(), seen)
    for path, text in seen.items():
        if "emulation" not in path.parts:  # which has the functions itself
            found.update(NAMESPACE.findall(text))
    return sorted(found)


def unknown():
    """What the table lacks: parts that headers name, folders of src/cuda that no part has."""
    named = {name for path in HEADERS.values() for name in NAMESPACE.findall(path.read_text())}
    folders = {path.name for path in (ROOT / "src" / "cuda").iterdir() if path.is_dir()}
    wrong = [f"the part {name}, which headers name, is not in PARTS" for name in sorted(named - set(PARTS))]
    wrong += [f"no part of PARTS has src/cuda/{name}" for name in sorted(folders - {f for f, _ in PARTS.values()})]
    return wrong + [f"{name} has no sources" for name in PARTS if not sources_of(name)]
