#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles, runs and compares the rows of docs/guide/coming-from.md.

    check.py --write ROWS.cpp PAGE      a program of all rows of the column "situ", and of Eigen's
    check.py --program ROWS PAGE        runs it; runs the columns of NumPy and PyTorch where these are installed, and compares

A row is `| theirs | ours | remark |`, each side in backquotes. An expression is evaluated; of statements, which end in `;`, what the
last one assigns is the value. `rows.hpp` says what x, y ... are. Of random numbers only the shape is compared.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROW = re.compile(r"^\| `(.+?)` \| `(.+?)` \|")
RANDOM = re.compile(r"rand|Linear|empty")
ASSIGNED = re.compile(r"^(?:Tensor |auto )?(\w+)(?:\.at\(.*\))? [-+*/]?= ")


def rows(page):
    """(line, library, their code, our code) of every row."""
    found, library = [], None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("## "):
            library = line[3:].strip()
        elif library and (match := ROW.match(line)):
            found.append((number, library, *match.groups()))
        elif library and line.startswith("|") and not re.match(r"\|( \w+ \| situ|---)", line):
            sys.exit(f"{page}:{number}: not a row `theirs` | `ours` | remark")
    return found


def function(line, side, objects, names, code):
    """A function that runs one side of a row and shows its value."""
    if code.endswith(";") or re.search(r"\) [*+]?= ", code):
        assigned = ASSIGNED.match(code.rstrip("; ").split("; ")[-1]) or re.match(r"(\w+)[.(].* [*+]?= ", code)
        body = code.rstrip(";") + ";" + (f" row.show({assigned.group(1)});" if assigned else "")
    else:
        body = f"row.show({code});" if "setNb" not in code else f"{code};"
    return (f"void {side}_{line}() {{\n  [[maybe_unused]] const Row row({line}, \"{side}\");\n  {objects} all_of_them;\n"
            f"  [[maybe_unused]] auto& [{names}] = all_of_them;\n  {body}\n}}\n")


def write(page, output):
    text = ["// Made by check.py of the page's tables.", '#include "rows.hpp"', "using namespace situ;", "namespace {"]
    calls = []
    for line, library, theirs, ours in rows(page):
        text.append(function(line, "ours", "Situ", "x, y, z, v, a, b, i, j, m, image", ours))
        calls.append(f"ours_{line}")
        if library == "Eigen":
            text.append(function(line, "theirs", "Eigens", "x, y, z, v, a, b", theirs))
            calls.append(f"theirs_{line}")
    text.append("}\nint main() {\n" + "".join(f"  {call}();\n" for call in calls) + "}\n")
    output.write_text("\n".join(text))


def environment(library):
    """The names of the page as the library's arrays, and how to make (shape, values) of a result; None where it is not."""
    lists = {"x": [[1, 2, 3], [4, 5, 6]], "y": [[.5, -1, 2], [0, 3, 1]], "z": [[1, -2], [.5, 1], [2, 0]], "v": [1, .5, -2]}
    doubles = {"a": [[4, 1, 0], [1, 3, 1], [0, 1, 2]], "b": [1, 2, 3]}
    whole = {"i": [2, 0], "j": [[0, 2], [1, 1]]}
    try:
        if library == "NumPy":
            import numpy as np
            names = {"np": np}
            names.update({name: np.array(value, np.float32) for name, value in lists.items()})
            names.update({name: np.array(value, np.float64) for name, value in doubles.items()})
            names.update({name: np.array(value, np.int64) for name, value in whole.items()})
            names["image"] = (np.arange(384, dtype=np.float32) % 7).reshape(2, 3, 8, 8)
        else:
            import torch
            names = {"torch": torch, "F": torch.nn.functional}
            names.update({name: torch.tensor(value, dtype=torch.float32) for name, value in lists.items()})
            names.update({name: torch.tensor(value, dtype=torch.float64) for name, value in doubles.items()})
            names.update({name: torch.tensor(value) for name, value in whole.items()})
            names["image"] = (torch.arange(384).float() % 7).reshape(2, 3, 8, 8)
    except ImportError:
        return None
    names["m"] = names["x"] > 2
    return names


def value_of(names, code):
    """(shape, values) of their side of a row, or None when it has none that could be compared."""
    try:
        result = eval(code, names)
    except SyntaxError:
        exec(code, names)
        result = names["x"]
    if hasattr(result, "detach"):
        result = result.detach().numpy()
    if isinstance(result, (bool, int, float)):
        return [], [float(result)]
    if not hasattr(result, "shape"):
        return None
    return list(result.shape), [float(element) for element in result.reshape(-1)]


def differ(ours, theirs, exact_shape):
    if exact_shape and ours[0] != theirs[0]:
        return f"shapes {ours[0]} and {theirs[0]}"
    if len(ours[1]) != len(theirs[1]):
        return f"{len(ours[1])} and {len(theirs[1])} values"
    far = [(p, q) for p, q in zip(ours[1], theirs[1]) if p != q and not abs(p - q) <= 1e-5 * (1 + abs(q))]
    return f"values {far[0][0]} and {far[0][1]}" if far else None


def run(page, program):
    shown = {}
    for line in subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines():
        head, values = line.split(";")
        number, side, *shape = head.split()
        shown[int(number), side] = [int(extent) for extent in shape], [float(value) for value in values.split()]
    compared, wrong, absent = 0, 0, set()
    for number, library, theirs, ours in rows(page):
        mine, other = shown.get((number, "ours")), shown.get((number, "theirs"))
        if mine is None or library in ("Kokkos", "MatX"):
            continue
        if library != "Eigen":
            names = environment(library)
            if names is None:
                absent.add(library)
                continue
            if "cuda" in theirs:  # needs a GPU, and more than the emulated one of ours
                continue
            try:
                other = value_of(names, theirs)
            except Exception as error:  # whatever the library says
                print(f"FAILED {page.name}:{number}: {theirs}: {error}")
                wrong += 1
        if other is None:
            continue
        compared += 1
        if RANDOM.search(theirs):
            other = other[0], mine[1]
        if problem := differ(mine, other, library != "Eigen"):
            wrong += 1
            print(f"FAILED {page.name}:{number}: {theirs} and {ours}: {problem}")
    for library in sorted(absent):
        print(f"{library} is not installed: its column is not run")
    print(f"{len(rows(page))} rows, {len(shown)} values, {compared} compared with the other side, {wrong} wrong")
    return 1 if wrong or not compared else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path)
    options = parser.parse_args()
    if options.write:
        return write(options.page, options.write)
    return run(options.page, options.program)


if __name__ == "__main__":
    sys.exit(main())
