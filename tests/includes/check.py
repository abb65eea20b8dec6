#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks which way includes point, and the other rules of the tree that a program can check.

    check.py include/situ     reads every header below the folder, and in the rooms beside it (emulation/, train/)
    check.py --selftest       breaks each rule once and expects it to be found
    check.py include/situ --reached-by COMPILER [--include FOLDER]... [-D MACRO]... [--no-toolkit]
                              asks the compiler which files <situ/situ.hpp> includes in the end: none of CUB, Thrust, cuda/std
                              or cuBLAS, whose compile time users would pay; with --no-toolkit none of CUDA at all
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True
import rooms  # noqa: E402

# The rule: what a folder may include, its own headers apart, and only folders that come before it in this table
# (`one_way`). A folder without a rule of its own has that of the folder around it; a folder that is named here stands for
# what is below it, too, but for what has a rule of its own. Backends see pointers, shapes and programs, never a tensor; and
# of what stands above them few headers see them (DOORS).
CUDA = ["cuda/api", "cuda/runtime"]
BACKENDS = ["threads", "cpu", *CUDA, "cuda/transfer", "cuda/kernels", "cuda"]
MAY_INCLUDE = {
    # Values.
    "core": [],
    # What is computed, each formula once: for scalars, SIMD vectors and threads of a GPU alike.
    "formula": ["core"],
    # What a backend is asked to compute: programs of expressions, reductions, products, windows, rows.
    "plan": ["core", "formula"],
    # CUDA behind one seam (calls, the language of kernels), which the emulation implements on the host; above it streams,
    # events, memory and errors.
    "cuda/api": ["core", "emulation"],
    "emulation": ["core", "cuda/api"],
    "cuda/runtime": ["core", "cuda/api", "emulation", "plan/indices.hpp", "plan/linalg.hpp"],
    "device": ["core", *CUDA],
    "memory": ["core", "device"],
    # Threads of the host.
    "threads": ["core", "device", "memory"],
    # The backends: how it is computed.
    "cpu": ["core", "formula", "plan", "device", "memory", "threads"],
    "cuda/transfer": ["core", "device", "memory", "threads", *CUDA],
    "cuda/kernels": ["core", "formula", "plan", "device", "memory", "emulation", *CUDA],
    "cuda": ["core", "formula", "plan", "cuda/transfer", "cuda/kernels"],
    # Tensors and what is computed with them: by the contract of plan/kernels.hpp, on any backend.
    "tensor": ["core", "plan", "device", "memory"],
    "expression": ["core", "formula", "plan", "device", "memory", "tensor"],
    "ops": ["core", "formula", "plan", "device", "memory", "tensor", "expression"],
    # Built on operations: these name no backend.
    "autograd": ["core", "formula", "plan", "device", "tensor", "expression", "ops"],
    # Linear algebra by Eigen and cuSOLVER; outside situ.hpp.
    "cpu/linalg": ["core", "plan", "device", "threads", "cpu/lanes/lanes.hpp", "cpu/transpose.hpp"],
    "cuda/linalg": ["core", "formula", "plan", "device", "memory", "emulation", *CUDA, "cuda/kernels"],
    "linalg": ["core", "formula", "plan", "device", "memory", "tensor", "expression", "ops", "autograd"],
    # Einstein summation, made of other operations; outside situ.hpp.
    "einsum": ["core", "formula", "plan", "device", "tensor", "expression", "ops"],
    # What rests on sorted values and on counts, made of other operations; outside situ.hpp.
    "order": ["core", "formula", "plan", "device", "memory", "tensor", "expression", "ops"],
    # Complex numbers as elements, and Fourier transforms by Eigen and cuFFT; outside situ.hpp.
    "complex": ["core", "formula", "plan", "device", "tensor", "expression", "ops"],
    "cpu/fft": ["core", "plan", "device", "threads"],
    "cuda/fft": ["core", "plan", "device", "emulation", *CUDA, "cuda/kernels"],
    "fft": ["core", "formula", "plan", "device", "tensor", "expression", "ops", "autograd", "complex", "complex.hpp"],
    # CUDA graphs.
    "graph": ["core", "device", "memory", *CUDA, "tensor", "expression"],
    # Kernels of the program's own.
    "launch": ["core", "device", "memory", *CUDA, "tensor"],
    "nn": ["core", "formula", "plan", "device", "tensor", "expression", "ops", "autograd", "graph/carried.hpp"],
    "optim": ["core", "formula", "plan", "device", "tensor", "expression", "ops", "autograd", "nn"],
    # Other libraries' types over a tensor's memory; outside situ.hpp, since each includes its library.
    "interop": ["core", "device", "memory", *CUDA, "tensor", "expression", "ops"],
    # Files; outside situ.hpp.
    "io": ["core", "device", "memory", "threads", "tensor", "expression", "ops", "autograd", "nn", "complex.hpp"],
    # Who looks at what moves; nothing includes it.
    "ledger": ["core", "device", "io/output_file.hpp", *CUDA],
    # Batches of data sets, made by threads of its own; outside situ.hpp.
    "data": ["core", "formula", "device", "memory", "threads", "tensor", "expression", "ops"],
    # Several devices at once: built on operations and transfers.
    "distributed": ["core", "formula", "device", "memory", *CUDA, "tensor", "expression", "ops"],
    # Several processes: what carries bytes between them stands behind world/transport.hpp.
    "world": ["core", "device", "memory", "threads", *CUDA, "tensor", "expression", "ops", "distributed"],
    # Gradients over several devices, and training on them.
    "parallel": ["core", "device", "memory", "tensor", "expression", "ops", "autograd", "nn", "optim", "distributed"],
    # Checkpoints of what is spread; outside situ.hpp.
    "spread_io": ["core", "device", "memory", "tensor", "expression", "ops", "autograd", "nn", "optim", "io", "distributed",
                  "parallel"],
    # What stands around a training loop; outside situ.hpp.
    "train": ["core", "device", "memory", "plan", "tensor", "expression", "io"],
}
# The two sides of one seam, which include each other: the emulation stands where CUDA's headers stand for a GPU.
SEAM = ("cuda/api", "emulation")
# The doors to the backends: above these, no other header includes kernels. A door includes nothing else, and only its own
# folder includes it. What a folder calls of the kernels is what its door brings, and EVALUATED, which its evaluation brings.
DOORS = {"expression/every_kernel.hpp": ["cpu/expressions.hpp", "cuda/expressions.hpp"],
         "ops/every_kernel.hpp": ["cpu/all.hpp", "cuda/all.hpp"],
         "linalg/every_kernel.hpp": ["cpu/linalg", "cuda/linalg"],
         "order/every_kernel.hpp": ["cpu/count.hpp", "cuda/kernels/count.hpp", "cuda/kernels/running_extremum.hpp"],
         "complex/every_kernel.hpp": ["cpu/lanes/complex.hpp"],
         "fft/every_kernel.hpp": ["cpu/fft", "cuda/fft"]}
