# SPDX-License-Identifier: Apache-2.0
"""The stages of scripts/gpu_hour that build and run programs. Each takes the context and its record, and comes back
before the context's deadline."""

import re
import shutil
from pathlib import Path

import cuda_libraries
import programs
import toolchain
from context import last_line, test_command
from toolchain import ROOT, run_limited

# Few files whose kernels are launched in every way: what there is to see of the second launch path.
BOTH_LAUNCH_PATHS = ("elementwise", "graph", "reduce", "sort", "streams", "threads")
CMAKE_SECONDS = 480  # with less it would be stopped in the middle
HEADERS = {"Eigen/Core": ["eigen3", ""], "doctest/doctest.h": [""], "nlohmann/json.hpp": [""]}


def inventory(deps):
    """[(what, where it is or None)] of what the hour needs, by looking for files and asking compilers for their
    versions: it takes less than a second."""
    found = []
    try:
        nvcc = toolchain.find_nvcc()
        release = toolchain.nvcc_release(nvcc)
        found.append(("nvcc", f"{release}, {nvcc}"))
    except toolchain.Missing:
        nvcc, release = None, ""
        found.append(("nvcc", None))
    compiler = run_limited(["g++", "-dumpfullversion"], 20)
    found.append(("g++", compiler.output.strip() if compiler.returncode == 0 else None))
    for header, folders in HEADERS.items():
        try:
            found.append((header, str(toolchain.find_header(header, folders, deps))))
        except toolchain.Missing:
            found.append((header, None))
    library = cuda_libraries.find("cublasLt", nvcc, release) if nvcc else None
    found.append(("cublasLt.h and its library", f"{library.include}, {library.library}" if library else None))
    library = cuda_libraries.find_solver(nvcc, release) if nvcc else None
    found.append(("cusolverDn.h and its library", f"{library.include}, {library.library}" if library else None))
    found.append(("cub/cub.cuh", "there" if nvcc and cuda_libraries.has_cub(nvcc) else None))
    return found


def machine(context, record):
    """What is there. In the first second what the hour needs, then the rest."""
    record.say(context.archive.describe(), "")
    found = inventory(context.deps)
    record.say("| needed | |", "|---|---|", *[f"| {what} | {where or '**missing**'} |" for what, where in found])
    if context.archive.note and dict(found)["nvcc"] and dict(found)["Eigen/Core"]:
        here = context.gpu_tools().describe()
        if here not in context.archive.note:
            record.say("", f"**The archive is of no use: here it is {here}. All is compiled anew.**")
    count = count_gpus()
    missing = [what for what, where in found if not where] + ([] if count else ["a GPU"])
    if context.rehearse:  # what only a GPU needs is not needed
        missing = [what for what in missing if what in ("g++", *HEADERS)]
    record.data(missing=missing, gpus=count)
    questions = [
        ["nvidia-smi", "--query-gpu=index,name,driver_version,memory.total,compute_cap", "--format=csv,noheader"],
        ["compute-sanitizer", "--version"],
        ["ncu", "--version"],
        ["cmake", "--version"],
        ["uname", "-srm"],
        ["git", "rev-parse", "--short", "HEAD"],
        ["python3", "-c", "import torch; print(torch.__version__, torch.cuda.is_available())"],
    ]
    for command in questions:
        done = context.run(command, 30)
        text = [line for line in done.output.strip().splitlines() if line.strip()]
        shown = [line for line in text if re.search("NVIDIA H|Version", line)] or text or ["-"]
        record.say(f"- `{' '.join(command)}`: {shown[0] if done.returncode == 0 else 'not there'}")
    lacks = f"; missing: {', '.join(missing)}" if missing else ""
    record.end("failed" if missing else "ok", f"{count} GPU(s)" + lacks)


def build(context, record):
    """Builds all, in one pool, and says what it had to compile."""
    tools = context.tools()
    wanted = programs.of_situ(tools, context.quick)
    groups = [(tools, wanted)]
    try:
        of_cuda = programs.of_cuda(context.gpu_tools(), context.quick)
        if tools is context.gpu_tools():
            wanted.extend(of_cuda)
        else:
            groups.append((context.gpu_tools(), of_cuda))
    except toolchain.Missing as missing:
        record.say(f"- without {missing}, what calls CUDA itself is not built")
    made, there, broken = [], 0, []
    record.say("| source | | seconds |", "|---|---|---:|")
    for each, group in groups:
        sources = [source for program in group for source in program.sources()]

        def tell(compiled):
            nonlocal there
            there += bool(compiled.target) and not compiled.made
            if compiled.made or not compiled.target:
                state = "compiled" if compiled.target else "FAILED"
                made.append(compiled.source.object_name)
                record.say(f"| {compiled.source.object_name} | {state} | {compiled.seconds:.1f} |")
            if not compiled.target:
                first = next((l for l in compiled.errors.splitlines() if "error" in l), last_line(compiled.errors))
                broken.append(f"{compiled.source.name}: `{first[:300]}`")

        context.compile(each, sources, 30, tell)
    record.say("", f"{there} objects were there, {len(made)} sources were to be compiled.", *[f"- {b}" for b in broken])
    record.data(made=made, there=there, failed=len(broken))
    for program in wanted:
        path, why = None, f"{program.name}: not linked, no time was left"
        if context.left() > 5:
            path, why = context.build(tools, program)
        if not path:
            broken.append(why)
            record.say(f"- {why}")
    if context.rehearse and not context.quick:
        broken += started_without_gpu(context, record)
    headline = f"{there} objects were there, {len(made)} to be compiled, {len(broken)} faults"
    record.end("ok" if not broken else "partial", headline)


