#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What doxygen is told of the site's order: scripts/docs calls this before it calls doxygen.

    navigation.py FOLDER LAYOUT     writes FOLDER/layout.xml, doxygen's own LAYOUT with the parts of navigation.txt, and
                                    FOLDER/groups.dox: a page for each header, in the order of docs/headers.md
    navigation.py --check           says what of navigation.txt is not in the tree, or not in it once
"""
import fnmatch
import pathlib
import re
import sys
from xml.sax.saxutils import quoteattr

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(ROOT / "tests" / "pages"))
sys.dont_write_bytecode = True
import filter as site_filter  # noqa: E402
import headers  # noqa: E402


def title(path):
    """The first heading of a page, without marks."""
    heading = re.search(r"^# (.*?)\s*$", path.read_text(encoding="utf-8"), flags=re.M)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).replace("`", "") if heading else path.stem


def documents():
    """All pages of the site but the first."""
    found = [path.name for path in ROOT.glob("*.md") if path.name != "README.md"]
    return set(found) | {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")}


def parts():
    """[(name of the part, [its pages, or "headers"])] and what is wrong with the list."""
    pages, found, problems, patterns = documents(), [], [], []
    for line in (HERE / "navigation.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if not line.startswith(" "):
            found.append((line, []))
            continue
        name = line.strip()
        if "*" not in name and name != "headers":
            if name not in pages:
                problems.append(f"navigation.txt: {name} is no page, or stands there twice")
            pages.discard(name)
        found[-1][1].append(name)
    for _, entries in found:
        for at, name in reversed(list(enumerate(entries))):
            if "*" in name:
                folder = name.rpartition("/")[0]
                rest = {page for page in pages if page.rpartition("/")[0] == folder and fnmatch.fnmatch(page, name)}
                pages -= rest
                entries[at:at + 1] = sorted(rest, key=lambda page: title(ROOT / page).lower())
    problems += [f"navigation.txt: {page} is in no part" for page in sorted(pages)]
    return found, problems


def layout(own):
    """Doxygen's own layout with our parts as its navigation."""
    lines = ['  <navindex>', '    <tab type="mainpage" visible="yes" title="Start"/>']
    for name, entries in parts()[0]:
        first = site_filter.label(ROOT / next(entry for entry in entries if entry != "headers"))
        lines.append(f'    <tab type="usergroup" visible="yes" url="@ref {first}" title={quoteattr(name)}>')
        for entry in entries:
            if entry == "headers":
                kind = "topics" if 'type="topics"' in own else "modules"
                lines.append(f'      <tab type="{kind}" visible="yes" title="By header" intro=""/>')
                lines.append('      <tab type="classlist" visible="yes" title="All classes" intro=""/>')
                lines.append('      <tab type="namespacelist" visible="yes" title="Namespaces" intro=""/>')
                continue
            page = ROOT / entry
            lines.append(f'      <tab type="user" visible="yes" url="@ref {site_filter.label(page)}" '
                         f'title={quoteattr(title(page))}/>')
        lines.append("    </tab>")
    navindex = re.search(r"  <navindex>\n(.*?)  </navindex>", own, flags=re.S)
    if not navindex:
        raise ValueError("doxygen's layout has no navindex")
    # What is not named here would be shown.
    rest = re.sub(r' *<tab type="(mainpage|modules|topics|classlist|namespacelist)".*?/>\n', "", navindex[1])
    rest = re.sub(r' *<tab type="topics".*?</tab>\n', "", rest, flags=re.S).replace('visible="yes"', 'visible="no"')
    return own.replace(navindex[0], "\n".join([*lines, rest + "  </navindex>"]))


def described(text):
    """The words of a row, as a comment that doxygen reads."""
    text = site_filter.links_of(ROOT / "docs/headers.md", text).replace("*/", "* /")
    return re.sub(r"^(\[?)(\w)", lambda first: first[1] + first[2].upper(), text).rstrip(".") + "."


def groups():
    """A group for each header of docs/headers.md, below that of its door, and for others with something public."""
    tree, text, door = headers.Tree(ROOT), [], None
    rows, doors = {}, {}
    for line in (ROOT / "docs/headers.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            heading = headers.HEADING.match(line)
            door = heading and heading[1]
        elif row := headers.ROW.match(line):
            rows[row[1]] = (door, row.groups()[2:])
            doors.setdefault(row[1].rpartition("/")[0], door or row[1])
    doors.update(site_filter.DOORS)
    for header, (door, (what, needs, linked, _)) in rows.items():
        # The light door is a part of the core, where its parts are looked for.
        above = f"\\ingroup {site_filter.group(door.replace('tensor.hpp', 'situ.hpp'))}\n" if door else ""
        words = [f"`#include <situ/{header}>`"]
        if needs and needs != "-":
            words.append(f"Needs {needs}.")
        if linked and linked != "-":
            words.append(f"Link {linked} for {'more than one process' if 'mpi' in linked else 'GPUs'}.")
        text.append(f"/** \\defgroup {site_filter.group(header)} situ/{header}\n{above}\\brief {described(what)}\n\n"
                    + " ".join(words) + "\n*/")
    for header, content in tree.text.items():
        if header not in rows and site_filter.is_group(header):
            comment = re.match(r"// SPDX[^\n]*\n((?:// \S[^\n]*\n)*)", content)[1].replace("\n//", "")[3:]
            first = re.match(r".*?\.(?= [A-Z`]|$)|.*", comment)[0]
            near = next((row for row in rows if "/" in row and header.startswith(row.removesuffix(".hpp") + "_")), None)
            above = near or doors.get(header.rpartition("/")[0], "situ.hpp")
            text.append(f"/** \\defgroup {site_filter.group(header)} situ/{header}\n"
                        f"\\ingroup {site_filter.group(above)}\n\\brief {described(first)}\n*/")
    return "// SPDX-License-Identifier: Apache-2.0\n" + "\n".join(text) + "\n"


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    problems = parts()[1]
    for problem in problems:
        print("FAILED", problem)
    if sys.argv[1] != "--check":
        folder, own = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
        (folder / "layout.xml").write_text(layout(own.read_text(encoding="utf-8")), encoding="utf-8")
        (folder / "groups.dox").write_text(groups(), encoding="utf-8")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
