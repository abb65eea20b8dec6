# SPDX-License-Identifier: Apache-2.0
"""What toolchain.py compiles: files of the tree, and several of them as one."""

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# Seconds that nvcc took for the longest of the sources; of the others the size of the file says enough.
LONG = {"tests/conformance": 120, "benchmarks/gpu": 60, "tests/cuda": 30, "src/cuda": 20}


class Source:
    """A file, by its path below the root, and what is defined when it is compiled."""

    def __init__(self, path, definitions=()):
        self.path = os.path.relpath(Path(path).resolve(), ROOT)
        self.definitions = tuple(definitions)

    def __eq__(self, other):
        return (self.path, self.definitions) == (other.path, other.definitions)

    def __hash__(self):
        return hash((self.path, self.definitions))

    @property
    def name(self):
        return Path(self.path).name

    @property
    def stem(self):
        return Path(self.path).stem

    @property
    def folder(self):
        return Path(self.path).parent.name

    @property
    def object_name(self):
        return "-".join([re.sub(r"[^A-Za-z0-9.]", "_", self.path), *self.definitions]) + ".o"

    @property
    def parts(self):
        return [self]

    def weight(self):
        """About how long it takes: what takes longest is begun first, lest everything waits for it at the end."""
        size = (ROOT / self.path).stat().st_size / 1000
        return LONG.get(str(Path(self.path).parent), 5) + size

    def made_of(self):
        """What it is beside the files that the compiler lists."""
        return ""

    def file(self, folder):
        """What the compiler is given; `folder` is for what has to be written first."""
        return self.path


class Joined(Source):
    """Several files as one: each in a namespace of its own, behind the headers of all. The headers are read, and what
    several of the files launch is compiled, once."""

    def __init__(self, path, parts):
        super().__init__(ROOT / path, parts[0].definitions)
        self.joined = list(parts)

    @property
    def parts(self):
        return self.joined

    def weight(self):
        return sum(part.weight() for part in self.joined) / 2

    def made_of(self):
        headers, bodies = [], []
        for part in self.joined:
            for kind, name in re.findall(r'^#include (["<])(.*)[">]', (ROOT / part.path).read_text(), re.MULTILINE):
                header = f"<{name}>" if kind == "<" else f'"{Path(part.path).parent / name}"'
                headers.append(f"#include {header}")
            bodies += [f"namespace joined_{part.stem} {{", f'#include "{part.path}"', "}"]
        return "\n".join([*dict.fromkeys(headers), *bodies]) + "\n"

    def file(self, folder):
        file = folder / (self.object_name + ".cpp")
        file.write_text(self.made_of())
        return str(file)
