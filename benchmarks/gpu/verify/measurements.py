# SPDX-License-Identifier: Apache-2.0
"""The stages of scripts/gpu that measure time: rates and launch costs, the benchmark's rows, what the profiler
says of a few kernels, movement."""

import csv
import json
import re
import shutil
import sys

import programs
from context import last_line
from probing import count_gpus, parse_probe
from programs import GPU

# Rows whose kernels the profiler shall explain, and what it is asked for: "metric of ncu": "column".
PROFILED = ["softmax fp32", "layer norm bf16", "sum of the first axis fp32", "gather fp32", "convolution 3x3 fp32"]
ROWS = ("rows", programs.rows)
# Rows worth the time of PyTorch's compiler.
BESIDE_TORCH = "softmax|layer norm|adam|gather|row bias|sum of|training|10 fusable|linear"
METRICS = {
    "Duration": "time",
    "DRAM Throughput": "DRAM",
    "Compute (SM) Throughput": "SM",
    "Registers Per Thread": "registers",
    "Theoretical Occupancy": "occupancy",
    "Achieved Occupancy": "achieved",
    "Local(?: Memory)? Spilling Requests": "spills",
}
SECTIONS = ["SpeedOfLight", "LaunchStats", "Occupancy", "MemoryWorkloadAnalysis", "SchedulerStats", "WarpStateStats"]


