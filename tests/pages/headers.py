#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks docs/headers.md, the page of all headers, against the tree.

    headers.py ROOT             ROOT is the project's folder
    headers.py ROOT --facts     what the tree says of each header, to write rows by
    headers.py --selftest       breaks each rule once and expects it to be found

The page has a row for each header that a program may include: each of situ/*.hpp, the doors, each of OTHERS,
and, below the name of a door, each header that it includes, but for those that are the text of errors alone. What the
row of a door says of other libraries and of situ.hpp is what the includes say, without macros of a build's (SITU_CUDA
...); and every `name` of the words of a row stands in the header, or in one that it reaches.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/includes"), str(ROOT / "tests")]
sys.dont_write_bytecode = True
import check as include_rules  # noqa: E402
import pages  # noqa: E402
import rooms  # noqa: E402

# Headers that nobody includes but the program.
OTHERS = ["interop/dlpack.hpp", "interop/eigen.hpp", "interop/mdspan.hpp", "interop/memory.hpp", "interop/python.hpp"]
ERRORS_ALONE = re.compile(r"/(diagnostics|run_time_device)\.hpp$")
# What the page calls the libraries of the includes; what is in no row is a library that the page does not know.
LIBRARIES = [(r"(unsupported/)?Eigen/", "Eigen"), (r"nlohmann/", "nlohmann-json"), (r"nanobind/", "nanobind"),
             (r"zlib\.h$", "zlib")]
# What links beside, where a header reaches this.
TARGETS = [(r"cuda/linalg/", "`situ::cuda_linalg`"), (r"cuda/fft/", "`situ::cuda_fft`"),
           (r"world/transport\.hpp$", "`situ::mpi`"), (r"io/zlib_inflater\.hpp$", "`situ::zlib`")]
ROW = re.compile(r"^\| \[`situ/([\w/]+\.hpp)`\]\(\.\./((?:\w+/)?include/situ/[\w/]+\.hpp)\) \| (.*?) \|"
                 r"(?: (.*?) \| (.*?) \| (.*?) \|)?$")
HEADING = re.compile(r"^#+ .*`situ/([\w/]+\.hpp)`")
INCLUDE = re.compile(r"^\s*#\s*include\s*[<\"]([^>\"]+)[>\"]")


def holds(condition):
    """Whether a condition of the preprocessor holds where no macro is defined but C++20's."""
    text = re.sub(r"//.*|/\*.*?\*/", "", condition)
    text = re.sub(r"__has_\w+\s*\([^()]*\)|defined\s*\(\s*\w+\s*\)|defined\s+\w+", "0", text)
    text = re.sub(r"\b__cplusplus\b", "202002", text)
    text = re.sub(r"\b(\d+)[uUlL]+\b", r"\1", text)
    text = re.sub(r"\b[A-Za-z_]\w*(\s*\([^()]*\))?", "0", text)
    text = text.replace("&&", " and ").replace("||", " or ")
    return bool(eval(re.sub(r"!(?!=)", " not ", text), {"__builtins__": {}}))


def includes(text):
    """The files that a header includes where no macro is defined."""
    found, stack = [], []
    for line in text.replace("\\\n", " ").splitlines():
        directive = re.match(r"\s*#\s*(ifdef|ifndef|if|elif|else|endif)\b(.*)", line)
        if directive:
            kind, condition = directive.groups()
            if kind in ("if", "ifdef", "ifndef"):
                true = holds(condition) if kind == "if" else kind == "ifndef"
                stack.append((true, true))
            elif kind == "endif":
                stack.pop()
            else:
                taken = stack[-1][1]
                true = not taken and (kind == "else" or holds(condition))
                stack[-1] = (true, taken or true)
        elif (found_here := INCLUDE.match(line)) and all(true for true, _ in stack):
            found.append(found_here.group(1))
    return found


