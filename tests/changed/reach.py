# SPDX-License-Identifier: Apache-2.0
"""Which tests a change of a header can reach, by names: for scripts/changed. Run by itself, with --selftest, it tests itself.

A changed line belongs to the function or class around it. What mentions the name of that may be changed by it, and what mentions
the name of what mentions it, up to the files of tests. So a weight of 1 starts at the changed names; each gives what it has to the
definitions and tests that mention it, in equal shares, and these pass theirs on. What arrives at a test is how far it is about the
change: a name that everything mentions gives next to nothing to each, and `sort` nearly all to the tests of sorting. No names are
resolved: two functions of one name are one, which makes the circle larger and never smaller.

Rejected: the symbols of compiled tests, which inlined functions are not among, and which a clone does not have; coverage, which
takes a run of all tests to know which to run, and again when they change. With --faults it counts at which place those tests come
that saw the faults of docs/decisions/faults.md: 56 of 75 among the first five.
"""
import collections
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
sys.dont_write_bytecode = True
import rooms  # noqa: E402
STEPS = 12  # of passing on; what is left then is little
KEPT = 0.8  # of a weight is passed on by a definition: nearer tests come first
SMALLEST = 1e-6
WITHOUT_TESTS = ("golden/read", "allocation/counted")

BLANK = re.compile(r"//[^\n]*|/\*.*?\*/|R\"(\w*)\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|"
                   r"^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
WORD = re.compile(r"[A-Za-z_]\w*")
CLASS = re.compile(r"\b(?:class|struct|union|enum)\b(?:\s+class)?(?:\s*\[\[[^\]]*\]\]|\s+alignas\([^)]*\))*\s+(\w+)")
CALL = re.compile(r"(operator\s*(?:\(\)|\[\]|[^\w\s(]+|\w+)|~?\b[A-Za-z_]\w*)\s*(?:<[^()]*>)?\s*\(")
NO_NAMES = set("if for while switch requires decltype noexcept sizeof alignas explicit return static_assert catch alignof defined "
               "throw new delete typeid constexpr __attribute__".split())


def blanked(text):
    """`text` without comments, texts and directives, of the same length and lines."""
    text = re.sub(r"(?<=\d)'(?=\d)", "0", text)
    return BLANK.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def without_templates(head):
    while found := re.search(r"\btemplate\s*<", head):
        depth, at = 1, found.end()
        while at < len(head) and depth:
            depth += (head[at] == "<") - (head[at] == ">" and head[at - 1] not in "-=")
            at += 1
        head = head[:found.start()] + " " + head[at:]
    return head


def named(head):
    """What the text before a `{` or `;` declares: (kind, name), the name None where there is none."""
    head = without_templates(head)
    if found := re.search(r"\b(?:using|concept)\s+(\w+)\s*=", head):
        return "other", found[1]
    found = CLASS.search(head)
    if found and "(" not in re.sub(r"alignas\([^)]*\)", "", head[:found.end()] + head[found.end():].split(":")[0]):
        return "class", found[1]
    value = re.search(r"(?<![=<>!])=(?!=)", head)
    for call in CALL.finditer(head):
        if call[1] in NO_NAMES:
            continue
        if value and value.start() < call.start() and "operator" not in call[1]:
            break
        return "function", call[1]
    found = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=|$)", head.rstrip())
    return "other", found[1] if found and not found[1].isdigit() else None


def definitions(text):
    """[(names, begin, end, kind)] of blanked `text`: functions and others with the class around them, if any, and classes."""
    open_ones, start, rounds, found, last = [], 0, 0, [], None
    deep = ("function", "other")

    def add(kind, name, begin, end):
        around = [one[1] for one in open_ones if one[0] == "class" and one[1]]
        names = tuple(name for name in dict.fromkeys([*around[-1:], name]) if name and not name.startswith(("operator", "~")))
        if names:
            found.append((names, begin, end, kind))

    for mark in re.finditer(r"[(){};]", text):
        at = mark.start()
        inside = any(one[0] in deep for one in open_ones)
        if mark[0] == "(":
            rounds += 1
        elif mark[0] == ")":
            rounds = max(0, rounds - 1)
        elif mark[0] == "{":
            head = text[start:at]
            kind, name = "other", None
            if not inside and rounds == 0:
                if re.search(r"\b(namespace|extern)\b", head) and "(" not in head:
                    kind = "namespace"
                elif last and head.strip()[:1] in ("", ","):
                    kind, name = last  # the body after the list of a constructor
                else:
                    kind, name = named(head)
            open_ones.append((kind, name, start, rounds))
            if rounds == 0:
                start = at + 1
            rounds = 0
        elif mark[0] == "}" and open_ones:
            kind, name, begin, rounds = open_ones.pop()
            last = None
            if rounds == 0:
                if name and not any(one[0] in deep for one in open_ones):
                    add(kind, name, begin, at + 1)
                    last = (kind, name) if kind != "class" else None
                start = at + 1
        elif mark[0] == ";" and rounds == 0:
            if not inside and text[start:at].strip():
                add("other", named(text[start:at])[1], start, at + 1)
            start, last = at + 1, None
    return found


