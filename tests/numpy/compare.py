#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares situ with NumPy on cases that are drawn from a seed: compare.py PROGRAM [--seed=1] [--count=2000] [--only=NUMBER]

PROGRAM is built from the .cpp files of this folder, which say what each operation is; `operations.py` and `arrays.py` draw cases and say
what NumPy makes of them and how far from it a result may be. A case depends on the seed and its number alone. Each that differs is
described with the command that repeats it. Exit code 77: there is no NumPy (scripts/setup --python).
"""

import argparse
import io
import pathlib
import shlex
import subprocess
import sys
import warnings

folder = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(folder)]
sys.path.append(str(folder.parents[1] / ".deps" / "python"))
try:
    import numpy as np
except ImportError:
    print("no NumPy: scripts/setup --python")
    sys.exit(77)

import arrays  # noqa: E402
import operations  # noqa: E402


def drawn(seed, number):
    rng = np.random.Generator(np.random.Philox([seed, number]))
    kinds = operations.DRAWN + arrays.DRAWN
    weights = np.array([weight for _, weight in kinds], float)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of no elements
        return kinds[int(rng.choice(len(kinds), p=weights / weights.sum()))][0](rng)


def read_results(stream, number):
    """The arrays that the program gives for a case, its error as text, or None where it leaves the element type out."""
    line = stream.readline().decode()
    if line.split() != ["case", str(number)]:
        raise EOFError(f"the program ended at case {number}" + (f", or said: {line.strip()}" if line else ""))
    results = []
    while True:
        words = stream.readline().decode().split()
        if not words:
            raise EOFError(f"the program ended within case {number}")
        if words[0] == "end":
            return results
        if words[0] == "left_out":
            results = None
            continue
        if words[0] == "error":
            results = " ".join(words[1:])
            continue
        dtype, extents = np.dtype(words[1]), [int(w) for w in words[3:]]
        count = int(np.prod(extents, dtype=np.int64))
        results.append(np.frombuffer(stream.read(count * dtype.itemsize), dtype, count).reshape(extents))


def difference(got, expected):
    """What is wrong with a result, or None."""
    want = expected.value
    if got.dtype != expected.dtype:
        return f"elements are {got.dtype} and must be {expected.dtype}"
    if got.shape != want.shape:
        return f"the shape is {got.shape} and must be {want.shape}"
    if got.dtype.kind not in "fc":
        wrong = got != want.astype(got.dtype)
    else:
        with np.errstate(all="ignore"):
            rounded = want.astype(got.dtype)
            unit = np.spacing(np.abs(rounded)).astype(np.float64)
            off = np.abs(got.astype(np.clongdouble) - want) if got.dtype.kind == "c" else np.abs(got.astype(np.longdouble) - want)
            near = off <= expected.ulps * unit + np.asarray(expected.absolute, np.float64)
            if expected.ulps == 0 and np.all(expected.absolute == 0):
                near = got == rounded
                if got.dtype.kind == "f" and not expected.any_zero:
                    near &= np.signbit(got) == np.signbit(rounded)
            wrong = ~((got == rounded) & (got != 0) | near | (np.isnan(got) & np.isnan(want)))
    if not np.any(wrong):
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (f"{np.count_nonzero(wrong)} of {got.size} elements, the first at {at}: {got[at]!r}, NumPy has {want.astype(got.dtype)[at]!r}"
            f" ({expected.ulps:g} ulp and {np.max(expected.absolute, initial=0):.2g} are allowed)")


def problem(case, results):
    if isinstance(results, str):
        return None if case.expected is None else f"threw: {results}"
    if case.expected is None:
        return "gave a result; NumPy refuses"
    if len(results) != len(case.expected):
        return f"{len(results)} results, NumPy has {len(case.expected)}"
    found = [difference(got, expected) for got, expected in zip(results, case.expected)]
    return next((f"result {i}: {text}" if len(found) > 1 else text for i, text in enumerate(found) if text), None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--only", type=int)
    parser.add_argument("--shown", type=int, default=20, help="how many differences are described")
    options = parser.parse_args()
    numbers = range(options.count) if options.only is None else [options.only]
    cases = {number: drawn(options.seed, number) for number in numbers}
    message = b"".join(case.message(number) for number, case in cases.items())
    process = subprocess.run([options.program], input=message, stdout=subprocess.PIPE, check=False)
    stream, failed, left_out = io.BytesIO(process.stdout), [], 0
    try:
        for number, case in cases.items():
            results = read_results(stream, number)
            left_out += results is None
            if text := None if results is None else problem(case, results):
                failed.append((number, case, text))
    except EOFError as error:
        failed.append((number, case, f"{error} (exit code {process.returncode})"))
    for number, case, text in failed[:options.shown]:
        print(f"case {number}: {case}\n  {text}\n  again: " + " ".join(
            map(shlex.quote, ["python3", str(pathlib.Path(__file__)), options.program, f"--seed={options.seed}", f"--only={number}"])))
    kinds = len({(case.op, case.inputs[0].value.dtype) for case in cases.values()})
    print(f"NumPy {np.__version__}{'' if arrays.scipy else ' without SciPy'}, seed {options.seed}: {len(cases)} cases of {kinds} operations"
          f" and element types, {len(failed)} differ" + (f", {left_out} of types that the program leaves out" if left_out else ""))
    return 1 if failed or left_out > len(cases) / 2 and options.only is None else 0


if __name__ == "__main__":
    sys.exit(main())
