# SPDX-License-Identifier: Apache-2.0
"""The stages of scripts/gpu_hour that run the tests under compute-sanitizer, one stage a tool. The caching pool is
switched off, so that the tool sees every allocation."""

import concurrent.futures
import re
import shutil
from pathlib import Path

from toolchain import run_limited

OPTIONS = {"memcheck": ["--leak-check", "no"], "racecheck": [], "initcheck": [], "synccheck": []}
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


def sanitize(tool, context, record):
    programs = context.test_programs(record)
    stand_in = context.rehearse and not shutil.which("compute-sanitizer")
    if stand_in:  # tries this stage's own code: the program runs emulated and the tool's last line is made up
        wrapper = ["sh", "-c", '"$@"; code=$?; echo "========= ERROR SUMMARY: 0 errors"; exit $code', "sh"]
    elif not shutil.which("compute-sanitizer"):
        return record.end("skipped", "compute-sanitizer is not installed")
    else:
        wrapper = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "99", *OPTIONS[tool]]
    jobs = [(name, program, source) for name, (program, sources) in programs.items() for source in sources]
    environment = {"SITU_CUDA_POOL": "off", "SITU_CUDA_DEVICES": "0,0"}
    record.say(
        f"`{' '.join(wrapper[:5])}`, SITU_CUDA_POOL=off, SITU_CUDA_DEVICES=0,0"
        + (" (a stand-in for the tool)" if stand_in else ""),
        "",
        "| tests | findings | test cases | seconds |",
        "|---|---:|---:|---:|",
    )

    def one(job):
        name, program, source = job
        if context.left() < 10:
            return job, None
        command = [*wrapper, program, "--no-version", f"--source-file=*/{source.parent.name}/{source.name}"]
        return job, run_limited(command, context.left(), environment)

    total = clean = unfinished = failing = 0
    refused = ""
    # A few at a time: the tools slow the host's side down more than the GPU's.
    with concurrent.futures.ThreadPoolExecutor(2 if context.rehearse else 4) as pool:
        for (name, _, source), done in pool.map(one, jobs):
            title = f"{name}: {Path(source).stem}"
            if done is None:
                unfinished += 1
                record.say(f"| {title} | no time was left | | |")
                continue
            findings, refusal = parse(done.output)
            cases = re.findall(r"test cases:\s*(\d+)\s*\|\s*(\d+) passed\s*\|\s*(\d+) failed", done.output)
            shown = f"{cases[-1][1]} passed, {cases[-1][2]} failed" if cases else "the program did not end"
            if findings is None:
                unfinished += 1
                refused = refused or refusal
                context.findings.log(f"--- {tool} {title} ({done.returncode})\n{done.output[-6000:]}")
                why = refusal or ("stopped" if done.timed_out else "no summary")
                record.say(f"| {title} | {why} | {shown} | {done.seconds:.0f} |")
                continue
            total += findings
            clean += findings == 0
            failing += not cases or cases[-1][2] != "0"
            record.say(f"| {title} | {findings} | {shown} | {done.seconds:.0f} |")
            if findings or failing:
                context.findings.log(f"--- {tool} {title} ({done.returncode})\n{done.output[-30000:]}")
            if findings:
                record.quietly("")
                record.quietly(
                    *[f"- {title}: {count} times `{text[:200]}`" for text, count in kinds(done.output)[:8]], ""
                )
            record.data(findings=total)
    headline = f"{total} findings, {clean} of {len(jobs)} test files clean"
    if unfinished:
        headline += f", {unfinished} without a result"
    if refused:
        headline += f"; the tool refuses the device: {refused}"
    if failing:
        headline += f"; tests failed in {failing}"
    outcome = (
        "skipped"
        if refused and not clean
        else "failed" if total or failing or not clean else "partial" if unfinished else "ok"
    )
    record.end(outcome, headline)
