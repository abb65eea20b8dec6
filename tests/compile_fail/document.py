#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the second half of docs/errors.md, "Every refused program", from the cases and from what compilers said to them.

    document.py                                checks that the page is what the cases make it
    document.py --write                        writes it
    document.py --record --compiler=gcc:g++ --include=... [--all]
                                               asks a compiler about the cases that said.json does not have yet (or about all),
                                               keeps its answers there, and writes the page

said.json has, for each case and kind of compiler, the first line that says `error`, without the place, and where that does not
name the fix, the first line behind it that does. The check needs no compiler: each case must be there, its answers must be
those that the case asks for (`// first:`), each name of an error must have a line in causes.txt, and each line there a case.
"""
import argparse
import collections
import difflib
import json
import pathlib
import re
import sys
import tempfile

import run

HERE = pathlib.Path(__file__).resolve().parent
SAID = HERE / "said.json"
CAUSES = HERE / "causes.txt"
PAGE = HERE.parent.parent / "docs" / "errors.md"
MARK = "<!-- Below: made by tests/compile_fail/document.py -->"
NAMES = {"gcc": "g++", "clang": "clang++", "nvcc": "nvcc"}
GUARD = re.compile(r"(\w+)(?:<[^<>]*(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>[^<>]*)*>)?::(?:template )?(fix_\w+|has_no_kernel_for)")


def answers(output):
    """What is kept of a message: the first error, and what names the fix where that does not."""
    lines = output.replace(f"{HERE.parent.parent}/", "").splitlines()
    at = next(i for i, line in enumerate(lines) if run.FIRST_ERROR.search(line))
    said = [lines[at][run.FIRST_ERROR.search(lines[at]).end():].strip()]
    if "fix_" not in said[0]:
        said += [line.split("note: ", 1)[-1].strip() for line in lines[at + 1:] if "::fix_" in line][:1]
    return said


def record(said, cases, compiler, everything):
    asked = [case for case in cases if case.value("skip", compiler) is None
             and (everything or compiler.kind not in said.get(case.name, {}))]
    with tempfile.TemporaryDirectory() as scratch:
        options = run.precompiled_for(compiler, asked, scratch, 1) if compiler.kind != "nvcc" and len(asked) > 20 else {}
        for case in asked:
            code, output = case.compile_mistake(compiler, options.get(case.name, ()))
            if case.judge(compiler, code, output) and case.name in options:
                code, output = case.compile_mistake(compiler)
            if problems := case.judge(compiler, code, output):
                print(f"FAILED {case.name}: {problems[0]}\n{output}")
                continue
            said.update(json.loads(SAID.read_text()))  # what somebody else may have recorded meanwhile
            said.setdefault(case.name, {})[compiler.kind] = answers(output)
            SAID.write_text(json.dumps(said, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    print(f"{len(asked)} cases recorded with {compiler.command}")


def variant(text, control, includes=False):
    """The lines of a case that one of its two programs has, without comments and, where nobody asks, includes."""
    lines, taken = [], [True]
    for line in text.splitlines():
        word = re.match(r"\s*#\s*(ifdef|ifndef|else|endif)\b\s*(\w*)", line)
        if not word:
            left_out = r"\s*(//|using namespace)" if includes else r"\s*(//|#|using namespace)"
            if all(taken) and line.strip() and not re.match(left_out, line):
                lines.append(line)
        elif word.group(1) == "else":
            taken[-1] = not taken[-1]
        elif word.group(1) == "endif":
            taken.pop()
        else:
            taken.append(word.group(2) != "SITU_CONTROL" or (word.group(1) == "ifdef") == control)
    return lines


def difference(case):
    """The mistake and its correction as the lines of a diff block; with the line that says the types of the names."""
    text = case.path.read_text()
    wrong, right = variant(text, False), variant(text, True)
    if wrong == right:  # it is what they include
        wrong, right = variant(text, False, True), variant(text, True, True)
    removed, added, context = [], [], []
    for step, i, j, k, m in difflib.SequenceMatcher(None, wrong, right, autojunk=False).get_opcodes():
        if step != "equal":
            if not removed and not added:
                context = [line for line in wrong[:i] if "mistake(" in line][-1:]
            removed, added = removed + wrong[i:j], added + right[k:m]
    if any("mistake(" in line for line in removed + added):
        context = []
    flags = next((value for name, _, value in case.directives if name == "flags"), None)
    if flags:  # the program is right, the way to compile it is not
        removed, added, context = [f"g++ {flags}"], ["g++ -O3"], []
    return [f"  {line.strip()}" for line in context] + [f"- {line.strip()}" for line in removed] + [
        f"+ {line.strip()}" for line in added]


def comment(case):
    """The sentences at the top of the case."""
    lines = []
    for line in case.path.read_text().splitlines()[1:]:
        if not line.startswith("//") or run.DIRECTIVE.match(line):
            break
        lines.append(line[2:].strip())
    return " ".join(lines).replace(", see docs/errors.md", "")


def guard_of(case, said):
    """The name of the error, by what g++ says; of those that hand on a reason, the reason."""
    names = [name for name, _ in GUARD.findall(" ".join(said[case.name].get("gcc", [])))]
    return names[-1] if names else "words of the compiler"


def read_causes():
    """{theme: {guard: cause}}, as causes.txt has them."""
    themes, theme = {}, None
    for line in CAUSES.read_text().splitlines():
        if line.startswith("## "):
            theme = themes.setdefault(line[3:], {})
        elif line and not line.startswith("#"):
            name, cause = line.split(": ", 1)
            theme[name] = cause
    return themes


def anchor(title):
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def render(cases, said):
    groups = collections.defaultdict(list)
    for case in cases:
        groups[guard_of(case, said)].append(case)
    themes = read_causes()
    known = {name for theme in themes.values() for name in theme}
    problems = [f"causes.txt has no line '{name}: ...', for {groups[name][0].name}" for name in groups if name not in known]
    problems += [f"causes.txt: no case has {name}" for name in known if name not in groups]
    text = ["## Every refused program", "",
            f"{len(cases)} programs that a test compiles and that must be refused, by the name of their error. `-` is refused, `+` is right; the",
            "name before the sentence is the file in `tests/compile_fail/`. Below each name stands what compilers say to the first program",
            "under it: the line with `error`, and where that does not name the fix, the line below that does.", ""]
    for theme, guards in themes.items():
        text.append(f"- [{theme}](#{anchor(theme)}): " + ", ".join(
            f"[{name.replace('_', ' ')}](#{anchor(name)})" for name in guards))
    for theme, guards in themes.items():
        text += ["", f"### {theme}"]
        for name, cause in guards.items():
            members = sorted(groups[name], key=lambda case: (
                f"situ::{name}" not in said[case.name]["gcc"][0][:40], not any(word == "kind" for word, _, _ in case.directives)))
            text += ["", f"#### {name}", "", cause]
            shown = members if name == "words of the compiler" else members[:1]
            for case in shown:
                text += ["", "```text"]
                for kind, compiler in NAMES.items():
                    for line, words in enumerate(said[case.name].get(kind, [])):
                        text.append(f"{compiler + ':' if line == 0 else '':9}{words}")
                text += ["```"]
                if name == "words of the compiler":
                    text += ["", "```diff", f"  {case.name}: {comment(case)}", *difference(case), "```"]
            if name != "words of the compiler":
                blocks = [[f"  {case.name}: {comment(case)}", *difference(case)] for case in members]
                text += ["", "```diff"] + [line for block in blocks for line in [*block, ""]][:-1] + ["```"]
    return "\n".join(text) + "\n", problems


def check(cases, said):
    """What is wrong with said.json, as sentences."""
    problems = []
    for case in cases:
        if "gcc" not in said.get(case.name, {}):
            problems.append(f"said.json has no answer of g++ to {case.name}: document.py --record")
        for kind, words in said.get(case.name, {}).items():
            expected = case.value("first", run.Compiler(kind, "", []))
            if not re.search(expected, words[0]):
                problems.append(f"{case.name}: what {kind} said is not /{expected}/ any more: document.py --record --all")
    problems += [f"said.json: there is no case {name}" for name in said if not any(case.name == name for case in cases)]
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--all", action="store_true", help="ask again about cases that are recorded")
    parser.add_argument("--compiler", default="gcc:g++", metavar="KIND:COMMAND")
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--cases", default="", metavar="REGEX")
    options = parser.parse_args()
    cases = run.read_cases(HERE)
    said = json.loads(SAID.read_text())
    if options.record:
        kind, command = options.compiler.split(":", 1)
        compiler = run.Compiler(kind, command, [part for i, folder in enumerate(options.include)
                                                for part in ("-isystem" if i else "-I", folder)])
        if not compiler.probe():
            sys.exit(f"{command} not found")
        record(said, [case for case in cases if re.search(options.cases, case.name)], compiler, options.all)
        for gone in set(said) - {case.name for case in cases}:
            del said[gone]
    problems = check(cases, said)
    if not problems:
        made, problems = render(cases, said)
        before, _, now = PAGE.read_text().partition(MARK + "\n")
        if options.write or options.record:
            PAGE.write_text(before + MARK + "\n" + made)
        elif now != made:
            problems.append("docs/errors.md is not what the cases make it: tests/compile_fail/document.py --write")
    for problem in problems:
        print("FAILED", problem)
    print(f"{len(cases)} cases, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
