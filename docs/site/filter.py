#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A file as doxygen wants it; docs/site/Doxyfile calls this for every page and every header.

Of a page, headings get names, and links go to these names, so that doxygen checks them. A link to a file of the tree
that the site does not have becomes its text. Of a header, what is internal is left out, and so are the overloads that
are an error's text; what is left is in the group of the header, which navigation.py defines.
"""
import fnmatch
import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests" / "links"), str(ROOT / "tests")]
sys.dont_write_bytecode = True
import check  # noqa: E402
import rooms  # noqa: E402

HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*$")
FENCE = re.compile(r"^ *(```+)")


def label(path, anchor=""):
    """The name of a page, or of a heading in it, as doxygen takes it: letters, digits, underscores."""
    name = "page_" + path.resolve().relative_to(ROOT).as_posix().removesuffix(".md")
    return re.sub(r"\W", "_", name + ("__" + anchor if anchor else ""))


HEADERS = {name.removeprefix("situ/"): path for name, path in rooms.headers(ROOT / "include").items()}
NAMES = {path: header for header, path in HEADERS.items()}
# The door of headers without a row in docs/headers.md; of other folders it is that of the rows with the folder.
DOORS = {room: "situ.hpp" for room in ("core", "device", "expression", "memory", "ops", "tensor")}
DOORS["interop"] = "interop/memory.hpp"


def group(header):
    """The name of the page of a header."""
    return "header_" + re.sub(r"\W", "_", header)


# What these declare doxygen 1.9.4 does not put into a group without a complaint: it merges functions of one form in two
# headers, and loses count of braces.
WITHOUT_GROUP = {"parallel/collectives.hpp", "device/placed.hpp", "tensor/host_access.hpp", "interop/dlpack_abi.hpp"}


@functools.lru_cache(maxsize=None)
def left_out():
    """The patterns of files that the Doxyfile leaves out."""
    text = (ROOT / "docs/site/Doxyfile").read_text(encoding="utf-8").replace("\\\n", " ")
    return re.search(r"^EXCLUDE_PATTERNS *= *(.*)$", text, flags=re.M)[1].split()


@functools.lru_cache(maxsize=None)
def is_group(header):
    """Whether a header has a page: those of docs/headers.md, and others with something documented that users see."""
    if header in WITHOUT_GROUP and "interop" in header:
        return False
    if f"/situ/{header})" in (ROOT / "docs/headers.md").read_text(encoding="utf-8"):
        return True
    path = HEADERS[header]
    if any(fnmatch.fnmatch(path.as_posix(), pattern) for pattern in left_out()):
        return False
    return bool(re.search(r"^ *///", hidden(path.read_text(encoding="utf-8")), flags=re.M))


def on_the_site(path):
    inside = path.resolve()
    return inside.suffix == ".md" and inside.exists() and (
        inside.parent == ROOT or ROOT / "docs" in inside.parents)


def links_of(document, text):
    """A line of a page, its links those of the site."""
    def link(match):
        if match.group(0).startswith("!") or re.match(r"[a-z]+:", match.group(1)):
            return match.group(0)
        path, _, anchor = match.group(1).partition("#")
        target = document.parent / path if path else document
        words = re.match(r"\[(.*)\]\(", match.group(0)).group(1)
        shown = words.replace("`", "")  # for marks in the words of a link are shown
        inside = target.resolve()
        if inside in NAMES and is_group(NAMES[inside]):
            return f"[{shown}](@ref {group(NAMES[inside])})"
        return f"[{shown}](@ref {label(target, anchor)})" if on_the_site(target) else words

    return check.LINK.sub(link, text)


def quoted(line):
    """A line whose code and quotation marks doxygen tells apart."""
    codes = []
    line = re.sub(r"`[^`]+`", lambda code: codes.append(code[0]) or f"\0{len(codes) - 1}\0", line)
    # Code between straight quotes would not be code.
    line = re.sub(r'"([^"\0]*\0[^"]*\0[^"\0]*)"', "\u201c\\1\u201d", line)
    # For doxygen a single quote ends code, unless that is in two backquotes.
    return re.sub(r"\0(\d+)\0", lambda at: codes[int(at[1])] if "'" not in codes[int(at[1])] else f"`{codes[int(at[1])]}`",
                  line)


def page(document, text):
    lines, seen, fence = [], {}, None
    # A link may stand in two lines.
    parts = re.split(r"(^ *```[^\n]*\n.*?^ *```[ ]*$)", text, flags=re.M | re.S)
    text = "".join(part if at % 2 else check.LINK.sub(lambda link: link.group(0).replace("\n", " "), part)
                   for at, part in enumerate(parts))
    # The heading must stand first, to be the name of the page.
    for line in re.sub(r"\A(<!--.*-->\n)+", "", text).splitlines():
        mark = FENCE.match(line)
        if fence:
            fence = None if line.strip() == fence else fence
        elif mark:
            fence = mark.group(1)
            line = re.sub(r"```(cpp|cmake|diff|text|sh|python)$", lambda m: "```{.cpp}" if m.group(1) == "cpp" else "```", line)
        elif heading := HEADING.match(line):
            title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(2))
            name = check.anchor(title, seen)
            first = len(heading.group(1)) == 1
            # Doxygen shows marks in headings, and in the list of pages, as they are.
            title = title.replace("`", "").replace("<", "\\<").replace("__", "\\_\\_")
            line = f"{heading.group(1)} {title} {{#{label(document) if first else label(document, name)}}}"
        else:
            line = quoted(links_of(document, line))
        if not fence:
            line = re.sub(r"(?:(?<!\w)|(?<=[!~]std))::(?=\w)", ":\u2060:", line)  # what doxygen takes for a link stays a name
        lines.append(line)
    return "\n".join(lines) + "\n"


TYPES = {"value_type": "The elements.", "device_type": "The device.", "layout_type": "The layout.", "mesh_type": "The devices."}


def described_with_its_class(line, name):
    """What to say of a member that has no comment because that of its class says it: a type, a field, a constructor, an operator,
    what every container has. None for any other function: it must have a comment of its own."""
    if alias := re.match(r" *using (\w+) = ", line):
        return TYPES.get(alias.group(1), "See the class.")
    line = re.sub(r"= .*", "", line)
    if "(" not in line:
        return "See the class." if re.match(r" *(?!friend|template|requires|public|private|protected|struct|class|using)[\w:<>, *&]+ \w+", line) else None
    if line.rstrip().endswith("override;") or " override {" in line:
        return "See the base."
    called = re.match(rf"[^(]*?\b(?:explicit\b.*?)?(~?{name}|operator.*?|begin|end|size|empty|rank|extent|shape|device|layout|members|swap"
                      r"|name|options|pooled|allocate|deallocate|is_available)\(", line)
    return "See the class." if called else None


NO_NAMES = {"requires", "decltype", "noexcept", "sizeof", "explicit"}
OF_SEVERAL_DEVICES = ("distributed", "parallel", "spread_io")


def function(lines, first):
    """The last line of the function that begins at line `first`, outside or inside of a class, and its name; None if none does."""
    indent = len(lines[first]) - len(lines[first].lstrip())
    start = lines[first].strip()
    if not start or re.match(r"(namespace|struct|class|enum|using|concept|extern|static_assert|public|private|protected|//|#|[}:])", start):
        return None
    last = first
    while last + 1 < len(lines) and not (lines[last].rstrip().endswith(";") or re.match(rf" {{{indent}}}}}", lines[last])
                                         or re.search(r"\{.*\}$", lines[last])):
        last += 1
        if re.match(rf" {{{indent}}}(struct|class|concept|using|enum) ", lines[last]):
            return None
    text = re.sub(r"template <.*?>(?=\s)|\[\[\w+\]\]", "", " ".join(lines[first:last + 1]))
    names = [name for name in re.findall(r"(operator *(?:\(\)|[^\w\s(]+)|[A-Za-z_]\w*)\(", text) if name not in NO_NAMES]
    return (last, names[0], " ".join(lines[first:last + 1])) if names else None


def without_guards(lines):
    """Overloads of which a parameter is a name of diagnostics.hpp are the text of an error: with comment, head and body they go, and
    so do deduction guides, which doxygen takes for functions."""
    at = 0
    while at < len(lines):
        found = function(lines, at) if not lines[at].lstrip().startswith("///") else None
        if found:
            last, name, text = found
            if re.search(r"\b(fix_\w+|see_Reason|RunTimeDevice|InIndexing|InOrder|InLinalg|InFft)\b", text.split("{")[0]) or re.search(r"\) *-> [^;{]*;$", text) and name[0].isupper():
                begin = at
                while begin and lines[begin - 1].lstrip().startswith("///"):
                    begin -= 1
                lines[begin:last + 1] = [""] * (last + 1 - begin)
            at = last if lines[at].startswith(("template", "[[", "inline", "constexpr")) else at
        at += 1


def describe_functions(lines, room):
    """Of functions outside of classes: a comment is that of all overloads of the name behind it; operators are in the table of
    operations; and in the rooms of several devices a function is that of tensors."""
    at, described = 0, set()
    while at < len(lines):
        found = function(lines, at) if lines[at][:1].strip() and not lines[at].startswith("/*") else None
        if found:
            last, name, _ = found
            words = ("See the overload above." if name in described else "See the table of operations." if name.startswith("operator")
                     else "That of tensors, on each device." if room in OF_SEVERAL_DEVICES else None)
            if lines[at - 1].startswith("///"):
                described.add(name)
            elif words:
                lines[at] = f"/** {words} */ {lines[at]}"
            at = last
        at += 1


def hidden(text):
    """A header without the namespaces of the library's own."""
    lines, end = [], None
    for line in text.splitlines():
        opened = re.match(r"namespace ((?:situ::)?(?:internal|[\w:]*detail|Eigen|std)\b[\w:]*)", line)
        end = end or opened and f"}}  // namespace {opened[1]}"
        lines.append("" if end and not line.startswith("#") else line)
        if line == end:
            end = None
    return "\n".join(lines) + "\n"


