#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that headers, and the programs that use them, compile.

    check.py --compiler=g++ --include=include alone   each header includes what it needs, and can be included twice
    check.py --compiler=g++ --include=include all     every header in one file, after macros that other libraries define,
                                                      names of a program's own and `using namespace std`; and what the
                                                      file would define twice in a program of two such files

    check.py --compiler=g++ --include=include sources FILE...   programs of the tree, so that templates are instantiated;
                                                      with --toolkit=FOLDER for GPUs, with the headers of CUDA there

`alone` needs no file for each header: what a header sees, where its own text begins, is what it includes. So after headers
that it includes anyway it sees no more than alone, and one file can check a chain of headers of which each includes those
before it. The chains are as few as can be (a minimum path cover, by bipartite matching); those whose headers all include
what many include find that precompiled. One compiler is enough for that. CMake's compiler launcher, where the environment
names one, compiles them, and those of `all`, in folders headers_*: a cache then has what did not change.
`all` is cheap, so it runs for every compiler and standard. Warnings are errors, and nothing is generated: a syntax check.
"""
import argparse
import concurrent.futures
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True
import rooms  # noqa: E402

SKIPPED = 77
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wold-style-cast", "-Werror"]

# Names that <complex.h>, <termios.h>, <sys/sysmacros.h>, <math.h>, Windows, X11 and Qt take for macros. `min` and `max`
# are not here: the library has functions of these names, as the array API standard does, so a program with such macros
# cannot call them in any case.
HOSTILE = ["I", "B0", "N", "small", "near", "far", "major", "minor", "IN", "OUT", "ERROR", "DOMAIN", "OVERFLOW", "UNDERFLOW",
           "TRUE", "FALSE", "emit", "signals", "slots", "Status", "Success", "Always", "None", "linux", "unix"]

# What a program may have at global scope before it includes ours. Functions, as `-Wshadow` tells a local variable of the
# same name for them less often than for variables; `all` is one because CUDA has a function of this name.
OWN_NAMES = """
using namespace std;
struct Own {};
struct Tensor { Own own; };
struct Shape { Own own; };
template <class Type> struct Variable {};
template <int Number> struct Cuda {};
struct Generator {};
Own all(Own);
Own range(Own);
Own tensor(Own);
template <class Type> Own sum(Type);
template <class Type> Own copy(Type);
template <class... Types> Own eval(Types...);
template <class... Types> Own print(Types...);
namespace memory { struct Own {}; }
namespace math { struct Own {}; }
namespace detail { struct Own {}; }
enum OwnDevice { cpu, pinned };
template <int Number> constexpr Own gpu{};
"""
# And what it does with both. In a template, so that a header on its own must not have it; see `check_all`.
QUALIFIED = """
inline float with_own_names() {
  ::Tensor mine{sum(all(Own{}))};
  situ::Tensor x = situ::ones<float>({2, 3}, situ::cpu) + situ::tensor({1.0f, 2.0f, 3.0f});
  x.at(situ::all, situ::range(0, 2)) = situ::exp(x(situ::all, situ::range(1, 3))) * 2.0f;
  situ::copy(x(0, situ::all), x.at(1, situ::all));
  const situ::Tensor<float, situ::Cpu> y = situ::eval(x - situ::mean(x, 1, situ::KeepDims::yes));
  static_assert(!std::is_same_v<situ::Cuda<0>, ::Cuda<0>> && cpu == 0);
  static_cast<void>(mine);
  return situ::sum(situ::matmul(y, situ::transpose(x))).item() + situ::max(y).item();
}
"""


def headers_in(folder):
    """{header: its path} of an include folder, and of those beside it."""
    return rooms.headers(folder)


# Two implementations of one interface, which no program includes together; those over the real runtime need the toolkit's
# headers, and are compiled by the target gpu.
REAL, EMULATED = ("situ/cuda/api/real_", "situ/cuda/runtime/real_"), ("situ/emulation/",)
# These need nanobind, which tests/interop/python/run.py looks for.
PYTHON = ("situ/interop/python",)
# These need zlib, which not every machine, and hardly a cross compiler, has.
ZLIB = ("situ/io/zlib_inflater", "situ/npz_compressed")


def without_zlib(command, headers):
    """`headers`, but for those that need zlib where the compiler has none."""
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch) / "zlib.cpp"
        source.write_text("#include <zlib.h>\n")
        if subprocess.run([*command, str(source)], cwd=scratch, capture_output=True).returncode == 0:
            return headers
    return {header: path for header, path in headers.items() if not header.startswith(ZLIB)}


def foreign_includes(headers):
    """The headers of others that ours include, so that hostile macros meet only our own text."""
    found = {}
    for header in headers:
        conditional = 0
        for line in headers[header].read_text().splitlines():
            if re.match(r"\s*#\s*if", line):
                conditional += 1
            elif re.match(r"\s*#\s*endif", line):
                conditional -= 1
            match = re.match(r"\s*#\s*include\s*<([^>]+)>", line)
            # A library's own parts (Eigen's src/) have no guard against standing beside what includes them.
            if match and not match.group(1).startswith("situ/") and "/src/" not in match.group(1):
                name = match.group(1)
                # What ours include under a condition exists under that condition only.
                found[name] = found.get(name, True) and conditional > 0
    return "".join(f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" if guarded else f"#include <{name}>\n"
                   for name, guarded in sorted(found.items()))


def command_for(compiler, standard, includes, toolkit=()):
    own = {str(folder) for folder in rooms.include_folders(includes[0])} if includes else set()
    flags = [part for folder in includes for part in ("-I" if folder in own else "-isystem", folder)]
    flags += [part for folder in toolkit for part in ("-isystem", folder)] + (["-DSITU_CUDA=1"] if toolkit else [])
    if pathlib.Path(compiler).name == "nvcc":
        # In what nvcc hands to g++, local aliases that only template arguments use look unused.
        return [compiler, f"-std={standard}", "-x", "cu", "-c", "-o", "/dev/null", "-Xcompiler",
                "-Wall,-Wextra,-Wconversion,-Wshadow,-Wno-unused-local-typedefs"] + flags
    return [compiler, f"-std={standard}", "-fsyntax-only"] + WARNINGS + flags


def compiles(command, source):
    """Whether `source` compiles without a warning, and what the compiler says."""
    done = subprocess.run(command + [source], capture_output=True, text=True, errors="replace")
    output = done.stdout + done.stderr
    # With nvcc a warning cannot be an error: Eigen 3.4 itself gives some (#20012-D), as a system header too.
    foreign = re.compile(r"^\S*/Eigen/\S*\(\d+\): warning")
    ours = [line for line in output.splitlines() if re.search(r"\bwarning\b.*:", line) and not foreign.match(line)]
    return done.returncode == 0 and not ours, output


def into_object(command, made, launcher=()):
    """The command that compiles into `made` what `command` only checks; by the launcher, a cache, which keeps nothing else."""
    words = [word for word in command if word not in ("-fsyntax-only", "-c", "-o", "/dev/null")]
    return [*launcher, *words, "-c", "-o", str(made)] + (["-MD", "-MF", f"{made}.d"] if launcher else [])


def scratch_folder(name, launcher):
    """A folder for sources: with a cache one of this name, for it knows a file by its name, too."""
    if not launcher:
        return tempfile.TemporaryDirectory()
    pathlib.Path(name).mkdir(exist_ok=True)
    return contextlib.nullcontext(name)


def compile_text(command, scratch, name, text, launcher=()):
    source = pathlib.Path(scratch) / (re.sub(r"\W", "_", name) + ".cpp")
    source.write_text(text)
    if launcher:
        command = into_object(command, source.with_suffix(".o"), launcher)
    return compiles(command, str(source))


def precompile(command, scratch, headers, launcher=()):
    """The options by which a file sees `headers` first, precompiled; none where that fails."""
    header = pathlib.Path(scratch) / (re.sub(r"\W", "_", "".join(headers)) + ".hpp")
    header.write_text("".join(f"#include <{name}>\n" for name in headers))
    clang = "clang" in subprocess.run([command[0], "--version"], capture_output=True, text=True).stdout
    made = header.with_suffix(".pch" if clang else ".hpp.gch")
    command = [word for word in command if word != "-fsyntax-only"] + ["-x", "c++-header", str(header), "-o", str(made)]
    if launcher:
        command = [*launcher, *command, "-MD", "-MF", str(header.with_suffix(".d"))]
    if subprocess.run(command, capture_output=True).returncode != 0:
        return []
    return ["-include-pch", str(made)] if clang else ["-include", str(header)]


def included_by(headers):
    """{header: the ones of `headers` that it always includes, directly or not, and that do not include it}"""
    direct = {}
    for header in headers:
        conditional, direct[header] = 0, set()
        for line in headers[header].read_text().splitlines():
            conditional += bool(re.match(r"\s*#\s*if", line)) - bool(re.match(r"\s*#\s*endif", line))
            match = re.match(r"\s*#\s*include\s*[<\"]([^>\"]+)", line)
            if match and not conditional:
                direct[header].add(match.group(1))
    reached = {}
    for header in headers:
        found, waiting = set(), [header]
        while waiting:
            new = direct.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        reached[header] = found & direct.keys()
    return {header: {other for other in found if header not in reached[other]} for header, found in reached.items()}


def chains(included):
    """Lists of headers, each header in one of them, behind headers that it includes; as few lists as there can be."""
    before = {}  # the header that stands before, and
    after = {}   # the one behind

    def place(header, tried):
        for other in sorted(included[header] - tried):
            tried.add(other)
            if other not in after or place(after[other], tried):
                before[header], after[other] = other, header
                return True
        return False

    for header in included:
        place(header, set())
    found = []
    for header in (header for header in included if header not in before):
        chain = [header]
        while chain[-1] in after:
            chain.append(after[chain[-1]])
        found.append(chain)
    return found


def most_shared(included):
    """The header that, precompiled for those that include it, saves the most."""
    return max(included, key=lambda header: len(included[header]) * sum(header in found for found in included.values()))


def check_alone(command, headers, jobs, launcher=()):
    """The headers that do not compile alone. Where a chain fails, its headers are tried one by one, to name the culprits."""
    failed = []
    included = included_by(headers)
    shared = most_shared(included)
    behind = {header for header in headers if shared in included[header]}
    with scratch_folder("headers_alone", launcher) as scratch, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        # Not with the few chains of a small library.
        options = precompile(command, scratch, [shared], launcher) if len(behind) > 20 else []

        def one(chain):
            return compile_text(command + (options if chain[0] in behind else []), scratch, chain[-1] + str(len(chain)),
                                "".join(f"#include <{header}>\n" for header in chain + chain), launcher)

        def alone(header):
            return compile_text(command, scratch, header, f"#include <{header}>\n" * 2)

        found = [chain for part in (behind, included.keys() - behind)
                 for chain in chains({header: included[header] & part for header in headers if header in part})]
        suspects = [header for chain, (good, _) in zip(found, pool.map(one, found)) if not good for header in chain]
        for header, (good, output) in zip(suspects, pool.map(alone, suspects)):
            if not good:
                failed.append(header)
                print(f"FAILED {header} alone, included twice\n{output[:4000]}")
        if suspects and not failed:
            failed = suspects
            print(f"FAILED together, and not alone: {', '.join(failed)}")
    print(f"{len(headers)} headers in {len(found)} files, {len(behind)} of them behind {shared}")
    return failed


def defined_twice(listing):
    """Of nm's list of an object's symbols, those that a second such object of the program would define as well."""
    return [name for kind, name in re.findall(r"^[0-9a-f]+ ([A-Za-z]) (.*)$", listing, re.M) if kind in "TDBRGSC"]


def check_all(command, headers, launcher=()):
    text = foreign_includes(headers)
    of_situ = "situ/situ.hpp" in headers
    text += OWN_NAMES
    text += "".join(f"#define {name} hostile macro {name}\n" for name in HOSTILE)
    text += "".join(f"#include <{header}>\n" for header in headers)
    text += QUALIFIED if of_situ else ""
    name = "headers_all_" + re.sub(r"\W", "_", pathlib.Path(command[0]).name + command[1])
    with scratch_folder(name, launcher) as scratch:
        # Two files with all headers, without compiling both: what one defines for the whole program the other would, too.
        listed = "-fsyntax-only" in command and shutil.which("nm")
        compiled = pathlib.Path(scratch) / "all.o"
        if listed and not launcher:
            command = into_object(command, compiled)
        good, output = compile_text(command, scratch, "all", text, launcher)
        if good and listed:
            listing = subprocess.run(["nm", "-C", str(compiled)], capture_output=True, text=True, check=True).stdout
            twice = defined_twice(listing)
            if twice:
                good, output = False, "each of two files would define " + ", ".join(twice)
    if not good:
        print(f"FAILED all headers after hostile macros, names of a program's own and using namespace std\n{output[:8000]}")
    return good


def check_sources(command, sources, jobs):
    """The programs that do not compile without warnings. Those that include situ.hpp find it precompiled."""
    failed = []
    umbrella = "situ/situ.hpp"
    users = {source for source in sources if f"#include <{umbrella}>" in pathlib.Path(source).read_text()}
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        options = precompile(command, scratch, [umbrella]) if len(users) > 3 else []

        def one(source):
            return compiles(command + (options if source in users else []), source)

        for source, (good, output) in zip(sources, pool.map(one, sources)):
            if not good:
                failed.append(source)
                print(f"FAILED {source}\n{output[:8000]}")
    return failed


def selftest(compiler):
    """Good headers pass; a missing include, a missing guard, a warning and a hostile name are each found."""
    def verdict(mode, **texts):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            for name, text in texts.items():
                (folder / f"{name}.hpp").write_text(text)
            command = command_for(compiler, "c++20", [scratch])
            headers = headers_in(folder)
            if mode == "sources":
                return not check_sources(command, [str(path) for path in headers.values()], 1)
            return not check_alone(command, headers, 1) if mode == "alone" else check_all(command, headers)

    good = "#pragma once\n#include <vector>\ninline std::vector<int> made() { return {1}; }\n"
    user = "#pragma once\n#include <a.hpp>\ninline std::vector<int> used() { return made(); }\n"
    expected = [
        ("good alone", verdict("alone", a=good), True),
        ("good after macros", verdict("all", a=good), True),
        ("missing include", verdict("alone", a=good.replace("#include <vector>\n", "")), False),
        ("chain", verdict("alone", a=good, b=user), True),
        ("missing include, found elsewhere", verdict("alone", a=good, b=user.replace("#include <a.hpp>", ""), c="#pragma once\n"
                                                     "#include <a.hpp>\n#include <b.hpp>\n"), False),
        ("missing guard", verdict("alone", a=good.replace("#pragma once\n", "")), False),
        ("warning", verdict("alone", a="#pragma once\ninline char narrow(int x) { char c = x; return c; }\n"), False),
        ("good source", verdict("sources", a="int main() { return 0; }\n"), True),
        ("source with a warning", verdict("sources", a="int main() { char c = 300 * 2; int c2; return c; }\n"), False),
        ("hostile name", verdict("all", a="#pragma once\ntemplate <int I> struct Index {};\n"), False),
        ("name that is the program's", verdict("all", a="#pragma once\ninline int used() { return sum(1); }\n"), False),
        ("name that std has", verdict("all", a="#pragma once\n#include <cstddef>\nstruct byte {};\ninline byte made() { return {}; }\n"), False),
        ("defined in each file", verdict("all", a="#pragma once\nint made() { return 1; }\n"), False),
        ("a variable in each file", verdict("all", a="#pragma once\nint made = 1;\n"), False),
    ]
    wrong = [name for name, got, want in expected if got != want]
    print("selftest:", "all as expected" if not wrong else f"FAILED: {', '.join(wrong)}")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mode", nargs="?", choices=["alone", "all", "sources"])
    parser.add_argument("files", nargs="*", help="for sources")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--std", default="c++20")
    parser.add_argument("--include", action="append", default=[], help="situ's folder first, then system folders")
    parser.add_argument("--toolkit", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    compiler = shutil.which(options.compiler)
    if not compiler and options.compiler == "nvcc" and pathlib.Path("/usr/local/cuda/bin/nvcc").exists():
        compiler = "/usr/local/cuda/bin/nvcc"
    if not compiler:
        print(f"skipped: {options.compiler} not found")
        return SKIPPED
    if options.selftest:
        return selftest(compiler)
    folder = pathlib.Path(options.include[0])
    headers = headers_in(folder)
    if not headers:
        print(f"FAILED: no headers in {folder}")
        return 1
    for toolkit in options.toolkit:
        if not pathlib.Path(toolkit).is_dir():
            print(f"skipped: {toolkit} is not there")
            return SKIPPED
    command = command_for(compiler, options.std, options.include, options.toolkit)
    if options.mode == "sources":
        good = bool(options.files) and not check_sources(command, options.files, options.jobs)
        print(f"{options.compiler} -std={options.std}: {len(options.files)} programs: {'good' if good else 'FAILED'}")
        return 0 if good else 1
    launcher = [word for word in os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER", "").split(";") if word]
    headers = without_zlib(command, headers)
    if options.mode == "alone":
        headers = {header: path for header, path in headers.items() if not header.startswith(REAL + PYTHON)}
        good = not check_alone(command, headers, options.jobs, launcher)
    else:
        headers = {header: path for header, path in headers.items() if not header.startswith(REAL + EMULATED + PYTHON)}
        good = check_all(command, headers, launcher)
    print(f"{options.compiler} -std={options.std}: {len(headers)} headers {options.mode}: {'good' if good else 'FAILED'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
