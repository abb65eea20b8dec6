# SPDX-License-Identifier: Apache-2.0
"""The programs of scripts/gpu_hour, each by its sources."""

from sources import ROOT, Joined, Source

GPU = ROOT / "benchmarks" / "gpu"
RELEASE = ("NDEBUG",)  # of what is timed: the library's own checks are for tests
LAST_PROBE = "transfer"  # moves 12 GiB, and tells of the machine more than of situ


class Program:
    """`own`: the sources that it is for, each of which may fail to compile; `needed`: those it cannot do without."""

    def __init__(self, name, own, needed=(), libraries=()):
        self.name, self.own, self.needed, self.libraries = name, list(own), list(needed), libraries

    def sources(self):
        return [*self.own, *self.needed]


def rows(tools, names=("elementwise", "reductions", "products", "overhead", "learning"), definitions=RELEASE):
    """The benchmark: all its rows, or those of the files `names`, which come first: what the linker finds in several
    files it takes from the first."""
    rows = [Source(GPU / f"rows_{name}.cpp", definitions) for name in names]
    needed = [*rows, Source(GPU / "main.cpp", RELEASE), tools.peers_source(RELEASE), *tools.library_sources()]
    return Program("_".join(["rows", *names, *definitions]), [], needed)


def movement(tools):
    return Program("movement", [], [Source(GPU / "movement.cpp", RELEASE), *tools.library_sources()])


def tests(tools, quick):
    """The tests of the backend: the small ones six in a file, as CMake joins them, and those of linear algebra by
    themselves, for the libraries that they need. The quick rehearsal has one, which includes little."""
    shared = [Source(ROOT / "tests" / "main.cpp"), *tools.library_sources()]
    unit = sorted(ROOT.glob("tests/cuda/*.cpp"))
    if quick:
        return [Program("cuda_unit", [Source(p) for p in unit if p.stem == "streams"], shared)]
    # (cuda_gradients_torch.cpp is of the emulation alone: nvcc takes more than ten minutes for it.)
    suite = sorted(p for p in ROOT.glob("tests/conformance/cuda*.cpp") if p.stem != "cuda_gradients_torch")
    linalg = [p for p in [*unit, *suite] if "linalg" in p.stem]
    unit, suite = ([p for p in paths if p not in linalg] for paths in (unit, suite))
    six = [[*map(Source, unit[i : i + 6])] for i in range(0, len(unit), 6)]
    joined = [Joined(f"tests/cuda/{p[0].stem}_to_{p[-1].stem}.cpp", p) if len(p) > 1 else p[0] for p in six]
    found = [Program("cuda_unit", joined, shared), Program("conformance", map(Source, suite), shared)]
    needed = tools.linalg_sources()
    if linalg and needed:
        found.append(Program("linalg", map(Source, linalg), [*shared, *needed[0]], needed[1]))
    return found


def probes(tools, quick):
    """Programs that call CUDA themselves: always for a GPU, and only built where there is none."""
    sources = [Source(path) for path in sorted((GPU / "probes").glob("*.cu"))]
    if quick:
        sources = [s for s in sources if s.stem == "graph"]
    if not tools.cublaslt:
        sources = [s for s in sources if s.stem != "cublas"]
    return [Program(s.stem, [], [s], ["cublas"] if s.stem == "cublas" else []) for s in sources]


def sweep():
    return Program("sweep", [], [Source(GPU / "sweep.cu")])


def of_situ(tools, quick):
    """All that use situ, in the order of their stages."""
    found = [*tests(tools, quick), rows(tools), movement(tools)]
    return found if quick else found + [rows(tools, ("overhead",), definitions) for definitions in (RELEASE, ())]


def of_cuda(tools, quick):
    """All that use CUDA alone."""
    return [*probes(tools, quick), *([] if quick else [sweep()])]
