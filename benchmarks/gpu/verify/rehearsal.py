# SPDX-License-Identifier: Apache-2.0
"""`scripts/gpu --rehearse` from an archive: as on a machine that has nothing but what was carried there. Packs, copies
what git has of the tree into an empty folder with the archive beside it, runs there until it is interrupted, and then
goes on."""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pack
from toolchain import ROOT

SCRIPT = Path("scripts") / "gpu"


def copy_tree(copy):
    ask = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(ask, cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:  # no checkout
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("build", ".deps", ".git"))
        return
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)


def read(findings):
    path = findings / "findings.json"
    return json.loads(path.read_text()) if path.is_file() else {"items": {}, "stages": {}}


def interrupt(command, folder, findings):
    """Starts the command, and ends it in the middle: when a first test has passed. What had passed by then; nothing if it
    came to its end."""
    process = subprocess.Popen(command, cwd=folder)
    while process.poll() is None:
        time.sleep(0.2)
        if any(item["passed"] for item in read(findings)["items"].get("tests", {}).values()):
            process.kill()  # as a machine is that goes away
            process.wait()
            break
    if process.returncode == 0:
        return {}
    passed = {name: item for name, item in read(findings)["items"].get("tests", {}).items() if item["passed"]}
    print(f"\ninterrupted (exit code {process.returncode}) when {len(passed)} files of tests had passed\n", flush=True)
    return passed


def rehearse(arguments):
    """Exit code 0 if all went as it should: nothing was compiled over there, nothing that had passed ran again, and an
    archive of another tree was refused."""
    archive = arguments.build / "rehearsal" / pack.ARCHIVE.name
    options = [word for word in ("--quick",) if arguments.quick]
    options += [f"--{name}={value}" for name, value in {"jobs": arguments.jobs, "deps": arguments.deps}.items() if value]
    command = [sys.executable, ROOT / SCRIPT, "pack", "--rehearse", *options, f"--build={arguments.build}", f"--archive={archive}"]
    if code := subprocess.run(command).returncode:
        return code
    wrong = []
    with tempfile.TemporaryDirectory(prefix="situ_rehearsal_") as scratch:
        copy = Path(scratch) / "tree"
        copy_tree(copy)
        there = copy / pack.ARCHIVE.relative_to(ROOT)
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(archive, there)
        findings = arguments.findings
        shutil.rmtree(findings, ignore_errors=True)
        command = [sys.executable, copy / SCRIPT, "--rehearse", "--here", *options]
        command += [f"--minutes={arguments.minutes}", f"--findings={findings}", *arguments.stages]
        before = interrupt(command, copy, findings)
        code = subprocess.run(command, cwd=copy).returncode
        after = read(findings)
        again = [name for name, item in before.items() if after["items"]["tests"].get(name) != item]
        wrong += [f"{name} had passed, and ran again" for name in again]
        wrong += [] if before else ["no test had passed, or it ended, before it could be interrupted"]
        built = [path.name for path in (copy / "build" / "gpu").rglob("*.o")]
        wrong += [f"compiled over there: {', '.join(built[:5])}"] if built else []
        with open(copy / "tests" / "main.cpp", "a") as file:
            file.write("// another tree\n")
        refused = subprocess.run(command, cwd=copy, capture_output=True, text=True)
        if refused.returncode != 2 or "tests/main.cpp" not in refused.stderr:
            wrong.append(f"the archive of another tree was not refused: {refused.returncode}, {refused.stderr[-300:]}")
    files = sorted(findings.iterdir())
    large = [path.name for path in files if path.stat().st_size > 1_000_000]
    wrong += [f"{len(files)} files of findings, {', '.join(large) or 'none'} too large"] if len(files) > 6 or large else []
    for line in wrong:
        print(f"FAILED {line}", file=sys.stderr)
    return code or bool(wrong)
