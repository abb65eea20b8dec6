// SPDX-License-Identifier: Apache-2.0
// The site's search: the whole text of all pages, in the browser alone. What is searched is in search_index.js, which
// is read when somebody first looks for something. A `/` goes to the field, arrows and Enter choose, ?q=word in an
// address searches at once.
"use strict";
(() => {
  const weights = {word: 1.7, guide: 1.3, reference: 1.2, symbol: 1, about: 0.7, decision: 0.6};
  const most = 12;
  let index = null;
  let loading = null;

  const whole = (text, word) => {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      const around = (text[at - 1] ?? " ") + (text[at + word.length] ?? " ");
      if (!/\w/.test(around)) return true;
    }
    return false;
  };

  // How well an entry answers, 0 for not at all. All words must be in it, or, where no entry has all, some.
  const score = (entry, query, words, all) => {
    let sum = 0;
    for (const word of words) {
      const found = entry.title === word ? 50
          : whole(entry.title, word) ? 30
          : entry.title.includes(word) ? 14
          : whole(entry.page, word) ? 10
          : whole(entry.text, word) ? 5
          : entry.text.includes(word) ? 2 : 0;
      if (!found && all) return 0;
      sum += found;
    }
    if (!sum) return 0;
    if (entry.title === query) sum += 40;
    else if (entry.title.includes(query)) sum += 20;
    else if (words.length > 1 && entry.text.includes(query)) sum += 8;
    return sum * weights[entry.kind] / words.length;
  };

  const find = (text) => {
    const query = text.trim().toLowerCase().replace(/\s+/g, " ");
    const words = query.replace(/\(\)/g, "").split(" ").filter(Boolean);
    if (!words.length || !index) return [];
    for (const all of [true, false]) {
      const found = [];
      for (const entry of index) {
        const value = score(entry, query, words, all);
        if (value) found.push({entry, value});
      }
      if (found.length) {
        found.sort((a, b) => b.value - a.value);
        const seen = new Set();
        return found.map((one) => one.entry).filter((entry) => {
          const key = entry.url + entry.title;
          return seen.has(key) ? false : (seen.add(key), true);
        }).slice(0, most);
      }
    }
    return [];
  };

  const load = () => loading ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = "search_index.js";
    script.onload = () => {
      index = situIndex.map(([url, title, page, kind, text]) => ({
        url, kind, shown: [title, page, text],
        title: title.toLowerCase(), page: page.toLowerCase(), text: text.toLowerCase(),
      }));
      done();
    };
    script.onerror = failed;
    document.head.append(script);
  });

  const element = (tag, kind, text) => {
    const made = document.createElement(tag);
    made.className = kind;
    made.textContent = text;
    return made;
  };

  // What stands around the first of the words.
  const excerpt = (entry, query) => {
    const at = Math.max(0, ...query.toLowerCase().split(/\s+/).map((word) => entry.text.indexOf(word)));
    const from = at < 60 ? 0 : entry.text.indexOf(" ", at - 60) + 1;
    const to = from + 150;
    return (from ? "… " : "") + entry.shown[2].slice(from, to) + (entry.text.length > to ? " …" : "");
  };

  document.addEventListener("DOMContentLoaded", () => {
    const field = document.querySelector("#situ-search input");
    const list = document.querySelector("#situ-results");
    let chosen = -1;
    const close = () => { list.hidden = true; chosen = -1; };
    const choose = (to) => {
      const links = list.querySelectorAll("a");
      if (!links.length) return;
      chosen = (to + links.length) % links.length;
      links.forEach((link, at) => link.classList.toggle("chosen", at === chosen));
      links[chosen].scrollIntoView({block: "nearest"});
    };
    const show = async () => {
      const text = field.value;
      if (!text.trim()) return close();
      await load();
      if (text !== field.value) return;
      list.replaceChildren(...find(text).map((entry) => {
        const item = document.createElement("li");
        const link = element("a", entry.kind, "");
        link.href = entry.url;
        link.append(element("b", "", entry.shown[0]));
        if (entry.shown[1] !== entry.shown[0]) link.append(element("i", "", entry.shown[1]));
        link.append(element("span", "", excerpt(entry, text)));
        item.append(link);
        return item;
      }));
      if (!list.children.length) list.append(element("li", "none", "Nothing has this word."));
      list.dataset.of = text;
      list.hidden = false;
      chosen = -1;
    };
    field.addEventListener("input", show);
    field.addEventListener("focus", () => { load(); if (field.value) show(); });
    field.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") choose(chosen + 1);
      else if (event.key === "ArrowUp") choose(chosen - 1);
      else if (event.key === "Escape") { close(); field.blur(); }
      else if (event.key === "Enter") {
        const links = list.querySelectorAll("a");
        if (!list.hidden && links.length) location.href = links[Math.max(chosen, 0)].href;
      } else return;
      event.preventDefault();
    });
    list.addEventListener("click", (event) => { if (event.target.closest("a")) close(); });
    document.addEventListener("click", (event) => { if (!event.target.closest("#situ-search")) close(); });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
      field.focus();
      event.preventDefault();
    });
    const asked = new URLSearchParams(location.search).get("q");
    if (asked) { field.value = asked; show(); }
  });
})();
