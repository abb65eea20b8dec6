#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the table of functions with what it is a table of.

    check.py ROOT             ROOT is the project's folder
    check.py --selftest       breaks each rule once and expects it to be found

Every element-wise function and operator of one or two operands that include/situ/ops/ and include/situ/expression/ define has a
row in tests/functions/, and every row is defined there; docs/operations.md names it, docs/accuracy.md has its error, which the
row allows; and each kind of test visits every family of rows.
"""
import argparse
import pathlib
import re
import sys
import tempfile

# Element-wise and no row: not of one or two operands, or with options.
NO_ROW = {"where": "three operands", "clamp": "three operands", "cast": "its result is of any type", "map": "the user's functor",
          "isclose": "a tolerance", "operator+x": "gives its operand"}
# A kind of test, its files, and whether it visits what has no derivative or is no function of floats.
KINDS = {
    "unit": ["tests/unit/functional.cpp", "tests/unit/math_exponential.cpp", "tests/unit/math_trigonometric.cpp",
             "tests/unit/math_erf.cpp"],
    "static": ["tests/static/elements.cpp"],
    "golden": ["tests/golden/unary.cpp", "tests/golden/binary.cpp"],
    "conformance": ["tests/conformance/functions.hpp"],
    "accuracy": ["benchmarks/accuracy.cpp"],
    "gradients": ["tests/unit/autograd_unary.cpp", "tests/unit/autograd_trigonometric.cpp",
                  "tests/unit/autograd_activations.cpp", "tests/unit/autograd_binary.cpp"],
}
DEFINED = re.compile(r"\[\[nodiscard\]\]([^;{}]*?)\b(operator\s*[^\s\w(]{1,2}|\w+)\(((?:[^;{}]|\{\})*)\)\s*\{(.*?)\n\}", re.S)
LAZY = re.compile(r"^\s*(?:(?:using|const) [^;]*;\s*)?return (?:internal::make_map|LazyUntilEval|internal::stored)\b")
FAMILY = re.compile(r"inline constexpr auto (\w+) = \[\]\(auto visit\) \{ visit\((.*?)\); \};\n", re.S)
ROW = re.compile(r'(Unary|Binary)\{"([^"]+)", f::(\w+)\{(?:[^{}]|\{\})*\},\s*\[\]\(([^)]*)\) -> decltype\((.*?)\) \{ return (.*?); \},'
                 r"\s*(\w+), (.*?)(?=\n    (?:Unary|Binary|//)|$)", re.S)
ULPS = re.compile(r"^(?:\{[^}]*\},\s*)+(\{[^}]*\}|\w[\w.]*)")
MEASURED = re.compile(r"^\| `([^`]+)` \| ([\d.]+) \|[^|]*\| ([\d.]+) \|[^|]*\| ([\d.]+) \| ([\d.]+) \|$", re.M)


def defined(root):
    """Element-wise functions: (name, functor, operands) of each; a unary operator is `operator-x`."""
    found = set()
    for path in sorted([*(root / "include/situ/ops").glob("*.hpp"), *(root / "include/situ/expression").glob("*.hpp")]):
        for kind, name, parameters, body in DEFINED.findall(path.read_text()):
            operator = name.startswith("operator")
            if name == "decltype" or path.parent.name == "expression" and not operator or not LAZY.search(body):
                continue
            functor = re.search(r"\bfunctional::(\w+)", body)
            operands = body.count("std::forward<")
            name = re.sub(r"\s", "", name)
            if operator and operands == 1:
                name += "x"
            found.add((name, functor[1] if functor else "", operands))
    return found


def rows(root):
    """{family: [(name, functor, call, operands, (ulps of float, of double))]}"""
    families = {}
    for path in sorted((root / "tests/functions").glob("*.hpp")):
        for family, text in FAMILY.findall(path.read_text()):
            families[family] = []
            for kind, name, functor, _, accepted, call, elements, rest in ROW.findall(text):
                ulps = ULPS.match(rest)[1].strip("{}").split(", ")
                ulps = [0.501 if u == "rounded" else float(u) for u in ulps]
                operator = re.fullmatch(r"(?:a )?([^\w\s]{1,2}) ?[bx]", call)
                called = "operator" + operator[1] + ("" if kind == "Binary" else "x") if operator else call.split("(")[0]
                families[family].append((name, functor, called, 1 if kind == "Unary" else 2, (ulps[0], ulps[-1]), elements,
                                         call, "none" in rest.split()[-1]))
            if len(families[family]) != text.count('ary{"'):
                sys.exit(f"FAILED {path.name}: {family} has {text.count('ary{' + chr(34))} rows, of which "
                         f"{len(families[family])} could be read")
    return families


def check(root):
    problems = []
    families, functions = rows(root), defined(root)
    table = {(row[2], row[1], row[3]) for family in families.values() for row in family}
    for name, functor, operands in sorted(functions - table):
        if name not in NO_ROW:
            problems.append(f"{name} of {operands} operands, functor {functor}: no row in tests/functions/")
    for name, functor, operands in sorted(table - functions):
        problems.append(f"{name} of {operands} operands, functor {functor}: a row of something that is not defined")
    problems += [f"{name}: in NO_ROW, but not defined" for name in sorted(set(NO_ROW) - {f[0] for f in functions})]
    operations = (root / "docs/operations.md").read_text()
    start = operations.find("## Element-wise")
    section = operations[start:operations.find("\n## ", start + 5)]
    code = " , ".join("".join(pair) for pair in re.findall(r"`([^`]+)`|<code>(.*?)</code>", section)).replace("&#124;", "|")
    accuracy = (root / "docs/accuracy.md").read_text()
    measured = {name: [float(value) for value in values] for name, *values in MEASURED.findall(accuracy)}
    exact = re.search(r"^Exact, or rounded once:(.*?)\n\n", accuracy, re.M | re.S)
    exact = " , ".join(re.findall(r"`([^`]+)`", exact[1])) if exact else ""

    def named(word, text):
        return re.search(r"(?<!\w)" + re.escape(word) + r"(?!\w)", text) is not None if word[0].isalpha() else word in text

    for family, its_rows in families.items():
        for name, _, called, _, ulps, elements, call, _ in its_rows:
            symbol = called[len("operator"):].rstrip("x") if called.startswith("operator") else called
            if not named(symbol, code):
                problems.append(f"{name}: docs/operations.md does not name `{symbol}`")
            if family in ("predicates", "inversions", "comparisons", "logic", "bitwise"):
                continue
            base = name.split("(")[0]
            if name in measured:
                figures = measured[name]
                for kind, figure, bound in zip(("float", "double") * 2, figures, ulps * 2):
                    if figure > bound:
                        problems.append(f"{name}: an error of {figure} for {kind} in docs/accuracy.md, the row allows {bound}")
            elif not named(symbol, exact) and not any(other.split("(")[0] == base for other in measured):
                problems.append(f"{name}: docs/accuracy.md has neither its error nor says that it is exact")
    for kind, paths in KINDS.items():
        text = "".join((root / path).read_text() for path in paths)
        for family, its_rows in families.items():
            operands = "unary" if its_rows[0][3] == 1 else "binary"
            if kind == "gradients" and all(row[7] for row in its_rows):
                continue
            if kind == "accuracy" and family in ("comparisons", "logic", "bitwise"):
                continue
            if not re.search(rf"function_table::({family}|for_each_{operands})\(", text) and \
                    not re.search(rf"function_table::{family}\b", text):
                problems.append(f"{kind} tests: none visits {family}")
    everything = (root / "tests/functions.hpp").read_text()
    problems += [f"functions.hpp: for_each_... leaves out {family}" for family in families if f"  {family}(each);" not in everything]
    if not table:
        problems.append("no rows")
    return problems


GOOD = {
    "include/situ/ops/unary.hpp": """[[nodiscard]] lazy_until_eval_t<internal::functional::Exp, X> exp(X&& x) {
  return internal::make_map(internal::functional::Exp{}, std::forward<X>(x));
}
""",
    "tests/functions/unary.hpp": """inline constexpr auto exponentials = [](auto visit) { visit(
    Unary{"exp", f::Exp{}, [](const auto& x) -> decltype(exp(x)) { return exp(x); },
          floating, {-9, 9}, 1.1, [](auto x) { return std::exp(x); }, [](auto x) { return std::exp(x); }}); };
