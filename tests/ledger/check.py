#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program with SITU_LEDGER in its environment, and checks what that leaves: the report, and the trace against the
format of trace events (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU).

    check.py --place train.cpp: -- PROGRAM ARGUMENT...     a row of the report has this text in it
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

REQUIRED = {"M": {"name", "pid", "tid", "args"}, "C": {"name", "ts", "pid", "args"},
            "X": {"name", "cat", "ts", "dur", "pid", "tid", "args"}}


def wrong_events(trace):
    """What is wrong with the events of a trace, as sentences."""
    problems, named, used = [], set(), set()
    for event in trace["traceEvents"]:
        missing = REQUIRED.get(event.get("ph"), {"ph"}) - event.keys()
        if missing:
            problems.append(f"{event}: lacks {', '.join(sorted(missing))}")
            continue
        numbers = [event[key] for key in ("ts", "dur", "pid", "tid") if key in event]
        if not all(isinstance(number, (int, float)) for number in numbers) or event.get("dur", 0) < 0:
            problems.append(f"{event}: has times or numbers that are none")
        if event["ph"] == "M" and event["name"] == "thread_name":
            named.add((event["pid"], event["tid"]))
        if event["ph"] == "X":
            used.add((event["pid"], event["tid"]))
    threads = [tid for _, tid in named | used]
    if len(set(threads)) != len(threads) or any(0 in track for track in named | used):
        problems.append(f"threads {sorted(named | used)}: viewers want numbers above 0, and none of two processes")
    if not used:
        problems.append("the trace has nothing that takes time")
    # Of one track, what begins within something ends within it: else viewers draw it wrongly.
    for track in sorted(used - named):
        problems.append(f"the track {track} has no name")
    for track in sorted(used):
        open_ends = []
        for event in sorted((e for e in trace["traceEvents"] if e["ph"] == "X" and (e["pid"], e["tid"]) == track),
                            key=lambda e: (e["ts"], -e["dur"])):
            begin, end = event["ts"], event["ts"] + event["dur"]
            while open_ends and open_ends[-1] <= begin + 1e-6:
                open_ends.pop()
            if open_ends and end > open_ends[-1] + 1e-6:
                problems.append(f"{event}: overlaps what it began in")
            open_ends.append(end)
    return problems


def run(command, wish, **environment):
    done = subprocess.run(command, env={**os.environ, "SITU_LEDGER": wish, **environment}, capture_output=True, text=True)
    return done.returncode, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--place", required=True)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "trace.json"
        status, said = run(options.command, f"report,trace={file}")
        if status != 0:
            problems.append(f"the program failed: {status}")
        if "movement ledger: the host waited " not in said:
            problems.append("no report")
        if not any(options.place in line for line in said.splitlines()):
            problems.append(f"no row of {options.place} in the report:\n{said}")
        problems += wrong_events(json.loads(file.read_text())) if file.exists() else ["no trace"]
        # One of several processes has a file of its own.
        status, said = run(options.command, f"report,trace={file}", OMPI_COMM_WORLD_RANK="3", OMPI_COMM_WORLD_SIZE="4")
        if status != 0 or not file.with_name("trace.rank3.json").exists() or "rank3: movement ledger: " not in said:
            problems.append(f"rank 3 of 4 leaves {sorted(path.name for path in file.parent.iterdir())}: {status}\n{said}")
        status, said = run(options.command, "reports")
        if status != 0 or "SITU_LEDGER=reports: not understood" not in said or "movement ledger" in said:
            problems.append(f"a wish that is none is not told: {status}\n{said}")
    for problem in problems:
        print("FAILED", problem)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
