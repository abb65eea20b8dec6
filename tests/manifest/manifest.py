#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the tests touch: each function with the element types, the device and the instruction set that some test uses it with.

    manifest.py write BUILD... --out FILE     of what is built in these folders for tests/ and examples/
    manifest.py compare OLD NEW               exit code 1, and the entries of OLD that NEW lacks; 77 when nothing can be compared;
                                              with --require=SETTING,... 1 when one of these cannot
    manifest.py --selftest

tests/manifest/touched.txt has what `scripts/test all` builds. A change that makes the tests faster shows by it that none of them
is lost. Where one is to go, or with new ones, `write` writes that file again, and the difference is for the review.

An entry is (function, element types, device, setting). It is read from the symbols that object files define or ask for:

    reshape, Tensor::to, nn::...      a public function, or a member of a public class; the element types are those of the operands
                                      that are tensors or expressions, or the one that is named (`zeros<float>`), each once
    functional::Exp                   a function in an expression; `Cpu` stands for `Pinned` too where only a kernel has it
    gradient functional::Exp          its derivative; gradient operation::Take, that of an operation
    kernel Sort                       what is called by `call_kernel`
    cuda::SortInBlock                 a kernel of the CUDA backend; PTX has nothing else
    tests/unit/sort.cpp               a file: so those count too that make no code, as in tests/static

A setting is what an object is compiled for: `native`, this machine's processor, `baseline`, any, or another `-march`; and `ptx`.
With `+nvcc` behind it, what the host's compiler gets where nvcc is; with another word, a program that needs what scripts/setup does
not install. All folders of one setting count together. A folder is one of Ninja's.

