# SPDX-License-Identifier: Apache-2.0
"""The stages of scripts/gpu_hour that run the tests under compute-sanitizer, one stage a tool. The caching pool is
switched off, so that the tool sees every allocation. Whether a stage is clean is what the tool says alone: what the
tests say is the business of `conformance`."""

import concurrent.futures
import re
import shutil

from context import test_command
from stages import parse_doctest

# Errors of calls are what some tests are about.
OPTIONS = {
    "memcheck": ["--leak-check", "no", "--report-api-errors", "no"],
    "racecheck": [],
    "initcheck": [],
    "synccheck": [],
}
# Files whose kernels have barriers and shared memory: all that racecheck and synccheck can find something in, and the
# first of the others.
SHARED = ["reduce", "softmax", "sort", "scan", "copy", "gather", "product", "convolution"]
# Not under a tool: they are about errors, about how much memory there is, or about what happens at the same time.
LEFT_OUT = ["checkpoint", "devices", "errors", "loader", "memory", "model", "pending", "streams", "threads"]
REFUSALS = [
    "Device not supported",
    "device is not supported",
    "Unable to launch",
    "No attachable process",
    "Target application terminated before first instrumented",
]


def parse(output):
    """(findings or None, refusal or ""): how many errors the tool counts, or in which words it refused."""
    refusal = next(
        (line.strip("= \n") for line in output.splitlines() if any(r.lower() in line.lower() for r in REFUSALS)), ""
    )
    counts = [int(n) for n in re.findall(r"ERROR SUMMARY: (\d+) error", output)]
    counts += [int(n) for n in re.findall(r"RACECHECK SUMMARY: (\d+) hazard", output)]
    return (sum(counts) if counts and not refusal else None), refusal


def kinds(output):
    """The first line of each kind of finding, with how often it came."""
    found = {}
    for line in output.splitlines():
        text = line.strip("= ").strip()
        if line.startswith("=========") and re.match(
            r"(Invalid|Uninitialized|Error: |Warning: |Barrier error|Divergent|Misaligned|Program hit|Host access)",
            text,
        ):
            key = re.sub(r"0x[0-9a-f]+|\(\d+,\d+,\d+\)|\d+", "N", text)
            found[key] = found.get(key, 0) + 1
    return sorted(found.items(), key=lambda item: -item[1])


def chosen(tool, files):
    """The files that a tool is for, those that it may find something in first."""
    files = [f for f in files if f[2].stem not in LEFT_OUT]
    if tool in ("racecheck", "synccheck"):
        files = [f for f in files if f[2].stem in SHARED]
    rank = {stem: i for i, stem in enumerate(SHARED)}
    return sorted(files, key=lambda f: (f[0] == "conformance", rank.get(f[2].stem, len(rank))))


def sanitize(tool, context, record):
    installed = shutil.which("compute-sanitizer")
    if not installed and not context.rehearse:
        return record.end("skipped", "compute-sanitizer is not installed")
    files = context.test_programs(record)
    files = files if context.quick else chosen(tool, files)
    if context.rehearse:  # tries this stage's own code: the program runs emulated and the tool's last line is made up
        wrapper = ["sh", "-c", '"$@"; code=$?; echo "========= ERROR SUMMARY: 0 errors"; exit $code', "sh"]
    else:
        wrapper = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "99", *OPTIONS[tool]]
    environment = {"SITU_CUDA_POOL": "off", "SITU_CUDA_DEVICES": "0,0"}
    shown = "a stand-in for the tool" if context.rehearse else " ".join(wrapper)
    record.say(f"`{shown}`, {' '.join(f'{k}={v}' for k, v in environment.items())}", "")
    record.say("| tests | findings | test cases | seconds |", "|---|---:|---:|---:|")

    def one(file):
        _, program, source = file
        command = [*wrapper, *test_command(program, source)]
        return None if context.left() < 10 else context.run(command, None, environment)

    found = clean = unfinished = 0
    refused, listed = "", []
    # A few at a time: the tools slow the host's side down more than the GPU's.
    with concurrent.futures.ThreadPoolExecutor(2 if context.rehearse else 4) as pool:
        for (name, _, source), done in zip(files, pool.map(one, files)):
            title = f"{name}: {source.stem}"
            if done is None:
                unfinished += 1
                record.say(f"| {title} | no time was left | | |")
                continue
            findings, refusal = parse(done.output)
            counts = parse_doctest(done.output)
            cases = f"{counts[1]} passed, {counts[2]} failed" if counts else "the program did not end"
            if findings != 0 or not counts:
                context.findings.log(f"--- {tool} {title} ({done.returncode})\n{done.output}")
            if findings is None or (findings == 0 and not counts):
                unfinished += 1
                refused = refused or refusal
                why = refusal or ("stopped" if done.timed_out else "no summary" if findings is None else "none before")
                record.say(f"| {title} | {why} | {cases} | {done.seconds:.0f} |")
                continue
            found += findings
            clean += findings == 0
            record.say(f"| {title} | {findings} | {cases} | {done.seconds:.0f} |")
            for text, count in kinds(done.output)[:8]:
                listed.append(f"- {title}: {count} times `{text[:200]}`")
            record.data(findings=found, clean=clean, kinds=listed)
    record.say("", *listed)
    headline = f"{found} findings, {clean} of {len(files)} test files clean"
    headline += f", {unfinished} without a result" if unfinished else ""
    headline += f"; the tool refuses the device: {refused}" if refused else ""
    if refused and not clean:
        outcome = "skipped"
    else:
        outcome = "failed" if found or not clean else "partial" if unfinished else "ok"
    record.end(outcome, headline)
