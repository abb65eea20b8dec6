# SPDX-License-Identifier: Apache-2.0
"""The stages of scripts/gpu that ask what a machine has, and that run the programs which call CUDA themselves."""

import re
import shutil
from pathlib import Path

import programs
from context import last_line
from limited import run_limited

QUESTIONS = [
    ["nvidia-smi", "--query-gpu=index,name,driver_version,memory.total,compute_cap", "--format=csv,noheader"],
    ["nvidia-smi", "--query-gpu=clocks.sm,clocks.mem,clocks.max.sm,temperature.gpu,power.draw", "--format=csv,noheader"],
    ["nvidia-smi", "--query-gpu=compute_mode,mig.mode.current", "--format=csv,noheader"],
    ["nvcc", "--version"],
    ["compute-sanitizer", "--version"],
    ["ncu", "--version"],
    ["cmake", "--version"],
    ["uname", "-srm"],
]


def count_gpus():
    done = run_limited(["nvidia-smi", "--query-gpu=index", "--format=csv,noheader"], 60)
    return len(re.findall(r"^\d+$", done.output, re.MULTILINE)) if done.returncode == 0 else 0


def device():
    """The first GPU, by which findings are kept apart; "" where there is none."""
    done = run_limited(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], 60)
    lines = [line for line in done.output.splitlines() if ", " in line]
    if done.returncode == 0 and lines:
        return lines[0].strip().replace(", ", ", driver ")
    return "a GPU that nvidia-smi does not name" if Path("/dev/nvidiactl").exists() else ""


def machine(context, record):
    """What is there. (PyTorch is asked in the stage that needs it: its import takes seconds.)"""
    record.say(context.archive.describe() if context.archive else "Without an archive.", "")
    for command in QUESTIONS:
        done = context.run(command, 30) if shutil.which(command[0]) else None
        text = [line for line in done.output.strip().splitlines() if line.strip()] if done else []
        shown = [line for line in text if re.search("NVIDIA H|Version|release", line)] or text or ["-"]
        record.say(f"- `{' '.join(command)}`: {shown[0] if done and done.returncode == 0 else 'not there'}")
    missing = [name for name in ("compute-sanitizer", "ncu") if not shutil.which(name)]
    missing = [] if context.rehearse else missing
    headline = f"{count_gpus()} GPU(s)" + (f"; missing: {', '.join(missing)}" if missing else "")
    record.end("partial" if missing else "ok", headline)


def probe(context, record, wanted):
    """Runs probes, and writes what each found as soon as it has."""
    for program in context.findings.left(record.name, wanted, lambda program: program.name):
        if context.left() < 5:
            record.item(program.name, False, why="no time was left")
            continue
        path, why = context.program(program.name, lambda _, made=program: made, context.gpu_tools)
        if not path:
            record.item(program.name, False, why=why)
            continue
        done = context.run([path], 90)
        context.findings.log(f"--- {program.name} (exit code {done.returncode})\n{done.output}")
        verdicts, figures = parse_probe(done.output)
        without = context.rehearse and done.returncode == 77  # a rehearsal has no GPU for it, and it says so
        why = "" if done.returncode == 0 or without else f"ended with {done.returncode}: {last_line(done.output)}"
        record.item(program.name, not why, why=why, verdicts=verdicts, figures=figures)
        print(*[f"{program.name}: {kind} {point}: {seen}" for kind, point, seen in verdicts], sep="\n", flush=True)
    items = {program.name: context.findings.items[record.name][program.name] for program in wanted}
    verdicts = [(name, *verdict) for name, item in items.items() for verdict in item.get("verdicts", [])]
    figures = [figure for item in items.values() for figure in item.get("figures", [])]
    record.quietly("| probe | point | | seen |", "|---|---|---|---|")
    record.quietly(*[f"| {name} | {point} | {kind} | {seen} |" for name, kind, point, seen in verdicts])
    if figures:
        record.quietly("", "| figure | value | |", "|---|---:|---|")
        record.quietly(*[f"| {name} | {value:.4g} | {unit} |" for name, value, unit in figures])
    broken = [f"{name}: {item['why']}" for name, item in items.items() if item["why"]]
    record.say(*[f"- {line}" for line in broken])
    kinds = [kind for _, kind, _, _ in verdicts]
    text = ", ".join(f"{kinds.count(kind)} {kind.lower()}" for kind in ("VERIFIED", "REFUTED", "UNTESTABLE"))
    if context.rehearse:
        text = f"{len(wanted)} probes start"
    outcome = "ok" if not broken else "partial" if kinds else "failed"
    record.end(outcome, text + (f"; {len(broken)} broken" if broken else ""))


def probes(context, record):
    """The points about CUDA that nobody had verified."""
    wanted = programs.probes(context.quick)
    probe(context, record, [p for p in wanted if p.name != programs.LAST_PROBE])


def transfer(context, record):
    """What moving memory costs without situ."""
    wanted = programs.probes(context.quick)
    probe(context, record, [p for p in wanted if p.name == programs.LAST_PROBE])


def parse_probe(output):
    """([(kind, point, seen)], [(name, value, unit)]) of what a probe printed."""
    verdicts, figures = [], []
    for line in output.splitlines():
        fields = line.split("\t")
        if fields[0] in ("VERIFIED", "REFUTED", "UNTESTABLE") and len(fields) == 3:
            verdicts.append(tuple(f.replace("|", "/") for f in fields))
        elif fields[0] == "FIGURE" and len(fields) == 4:
            try:
                figures.append((fields[1], float(fields[2]), fields[3]))
            except ValueError:
                pass  # half a line, of a program that was stopped
    return verdicts, figures