A setting is compared only where OLD and NEW have it from the same compiler. Compilers differ in what they inline, and for other
processors too: so optimized objects tell only of functions in expressions, gradients and kernels, which the types of what is left
name in any case. Not seen is: whether what is compiled is run, and whether a test looks at the result; values, shapes and layouts;
that one of two tests of an entry is gone, unless its file is; what is called in constant expressions alone; and what tests compile
when they run (messages, consumers, Python).
"""
import argparse
import collections
import pathlib
import struct
import sys
import tempfile

sys.dont_write_bytecode = True  # of the two beside this file
import builds  # noqa: E402
import names  # noqa: E402

WIDTH = 132


def lines(entries):
    """Entries as text: under each function, lines of devices, settings and element types that go together."""
    functions = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(set)))
    for function, types, device, where in entries:
        functions[function][device][types].add(where)
    for function in sorted(functions):
        yield function
        rows = collections.defaultdict(list)
        for device, by_types in functions[function].items():
            together = collections.defaultdict(list)
            for types, wheres in by_types.items():
                together[" ".join(sorted(wheres))].append(types)
            for wheres, types in together.items():
                rows[wheres, " ".join(sorted(types))].append(device)
        for (wheres, types), some in sorted(rows.items(), key=lambda row: (sorted(row[1]), row[0])):
            head = f"  {' '.join(sorted(some))} | {wheres} |"
            line = head
            for one in types.split():
                if len(line) + 1 + len(one) > WIDTH and line != head:
                    yield line
                    line = head
                line += " " + one
            yield line


def write(settings, entries):
    top = ["# SPDX-License-Identifier: Apache-2.0", "# Written by manifest.py, which says what this is.",
           *(f"# {where}: {compiler}" for where, compiler in sorted(settings.items()))]
    return "\n".join([*top, *lines(entries)]) + "\n"


def read(text):
    settings, entries, function = {}, set(), ""
    for line in text.splitlines():
        if line.startswith("# "):
            where, colon, compiler = line[2:].partition(": ")
            if colon and " " not in where and not where.startswith("SPDX"):
                settings[where] = compiler
        elif line.startswith("  "):
            some, wheres, types = (part.split() for part in line.split("|"))
            entries.update((function, one, device, where) for device in some for where in wheres for one in types)
        else:
            function = line
    return settings, entries


def compare(old, new, required=()):
    """(exit code, what to say) of two manifests, as `read` gives them."""
    compared = {where for where, compiler in old[0].items() if new[0].get(where) == compiler}
    said = [f"not compared: {where}, of {old[0].get(where, 'nothing')} before and {new[0].get(where, 'nothing')} now"
            for where in sorted({*old[0], *required} - compared)]
    missing = {entry for entry in old[1] - new[1] if entry[3] in compared}
    if missing:
        said += ["MISSING: what tests touched and touch no more", *lines(missing)]
    more = sum(entry[3] in compared for entry in new[1] - old[1])
    said.append(f"{len(missing)} entries of {sum(entry[3] in compared for entry in old[1])} are missing, {more} are new; compared: "
                f"{' '.join(sorted(compared)) or 'nothing'}")
    code = 1 if missing or set(required) - compared else 0 if compared else 77
    return code, said


LAZY = "situ::LazyUntilEval<situ::internal::functional::"
SAID = {  # a demangled name: what it tells of
    "situ::Tensor<float, situ::Cpu[abi:avx2]> situ::zeros<float, situ::Cpu[abi:avx2]>(situ::Shape const&, situ::Cpu[abi:avx2])":
        ["zeros float Cpu"],
    "auto situ::take<situ::Tensor<situ::float16, situ::Cuda<1> >, situ::Tensor<long, situ::Cuda<1> > >(int)":
        ["take float16,int64 Cuda"],
    "situ::Tensor<bool, situ::Pinned> situ::Tensor<bool, situ::Cpu>::to<situ::Pinned>(situ::Pinned, situ::CallSite) const":
        ["Tensor::to bool Cpu,Pinned"],
    "situ::Tensor<bool, situ::Cpu>::~Tensor()": [],
    "void situ::split<((2ul)>(1ul)), float>(int)": ["split float -"],
    "double situ::element_from_scalar<double, int>(int)": ["element_from_scalar double -"],
    f"decltype ((a)>(b)) situ::exp<{LAZY}Subtract, situ::internal::Scalar<float>, situ::Tensor<situ::float16, situ::Cpu> > >(int)":
        ["functional::Subtract float16 Cpu", "exp float16 Cpu"],
    f"auto situ::sin<{LAZY}Where, situ::Tensor<bool, situ::Cpu>, situ::Tensor<double, situ::Cpu> > >()":
        ["sin double Cpu"],
    "situ::Shape::rank() const": ["Shape::rank - -"],
    "situ::to_string[abi:cxx11](situ::Shape const&)": ["to_string - -"],
    f"auto situ::exp<{LAZY}Cast<double>, situ::Tensor<int, situ::Cpu> > >({LAZY}Cast<double>, situ::Tensor<int, situ::Cpu> >&&)":
        ["functional::Cast int32,double Cpu", "exp double Cpu"],
    f"decltype ((a)<(b)) situ::operator< <int, {LAZY}Less, situ::internal::Scalar<float>, situ::Tensor<float, situ::Cpu> > >(int)":
        ["functional::Less float Cpu", "operator< int32,bool Cpu"],
    "auto situ::nn::Linear<double, situ::Cpu>::operator()<situ::Variable<double, situ::Cpu> >(int) const":
        ["nn::Linear::operator() double Cpu"],
    f"void situ::autograd::f<{LAZY}Sin, situ::Variable<std::complex<float>, situ::Cpu> > >()":
        ["gradient functional::Sin complex64 Cpu", "autograd::f complex64 Cpu"],
    "void situ::autograd::Applied<situ::internal::operation::Take<situ::Tensor<long, situ::Cpu> >, float, situ::Cpu>::add<0ul>()":
        ["gradient operation::Take float Cpu"],
    "void situ::internal::call_kernel<situ::Pinned, situ::internal::reduction::Max, true, f(int)::{lambda(auto:1)#1}, "
    f"situ::internal::WritesElements<long, situ::Pinned>, situ::internal::Reads<{LAZY}Add, situ::Tensor<float, situ::Pinned>, "
    "situ::Tensor<double, situ::Pinned> > > >(int)": ["functional::Add float Pinned", "kernel Max int64,float Pinned"],
    "auto situ::internal::operation::Sort::operator()<situ::Tensor<bool, situ::Cpu> >(int) const": ["operation::Sort bool Cpu"],
    "situ::internal::operation::Sort::Sort(bool)": [],
    "situ::internal::cuda::launch<situ::internal::cuda::detail::Scan<situ::internal::cuda::scans::Sum<float>, float, long> >()":
        ["cuda::Scan<Sum> float,int64 Cuda"],
    "void situ::internal::cuda::of_this_library::run_kernel<situ::internal::cuda::Flat<situ::internal::program::Call<"
    "situ::internal::functional::Exp, float, situ::internal::program::Leaf<float, 0> >, 4, float> >(int)":
        ["functional::Exp float Cuda", "cuda::Flat float Cuda"],
    "void situ::add<situ::Spread<float, situ::Sharded<0>, situ::Cuda<0>, situ::Cuda<1> > >(int)": ["add float Sharded,Cuda,Cuda"],
    "situ::Tensor<float, scalar_device::Scalar>::at(int)": ["Tensor::at float Scalar"],
}
SAID_BY_TYPES = {  # the same of a function that is internal
    "auto situ::autograd::sweep::derivative<0ul, 0u, 0ul, situ::internal::functional::Exp, double, int>() const":
        ["gradient functional::Exp double -"],
    "void situ::internal::avx2::cpu::rows<situ::internal::program::Call<situ::internal::functional::Where, double, "
    "situ::internal::program::Leaf<bool, 0> > >(int)": ["functional::Where double Cpu"],
}
SYMBOLS = {  # whether a symbol tells of something
    b"_ZN4situ5zerosIfNS_3CpuEEEvv": True, b"_ZN4situ8internal4avx23cpu6detail4loadEv": False,
    b"_ZNK4situ13LazyUntilEvalIiE5shapeEv": False, b"_ZN4situ8autograd6recordIiEEvv": True,
    b"_ZN4situ8autograd5sweep4callIiEEvv": False,
    b"_ZN4situ8internal4avx23cpu4rowsINS0_10functional3ExpEEEvv": True, b"_ZN4situ8internal11call_kernelIiEEvv": True,
    b"_ZN4situ8internal4cuda15of_this_library10run_kernelIiEEvT_": True, b"_ZN4situ8internal4cuda5gridsEv": False,
}
OLD = ({"native": "GNU 12", "ptx": "nvcc 13"},
       {("exp", types, device, "native") for types in ("float", "float16") for device in ("Cpu", "Pinned")} |
       {("exp", "float", "Cuda", "ptx"), ("take", "float,int64", "Cpu", "native"), ("tests/unit/a.cpp", "-", "-", "native")})


def selftest():
    wrong = []

    def expect(what, got, wanted):
        if got != wanted:
            wrong.append(f"{what}: {got}, not {wanted}")

    def compared(settings, entries, *required):
        code, said = compare(OLD, (settings, entries), required)
        return code, [line.strip() for line in said if line.startswith("  ") or line.startswith("not compared")]

    for symbol, said in ((b"", SAID), (b"_ZN4situ8internal1fEv", SAID_BY_TYPES)):
        for name, wanted in said.items():
            expect(name, [" ".join(entry) for entry in names.used(symbol, name)], wanted)
    for symbol, wanted in SYMBOLS.items():
        expect(symbol, names.tells(symbol), wanted)
    expect("read what was written", read(write(*OLD)), OLD)
    long = ({}, {("f", f"type{i}", "Cpu", "native") for i in range(99)})
    expect("long lines are cut", max(map(len, write(*long).splitlines())) <= WIDTH and read(write(*long)), long)
    expect("the same", compared(*OLD), (0, []))
    expect("more", compared(OLD[0], OLD[1] | {("log", "float", "Cpu", "native")}), (0, []))
    expect("a type is missing", compared(OLD[0], OLD[1] - {("exp", "float16", "Pinned", "native")}),
           (1, ["Pinned | native | float16"]))
    expect("a file is missing", compared(OLD[0], OLD[1] - {("tests/unit/a.cpp", "-", "-", "native")}), (1, ["- | native | -"]))
    no_ptx = ({"native": "GNU 12"}, {entry for entry in OLD[1] if entry[3] == "native"})
    uncompared = "not compared: ptx, of nvcc 13 before and nothing now"
    expect("no nvcc", compared(*no_ptx), (0, [uncompared]))
    expect("no nvcc, which is required", compared(*no_ptx, "native", "ptx"), (1, [uncompared]))
    expect("another compiler", compared({"native": "Clang 14", "ptx": "nvcc 12"}, set())[0], 77)

    with tempfile.TemporaryDirectory() as scratch:
        build = pathlib.Path(scratch)
        # An object of three sections: none, which has their number; the symbols, whose text is the third; and that.
        text = b"\0_ZN4situ3expINS_3CpuB4avx2EEEvv\0.text._ZN4situ3logINS_3CpuEEEvv\0_ZZN4situ3maxEvE1x\0"
        sections = [(0, 0, 0, 0, 0, 3, 0), (0, builds.SYMBOL_TABLE, 0, 0, 0, 0, 2), (0, 3, 0, 0, 64 + 3 * 64, len(text), 0)]
        elf = (b"\x7fELF\x02\x01".ljust(40, b"\0") + struct.pack("<Q12xHH", 64, 0, 2) +
               b"".join(struct.pack("<IIQQQQI20x", *section) for section in sections) + text)
        edge = "build tests/{}: RULE {} | else\n  DEFINES = -DX\n  FLAGS = {}\n  INCLUDES = -Iy\n\n"
        files = {
            "build.ninja": edge.format("CMakeFiles/situ_a.dir/a$ 0.cpp.o", f"{build}/tests/a$ 0.cpp", "-O1 -O0 -march=native") +
                edge.format("CMakeFiles/situ_mdspan.dir/interop/m.cpp.o", "/tree/tests/interop/m.cpp", "-march=native") +
                edge.format("gpu/CMakeFiles/b_gpu.dir/__/cuda/b.ptx", "/tree/tests/cuda/b.cpp", "-O2") +
                edge.format("gpu/CMakeFiles/c.dir/c.cpp.o", "/tree/tests/gpu/c.cpp", "-O0 -O1 -march=x86-64") +
                edge.format("CMakeFiles/situ_a.dir/unbuilt.cpp.o", "/tree/tests/u.cpp", ""),
            "CMakeFiles/3.25/CMakeCXXCompiler.cmake":
                'set(CMAKE_CXX_COMPILER_ID "GNU")\nset(CMAKE_CXX_COMPILER_VERSION "12.2.0")\n',
            "tests/a 0.cpp":
                '#include "/tree/tests/unit/../reference.hpp"\nnamespace joined_a {\n#include "/tree/tests/unit/a.cpp"\n}\n',
            "tests/CMakeFiles/situ_a.dir/a 0.cpp.o": elf, "tests/CMakeFiles/situ_a.dir/stale.cpp.o": elf,
            "tests/CMakeFiles/situ_mdspan.dir/interop/m.cpp.o": elf, "tests/gpu/CMakeFiles/c.dir/c.cpp.o": elf,
            "tests/gpu/CMakeFiles/b_gpu.dir/__/cuda/b.ptx":
                ".visible .entry _ZN4situ8internal4cuda6launchINS1_4SortIfEEEEvv(\n.entry other(\n",
        }
        for name, text in files.items():
            (build / name).parent.mkdir(parents=True, exist_ok=True)
            (build / name).write_bytes(text if text is elf else text.encode())
        found = list(builds.objects(build))
        expect("objects", [one.path.name for one in found], ["a 0.cpp.o", "m.cpp.o", "b.ptx", "c.cpp.o"])
        expect("settings", [builds.setting(one) for one in found], ["native", "native+cccl", "ptx", "baseline+nvcc"])
        expect("optimized", [builds.optimized(one) for one in found], [False, False, False, True])
        expect("sources", [builds.sources(one) for one in found],
               [["tests/unit/a.cpp"], ["tests/interop/m.cpp"], ["tests/cuda/b.cpp"], ["tests/gpu/c.cpp"]])
        expect("compilers", builds.compilers(build), ("GNU 12", "nvcc ?"))
        expect("symbols", builds.symbols(found[0]), {b"_ZN4situ3expINS_3CpuEEEvv", b"_ZN4situ3logINS_3CpuEEEvv"})
        # `exp` and `log` are those of the first object: the second is not everywhere, and the fourth is optimized.
        expect("all of it", builds.touched([build]), (
            {"native": "GNU 12", "native+cccl": "GNU 12", "ptx": "nvcc ?", "baseline+nvcc": "GNU 12, nvcc ?"},
            {("exp", "-", "Cpu", "native"), ("log", "-", "Cpu", "native"), ("cuda::Sort", "float", "Cuda", "ptx"),
             ("tests/unit/a.cpp", "-", "-", "native"), ("tests/interop/m.cpp", "-", "-", "native+cccl"),
             ("tests/cuda/b.cpp", "-", "-", "ptx"), ("tests/gpu/c.cpp", "-", "-", "baseline+nvcc")}))
    print("\n".join(wrong) or f"selftest: {len(SAID) + len(SAID_BY_TYPES)} names, {len(SYMBOLS)} symbols, and the rest as expected")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--selftest", action="store_true")
    commands = parser.add_subparsers(dest="command")
    writing = commands.add_parser("write")
    writing.add_argument("build", nargs="+", type=pathlib.Path)
    writing.add_argument("--out", required=True, type=pathlib.Path)
    comparing = commands.add_parser("compare")
    comparing.add_argument("old", type=pathlib.Path)
    comparing.add_argument("new", type=pathlib.Path)
    comparing.add_argument("--require", type=lambda text: text.split(","), default=())
    options = parser.parse_args()
    if options.selftest:
        return selftest()
    if options.command == "write":
        settings, entries = builds.touched(options.build)
        options.out.write_text(write(settings, entries))
        print(f"{len(entries)} entries of {len({entry[0] for entry in entries})} functions and files")
        return 0
    if options.command != "compare":
        parser.error("write, compare or --selftest is needed")
    code, said = compare(read(options.old.read_text()), read(options.new.read_text()), options.require)
    print("\n".join(said))
    return code


if __name__ == "__main__":
    sys.exit(main())