def rates(context, record):
    """The copy rate, the sweep of vector widths, and what a launch costs on both paths."""
    if context.quick:
        return record.end("skipped", "by --quick")
    broken = []
    program, why = context.program("sweep", lambda _: programs.sweep(), context.gpu_tools)
    if program:
        done = context.run([program], 200)
        context.findings.log(f"--- sweep ({done.returncode})\n{done.output}")
        sweep = parse_lines(done.output)
        record.data(sweep=sweep)
        record.say(*sweep_table(sweep))
        if done.returncode != 0 and not (context.rehearse and done.returncode == 77):
            broken.append(f"the sweep ended with {done.returncode}")
    else:
        broken.append(f"the sweep: {why}")
    costs = {}
    for label, environment, wanted in [
        ("driver", {"SITU_LAUNCH": "driver"}, ROWS),
        ("runtime", {"SITU_LAUNCH": "runtime"}, ROWS),
        ("driver, pool off", {"SITU_LAUNCH": "driver", "SITU_CUDA_POOL": "off"}, ROWS),
        ("driver, with assertions", {"SITU_LAUNCH": "driver"}, ("rows_overhead", programs.overhead)),
    ]:
        folder = context.folder / "costs"
        options = ["--filter", "host$", "--no-torch", "--rounds", "3"]
        done = context.run(benchmark_command(context, folder, wanted, options), environment=environment)
        context.findings.log(f"--- launch costs, {label} ({done.returncode})\n{done.output}")
        if not (folder / "gpu.json").is_file() or done.returncode not in (0, 1):
            broken.append(f"launch costs, {label}: ended with {done.returncode}")
            continue
        for row, found in json.loads((folder / "gpu.json").read_text())["rows"].items():
            for who, ms in found["ms"].items():
                costs.setdefault(f"{row}: {who}", {})[label] = sorted(ms)[len(ms) // 2] * 1e3
        (folder / "gpu.json").unlink()
        record.data(costs=costs)
    if costs:
        labels = list(dict.fromkeys(label for found in costs.values() for label in found))
        record.say("", "Host microseconds of one call:", "", "| | " + " | ".join(labels) + " |")
        record.say("|---|" + "---:|" * len(labels))
        for name, found in costs.items():
            cells = [f"{found[l]:.2f}" if l in found else "" for l in labels]
            record.say(f"| {name} | " + " | ".join(cells) + " |")
    record.say(*[f"- {line}" for line in broken])
    record.end("ok" if not broken else "partial" if costs or record.record["data"].get("sweep") else "failed", "; ".join(broken))


def parse_lines(output):
    """The lines of JSON; without the half of one that a program leaves when it is stopped."""
    found = []
    for line in output.splitlines():
        if line.startswith("{"):
            try:
                found.append(json.loads(line))
            except ValueError:
                pass
    return found


def sweep_table(sweep):
    """The best variants for each number of leaves and size."""
    lines = ["| elements | leaves | best | of the copy rate | next best |", "|---:|---:|---|---:|---|"]
    copies = {e["count"]: e for e in sweep if e.get("copy")}
    for count, copy in copies.items():
        for leaves in (1, 2, 3):
            found = sorted(
                (e for e in sweep if e.get("leaves") == leaves and e["count"] == count), key=lambda e: e["ms"]
            )
            if found:
                named = [f"{e['bytes']} B x {e['unroll']}, {e['threads']} threads, {e['hint']}" for e in found[:3]]
                lines.append(
                    f"| {count} | {leaves} | {named[0]} | {found[0]['of_copy']:.3f} | "
                    + "; ".join(f"{n} ({e['of_copy']:.3f})" for n, e in list(zip(named, found))[1:])
                    + " |"
                )
    if not copies:
        return ["- the sweep was built; it says that there is no GPU"]
    return lines + ["", *[f"Copy of {c} floats: {e['rate']:.0f} GB/s read and written." for c, e in copies.items()], ""]


def movement(context, record):
    """Transfers beside bare copies, overlap, and the exercises of the book, by benchmarks/gpu/movement.cpp."""
    program, why = context.program("movement", programs.movement)
    if not program:
        return record.end("failed", why)
    variants = [{}]
    if not context.rehearse and count_gpus() == 1:
        variants.append({"SITU_CUDA_DEVICES": "0,0"})  # for the copies between two devices; repeats the rest
    broken, kinds = [], []
    for environment in variants:
        shown = " ".join(f"{k}={v}" for k, v in environment.items()) or "as the machine is"
        done = context.run([program, *(["--small"] if context.rehearse else [])], environment=environment)
        context.findings.log(f"--- movement, {shown} ({done.returncode})\n{done.output}")
        verdicts, figures = parse_probe(done.output)
        record.data(**{shown: {"verdicts": verdicts, "figures": figures}})
        record.say("", f"{shown}:", "", "| point | | seen |", "|---|---|---|")
        record.say(*[f"| {point} | {kind} | {seen} |" for kind, point, seen in verdicts])
        record.quietly("", "| figure | value | |", "|---|---:|---|")
        record.quietly(*[f"| {n.partition(': ')[2]} | {value:.4g} | {unit} |" for n, value, unit in figures])
        kinds += [kind for kind, _, _ in verdicts]
        if done.returncode != 0 or not verdicts:
            broken.append(f"{shown}: ended with {done.returncode}: {last_line(done.output)}")
    record.say(*[f"- {line}" for line in broken])
    text = ", ".join(f"{kinds.count(kind)} {kind.lower()}" for kind in dict.fromkeys(kinds))
    record.end("failed" if not kinds else "partial" if broken else "ok", "; ".join(filter(None, [text, *broken])))


def benchmark_command(context, folder, wanted, more=()):
    """Of benchmarks/gpu/run, with the program `wanted`, which must be there."""
    program, why = context.program(*wanted)
    if not program:
        raise RuntimeError(why)
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, GPU / "run", "--program", program, "--output", folder, "--build", context.folder]
    command += ["--limit", f"{context.left(20):.0f}", *more]
    return command + (["--rehearse"] if context.rehearse else [])


def benchmark(context, record, options):
    """Runs the benchmark into the folder of the findings: rows that are there of this tree and device are kept."""
    options = ["--resume", context.findings.about["tree"], *options]
    caches = {name: str(context.folder / name.lower()) for name in ("TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR")}  # not HOME
    done = context.run(benchmark_command(context, context.output, ROWS, options), environment=caches)
    context.findings.log(f"--- benchmark {' '.join(options)} ({done.returncode})\n{done.output}")
    results = read_results(context.output / "gpu.json")
    if not results or results["tree"] != context.findings.about["tree"]:  # what lies there may be of an earlier run
        record.code(done.output)
        return record.end("skipped" if done.returncode == 77 else "failed", last_line(done.output))
    rows = results["rows"]
    measured = sum(1 for row in rows.values() if "error" not in row)
    record.quietly(*(context.output / "gpu.md").read_text(encoding="utf-8").splitlines()[2:])
    headline = f"{measured} of {len(rows)} rows measured"
    if done.returncode not in (0, 1):
        return record.end("partial" if measured else "failed", f"{headline}; it ended with {done.returncode}: {last_line(done.output)}")
    if "--no-torch" not in options:
        beside = sum(1 for row in rows.values() if row.get("beside_torch"))
        headline += f", {beside} beside PyTorch"
        if not beside:
            why = [line for line in done.output.splitlines() if line.startswith("PyTorch is not measured")]
            return record.end("failed", "; ".join([headline, *why]))
    record.end("ok" if done.returncode == 0 else "partial" if measured else "failed", headline)


