#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that relative links in the tree's Markdown lead to files that exist, and to headings in them.

Anchors are those that GitHub makes of headings: lower case, spaces as hyphens, punctuation left out, `-1` for the second of a name.
Links to the web are not followed. No page stands alone: each of docs/ is reached from README.md.
"""
import argparse
import pathlib
import re
import sys
import tempfile

LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^()\s]+)\)")
SKIPPED = ("build", ".deps", ".git")


def prose(text):
    """The text without blocks of code and without `code`."""
    text = re.sub(r"^( *)(```+)[^\n]*\n.*?^\1\2[ ]*$", lambda block: "\n" * block.group().count("\n"), text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "", text)


def anchor(heading, found):
    """The name of a heading; `found` counts those before it."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    count = found.get(name, 0)
    found[name] = count + 1
    return f"{name}-{count}" if count else name


def anchors(path):
    found = {}
    text = re.sub(r"^( *)(```+)[^\n]*\n.*?^\1\2[ ]*$", "", path.read_text(), flags=re.M | re.S)
    names = [anchor(heading, found) for heading in re.findall(r"^#{1,6}\s+(.*?)\s*$", text, flags=re.M)]
    return set(names) | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def documents(root):
    return [path for path in sorted(root.rglob("*.md")) if path.relative_to(root).parts[0] not in SKIPPED]


def check(root):
    """Problems as sentences, and the number of links that were looked at."""
    problems, looked, leads = [], 0, {}
    for document in documents(root):
        name = document.relative_to(root).as_posix()
        leads[document] = set()
        text = prose(document.read_text())
        for found in LINK.finditer(text):  # which may stand in two lines
            number, link = text.count("\n", 0, found.start()) + 1, found.group(1)
            if re.match(r"[a-z]+:", link):
                continue
            looked += 1
            path, _, anchor = link.partition("#")
            target = (document.parent / path).resolve() if path else document
            leads[document].add(target)
            if not target.exists():
                problems.append(f"{name}:{number}: {path} does not exist")
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                problems.append(f"{name}:{number}: {path or name} has no heading #{anchor}")
    reached, waiting = set(), [root / "README.md"]
    while waiting:
        document = waiting.pop()
        if document not in reached:
            reached.add(document)
            for target in leads.get(document, ()):
                waiting += sorted(target.glob("*.md")) if target.is_dir() else [target]
    for document in leads:
        if (root / "docs") in document.parents and document not in reached:
            problems.append(f"{document.relative_to(root).as_posix()}: no link leads here from README.md")
    return problems, looked


def selftest():
    good = {"README.md": "# A title\n[b](docs/b.md#two-words) `[no](link)` [web](https://x.y/z)\n```\n[no](link)\n```\n",
            "docs/b.md": "# B\n## Two `words`\n## Two words\n[up](../README.md#a-title) [second](#two-words-1)\n"}
    cases = [({}, None), ({"README.md": good["README.md"].replace("b.md", "c.md")}, "does not exist"),
             ({"docs/b.md": good["docs/b.md"].replace("#a-title", "#title")}, "has no heading"),
             ({"README.md": good["README.md"].replace("[b](docs/b.md", "[b\nc](docs/c.md")}, "does not exist"),
             ({"docs/c.md": "# C\n"}, "no link leads here")]
    wrong = 0
    for change, complaint in cases:
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch).resolve()
            for name, text in {**good, **change}.items():
                (root / name).parent.mkdir(exist_ok=True)
                (root / name).write_text(text)
            problems, looked = check(root)
        if not (any(complaint in problem for problem in problems) if complaint else not problems and looked == 3):
            wrong += 1
            print(f"FAILED: expected {complaint or 'no problem'}, got {problems}, {looked} links")
    print(f"selftest: {len(cases)} trees, {wrong} wrong answers")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=pathlib.Path)
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    if options.selftest:
        return selftest()
    problems, looked = check(options.root.resolve())
    for problem in problems:
        print("FAILED", problem)
    print(f"{looked} links, {len(problems)} problems")
    return 1 if problems or not looked else 0


if __name__ == "__main__":
    sys.exit(main())