# The kernels of expression/every_kernel.hpp. A header that names another includes the door of its folder, so that it
# suffices for its operations; the light door of users reaches no door but that of expressions.
EVALUATED = {"Copy", "Evaluate", "Reduce", "Scan", "Matmul", "Linear", "Sequence"}
LIGHT = "tensor.hpp"
# Headers that may include more than their folder: the emulation of cuBLASLt, which multiplies on the CPU and, as that of
# CUB, cuFFT and cuSOLVER, stands where src/ stands for a GPU.
MORE = {"emulation/fft.hpp": ["cpu/fft", "cuda/fft", "cuda/runtime", "plan"],
        "emulation/gemm.hpp": ["cpu", "cuda/kernels", "cuda/runtime", "formula", "plan"],
        "emulation/solver.hpp": ["cpu/linalg", "cuda/linalg", "cuda/runtime", "device", "plan"],
        "emulation/solver_calls.hpp": ["cuda/runtime"],
        "emulation/sort_segments.hpp": ["cuda/kernels", "cuda/runtime"],
        "emulation/unblocked.hpp": ["cuda/linalg/parts.hpp"]}
# Headers that are in no folder.
ROOT = {
    "situ.hpp": [room for room in MAY_INCLUDE if room not in BACKENDS] + ["."],
    "tensor.hpp": [room for room in MAY_INCLUDE if room not in BACKENDS] + ["."],  # a part of situ.hpp
    "autograd.hpp": ["autograd", "."],  # beside situ.hpp
    "distributed.hpp": ["distributed", "."],
    "distance.hpp": ["ops", "."],
    "einsum.hpp": ["einsum", "."],
    "indexing.hpp": ["ops", "."],
    "float8.hpp": ["core", "ops"],
    "complex.hpp": ["complex", "."],
    "fft.hpp": ["complex", "fft", "."],
    "linalg.hpp": ["linalg", "."],
    "order.hpp": ["order", "."],
    "world.hpp": ["distributed", "world", "."],
    "nn.hpp": ["nn", "."],
    "parallel.hpp": ["parallel", "."],
    "optim.hpp": ["autograd", "optim", "."],  # beside situ.hpp
    "train.hpp": ["train", "."],  # beside situ.hpp
    "data.hpp": ["data"],
    "io.hpp": ["io"],
    "csv.hpp": ["io"],  # beside io.hpp, whose files need nlohmann-json
    "npz_compressed.hpp": ["io"],  # beside io.hpp, for it needs zlib
    "spread_io.hpp": ["spread_io", "."],
    "graph.hpp": ["graph", "tensor"],
    "launch.hpp": ["launch", "tensor"],
    "ledger.hpp": ["ledger"],
    "version.hpp": [],
}
# A class that is declared alone points to where it is defined, as an include does. These point upwards, and say there why.
UPWARDS = {
    "cuda/api/backend.hpp": ["situ::internal::cuda::StreamState"],  # the tag has a pointer to what kernels do not look into
    "cuda/runtime/recording.hpp": ["situ::internal::memory::Block"],  # what graphs keep of a pool's blocks
    "cuda/runtime/stream_state.hpp": ["situ::internal::cuda::Staging"],  # a stream owns what uploads into it stage
    "expression/apply.hpp": ["situ::internal::Recording"],  # what records, where an operand does
    "device/placed.hpp": ["situ::Tensor"],  # the guards of `==`, which are friends of a tensor's bases
}
# Headers of others beside the C++ standard library and POSIX, and the only folders that may include them.
FOREIGN = {"Eigen/Core": ["cpu", "interop"], "Eigen/LU": ["cpu"], "Eigen/Cholesky": ["cpu"], "Eigen/QR": ["cpu"],
           "Eigen/SVD": ["cpu"], "Eigen/Eigenvalues": ["cpu"],
           "unsupported/Eigen/FFT": ["cpu"],
           "unsupported/Eigen/src/FFT/ei_kissfft_impl.h": ["cpu"], "nlohmann/json.hpp": ["io"], "zlib.h": ["io"], "nvtx3/nvToolsExt.h": ["core"],
           "cuda_runtime_api.h": ["cuda"], "cuda.h": ["cuda"], "nanobind/nanobind.h": ["interop"], "omp.h": ["threads"]}
