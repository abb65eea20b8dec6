# SPDX-License-Identifier: Apache-2.0
"""Which stages scripts/gpu runs in the minutes that it is given, in which order, and how long each may take."""

import signal
import time
import traceback

import measurements
import probing
import sanitizers
import tests
import toolchain
from context import TooMuchToCompile

PLANNED = 9 * 60  # seconds that the limits below are for; with more time each stage may take as much more


def tool(name):
    return lambda context, record: sanitizers.sanitize(name, context, record)


# Name: (function, seconds, what it finds out), by value. A stage that ends early leaves its time to those after it: the
# first has the time that a cold machine may take to load a driver and libraries of a gigabyte.
STAGES = {
    "smoke": (tests.smoke, 90, "one kernel, one product, one copy each way: whether anything works"),
    "machine": (probing.machine, 20, "GPU, driver, clocks, tools"),
    "tests": (tests.tests, 180, "all tests, eight at a time; those about memory and time alone; failures under memcheck"),
    "probes": (probing.probes, 45, "points about CUDA that the design relies on and nobody had verified"),
    "rows": (measurements.rows, 85, "the benchmark beside bare copies, bare launches and cuBLASLt"),
    "memcheck": (tool("memcheck"), 60, "a dozen files of tests under compute-sanitizer, without the caching pool"),
    "racecheck": (tool("racecheck"), 50, "those with shared memory"),
    "profile": (measurements.profile, 70, "what Nsight Compute says of the kernels of five rows"),
    "peers": (measurements.peers, 80, "rows that matter, beside PyTorch"),
    "other_ways": (tests.other_ways, 40, "tests by the runtime's launches, convolutions without cuDNN"),
    "movement": (measurements.movement, 90, "transfers beside bare copies, overlap"),
    "rates": (measurements.rates, 90, "copy rate, sweep of vector widths, costs of launches"),
    "initcheck": (tool("initcheck"), 60, "the dozen again"),
    "synccheck": (tool("synccheck"), 60, "those with shared memory again"),
    "transfer": (probing.transfer, 90, "what transfers cost without situ"),
}
ENDS_ALL = "smoke"  # where this fails, nothing else is worth the time


class OutOfTime(Exception):
    pass


def run_stage(name, context, seconds):
    """Runs one stage; whatever goes wrong in it ends it only."""
    record = context.findings.stage(name)
    context.deadline = time.monotonic() + seconds
    print(f"\n== {name} (at most {seconds:.0f} s)", flush=True)

    def stop(*_):
        raise OutOfTime()

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(int(seconds) + 5)  # the stages keep their own time; this is for one that does not
    try:
        try:
            STAGES[name][0](context, record)
        finally:
            signal.alarm(0)
    except OutOfTime:
        record.end("failed", f"stopped after {seconds:.0f} s")
    except TooMuchToCompile as refused:
        record.end("stopped", f"{refused}")
    except toolchain.Missing as missing:
        record.end("skipped", f"not there: {missing}")
    except Exception:
        context.findings.log(traceback.format_exc())
        record.end("failed", traceback.format_exc().strip().splitlines()[-1])
    if record.record["outcome"] == "running":
        record.end("failed", "it said nothing")
    return record.record["outcome"]


def limits(wanted, total):
    """{stage: seconds}: what is planned, or more where there is more time than that, or fewer stages."""
    scale = max(1.0, total / min(PLANNED, sum(STAGES[name][1] for name in wanted)))
    return {name: STAGES[name][1] * scale for name in wanted}


def run(wanted, context, end, total, done=()):
    """Runs stages until `end`. The exit code: 1 if one failed, 3 if one would have to compile too much."""
    context.scale = max(1.0, total / PLANNED) * (10 if context.rehearse else 1)
    outcomes = {}
    most = limits(wanted, total)
    for name in wanted:
        if name in done and name != ENDS_ALL and context.findings.stages.get(name, {}).get("outcome") == "ok":
            outcomes[name] = "ok"
            print(f"\n== {name}: done before", flush=True)
            continue
        seconds = min(most[name] * (10 if context.rehearse else 1), end - time.monotonic() - 3)
        if seconds < 5:
            if name not in context.findings.stages:
                context.findings.stage(name).end("skipped", "no time was left")
            continue
        outcomes[name] = run_stage(name, context, seconds)
        if name == ENDS_ALL and outcomes[name] != "ok":  # also of a second run: the first may have broken something
            outcomes[name] = "stopped" if outcomes[name] == "stopped" else "failed"
            break
    if "stopped" in outcomes.values():
        return 3
    wrong = ("failed", "partial") if context.rehearse else ("failed",)
    return 1 if any(outcome in wrong for outcome in outcomes.values()) else 0
