# SPDX-License-Identifier: Apache-2.0
"""The stages of scripts/gpu that run tests: `smoke`, `tests`, and `other_ways`, a few of them with other settings."""

import concurrent.futures
import re

import programs
import sanitizers
from context import last_line, last_test, parse_doctest

TWO_ON_ONE = {"SITU_CUDA_DEVICES": "0,0"}  # the tests name two GPUs
EMULATED = {"SITU_EMULATED_ORDER": "late"}  # which has two, and streams that run as late as they may
# They look at how much memory there is, at time, or at what happens at the same time.
ALONE = ("memory", "devices", "errors", "streams", "threads", "loader", "device_log", "pending")
AT_A_TIME = 8  # of the others: the memory of a GPU holds as many, and 16 processors run them
SECONDS = {"together": 70, "alone": 30, "memcheck": 60}  # that one file may take
# Few files whose kernels are launched in every way, for the second launch path; and convolutions without cuDNN.
OTHER_WAYS = [
    ({"SITU_LAUNCH": "runtime"}, ("elementwise", "graph", "reduce", "sort", "streams", "threads")),
    ({"SITU_CUDNN": "0"}, ("convolution",)),
]


def smoke(context, record):
    """Whether the GPU can be used at all."""
    path, why = context.program("smoke", programs.smoke)
    if not path:
        return record.end("failed", why)
    done = context.run([path])
    context.findings.log(f"--- smoke ({done.returncode})\n{done.output}")
    record.end("ok" if done.returncode == 0 else "failed", last_line(done.output))


def count_cases(context, test, program):
    """How many test cases a file has, as its program lists them; None where it does not start."""
    done = context.run([*test.command(program), "--list-test-cases"], 60)
    found = re.search(r"passing the current filters: (\d+)", done.output)
    return int(found.group(1)) if found and done.returncode == 0 else None


def estimate(seconds, at_a_time=AT_A_TIME):
    """Seconds that tests take that many at a time, begun in this order, on as many processors."""
    ends = [0.0] * at_a_time
    for each in seconds:
        ends[ends.index(min(ends))] += each
    return max(ends)


class Run:
    """One file in one environment, and what came of it."""

    def __init__(self, context, test, seconds, more=None, wrapper=()):
        self.context, self.test, self.seconds, self.wrapper = context, test, seconds, list(wrapper)
        self.more = more or {}
        self.environment = {**(EMULATED if context.rehearse else TWO_ON_ONE), **self.more}
        self.name = " ".join([test.name, *(f"{name}={value}" for name, value in self.more.items())])
        self.done = self.counts = None
        self.why = ""

    def __call__(self):
        if self.context.left() < 3:
            self.why = "no time was left"
            return self
        path, self.why = self.context.test_program(self.test.program)
        if path:
            command = [*self.wrapper, *self.test.command(path)]
            self.done = self.context.run(command, self.seconds * self.context.scale, self.environment)
            self.counts = parse_doctest(self.done.output)
        return self

    @property
    def passed(self):
        return bool(self.counts and self.counts[0] and not self.counts[2] and self.done.returncode == 0)

    def says(self):
        """The end of its line in the table."""
        if not self.done:
            return f"{self.why} | | |"
        if self.done.timed_out:
            return f"stopped after {self.done.seconds:.0f} s{last_test(self.done.output)} | | |"
        if not self.counts or self.done.returncode < 0:
            return f"died with {self.done.returncode}{last_test(self.done.output)} | | |"
        return f"{self.counts[0]} | {self.counts[1]} | {self.counts[2]} |"


def begin_table(context, record, runs, todo):
    """With what passed before on this tree and device, which is not run again."""
    if len(todo) < len(runs):
        record.say(f"{len(runs) - len(todo)} files passed before.", "")
    record.quietly("| tests | cases | passed | failed | seconds |", "|---|---:|---:|---:|---:|")
    for run in runs:
        if context.findings.passed(record.name, run.name):
            item = context.findings.items[record.name][run.name]
            record.quietly(f"| {run.name} | {item['cases'][0]} | {item['cases'][1]} | {item['cases'][2]} | {item['seconds']} |")


