#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that code in the documents is quoted from files that are compiled or from output that is checked.

In README.md and docs/**/*.md a comment before a code block names its source,

    <!-- from: examples/readme.cpp#region -->

and that file marks the region by two lines, `// [region]` and `// [region-end]` (`#` starts them in scripts). The block
must be the lines between, common indentation removed. `<!-- from: path -->` quotes the whole file. Every block that
says ```cpp must have a source.
"""
import argparse
import pathlib
import re
import sys
import tempfile
import textwrap

FENCE = re.compile(r"^( *)(```+)(\w*)\s*$")
SOURCE = re.compile(r"^\s*<!-- from: (\S+?)(?:#([\w-]+))? -->\s*$")


def region(text, name):
    """The lines of `text` between the marks of `name`, or None when a mark is missing."""
    lines = text.splitlines()
    marks = [[i for i, line in enumerate(lines) if re.match(rf"\s*(//|#) \[{re.escape(mark)}\]\s*$", line)]
             for mark in (name, name + "-end")]
    if len(marks[0]) != 1 or len(marks[1]) != 1 or marks[0] >= marks[1]:
        return None
    return "\n".join(lines[marks[0][0] + 1:marks[1][0]])


def plain(text):
    return "\n".join(line.rstrip() for line in textwrap.dedent(text).strip("\n").splitlines())


def check(root):
    """Problems as sentences, and the number of blocks compared."""
    problems, compared = [], 0
    documents = [path for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))] if path.exists()]
    for document in documents:
        name = document.relative_to(root).as_posix()
        source, lines, i = None, document.read_text().splitlines(), 0
        while i < len(lines):
            match, fence = SOURCE.match(lines[i]), FENCE.match(lines[i])
            where = f"{name}:{i + 1}"
            if match:
                source = match
            elif fence:
                body = []
                i += 1
                while i < len(lines) and lines[i].strip() != fence.group(2):
                    body.append(lines[i])
                    i += 1
                if source:
                    compared += 1
                    path, mark = root / source.group(1), source.group(2)
                    if not path.exists():
                        problems.append(f"{where}: {source.group(1)} does not exist")
                    else:
                        text = path.read_text()
                        quoted = region(text, mark) if mark else text
                        if quoted is None:
                            problems.append(f"{where}: {source.group(1)} has no region [{mark}] ... [{mark}-end]")
                        elif plain(quoted) != plain("\n".join(body)):
                            problems.append(f"{where}: the block differs from {source.group(1)}#{mark or ''}")
                elif fence.group(3) in ("cpp", "c++"):
                    problems.append(f"{where}: a C++ block without '<!-- from: path#region -->' before it")
                source = None
            elif lines[i].strip():
                if source:
                    problems.append(f"{where}: '<!-- from: ... -->' is not followed by a code block")
                source = None
            i += 1
    return problems, compared


def selftest():
    code = "int main() {\n  // [part]\n  int x = 1;\n    int y = 2;\n  // [part-end]\n}\n"
    good = "Text.\n\n<!-- from: examples/a.cpp#part -->\n```cpp\nint x = 1;\n  int y = 2;\n```\n\n```sh\nls\n```\n"
    cases = {
        good: None,
        good.replace("y = 2", "y = 3"): "differs",
        good.replace("#part", "#other"): "has no region",
        good.replace("a.cpp", "b.cpp"): "does not exist",
        good.replace("<!-- from: examples/a.cpp#part -->\n", ""): "without",
        good.replace("-->\n", "-->\nwords\n"): "not followed",
    }
    wrong = 0
    for text, complaint in cases.items():
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            (root / "examples").mkdir()
            (root / "examples/a.cpp").write_text(code)
            (root / "README.md").write_text(text)
            problems, compared = check(root)
        fine = (not problems and compared == 1) if complaint is None else any(complaint in p for p in problems)
        if not fine:
            wrong += 1
            print(f"FAILED: expected {complaint or 'no problem'}, got {problems}")
    print(f"selftest: {len(cases)} documents, {wrong} wrong answers")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=pathlib.Path)
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    if options.selftest:
        return selftest()
    problems, compared = check(options.root)
    if compared == 0:
        problems.append("no document quotes any code")
    for problem in problems:
        print("FAILED", problem)
    print(f"{compared} blocks compared, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
