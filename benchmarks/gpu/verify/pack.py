# SPDX-License-Identifier: Apache-2.0
"""`scripts/gpu pack`: builds all that nvcc can build, on any machine that has it, links it, and puts the programs into one
archive. Where a GPU is, nothing is compiled and nothing linked. What is there of an earlier `pack`, and was made of the
same files, is not made again."""

import json
import sys
import time

import archives
import programs
import tests
import toolchain
from context import TestFile
from toolchain import ROOT

ARCHIVE = ROOT / "build" / "gpu" / "situ_gpu.tar.xz"
MOST_BYTES = 45 << 20


MOST_SECONDS = 6 * 3600  # that anything here may take


def pack(context, archive):
    """Builds all and writes the archive. 1 where it lacks a program: a source does not compile."""
    start = time.monotonic()
    context.deadline = start + MOST_SECONDS
    files = archives.digests()
    of_cuda = [(context.gpu_tools(), programs.of_cuda(context.quick))] if has_nvcc() or not context.rehearse else []
    builds = [(context.tools(), programs.of_situ(context.tools(), context.quick)), *of_cuda]
    problems = compile_all(context, builds)
    compiled = time.monotonic() - start
    linked = []
    for tools, wanted in builds:
        for program in wanted:
            path, why = context.build(tools, program)
            print(f"{'linked' if path else 'FAILED'}    {program.name if path else why}", flush=True)
            problems += [] if path else [why]
            linked += [(program, path)] if path else []
    listed = {}
    for program, path in linked:
        cases, wrong = list_tests(context, program, path)
        problems += wrong
        listed[program.name] = {"tests": cases}
    manifest = archive.parent / "manifest.json"
    made_by = ", ".join(dict.fromkeys(tools.describe() for tools, _ in builds))
    about = {"commit": archives.commit(), "made_by": made_by, "rehearsal": context.rehearse}
    archive.parent.mkdir(parents=True, exist_ok=True)
    manifest.write_text(json.dumps({**about, "programs": listed, "files": files}, indent=1))
    before = time.monotonic()
    packed = [(manifest, manifest.name), *((path, f"programs/{program.name}") for program, path in linked)]
    archives.write(archive, packed)
    raw, size = sum(path.stat().st_size for path, _ in packed), archive.stat().st_size
    cases = [count for program in listed.values() for count in program["tests"].values()]
    print(f"{len(cases)} files of tests with {sum(cases)} test cases, {len(linked)} programs, {raw / 1e6:.0f} MB")
    print(f"compiled in {compiled:.0f} s, linked and listed in {before - start - compiled:.0f} s, ", end="")
    print(f"packed in {time.monotonic() - before:.0f} s: {archive}, {size / (1 << 20):.1f} MiB")
    if size > MOST_BYTES and not context.rehearse:
        problems.append(f"the archive has more than the {MOST_BYTES >> 20} MiB that it may have")
    if archives.digests() != files:
        problems.append("a source changed meanwhile: the archive is of no tree")
    for problem in problems:
        print(f"FAILED {problem}", file=sys.stderr)
    return 1 if problems else 0


def has_nvcc():
    try:
        return bool(toolchain.find_nvcc())
    except toolchain.Missing:
        return False


def compile_all(context, builds):
    """Compiles everything in one pool each, longest first; what does not compile."""
    problems = []

    def tell(compiled):
        state = "FAILED" if not compiled.target else "compiled" if compiled.made else "was there"
        print(f"{state:9} {compiled.seconds:6.1f} s  {compiled.source.object_name}", flush=True)
        if not compiled.target:
            print(compiled.errors[-3000:])
            problems.append(f"{compiled.source.path} does not compile")

    for tools, wanted in builds:
        print(tools.describe(), flush=True)
        sources = [source for program in wanted for source in program.sources]
        tools.compile_all(sources, context.deadline, context.jobs, tell)
    return problems


def list_tests(context, program, path):
    """({file: how many cases}, problems): each program of tests is started here, where no GPU need be."""
    cases, problems = {}, []
    for source in program.tests:
        test = TestFile(program.name, source.path)
        count = tests.count_cases(context, test, path)
        cases[source.path] = count or 0
        if not count:
            problems.append(f"{program.name} {'does not start' if count is None else 'has no test'} of {source.path}")
    return cases, problems
