#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks docs/options.md, the tables of every struct of options, against the headers.

    options.py ROOT             ROOT is the project's folder
    options.py ROOT --tables    the tables as the headers have them, to write the page by
    options.py --selftest       breaks each rule once and expects it to be found

Each public struct in which a call takes its options in braces, by its name (NAMES), has a heading, a link to its
header, and a table of all of its fields, in their order, with type and default value: C++ takes designated initializers
in no other order.
"""
import argparse
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True
import pages  # noqa: E402
import rooms  # noqa: E402

NAMES = re.compile(r"\w+(Options|Rate|Bound|Limits)|Tolerance|ValueRange")
PRIVATE = re.compile(r"namespace ((?:situ::)?(?:internal|[\w:]*detail|Eigen|std)\b[\w:]*)")
STRUCT = re.compile(r"^struct (\w+) \{\n(.*?)^\};", re.M | re.S)
FIELD = re.compile(r"^  ([\w:]+(?:<[^;=]*?>)?\*?) (\w+)( = [^;]*|\{[^;]*\})?;\s*(?://[/<]* (.*))?$")
OTHER = re.compile(r"^  (?=\S)(?!\[|friend|static|using|constexpr|template)[^/(}]*(=.*)?;")
HEADING = re.compile(r"^### `(?:[\w:]+::)?(\w+)`$")
LINK = re.compile(r"\]\(\.\./(?:\w+/)?include/situ/([\w/]+\.hpp)\)")
ROW = re.compile(r"^\| `(\w+)` \| `(.+?)` \| (.*?) \| (.*?) \|$")


def public(text):
    """The text of a header without namespaces that are the library's own."""
    lines, end = [], None
    for line in text.splitlines():
        opened = PRIVATE.match(line)
        end = end or opened and f"}}  // namespace {opened[1]}"
        lines.append("" if end else line)
        end = None if line == end else end
    return "\n".join(lines) + "\n"


def shown(kind, value):
    """A default value as the page has it."""
    value = (value or "").removeprefix(" = ")
    if kind.startswith("std::optional") and value in ("{}", "std::nullopt", ""):
        return "none"
    if kind == "std::string":
        return '`""`' if value == "{}" else f"`{value}`"
    return f"`{value}`" if value else "must be given"


def fields(body):
    """[(name, type, default as shown, words)] of the struct with this body."""
    found, words = [], []
    for line in body.splitlines():
        if line.strip().startswith("///"):
            words.append(line.strip()[3:].strip())
        elif match := FIELD.match(line):
            kind, name, value, trailing = match.groups()
            found.append((name, kind, shown(kind, value), trailing or " ".join(words)))
            words = []
        elif OTHER.match(line):
            raise ValueError(f"a field that this script does not read: {line.strip()}")
        elif line.strip():
            words = []
    return found


def structs(root):
    """{name: [(header, fields)]}; two of one name are of two namespaces."""
    found = {}
    for header, path in rooms.headers(root / "include").items():
        for name, body in STRUCT.findall(public(path.read_text())):
            if NAMES.fullmatch(name):
                found.setdefault(name, []).append((header.removeprefix("situ/"), fields(body)))
    return found


def page(text):
    """[(line, name, header, rows)] of the tables of the page."""
    found, now = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if heading := HEADING.match(line):
            now = [number, heading[1], None, []]
            found.append(now)
        elif line.startswith("#"):
            now = None
        elif now and now[2] is None and (link := LINK.search(line)):
            now[2] = link[1]
        elif now and (row := ROW.match(line)):
            now[3].append(row.groups())
    return found


def check(root):
    problems, known, seen = [], structs(root), set()
    for number, name, header, rows in page((root / "docs/options.md").read_text()):
        where = f"docs/options.md:{number}: {name}"
        wanted = dict(known.get(name, {}))
        if header not in wanted:
            places = ", ".join(wanted) or "no header"
            problems.append(f"{where}: it is defined in {places}, and the page links to {header}")
            continue
        seen.add((name, header))
        names = [field[0] for field in wanted[header]]
        missing = [field for field in names if field not in [row[0] for row in rows]]
        more = [row[0] for row in rows if row[0] not in names]
        problems += [f"{where}: the page lacks the field {field}" for field in missing]
        problems += [f"{where}: it has no field {field}" for field in more]
        if not missing and not more and [row[0] for row in rows] != names:
            problems.append(f"{where}: the order is {', '.join(names)}")
        for field, kind, default, _ in wanted[header]:
            for row in rows:
                if row[0] == field and (row[1], row[2]) != (kind, default):
                    problems.append(f"{where}: {field} is `{kind}` with {default}, and the page says `{row[1]}` with "
                                    f"{row[2]}")
                if row[0] == field and not re.search(r"\w", row[3]):
                    problems.append(f"{where}: no words say what {field} is")
    problems += [f"docs/options.md: no table of {name}, of {header}" for name, all_of_name in known.items()
                 for header, found in all_of_name if (name, header) not in seen and found]
    return problems, len(seen)


def tables(root):
    for name, all_of_name in structs(root).items():
        for header, found in all_of_name:
            print(f"### `{name}`\n\nOf [`situ/{header}`](../include/situ/{header}).\n")
            print("| Field | Type | Default | Meaning |\n|---|---|---|---|")
            rows = (f"| `{name}` | `{kind}` | {default} | {words} |" for name, kind, default, words in found)
            print(*rows, "", sep="\n")


def selftest():
    good = {
        "include/situ/a.hpp": "namespace situ {\nnamespace internal {\nstruct MoreOptions {\n  int x = 1;\n};\n"
        "}  // namespace internal\n"
        "/// Words.\nstruct StepOptions {\n  /// First.\n  std::optional<int> size = {};\n"
        "  double from;  // from here\n\n  [[nodiscard]] double at(int i) const { return from; }\n};\n}  // namespace situ\n",
        "docs/options.md": "# Options\n\n### `StepOptions`\n\nOf [`situ/a.hpp`](../include/situ/a.hpp).\n\n"
        "| Field | Type | Default | |\n|---|---|---|---|\n| `size` | `std::optional<int>` | none | the size |\n"
        "| `from` | `double` | must be given | from where |\n"}
    text, header = good["docs/options.md"], good["include/situ/a.hpp"]
    rows = text.splitlines(keepends=True)
    broken = {
        "lacks the field from": {"docs/options.md": "".join(rows[:-1])},
        "no table of StepOptions": {"docs/options.md": "# Options\n"},
        "has no field more": {"docs/options.md": text + "| `more` | `int` | `1` | words |\n"},
        "the order is size, from": {"docs/options.md": "".join([*rows[:-2], rows[-1], rows[-2]])},
        "size is `std::optional<int>` with `7`": {"include/situ/a.hpp": header.replace("= {}", "= 7")},
        "from is `float` with must be given": {"include/situ/a.hpp": header.replace("double from;", "float from;")},
        "it is defined in a.hpp": {"docs/options.md": text.replace("situ/a.hpp)", "situ/b.hpp)")},
        "no words say what size is": {"docs/options.md": text.replace("the size", "")},
        "no table of OtherRate": {"include/situ/b.hpp": "struct OtherRate {\n  int x = 1;\n};\n"},
    }

    return pages.selftest(check, good, broken)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=pathlib.Path)
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    if options.selftest:
        return selftest()
    if options.tables:
        return tables(options.root)
    return pages.report(*check(options.root), "structs")


if __name__ == "__main__":
    sys.exit(main())
