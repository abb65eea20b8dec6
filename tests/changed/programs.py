# SPDX-License-Identifier: Apache-2.0
"""Compiles files of tests one by one, each as a program of its own, and runs its tests: for scripts/changed.

The folder is configured by CMake, which says how each file is compiled, what its program is linked with, and which tests CTest
makes of it; CMake itself would link a file with all others of its program. What all of them have in common, the library's compiled
part and the precompiled headers, is built by Ninja.
"""
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import threading
import time

UNKNOWN = 25  # seconds that a test takes of which nothing is known: few take longer
LEAST = 4  # tests that run when the time is over before the first, as after a change that all is compiled again for
# Files without tests, which those of their program need; and files that make one test.
SHARED = ("golden/read.cpp.o", "allocation/counted.cpp.o")
ONE_TEST = ("golden/golden", "golden/unary", "golden/binary", "golden/reductions", "golden/structure")
COMPILED_ONLY = "situ_static"


class Failed(Exception):
    """With what was said."""


def done(command, **more):
    """(whether it succeeded or was skipped, all that it said)"""
    ended = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           errors="replace", **more)
    return ended.returncode in (0, 77), ended.stdout + (f"\nexit code {ended.returncode}" if ended.returncode else "")


class Build:
    def __init__(self, source, folder, jobs):
        self.source, self.folder, self.jobs, self.lock = source, folder, jobs, threading.Lock()
        self.scratch = folder / "changed"
        self.times_file = self.scratch / "times.json"
        self.links = {}

    def is_there(self):
        return (self.folder / "build.ninja").is_file()

    def must(self, what, command):
        good, output = done(command)
        if not good:
            raise Failed(f"{what} failed:\n{output[-6000:]}")

    def ninja(self, what, targets):
        self.must(what, ["ninja", "-C", self.folder, "-k0", f"-j{self.jobs}", *targets])

    def asked(self, *words):
        """What one of Ninja's tools says."""
        return done(["ninja", "-C", self.folder, "-t", *words])[1]

    def configure(self):
        if self.is_there():
            self.ninja("configuring", ["build.ninja"])
        else:
            compiler = os.environ.get("CXX") or shutil.which("clang++") or shutil.which("g++") or "c++"
            self.must("configuring", ["cmake", "-S", self.source, "--preset", "dev", "-B", self.folder, "-G", "Ninja",
                                      f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_CXX_FLAGS_DEBUG=-O0", "-DSITU_TEST_ALL=ON",
                                      "-DSITU_JOIN_TESTS=OFF"])
        self.scratch.mkdir(exist_ok=True)
        self.times = json.loads(self.times_file.read_text()) if self.times_file.is_file() else {}
        self.commands = {}  # of each file
        for entry in json.loads((self.folder / "compile_commands.json").read_text()):
            self.commands.setdefault(entry["file"], []).append(entry["command"])
        # ctest itself tells no command before the program is there.
        text = (self.folder / "tests" / "CTestTestfile.cmake").read_text()
        self.tests = {name: re.findall(r'"((?:[^"\\]|\\.)*)"', words)
                      for name, words in re.findall(r"^add_test\(\[=\[(.+?)\]=\] (.*)\)$", text, re.M)}
        environments = dict(re.findall(r'^set_tests_properties\(\[=\[(.+?)\]=\].*? ENVIRONMENT "(.*?)" ', text, re.M))
        self.doctests = {}  # of each program: (arguments, environment)
        for name, (program, *arguments) in self.tests.items():
            if "--no-version" in arguments:
                environment = dict(word.split("=", 1) for word in environments.get(name, "").split(";") if "=" in word)
                self.doctests.setdefault(pathlib.Path(program).name, []).append((arguments, environment))

    def compile_command(self, path):
        """The words that compile a file of tests, and the program that it is of; None, None where this build has none."""
        for command in self.commands.get(str(path), []):
            program = re.search(r"/CMakeFiles/(\w+)\.dir/", command.rpartition(" -o ")[2])
            if program and (program[1] in self.doctests or program[1] == COMPILED_ONLY):
                return shlex.split(command), program[1]
        return None, None

    def link_command(self, program):
        with self.lock:
            if program not in self.links:
                line = self.asked("commands", program).splitlines()[-1]
                self.links[program] = shlex.split(line.removeprefix(": && ").removesuffix(" && :"))
            return self.links[program]

    def prepare(self, compiled):
        """Builds what `compiled`, a list of (words, program), have in common, so far as it is not there."""
        wanted = {word.removeprefix(f"{self.folder}/") for words, _ in compiled for word in words if "/cmake_pch.hxx" in word}
        for program in {program for _, program in compiled} - {COMPILED_ONLY}:
            wanted.update(word for word in self.link_command(program)
                          if word.endswith((".a", *SHARED)) or "/situ_test_main.dir/" in word)
        known = set(re.findall(r"^(\S+): ", self.asked("targets", "all"), re.M))
        wanted = {name for word in wanted for name in (word, f"{word}.gch") if name in known and not name.endswith(".hxx")}
        self.ninja("compiling what the tests have in common", sorted(wanted))

    def test(self, name, path, words, program):
        """(whether the file compiles and its tests pass, what was said, what failed)"""
        place = self.scratch / name.replace("/", ".")
        words = [*words, "-w"]  # for warnings there are the headers alone, and the whole suite
        words[words.index("-o") + 1] = f"{place}.o"
        try:
            good, output = done(words, cwd=self.folder)
            if not good or program == COMPILED_ONLY:
                return good, output, "does not compile"
            own = f"CMakeFiles/{program}.dir/"
            parts = [f"/{part}.cpp.o" for part in ONE_TEST if name in ONE_TEST and part != name]
            link = [word for word in self.link_command(program) if own not in word or word.endswith((*SHARED, *parts))]
            if parts:
                with self.lock:
                    self.ninja("compiling the parts of a test", [word for word in link if own in word])
            at = link.index("-o")
            link[at:at + 2] = [f"{place}.o", "-o", str(place)]
            good, output = done(link, cwd=self.folder)
            if not good:
                return good, output, "does not link"
            for arguments, environment in self.doctests[program]:
                files = [word.partition("=")[2] for word in arguments if word.startswith("--source-file=")]
                if all(fnmatch.fnmatch(path.as_posix(), file) for file in files):
                    good, output = done([place, *arguments], cwd=self.folder / "tests", env={**os.environ, **environment})
                    if re.search("test cases: *0 ", output):
                        good = False
                    if not good:
                        return good, output, " ".join(f"{key}={value}" for key, value in environment.items() if "SITU" in key)
            return True, "", ""
        finally:
            for suffix in (".o", ""):
                pathlib.Path(f"{place}{suffix}").unlink(missing_ok=True)