def lines_of(text, begin, end):
    return text.count("\n", 0, begin) + 1, text.count("\n", 0, end) + 1


def names_at(text, lines):
    """{name: how many of the lines are of it} of what is defined around these lines of `text`. Comments are of nothing; lines of
    directives, and those between definitions, are of all that the file defines."""
    code = blanked(text)
    found = definitions(code)
    places = [(names, *lines_of(code, end - len(code[begin:end].lstrip()), end)) for names, begin, end, _ in found]
    all_lines, written = code.split("\n"), text.split("\n")
    names = collections.Counter()
    for line in lines:
        if line > len(all_lines):
            continue
        around = [place for place in places if place[1] <= line <= place[2]]
        directive = re.match(r"\s*#(?!\s*(include|pragma))", written[line - 1])
        if around and not directive and all_lines[line - 1].strip():
            names.update(min(around, key=lambda place: place[2] - place[1])[0])
        elif directive or re.search(r"\w", re.sub(r"\bnamespace\b.*", "", all_lines[line - 1])):
            names.update({name: 0.1 for place in places for name in place[0]})
    return names


def has_code(text, lines):
    """Whether one of these lines of `text` is more than a comment or an include."""
    code, written = blanked(text).split("\n"), text.split("\n")
    return any(code[line - 1].strip() or re.match(r"\s*#(?!\s*(include|pragma))", written[line - 1])
               for line in lines if line <= len(code))


def quoted_includes(path, root=ROOT):
    """What a file of the tests includes of the tests, all the way."""
    found, left = set(), [path]
    while left:
        file = left.pop()
        for name in re.findall(r'^#include "([^"]+)"', file.read_text(), re.M):
            for folder in (file.parent, root / "tests"):
                included = (folder / name).resolve()
                if included.is_file() and included not in found:
                    found.add(included)
                    left.append(included)
    return found


class Reach:
    """Who mentions whom in `headers`, and in `tests`: {name of a test: its file}."""

    def __init__(self, headers, tests):
        code = {path: blanked(path.read_text()) for path in headers}
        found = {path: definitions(text) for path, text in code.items()}
        known = {name for each in found.values() for names, *_ in each for name in names}
        self.users = collections.defaultdict(dict)  # name: {who mentions it: weight}; a definition is a tuple, a test a text
        counted = {}
        for test, path in tests.items():
            words = collections.Counter(WORD.findall(blanked(path.read_text())))
            for included in quoted_includes(path):
                if included not in counted:
                    counted[included] = set(WORD.findall(blanked(included.read_text())))
                words.update(counted[included])
            for name in words.keys() & known:
                self.users[name][test] = math.sqrt(words[name])
        for path, each in found.items():
            for names, begin, end, kind in each:
                if kind == "class":
                    continue  # its members are there themselves
                for name in set(WORD.findall(code[path], begin, end)) & known:
                    if name not in names:
                        self.users[name][names] = 1

    def shares(self, names):
        """{test: what arrives there} of a weight of 1 that starts at `names`, {name: weight}."""
        total = sum(names.values())
        current = {name: weight / total for name, weight in names.items()}
        arrived = collections.Counter()
        for _ in range(STEPS):
            following = collections.Counter()
            for name, weight in current.items():
                users = self.users.get(name)
                if not users or weight < SMALLEST:
                    continue
                each = weight / sum(users.values())
                for user, strength in users.items():
                    if isinstance(user, str):
                        arrived[user] += each * strength
                    else:
                        for own in user:
                            following[own] += KEPT * each * strength / len(user)
            current = following
        return arrived


def words(name):
    parts = re.findall(r"[a-z0-9]+", name.lower().replace("distributed", "spread"))
    return {part.rstrip("s") for part in parts} - set("situ include hpp cpp src compiled unit cpu cuda kernel runtime".split())


def fits(file, test):
    """How well the name of a test fits that of a changed file, as in scripts/draw_faults."""
    path = pathlib.PurePath(file)
    return 4 * len(words(path.stem) & words(test)) + 2 * len(words("/".join(path.parts[:-1])) & words(test))


def emulates(test):
    return test.startswith(("cuda/", "emulated/", "allocation/")) or "/cuda_" in test


def for_gpus_alone(file):
    return bool({"cuda", "emulation", "graph"} & set(pathlib.PurePath(file).parts))


def ranked(shares, files, tests):
    """[(test, share)] with what fits by its name before what does not, of the tests that may reach the changed `files`."""
    only_emulated = all(for_gpus_alone(file) for file in files)
    score = {}
    for test in tests:
        if emulates(test) or not only_emulated:
            score[test] = (shares.get(test, 0) + 0.001) * (1 + max((fits(file, test) for file in files), default=0))
    total = sum(score.values()) or 1
    return sorted(((test, value / total) for test, value in score.items()), key=lambda item: -item[1])


