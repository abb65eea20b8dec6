#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks at the site that scripts/docs made, without a browser.

    links.py ROOT HTML          ROOT is the project's folder, HTML the site's
    links.py --selftest         breaks each rule once and expects it to be found

Every link within the site leads to a file that is there, and to a place in it. Blocks of code of a page of the tree are
on the site's page, character by character, and no mark is text. The guide stands in front of the reference, and the
decisions stand last.
"""
import argparse
import html
import html.parser
import pathlib
import re
import sys
import tempfile
import urllib.parse

FENCE = re.compile(r"^( *)(```+)[^\n]*\n(.*?)^ *\2[ ]*$", re.M | re.S)
# Of doxygen's own lists, places are not looked at: version 1.9.4 has members there that it describes nowhere.
OURS = re.compile(r"index\.html|page_|group_")
ORDER = ["Start", "Guide", "Reference", "About situ", "Decisions"]


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.links, self.names, self.blocks, self.marks, self.depth, self.tip, self.code = [], set(), [], [], 0, 0, 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        kind = given.get("class") or ""
        self.names |= {given[key] for key in ("id", "name") if given.get(key)}
        for key in ("href", "src"):
            if given.get(key):
                self.links.append(given[key])
        self.code += tag in ("code", "script", "style")
        if tag == "div":
            if self.depth:
                self.depth += 1
                self.tip = self.tip or (self.depth if kind == "ttc" else 0)
                if kind == "line":
                    self.blocks[-1] += "\n" if self.blocks[-1] else ""
            elif kind == "fragment":
                self.depth = 1
                self.blocks.append("")
        elif tag == "pre" and kind == "fragment":
            self.depth = 1
            self.blocks.append("")

    def handle_endtag(self, tag):
        self.code -= tag in ("code", "script", "style")
        if tag in ("div", "pre") and self.depth:
            self.tip = 0 if self.tip == self.depth else self.tip
            self.depth -= 1

    def handle_data(self, data):
        if self.depth and not self.tip:
            self.blocks[-1] += data
        elif not self.depth and not self.code:
            self.marks += re.findall(r"</?(?:tt|code|em|strong|b|a)>|`[^` ]+`", data)


def plain(code):
    """A block without what a page may change: empty lines and spaces at its ends, spaces that do not break."""
    return "\n".join(line.rstrip() for line in code.replace("\u00a0", " ").replace("\u2060", "").splitlines()
                     if line.strip()).strip("\n")


def dedented(code):
    lines = [line for line in code.splitlines() if line.strip()]
    least = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    return "\n".join(line[least:] for line in lines)


def sources(root):
    """{name of the file on the site: page of the tree}"""
    pages = {"index.html": root / "README.md"}
    for path in sorted((root / "docs").rglob("*.md")):
        name = "page_" + path.relative_to(root).as_posix().removesuffix(".md")
        pages[re.sub(r"\W", "_", name) + ".html"] = path
    return pages


def check(root, folder):
    problems, looked, blocks = [], 0, 0
    pages = {path.name: Page(path.read_text(encoding="utf-8", errors="replace"))
             for path in sorted(folder.glob("*.html"))}
    for name, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:|//", link):
                continue
            looked += 1
            path, _, anchor = urllib.parse.unquote(link).partition("#")
            path = path.partition("?")[0]
            target = path or name
            if not (folder / target).exists():
                problems.append(f"{name}: a link to {target}, which is not there")
            elif anchor and target in pages and OURS.match(name) and anchor not in pages[target].names:
                problems.append(f"{name}: {target} has no place #{anchor}")
    for name, page in pages.items():
        if page.marks and re.match(r"index\.html|page_", name):
            problems.append(f"{name}: a mark is shown as text: {page.marks[0]}")
    for name, source in sources(root).items():
        if name not in pages:
            problems.append(f"{source.relative_to(root).as_posix()} is not on the site as {name}")
            continue
        there = [dedented(plain(block)) for block in pages[name].blocks]
        for _, _, code in FENCE.findall(source.read_text(encoding="utf-8")):
            blocks += 1
            wanted = dedented(plain(code))
            if wanted not in there:
                problems.append(f"{name}: a block of the page is not there as it is: {wanted.splitlines()[:1]}")
    tree = folder / "navtreedata.js"
    text = tree.read_text(encoding="utf-8") if tree.exists() else ""
    parts = [part for part in re.findall(r'^ *\[ "([^"]*)",', text, flags=re.M) if part in ORDER]
    if [part for part in dict.fromkeys(parts)] != ORDER[-len(parts):] or len(parts) < len(ORDER) - 1:
        problems.append(f"navtreedata.js: the parts are {', '.join(parts) or 'none'}; "
                        f"they should be {', '.join(ORDER)}")
    return problems, looked, blocks


def selftest():
    tree = "".join(f' [ "{part}", "a.html", null ],\n' for part in ORDER[1:])
    good = {"README.md": "# A\n```cpp\nint a = 1;\n\n  f(a);\n```\n", "docs/b.md": "# B\n",
            "html/index.html": '<a href="page_docs_b.html#x">b</a><a href="https://x.y">c</a><div class="fragment">'
            '<div class="line"><span>int</span> a = 1;</div><div class="line"> </div>'
            '<div class="line">&#160; f(a);</div></div>',
            "html/page_docs_b.html": '<h1 id="x">B</h1>', "html/navtreedata.js": tree}
    broken = {
        "gone.html, which is not there": {"html/page_docs_b.html": '<h1 id="x">B</h1><img src="gone.html">'},
        "has no place #x": {"html/page_docs_b.html": "<h1>B</h1>"},
        "docs/c.md is not on the site": {"docs/c.md": "# C\n"},
        "a block of the page is not there": {"README.md": "# A\n```\nint b;\n```\n"},
        "a mark is shown as text: <tt>": {"html/page_docs_b.html": '<h1 id="x">&lt;tt&gt;B&lt;/tt&gt;</h1>'},
        "they should be": {"html/navtreedata.js": "".join(tree.splitlines(keepends=True)[::-1])},
    }

    def verdict(files):
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            return check(root, root / "html")[0]

    wrong = [f"a good site is rejected: {problem}" for problem in verdict(good)]
    for complaint, change in broken.items():
        problems = verdict({**good, **change})
        if len(problems) != 1 or complaint not in problems[0]:
            wrong.append(f"expected '{complaint}', got {problems}")
    for line in wrong:
        print("FAILED", line)
    print(f"selftest: {len(broken)} broken sites, {len(wrong)} wrong answers")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=pathlib.Path)
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--selftest", action="store_true")
    options = parser.parse_args()
    if options.selftest:
        return selftest()
    if not (options.folder / "index.html").exists():
        print(f"skipped: {options.folder} has no index.html; scripts/docs makes it")
        return 77
    problems, links, blocks = check(options.root, options.folder)
    for problem in problems[:50]:
        print("FAILED", problem)
    print(f"{links} links, {blocks} blocks of code, {len(problems)} problems")
    return 1 if problems or not links or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
