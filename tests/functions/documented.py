#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks for tests of what docs/operations.md documents.

    documented.py ROOT             ROOT is the project's folder
    documented.py --selftest       breaks each rule once and expects it to be found

Every function, type and member that stands in the first column of a table of docs/operations.md is called or named in a unit,
golden or conformance test, in one of the CUDA backend or of NVTX. Comments and texts of the tests do not count.
"""
import argparse
import pathlib
import re
import sys
import tempfile

FOLDERS = ["tests/unit", "tests/golden", "tests/conformance", "tests/cuda", "tests/nvtx", "tests/functions"]
# Documented, and in none of these tests: why.
EXCEPTIONS = {
    "SITU_VERSION": "a macro, which tests/consumer prints and tests/packages compares",
}
# A name that is called, or of a type; or one that stands alone between two backquotes.
USED = re.compile(r"(?<!\w)(?:[A-Za-z_]\w*(?=\s*(?:<[^<>=]*>+)?\s*[({])|[A-Z][a-z]\w*)")
ALONE = re.compile(r"[A-Za-z_]\w*")


def documented(text):
    """{name: the first row that has it}"""
    names = {}
    for row in text.splitlines():
        if not row.startswith("| ") or row.startswith(("| Call |", "| Field ")):
            continue
        cell = re.split(r"(?<!\\)\|", row)[1]
        for code in re.findall(r"`([^`]+)`", cell):
            found = [code] if ALONE.fullmatch(code) else USED.findall(re.sub(r'"[^"]*"', "", code))
            for name in found:
                names.setdefault(name, row)
    return names


def tested(root):
    """All words of the tests that are neither comment nor text."""
    words = set()
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            text = re.sub(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"', " ", path.read_text())
            words.update(re.findall(r"[A-Za-z_]\w*", text))
    return words


def check(root):
    names, words = documented((root / "docs/operations.md").read_text()), tested(root)
    problems = [f"`{name}`: no test in {', '.join(FOLDERS)}; documented as {row[:100]}"
                for name, row in names.items() if name not in words and name not in EXCEPTIONS]
    problems += [f"`{name}`: an exception that is none: it is tested, or not documented"
                 for name in EXCEPTIONS if name not in names or name in words]
    if not names:
        problems.append("docs/operations.md names nothing")
    return problems, len(names)


def selftest():
    def verdict(document, test):
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            for name, text in {"docs/operations.md": document, "tests/unit/a.cpp": test}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return [problem for problem in check(root)[0] if "an exception that is none" not in problem]

    document = "| Call | Meaning |\n|---|---|\n| `exp(x)` `sort` | says `words` |\n| `one_hot<T>(labels)` | |\n"
    test = "exp(x); sort(x); one_hot<float>(y);"
    broken = {  # what must be found: the document, the test
        "`sort`: no test": (document, test.replace("sort(x);", "")),
        "`exp`: no test": (document, test.replace("exp(x);", "// exp(x)\n")),
        "`one_hot`: no test": (document, test.replace("one_hot<float>(y);", '"one_hot(y)";')),
        "names nothing": ("", test),
    }
    wrong = [f"a good tree is rejected: {problem}" for problem in verdict(document, test)]
    for complaint, (text, code) in broken.items():
        problems = verdict(text, code)
        if len(problems) != 1 or complaint not in problems[0]:
            wrong.append(f"expected '{complaint}', got {problems}")
    for line in wrong:
        print("FAILED", line)
    print(f"selftest: {len(broken)} broken trees, {len(wrong)} wrong answers")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=pathlib.Path)
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    if options.selftest:
        return selftest()
    problems, count = check(options.root)
    for problem in problems:
        print("FAILED", problem)
    print(f"{len(problems)} problems, {count} names")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