class Tree:
    def __init__(self, root):
        self.path = {name.removeprefix("situ/"): path.relative_to(root).as_posix()
                     for name, path in rooms.headers(root / "include").items()}
        self.text = {header: (root / path).read_text() for header, path in self.path.items()}
        self.ours, self.others = {}, {}
        for header, text in self.text.items():
            found = includes(text)
            self.ours[header] = [name[5:] for name in found if name.startswith("situ/")]
            self.others[header] = [name for name in found if not name.startswith("situ/")]
        self.names = {header: set(re.findall(r"[A-Za-z_]\w*", text)) for header, text in self.text.items()}
        self.doors = [header for header in self.text if "/" not in header]

    def reached(self, header):
        seen, waiting = set(), [header]
        while waiting:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                waiting += self.ours.get(one, [])
        return seen

    def wanted(self):
        """{header: the doors that include it}, of those that the page must have."""
        rows = {header: [] for header in [*self.doors, *(name for name in OTHERS if name in self.text)]}
        for door in self.doors:
            for part in self.ours[door]:
                if not ERRORS_ALONE.search("/" + part):
                    rows.setdefault(part, []).append(door)
        return rows

    def needs(self, header):
        """The libraries that a header needs, as the page says it; what is linked; files of libraries without a name."""
        names, unknown = [], []
        reached = self.reached(header)
        for one in sorted(reached):
            for file in self.others.get(one, []):
                name = next((name for pattern, name in LIBRARIES if re.match(pattern, file)), None)
                if name is None and not include_rules.STANDARD.match(file):
                    unknown.append(file)
                elif name and name not in names:
                    names.append(name)
        everything = reached.union(*(re.findall(r"include <situ/([^>]+)>", self.text.get(one, "")) for one in reached))
        linked = [target for pattern, target in TARGETS if any(re.match(pattern, one) for one in everything)]
        return ", ".join(sorted(names)), ", ".join(linked), unknown

    def beside_the_core(self, header):
        core = self.reached("situ.hpp")
        if header == "situ.hpp":
            return "itself"
        if header in core or header in self.doors and self.ours[header] and set(self.ours[header]) <= core:
            return "in it"
        return "includes it" if "situ.hpp" in self.reached(header) else "beside it"


def words_of(cell):
    """The names between backquotes, files and calls with arguments apart."""
    for code in re.findall(r"`([^`]+)`", cell):
        if re.fullmatch(r"[\w: ]+|[\w:]+(<[\w, .]*>)?(\([\w, .]*\))?", code):
            yield from re.findall(r"[A-Za-z_]\w*", re.sub(r"\(.*\)|<.*>", "", code))


def check(root):
    tree = Tree(root)
    page = root / "docs/headers.md"
    lines = page.read_text().splitlines()
    wanted, found, problems, door = tree.wanted(), {}, [], None
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            heading = HEADING.match(line)
            door = heading and heading.group(1)
        if not line.startswith("| [`situ/"):
            continue
        row = ROW.match(line)
        where = f"docs/headers.md:{number}"
        if not row:
            problems.append(f"{where}: not the form of a row: {line[:80]}")
            continue
        header, link, what, *rest = row.groups()
        if link != tree.path.get(header, link):
            problems.append(f"{where}: {header} links to {link}")
        if header in found:
            problems.append(f"{where}: {header} a second time")
        found[header] = number
        if header not in tree.text:
            problems.append(f"{where}: {header} does not exist")
            continue
        if header not in wanted:
            problems.append(f"{where}: no door includes {header}, and it is none of OTHERS")
            continue
        if not re.search(r"\w", what):
            problems.append(f"{where}: {header}: no words say what it has")
        needs, linked, unknown = tree.needs(header)
        problems += [f"{where}: {header} includes {file}, of a library without a name in LIBRARIES" for file in unknown]
        if header in tree.doors or header in OTHERS:
            said, wants = [cell or "" for cell in rest], [needs, linked, tree.beside_the_core(header)]
            for name, cell, fact in zip(("needs", "linked", "situ.hpp"), said, wants):
                if cell.strip() != (fact or "-"):
                    problems.append(f"{where}: {header}: {name} is '{fact or '-'}', and the page says '{cell}'")
        elif door not in wanted[header]:
            problems.append(f"{where}: {header} stands below {door}, and {', '.join(wanted[header])} includes it")
        reached = tree.reached(header)
        problems += [f"{where}: {header}: `{name}` stands neither in it nor in what it includes"
                     for name in words_of(what) if not any(name in tree.names.get(one, ()) for one in reached)]
    problems += [f"docs/headers.md: no row for situ/{header}" + (f", which situ/{doors[0]} includes" if doors else "")
                 for header, doors in wanted.items() if header not in found]
    return problems, len(found)


