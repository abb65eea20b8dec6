#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks for what an addition needs besides its code: the lists of docs/adding.md.

    recipes.py ROOT             ROOT is the project's folder
    recipes.py --selftest       leaves out each file once and expects it to be named

A line names what is missing: `swap_pairs (ops/swap_pairs.hpp) has no row in docs/operations.md`. The rules are textual:
    a function of ops/, linalg/ and order/   a row in docs/operations.md; calls in tests/conformance/ and tests/golden/;
                                             of ops/ also one in tests/static/spread*.cpp, which says what it makes of
                                             each layout, or that it refuses it; with an operation, a gradient test
    an element-wise function of one operand  also its guard in distributed/, and a case in tests/golden/cases.txt
    a reduction of plan/reduction.hpp        the compiled list, cpu/compiled.hpp
    a kernel of plan/kernels.hpp             plan/every_kernel.hpp, both backends, tests/scalar_device, the compiled list
    a group of cases in tests/conformance/   all kinds of devices that other groups of its header are run on
    a layer of nn/                           docs/guide/networks.md, tests/unit/nn*.cpp, tests/cuda/nn*.cpp
tests/functions/left_out.txt lists what needs less, and why; an entry that is not needed is reported too. tests/includes
and tests/pages find forgotten lines of situ.hpp and docs/headers.md.
"""
import argparse
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
import check as table  # noqa: E402
import documented  # noqa: E402

LEFT_OUT = "tests/functions/left_out.txt"
FUNCTION = re.compile(r"^\[\[nodiscard\]\][^;{}=]*?\b([a-z]\w*)\(", re.M)
CALLED = re.compile(r"\b[A-Za-z_]\w*(?=\s*(?:<[^;{}()]*>)?\s*\()")
OPERATION = re.compile(r"\boperation::\w|\binternal::apply\b|\bapply_to\b")
REDUCTION = re.compile(r"^struct (\w+)[^{;]*\{\n  static constexpr const char\* name", re.M)
CONCEPT = re.compile(r"^concept (\w+) =\s+requires\(const B& backend[^{]*\{\s*\{?\s*(\w+)(?:<[^;()]*>)?\(backend", re.M | re.S)
CLASS = re.compile(r"^(?:class|struct) (\w+)\b([^;{]*\{.*?^\};)", re.M | re.S)


def code(text):
    """Without comments and texts."""
    return re.sub(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"', " ", text)


def public(path):
    """The lines of a header that are in no namespace `internal` or `detail`."""
    spaces, lines = [], []
    for line in path.read_text().splitlines():
        opened = re.match(r"(?:inline )?namespace\b([^={]*)\{\s*(?://.*)?$", line)
        if opened:
            spaces.append(opened[1])
        elif re.match(r"\}\s*// namespace", line):
            spaces.pop()
        elif not re.search(r"\b(?:internal|detail)\b", " ".join(spaces)):
            lines.append(line)
    return code("\n".join(lines))


def functions_of(root, folder):
    """{name: (header, whether one of the name applies an operation, which has a gradient)}"""
    found = {}
    for path in sorted((root / "include/situ" / folder).glob("*.hpp")):
        lines = public(path)
        for match in FUNCTION.finditer(lines):
            applies = OPERATION.search(lines[match.start():].split("\n}\n", 1)[0]) is not None
            if match[1] != "decltype":
                found[match[1]] = (f"{folder}/{path.name}", applies or found.get(match[1], ("", False))[1])
    return found


def text(root, *patterns):
    return "\n".join(code(path.read_text()) for pattern in patterns for path in sorted(root.glob(pattern))
                     if path.name != "compiled.hpp" or pattern.endswith(path.name))


def left_out(root):
    """{list: {name}}"""
    lists = {}
    path = root / LEFT_OUT
    for line in path.read_text().splitlines() if path.exists() else []:
        if line and not line.startswith("#"):
            kind, reason, entries = line.split(": ", 2)
            lists.setdefault(kind, set()).update(entries.split())
    return lists


class Findings:
    """Problems, and the entries of the lists that were needed."""

    def __init__(self, lists):
        self.problems, self.lists, self.needed = [], lists, set()

    def need(self, holds, kind, name, where, lacks):
        if holds:
            return
        if name in self.lists.get(kind, ()):
            self.needed.add((kind, name))
        else:
            self.problems.append(f"{name} ({where}) {lacks}")

    def result(self):
        unneeded = sorted((kind, name) for kind, entries in self.lists.items() for name in entries
                          if (kind, name) not in self.needed)
        return self.problems + [f"{name}: {LEFT_OUT} has it under '{kind}', but it is not left out, or not defined"
                                for kind, name in unneeded]


def functions(root, findings):
    rows = set(documented.documented((root / "docs/operations.md").read_text()))
    of_table = text(root, "tests/functions/*.hpp")

    def called(*patterns):
        return set(CALLED.findall(of_table + text(root, *patterns)))

    conformance = called("tests/conformance/*.hpp")
    golden = called("tests/golden/**/*.[ch]pp", "tests/numpy/*.[ch]pp", "tests/unit/*_torch.cpp", "tests/unit/*_golden.cpp")
    spread = called("tests/static/spread*.cpp")
    gradients = called("tests/unit/autograd*.[ch]pp", "tests/unit/*_torch.cpp", "tests/golden/torch/*.hpp",
                       "tests/conformance/gradients.hpp", "tests/conformance/linalg.hpp")
    for folder in ("ops", "linalg", "order"):
        for name, (where, applies) in functions_of(root, folder).items():
            findings.need(not applies or name in gradients, "gradient", name, where,
                          "has no test of its gradient, such as in tests/unit/autograd_*.cpp")
            findings.need(name in rows, "document", name, where, "has no row in docs/operations.md")
            findings.need(name in conformance, "conformance", name, where, "has no case in tests/conformance/")
            findings.need(name in golden, "golden", name, where,
                          f"has no golden case in tests/golden/ (if NumPy and PyTorch lack it: {LEFT_OUT})")
            if folder == "ops":
                findings.need(name in spread, "spread", name, where,
                              f"is not in tests/static/spread*.cpp: say what it makes of each layout (or, if it has no "
                              f"form for a Spread, in {LEFT_OUT})")


def elementwise(root, findings):
    guards = set(re.findall(r"\bnever_made\s+(\w+)\(", text(root, "include/situ/distributed/*.hpp")))
    cases = set()
    for path in sorted(root.glob("tests/golden/**/cases.txt")):
        ops = set(re.findall(r"^op (\w+)", path.read_text(), re.M))
        cases |= ops
        made = (path.parent / "generate.py").read_text()
        for op in sorted(ops):  # `conv1d` is written f"conv{axes}d"
            findings.need(re.search(r'"[^"\n]*' + re.sub(r"\dd$", "", op), made), "golden", op, path.relative_to(root),
                          "is not in generate.py beside it")
    for path in sorted(root.glob("tests/golden/**/*.cpp")):
        for op in re.findall(r'\bop == "(\w+)"', path.read_text()):
            findings.need(op in cases, "golden", op, path.relative_to(root), "has no line 'op' in a cases.txt of tests/golden/")
    for rows in table.rows(root).values():
        for name, functor, called, operands, *_ in rows:
            name = name.split("(")[0]
            findings.need(name in cases, "golden", name, f"functor {functor}",
                          f"has no golden case: no line 'op {name}' in tests/golden/cases.txt (if NumPy lacks it: {LEFT_OUT})")
            if operands == 1 and not called.startswith("operator"):
                findings.need(called in guards, "guard", called, f"functor {functor}",
                              f"has no guard for pending sums in include/situ/distributed/: never_made {called}"
                              "(a_partial_sum_is_not_a_value::fix_call_all_reduce);")


def reductions(root, findings):
    compiled = set(re.findall(r"\w+", text(root, "include/situ/cpu/compiled.hpp")))
    for name in REDUCTION.findall((root / "include/situ/plan/reduction.hpp").read_text()):
        findings.need(name in compiled, "compiled", name, "plan/reduction.hpp",
                      "is not in the list of reductions of include/situ/cpu/compiled.hpp")


def kernels(root, findings):
    def called(*patterns):
        return set(CALLED.findall(text(root, *patterns)))

    contract = text(root, "include/situ/plan/every_kernel.hpp")
    places = {"cpu": ("the backend include/situ/cpu/", called("include/situ/cpu/**/*.hpp")),
              "cuda": ("the backend include/situ/cuda/", called("include/situ/cuda/**/*.hpp")),
              "scalar": ("tests/scalar_device/", called("tests/scalar_device/*.hpp")),
              "compiled": ("the list of include/situ/cpu/compiled.hpp", called("include/situ/cpu/compiled.hpp"))}
    for concept, name in CONCEPT.findall(code((root / "include/situ/plan/kernels.hpp").read_text())):
        where = f"{concept} of plan/kernels.hpp"
        findings.need(f"{concept}<" in contract, "contract", name, where, "is not in include/situ/plan/every_kernel.hpp")
        for kind, (place, found) in places.items():
            findings.need(name in found, kind, name, where, f"is not in {place}")


def groups(root, findings):
    run_on = {}
    for group, devices in re.findall(r"TEMPLATE_INVOKE\((\w+), ([^)]*)\)", text(root, "tests/conformance/*.cpp")):
        run_on.setdefault(group, set()).update(re.findall(r"Cpu|Cuda|Scalar", devices))
    for path in sorted((root / "tests/conformance").glob("*.hpp")):
        defined = re.findall(r"TEMPLATE_DEFINE\([^)]*\b(\w+)\)", code(path.read_text()))
        every = set().union(*(run_on.get(group, ()) for group in defined))
        for group in defined:
            lacks = ", ".join(sorted(every - run_on.get(group, set())))
            findings.need(not lacks and group in run_on, "group", group, f"tests/conformance/{path.name}",
                          f"is not run on {lacks}: add TEST_CASE_TEMPLATE_INVOKE to the files of tests/conformance/")


def layers(root, findings):
    guide = (root / "docs/guide/networks.md").read_text()
    guide = set(re.findall(r"\w+", " ".join(re.findall(r"```.*?```|`[^`\n]+`", guide, re.S))))
    places = {"unit": set(re.findall(r"\w+", text(root, "tests/unit/nn*.cpp"))),
              "cuda": set(re.findall(r"\w+", text(root, "tests/cuda/nn*.cpp")))}
    for path in sorted((root / "include/situ/nn").glob("*.hpp")):
        for name, body in CLASS.findall(public(path)):
            if "operator()" not in body and not re.match(r"\s*:\s*(?:public )?detail::", body):
                continue
            where = f"nn/{path.name}"
            findings.need(name in guide, "guide", name, where, "is not in docs/guide/networks.md")
            for kind, words in places.items():
                findings.need(name in words, f"{kind} test of layer", name, where, f"has no test in tests/{kind}/nn*.cpp")


def check(root):
    findings = Findings(left_out(root))
    for part in (functions, elementwise, reductions, kernels, groups, layers):
        part(root, findings)
    return findings.result()


GOOD = {
    "include/situ/ops/unary.hpp": table.GOOD["include/situ/ops/unary.hpp"],
    "tests/functions/unary.hpp": table.GOOD["tests/functions/unary.hpp"],
    "include/situ/distributed/guards.hpp": "never_made exp(a_partial_sum_is_not_a_value::fix_call_all_reduce);\n",
    "include/situ/ops/sort.hpp": "namespace situ {\nnamespace internal {\n[[nodiscard]] int helper(int x);\n"
                                 "}  // namespace internal\n[[nodiscard]] auto sort(const X& x) {\n"
                                 "  return internal::apply(x);\n}\n}  // namespace situ\n",
    "include/situ/plan/reduction.hpp": "struct Sum : Base {\n  static constexpr const char* name = \"sum\";\n};\n",
    "include/situ/plan/kernels.hpp": "concept Sorts = requires(const B& backend, X x) {\n  sort_rows<T>(backend, x);\n};\n",
    "include/situ/plan/every_kernel.hpp": "concept HasEveryKernel = Sorts<B, float>;\n",
    "include/situ/cpu/compiled.hpp": "LIST(how, Sum, T) how void sort_rows<T>(Backend);\n",
    **{path: "void sort_rows(Backend);\n" for path in (
        "include/situ/cpu/sort.hpp", "include/situ/cuda/kernels/sort.hpp", "tests/scalar_device/order.hpp")},
    "include/situ/nn/scale.hpp": "namespace situ::nn {\nclass Scale : public Module<Scale> {\n  int operator()(int x);\n};\n"
                                 "}  // namespace situ::nn\n",
    "docs/operations.md": "| Call | Meaning |\n|---|---|\n| `exp` `sort(x)` | |\n",
    "docs/guide/networks.md": "`Scale`\n",
    "tests/golden/cases.txt": "op exp\n",
    "tests/golden/order.cpp": 'if (op == "sort") sort(x);\n',
    "tests/golden/order/cases.txt": "op sort\n",
    **{f"tests/golden/{folder}generate.py": '"exp", "sort"' for folder in ("", "order/")},
    "tests/conformance/order.hpp": 'TEST_CASE_TEMPLATE_DEFINE("order", D, order) { sort(x); }\n',
    "tests/conformance/cpu.cpp": "TEST_CASE_TEMPLATE_INVOKE(order, Cpu, Pinned);\n",
    "tests/unit/autograd_order.cpp": "sort(x);\n",
    "tests/static/spread.cpp": "sort(x);\n",
    **{f"tests/{kind}/nn.cpp": "nn::Scale\n" for kind in ("unit", "cuda")},
    LEFT_OUT: "# none\n",
}
# The file that is emptied: what must be said.
FORGOTTEN = {
    "tests/golden/generate.py": "exp (tests/golden/cases.txt) is not in generate.py",
    "include/situ/distributed/guards.hpp": "exp (functor Exp) has no guard for pending sums in include/situ/distributed/",
    "tests/golden/cases.txt": "exp (functor Exp) has no golden case: no line 'op exp'",
    "tests/golden/order/cases.txt": "sort (tests/golden/order.cpp) has no line 'op'",
    "docs/operations.md": "sort (ops/sort.hpp) has no row in docs/operations.md",
    "tests/golden/order.cpp": "sort (ops/sort.hpp) has no golden case",
    "tests/conformance/order.hpp": "sort (ops/sort.hpp) has no case in tests/conformance/",
    "tests/conformance/cpu.cpp": "order (tests/conformance/order.hpp) is not run on",
    "tests/unit/autograd_order.cpp": "sort (ops/sort.hpp) has no test of its gradient",
    "tests/static/spread.cpp": "sort (ops/sort.hpp) is not in tests/static/spread*.cpp",
    "include/situ/cpu/compiled.hpp": "Sum (plan/reduction.hpp) is not in the list of reductions",
    "include/situ/plan/every_kernel.hpp": "sort_rows (Sorts of plan/kernels.hpp) is not in include/situ/plan/every_kernel.hpp",
    "include/situ/cpu/sort.hpp": "sort_rows (Sorts of plan/kernels.hpp) is not in the backend include/situ/cpu/",
    "include/situ/cuda/kernels/sort.hpp": "sort_rows (Sorts of plan/kernels.hpp) is not in the backend include/situ/cuda/",
    "tests/scalar_device/order.hpp": "sort_rows (Sorts of plan/kernels.hpp) is not in tests/scalar_device/",
    "docs/guide/networks.md": "Scale (nn/scale.hpp) is not in docs/guide/networks.md",
    **{f"tests/{kind}/nn.cpp": f"Scale (nn/scale.hpp) has no test in tests/{kind}/" for kind in ("unit", "cuda")},
}


def selftest():
    def verdict(files):
        with tempfile.TemporaryDirectory() as scratch:
            for name, content in files.items():
                path = pathlib.Path(scratch) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)
            return check(pathlib.Path(scratch))

    wrong = [f"a good tree is rejected: {problem}" for problem in verdict(GOOD)]
    for path, complaint in FORGOTTEN.items():
        problems = verdict({**GOOD, path: ""})
        if not any(problem.startswith(complaint) for problem in problems) or len(problems) > 2:
            wrong.append(f"without {path}: expected '{complaint}', got {problems}")
    listed = {**GOOD, LEFT_OUT: "golden: not NumPy's: sort\n"}
    if verdict({**listed, "tests/golden/order.cpp": ""}) or "not left out" not in str(verdict(listed)):
        wrong.append("what is listed is reported, or a listed name that lacks nothing accepted")
    print("".join(f"FAILED {line}\n" for line in wrong), end="")
    print(f"selftest: {len(FORGOTTEN)} forgotten files, {len(wrong)} wrong answers")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=pathlib.Path)
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    if options.selftest:
        return selftest()
    problems = check(options.root)
    print(*(f"FAILED {problem}" for problem in problems), f"{len(problems)} problems", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
