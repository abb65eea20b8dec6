# SPDX-License-Identifier: Apache-2.0
"""The programs of scripts/gpu, each by its sources and the compiled parts that they need."""

import parts
from sources import ROOT, Joined, Source

GPU = ROOT / "benchmarks" / "gpu"
RELEASE = ("NDEBUG",)  # of what is timed: the library's own checks are for tests
LAST_PROBE = "transfer"  # moves 12 GiB, and tells of the machine more than of situ
JOINED = 6  # files of tests/cuda in one, as CMake joins them


class Program:
    """Its sources, the libraries of CUDA that it links, and the files whose tests it has."""

    def __init__(self, name, sources, libraries=(), tests=()):
        self.name, self.sources, self.libraries, self.tests = name, list(sources), list(libraries), list(tests)


def of_parts(tools, name, own, needed, tests=()):
    """A program of sources of its own, and of the compiled parts that these need."""
    paths = [ROOT / part.path for source in own for part in source.parts]
    found = parts.needed_by(paths)
    libraries = [library for part in found for library in parts.PARTS[part][1]]
    compiled = [source for part in found for source in tools.part_sources(part)]
    return Program(name, [*own, *needed, *compiled], libraries, tests)


def smoke(tools):
    """One kernel, one product, one copy each way."""
    return of_parts(tools, "smoke", [Source(GPU / "smoke.cpp", RELEASE)], [])


ROWS = ("elementwise", "reductions", "products", "overhead", "learning")


def rows(tools, name="rows", files=ROWS, definitions=RELEASE):
    """The benchmark: the rows of the files `files`, which come first: what the linker finds in several files it takes
    from the first."""
    own = [Source(GPU / f"rows_{file}.cpp", definitions) for file in files]
    needed = [Source(GPU / "main.cpp", RELEASE), tools.peers_source(RELEASE)]
    return of_parts(tools, name, own, needed)


def overhead(tools):
    """What a launch costs the host with the library's own checks, as tests have them."""
    return rows(tools, "rows_overhead", ("overhead",), ())


def movement(tools):
    return of_parts(tools, "movement", [Source(GPU / "movement.cpp", RELEASE)], [])


def tests(tools, quick):
    """The tests of the backend, small ones six in a file; what needs other compiled parts is apart, for a machine that
    lacks their libraries. The quick rehearsal has one, which includes little."""
    unit = sorted(ROOT.glob("tests/cuda/*.cpp"))
    # (cuda_gradients_torch.cpp is of the emulation alone: nvcc takes more than ten minutes for it.)
    suite = sorted(p for p in ROOT.glob("tests/conformance/cuda*.cpp") if p.stem != "cuda_gradients_torch")
    if quick:
        unit, suite = [p for p in unit if p.stem in ("layout", "streams")], []
    groups = {}
    for path in [*unit, *suite]:
        groups.setdefault((tuple(parts.needed_by([path]))[1:], path.parent.name), []).append(path)
    found = []
    for (needed, folder), paths in groups.items():
        own = [Source(path) for path in paths]
        if folder == "cuda":
            six = [own[i : i + JOINED] for i in range(0, len(own), JOINED)]
            own = [Joined(f"tests/cuda/{p[0].stem}_to_{p[-1].stem}.cpp", p) if len(p) > 1 else p[0] for p in six]
        name = "_".join(["tests", folder, *(part.rpartition("_")[2] for part in needed)])
        listed = [Source(path) for path in paths if "TEST_CASE" in path.read_text()]
        found.append(of_parts(tools, name, own, [Source(ROOT / "tests" / "main.cpp")], listed))
    return found


def probes(quick):
    """Programs that call CUDA themselves: always for a GPU, and only built where there is none."""
    sources = [Source(path) for path in sorted((GPU / "probes").glob("*.cu"))]
    if quick:
        sources = [s for s in sources if s.stem == "graph"]
    return [Program(s.stem, [s], ["cublas"] if s.stem == "cublas" else []) for s in sources]


def sweep():
    return Program("sweep", [Source(GPU / "sweep.cu")])


def of_situ(tools, quick):
    """All that use situ, in the order of their stages."""
    found = [smoke(tools), *tests(tools, quick), rows(tools), movement(tools)]
    return found if quick else [*found, overhead(tools)]


def of_cuda(quick):
    """All that use CUDA alone."""
    return [*probes(quick), *([] if quick else [sweep()])]