def started_without_gpu(context, record):
    """For a rehearsal: whether the programs for a real GPU link and start; gives those that do not."""
    try:
        tools = context.gpu_tools()
    except toolchain.Missing as missing:
        record.say(f"- without {missing}, no program is built for a GPU")
        return []
    expected, broken = (0 if count_gpus() else 77), []
    for program in programs.of_situ(tools, context.quick):
        path, why = context.build(tools, program)
        if path and program.name.startswith(("rows", "movement")):
            done = context.run([path], standard_input="quit\n")
            why = f"{program.name} ended with {done.returncode}: {last_line(done.output)}"
            path = path if done.returncode == expected else None
        elif path:  # tests fail without a GPU; that the program starts is all there is to see
            done = context.run([path, "--count"])
            why = f"{program.name} does not start: {last_line(done.output)}"
            path = path if done.returncode == 0 else None
        record.say(f"- for a GPU: {why if not path else f'{program.name} links and starts'}")
        broken += [] if path else [why]
    return broken


def probe(context, record, wanted):
    """Runs probes, and writes what each found as soon as it has."""
    broken, kinds, tools = [], [], context.gpu_tools()
    record.say("| probe | point | | seen |", "|---|---|---|---|")
    figures = []
    for program in wanted:
        path, why = None, f"{program.name}: not linked, no time was left"
        if context.left() > 5:
            path, why = context.build(tools, program)
        if not path:
            broken.append(why)
            continue
        done = context.run([path], 90)
        context.findings.log(f"--- {program.name} (exit code {done.returncode})\n{done.output}")
        verdicts, found = parse_probe(done.output)
        kinds += [kind for kind, _, _ in verdicts]
        figures += found
        record.say(*[f"| {program.name} | {point} | {kind} | {seen} |" for kind, point, seen in verdicts])
        record.data(**{program.name: {"verdicts": verdicts, "figures": found}})
        if done.returncode == 77 and context.rehearse:
            record.say(f"| {program.name} | | | built; says that there is no GPU |")
        elif done.returncode != 0:
            broken.append(f"{program.name}: ended with {done.returncode}: {last_line(done.output)}")
    if figures:
        record.quietly("", "| figure | value | |", "|---|---:|---|")
        record.quietly(*[f"| {name} | {value:.4g} | {unit} |" for name, value, unit in figures])
    record.say(*[f"- {line}" for line in broken])
    text = ", ".join(f"{kinds.count(kind)} {kind.lower()}" for kind in ("VERIFIED", "REFUTED", "UNTESTABLE"))
    if context.rehearse:
        text = f"{len(wanted)} probes built"
    outcome = "ok" if not broken else "partial" if kinds and not context.rehearse else "failed"
    record.end(outcome, text + (f"; {len(broken)} broken" if broken else ""))


def probes(context, record):
    """The points about CUDA that nobody had verified."""
    wanted = programs.probes(context.gpu_tools(), context.quick)
    probe(context, record, [p for p in wanted if p.name != programs.LAST_PROBE])


def transfer(context, record):
    """What moving memory costs without situ."""
    if context.quick:
        return record.end("skipped", "by --quick")
    wanted = programs.probes(context.gpu_tools(), context.quick)
    probe(context, record, [p for p in wanted if p.name == programs.LAST_PROBE])


def parse_probe(output):
    """([(kind, point, seen)], [(name, value, unit)]) of what a probe printed."""
    verdicts, figures = [], []
    for line in output.splitlines():
        fields = line.split("\t")
        if fields[0] in ("VERIFIED", "REFUTED", "UNTESTABLE") and len(fields) == 3:
            verdicts.append(tuple(f.replace("|", "/") for f in fields))
        elif fields[0] == "FIGURE" and len(fields) == 4:
            figures.append((fields[1], float(fields[2]), fields[3]))
    return verdicts, figures


