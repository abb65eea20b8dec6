# SPDX-License-Identifier: Apache-2.0
"""`scripts/gpu_hour pack`: builds all that nvcc can build, on any machine that has it, and puts the objects with the
headers of the dependencies into one archive; and what a GPU machine does with it. There the stages find the objects
and compile nothing, as long as sources, release of CUDA and architecture are the same."""

import hashlib
import shutil
import sys
import tarfile
import time

import programs
import toolchain
from toolchain import ROOT, run_limited

ARCHIVE = ROOT / "build" / "pack" / "gpu_hour.tar.xz"
MOST_BYTES = 50 << 20

# Header, folders of it that are needed, and where its CMake package lies, below the same prefix.
DEPENDENCIES = [
    ("Eigen/Core", ["eigen3", ""], "Eigen", ["share/eigen3/cmake"]),
    ("doctest/doctest.h", [""], "doctest", ["lib/cmake/doctest", "share/cmake/doctest"]),
    ("nlohmann/json.hpp", [""], "nlohmann", ["share/cmake/nlohmann_json", "lib/cmake/nlohmann_json"]),
]


def dependencies(deps):
    """[(file, its name below a prefix)]: headers, and what find_package() reads, of what situ depends on."""
    files = []
    for header, folders, needed, packages in DEPENDENCIES:
        include = toolchain.find_header(header, folders, deps)
        below = "include/eigen3" if needed == "Eigen" else "include"
        prefix = include.parent if include.name == "include" else include.parent.parent
        found = [(include / needed, f"{below}/{needed}")]
        found += [(prefix / package, package) for package in packages if (prefix / package).is_dir()]
        for folder, name in found:
            files += [(p, f"{name}/{p.relative_to(folder)}") for p in sorted(folder.rglob("*")) if p.is_file()]
    return files


def pack(context, archive):
    """Builds, and writes the archive. 1 where a source does not compile; the archive then lacks its object."""
    tools = context.gpu_tools()
    builds = [(tools, programs.of_cuda(tools, context.quick))]
    if not context.rehearse:
        builds = [(tools, [*programs.of_situ(tools, context.quick), *programs.of_cuda(tools, context.quick)])]
    else:
        emulated = context.emulated_tools()
        builds.append((emulated, programs.of_situ(emulated, context.quick)))
        if not context.quick:
            builds[0][1].extend(programs.of_situ(tools, context.quick))
    start = time.monotonic()
    objects, failed = [], 0
    for each, wanted in builds:
        print(each.describe(), flush=True)
        sources = [source for program in wanted for source in program.sources()]

        def tell(compiled):
            state = "FAILED" if not compiled.target else "compiled" if compiled.made else "was there"
            print(f"{state:9} {compiled.seconds:6.1f} s  {compiled.source.object_name}", flush=True)
            if compiled.errors:
                print(compiled.errors[-3000:])

        for compiled in context.compile(each, sources, tell=tell).values():
            failed += not compiled.target
            objects += [compiled.target, compiled.target.with_suffix(".json")] if compiled.target else []
    print(f"{len(objects) // 2} objects after {time.monotonic() - start:.0f} s, {failed} do not compile", flush=True)
    archive.parent.mkdir(parents=True, exist_ok=True)
    note = archive.parent / "packed.txt"
    note.write_text(f"{commit()}, {', '.join(each.describe() for each, _ in builds)}, {len(objects) // 2} objects\n")
    new = archive.with_suffix(".new")
    with tarfile.open(new, "w:xz", preset=6) as tar:
        tar.add(note, note.name, filter=anonymous)
        for path in sorted(objects):
            tar.add(path, f"{path.parent.name}/{path.name}", filter=anonymous)
        for path, name in dependencies(context.deps):
            tar.add(path.resolve(), f"deps/{name}", filter=anonymous)
    new.replace(archive)
    size = archive.stat().st_size
    print(f"{archive}: {size / (1 << 20):.1f} MiB after {time.monotonic() - start:.0f} s")
    if size > MOST_BYTES:
        print(f"that is more than the {MOST_BYTES >> 20} MiB that it may have", file=sys.stderr)
    return 1 if failed or size > MOST_BYTES else 0


def commit():
    """Of the tree, which git may not know of where the archive is used."""
    done = run_limited(["git", "describe", "--always", "--dirty"], 20, folder=ROOT)
    return done.output.strip() if done.returncode == 0 else "no checkout"


def anonymous(member):
    """Without its owner here."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def unpack(archive, folder):
    """Unpacks the archive into the build folder, once. Gives what it is, or None where there is no archive."""
    if not archive.is_file():
        return None
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    stamp, note = folder / "unpacked", folder / "packed.txt"
    if stamp.is_file() and stamp.read_text() == digest:
        return f"{archive.name}, unpacked before: {note.read_text().strip()}"
    start = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / "deps", ignore_errors=True)
    only_data = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    with tarfile.open(archive, "r|xz") as tar:
        for member in tar:
            tar.extract(member, folder, **only_data)
    stamp.write_text(digest)
    return f"{archive.name}, unpacked in {time.monotonic() - start:.1f} s: {note.read_text().strip()}"