class Run:
    """What passed and failed, within some seconds."""

    def __init__(self, build, seconds):
        self.build, self.begin, self.seconds = build, time.monotonic(), seconds
        self.failed, self.passed, self.lock = [], 0, threading.Lock()

    def spent(self):
        return time.monotonic() - self.begin

    def say(self, name, good, seconds, output):
        with self.lock:
            print(f"{'passed' if good else 'FAILED'} {seconds:6.1f} s  {name}", flush=True)
            self.passed += good
            if not good:
                self.failed.append(name)
                print("\n".join(output.strip().splitlines()[-60:]), flush=True)
        return good

    def command(self, name, words, **more):
        begin = time.monotonic()
        good, output = done(words, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, **more)
        return self.say(name, good, time.monotonic() - begin, output)

    def tests(self, order, files, compiled):
        """Runs of `order` what there is time for; returns that."""
        begun, waiting = [], list(order)

        def take():
            while True:
                with self.lock:
                    left = self.seconds - self.spent()
                    name = next((name for name in waiting
                                 if self.build.times.get(name, UNKNOWN) < left or len(begun) < LEAST), None)
                    if name is None:
                        return
                    waiting.remove(name)
                    begun.append(name)
                begin = time.monotonic()
                good, output, what = self.build.test(name, files[name], *compiled[name])
                seconds = time.monotonic() - begin
                self.build.times[name] = round(seconds, 1)
                self.say(name if good or not what else f"{name} ({what})", good, seconds, output)

        with concurrent.futures.ThreadPoolExecutor(self.build.jobs) as pool:
            for one in [pool.submit(take) for _ in range(self.build.jobs)]:
                one.result()
        self.build.times_file.write_text(json.dumps(self.build.times, indent=1, sort_keys=True))
        return begun
