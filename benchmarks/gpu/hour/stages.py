# SPDX-License-Identifier: Apache-2.0
"""The stages of scripts/gpu_hour that build and run programs. Each takes the context and its record, and comes back
before the context's deadline."""

import re
import shutil
import time
from pathlib import Path

import toolchain
from context import BENCHMARK, GPU
from toolchain import ROOT, run_limited


def machine(context, record):
    """What is there."""
    questions = [
        ["nvidia-smi", "--query-gpu=index,name,driver_version,memory.total,compute_cap", "--format=csv,noheader"],
        ["nvcc", "--version"],
        ["g++", "--version"],
        ["compute-sanitizer", "--version"],
        ["cmake", "--version"],
        ["python3", "-c", "import torch; print(torch.__version__, torch.cuda.is_available())"],
        ["uname", "-srm"],
        ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"],
    ]
    lines = []
    for command in questions:
        done = run_limited(command, 60)
        text = done.output.strip().splitlines()
        shown = [line for line in text if re.search("release|NVIDIA H|Version", line)] or text or ["-"]
        answer = shown[-1 if command[0] == "nvcc" else 0] if done.returncode == 0 else "not there"
        lines.append(f"- `{' '.join(command).replace(f'-C {ROOT} ', '')}`: {answer}")
    gpus = run_limited(questions[0], 60)
    record.say(*lines)
    count = len(gpus.output.strip().splitlines()) if gpus.returncode == 0 else 0
    record.data(gpus=count)
    record.end("ok" if count or context.rehearse else "failed", f"{count} GPU(s)")


def build(context, record):
    """Which parts compile, and how long each takes."""
    tools = context.tools()
    groups = {
        "compiled part": tools.library_sources(),
        **context.test_sources(),
        "main of the tests": [ROOT / "tests" / "main.cpp"],
        "benchmark": (
            [] if context.quick else BENCHMARK + [GPU / ("peers_emulated.cpp" if tools.emulated else "peers.cu")]
        ),
    }
    record.say(
        f"{tools.describe()}, {toolchain.processors()} processors", "", "| source | | seconds |", "|---|---|---:|"
    )
    failed = total = 0
    for group, sources in groups.items():
        for source, (target, seconds, errors) in tools.compile_all(sources, context.deadline - 30).items():
            total += 1
            failed += target is None
            record.say(f"| {group}: {Path(source).name} | {'compiled' if target else 'FAILED'} | {seconds:.1f} |")
            if errors:
                context.findings.log(f"--- {source}\n{errors}")
                context.compiled[str(source)] = errors
    for source, errors in context.compiled.items():
        first = next(
            (l for l in errors.splitlines() if "error" in l), errors.strip().splitlines()[-1] if errors.strip() else ""
        )
        record.say("", f"{Path(source).name}: `{first[:300]}`")
    programs = context.test_programs(record)
    record.say("", f"Test programs: {', '.join(programs) or 'none'}")
    if context.rehearse and not context.quick:
        failed += not started_without_gpu(context, record)
    record.end("ok" if not failed else "partial", f"{total - failed} of {total} sources compile")


def started_without_gpu(context, record):
    """For a rehearsal: whether the benchmark for a real GPU builds, and says that there is none."""
    try:
        tools = toolchain.Toolchain(False, context.folder / "gpu", context.deps)
    except toolchain.Missing as missing:
        record.say(f"- without nvcc ({missing}), the benchmark is not built for a GPU")
        return True
    compiled = tools.compile_all([*BENCHMARK, GPU / "peers.cu", *tools.library_sources()], context.deadline)
    for source, (target, _, errors) in compiled.items():
        if not target:
            context.findings.log(f"--- {source}\n{errors}")
            record.say(f"- {Path(source).name} does not compile with nvcc")
    if not all(target for target, _, _ in compiled.values()):
        return False
    program, errors = tools.link([target for target, _, _ in compiled.values()], "rows", context.deadline)
    done = run_limited([program], context.left()) if program else None
    context.findings.log(errors or done.output)
    expected = done is not None and done.returncode == (0 if count_gpus() else 77)
    record.say(
        f"- the benchmark for a GPU: {'built, says that there is none' if expected else 'does not link or start'}"
    )
    return expected


