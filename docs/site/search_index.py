#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what search.js searches: search_index.js, of the pages that doxygen made.

    search_index.py HTML        HTML is the folder with index.html

An entry is a section of a page, a class, or a function: [address, title, page, kind, text]. Of the page of words from
elsewhere it is a row, whose address is that of the page that the row names; and the rows of operations are entries,
too.
"""
import html.parser
import json
import pathlib
import re
import sys

SKIPPED = re.compile(r"(-members|_dup|_source)\.html$|^(annotated|classes|hierarchy|functions|namespacemembers|"
                     r"namespaces|files|globals|modules|topics|pages|concepts|doxygen_crawl|navtree|graph_legend|examples|dir_)")
KINDS = [(r"page_docs_guide_|index\.html|page_docs_errors", "guide"), (r"page_docs_decisions_", "decision"),
         (r"page_docs_(operations|headers|options|accuracy)", "reference"), (r"page_", "about"), (r"", "symbol")]
WORDS, OPERATIONS = "page_docs_guide_words.html", "page_docs_operations.html"
VOID = {"br", "img", "hr", "input", "meta", "link", "col", "wbr"}
# What is on a page and is not its text.
NOT_TEXT = re.compile(r"\b(ttc|toc|permalink|overload|memberdecls|memproto|ingroups|lineno|header-tools|footer|navpath|"
                      r"summary|mlabels)\b")


class Page(html.parser.HTMLParser):
    def __init__(self, name):
        super().__init__(convert_charrefs=True)
        self.name, self.title, self.anchor, self.rows = name, "", "", []
        self.sections = [["", "", ""]]  # anchor, title, text
        self.open, self.hidden, self.inside, self.heading, self.in_title = [], 0, 0, None, 0

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        kind = given.get("class") or ""
        if tag == "a" and given.get("id") and "href" not in given:
            self.anchor = given["id"]
            if self.heading is not None:
                self.sections[-1][0] = self.anchor
        if tag in VOID:
            return
        hides = bool(NOT_TEXT.search(kind)) or tag in ("script", "style")
        self.open.append((tag, hides, kind == "contents", kind == "title"))
        self.hidden += hides
        self.inside += kind == "contents"
        self.in_title += kind == "title"
        if self.inside and not self.hidden:
            if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
                self.heading = tag
                before = self.anchor if "memtitle" in kind else ""
                self.sections.append([given.get("id") or before, "", ""])
            elif tag == "tr":
                self.rows.append(["", "", self.sections[-1]])
            elif tag == "a" and self.rows:
                self.rows[-1][0] = given.get("href") or self.rows[-1][0]  # the last, for names in a row may be links

    def handle_endtag(self, tag):
        if tag in VOID or all(name != tag for name, *_ in self.open):
            return
        while self.open:
            name, hides, contents, title = self.open.pop()
            self.hidden -= hides
            self.inside -= contents
            self.in_title -= title
            if name == self.heading:
                self.heading = None
            if name == tag:
                break
        if tag in ("td", "th"):
            self.handle_data(" | ")
        elif tag in ("p", "div", "li", "tr", "h1", "h2", "h3"):
            self.handle_data(" ")

    def handle_data(self, data):
        if self.hidden:
            return
        if self.in_title:
            self.title += data
        elif self.inside:
            self.sections[-1][1 if self.heading else 2] += data
            if self.rows and any(name == "tr" for name, *_ in self.open):
                self.rows[-1][1] += data


def plain(text):
    return re.sub(r"\s+", " ", text.replace("\u2060", "").replace("\u200b", "").replace("\u25c6", " ")).strip()


def entries(name, text):
    """The entries of a page."""
    page = Page(name)
    page.feed(text)
    title = re.sub(r" (Class|Struct|Namespace|Concept)( Template)? Reference.*", "", plain(page.title)) or "situ"
    kind = next(kind for pattern, kind in KINDS if re.match(pattern, name))
    if name == WORDS:
        for href, words, _ in page.rows:
            cells = [cell.strip() for cell in plain(words).split(" | ")]
            if href and len(cells) > 3:
                yield [href, cells[0], cells[3].rstrip(" |"), "word", f"{cells[1]}: {cells[2]}"]
        return
    seen = set()
    for anchor, heading, words in page.sections:
        heading = plain(heading).removesuffix("()")
        words = plain(words)
        if not words and (not heading or heading.endswith((" Documentation", " Description"))):
            continue
        if heading == "Detailed Description":
            heading = ""
        if (heading, kind == "symbol" or anchor) in seen:  # an overload
            continue
        seen.add((heading, kind == "symbol" or anchor))
        yield [name + ("#" + anchor if anchor else ""), heading or title, title, kind, words]
    for _, words, (anchor, *_) in page.rows if name == OPERATIONS else []:
        call, _, rest = plain(words).partition(" | ")
        if call and call not in ("Call", "Field"):
            yield [name + "#" + anchor, call, title, kind, rest.rstrip(" |")]


def main():
    folder = pathlib.Path(sys.argv[1])
    found = []
    for path in sorted(folder.glob("*.html")):
        if not SKIPPED.search(path.name):
            found += entries(path.name, path.read_text(encoding="utf-8", errors="replace"))
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in found)
    (folder / "search_index.js").write_text(f"const situIndex = [\n{lines}\n];\n", encoding="utf-8")
    print(f"search: {len(found)} entries, {len(lines) // 1024} KiB")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
