#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times load_csv beside pandas' C reader, in turns, on ten million numbers.

    beside_pandas.py PROGRAM FOLDER [--rounds 5]      PROGRAM is benchmarks/csv, which writes its files into FOLDER

Prints the least milliseconds of each and those of the processor (all threads together), which other programs on the
machine disturb less. pandas rounds as `float_precision=None` does (not always correctly), and as `round_trip`.
"""
import argparse
import pathlib
import subprocess
import time
import warnings

import pandas

warnings.simplefilter("ignore")  # pandas 4 will have one precision only
FILES = [("short", "float32"), ("short", "float64"), ("long", "float64"), ("integers", "int64")]
OURS = ["load_csv<T>", "load_csv<T>, one thread", "std::from_chars, text in memory", "load_csv, a table", "to_tensor<T>",
        "save_csv"]


def of_pandas(path, kind, precision):
    wall, processor = time.perf_counter(), time.process_time()
    pandas.read_csv(path, header=None, dtype=kind, engine="c", float_precision=precision)
    return 1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - processor)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    subprocess.run([options.program, "write", options.folder], check=True)
    for name, kind in FILES:
        path = options.folder / f"{name}.csv"
        times = {}
        for _ in range(options.rounds):
            output = subprocess.run([options.program, "read", path, kind, "1"], check=True, capture_output=True, text=True).stdout
            values = [float(word) for word in output.split()]
            for row, wall, processor in zip(OURS, values[::2], values[1::2]):
                times.setdefault(row, []).append((wall, processor))
            for precision in (None, "round_trip") if kind.startswith("float") else (None,):
                times.setdefault(f"pandas {pandas.__version__} {precision or ''}".strip(), []).append(of_pandas(path, kind, precision))
        print(f"\n{path.name} as {kind}, {path.stat().st_size / 1e6:.0f} MB")
        for row, both in times.items():
            print(f"  {row:34} {min(wall for wall, _ in both):7.0f} ms {min(processor for _, processor in both):7.0f} ms of the processor")


if __name__ == "__main__":
    main()
