#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program where a GPU is: run.py COUNT PROGRAM [ARGUMENT...]

COUNT is a program that prints the number of GPUs. Without one the exit code is 77, which CTest calls skipped, or 1 when
SITU_REQUIRE_CUDA=1. The tests name Cuda<0> and Cuda<1>. On one GPU both are on it (SITU_CUDA_DEVICES=0,0); where more are
the program runs twice, on two GPUs and on one.
"""
import os
import subprocess
import sys


def main():
    count_program, program = sys.argv[1], sys.argv[2:]
    answer = subprocess.run([count_program], capture_output=True, text=True).stdout.strip()
    number = answer.split(" ")[0]
    count = int(number) if number.isdigit() else 0
    if count == 0:
        print(f"no GPU: {answer or 'the CUDA runtime does not answer'}")
        return 1 if os.environ.get("SITU_REQUIRE_CUDA") == "1" else 77
    result = 0
    for devices in (["0,1", "0,0"] if count > 1 else ["0,0"]):
        print(f"SITU_CUDA_DEVICES={devices}", flush=True)
        done = subprocess.run(program, env={**os.environ, "SITU_CUDA_DEVICES": devices})
        result = result or done.returncode
    return 1 if result else 0


if __name__ == "__main__":
    sys.exit(main())
