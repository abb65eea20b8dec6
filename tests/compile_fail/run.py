#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks programs that must not compile: exit code, first error line and length of the message.

Each tests/compile_fail/*.cpp holds one mistake and its correct twin:

    // SPDX-License-Identifier: Apache-2.0
    // first: regex            must be found in the first line that says `error`
    // within: regex           must be found somewhere in the message (may be repeated)
    // lines: 12               most lines in all, blank and summary lines included (default 12, clang 15)
    // skip[nvcc]: reason      not for this compiler
    // alone: reason           the twin cannot share a translation unit with the other twins
    // flags: -fsomething      the mistake is compiled with these; a twin never is
    // kind: what is wrong     the case that stands for all such mistakes, with --one-of-each-kind
    #include <situ/situ.hpp>
    #ifdef SITU_CONTROL
    the correct program
    #else
    the mistake
    #endif

`first`, `within`, `lines`, `skip` and `flags` take a compiler in brackets, `gcc`, `clang`, `nvcc`, or one version as `clang19`;
the most specific line counts, and `within` lines add up. All twins are compiled in one translation unit, each in a
namespace of its own (so a file may define `main`), and one by one only when that fails.

With --precompiled, which is for daily use, cases share what they include, or what that includes, precompiled: what a case sees
is what it includes, and neither more nor less. But the "In file included from" lines are less, and with them the length that is
checked: so those of a kind share only all that they include, where a line names another file and is there. And cases share a
program: each in a namespace, behind cases that include no more than it does, and before an error that marks its end. It is
judged by what is said before that mark and after the one before, if nothing else there or elsewhere names two cases. What does
not pass is judged by what is said without all this, alone. (What an earlier case of the program was told of a template is not
told again: a message that grew by such an error is found without --precompiled only.)
"""
import argparse
import concurrent.futures
import dataclasses
import functools
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
DIRECTIVE = re.compile(r"^// (first|within|lines|skip|alone|flags|kind)(?:\[(\w+)\])?: (.*\S)\s*$")
FIRST_ERROR = re.compile(r"(^|[\s:])error( #[\w-]+)?:")
EVERY_ERROR = {"gcc": ["-fmax-errors=0"], "clang": ["-ferror-limit=0"], "nvcc": ["-Xcudafe", "--error_limit=10000"]}
END = 'static_assert(false, "end of the case");'
QUOTED_END = re.compile(r"[\s\d|]*(" + re.escape(END) + r"|[\s^~]*)")
SUMMARY = re.compile(r"^\d+ (errors?|warnings?)\b.*(generated\.|detected in the compilation of )")
DEFAULT_LINES = {"gcc": 12, "clang": 15, "nvcc": 12}


@dataclasses.dataclass
class Compiler:
    kind: str
    command: str
    flags: list
    version: int = 0

    def find(self):
        """The program's path, or None. nvcc is also looked for where the toolkit puts it."""
        found = shutil.which(self.command)
        if not found and self.command == "nvcc" and pathlib.Path("/usr/local/cuda/bin/nvcc").exists():
            found = "/usr/local/cuda/bin/nvcc"
        return found

    def probe(self):
        path = self.find()
        if not path:
            return False
        self.command = path
        text = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
        # g++ may be a name for clang++ (macOS); what it says of itself decides.
        if self.kind == "gcc" and "clang" in text:
            self.kind = "clang"
        number = re.search(r"release (\d+)\." if self.kind == "nvcc" else r"(\d+)\.\d+", text)
        self.version = int(number.group(1)) if number else 0
        return True

    def compile(self, source, control, flags=()):
        if self.kind == "nvcc":
            command = [self.command, "-x", "cu", "-std=c++20", "-c", "-o", "/dev/null", "-DEIGEN_NO_CUDA"]
        else:
            command = [self.command, "-std=c++20", "-fsyntax-only", "-fno-diagnostics-color" if self.kind == "clang"
                       else "-fdiagnostics-color=never"]
        command += self.flags + (["-DSITU_CONTROL"] if control else []) + [*flags, str(source)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        return done.returncode, done.stdout + done.stderr

    def own_headers(self):
        return next((pathlib.Path(folder) for flag, folder in zip(self.flags, self.flags[1:]) if flag == "-I"), HERE)

    def precompile(self, headers, folder):
        """The options by which a file sees `headers`, precompiled in `folder`; none where that fails."""
        header = folder / "headers.hpp"
        folder.mkdir()
        header.write_text("".join(f"#include {name}\n" for name in headers))
        made = folder / ("headers.hpp.gch" if self.kind == "gcc" else "headers.pch")
        command = [self.command, "-std=c++20", *self.flags, "-x", "c++-header", str(header), "-o", str(made)]
        if subprocess.run(command, capture_output=True).returncode != 0:
            return []
        return ["-include", str(header)] if self.kind == "gcc" else ["-include-pch", str(made)]


class Case:
    def __init__(self, path):
        self.path = path
        self.name = path.stem
        self.directives = []
        for line in path.read_text().splitlines():
            if not line.startswith("//"):
                break
            match = DIRECTIVE.match(line)
            if match:
                self.directives.append(match.groups())

    def values(self, key, compiler):
        """The values of `key` that concern `compiler`, by how closely they name it: version, kind, none."""
        by_rank = [[], [], []]
        for name, target, value in self.directives:
            if name == key:
                if target is None:
                    by_rank[2].append(value)
                elif target == compiler.kind:
                    by_rank[1].append(value)
                elif target == f"{compiler.kind}{compiler.version}":
                    by_rank[0].append(value)
        return by_rank

    def value(self, key, compiler):
        return next((values[0] for values in self.values(key, compiler) if values), None)

    def compile_mistake(self, compiler, precompiled=()):
        return compiler.compile(self.path, False, [*precompiled, *(self.value("flags", compiler) or "").split()])

    def includes(self):
        """The headers that the mistake sees, in their order; None where more than SITU_CONTROL decides which."""
        found, taken = [], [True]
        for word, rest in re.findall(r"^\s*#\s*(\w+)[ \t]*(.*?)\s*$", self.path.read_text(), re.M):
            if word in ("ifdef", "ifndef") and rest == "SITU_CONTROL":
                taken.append(word == "ifndef")
            elif word == "else":
                taken[-1] = not taken[-1]
            elif word == "endif":
                taken.pop()
            elif word == "include":
                if all(taken):
                    found.append(rest)
            else:
                return None
        return tuple(found)

    def judge(self, compiler, code, output):
        """What is wrong with the compiler's answer to the mistake: a list of sentences, empty when nothing is."""
        if code == 0:
            return ["the mistake compiles"]
        problems = []
        if code not in (1, 2) or "internal compiler error" in output:
            problems.append(f"the compiler stopped with code {code}, which is no ordinary compile error")
        lines = output.splitlines()
        first = next((line for line in lines if FIRST_ERROR.search(line)), None)
        expected = self.value("first", compiler)
        if first is None:
            problems.append("the output has no line with 'error:'")
        elif not re.search(expected, first):
            problems.append(f"the first error line does not match /{expected}/")
        for pattern in sum(self.values("within", compiler), []):
            if not re.search(pattern, output):
                problems.append(f"the message does not contain /{pattern}/")
        limit = int(self.value("lines", compiler) or DEFAULT_LINES[compiler.kind])
        if len(lines) > limit:
            problems.append(f"the message has {len(lines)} lines, the limit is {limit}")
        return problems


def read_cases(folder):
    cases = [Case(path) for path in sorted(folder.glob("*.cpp"))]
    for case in cases:
        text = case.path.read_text()
        if not any(name == "first" for name, _, _ in case.directives):
            sys.exit(f"{case.path}: no line '// first: regex' in the comment at the top")
        if "SITU_CONTROL" not in text:
            sys.exit(f"{case.path}: no correct twin under SITU_CONTROL")
    return cases


def failing_controls(compiler, cases, jobs):
    """The cases whose twin does not compile, with the output."""
    together = [case for case in cases if case.value("alone", compiler) is None]
    single = [case for case in cases if case not in together]
    with tempfile.TemporaryDirectory() as scratch:
        batch = pathlib.Path(scratch) / "controls.cpp"
        includes = {}
        for case in together:
            for line in case.path.read_text().splitlines():
                if re.match(r"\s*#\s*include\s*[<\"]", line):
                    includes[line.strip()] = True
        text = "\n".join(includes) + "\n"
        for case in together:
            text += f'namespace control_{case.name} {{\n#include "{case.path}"\n}}\n'
        batch.write_text(text)
        if together and compiler.compile(batch, True)[0] != 0:
            single = cases
    failed = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for case, (code, output) in zip(single, pool.map(lambda c: compiler.compile(c.path, True), single)):
            if code != 0:
                failed.append((case, output))
    if single is cases and not failed:
        print("note: every twin compiles, but not all in one translation unit; mark the odd one with '// alone: reason'")
    return failed


@functools.cache
def included(path):
    """The headers that the file includes whatever the conditions are."""
    found, depth = [], 0
    for word, rest in re.findall(r"^\s*#\s*(\w+)[ \t]*(.*?)\s*$", path.read_text() if path.is_file() else "", re.M):
        depth += word.startswith("if") - (word == "endif")
        if word == "include" and depth == 0:
            found.append(rest)
    return found


def seen(headers, folder):
    """`headers`, and the headers of `folder` that they bring."""
    found, waiting = set(), list(headers)
    while waiting:
        header = waiting.pop()
        if header not in found:
            found.add(header)
            waiting += included(folder / header.strip('<">'))
    return found


def precompiled_for(compiler, cases, scratch, jobs):
    """{case's name: the options by which it sees, precompiled, some of the headers that it includes, or that those include}. What
    is precompiled is read three times as long as by a case (with g++ 12): as long as that is won, what wins most is taken next."""
    folder = compiler.own_headers()
    includes = {case.name: frozenset(case.includes() or ()) for case in cases}
    brings = {name: seen(headers, folder) for name, headers in includes.items()}
    exactly = {case.name for case in cases if case.value("kind", compiler) is not None}
    offers = {*includes.values(), *(frozenset([header]) for headers in brings.values() for header in headers if "<situ/" in header)}
    users = {offer: [name for name, headers in includes.items()
                     if (offer == headers if name in exactly else offer <= brings[name])] for offer in offers}
    size = {offer: len(seen(offer, folder)) for offer in [*offers, frozenset()]}
    chosen = dict.fromkeys(includes, frozenset())

    def won(offer):
        return sum(max(0, size[offer] - size[chosen[name]]) for name in users[offer]) - 3 * size[offer]

    while offers and won(best := max(sorted(offers, key=sorted), key=won)) > 0:
        chosen.update({name: best for name in users[best] if size[best] > size[chosen[name]]})
    chosen = {name: offer for name, offer in chosen.items() if offer}
    wanted = sorted(set(chosen.values()), key=sorted)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        options = dict(zip(wanted, pool.map(lambda headers: compiler.precompile(
            sorted(headers), pathlib.Path(scratch) / str(wanted.index(headers))), wanted)))
    return {name: options[headers] for name, headers in chosen.items()}


def batches(compiler, cases):
    """Lists of cases that a program can hold: what a case sees there is what it includes."""
    brings = {case.name: seen(case.includes() or (), compiler.own_headers()) for case in cases}
    found = []

    def fits(case, batch):
        last = batch[-1]
        if any(other.includes() is None or other.value("flags", compiler) for other in (case, last)):
            return False
        kinds = [other.value("kind", compiler) is not None for other in (case, last)]
        return case.includes() == last.includes() if any(kinds) else brings[last.name] <= brings[case.name]

    for case in sorted(cases, key=lambda case: len(brings[case.name])):
        batch = next((batch for batch in found if fits(case, batch)), None)
        if batch:
            batch.append(case)
        else:
            found.append([case])
    return found


def apart(kind, output, program, batch):
    """{case's name: what the compiler says to it}, of what it says to the program; without those of which it is not sure."""
    paths = {str(case.path): case.name for case in batch}
    regions, includers, way = [[]], {}, []
    for line in output.splitlines():
        file = re.match(r"(/[^:(]+)[:(]", line)
        file = file and file[1]
        included_from = re.match(r"(?:In file included| +) from ([^:]+)(:\d+)", line)
        if file == str(program) and "end of the case" in line and FIRST_ERROR.search(line):
            regions.append([])
        elif included_from and (way or line.startswith("In")):
            way.append(included_from)
        elif not (line == f"{program}: At global scope:" or not regions[-1] and QUOTED_END.fullmatch(line)):
            includers.update(zip([file, *(step[1] for step in way)], way))
            regions[-1].append((file, [] if file in paths else way, line))
            way = []

    def text(region):
        """What would be said of the case alone: g++ says only once in a program where a file is included."""
        lines, told = [], {None, *paths}
        for file, way, line in region:
            if kind == "gcc" and file not in told:
                way, step = [], file
                while step in includers and len(way) < len(includers):
                    way.append(includers[step])
                    step = way[-1][1]
            elif kind == "gcc":
                way = []
            lines += [*(step.string for step in way), line]
            told.add(file)
        return "\n".join(lines)

    summary = "".join("\n" + line for _, _, line in regions[-1] if SUMMARY.search(line))
    rest = [line for _, _, line in regions[-1] if line and not SUMMARY.search(line)]
    names = [{name for path, name in paths.items() if path in text(region)} for region in regions]
    if len(regions) != len(batch) + 1 or (rest and not names[-1]):
        return {}
    return {case.name: text(regions[i]) + summary for i, case in enumerate(batch)
            if names[i] == {case.name} and not any(case.name in others for others in names[:i] + names[i + 1:])}


def compile_batch(compiler, batch, options, scratch):
    """{case's name: exit code and output}; without those whose message has to be asked for alone."""
    if len(batch) == 1:
        return {batch[0].name: batch[0].compile_mistake(compiler, options)}
    program = pathlib.Path(scratch) / f"with_{batch[0].name}.cpp"
    text, done = "", set()
    for case in batch:
        text += "".join(f"#include {header}\n" for header in case.includes() if header not in done)
        text += f'namespace mistake_{case.name} {{\n#include "{case.path}"\n}}\n{END}\n'
        done.update(case.includes())
    program.write_text(text)
    code, output = compiler.compile(program, False, [*options, *EVERY_ERROR[compiler.kind]])
    return {name: (code, said) for name, said in apart(compiler.kind, output, program, batch).items()}


def run(compiler, folder, pattern, one_of_each_kind, precompiled, jobs, verbose):
    """Runs the cases whose names match, or those of them that stand for a kind; returns the failed ones' names and the number
    of cases run."""
    cases, skipped = [], []
    for case in (case for case in read_cases(folder) if re.search(pattern, case.name)):
        if one_of_each_kind and not any(name == "kind" for name, _, _ in case.directives):
            continue
        reason = case.value("skip", compiler)
        (skipped if reason else cases).append((case, reason))
    cases = [case for case, _ in cases]
    bad = {}
    longest = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool, tempfile.TemporaryDirectory() as scratch:
        controls = pool.submit(failing_controls, compiler, cases, 1)  # one long compilation, beside the others
        if jobs == 1:
            concurrent.futures.wait([controls])
        together = batches(compiler, cases) if precompiled else [[case] for case in cases]
        options = {}
        if precompiled and compiler.kind != "nvcc":
            options = precompiled_for(compiler, [batch[0] for batch in together], scratch, max(1, jobs - 1))
        answers = {}
        for answer in pool.map(lambda batch: compile_batch(compiler, batch, options.get(batch[0].name, ()), scratch), together):
            answers.update(answer)
        for case, output in controls.result():
            bad.setdefault(case.name, []).append(("the correct twin does not compile", output))
        doubtful = [case for case in cases if precompiled and
                    (case.name not in answers or case.judge(compiler, *answers[case.name]))]
        answers.update(zip((case.name for case in doubtful), pool.map(lambda case: case.compile_mistake(compiler), doubtful)))
        for case in cases:
            code, output = answers[case.name]
            longest = max(longest, len(output.splitlines()))
            for problem in case.judge(compiler, code, output):
                bad.setdefault(case.name, []).append((problem, output))
            if verbose:
                print(f"--- {case.name}\n{output}")
    for name, problems in bad.items():
        print(f"FAILED {name}")
        for problem, _ in problems:
            print(f"  {problem}")
        for output in dict.fromkeys(output for _, output in problems):
            print("  | " + "\n  | ".join(output.splitlines()[:40]))
    for case, reason in skipped:
        print(f"skipped {case.name}: {reason}")
    print(f"{compiler.command} ({compiler.kind} {compiler.version}): {len(cases)} cases in {len(together)} programs, "
          f"{len(doubtful)} of them alone too; {len(bad)} failed, {len(skipped)} skipped; longest message {longest} lines")
    return set(bad), len(cases)


def selftest(compiler, jobs):
    """The runner must accept selftest/good_*.cpp and reject every selftest/bad_*.cpp for the reason it names, and be as strict when
    they share a program. There good_mistake.cpp is told behind all ends, and bad_compiles.cpp not at all: both are for alone."""
    folder = HERE / "selftest"
    failures = []
    cases = read_cases(folder)
    broken = {case.name: output for case, output in failing_controls(compiler, cases, jobs)}
    for case in cases:
        problems = case.judge(compiler, *case.compile_mistake(compiler))
        if case.name in broken:
            problems.append("the correct twin does not compile")
        reason = re.search(r"^// rejected: (.*)$", case.path.read_text(), re.M)
        print(f"{case.name}: {problems or 'accepted'}")
        if reason is None and problems:
            failures.append(f"{case.name} should be accepted")
        if reason and not (len(problems) == 1 and re.search(reason.group(1), problems[0])):
            failures.append(f"{case.name} should be rejected for exactly one reason, /{reason.group(1)}/")
    with tempfile.TemporaryDirectory() as scratch:
        [batch] = batches(compiler, cases)
        answers = compile_batch(compiler, batch, (), scratch)
    if answers.keys() != {case.name for case in cases} - {"good_mistake", "bad_compiles"}:
        failures.append(f"of one program of all, only these are told apart: {', '.join(sorted(answers))}")
    for case in (case for case in cases if case.name in answers):
        problems = case.judge(compiler, *answers[case.name])
        print(f"{case.name}, with the others: {problems or 'accepted'}")
        if bool(problems) != (case.name.startswith("bad") and case.name != "bad_control"):
            failures.append(f"{case.name} is judged otherwise with the others")
    if {case.name.split("_")[0] for case in cases} != {"good", "bad"}:
        failures.append("no good or no bad case in selftest/")
    for failure in failures:
        print("FAILED", failure)
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", required=True, metavar="KIND:COMMAND", help="kind: gcc, clang or nvcc")
    parser.add_argument("--include", action="append", default=[], help="a folder to search for headers; the first is "
                        "situ's, the others are searched as system folders")
    parser.add_argument("--define", action="append", default=[], help="a macro, as SITU_CUDA=1")
    parser.add_argument("--cases", default="", metavar="REGEX", help="only the cases whose names match")
    parser.add_argument("--one-of-each-kind", action="store_true", help="only the cases with a line `// kind:`")
    parser.add_argument("--precompiled", action="store_true", help="precompile what several cases include")
    parser.add_argument("--folder", type=pathlib.Path, default=HERE)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="print every message")
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    kind, command = options.compiler.split(":", 1)
    flags = [part for i, folder in enumerate(options.include) for part in ("-isystem" if i else "-I", folder)]
    flags += [f"-D{macro}" for macro in options.define]
    compiler = Compiler(kind, command, flags)
    if not compiler.probe():
        print(f"skipped: {command} not found")
        return SKIPPED
    if options.selftest:
        return selftest(compiler, options.jobs)
    failed, count = run(compiler, options.folder, options.cases, options.one_of_each_kind,
                        options.precompiled, options.jobs, options.verbose)
    if count == 0:
        print("FAILED: no cases were run")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
