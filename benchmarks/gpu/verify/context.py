# SPDX-License-Identifier: Apache-2.0
"""What the stages of scripts/gpu share: how long they may take, and how they find and run programs."""

import os
import re
import threading
import time

import cuda_libraries
import programs
import toolchain
from limited import run_limited
from sources import ROOT

MOST_COMPILED = 5  # sources of a stage: more take the time that a GPU is there for


class TooMuchToCompile(Exception):
    pass


class TestFile:
    """A file of tests, and the program that has them."""

    def __init__(self, program, path):
        self.program, self.path = program, path

    @property
    def name(self):
        """cuda/sort of tests/cuda/sort.cpp"""
        return self.path.partition("/")[2].rpartition(".")[0]

    @property
    def stem(self):
        return self.name.rpartition("/")[2]

    def command(self, program):
        return [program, "--no-version", f"--source-file=*/{self.name}.cpp"]


class Context:
    """What a stage may use."""

    def __init__(self, arguments, findings, archive=None):
        self.rehearse, self.quick, self.deps = arguments.rehearse, arguments.quick, arguments.deps
        self.architecture, self.jobs, self.may_compile = arguments.architecture, arguments.jobs, arguments.compile
        self.folder, self.findings, self.archive = arguments.build, findings, archive
        self.output = findings.output if findings else None
        self.deadline = None
        self.asked_alone = False  # whether the user named this stage and no other
        self.scale = 1.0  # of the limits of one test: more where there is more time than is planned with
        self.made = {}
        self.building = threading.Lock()

    def left(self, reserve=5.0):
        return max(1.0, self.deadline - time.monotonic() - reserve)

    def tools(self):
        """For programs that use situ: emulated in a rehearsal."""
        return self.emulated_tools() if self.rehearse else self.gpu_tools()

    def emulated_tools(self):
        folder = self.folder / "emulated"
        return self.kept("emulated", lambda: toolchain.Toolchain(True, folder, self.deps, "-O0", contracts=not self.quick))

    def gpu_tools(self):
        """Always for a GPU, also where there is none; raises Missing without nvcc."""
        folder = self.folder / "gpu"
        return self.kept("gpu", lambda: toolchain.Toolchain(False, folder, self.deps, architecture=self.architecture))

    def kept(self, name, make):
        if name not in self.made:
            self.made[name] = make()
        return self.made[name]

    def program(self, name, make, tools=None):
        """(the program, "") or (None, why not): that of the archive, or one that is built here of what `make` says, a
        function of the tools that gives a programs.Program."""
        if self.archive and (packed := self.archive.program(name)):
            return packed, ""
        with self.building:  # several tests may want the same program
            try:
                tools = (tools or self.tools)()
                return self.build(tools, make(tools))
            except toolchain.Missing as missing:  # which costs one program, not the stage
                return None, f"{name} is not in the archive, and cannot be made here: {missing}"

    def build(self, tools, wanted):
        todo = [source for source in wanted.sources if not tools.known(source)]
        if len(todo) > MOST_COMPILED and not self.may_compile:
            raise TooMuchToCompile(f"{len(todo)} sources of {wanted.name} are not compiled: `scripts/gpu pack` first, or --compile")
        deadline = None if self.deadline is None else self.deadline - 5
        compiled = tools.compile_all(wanted.sources, deadline, self.jobs)
        for one in compiled.values():
            if one.errors and self.findings:
                self.findings.log(f"--- {one.source.path}\n{one.errors}")
        broken = [source.name for source in wanted.sources if not compiled[source].target]
        if broken:
            return None, f"{wanted.name}: {', '.join(broken)}: not compiled"
        path, errors = tools.link([compiled[s].target for s in wanted.sources], wanted.name, self.deadline, wanted.libraries)
        if not path and self.findings:
            self.findings.log(f"--- linking {wanted.name}\n{errors}")
        return (path, "") if path else (None, f"{wanted.name}: does not link: {last_line(errors)}")

    def test_files(self):
        """All files of tests, whether they can be run or not: of the archive, or of the tree."""
        if self.archive:
            listed = self.archive.manifest["programs"].items()
            return [TestFile(name, path) for name, about in listed for path in about["tests"]]
        return [TestFile(one.name, test.path) for one in programs.tests(self.tools(), self.quick) for test in one.tests]

    def test_program(self, name):
        """As `program`."""
        return self.program(name, lambda tools: next(p for p in programs.tests(tools, self.quick) if p.name == name))

    def run(self, command, limit=None, environment=None, standard_input=None):
        """Runs a program, within the time that the stage has left."""
        environment = dict(environment or {})
        if not self.rehearse:
            folders = [*cuda_libraries.loader_path(), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
            environment["LD_LIBRARY_PATH"] = ":".join(folders)
        left = self.left()
        return run_limited(command, min(limit or left, left), environment, standard_input, ROOT)


def parse_doctest(output):
    """(cases, passed, failed) from doctest's last lines, None when it printed none: the program died."""
    found = re.findall(r"test cases:\s*(\d+)\s*\|\s*(\d+) passed\s*\|\s*(\d+) failed", output)
    return tuple(map(int, found[-1])) if found else None


def last_test(output):
    """In which test case a program was when it was stopped, or died: doctest names it then."""
    found = re.findall(r"^TEST CASE:\s*(.+)$", output, re.MULTILINE) if "test case CRASHED" in output else []
    return f" in '{found[-1][:100]}'".replace("|", "/") if found else ""


def last_line(text):
    return (text.strip().splitlines() or ["no output"])[-1][:300]
