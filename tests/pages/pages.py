# SPDX-License-Identifier: Apache-2.0
"""What the checks of this folder have in common: trees that they must reject, and what they print."""
import pathlib
import tempfile


def selftest(check, good, broken):
    """`check(root)` gives its problems first. It must accept a tree of the files `good`, {name: text}, and complain of each of
    `broken`, {words of the complaint: files that differ}. The exit code."""
    def verdict(files):
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return check(root)[0]

    wrong = [f"a good tree is rejected: {problem}" for problem in verdict(good)]
    for complaint, change in broken.items():
        problems = verdict({**good, **change})
        if not any(complaint in problem for problem in problems):
            wrong.append(f"expected '{complaint}', got {problems}")
    for line in wrong:
        print("FAILED", line)
    print(f"selftest: {len(broken)} broken trees, {len(wrong)} wrong answers")
    return 1 if wrong else 0


def report(problems, count, what):
    """Prints the problems; the exit code, which is an error also where nothing was checked."""
    for problem in problems:
        print("FAILED", problem)
    print(f"{len(problems)} problems, {count} {what}")
    return 1 if problems or not count else 0
