# SPDX-License-Identifier: Apache-2.0
"""The programs of scripts/gpu_hour, each by its sources."""

from toolchain import ROOT, Source

GPU = ROOT / "benchmarks" / "gpu"
RELEASE = ("NDEBUG",)  # of all that is timed: the library's own checks are for tests
LAST_PROBE = "transfer"  # moves 12 GiB, and tells of the machine more than of situ


class Program:
    """`own`: the sources that it is for, each of which may fail to compile; `needed`: those it cannot do without."""

    def __init__(self, name, own, needed=(), libraries=()):
        self.name, self.own, self.needed, self.libraries = name, list(own), list(needed), libraries

    def sources(self):
        return [*self.own, *self.needed]


def rows(tools, names=("elementwise", "reductions", "products", "overhead", "learning"), definitions=RELEASE):
    """The benchmark: all its rows, or those of the files `names`."""
    sources = [Source(GPU / f, definitions) for f in ("main.cpp", *[f"rows_{name}.cpp" for name in names])]
    needed = [*sources, tools.peers_source(definitions), *tools.library_sources(definitions)]
    return Program("_".join(["rows", *names, *definitions]), [], needed)


def movement(tools):
    return Program("movement", [], [Source(GPU / "movement.cpp", RELEASE), *tools.library_sources(RELEASE)])


def tests(tools, quick):
    """The tests of the backend. The quick rehearsal has one file, which includes little."""
    shared = [Source(ROOT / "tests" / "main.cpp"), *tools.library_sources()]
    unit = sorted(ROOT.glob("tests/cuda/*.cpp"))
    suite = sorted(ROOT.glob("tests/conformance/cuda*.cpp"))
    if quick:
        unit, suite = [p for p in unit if p.stem == "streams"], []
    found = {"cuda_unit": unit, "conformance": suite}
    return [Program(name, map(Source, sources), shared) for name, sources in found.items() if sources]


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