# SITU_CUDA is the user's, or follows from SITU_CUDA_EMULATED in the header that is included first.
MACROS = {"SITU_DEVICE", "SITU_INLINE", "SITU_INLINE_LAMBDA", "SITU_ASSERT", "SITU_VERSION", "SITU_CUDA", "SITU_INSTRUCTIONS",
          "SITU_SETTINGS"}
# CUDA's words, for the host compiler where no GPU will run what it compiles (launch/host_words.hpp).
MACROS |= {"__global__", "__device__", "__host__", "__shared__", "__launch_bounds__"}
# A list that serves declarations and definitions has no other means; these exist in programs with situ::compiled only.
LISTS = re.compile(r"SITU_COMPILED_\w+$")
# What the host's compiler writes and a kernel reads: compilers disagree about members that share bytes (core/member_layout.hpp).
SHARES_BYTES = re.compile(r"^(?!\s*//)[^\"\n]*(\[\[.*no_unique_address|^\s+[\w:]+ \w+ : \d+;)", re.M)
TO_KERNELS = ("core", "formula", "plan", "cuda", "device", "autograd/partial.hpp", "autograd/sweep.hpp")
# For who watches the emulation from outside; launches do not include it, for the time that it takes to compile.
UNREACHED = {"emulation/observed.hpp"}
FIRST, ASKED = "core/config.hpp", re.compile(r"^\s*#\s*(if|elif).*\bSITU_CUDA\b|\bSITU_SETTINGS\b", re.M)
MOST_LINES = 300  # a longer header must be split, or written shorter
MOST_README_LINES = 12

