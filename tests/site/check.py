#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks at the site that scripts/docs made in a headless Chromium.

    check.py ROOT HTML                      ROOT is the project's folder, HTML the site's
    check.py ROOT HTML --pictures FOLDER    pictures of a few pages besides

Every page of the tree: at a width of 400 and of 1300 pixels nothing is wider than the page, in the light and in the
dark what is written can be told from what is behind it, and no script fails. The search, by the keys that a reader
presses: each word of words.txt leads to its page, and Enter goes there.
"""
import argparse
import json
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
import browser  # noqa: E402
import links  # noqa: E402

WIDTHS = {400: 800, 1300: 900}  # and heights
FIRST = 3
# The pages that are looked at closely, and of which --pictures makes pictures.
CLOSELY = {"first": "index.html", "guide": "page_docs_guide_movement.html", "operations": "page_docs_operations.html"}

# What is wider than the window, and does not scroll in a place of its own.
TOO_WIDE = """(() => {
  const wide = document.documentElement.clientWidth, found = [];
  if (Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) > wide + 1) found.push("the page");
  const inside = document.querySelector("#doc-content");
  if (inside && inside.scrollWidth > inside.clientWidth + 1)
    for (const one of document.querySelectorAll("div.contents *")) {
      if (one.getBoundingClientRect().right <= wide + 1) continue;
      let above = one.parentElement;
      while (above && above !== inside && !/auto|scroll|hidden/.test(getComputedStyle(above).overflowX))
        above = above.parentElement;
      if (above === inside) { found.push(one.tagName + " " + one.textContent.trim().slice(0, 60)); break; }
    }
  return found;
})()"""

# The least ratio of the light of text and of its background, of what is read: WCAG asks for 4.5.
CONTRAST = """(() => {
  const parts = (color) => (color.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = (color) => parts(color).slice(0, 3)
    .reduce((sum, c, i) => sum + linear(c / 255) * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (one) => {
    for (; one; one = one.parentElement) {
      const color = parts(getComputedStyle(one).backgroundColor);
      if (color.length < 4 || color[3] > 0.5) return getComputedStyle(one).backgroundColor;
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? "rgb(0, 0, 0)" : "rgb(255, 255, 255)";
  };
  let least = [99, ""];
  const kinds = ["p", "p a", "li", "li a", "td", "td a", "th", "p code", "td code", "h1", "h2", "div.fragment",
                 "div.line span", "div.line a"];
  for (const kind of [...kinds.map((one) => "div.contents " + one), "#nav-tree .label a"])
    for (const one of [...document.querySelectorAll(kind)].filter((one) => one.offsetParent && one.textContent.trim())
                        .slice(0, 9)) {
      const both = [light(getComputedStyle(one).color), light(behind(one))].sort((a, b) => a - b);
      const ratio = (both[1] + 0.05) / (both[0] + 0.05);
      if (ratio < least[0]) least = [ratio, `${kind} (${one.className}, ${one.textContent.slice(0, 30)})`];
    }
  return least;
})()"""
RESULTS = "[...document.querySelectorAll('#situ-results a')].map((one) => one.getAttribute('href'))"


def words():
    found = []
    for line in (HERE / "words.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            word, _, pages = line.partition(" | ")
            found.append((word.strip(), [page.strip() for page in pages.split(",")]))
    return found


def settled(tab):
    """Doxygen's menus are made by scripts when the page is there."""
    tab.wait("!document.querySelector('#nav-tree') || !!document.querySelector('#nav-tree li')")


def look_at(tab, folder, name, themed, problems):
    for width, height in WIDTHS.items():
        for dark in (False, True):
            if dark and name not in CLOSELY.values() and width == 400:
                continue
            where = f"{name} at {width} pixels, {'dark' if dark else 'light'}"
            tab.size(width, height, dark)
            tab.errors.clear()
            tab.open((folder / name).as_uri())
            settled(tab)
            if themed:
                problems += [f"{where}: {one} is wider than the window" for one in tab.run(TOO_WIDE)]
                ratio, kind = tab.run(CONTRAST)
                if ratio < 4.5:
                    problems.append(f"{where}: {kind} has a contrast of {ratio:.1f}")
            if not tab.run("!!document.querySelector('#situ-search input').offsetParent"):
                problems.append(f"{where}: no field to search in")
            problems += [f"{where}: {error}" for error in tab.errors]


def search(tab, folder, themed, problems):
    tab.size(1300, 900, False)
    tab.errors.clear()
    tab.open((folder / "index.html").as_uri())
    settled(tab)
    tab.press("/")
    tab.wait("document.activeElement.matches('#situ-search input')")
    for word, pages in words():
        tab.run("document.activeElement.select()")
        tab.write(word)
        tab.wait(f"document.querySelector('#situ-results').dataset.of === {json.dumps(word)}")
        found = tab.run(RESULTS)
        files = [url.partition("#")[0].replace("__", "_") for url in found[:FIRST]]
        if not any(page in file for file in files for page in pages):
            problems.append(f"search: {word} leads to {', '.join(found[:FIRST]) or 'nothing'}, "
                            f"and not to {' or '.join(pages)}")
    first = tab.run(RESULTS)[:1]
    tab.press("Enter")
    if first:
        tab.wait(f"location.href.endsWith({json.dumps(first[0])})")
    problems += [f"search: {error}" for error in tab.errors]
    # On a small window, and of a word that is nowhere.
    tab.size(400, 800, True)
    tab.open((folder / "page_docs_operations.html").as_uri() + "?q=reduce_scatter")
    tab.wait("document.querySelectorAll('#situ-results a').length > 0")
    wide = tab.run(TOO_WIDE) if themed else []
    problems += [f"search at 400 pixels: {one} is wider than the window" for one in wide]
    tab.run("document.querySelector('#situ-search input').focus(), document.activeElement.select()")
    tab.write("qqqzzz")
    tab.wait("!!document.querySelector('#situ-results .none')")


def pictures(tab, folder, out):
    out.mkdir(parents=True, exist_ok=True)
    for width, height in WIDTHS.items():
        for dark in (False, True):
            tab.size(width, height, dark)
            for what, name in CLOSELY.items():
                tab.open((folder / name).as_uri())
                settled(tab)
                time.sleep(0.3)
                tab.picture(out / f"{what}_{width}_{'dark' if dark else 'light'}.png")
            tab.open((folder / "index.html").as_uri() + "?q=reduce_scatter")
            tab.wait("document.querySelectorAll('#situ-results a').length > 0")
            tab.picture(out / f"search_{width}_{'dark' if dark else 'light'}.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path)
    options = parser.parse_args()
    path, folder = browser.find(), options.folder.resolve()
    if not path:
        print("skipped: no Chromium (scripts/setup --browser)")
        return 77
    if not (folder / "index.html").exists():
        print(f"skipped: {folder} has no index.html; scripts/docs makes it")
        return 77
    themed = (folder / "doxygen-awesome.css").exists()
    if not themed:
        print("without the theme doxygen-awesome-css: widths and colors are not looked at")
    problems, names = [], [name for name in links.sources(options.root.resolve()) if (folder / name).exists()]
    groups = sorted(one.name for one in folder.glob("group__header__*.html"))[:5]
    with browser.Browser(path) as tab:
        if options.pictures:
            pictures(tab, folder, options.pictures)
        for name in [*names, *groups]:
            look_at(tab, folder, name, themed, problems)
        search(tab, folder, themed, problems)
    for problem in problems[:60]:
        print("FAILED", problem)
    print(f"{len(names) + len(groups)} pages, {len(words())} words, {len(problems)} problems")
    return 1 if problems or not names else 0


if __name__ == "__main__":
    sys.exit(main())