def probes(context, record):
    """The points about CUDA that nobody had verified."""
    try:
        tools = context.raw_tools()
    except toolchain.Missing as missing:
        return record.end("skipped", f"{missing} is missing")
    sources = sorted((GPU / "probes").glob("*.cu"))
    if context.quick:
        sources = [GPU / "probes" / "graph.cu"]
    verdicts, figures, broken = [], [], []
    for source, (target, seconds, errors) in tools.compile_all(sources, context.deadline - 60).items():
        program, link_errors = (
            tools.link([target], source.stem, context.deadline, ["cublas"]) if target else (None, errors)
        )
        if not program:
            context.findings.log(f"--- {source}\n{link_errors}")
            broken.append(f"{source.stem}: does not build")
            continue
        done = run_limited([program], min(90.0, context.left()))
        context.findings.log(f"--- {source.stem} (exit code {done.returncode})\n{done.output}")
        found_verdicts, found_figures = parse_probe(done.output)
        verdicts += found_verdicts
        figures += found_figures
        record.data(verdicts=verdicts, figures=figures)
        if done.returncode == 77 and context.rehearse:
            record.say(f"- {source.stem}: built; says that there is no GPU")
        elif done.returncode != 0:
            last = (done.output.strip().splitlines() or [""])[-1]
            broken.append(f"{source.stem}: ended with {done.returncode}: {last}")
        print(f"{source.stem}: {len(found_verdicts)} verdicts, {len(found_figures)} figures", flush=True)
    if verdicts:
        record.say("", "| point | | seen |", "|---|---|---|")
        record.quietly(*[f"| {point} | {kind} | {seen} |" for kind, point, seen in verdicts])
    if figures:
        record.quietly(
            "",
            "| figure | value | |",
            "|---|---:|---|",
            *[f"| {name} | {value:.4g} | {unit} |" for name, value, unit in figures],
        )
    record.say(*[f"- {line}" for line in broken])
    counts = {kind: sum(1 for v in verdicts if v[0] == kind) for kind in ("VERIFIED", "REFUTED", "UNTESTABLE")}
    text = ", ".join(f"{n} {kind.lower()}" for kind, n in counts.items())
    if context.rehearse:
        return record.end(
            "failed" if broken else "ok", f"{len(sources)} probes built" + (f", {len(broken)} broken" if broken else "")
        )
    record.end(
        "failed" if not verdicts else "partial" if broken else "ok",
        text + (f"; {len(broken)} broken" if broken else ""),
    )


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
    programs = context.test_programs(record)
    gpus = 2 if context.rehearse else count_gpus()
    variants = [{"SITU_CUDA_DEVICES": "0,0"}]
    if gpus > 1:
        variants.append({"SITU_CUDA_DEVICES": "0,1"})
    variants.append({"SITU_CUDA_DEVICES": "0,0", "SITU_LAUNCH": "runtime"})
    if context.rehearse:
        variants = [{"SITU_EMULATED_ORDER": "late"}, {"SITU_EMULATED_ORDER": "7"}, {"SITU_CUDA_DEVICES": "0,0"}]
        variants = variants[:1] if context.quick else variants
    all_passed = all_failed = died = 0
    results = []
    record.say("", "| environment | tests | cases | passed | failed |", "|---|---|---:|---:|---:|")
    for environment in variants:
        shown = " ".join(f"{k}={v}" for k, v in environment.items())
        for name, (program, sources) in programs.items():
            for source in sources:
                if context.left() < 3:
                    record.say(f"| {shown} | {name}: {source.stem} | no time was left | | |")
                    died += 1
                    continue
                command = [program, "--no-version", f"--source-file=*/{source.parent.name}/{source.name}"]
                done = run_limited(command, min(180.0, context.left()), environment)
                counts = parse_doctest(done.output)
                if counts is None or counts[0] == 0 or done.returncode != 0:
                    context.findings.log(
                        f"--- {shown} {' '.join(map(str, command))} ({done.returncode})\n{done.output[-20000:]}"
                    )
                if counts is None:
                    died += 1
                    record.say(f"| {shown} | {name}: {source.stem} | died with {done.returncode} | | |")
                    results.append([shown, name, source.stem, None])
                    continue
                all_passed, all_failed = all_passed + counts[1], all_failed + counts[2]
                results.append([shown, name, source.stem, counts])
                record.say(f"| {shown} | {name}: {source.stem} | {counts[0]} | {counts[1]} | {counts[2]} |")
                record.data(results=results)
    headline = f"{all_passed} test cases passed, {all_failed} failed" + (
        f", {died} programs died or were not run" if died else ""
    )
    record.end("ok" if all_passed and not all_failed and not died else "failed", headline)


def count_gpus():
    done = run_limited(["nvidia-smi", "--query-gpu=index", "--format=csv,noheader"], 60)
    return len(done.output.split()) if done.returncode == 0 else 0


def cmake(context, record):
    """The same through CMake, as users build it: the target `gpu` and its tests."""
    if not shutil.which("cmake"):
        return record.end("skipped", "no cmake")
    folder = context.folder / "cmake"
    environment = {}
    if context.deps:
        environment["CMAKE_PREFIX_PATH"] = ":".join(
            str(p) for p in (Path(context.deps).resolve() / "usr", Path(context.deps).resolve())
        )
    configure = [
        "cmake",
        "-S",
        ROOT,
        "-B",
        folder,
        "-DCMAKE_BUILD_TYPE=Release",
        "-DSITU_BUILD_EXAMPLES=OFF",
        f"-DSITU_CUDA={'EMULATED' if context.rehearse else 'ON'}",
    ]
    if shutil.which("ninja"):
        configure += ["-G", "Ninja"]
    done = run_limited(configure, context.left(), environment)
    context.findings.log(f"--- cmake configure ({done.returncode})\n{done.output}")
    if done.returncode != 0:
        record.code(done.output, 15)
        return record.end("failed", "does not configure")
    if context.rehearse:
        return record.end("ok", "configures (a rehearsal builds nothing with it)")
    keep = ["--", "-k", "0"] if shutil.which("ninja") else ["--", "-k"]
    done = run_limited(
        ["cmake", "--build", folder, "--target", "gpu", "-j", str(toolchain.processors()), *keep],
        context.left(60),
        environment,
    )
    context.findings.log(f"--- cmake build ({done.returncode})\n{done.output[-20000:]}")
    record.say(f"- build of the target `gpu`: exit code {done.returncode} after {done.seconds:.0f} s")
    tested = run_limited(
        ["ctest", "--test-dir", folder, "-L", "gpu", "--no-tests=error"],
        context.left(),
        {**environment, "SITU_REQUIRE_CUDA": "1"},
    )
    context.findings.log(f"--- ctest ({tested.returncode})\n{tested.output}")
    record.code(tested.output, 20)
    found = re.findall(r"(\d+% tests passed.*)", tested.output)
    record.end(
        "ok" if done.returncode == 0 and tested.returncode == 0 else "failed", found[-1] if found else "no tests ran"
    )
