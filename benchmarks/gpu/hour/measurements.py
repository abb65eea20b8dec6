# SPDX-License-Identifier: Apache-2.0
"""The stages of scripts/gpu_hour that measure time: rates and launch costs, movement, and the benchmark beside its
peers."""

import json
import sys

import toolchain
from context import GPU
from stages import count_gpus, parse_probe
from toolchain import run_limited


def rates(context, record):
    """The copy rate, the sweep of vector widths, and what a launch costs on both paths."""
    broken = []
    if context.quick:
        return record.end("skipped", "by --quick")
    try:
        tools = context.raw_tools()
        target, _, errors = tools.compile_all([GPU / "sweep.cu"], context.deadline)[GPU / "sweep.cu"]
        program, errors = tools.link([target], "sweep", context.deadline) if target else (None, errors)
    except toolchain.Missing as missing:
        program, errors = None, f"{missing} is missing"
        if not context.rehearse:
            broken.append(errors)
    if program:
        done = run_limited([program], min(200.0, context.left()))
        context.findings.log(f"--- sweep ({done.returncode})\n{done.output}")
        sweep = [json.loads(line) for line in done.output.splitlines() if line.startswith("{")]
        record.data(sweep=sweep)
        if sweep:
            record.say(*sweep_table(sweep))
        elif not (context.rehearse and done.returncode == 77):
            broken.append(f"the sweep ended with {done.returncode}")
        else:
            record.say("- the sweep is built; it says that there is no GPU")
    elif "missing" not in errors:
        context.findings.log(errors)
        broken.append("the sweep does not build")
    costs = {}
    for label, environment in [
        ("driver", {"SITU_LAUNCH": "driver"}),
        ("runtime", {"SITU_LAUNCH": "runtime"}),
        ("driver, pool off", {"SITU_LAUNCH": "driver", "SITU_CUDA_POOL": "off"}),
    ]:
        folder = context.folder / "costs"
        done = run_limited(
            benchmark_command(context, folder, ["--filter", "host$", "--no-torch", "--rounds", "3"]),
            context.left(),
            environment,
        )
        context.findings.log(f"--- launch costs, {label} ({done.returncode})\n{done.output[-4000:]}")
        if (folder / "gpu.json").is_file() and done.returncode in (0, 1):
            for row, found in json.loads((folder / "gpu.json").read_text())["rows"].items():
                for who, ms in found["ms"].items():
                    costs.setdefault(f"{row}: {who}", {})[label] = sorted(ms)[len(ms) // 2] * 1e3
        else:
            broken.append(f"launch costs, {label}: ended with {done.returncode}")
    if costs:
        labels = list(next(iter(costs.values())))
        record.say(
            "",
            "Host microseconds of one call:",
            "",
            "| | " + " | ".join(labels) + " |",
            "|---|" + "---:|" * len(labels),
        )
        record.say(
            *[
                f"| {name} | " + " | ".join(f"{found[l]:.2f}" if l in found else "" for l in labels) + " |"
                for name, found in costs.items()
            ]
        )
        record.data(costs=costs)
    record.say(*[f"- {line}" for line in broken])
    record.end("failed" if broken else "ok", "; ".join(broken))


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
    return lines + ["", *[f"Copy of {c} floats: {e['rate']:.0f} GB/s read and written." for c, e in copies.items()], ""]


def movement(context, record):
    """Transfers beside bare copies, overlap, and the exercises of the book, by benchmarks/gpu/movement.cpp."""
    if context.quick:
        return record.end("skipped", "by --quick")
    tools = context.tools()
    compiled = tools.compile_all([GPU / "movement.cpp", *tools.library_sources()], context.deadline)
    for source, (target, _, errors) in compiled.items():
        if not target:
            context.findings.log(f"--- {source}\n{errors}")
            return record.end("failed", f"{source.name} does not build")
    program, errors = tools.link([target for target, _, _ in compiled.values()], "movement", context.deadline)
    if not program:
        context.findings.log(errors)
        return record.end("failed", "does not link")
    variants = [{}]
    if not context.rehearse and count_gpus() == 1:
        variants.append({"SITU_CUDA_DEVICES": "0,0"})  # for the copies between two devices; repeats the rest
    broken, counts = [], {}
    for environment in variants:
        shown = " ".join(f"{k}={v}" for k, v in environment.items()) or "as the machine is"
        done = run_limited([program, *(["--small"] if context.rehearse else [])], context.left(), environment)
        context.findings.log(f"--- movement, {shown} ({done.returncode})\n{done.output}")
        verdicts, figures = parse_probe(done.output)
        record.data(**{shown: {"verdicts": verdicts, "figures": figures}})
        record.say("", f"{shown}:")
        record.say("", "| point | | seen |", "|---|---|---|", *[f"| {p} | {kind} | {seen} |" for kind, p, seen in verdicts])
        record.quietly(
            "",
            "| figure | value | |",
            "|---|---:|---|",
            *[f"| {name.removeprefix('movement: ')} | {value:.4g} | {unit} |" for name, value, unit in figures],
        )
        for kind, _, _ in verdicts:
            counts[kind] = counts.get(kind, 0) + 1
        if done.returncode != 0 or not verdicts:
            last = (done.output.strip().splitlines() or [""])[-1]
            broken.append(f"{shown}: ended with {done.returncode}: {last}")
    record.say(*[f"- {line}" for line in broken])
    text = ", ".join(f"{n} {kind.lower()}" for kind, n in counts.items())
    record.end("failed" if not counts else "partial" if broken else "ok", "; ".join([text, *broken]))


def benchmark_command(context, folder, more=()):
    command = [
        sys.executable,
        GPU / "run",
        "--build",
        context.folder / ("emulated" if context.rehearse else "gpu"),
        "--output",
        folder,
        "--limit",
        f"{context.left(20):.0f}",
        *more,
    ]
    if context.deps:
        command += ["--deps", context.deps]
    if context.rehearse:
        command += ["--rehearse", "--optimize=-O0"]
    return command


def peers(context, record):
    """The benchmark of every row."""
    done = run_limited(benchmark_command(context, context.output, ["--quick"] if context.quick else []), context.left())
    context.findings.log(f"--- benchmark ({done.returncode})\n{done.output}")
    table = context.output / "gpu.md"
    results = context.output / "gpu.json"
    if results.is_file():
        rows = json.loads(results.read_text())["rows"]
        measured = sum(1 for row in rows.values() if "error" not in row)
        record.quietly(*table.read_text().splitlines()[2:])
        record.end(
            "ok" if done.returncode == 0 else "partial" if measured else "failed",
            f"{measured} of {len(rows)} rows measured",
        )
    else:
        record.code(done.output)
        record.end(
            "skipped" if done.returncode == 77 else "failed", (done.output.strip().splitlines() or ["no output"])[-1]
        )