def read_results(path):
    """What the benchmark wrote; None where it wrote nothing."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def rows(context, record):
    """Every row of the benchmark beside its floor: bare copies, bare launches, cuBLASLt."""
    benchmark(context, record, ["--no-torch"])


def peers(context, record):
    """The rows that matter again, beside PyTorch, whose compiler takes its time."""
    benchmark(context, record, ["--rounds", "1" if context.rehearse else "3", "--filter", BESIDE_TORCH])


def profile(context, record):
    """What Nsight Compute says of one call of a few rows."""
    if not context.rehearse and not shutil.which("ncu"):
        return record.end("skipped", "ncu is not installed")
    program, why = context.program(*ROWS)
    if not program:
        return record.end("failed", why)
    if context.rehearse:  # without the profiler: whether the program knows the rows, and the command
        done = context.run([program, "--small"], 60, standard_input="".join(map(commands_of, PROFILED)))
        context.findings.log(f"--- profiled rows ({done.returncode})\n{done.output}")
        answers = [line for line in done.output.splitlines() if line == "{}"]
        known = len(answers) == 2 * len(PROFILED)
        return record.end("ok" if known else "failed", f"{len(answers)} answers of {2 * len(PROFILED)}")
    ncu = ["ncu", "--profile-from-start", "off", "--clock-control", "none", "--launch-count", "4", "--csv"]
    for section in SECTIONS:
        ncu += ["--section", section]
    why = ""
    for row in context.findings.left(record.name, PROFILED):
        done = context.run([*ncu, program], 60, standard_input=commands_of(row))
        context.findings.log(f"--- ncu, {row} ({done.returncode})\n{done.output}")
        kernels = parse_ncu(done.output)
        complaints = [line for line in done.output.splitlines() if line.startswith("==ERROR==")]
        why = why if kernels else (complaints or [last_line(done.output)])[0]
        record.item(row, bool(kernels), kernels=kernels)
    items = {row: context.findings.items[record.name][row]["kernels"] for row in PROFILED}
    record.say("| row | kernel | " + " | ".join(METRICS.values()) + " |", "|---|---|" + "---:|" * len(METRICS))
    for row, kernels in items.items():
        for kernel, metrics in kernels:
            cells = [metrics.get(column, "") for column in METRICS.values()]
            record.say(f"| {row} | `{kernel[:120]}` | " + " | ".join(cells) + " |")
    seen = sum(1 for kernels in items.values() if kernels)
    outcome = "ok" if seen == len(PROFILED) else "partial" if seen else "failed"
    record.end(outcome, f"{seen} of {len(PROFILED)} rows" + (f"; {why}" if why else ""))


def commands_of(row):
    return f"prepare {row}\nprofile situ\nrelease\n"


def parse_ncu(output):
    """[(kernel, {column: value with its unit})] of ncu's CSV, which stands among other lines."""
    lines = [line for line in output.splitlines() if line.startswith('"')]
    kernels = {}
    for entry in csv.DictReader(lines):
        key = (entry.get("ID"), (entry.get("Kernel Name") or "").replace("|", "/"))
        metrics = kernels.setdefault(key, {})
        for pattern, column in METRICS.items():
            if re.fullmatch(pattern, entry.get("Metric Name") or ""):
                metrics[column] = f"{entry.get('Metric Value')} {entry.get('Metric Unit') or ''}".strip()
    return [(name, metrics) for (_, name), metrics in kernels.items()]