def in_group(lines, header):
    """Puts what a header declares in its namespaces into its group; no line is added."""
    if header in WITHOUT_GROUP or not is_group(header):
        return
    for at, line in enumerate(lines):
        if re.match(r"namespace situ\b[\w:]* \{$", line):
            rest = lines[at + 1] if at + 1 < len(lines) else ""
            lines[at] = f"{line} /** \\addtogroup {group(header)}"
            lines[at + 1] = " \\{ */ " + rest
        elif re.match(r"\}  // namespace situ\b[\w:]*$", line):
            lines[at] = "/** \\} */ " + line


def header(text, name):
    room = name.split("/")[-2] if "/" in name else ""
    text = hidden(text)
    text = re.sub(r"^template <>\n.* internal::.*;$", "\n", text, flags=re.M)
    text = re.sub(r"^(///.*\n)*struct internal::[\w:]+ \{\n(  .*\n)*\};$", lambda m: "\n" * m[0].count("\n"), text, flags=re.M)
    text = text.replace("explicit(sizeof...(Rest) > 0) ", "explicit ")  # which doxygen does not read
    # Two fields of one declaration, with the comment that is that of both.
    text = re.sub(r"^(  +)((?:\w|::|<[^;]*>)+) (\w+), (\w+);(?: *// (.*))?$",
                  lambda m: f"{m[1]}/** {m[5] or 'See the class.'} */ {m[2]} {m[3]}; /** {m[5] or 'See the class.'} */ {m[2]} {m[4]};",
                  text, flags=re.M)
    lines, classes, head, shared = text.splitlines(), [], None, False
    without_guards(lines)
    for at, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        while classes and line.strip().startswith("}") and indent <= classes[-1]["indent"]:
            classes.pop()
        if not line.strip():
            shared = False  # a comment is that of all members until the next empty line
        if classes and indent == classes[-1]["indent"] + 2 and classes[-1]["public"] and line.strip()[0] not in "}/#:":
            start = head if head is not None else at
            bare = not lines[start - 1].lstrip().startswith("///")
            if re.match(r" *(template <|requires)", line) and not line.rstrip().endswith(";"):
                head = at if head is None else head
            else:
                # A trailing comment is the field's.
                if bare and (field := re.match(r"( *[\w:<>, *&]+ \w+(?:\[\w+\])?(?: = [^;/]*|\{[^;/]*\})?;) *// (.*)", line)):
                    lines[at] = f"{field.group(1)}  ///< {field.group(2)}"
                elif bare and (words := described_with_its_class(line, classes[-1]["name"]) or (shared and "See above.")):
                    lines[start] = f"/** {words} */ {lines[start]}"
                shared = shared or not bare
                head = None
        elif classes and re.match(r" *(public|private|protected):", line) and indent == classes[-1]["indent"] + 1:
            classes[-1]["public"] = "public" in line
        opened = re.match(r" *(?:template <.*> )?(struct|class) (?:\[\[\w+\]\] )?(\w+)", line)
        if opened and re.match(r"[^;]*?\{\s*\n", "\n".join([line, *lines[at + 1:at + 6], ""])):
            classes.append({"indent": indent, "name": opened.group(2), "public": opened.group(1) == "struct"})
    describe_functions(lines, room)
    for at, line in enumerate(lines):
        bare = lines[at - 1].startswith("template") and not lines[at - 2].startswith("///")
        if bare and re.match(r"concept \w", line):
            lines[at - 1] = "/** What its definition says. */ " + lines[at - 1]
    in_group(lines, name)
    return "\n".join(lines) + "\n"


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    path = pathlib.Path(sys.argv[1])
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        print(page(path, text), end="")
    else:
        print(header(text, NAMES[path.resolve()]), end="")


if __name__ == "__main__":
    main()