# --- its own tests ------------------------------------------------------------------------------------------------------

HEADER = """\
#pragma once
#include <vector>
namespace situ {
/// `sorted`: a comment with { and ;
template <class T, class = decltype(T{})>
[[nodiscard]] Tensor<T> sorted(const Tensor<T>& x, Options options = {.at = 1}) {
  return apply(x, [](T a) { return a; });
}
struct Order : Base<Order> {
  double alpha = 1;
  Order(int a) : a_{a}, b_{1} {
    count();
  }
  int operator()(int x) const {
    return x;
  }
  void place() {}
};
#define LIMIT 3
inline constexpr int most = 7;
template <class T>
concept Ordered = requires(T x) { x.order(); };
}  // namespace situ
"""


def selftest():
    def at(*lines):
        return set(names_at(HEADER, lines))
    checks = [
        (at(6), {"sorted"}), (at(7), {"sorted"}), (at(4), set()), (at(2), set()), (at(10), {"Order", "alpha"}),
        (at(12), {"Order"}), (at(15), {"Order"}), (at(17), {"Order", "place"}), (at(20), {"most"}), (at(22), {"Ordered"}),
        (at(19) >= {"sorted", "Order", "most"}, True), (at(24), set()), (at(99), set()),
        (has_code(HEADER, [1, 2, 4, 99]), False), (has_code(HEADER, [4, 6]), True), (has_code(HEADER, [19]), True),
        (fits("include/situ/cpu/sort.hpp", "unit/sort"), 4),
        (fits("include/situ/distributed/loss.hpp", "unit/spread_operations"), 2),
        (ranked({"unit/a": 1}, ["include/situ/cuda/x.hpp"], ["unit/a", "cuda/b"]), [("cuda/b", 1.0)]),
    ]
    reach = Reach.__new__(Reach)
    reach.users = {"inner": {("outer",): 1, ("hub",): 1}, "outer": {"unit/outer": 2}, "hub": {f"unit/{i}": 1 for i in range(98)}}
    shares = reach.shares({"inner": 1})
    checks += [(round(shares["unit/outer"], 2), 0.4), (max(shares, key=shares.get), "unit/outer"), (shares["unit/3"] > 0, True)]
    wrong = [(i, got, wanted) for i, (got, wanted) in enumerate(checks) if got != wanted]
    for i, got, wanted in wrong:
        print(f"check {i}: got {got}, wanted {wanted}")
    print(f"{len(checks) - len(wrong)} of {len(checks)} checks passed")
    return 1 if wrong else 0


def all_tests(root=ROOT):
    """{name: file} of all files of tests, and of the programs that must not compile."""
    folders = ("unit", "conformance", "cuda", "emulated", "golden", "static", "allocation", "compile_fail")
    found = {f"{folder}/{path.stem}": path for folder in folders for path in sorted((root / "tests" / folder).glob("*.cpp"))}
    return {name: path for name, path in found.items() if name not in WITHOUT_TESTS}


def all_headers(root=ROOT):
    return [*rooms.headers(root / "include").values(), *sorted((root / "src" / "compiled").rglob("*.cpp"))]


def faults():
    """At which place the tests that saw the faults of docs/decisions/faults.md come."""
    tests = {name: path for name, path in all_tests().items() if not name.startswith("compile_fail/")}
    reach = Reach(all_headers(), tests)
    places = []
    for place, was, seen in re.findall(r"^\| \d+ \| `(\S+?):\d+` \| `(.*?)` \| `.*?` \| (.*) \|$",
                                       (ROOT / "docs" / "decisions" / "faults.md").read_text(), re.M):
        path = rooms.headers(ROOT / "include").get(f"situ/{place}", ROOT / place)
        test = re.search(r"\b(?:unit|cuda|emulated|static)/\w+", seen)
        if not test or test[0] not in tests or not path.is_file():
            continue
        text = path.read_text()
        lines = [number for number, line in enumerate(text.split("\n"), 1) if line.strip() == was.replace("\\|", "|")]
        if lines and (names := names_at(text, lines[:1])):
            order = [name for name, _ in ranked(reach.shares(names), [f"include/situ/{place}"], tests)]
            places.append(order.index(test[0]) + 1 if test[0] in order else len(tests))
            print(f"{places[-1]:4} {place}: {test[0]}, by {', '.join(names)}; first {', '.join(order[:3])}")
    places.sort()
    print(f"of {len(places)}: " + ", ".join(f"{sum(place <= most for place in places)} among the first {most}"
                                            for most in (1, 5, 10, 20, 40)))
    return 0


if __name__ == "__main__":
    sys.exit(selftest() if "--selftest" in sys.argv else faults() if "--faults" in sys.argv else __doc__)
