# SPDX-License-Identifier: Apache-2.0
"""`scripts/gpu_hour pack`: builds all that nvcc can build, on any machine that has it, and puts the objects with the
headers of the dependencies into one archive. Where a GPU is, the stages find the objects and compile nothing, as long
as sources, release of CUDA and architecture are the same."""

import sys
import time

import archives
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


def pack(context, archive, seconds=None):
    """Builds for so many seconds, going on where an earlier run ended, and writes the archive. 1 where it lacks an
    object: the source does not compile, or the time was over."""
    context.deadline = time.monotonic() + seconds if seconds else None
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
    objects, failed, late = [], 0, 0
    for each, wanted in builds:
        print(each.describe(), flush=True)
        sources = [source for program in wanted for source in program.sources()]

        def tell(compiled):
            state = "LATE" if compiled.late else "FAILED" if not compiled.target else "compiled"
            state = "was there" if compiled.target and not compiled.made else state
            print(f"{state:9} {compiled.seconds:6.1f} s  {compiled.source.object_name}", flush=True)
            if compiled.errors and not compiled.late:
                print(compiled.errors[-3000:])

        for compiled in context.compile(each, sources, tell=tell).values():
            failed += not compiled.target and not compiled.late
            late += compiled.late
            objects += [compiled.target, compiled.target.with_suffix(".json")] if compiled.target else []
    print(f"{len(objects) // 2} objects after {time.monotonic() - start:.0f} s, {failed} do not compile", flush=True)
    if late:
        print(f"for {late} there was no time: `pack` again builds them, or they are built where the archive is used")
    archive.parent.mkdir(parents=True, exist_ok=True)
    note = archive.parent / "packed.txt"
    note.write_text(f"{commit()}, {', '.join(each.describe() for each, _ in builds)}, {len(objects) // 2} objects\n")
    # What is needed first, the headers; and an object before what says that it is whole.
    objects.sort(key=lambda path: (path.with_suffix(""), path.suffix == ".json"))
    files = [(note, note.name), *((path, f"deps/{name}") for path, name in dependencies(context.deps))]
    archives.write(archive, files + [(path, f"{path.parent.name}/{path.name}") for path in objects])
    size = archive.stat().st_size
    print(f"{archive}: {size / (1 << 20):.1f} MiB after {time.monotonic() - start:.0f} s")
    too_large = size > MOST_BYTES and not context.rehearse  # that of a rehearsal is carried nowhere, and has more in it
    if too_large:
        print(f"that is more than the {MOST_BYTES >> 20} MiB that it may have", file=sys.stderr)
    return 1 if failed or late or too_large else 0


def commit():
    """Of the tree, which git may not know of where the archive is used."""
    done = run_limited(["git", "describe", "--always", "--dirty"], 20, folder=ROOT)
    return done.output.strip() if done.returncode == 0 else "no checkout"
