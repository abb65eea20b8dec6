#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of several processes by one MPI: program.cpp by its launcher, with 1 to 4 ranks, and its faults, each of
which must end by an exit code other than 0, and with words that name the rank.

Nothing here depends on time, for a machine may be busy. That a fault ends the job at once is seen by its words: a rank that only
waited until a collective was not over in time, which is 1234 s, has others. One fault is that, with a time of its own.

    run.py --launcher=mpirun.openmpi --program=FILE
    run.py                                            says that there is no MPI, and is skipped
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time

SKIPPED = 77

# What a fault must say. Rank 1 is the one that does wrong.
MISMATCH = ["called different collectives", "rank 0: ", "rank 1: "]
FAULTS = {
    "operation": [*MISMATCH, "rank 0: all_reduce of Partial<sum> float32 (4,)", "rank 1: all_gather of Sharded<0> float32 (6,)"],
    "extents": [*MISMATCH, "rank 0: replicate from rank 0 of float32 (4,)", "rank 1: replicate from rank 0 of float32 (5,)"],
    "order": [*MISMATCH, "program.cpp:"],
    "last-batch": [*MISMATCH, "rank 0: all_gather of Sharded<0> float32 (6, 2)", "rank 1: all_gather of Sharded<0> float32 (5, 2)"],
    "missing": [*MISMATCH, "rank 0: all_gather of Sharded<0> float32 (6,)", "rank 1: barrier"],
    "throw": ["rank 1 of 3 ends the job", "mine"],
    "unwind": ["rank 1 of 3 ends the job", "an exception leaves the scope of its World"],
    "early": ["rank 1 left before it"],
    "early-late": ["rank 1 left before it"],
    "kill": ["rank 1", "ignal 9"],
    "sleep": ["not over after 2 s", "not known to wait in it: rank 1"],  # and a rank that comes later than that
}


def launch(options, ranks, *arguments, **environment):
    """(exit code, seconds, all output) of the program with so many ranks."""
    command = [options.launcher]
    if options.open_mpi:
        command += ["--oversubscribe"] + (["--allow-run-as-root"] if os.getuid() == 0 else [])
    command += ["-n", str(ranks), str(options.program), *arguments]
    began = time.monotonic()
    job = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                           stdin=subprocess.DEVNULL, env={**os.environ, **environment})
    output, _ = job.communicate()
    return job.returncode, time.monotonic() - began, output


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--launcher")
    parser.add_argument("--program", type=pathlib.Path)
    options = parser.parse_args()
    launcher = options.launcher and shutil.which(options.launcher)
    if not launcher or not options.program:
        print("skipped: no MPI found (Debian: openmpi-bin and libopenmpi-dev, or mpich and libmpich-dev)")
        return SKIPPED
    version = subprocess.run([launcher, "--version"], capture_output=True, text=True).stdout
    options.open_mpi = "Open MPI" in version or "OpenRTE" in version
    failed = []

    def verdict(name, good, seconds, output):
        print(f"{'good  ' if good else 'FAILED'} {name}: {seconds:.1f} s")
        if not good:
            failed.append(name)
            print(output)

    for ranks in (1, 2, 3, 4):
        for device in ("cpu", "gpu"):
            # With 3, by messages of many pieces, as tensors over 1 GiB travel.
            pieces = {"SITU_MPI_LARGEST_MESSAGE": "1000"} if ranks == 3 else {}
            code, seconds, output = launch(options, ranks, device, SITU_EMULATED_ORDER="late", **pieces)
            verdict(f"{ranks} ranks, {device}", code == 0 and f"all is well among {ranks}" in output, seconds, output)
    for fault, words in FAULTS.items():
        code, seconds, output = launch(options, 3, "fault", fault, SITU_COLLECTIVE_TIMEOUT="1234")
        if fault == "kill" and not options.open_mpi:
            words = ["EXIT CODE: 9"]  # MPICH's launcher names the process by its number in the system
        good = code != 0 and all(word in output for word in words)
        verdict(fault, good and "as if nothing had been" not in output, seconds, output)
    print(f"{len(failed)} failed" if failed else "all good")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
