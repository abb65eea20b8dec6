# SPDX-License-Identifier: Apache-2.0
"""What the stages of scripts/gpu_hour share: how long they may take, and how they build and run programs."""

import os
import time

import cuda_libraries
import programs
import toolchain
from toolchain import ROOT, run_limited


class Context:
    """What a stage may use."""

    def __init__(self, arguments, findings):
        self.rehearse, self.quick, self.deps = arguments.rehearse, arguments.quick, arguments.deps
        self.architecture, self.jobs = arguments.architecture, arguments.jobs
        self.folder, self.output, self.findings = arguments.build, findings.output, findings
        self.archive = arguments.archived
        self.deadline = None
        self.made = {}

    def left(self, reserve=5.0):
        return max(1.0, self.deadline - time.monotonic() - reserve)

    def tools(self):
        """For programs that use situ: emulated in a rehearsal."""
        return self.emulated_tools() if self.rehearse else self.gpu_tools()

    def emulated_tools(self):
        return self.kept("emulated", lambda: toolchain.Toolchain(True, self.folder / "emulated", self.deps, "-O0"))

    def gpu_tools(self):
        """Always for a GPU, also where there is none; raises Missing without nvcc."""
        return self.kept(
            "gpu",
            lambda: toolchain.Toolchain(False, self.folder / "gpu", self.deps, architecture=self.architecture),
        )

    def kept(self, name, make):
        if name not in self.made:
            self.made[name] = make()
        return self.made[name]

    def compile(self, tools, sources, reserve=0, tell=None):
        """Compiles what is not there yet; what does not compile is in the log."""

        def each(compiled):
            if compiled.errors:
                self.findings.log(f"--- {compiled.source.path}\n{compiled.errors}")
            if tell:
                tell(compiled)

        deadline = None if self.deadline is None else self.deadline - reserve
        return tools.compile_all(sources, deadline, self.jobs, each)

    def build(self, tools, program):
        """(the program, the sources of its own that compile), or (None, why not)."""
        compiled = self.compile(tools, program.sources(), self.left() / 2)  # what is there is to be run as well
        own = [s for s in program.own if compiled[s].target]
        apart = [part for s in program.own if s not in own for part in s.parts if part != s]
        if apart:  # not all that are joined may be wrong
            compiled.update(self.compile(tools, apart, self.left() / 2))
            own += [part for part in apart if compiled[part].target]
        broken = [s.name for s in program.needed if not compiled[s].target]
        if broken or (program.own and not own):
            return None, f"{program.name}: {', '.join(broken) or 'each of its sources'}: compiler errors"
        objects = [compiled[s].target for s in [*own, *program.needed]]
        path, errors = tools.link(objects, program.name, self.deadline, program.libraries)
        if not path:
            self.findings.log(f"--- linking {program.name}\n{errors}")
        own = [part for s in own for part in s.parts]
        return (path, own) if path else (None, f"{program.name}: does not link: {last_line(errors)}")

    def test_programs(self, record):
        """Builds the tests, each from the sources that compile: [(name, program, source)]."""
        files = []
        for program in programs.tests(self.tools(), self.quick):
            path, own = self.build(self.tools(), program)
            if path:
                files += [(program.name, path, source) for source in own]
            else:
                record.say(own)
        return files

    def run(self, command, limit=None, environment=None, standard_input=None):
        """Runs a program, within the time that the stage has left."""
        environment = dict(environment or {})
        loaded = cuda_libraries.loader_path()
        if loaded and not self.rehearse:
            environment["LD_LIBRARY_PATH"] = ":".join(filter(None, [os.environ.get("LD_LIBRARY_PATH"), *loaded]))
        left = self.left()
        return run_limited(command, min(limit or left, left), environment, standard_input, ROOT)


def test_command(program, source):
    return [program, "--no-version", f"--source-file=*/{source.folder}/{source.name}"]


def last_line(text):
    return (text.strip().splitlines() or ["no output"])[-1][:300]
