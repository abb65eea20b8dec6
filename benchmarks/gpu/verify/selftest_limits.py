# SPDX-License-Identifier: Apache-2.0
"""The part of `scripts/gpu --selftest` that is about programs that misbehave, and about runs that are killed."""

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import types
from pathlib import Path

import findings
import limited
import plan
from sources import ROOT

SOON = 300  # seconds: less than what a fault would wait for, and more than a busy machine needs
STUBBORN = "trap '' TERM; echo begun; while :; do sleep 0.1; done"
LEAVES_A_CHILD = "sleep 600 & echo ended"


def ran(script, limit, most):
    """(exit code, output, whether it took at most so many seconds)"""
    done = limited.run_limited(["sh", "-c", script], limit)
    return done.returncode, done.output, done.seconds < most


def programs():
    """One that hangs and ignores that it is told to end; whose child keeps its output open, in its group or outside of
    it; that says too much, or what is no text."""
    escaped = f"{sys.executable} -c 'import os, time; os.setsid(); time.sleep(600)' & sleep 0.3; echo ended"
    flood = limited.run_limited(["sh", "-c", "echo first; yes"], 2)
    return [
        (ran(STUBBORN, 5, SOON), (124, "begun\n\nstopped after 5 s\n", True)),
        (ran(LEAVES_A_CHILD, 500, SOON), (0, "ended\n", True)),
        (ran(escaped, 500, SOON), (0, "ended\n", True)),
        ((flood.output[:8], len(flood.output) < 4 * limited.MOST_KEPT), ("first\ny\n", True)),
        (ran("printf 'a\\377\\000b'", 500, SOON), (0, "a\ufffd\u2400b", True)),
        (limited.run_limited(["cat"], 500, standard_input="given").output, "given"),
        (limited.run_limited([ROOT / "no such program"], 500).returncode, 127),
    ]


def killed():
    """Whether what a script has started ends when the script is killed."""
    with tempfile.TemporaryDirectory() as scratch:
        pipe = Path(scratch) / "pipe"
        os.mkfifo(pipe)
        script = f"import sys; sys.path[:0] = [{str(ROOT / 'benchmarks' / 'gpu')!r}]; import limited; limited.guard(); "
        script += f"limited.run_limited(['sh', '-c', 'exec > {pipe}; echo begun; exec sleep 600'])"
        process = subprocess.Popen([sys.executable, "-c", script])
        with open(pipe, "rb", buffering=0) as read:
            begun = read.read(100)
            process.send_signal(signal.SIGKILL)
            process.wait()
            ended = bool(select.select([read], [], [], SOON)[0]) and read.read(100) == b""
        return [((begun, ended), (b"begun\n", True))]


def records():
    """A stage that comes to less than before keeps what it was; a file that was cut off stops nothing; a full log takes
    the beginning and the end of what comes."""
    with tempfile.TemporaryDirectory() as scratch:

        def begin():
            begun = findings.Findings(scratch, False, [], "one", "one")
            begun.on_device("H100")
            return begun

        stage = begin().stage("movement")
        stage.say("| pinned | VERIFIED | 1.02 |")
        stage.end("partial", "1 verified")
        begin().stage("movement")  # and is killed
        less = begin()
        less.stage("movement").end("failed", "no time")
        kept = less.stages["movement"]["before"]["headline"], "VERIFIED" in less.summary()
        less.stage("movement").end("ok", "2 verified")
        for _ in range(200):
            less.log("begin " + "\ufffd" * 30000 + " end")
        log = (Path(scratch) / "log.txt").read_text(encoding="utf-8", errors="replace")
        (Path(scratch) / "findings.json").write_text('{"rehearsal": fal')
        return [
            (kept, ("1 verified", True)),
            ("before" in less.stages["movement"], False),
            ((len(log.encode()) < 1_000_000, log.count("begin"), log.count("end")), (True, 200, 200)),
            (begin().stages, {}),
        ]


def stages():
    """A stage that never looks at the time is stopped, and what `smoke` says of a second run counts again."""
    with tempfile.TemporaryDirectory() as scratch:
        found = findings.Findings(scratch, False, [], "one", "one")
        context = types.SimpleNamespace(findings=found, rehearse=False)
        before, begun = dict(plan.STAGES), time.monotonic()
        try:
            plan.STAGES["smoke"] = (lambda context, record: record.end("failed", "broken"), 5, "")
            plan.STAGES["machine"] = (lambda context, record: time.sleep(600), 1, "")
            stopped = plan.run_stage("machine", context, 0.5)
            seconds = time.monotonic() - begun
            found.stage("smoke").end("ok", "as it was")
            code = plan.run(["smoke", "tests"], context, time.monotonic() + 600, 600, ["smoke", "tests"])
        finally:
            plan.STAGES.update(before)
        return [
            ((stopped, seconds < SOON), ("failed", True)),
            ((code, "tests" in found.stages), (1, False)),
            (plan.limits(["memcheck"], 540), {"memcheck": 540}),
        ]


def checks():
    before, limited.GRACE = limited.GRACE, 0.5
    try:
        return [*programs(), *killed(), *records(), *stages()]
    finally:
        limited.GRACE = before
