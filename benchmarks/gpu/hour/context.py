# SPDX-License-Identifier: Apache-2.0
"""What the stages of scripts/gpu_hour share: how long they may take, and how they build programs."""

import time

import toolchain
from toolchain import ROOT

GPU = ROOT / "benchmarks" / "gpu"
BENCHMARK = [
    GPU / name
    for name in ("main.cpp", "rows_elementwise.cpp", "rows_reductions.cpp", "rows_products.cpp", "rows_overhead.cpp",
                 "rows_learning.cpp")
]


class Context:
    """What a stage may use."""

    def __init__(self, arguments, findings):
        self.rehearse, self.quick, self.deps = arguments.rehearse, arguments.quick, arguments.deps
        self.folder, self.output, self.findings = arguments.build, findings.output, findings
        self.deadline = None
        self.compiled = {}

    def left(self, reserve=5.0):
        return max(1.0, self.deadline - time.monotonic() - reserve)

    def tools(self):
        """For programs that use situ: emulated in a rehearsal."""
        if self.rehearse:
            return toolchain.Toolchain(True, self.folder / "emulated", self.deps, "-O0")
        return toolchain.Toolchain(False, self.folder / "gpu", self.deps)

    def raw_tools(self):
        """For programs that call CUDA themselves: always for a GPU, and compiled only where there is none."""
        return toolchain.Toolchain(False, self.folder / "raw", self.deps)

    def test_sources(self):
        """{program: sources} of the tests. The quick rehearsal has the smallest file of each."""
        found = {
            "cuda_unit": sorted(ROOT.glob("tests/cuda/*.cpp")),
            "conformance": sorted(ROOT.glob("tests/conformance/cuda*.cpp")),
        }
        if self.quick:
            found = {
                name: sorted(sources, key=lambda p: p.stat().st_size)[:1] for name, sources in found.items() if sources
            }
            found.pop("conformance", None)
        return {name: sources for name, sources in found.items() if sources}

    def test_programs(self, record):
        """Builds the tests, each from the sources that compile. {name: (program, [sources compiled])}"""
        tools, programs = self.tools(), {}
        library = [o for o, _, _ in tools.compile_all(tools.library_sources(), self.deadline).values() if o]
        main, _, errors = tools.compile_all([ROOT / "tests" / "main.cpp"], self.deadline)[ROOT / "tests" / "main.cpp"]
        if not main:
            record.say("tests/main.cpp does not compile:")
            record.code(errors)
            return {}
        for name, sources in self.test_sources().items():
            done = [s for s, (target, _, _) in tools.compile_all(sources, self.deadline).items() if target]
            objects = [tools.object_of(s) for s in done] + [main, *library]
            program, errors = tools.link(objects, name, self.deadline) if done else (None, "no source of it compiles")
            if program:
                programs[name] = (program, done)
            else:
                record.say(f"{name} does not link:")
                record.code(errors, 15)
        return programs
