# SPDX-License-Identifier: Apache-2.0
"""The stages of scripts/gpu that run tests under compute-sanitizer, one stage a tool. The caching pool is switched off,
so that the tool sees every allocation. Whether a stage is clean is what the tool says alone: what the tests say is the
business of the stage `tests`."""

import concurrent.futures
import re
import shutil

from context import parse_doctest

ENVIRONMENT = {"SITU_CUDA_POOL": "off", "SITU_CUDA_DEVICES": "0,0"}
AT_A_TIME = 6  # the tools slow the host's side down more than the GPU's
SECONDS = 90  # that one file may take

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
# After them those whose kernels have many strides and bounds. All others only when a stage of a tool is asked for alone.
DOZEN = [*SHARED, "together", "expressions", "elementwise", "fft"]
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


def wrapper(tool, rehearse):
    """What a program is started by; None where the tool is not installed. In a rehearsal a stand-in, which says what the
    tool says at its end."""
    if rehearse:
        return ["sh", "-c", '"$@"; code=$?; echo "========= ERROR SUMMARY: 0 errors"; exit $code', "sh"]
    if not shutil.which("compute-sanitizer"):
        return None
    return ["compute-sanitizer", "--tool", tool, "--error-exitcode", "99", *OPTIONS[tool]]


def chosen(tool, files, alone):
    """The files that a tool is for, those that it may find something in first."""
    files = [f for f in files if f.stem not in LEFT_OUT]
    if tool in ("racecheck", "synccheck"):
        files = [f for f in files if f.stem in SHARED]
    elif not alone:
        files = [f for f in files if f.stem in DOZEN]
    rank = {stem: i for i, stem in enumerate(DOZEN)}
    return sorted(files, key=lambda f: (f.name.startswith("conformance"), rank.get(f.stem, len(rank))))


def sanitize(tool, context, record):
    command = wrapper(tool, context.rehearse)
    if not command:
        return record.end("skipped", "compute-sanitizer is not installed")
    files = context.test_files()
    files = files if context.quick else chosen(tool, files, context.asked_alone)
    shown = "a stand-in for the tool" if context.rehearse else " ".join(command)
    record.say(f"`{shown}`, {' '.join(f'{k}={v}' for k, v in ENVIRONMENT.items())}", "")
    record.say("| tests | findings | test cases | seconds |", "|---|---:|---:|---:|")
    todo = context.findings.left(tool, files, lambda test: test.name)
    listed, refused = [], ""

    def one(test):
        path, _ = context.test_program(test.program)
        if not path or context.left() < 10:
            return test, None
        return test, context.run([*command, *test.command(path)], SECONDS * context.scale, ENVIRONMENT)

    with concurrent.futures.ThreadPoolExecutor(context.jobs or AT_A_TIME) as pool:
        for future in concurrent.futures.as_completed([pool.submit(one, test) for test in todo]):
            test, done = future.result()
            if done is None:
                record.say(f"| {test.name} | no time was left | | |")
                continue
            findings, refusal = parse(done.output)
            counts = parse_doctest(done.output)
            cases = f"{counts[1]} passed, {counts[2]} failed" if counts else "the program did not end"
            if findings != 0 or not counts:
                context.findings.log(f"--- {tool} {test.name} ({done.returncode})\n{done.output}")
            refused = refused or refusal
            result = findings
            if findings is None or (findings == 0 and not counts):
                result = refusal or ("stopped" if done.timed_out else "no summary" if findings is None else "none before")
            record.say(f"| {test.name} | {result} | {cases} | {done.seconds:.0f} |")
            before = context.findings.items.get(tool, {}).get(test.name, {}).get("findings", 0)
            found = before if findings is None else findings  # stopped: it did not come as far as before
            record.item(test.name, result == 0, findings=found, seconds=round(done.seconds, 1))
            listed += [f"- {test.name}: {count} times `{text[:200]}`" for text, count in kinds(done.output)[:8]]
    record.say("", *listed)
    items = [context.findings.items.get(tool, {}).get(test.name, {}) for test in files]
    clean, found = sum(i.get("passed", False) for i in items), sum(i.get("findings", 0) for i in items)
    headline = f"{found} findings, {clean} of {len(files)} test files clean"
    headline += f"; the tool refuses the device: {refused}" if refused else ""
    if refused and not clean:
        outcome = "skipped"
    else:
        outcome = "failed" if found or not clean else "partial" if clean < len(files) else "ok"
    record.end(outcome, headline)
