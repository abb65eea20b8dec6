#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a check of what compilers say, unless it passed before with the same files and the same compiler.

    unchanged.py --tree FOLDER --reads PATH... [--compiler COMMAND]... -- COMMAND...
    unchanged.py --selftest

A compiler's answer depends on the compiler, the command and the files that it reads. A cache such as ccache keeps objects; it
keeps no refusal, and nothing of what only checks syntax. So this does: where SITU_PASSED_BEFORE names a folder, a file there
stands for a command that passed. Its name is a sum of the command, of what the compilers say of their versions, and of the names
and contents of all files below the PATHs and below the folders that the command itself names by --include. The tree's own folder
counts as one name, so that another clone finds it.

A check that failed or was skipped runs again. So does every check without SITU_PASSED_BEFORE: scripts/test sets it where ccache is.
"""
import argparse
import datetime
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time

KEPT_DAYS = 60


def files_below(paths):
    for path in paths:
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
        elif path.is_file():
            yield path


def sum_of(tree, reads, compilers, command):
    found = hashlib.sha256()

    def add(data):
        found.update(len(data).to_bytes(8, "little"))
        found.update(data)

    for word in command:
        add(word.replace(str(tree), "TREE").encode())
    for compiler in compilers:
        add(subprocess.run([compiler, "--version"], capture_output=True, check=True).stdout)
    includes = [pathlib.Path(word.split("=", 1)[1]) for word in command if word.startswith("--include=")]
    for file in files_below([*reads, *(folder for folder in includes if not folder.is_relative_to(tree))]):
        add(str(file).replace(str(tree), "TREE").encode())
        add(file.read_bytes())
    return found.hexdigest()


def forget_old(folder):
    for file in folder.iterdir():
        if time.time() - file.stat().st_mtime > KEPT_DAYS * 86400:
            file.unlink(missing_ok=True)


def selftest():
    failures = []
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        passed = scratch / "passed"

        def check(what, runs, tree="tree", code=0, compiler="true", folder=passed, word="one"):
            """Whether a check that writes a file does so, in a clone called `tree`."""
            ran = scratch / "ran"
            ran.unlink(missing_ok=True)
            script = f"open({str(ran)!r}, 'w'); import sys; sys.exit({code})"
            done = subprocess.run(
                [sys.executable, __file__, f"--tree={scratch / tree}", f"--reads={scratch / tree / 'include'}", f"--compiler={compiler}",
                 "--", sys.executable, "-c", script, word, str(scratch / tree / "file")],
                env={**os.environ, "SITU_PASSED_BEFORE": str(folder) if folder else ""}, capture_output=True, text=True)
            if ran.exists() != runs or done.returncode != code:
                failures.append(f"{what}: {'ran' if ran.exists() else 'did not run'}, code {done.returncode}, said {done.stdout}")

        for tree in ("tree", "another"):
            (scratch / tree / "include").mkdir(parents=True)
            (scratch / tree / "include" / "header.hpp").write_text("one")
        check("one that fails", runs=True, code=1)
        check("one that failed before", runs=True, code=1)
        check("one that is skipped", runs=True, code=77)
        check("one that was skipped before", runs=True, code=77)
        check("the first time", runs=True)
        check("the second time", runs=False)
        check("in another clone", runs=False, tree="another")
        check("nothing is kept", runs=True, folder=None)
        check("another word", runs=True, word="two")
        check("another compiler", runs=True, compiler=sys.executable)
        check("no such compiler", runs=True, compiler="no-such-compiler")
        (scratch / "tree" / "include" / "header.hpp").write_text("two")
        check("a file that changed", runs=True)
        (scratch / "tree" / "include" / "header.hpp").rename(scratch / "tree" / "include" / "renamed.hpp")
        check("a file of another name", runs=True)
        (scratch / "tree" / "include" / "header.hpp").write_text("two")
        check("a file more", runs=True)
    print("\n".join(failures) or "what passed is not run again, and all else is")
    return 1 if failures else 0


def main():
    words = sys.argv[1:]
    if words == ["--selftest"]:
        return selftest()
    split = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tree", required=True, type=pathlib.Path)
    parser.add_argument("--reads", required=True, action="append", type=pathlib.Path)
    parser.add_argument("--compiler", action="append", default=[])
    options = parser.parse_args(words[:split])
    command = words[split + 1:]
    folder = os.environ.get("SITU_PASSED_BEFORE")
    if not folder:
        return subprocess.run(command).returncode
    try:
        name = sum_of(options.tree.resolve(), [path.resolve() for path in options.reads], options.compiler, command)
    except (OSError, subprocess.CalledProcessError):
        return subprocess.run(command).returncode  # no such compiler: the check itself says so
    passed = pathlib.Path(folder) / name
    if passed.is_file():
        os.utime(passed)
        print(f"{passed.read_text()}\nunchanged: passed with the same files and compiler on "
              f"{datetime.datetime.fromtimestamp(passed.stat().st_ctime):%Y-%m-%d}")
        return 0
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, errors="replace")
    print(done.stdout, end="")
    if done.returncode == 0:
        passed.parent.mkdir(parents=True, exist_ok=True)
        forget_old(passed.parent)
        scratch = passed.with_suffix(f".{os.getpid()}")
        scratch.write_text("\n".join(done.stdout.splitlines()[-3:]))
        scratch.replace(passed)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
