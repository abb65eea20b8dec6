#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks for public names that no document explains.

    check.py ROOT             ROOT is the project's folder
    check.py --selftest       breaks each rule once and expects it to be found

Every name that include/situ/ declares at namespace scope, outside of `internal` and `detail`, is named in README, in
docs/operations.md, a guide, or another page of the reference, in code. So `using namespace situ` brings no name that a
user's program cannot know. A function of ops/, order/, linalg/, nn/, fft/ or einsum/ that is `[[nodiscard]]` is named
in docs/operations.md or a guide, and by a test.
"""
import argparse
import pathlib
import re
import sys
import tempfile

# Namespaces that hold no names of users, beside `internal` and `detail`: why.
NAMESPACES = {
    "autograd": "what gradients are made of; docs/design.md says that it is internal",
    "every_file_of_a_program_needs_the_same_": "the linker prints the name of the namespace",
    "dlpack": "DLPack's structures, under its names; docs/guide/interop.md",
}
# Declared in a public namespace, and in no document: why.
EXCEPTIONS = {
    **dict.fromkeys(("HostAccess", "NoHostReads", "Indexable", "HasSlots", "EvaluatedHostReads", "EvaluatedReads"),
                    "a base of tensors or expressions; in situ::internal, calls with these would find all of that namespace"),
    **dict.fromkeys(("boolean_index", "integer_index", "index_behind", "index_before", "masked_part", "transfer", "transfer_async"),
                    "called by members of Tensor, and found by its arguments: defined in a header above tensor/"),
    **dict.fromkeys(("placed", "spread_over", "left_operand", "spread_elements", "spread_value", "never_made"),
                    "in the signatures of guards; compilers print it"),
}
PAGES = ["README.md", "docs/operations.md", "docs/types.md", "docs/headers.md", "docs/options.md", "docs/emulated-cuda.md"]
FOLDERS = ["ops", "order", "linalg", "nn", "fft", "einsum"]
TOKEN = re.compile(r"\w+|::|->|<=>|<=|>=|==|!=|&&|\|\||\S")
WORD = re.compile(r"[A-Za-z_]\w*")
OPEN, CLOSE = set("([{"), set(")]}")
CLASSES = ("class", "struct", "union", "enum")
NO_NAMES = {"decltype", "requires", "noexcept", "alignas", "explicit", "sizeof", "operator"}
# Compilers print the name of such a class in an error: tests/compile_fail checks those, and docs/errors.md has them.
GUARD = re.compile(r"[A-Za-z0-9]+(_[A-Za-z0-9]+){2,}")


def code_of(text):
    """C++ without comments, texts and directives; every line is kept."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])

    text = re.sub(r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|(?<![0-9A-Fa-f])\'(?:[^\'\\\n]|\\.)*\'', blank, text,
                  flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


def closed(tokens, at):
    """Behind the bracket that closes the one at `at`. Between `<` and `>`, other brackets may hold any operator."""
    depth, angle = 0, tokens[at] == "<"
    while at < len(tokens):
        if angle and tokens[at] in OPEN:
            at = closed(tokens, at)
            continue
        depth += (tokens[at] == "<") - (tokens[at] == ">") if angle else (tokens[at] in OPEN) - (tokens[at] in CLOSE)
        at += 1
        if depth == 0:
            break
    return at


def outside_brackets(tokens):
    found, at = [], 0
    while at < len(tokens):
        if tokens[at] in OPEN or tokens[at] == "<" and at and WORD.match(tokens[at - 1]) and tokens[at - 1] != "operator":
            at = closed(tokens, at)
        else:
            found.append(tokens[at])
            at += 1
    return found


def name_of(head):
    """(kind, name) of what a statement declares; None for operators, specialisations, members and guides."""
    at = 0
    while at < len(head):
        if head[at] == "template":
            if head[at + 1:at + 2] != ["<"]:
                return None
            at = closed(head, at + 1)
        elif head[at] == "[":
            at = closed(head, at)
        elif head[at] in ("extern", "inline", "constexpr", "static"):
            at += 1
        else:
            break
    head = head[at:]
    if not head or head[0] in ("static_assert", "friend") or head[:2] == ["using", "namespace"]:
        return None
    if head[0] == "using":
        return ("alias", head[1]) if "=" in head else ("using", head[-1])
    if head[0] == "concept":
        return "concept", head[1]
    at = 0
    while at < len(head):
        token, before = head[at], head[at - 1] if at else ""
        named = WORD.match(before) and before not in NO_NAMES and head[at - 2:at - 1] != ["::"]
        if token == "operator":
            return None
        if token in CLASSES:
            at += 1
            while at < len(head) and (head[at] in ("[", "class", "struct", "alignas")):
                at = closed(head, at) if head[at] == "[" else closed(head, at + 1) if head[at] == "alignas" else at + 1
            if head[at + 1:at + 2] in (["<"], ["::"]):
                return None
            if head[at + 1:at + 2] in ([], ["{"], [":"], ["final"]):
                return token, head[at]
        elif token == "(" and named:
            return None if at == 1 else ("function", before)
        elif token in "<([":
            at = closed(head, at)
        elif token == "=" or token == "{" and named:
            return ("variable", before) if named and at > 1 else None
        elif token == "{":  # of a requirement
            at += 2
        else:
            at += 1
    last = head[-1]
    return ("variable", last) if len(head) > 1 and WORD.match(last) and last not in NO_NAMES and head[-2] != "::" else None


def declarations(text):
    """(namespace, kind, name, line, whether it is [[nodiscard]]) of each at namespace scope."""
    tokens, lines, line, end = [], [], 1, 0
    code = code_of(text)
    for match in TOKEN.finditer(code):
        line, end = line + code.count("\n", end, match.start()), match.start()
        tokens.append(match[0])
        lines.append(line)
    spaces, head, at, first = [], [], 0, 0
    while at < len(tokens):
        token = tokens[at]
        first = first if head else at
        if token in "([":
            after = closed(tokens, at)
            head += tokens[at:after]
            at = after
            continue
        at += 1
        if token == "}":
            spaces, head = spaces[:-1], []
            continue
        if token == "{":
            if "namespace" in head[:2] or head[:1] == ["extern"] and len(head) == 1:
                inline = head[:1] == ["inline"]
                spaces.append("" if inline else "".join(head[head.index("namespace") + 1:] if "namespace" in head else []))
                head = []
                continue
            at = closed(tokens, at - 1)
            outer = outside_brackets(head)
            declared = name_of(head + ["{"])
            requirement = re.search(r"(^| )requires( \([^{}]*\))?$", " ".join(head))
            if requirement or "=" in outer or "(" not in head and any(word in outer for word in CLASSES) or \
                    declared and declared[0] not in ("function", "using"):
                head += ["{", "}"]
                continue
        elif token != ";":
            head.append(token)
            continue
        declared = name_of(head + ["{"] if token == "{" else head) if head else None
        if declared:
            yield "::".join(filter(None, spaces)), *declared, lines[first], "nodiscard" in head
        head = []


def names_of(root):
    """{(namespace, name): (kind, where, [where it is a function whose result counts])}"""
    names = {}
    for path in sorted((root / "include/situ").rglob("*.hpp")):
        for space, kind, name, line, counts in declarations(path.read_text()):
            parts = space.split("::")
            if parts[0] != "situ" or {"internal", "detail"} & set(parts) or \
                    any(part.startswith(hidden) for hidden in NAMESPACES for part in parts):
                continue
            known = names.setdefault((space, name), (kind, f"{path.relative_to(root)}:{line}", []))
            if kind == "function" and counts and path.relative_to(root / "include/situ").parts[0] in FOLDERS:
                known[2].append(f"{path.relative_to(root)}:{line}")
    return names


def words_in_code(paths):
    words = set()
    for path in paths:
        for code in re.findall(r"```.*?```|``.*?``|`[^`]+`|<code>.*?</code>", path.read_text(), re.S):
            words.update(WORD.findall(re.sub(r"[\w./]*/[\w./]+\.\w+", " ", code)))  # without the names of files
    return words


def tested(root):
    words = set()
    for folder in ("tests", "examples"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            words.update(WORD.findall(code_of(path.read_text())))
    return words


def check(root):
    guides = [root / "docs/operations.md", *sorted((root / "docs/guide").glob("*.md"))]
    explained = words_in_code(path for path in guides if path.exists())
    documented = explained | words_in_code(root / page for page in PAGES if (root / page).exists())
    errors = root / "docs/errors.md"
    guards = set(re.findall(r"\bsitu::(?:\w+::)?(\w+)", errors.read_text())) if errors.exists() else set()
    names, tests, problems, used = names_of(root), tested(root), [], set()
    for (space, name), (kind, where, functions) in names.items():
        guard = kind in CLASSES and GUARD.fullmatch(name) or name in guards and GUARD.fullmatch(name)
        if name in EXCEPTIONS:
            used.add(name)
            if name in documented:
                problems.append(f"{where}: `{name}` is an exception in tests/names/check.py, but documented")
        elif name not in documented and not guard:
            problems.append(f"{where}: no document names `{space}::{name}`; fix: a row in docs/operations.md, or a place "
                            "in situ::internal")
        elif functions and name not in explained:
            problems.append(f"{functions[0]}: neither docs/operations.md nor a guide names `{name}`")
        if functions and name not in tests and name not in EXCEPTIONS:
            problems.append(f"{functions[0]}: no test names `{name}`")
    problems += [f"`{name}` is an exception in tests/names/check.py, but not declared" for name in EXCEPTIONS.keys() - used]
    if not names:
        problems.append("no names in include/situ")
    return problems, len(names)


GOOD = {
    "include/situ/ops/a.hpp": """namespace situ {
namespace internal { struct Hidden {}; }
inline namespace with_nothing { class Range final : public Base<int> {}; }
/// struct Comment {};
template <class T> requires requires(T t) { t.f(); } [[nodiscard]] T sum(const T& x, int axis = 0) { return x; }
inline constexpr int axes[] = {1, 2};
struct the_operands_do_not_fit { struct fix_call_dot_to {}; };
template <> struct Range<int> {};
template <class T> bool operator<(const Range&, T) { return true; }
namespace detail { int f(int); }
}  // namespace situ
namespace situ::nn { enum class Mode : int { on, off }; template <class M> concept Module = M::is; using Size = int; }
""",
    "docs/operations.md": "| `sum(x)` `Range` `axes` |\n",
    "docs/guide/networks.md": "```\nnn::Mode Module Size\n```\n",
    "tests/unit/a.cpp": "sum(x);",
}
BROKEN = {  # what the complaint says: what to change
    "`situ::Pack`": {"include/situ/core/pack.hpp": "namespace situ { template <class... T> struct Pack : Base<T>... {}; }"},
    "`situ::max_rank`": {"include/situ/core/a.hpp": "namespace situ {\ninline constexpr int max_rank = 8;\n}"},
    "`situ::bits_t`": {"include/situ/core/a.hpp": "namespace situ { template <class T> using bits_t = Bits<T>::type; }"},
    "`situ::normalize`": {"include/situ/core/a.hpp": "namespace situ { inline int normalize(int a) { return a; } }"},
    "`situ::nn::Layer`": {"include/situ/nn/a.hpp": "namespace situ { namespace nn { class Layer; } }"},
    "`situ::Range`": {"docs/operations.md": "Range `sum(x)` `axes` and `docs/Range.hpp`\n"},
    "nor a guide names `sum`": {"docs/operations.md": "`Range` `axes`", "README.md": "`sum(x)`"},
    "no test names `sum`": {"tests/unit/a.cpp": '// sum(x)\n"sum"'},
    "no names": {"include/situ/ops/a.hpp": ""},
}


def selftest():
    def verdict(files):
        with tempfile.TemporaryDirectory() as scratch:
            for name, text in files.items():
                path = pathlib.Path(scratch) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return [problem for problem in check(pathlib.Path(scratch))[0] if "is an exception" not in problem]

    wrong = [f"a good tree is rejected: {problem}" for problem in verdict(GOOD)]
    for complaint, change in BROKEN.items():
        problems = verdict({**GOOD, **change})
        if len(problems) != 1 or complaint not in problems[0]:
            wrong.append(f"expected one problem with '{complaint}', got {problems}")
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
    problems, count = check(options.root)
    for problem in problems:
        print("FAILED", problem)
    print(f"{len(problems)} problems, {count} names")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