""",
    "tests/functions.hpp": "  exponentials(each);\n",
    "docs/operations.md": "## Element-wise\n`exp`\n\n## More\n",
    "docs/accuracy.md": "| `exp` | 1.009 | 1 | 0.998 | 2 | 0.943 | 0.944 |\n\n",
    **{path: "function_table::for_each_unary(" for paths in KINDS.values() for path in paths},
}
BROKEN = {  # what the complaint says: what to change
    "no row": {"include/situ/ops/more.hpp": GOOD["include/situ/ops/unary.hpp"].replace("exp(X", "log(X").replace("Exp", "Log")},
    "not defined": {"include/situ/ops/unary.hpp": GOOD["include/situ/ops/unary.hpp"].replace("Exp", "Exp2")},
    "does not name": {"docs/operations.md": "## Element-wise\n`expm1`\n\n## More\n"},
    "neither its error": {"docs/accuracy.md": ""},
    "the row allows": {"docs/accuracy.md": GOOD["docs/accuracy.md"].replace("0.998", "1.2")},
    "static tests: none visits": {"tests/static/elements.cpp": ""},
    "leaves out": {"tests/functions.hpp": ""},
}


def selftest():
    def verdict(files):
        with tempfile.TemporaryDirectory() as scratch:
            for name, text in files.items():
                path = pathlib.Path(scratch) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return [problem for problem in check(pathlib.Path(scratch)) if "in NO_ROW" not in problem]

    wrong = [f"a good tree is rejected: {problem}" for problem in verdict(GOOD)]
    for complaint, change in BROKEN.items():
        problems = verdict({**GOOD, **change})
        if not problems or not all(complaint in problem or complaint == "not defined" for problem in problems):
            wrong.append(f"expected problems with '{complaint}', got {problems}")
    for line in wrong:
        print("FAILED", line)
    print(f"selftest: {len(BROKEN)} broken trees, {len(wrong)} wrong answers")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=pathlib.Path)
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    if options.selftest:
        return selftest()
    problems = check(options.root)
    for problem in problems:
        print("FAILED", problem)
    print(f"{len(problems)} problems, {sum(map(len, rows(options.root).values()))} rows")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
