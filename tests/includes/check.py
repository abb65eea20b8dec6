#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks which way includes point, and the other rules of the tree that a program can check.

    check.py include/situ     reads every header below the folder
    check.py --selftest       breaks each rule once and expects it to be found
"""
import argparse
import pathlib
import re
import sys
import tempfile

# The rule: what a folder may include, its own headers apart. "tensor" knows that "cpu" computes; "cpu" sees pointers,
# shapes and evaluators, never a tensor.
MAY_INCLUDE = {
    "core": [],
    # The CUDA runtime behind one seam: calls, streams, errors, kernels' language, and their emulation.
    "cudart": ["core"],
    "device": ["core", "cudart"],
    "memory": ["core", "device"],
    "cpu": ["core", "device", "memory"],
    "cuda": ["core", "cudart", "device", "memory"],
    "tensor": ["core", "device", "memory", "cpu", "cuda"],
    "expression": ["core", "device", "memory", "cpu", "cuda", "tensor"],
    "ops": ["core", "device", "memory", "cpu", "cuda", "tensor", "expression"],
    # Other libraries' types over a tensor's memory; outside situ.hpp, since each includes its library.
    "interop": ["core", "device", "memory", "tensor", "expression"],
    # Built on operations: these name no backend.
    "autograd": ["core", "device", "tensor", "expression", "ops"],
    "nn": ["core", "device", "tensor", "expression", "ops", "autograd"],
}
# Headers that are in no folder.
ROOT = {
    "situ.hpp": list(MAY_INCLUDE) + ["."],
    "version.hpp": [],
}
# Headers of others beside the C++ standard library and POSIX, and the only folders that may include them.
FOREIGN = {"Eigen/Core": ["cpu", "interop"], "cuda_runtime_api.h": ["cudart"], "cuda.h": ["cudart"], "cublasLt.h": ["cuda"]}
MACROS = {"SITU_DEVICE", "SITU_ASSERT", "SITU_VERSION"}
MOST_LINES = 400  # the design says "below about 300"; above this a header must be split

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
DEFINE = re.compile(r"^\s*#\s*define\s+(\w+)", re.M)
STANDARD = re.compile(r"^(c?[a-z_]+|(immintrin|pthread|sched|signal|unistd)\.h|(sys|sanitizer)/[a-z_]+\.h)$")


def place(header):
    """The folder of a header inside situ/: `core` for core/dtype.hpp, `.` for situ.hpp."""
    return header.split("/")[0] if "/" in header else "."


def check(folder):
    """All violations below `folder`, as sentences."""
    problems, graph, seen_macros = [], {}, set()
    headers = {path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}
    for header, text in headers.items():
        here = place(header)
        allowed = ROOT.get(header) if here == "." else MAY_INCLUDE.get(here)
        if allowed is None:
            problems.append(f"{header}: no rule in MAY_INCLUDE or ROOT says what it may include")
            continue
        lines = text.splitlines()
        if not lines or lines[0] != "// SPDX-License-Identifier: Apache-2.0":
            problems.append(f"{header}: the first line is not the SPDX line")
        if "#pragma once" not in lines:
            problems.append(f"{header}: no #pragma once")
        if len(lines) > MOST_LINES:
            problems.append(f"{header}: {len(lines)} lines, more than {MOST_LINES}")
        for macro in DEFINE.findall(text):
            seen_macros.add(macro)
            if macro not in MACROS:
                problems.append(f"{header}: defines the macro {macro}; the project has {', '.join(sorted(MACROS))} only")
        graph[header] = []
        for bracket, target in INCLUDE.findall(text):
            if bracket == '"':
                problems.append(f'{header}: includes "{target}" with quotes; write <situ/...>')
            elif target.startswith("situ/"):
                name = target[len("situ/"):]
                graph[header].append(name)
                if name not in headers:
                    problems.append(f"{header}: includes {target}, which does not exist")
                elif place(name) != here and place(name) not in allowed and name != "version.hpp":
                    problems.append(f"{header}: {here}/ must not include {target}")
            elif target in FOREIGN:
                if here not in FOREIGN[target]:
                    problems.append(f"{header}: only {'/ and '.join(FOREIGN[target])}/ may include <{target}>")
            elif not STANDARD.match(target):
                problems.append(f"{header}: includes <{target}>, which is neither of the standard library nor in FOREIGN")
    problems += cycles(graph)
    if "situ.hpp" in graph:
        reached, todo = set(), ["situ.hpp"]
        while todo:
            header = todo.pop()
            if header not in reached:
                reached.add(header)
                todo += graph.get(header, [])
        problems += [f"{header}: situ.hpp does not reach it" for header in graph
                     if header not in reached and place(header) != "interop"]
    return problems


def cycles(graph):
    """Headers that include themselves through others."""
    problems, done = [], set()

    def parts(header):
        """A header may end by including its own parts, lanes.hpp the lanes_*.hpp, which include it to compile alone."""
        return header[:-len(".hpp")] + "_"

    def visit(header, path):
        if header in path:
            problems.append("cycle: " + " -> ".join(path[path.index(header):] + [header]))
        elif header not in done:
            for target in graph.get(header, []):
                if not target.startswith(parts(header)):
                    visit(target, path + [header])
            done.add(header)

    for header in graph:
        visit(header, [])
    return problems


def selftest():
    top = "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n"
    good = {
        "situ.hpp": top + "#include <situ/ops/b.hpp>\n#include <situ/cpu/k.hpp>\n",
        "core/a.hpp": top + "#include <cstdint>\n#define SITU_HD\n",
        "cpu/k.hpp": top + "#include <Eigen/Core>\n#include <situ/core/a.hpp>\n",
        "tensor/t.hpp": top + "#include <situ/core/a.hpp>\n",
        "ops/b.hpp": top + "#include <situ/tensor/t.hpp>\n",
    }
    broken = {  # what the complaint says: what to change
        "core/ must not include": {"core/a.hpp": top + "#include <situ/cpu/k.hpp>\n", "cpu/k.hpp": top},
        "cpu/ must not include": {"cpu/k.hpp": top + "#include <situ/tensor/t.hpp>\n"},
        "tensor/ must not include": {"tensor/t.hpp": top + "#include <situ/ops/c.hpp>\n", "ops/c.hpp": top},
        "only cpu/ and interop/ may include <Eigen/Core>": {"ops/b.hpp": good["ops/b.hpp"] + "#include <Eigen/Core>\n"},
        "includes <Eigen/Dense>": {"cpu/k.hpp": top + "#include <Eigen/Dense>\n"},
        "includes <cuda_runtime.h>": {"core/a.hpp": top + "#include <cuda_runtime.h>\n"},
        "does not exist": {"ops/b.hpp": good["ops/b.hpp"] + "#include <situ/ops/missing.hpp>\n"},
        "with quotes": {"ops/b.hpp": good["ops/b.hpp"] + '#include "../core/a.hpp"\n'},
        "defines the macro": {"core/a.hpp": top + "#  define SITU_MORE 1\n"},
        "no #pragma once": {"core/a.hpp": top.splitlines()[0] + "\n"},
        "not the SPDX line": {"core/a.hpp": "#pragma once\n"},
        "no rule": {"newdir/x.hpp": top},
        "cycle:": {"core/a.hpp": top + "#include <situ/core/z.hpp>\n", "core/z.hpp": top + "#include <situ/core/a.hpp>\n"},
        "does not reach": {"core/z.hpp": top},
        "more than": {"core/a.hpp": top + "\n" * 400},
    }

    def verdict(files):
        with tempfile.TemporaryDirectory() as scratch:
            for name, text in files.items():
                path = pathlib.Path(scratch) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check(pathlib.Path(scratch))

    wrong = [f"a good tree is rejected: {problem}" for problem in verdict(good)]
    for complaint, change in broken.items():
        problems = verdict({**good, **change})
        if len(problems) != 1 or complaint not in problems[0]:
            wrong.append(f"expected one problem with '{complaint}', got {problems}")
    for line in wrong:
        print("FAILED", line)
    print(f"selftest: {len(broken)} broken trees, {len(wrong)} wrong answers")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    if options.selftest:
        return selftest()
    problems = check(options.folder)
    if not any(options.folder.rglob("*.hpp")):
        problems.append(f"no headers in {options.folder}")
    for problem in problems:
        print("FAILED", problem)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