# What is compiled to other code for other settings: two libraries in one process must not share it.
UNNAMED = re.compile(r"^\s*namespace (?:situ::)?internal::(?:cpu|math)\b.*", re.M)
OPENS = re.compile(r"^\s*(?:inline )?namespace ([\w:]+(?: SITU_SETTINGS::[\w:]+)?) \{$")
CLOSES = re.compile(r"^\s*\}  // namespace ([\w:]+(?: SITU_SETTINGS::[\w:]+)?)$")
DECLARES = re.compile(r"^\s*(?:template <.*> )?(?:class|struct) (\w+);$")
DEFINES = re.compile(r"^\s*(?:template <.*> )?(?:class|struct) (?:(?:\[\[.*\]\]|alignas\(.*\)) )?(\w+)(?: final)?(?: : .*)? \{")
CALLS = re.compile(r"^(?!\s*//).*\bkernels::([A-Z]\w+)", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
# What an umbrella includes is the user's: clangd and include-what-you-use ask for no other header then.
EXPORTS = re.compile(r"^// IWYU pragma: begin_exports$.*?^// IWYU pragma: end_exports$", re.M | re.S)
DEFINE = re.compile(r"^\s*#\s*define\s+(\w+)", re.M)
STANDARD = re.compile(r"^(c?[a-z_]+|((imm|emm)intrin|dlfcn|fcntl|link|pthread|sched|signal|ucontext|unistd)\.h|(sys|sanitizer)/[a-z_]+\.h)$")


def place(header):
    """The room of a header inside situ/: the innermost folder that has a rule, `core` for core/dtype.hpp, `.` for situ.hpp."""
    folder = header
    while "/" in folder:
        folder = folder.rsplit("/", 1)[0]
        if folder in MAY_INCLUDE:
            return folder
    return header.split("/")[0] if "/" in header else "."


def one_way(rules):
    """What is wrong with a table of rules: a folder may include only those before it, and above the backends none of them."""
    problems, order = [], list(rules)
    kernels = {room for room in rules if room.split("/")[0] in ("cpu", "cuda") and room not in CUDA}
    for here, allowed in rules.items():
        for target in allowed:
            rooms = {place(target) if target.endswith(".hpp") else target} - {"."} or {
                room for room in ROOT[target] if room != "."}
            problems += [f"MAY_INCLUDE: {here} may include {room}, which is above it"
                         for room in rooms if order.index(room) >= order.index(here) and (here, room) != SEAM]
            problems += [f"MAY_INCLUDE: {here} may include {room}, a backend, without a door"
                         for room in rooms & kernels if here not in kernels]
    return problems


def stated_order(text):
    """What is wrong with the order of folders that a document states, `core <- formula <- cpu, cuda`, lowest first."""
    chains = [chain.split("<-") for chain in re.findall(r"`([^`]*<-[^`]*)`", text)]
    problems = [] if chains else ["states no order of folders"]
    for chain in chains:
        last = -1
        for floor in chain:
            rooms = [room.strip() for room in floor.split(",")]
            if missing := [room for room in rooms if room not in MAY_INCLUDE]:
                problems.append(f"{missing[0]} is no folder of MAY_INCLUDE")
                continue
            places = [list(MAY_INCLUDE).index(room) for room in rooms]
            if min(places) <= last:
                problems.append(f"states that {floor.strip()} is above what is above it")
            last = max(places)
    return problems


def check(folder):
    """All violations below `folder`, as sentences."""
    problems, graph, first = one_way(MAY_INCLUDE), {}, {}
    for document in ("CONTRIBUTING.md", "docs/design.md"):
        if (path := folder.resolve().parent.parent / document).exists():
            problems += [f"{document}: {problem}" for problem in stated_order(path.read_text())]
    headers = {name.removeprefix("situ/"): path.read_text() for name, path in rooms.headers(folder.parent).items()
               if name.startswith("situ/")}
    for header, text in headers.items():
        here = place(header)
        allowed = ROOT.get(header) if here == "." else MAY_INCLUDE.get(here)
        allowed = DOORS.get(header, allowed and allowed + MORE.get(header, []))
        if allowed is None:
            problems.append(f"{header}: no rule in MAY_INCLUDE or ROOT says what it may include")
            continue
        lines = text.splitlines()
        if not lines or lines[0] != "// SPDX-License-Identifier: Apache-2.0":
            problems.append(f"{header}: the first line is not the SPDX line")
        if "#pragma once" not in lines:
            problems.append(f"{header}: no #pragma once")
        if len(lines) > MOST_LINES:
            problems.append(f"{header}: {len(lines)} lines, more than {MOST_LINES}")
        for macro in DEFINE.findall(text):
            if macro not in MACROS and not LISTS.match(macro):
                problems.append(f"{header}: defines the macro {macro}; the project has {', '.join(sorted(MACROS))} only")
        if header.startswith(TO_KERNELS) and SHARES_BYTES.search(text):
            problems.append(f"{header}: has members that share bytes, and what it defines may be handed to kernels")
        if unnamed := UNNAMED.search(text):
            problems.append(f"{header}: '{unnamed[0].strip()}' without its settings: write internal::inline SITU_SETTINGS::")
        asked = ASKED.search(text)
        if asked and header != FIRST:
            first[header] = [target[len("situ/"):] for _, target in INCLUDE.findall(text[:asked.start()])
                             if target.startswith("situ/")]
        graph[header] = []
        included = [target for _, target in INCLUDE.findall(text)]
        problems += [f"{header}: includes {target} twice" for target in sorted(set(included)) if included.count(target) > 1]
        if header in ROOT and included and INCLUDE.search(EXPORTS.sub("", text)):
            problems.append(f"{header}: an umbrella; its includes stand between the pragmas begin_exports and end_exports of IWYU")
        for bracket, target in INCLUDE.findall(text):
            if bracket == '"':
                problems.append(f'{header}: includes "{target}" with quotes; write <situ/...>')
            elif target.startswith("situ/"):
                name = target[len("situ/"):]
                graph[header].append(name)
                if name not in headers:
                    problems.append(f"{header}: includes {target}, which does not exist")
                elif (header in DOORS or place(name) != here) and not {place(name), name} & {*allowed, "version.hpp"}:
                    problems.append(f"{header}: {'a door' if header in DOORS else here + '/'} must not include {target}")
                elif name in DOORS and place(name) != here:
                    problems.append(f"{header}: {here}/ must not include {target}, the door of {place(name)}/")
            elif target in FOREIGN:
                if here.split("/")[0] not in FOREIGN[target]:
                    problems.append(f"{header}: only {'/ and '.join(FOREIGN[target])}/ may include <{target}>")
            elif not STANDARD.match(target):
                problems.append(f"{header}: includes <{target}>, which is neither of the standard library nor in FOREIGN")
    problems += upwards(headers)
    for room in sorted({parent for header in headers for parent in folders(header)}):
        problems += check_readme(room, rooms.readme(folder.parent, room))
    problems += cycles(graph)
    for header, text in headers.items():
        door = f"{place(header)}/every_kernel.hpp"
        problems += [f"{header}: calls the kernel {kernel}, and does not include {door}"
                     for kernel in sorted(set(CALLS.findall(text)) - EVALUATED) if door not in graph.get(header, [])]
    if LIGHT in graph:
        problems += [f"{LIGHT}: reaches {door}, whose compile time it is there to save"
                     for door in DOORS if place(door) != "expression" and door in closure(graph, [LIGHT])]
    problems += [f"{header}: asks for SITU_CUDA or SITU_SETTINGS before it includes what leads to {FIRST}" for header, before in first.items()
                 if FIRST not in closure(graph, before)]
    if "situ.hpp" in graph:
        reached = closure(graph, [header for header in ROOT if header in graph])
        problems += [f"{header}: situ.hpp does not reach it, nor does another header of ROOT" for header in graph
                     if header not in reached and place(header) != "interop" and header not in UNREACHED]
    return problems


def classes(text, pattern):
    """The classes that a header declares or defines, with their namespaces."""
    found, space = set(), []
    for line in text.splitlines():
        if match := OPENS.match(line):
            space.append(match[1].replace("inline SITU_SETTINGS::", ""))
        elif CLOSES.match(line) and space:
            space.pop()
        elif match := pattern.match(line):
            found.add("::".join([*space, match[1]]))
    return found


def upwards(headers):
    """Classes that a header declares, and that only rooms which it may not include define."""
    problems, defined = [], {}
    for header, text in headers.items():
        for name in classes(text, DEFINES):
            defined.setdefault(name, set()).add(header)
    for header, text in headers.items():
        here = place(header)
        allowed = {here, header, *(ROOT.get(header) or MAY_INCLUDE.get(here) or []), *MORE.get(header, [])}
        for name in sorted(classes(text, DECLARES)):
            places = defined.get(name, set())
            if places and not any({place(at), at} & allowed for at in places) and name not in UPWARDS.get(header, []):
                problems.append(f"{header}: declares {name}, which {min(places)} defines, and may not include that")
    return problems


def folders(header):
    """The folders that a header is in: `cuda/kernels`, `cuda` for cuda/kernels/copy.hpp."""
    return [parent.as_posix() for parent in pathlib.PurePosixPath(header).parents][:-1]


def check_readme(room, path):
    """Each folder says what belongs into it, and those with a rule repeat the rule."""
    if not path.exists():
        return [f"{room}: has no README.md"]
    lines = path.read_text().splitlines()
    problems = [] if len(lines) <= MOST_README_LINES else [f"{room}/README.md: {len(lines)} lines, more than {MOST_README_LINES}"]
    if room in MAY_INCLUDE:
        rule = f"May include: {', '.join(MAY_INCLUDE[room]) or 'nothing else of situ'}."
        if rule not in lines:
            problems.append(f"{room}/README.md: has no line '{rule}'")
    return problems


def closure(graph, headers):
    """The headers, and all that they include."""
    reached, todo = set(), list(headers)
    while todo:
        header = todo.pop()
        if header not in reached:
            reached.add(header)
            todo += graph.get(header, [])
    return reached


def cycles(graph):
    """Headers that include themselves through others."""
    problems, done = [], set()

    def parts(header, target):
        """A header may end by including its own parts, which include it to compile alone: lanes/lanes.hpp the rest of
        lanes/, a seam its emulation."""
        folder, _, name = header.rpartition("/")
        return target.startswith("emulation/") or folder.rpartition("/")[2] + ".hpp" == name and target.startswith(folder + "/")

    def visit(header, path):
        if header in path:
            problems.append("cycle: " + " -> ".join(path[path.index(header):] + [header]))
        elif header not in done:
            for target in graph.get(header, []):
                if not parts(header, target):
                    visit(target, path + [header])
            done.add(header)

    for header in graph:
        visit(header, [])
    return problems


# Files of others that no header of ours may lead to, and those of the CUDA toolkit.
HEAVY = re.compile(r"/(cub|thrust|cuda/std|cuda/__\w+|cccl)/|/cublas\w*\.h$")
TOOLKIT = re.compile(r"/(cuda[\w-]*|cccl|nvidia)/(\S+/)*include/|/(cuda_runtime\w*|cuda|driver_types)\.h$")


def reached(compiler, flags, text):
    """The files that a program with `text` includes, or None where the compiler is missing."""
    path = shutil.which(compiler) or (compiler == "nvcc" and shutil.which("/usr/local/cuda/bin/nvcc"))
    if not path:
        return None
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch) / "program.cpp"
        source.write_text(text)
        nvcc = ["-x", "cu", "--expt-relaxed-constexpr"] if pathlib.Path(path).name == "nvcc" else []
        done = subprocess.run([path, "-std=c++20", "-M", *nvcc, *flags, str(source)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"FAILED {compiler} -M: {done.stderr[:4000]}")
    return [str(pathlib.Path(name)) for name in done.stdout.replace("\\\n", " ").split() if not name.endswith(":")]


def check_reached(files, no_toolkit):
    problems = [f"situ.hpp leads to {name}" for name in files if HEAVY.search(name)]
    if no_toolkit:
        problems += [f"situ.hpp leads to {name}, of the CUDA toolkit" for name in files
                     if TOOLKIT.search(name) and "/situ/" not in name]
    if not any(name.endswith("/situ/tensor/tensor.hpp") for name in files):
        problems.append("the compiler's list has not even tensor.hpp")
    return problems


def selftest():
    top = "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n"
    exported = "// IWYU pragma: begin_exports\n{}// IWYU pragma: end_exports\n"
    good = {
        "situ.hpp": top + exported.format("#include <situ/ops/b.hpp>\n#include <situ/expression/evaluate.hpp>\n"),
        "core/a.hpp": top + "#include <cstdint>\n#define SITU_ASSERT(x)\n",
        "cpu/k.hpp": top + "#include <Eigen/Core>\n#include <situ/core/a.hpp>\n",
        "cpu/expressions.hpp": top + "#include <situ/cpu/k.hpp>\n",
        "cuda/expressions.hpp": top + "#include <situ/cuda/kernels/k.hpp>\n",
        "cuda/kernels/k.hpp": top + "namespace situ::internal {\nstruct Kernel {\n};\n}  // namespace situ::internal\n",
        "expression/evaluate.hpp": top + "#include <situ/expression/every_kernel.hpp>\n",
        "expression/every_kernel.hpp": top + "#include <situ/cpu/expressions.hpp>\n#include <situ/cuda/expressions.hpp>\n",
        "tensor/t.hpp": top + "#include <situ/core/a.hpp>\n",
        "ops/b.hpp": top + "#include <situ/tensor/t.hpp>\n",
    }
    broken = {  # what the complaint says: what to change
        "core/ must not include": {"core/a.hpp": top + "#include <situ/cpu/k.hpp>\n", "cpu/k.hpp": top},
        "cpu/ must not include": {"cpu/k.hpp": top + "#include <situ/tensor/t.hpp>\n"},
        "ops/ must not include": {"ops/b.hpp": good["ops/b.hpp"] + "#include <situ/cpu/expressions.hpp>\n"},
        "a door must not include situ/cpu/k.hpp": {
            "expression/every_kernel.hpp": good["expression/every_kernel.hpp"] + "#include <situ/cpu/k.hpp>\n"},
        "a door must not include situ/expression/x.hpp": {
            "expression/every_kernel.hpp": good["expression/every_kernel.hpp"] + "#include <situ/expression/x.hpp>\n",
            "expression/x.hpp": top},
        "the door of expression/": {"ops/b.hpp": good["ops/b.hpp"] + "#include <situ/expression/every_kernel.hpp>\n"},
        "expression/ must not include situ/cpu/expressions.hpp": {
            "situ.hpp": good["situ.hpp"].replace("ops/b", "expression/x.hpp>\n#include <situ/ops/b"),
            "expression/x.hpp": top + "#include <situ/cpu/expressions.hpp>\n"},
        "calls the kernel Sort": {"ops/b.hpp": good["ops/b.hpp"] + "call_kernel<D, kernels::Sort, true>();\n"},
        "calls the kernel Svd": {"tensor/t.hpp": good["tensor/t.hpp"] + "call_kernel<D, kernels::Svd, true>();\n"},
        "tensor.hpp: reaches ops/every_kernel.hpp": {
            "tensor.hpp": top + exported.format("#include <situ/ops/b.hpp>\n"),
            "ops/b.hpp": good["ops/b.hpp"] + "#include <situ/ops/every_kernel.hpp>\n", "ops/every_kernel.hpp": top},
        "cuda/ must not include situ/cpu/k.hpp": {
            "cuda/expressions.hpp": good["cuda/expressions.hpp"] + "#include <situ/cpu/k.hpp>\n"},
        "declares situ::internal::Kernel, which cuda/kernels/k.hpp defines": {
            "tensor/t.hpp": good["tensor/t.hpp"]
            + "namespace situ {\nnamespace internal {\ntemplate <class T>\nstruct Kernel;\n}  // namespace internal\n}  // namespace situ\n"},
        "tensor/ must not include": {"tensor/t.hpp": top + "#include <situ/ops/c.hpp>\n", "ops/c.hpp": top},
        "only cpu/ and interop/ may include <Eigen/Core>": {"ops/b.hpp": good["ops/b.hpp"] + "#include <Eigen/Core>\n"},
        "includes <Eigen/Dense>": {"cpu/k.hpp": top + "#include <Eigen/Dense>\n"},
        "includes <cuda_runtime.h>": {"core/a.hpp": top + "#include <cuda_runtime.h>\n"},
        "does not exist": {"ops/b.hpp": good["ops/b.hpp"] + "#include <situ/ops/missing.hpp>\n"},
        "with quotes": {"ops/b.hpp": good["ops/b.hpp"] + '#include "../core/a.hpp"\n'},
        "defines the macro": {"core/a.hpp": top + "#  define SITU_MORE 1\n"},
        "core/a.hpp: has members that share bytes": {
            "core/a.hpp": top + "struct A {\n  [[no_unique_address]] B b;\n};\n"},
        "plan/p.hpp: has members that share bytes": {
            "plan/p.hpp": top + "struct A {\n  int b : 3;\n};\n", "ops/b.hpp": good["ops/b.hpp"] + "#include <situ/plan/p.hpp>\n"},
        "no #pragma once": {"core/a.hpp": top.splitlines()[0] + "\n"},
        "not the SPDX line": {"core/a.hpp": "#pragma once\n"},
        "core/a.hpp twice": {"ops/b.hpp": good["ops/b.hpp"] + "#include <situ/core/a.hpp>\n" * 2},
        "begin_exports and end_exports": {"situ.hpp": good["situ.hpp"] + "#include <situ/core/a.hpp>\n"},
        "no rule": {"newdir/x.hpp": top},
        "cycle:": {"core/a.hpp": top + "#include <situ/core/z.hpp>\n", "core/z.hpp": top + "#include <situ/core/a.hpp>\n"},
        "does not reach": {"core/z.hpp": top},
        "asks for SITU_CUDA or SITU_SETTINGS before": {
            "tensor/t.hpp": top + "#if defined(SITU_CUDA)\n#include <situ/core/a.hpp>\n#endif\n"},
        "k.hpp: asks for SITU_CUDA or SITU_SETTINGS before": {
            "cpu/k.hpp": good["cpu/k.hpp"] + "namespace situ::internal::inline SITU_SETTINGS::cpu {\n"},
        "'namespace situ::internal::cpu::detail {' without its settings": {
            "cpu/k.hpp": good["cpu/k.hpp"] + "namespace situ::internal::cpu::detail {\n"},
        "more than 300": {"core/a.hpp": top + "\n" * 300},
        "has no README.md": {"core/README.md": None},
        "has no line 'May include: core, device.'": {"memory/m.hpp": top, "memory/README.md": "May include: core.\n",
                                                    "ops/b.hpp": good["ops/b.hpp"] + "#include <situ/memory/m.hpp>\n"},
        "more than 12": {"core/README.md": "May include: nothing else of situ.\n" + "\n" * 12},
    }

    def verdict(files):
        readmes = {f"{room}/README.md": f"May include: {', '.join(MAY_INCLUDE.get(room, [])) or 'nothing else of situ'}.\n"
                   for header in files for room in folders(header)}
        with tempfile.TemporaryDirectory() as scratch:
            for name, text in {**readmes, **files}.items():
                if text is None:
                    continue
                path = pathlib.Path(scratch) / "include" / "situ" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check(pathlib.Path(scratch) / "include" / "situ")

    wrong = [f"a good tree is rejected: {problem}" for problem in verdict(good)]
    for here, target, complaint in [("cuda/runtime", "device/cpu.hpp", "which is above it"), ("ops", "autograd", "which is above it"),
                                    ("plan", "complex.hpp", "which is above it"), ("linalg", "cpu/linalg", "without a door")]:
        problems = one_way({**MAY_INCLUDE, here: [*MAY_INCLUDE[here], target]})
        if not problems or any(complaint not in problem for problem in problems):
            wrong.append(f"expected that {here} may not include {target}: '{complaint}', got {problems}")
    for chain, right in [("core <- plan, formula <- cuda/runtime\n<- device", True), ("core <- device <- cuda/runtime", False),
                         ("core <- cellar", False)]:
        if (not stated_order(f"Includes point one way, `{chain}`.")) != right:
            wrong.append(f"the order {chain} should be {'accepted' if right else 'rejected'}")
    for complaint, change in broken.items():
        problems = verdict({**good, **change})
        if len(problems) != 1 or complaint not in problems[0]:
            wrong.append(f"expected one problem with '{complaint}', got {problems}")
    ours = "/x/include/situ/tensor/tensor.hpp"
    for name, no_toolkit, bad in [("/usr/local/cuda/include/cccl/cub/cub.cuh", False, True), ("/c/thrust/sort.h", False, True),
                                  ("/opt/cuda/include/cuda/std/array", False, True), ("/usr/include/cublasLt.h", False, True),
                                  ("/usr/local/cuda/include/vector_types.h", False, False),
                                  ("/usr/local/cuda/include/vector_types.h", True, True),
                                  ("/usr/include/cuda_runtime_api.h", True, True),
                                  ("/x/include/situ/cuda/api/api.hpp", True, False), ("/x/include/situ/cuda/kernels/sort/sort.hpp", True, False)]:
        if bool(check_reached([ours, name], no_toolkit)) != bad:
            wrong.append(f"{name} with no_toolkit={no_toolkit} should be {'rejected' if bad else 'accepted'}")
    for line in wrong:
        print("FAILED", line)
    print(f"selftest: {len(broken)} broken trees, {len(wrong)} wrong answers")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--selftest", action="store_true")
    parser.add_argument("--reached-by", metavar="COMPILER")
    parser.add_argument("--include", action="append", default=[], help="folders of system headers")
    parser.add_argument("-D", action="append", default=[], metavar="MACRO")
    parser.add_argument("--no-toolkit", action="store_true")
    options = parser.parse_args()
    if options.selftest:
        return selftest()
    if options.reached_by:
        flags = [f"-I{folder}" for folder in rooms.include_folders(options.folder.parent)] + [part for folder in options.include for part in ("-isystem", folder)]
        files = reached(options.reached_by, flags + [f"-D{macro}" for macro in options.D], "#include <situ/situ.hpp>\n")
        if files is None:
            print(f"skipped: {options.reached_by} not found")
            return 77
        problems = check_reached(files, options.no_toolkit)
    else:
        problems = check(options.folder)
    if not any(options.folder.rglob("*.hpp")):
        problems.append(f"no headers in {options.folder}")
    for problem in problems:
        print("FAILED", problem)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
