# SPDX-License-Identifier: Apache-2.0
"""What is in build folders: their object files of tests/ and examples/, and the symbols of these. See manifest.py."""
import collections
import re
import struct
import subprocess

import names

# Programs that need more than scripts/setup installs, and what.
OPTIONAL = {"situ_mdspan": "cccl", "situ_linalg_lapack": "lapack", "situ_products_blas": "blas", "situ_world_objects": "mpi"}
SYMBOL = re.compile(rb"_ZN[KRVO]*4situ\w+")
KERNEL = re.compile(rb" \.entry (_ZN[KRVO]*4situ\w+)\(")
SYMBOL_TABLE = 2  # the type of a section of ELF
# The instruction set in the name of a host device is left out of it: the setting says it.
TAG = re.compile(rb"B(?:8baseline|4avx2|6avx512)")
# What optimized objects are asked for: other functions may be inlined in one version of a compiler, or for one processor, alone.
SURE = ("functional::", "gradient functional::", "kernel ", "cuda::")
INCLUDED = re.compile(r'^#include "(.*\.cpp)"$', re.M)
IN_TREE = re.compile(r"(?:.*/)?((?:tests|examples)/.*)")
# What makes an object: its path, its source, and the lines of variables; `$` stands before a space in a path.
EDGE = re.compile(r"^build ((?:tests|examples)/(?:[^\s$]|\$.)+\.(?:o|ptx)): \S+ ((?:[^\s$]|\$.)+).*\n((?:  .*\n)*)", re.M)
Object = collections.namedtuple("Object", "path source flags")


def objects(build):
    """What a build folder makes of tests/ and examples/ and is there; not what it has made and makes no more."""
    ninja = build / "build.ninja"
    if not ninja.is_file():
        raise SystemExit(f"{build}: no folder of a build by Ninja")
    for path, source, variables in EDGE.findall(ninja.read_text()):
        path, source = (build / re.sub(r"\$(.)", r"\1", name) for name in (path, source))
        if path.is_file():
            yield Object(path, source, "".join(re.findall(r"^  FLAGS = (.*)$", variables, re.M)))


def compilers(build):
    """(of C++, of CUDA), by name and major version."""
    said = {"CXX": "?", "CUDA": "nvcc ?"}
    for path in build.glob("CMakeFiles/*/CMake*Compiler.cmake"):
        language = re.fullmatch(r"CMake(\w+)Compiler", path.stem)[1]
        found = dict(re.findall(r'^set\(CMAKE_\w+?_COMPILER_(ID|VERSION) "([^"]*)"\)', path.read_text(), re.M))
        name = "nvcc" if language == "CUDA" else found.get("ID", "?")
        said[language] = f"{name} {found.get('VERSION', '?').partition('.')[0]}"
    return said["CXX"], said["CUDA"]


def setting(one):
    """The setting that an object is built with."""
    if one.path.suffix == ".ptx":
        return "ptx"
    march = re.findall(r"-march=([\w.+-]+)", one.flags)
    named = march[-1] if march and march[-1] != "x86-64" else "baseline"
    folder, target = re.search(r"(\w+)/CMakeFiles/(\w+)\.dir/", str(one.path)).groups()
    if folder == "gpu":
        return named + "+nvcc"
    return f"{named}+{OPTIONAL[target]}" if target in OPTIONAL else named


def optimized(one):
    return one.path.suffix != ".ptx" and re.findall(r"(?<!\S)-O(\S*)", one.flags)[-1:] not in ([], ["0"])


def sources(one):
    """The files of the tree that an object is compiled from: its source, or those that this includes, if files are joined in it."""
    text = one.source.read_text() if one.source.is_file() else ""
    found = INCLUDED.findall(text) if text.count("\nnamespace joined_") else [str(one.source)]
    return [match[1] for match in map(IN_TREE.fullmatch, found) if match]


def text_of_symbols(path):
    """The names of all symbols of an object file, as its string table has them: by far quicker than nm, which sorts."""
    with path.open("rb") as file:
        head = file.read(64)
        if head[:6] != b"\x7fELF\x02\x01":
            raise SystemExit(f"{path}: no object file of 64 bits in ELF, little-endian")

        def section(number):
            file.seek(int.from_bytes(head[40:48], "little") + 64 * number)
            return struct.unpack("<IIQQQQIIQQ", file.read(64))

        # The first section has the count where there are too many for the header.
        count = int.from_bytes(head[60:62], "little") or section(0)[5]
        file.seek(int.from_bytes(head[40:48], "little"))
        types = file.read(64 * count)[4::64]
        table = next(number for number in range(count) if types[number] == SYMBOL_TABLE and section(number)[1] == SYMBOL_TABLE)
        strings = section(section(table)[6])
        file.seek(strings[4])
        return file.read(strings[5])


def symbols(one):
    """The symbols of the library that an object defines or asks for, or the kernels that a PTX file has."""
    found = KERNEL.findall(one.path.read_bytes()) if one.path.suffix == ".ptx" else SYMBOL.findall(text_of_symbols(one.path))
    return {TAG.sub(b"", name) for name in set(found) if names.tells(name)}


def touched(folders):
    """({setting: compiler}, entries) of build folders."""
    parts = collections.defaultdict(list)  # (setting, whether optimized): objects
    compiler = collections.defaultdict(set)
    entries = set()
    for build in folders:
        cxx, cuda = compilers(build)
        for one in objects(build):
            where = setting(one)
            parts[where, optimized(one)].append(one)
            compiler[where].add(cuda if where == "ptx" else f"{cxx}, {cuda}" if where.endswith("+nvcc") else cxx)
            entries.update((source, "-", "-", where) for source in sources(one))
    if not entries:
        raise SystemExit("nothing of tests/ or examples/ is built here")
    parts_of = collections.defaultdict(list)  # a symbol that several parts have is read once
    for part, some in parts.items():
        for symbol in set().union(*map(symbols, some)):
            parts_of[symbol].append(part)
    text = subprocess.run(["c++filt"], input=b"\n".join(parts_of), stdout=subprocess.PIPE, check=True).stdout.decode()
    for (symbol, some), name in zip(parts_of.items(), text.splitlines()):
        for entry in names.used(symbol, name):
            entries.update((*entry, where) for where, fast in some if not fast or entry[0].startswith(SURE))
    # What a program has that is not everywhere counts only where no other has it.
    entries = {entry for entry in entries
               if entry[3].partition("+")[2] not in OPTIONAL.values() or (*entry[:3], entry[3].partition("+")[0]) not in entries}
    return {where: " and ".join(sorted(some)) for where, some in compiler.items()}, entries