def facts(root):
    tree = Tree(root)
    for header, doors in tree.wanted().items():
        needs, linked, unknown = tree.needs(header)
        text = " ".join(line[2:].strip() for line in tree.text[header].splitlines()[1:15] if line.startswith("// "))
        print(header, needs or "-", linked or "-", tree.beside_the_core(header), ", ".join(doors),
              re.match(r".*?(\.(?= )|$)", text).group(0), *unknown, sep=" | ")


def selftest():
    top = "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n"
    good = {
        "include/situ/situ.hpp": top + "#include <situ/ops/sum.hpp>\n#include <situ/ops/diagnostics.hpp>\n",
        "include/situ/linalg.hpp": top + "#include <situ/linalg/solve.hpp>\n",
        "include/situ/ops/sum.hpp":
            top + "#include <vector>\nvoid sum();\n#if defined(SITU_CUDA)\n#include <cuda.h>\n#endif\n",
        "include/situ/ops/diagnostics.hpp": top,
        "include/situ/linalg/solve.hpp":
            top + "#if 1\n#include <Eigen/LU>\n#elif 1\n#include <cuda.h>\n#endif\nvoid solve();\n",
        "docs/headers.md": "| Header | | | | |\n|---|---|---|---|---|\n"
        "| [`situ/situ.hpp`](../include/situ/situ.hpp) | all | - | - | itself |\n"
        "| [`situ/linalg.hpp`](../include/situ/linalg.hpp) | `solve` | Eigen | - | beside it |\n\n"
        "## Of `situ/situ.hpp`\n| [`situ/ops/sum.hpp`](../include/situ/ops/sum.hpp) | `sum` |\n\n"
        "## Of `situ/linalg.hpp`\n| [`situ/linalg/solve.hpp`](../include/situ/linalg/solve.hpp) | `solve(a, b)` |\n"}
    page = good["docs/headers.md"]
    broken = {
        "no row for situ/ops/sum.hpp, which situ/situ.hpp includes": {
            "docs/headers.md": re.sub(r"\n.*ops/sum.*", "", page)},
        "no row for situ/more.hpp": {"include/situ/more.hpp": top},
        "gone.hpp does not exist": {
            "docs/headers.md": page + "| [`situ/gone.hpp`](../include/situ/gone.hpp) | x | - | - | itself |\n"},
        "needs is 'Eigen', and the page says '-'": {"docs/headers.md": page.replace("| Eigen | - |", "| - | - |")},
        "stands below situ.hpp, and linalg.hpp includes it": {
            "docs/headers.md": page.replace("## Of `situ/linalg.hpp`\n", "")},
        "situ.hpp is 'beside it'": {"docs/headers.md": page.replace("beside it", "in it")},
        "`product` stands neither": {"docs/headers.md": page.replace("`sum`", "`product`")},
        "a second time": {"docs/headers.md": page + page.splitlines()[2] + "\n"},
        "of a library without a name": {"include/situ/ops/sum.hpp": top + "#include <fftw3.h>\nvoid sum();\n",
                                        "docs/headers.md": re.sub(r"\n.*situ/situ.hpp.*", "", page)},
        "not the form": {"docs/headers.md": page + "| [`situ/x.hpp`](x) | |\n"},
    }

    return pages.selftest(check, good, broken)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=pathlib.Path)
    parser.add_argument("--facts", action="store_true")
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    if options.selftest:
        return selftest()
    if options.facts:
        return facts(options.root)
    return pages.report(*check(options.root), "headers")


if __name__ == "__main__":
    sys.exit(main())