def run_all(context, record, runs, at_a_time):
    """Runs them, so many at a time; each is written down as it ends. Those that failed."""
    failed = []
    with concurrent.futures.ThreadPoolExecutor(at_a_time) as pool:
        for future in concurrent.futures.as_completed([pool.submit(run) for run in runs]):
            run = future.result()
            seconds = round(run.done.seconds, 1) if run.done else 0
            if run.done or not context.findings.failed(record.name, run.name):  # else what it was before says more
                record.item(run.name, run.passed, seconds=seconds, cases=run.counts, why=run.why)
            if run.passed:
                record.quietly(f"| {run.name} | {run.says()} {seconds} |")
                continue
            record.say(f"| {run.name} | {run.says()} {seconds} |")
            failed.append(run)
            if run.done:
                shown = " ".join(f"{k}={v}" for k, v in run.environment.items())
                context.findings.log(f"--- {shown} {run.name} ({run.done.returncode})\n{run.done.output}")
    return failed


def under_memcheck(context, record, failed):
    """What compute-sanitizer says of the files that failed: last of those that hung, and will again."""
    wrapper = sanitizers.wrapper("memcheck", context.rehearse)
    if not wrapper:
        return

    def again(run):
        return Run(context, run.test, SECONDS["memcheck"], {**run.more, **sanitizers.ENVIRONMENT}, wrapper)()

    todo = sorted((run for run in failed if run.done), key=lambda run: run.done.timed_out)
    with concurrent.futures.ThreadPoolExecutor(sanitizers.AT_A_TIME) as pool:
        for run, checked in zip(todo, pool.map(again, todo)):
            if not checked.done:
                continue
            output = checked.done.output
            findings, refusal = sanitizers.parse(output)
            said = refusal or ("no summary" if findings is None else f"{findings} findings")
            kinds = "; ".join(f"{count} times {text[:120]}" for text, count in sanitizers.kinds(output)[:3])
            context.findings.log(f"--- memcheck {run.name}\n{output}")
            record.say(f"- memcheck of {run.name}: {said}{'; ' + kinds if kinds else ''}")


def tests(context, record):
    """All tests of the backend: most of them several at a time, with a limit for each, the others alone."""
    files = context.test_files()
    runs = [Run(context, test, SECONDS["alone" if test.stem in ALONE else "together"]) for test in files]
    seconds = lambda run: context.findings.items.get(record.name, {}).get(run.name, {}).get("seconds", 0)  # noqa: E731
    todo = context.findings.left(record.name, sorted(runs, key=lambda run: -seconds(run)), lambda run: run.name)
    begin_table(context, record, runs, todo)
    at_a_time = context.jobs or AT_A_TIME
    together = [run for run in todo if run.test.stem not in ALONE]
    failed = run_all(context, record, together, at_a_time)
    failed += run_all(context, record, [run for run in todo if run.test.stem in ALONE], 1)
    under_memcheck(context, record, failed)
    if context.rehearse:
        alone = sum(seconds(run) for run in runs if run.test.stem in ALONE)
        others = [seconds(run) for run in runs if run.test.stem not in ALONE]
        record.say("", f"{AT_A_TIME} at a time on as many idle processors: {estimate(others) + alone:.0f} s.")
    summarise(context, record, runs, failed)


def summarise(context, record, runs, failed):
    items = [context.findings.items.get(record.name, {}).get(run.name, {}) for run in runs]
    cases = [item["cases"] for item in items if item.get("cases")]
    passed = sum(item.get("passed", False) for item in items)
    headline = f"{passed} of {len(runs)} files pass, {sum(c[1] for c in cases)} test cases passed, {sum(c[2] for c in cases)} failed"
    if failed:
        headline += f"; not: {', '.join(run.name for run in failed)}"
    record.end("ok" if passed == len(runs) and runs else "failed", headline)


def other_ways(context, record):
    """A few files by the other launch path, and without cuDNN."""
    files = context.test_files()
    runs = [
        Run(context, test, SECONDS["together"], environment)
        for environment, stems in OTHER_WAYS
        for test in files
        if test.stem in stems and test.name.startswith("cuda/")
    ]
    todo = context.findings.left(record.name, runs, lambda run: run.name)
    begin_table(context, record, runs, todo)
    failed = run_all(context, record, todo, context.jobs or AT_A_TIME)
    if not runs:
        return record.end("skipped", "none of these files is there")
    summarise(context, record, runs, failed)