def parse_doctest(output):
    """(cases, passed, failed) from doctest's last lines, None when it printed none: the program died."""
    found = re.findall(r"test cases:\s*(\d+)\s*\|\s*(\d+) passed\s*\|\s*(\d+) failed", output)
    return tuple(map(int, found[-1])) if found else None


def conformance(context, record):
    """The tests of the backend, file by file, so that one that dies costs no other."""
    files = context.test_programs(record)
    runs = [({"SITU_CUDA_DEVICES": "0,0"}, files)]
    if not context.rehearse and count_gpus() > 1:
        runs.append(({"SITU_CUDA_DEVICES": "0,1"}, files))
    few = [f for f in files if f[2].stem in BOTH_LAUNCH_PATHS]
    runs.append(({"SITU_CUDA_DEVICES": "0,0", "SITU_LAUNCH": "runtime"}, few))
    if context.rehearse:
        runs = [({"SITU_EMULATED_ORDER": "late"}, files), ({"SITU_CUDA_DEVICES": "0,0"}, few)]
        runs = runs[:1] if context.quick else runs
    passed = failed = died = 0
    results = []
    record.say("| environment | tests | cases | passed | failed |", "|---|---|---:|---:|---:|")
    for environment, chosen in runs:
        shown = " ".join(f"{k}={v}" for k, v in environment.items())
        for name, program, source in chosen:
            if context.left() < 3:
                record.say(f"| {shown} | {name}: {source.stem} | no time was left | | |")
                died += 1
                continue
            command = test_command(program, source)
            done = context.run(command, 180, environment)
            counts = parse_doctest(done.output)
            if counts is None or counts[0] == 0 or done.returncode != 0:
                context.findings.log(f"--- {shown} {' '.join(map(str, command))} ({done.returncode})\n{done.output}")
            results.append([shown, name, source.stem, counts])
            record.data(results=results)
            if counts is None:
                died += 1
                record.say(f"| {shown} | {name}: {source.stem} | died with {done.returncode} | | |")
                continue
            passed, failed = passed + counts[1], failed + counts[2]
            record.say(f"| {shown} | {name}: {source.stem} | {counts[0]} | {counts[1]} | {counts[2]} |")
    headline = f"{passed} test cases passed, {failed} failed" + (f", {died} died or were not run" if died else "")
    record.end("ok" if passed and not failed and not died else "failed", headline)


def count_gpus():
    done = run_limited(["nvidia-smi", "--query-gpu=index", "--format=csv,noheader"], 60)
    return len(done.output.split()) if done.returncode == 0 else 0


def cmake(context, record):
    """The same through CMake, as users build it: the target `gpu` and its tests."""
    if not shutil.which("cmake"):
        return record.end("skipped", "no cmake")
    if not context.rehearse and context.left() < CMAKE_SECONDS:
        return record.end("skipped", f"less than {CMAKE_SECONDS} s are left")
    folder = context.folder / "cmake"
    environment = {}
    if context.deps:
        prefixes = (Path(context.deps).resolve() / "usr", Path(context.deps).resolve())
        environment["CMAKE_PREFIX_PATH"] = ":".join(map(str, prefixes))
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    backend = "EMULATED" if context.rehearse else "ON"
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DSITU_BUILD_EXAMPLES=OFF", f"-DSITU_CUDA={backend}"]
    done = context.run(["cmake", "-S", ROOT, "-B", folder, *options, *generator], environment=environment)
    context.findings.log(f"--- cmake configure ({done.returncode})\n{done.output}")
    if done.returncode != 0:
        record.code(done.output, 15)
        return record.end("failed", "does not configure")
    if context.rehearse:
        return record.end("ok", "configures (a rehearsal builds nothing with it)")
    keep = ["-k", "0"] if generator else ["-k"]
    jobs = str(toolchain.processors())
    command = ["cmake", "--build", folder, "--target", "gpu", "-j", jobs, "--", *keep]
    done = context.run(command, context.left(60), environment)
    context.findings.log(f"--- cmake build ({done.returncode})\n{done.output}")
    record.say(f"- build of the target `gpu`: exit code {done.returncode} after {done.seconds:.0f} s")
    command = ["ctest", "--test-dir", folder, "-L", "gpu", "--no-tests=error"]
    tested = context.run(command, environment={**environment, "SITU_REQUIRE_CUDA": "1"})
    context.findings.log(f"--- ctest ({tested.returncode})\n{tested.output}")
    record.code(tested.output, 20)
    found = re.findall(r"(\d+% tests passed.*)", tested.output)
    clean = done.returncode == 0 and tested.returncode == 0
    record.end("ok" if clean else "failed", found[-1] if found else "no tests ran")
