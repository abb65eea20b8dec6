# SPDX-License-Identifier: Apache-2.0
"""The files of benchmarks/run: a table in Markdown with its summary, and a plot."""

import re

PEERS = ["situ", "situ by hand", "eigen", "eigen tensor", "xtensor", "armadillo", "loop", "blas", "onednn", "fftw", "pocketfft",
         "libtorch"]
OWN = ["situ", "situ by hand"]
AHEAD, BEHIND = 1.05, 0.95

# Which of the rows of the group `cpu` stand together in the summary.
SIZES = {
    "64 elements": r"^(?!product).*, (64|8x8)\b|^product.*, 8$",
    "250x400, in cache": r", 250x400",
    "1.6e7, in memory": r", (1\.6e7|4000x4000|4096x4096)",
    "products and layers": r"^(product.*, (?!8$)\d+$|1000 products|784-256-10)",
}


def ratios_of(peers):
    """The time of each rival over situ's, where situ has the row."""
    return {peer: time / peers["situ"] for peer, time in peers.items() if peer not in OWN} if "situ" in peers else {}


def best_of(peers):
    """The best rival's name, and its time over situ's; None where there is none."""
    ratios = ratios_of(peers)
    return min(ratios.items(), key=lambda item: item[1]) if ratios else None


def counted(ratios):
    """How many are ahead, level and behind, and the median, as cells of a table."""
    ratios = sorted(ratios)
    ahead, behind = sum(r > AHEAD for r in ratios), sum(r < BEHIND for r in ratios)
    middle = (ratios[(len(ratios) - 1) // 2] + ratios[len(ratios) // 2]) / 2
    return f"{len(ratios)} | {ahead} | {len(ratios) - ahead - behind} | {behind} | {middle:.2f}"


def threads_said(threads):
    return f"{threads} thread{'s' if threads > 1 else ''}"


def summary(results):
    """Rows counted against the best peer of each, also by size, and against each peer, for each number of threads."""
    lines = ["## Summary", "",
             f"How many rows situ is ahead (the other's time is more than {AHEAD} of its), level, or behind (less than {BEHIND}), and "
             "the median of the other's time over situ's.", ""]
    for threads, rows in results.items():
        best = {row: best_of(peers)[1] for row, peers in rows.items() if best_of(peers)}
        if not best:
            continue
        lines += [f"| {threads_said(threads)}, against | rows | ahead | level | behind | median |", "|---|---:|---:|---:|---:|---:|",
                  f"| **the best peer of each row** | {counted(best.values())} |"]
        for size, pattern in SIZES.items():
            some = [ratio for row, ratio in best.items() if re.search(pattern, row)]
            if some:
                lines.append(f"| best peer, {size} | {counted(some)} |")
        for peer in PEERS:
            against = [ratios_of(peers)[peer] for peers in rows.values() if peer in ratios_of(peers)]
            if against:
                lines.append(f"| {peer} | {counted(against)} |")
        lines.append("")
    return lines


def behind(rows):
    """The rows in which a peer is faster, the largest difference first."""
    found = sorted((best_of(peers)[1], row, best_of(peers)[0]) for row, peers in rows.items() if best_of(peers))
    found = [each for each in found if each[0] < BEHIND]
    if not found:
        return []
    return ["Behind:", "", "| row | best peer | its time over situ's |", "|---|---|---:|",
            *(f"| {row} | {peer} | {ratio:.2f} |" for ratio, row, peer in found), ""]


def show(microseconds):
    return f"{microseconds:.3g}" if microseconds < 1000 else f"{microseconds:.0f}"


def table(rows):
    others = [peer for peer in PEERS[1:] if any(peer in peers for peers in rows.values())]
    lines = ["| row | situ µs | " + " | ".join(others) + " | best peer | best peer / situ |",
             "|---|---:|" + "---:|" * len(others) + "---|---:|"]
    for row, peers in rows.items():
        own = peers.get("situ")
        if own is None:
            cells = [f"{show(peers[p])} µs" if p in peers else "" for p in others]
            lines.append(f"| {row} | | {' | '.join(cells)} | | |")
            continue
        cells = [f"{peers[p] / own:.2f}" if p in peers else "" for p in others]
        name, ratio = best_of(peers) or ("", None)
        lines.append(f"| {row} | {show(own)} | {' | '.join(cells)} | {name} | {'' if ratio is None else f'{ratio:.2f}'} |")
    return [*lines, ""]


def markdown(title, header, results, compilation):
    lines = [f"# {title}", "", *(f"- {line}" for line in header),
             "- situ: median time in microseconds. Others: their time over situ's in the same run; above 1, situ is faster.",
             "- `new`: into a new tensor. `pre`: into an existing one. Elements are `float` where the row says no other. The loop is "
             "compiled without vector versions of `exp` and `tanh`, as a user's is.", "", *summary(results)]
    for threads, rows in results.items():
        lines += [f"## {threads_said(threads).capitalize()}", "", *behind(rows), *table(rows)]
    if compilation:
        lines += ["## Compilation", "", "| program | situ s | Eigen s | situ / Eigen |", "|---|---:|---:|---:|"]
        lines += [f"| {name} | {own:.2f} | {other:.2f} | {own / other:.2f} |" for name, (own, other) in compilation.items()]
        lines.append("")
    return "\n".join(lines)


def plot(results):
    """Bars of best peer over situ for each row, one colour a number of threads; the line at 1 is a tie."""
    colours = ["#2a6f97", "#e07a5f", "#81b29a"]
    rows = []
    for row in next(iter(results.values())):
        best = [best_of(results[threads].get(row, {})) for threads in results]
        if any(best):
            rows.append((row, [each and each[1] for each in best]))
    left, width, bar = 330, 520, 9
    height = 60 + sum(bar * len(results) + 10 for _ in rows)
    scale = width / 4.0
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 60}" height="{height}" '
           'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{left}" y="18" font-size="14">time of the best peer / time of situ (capped at 4)</text>']
    for i, threads in enumerate(results):
        out.append(f'<rect x="{left + 395 + 95 * i}" y="8" width="12" height="12" fill="{colours[i % 3]}"/>'
                   f'<text x="{left + 411 + 95 * i}" y="18">{threads_said(threads)}</text>')
    y = 34
    for row, ratios in rows:
        out.append(f'<text x="{left - 8}" y="{y + bar * len(ratios) / 2 + 4}" text-anchor="end">'
                   f'{row.replace("&", "&amp;").replace("<", "&lt;")}</text>')
        for i, ratio in enumerate(ratios):
            if ratio:
                out.append(f'<rect x="{left}" y="{y + i * bar}" width="{min(ratio, 4) * scale:.1f}" height="{bar - 1}" '
                           f'fill="{colours[i % 3]}"/>'
                           f'<text x="{left + min(ratio, 4) * scale + 4:.1f}" y="{y + i * bar + 8}" font-size="9">'
                           f'{ratio:.2f}</text>')
        y += bar * len(ratios) + 10
    out.append(f'<line x1="{left + scale}" y1="28" x2="{left + scale}" y2="{y}" stroke="black" '
               'stroke-dasharray="4 3"/></svg>')
    return "\n".join(out) + "\n"


def quoted(files):
    """A table for README.md of the results: what the summaries of these files say against the best peer of each row, for each instruction set."""
    lines = ["| CPU, against the best peer of each row | rows | ahead | level | behind | median |", "|---|---:|---:|---:|---:|---:|"]
    for name, text in files.items():
        for threads, cells in re.findall(r"^\| (\d+ threads?), against \|[^\n]*\n[^\n]*\n\| \*\*the best peer of each row\*\* \| ([^\n]*)",
                                         text, re.M):
            lines.append(f"| {name}, {threads} | {cells}")
            lines += [f"| {name}, {threads}: {size} | {some}" for size, some in sizes_said(text, threads)]
    return lines


def summary_plot(text):
    """A bar for each group of rows and number of threads: the median of the best peer's time over situ's, as an SVG."""
    found = re.findall(r"^\| (\d+ threads?), against \|[^\n]*\n[^\n]*\n\| \*\*the best peer of each row\*\* \| ([^\n]*)", text, re.M)
    colors, left, scale = ["#2a6f97", "#e07a5f"], 190, 180
    groups = {}
    for threads, cells in found:
        for name, some in [("all rows", cells), *sizes_said(text, threads)]:
            groups.setdefault(name, []).append((threads, some.strip(" |").split(" | ")))
    height = 56 + 44 * len(groups)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="740" height="{height}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{left}" y="18" font-size="13">time of the best peer / time of situ, median of the rows</text>']
    for i, (threads, _) in enumerate(found):
        out.append(f'<rect x="{left + i * 90}" y="28" width="10" height="10" fill="{colors[i % 2]}"/>'
                   f'<text x="{left + i * 90 + 15}" y="37">{threads}</text>')
    y = 52
    for name, bars in groups.items():
        out.append(f'<text x="{left - 8}" y="{y + 20}" text-anchor="end">{name}</text>')
        for i, (_, cells) in enumerate(bars):
            rows, ahead, level, behind, median = cells
            out.append(f'<rect x="{left}" y="{y + i * 17}" width="{float(median) * scale:.0f}" height="14" fill="{colors[i % 2]}"/>'
                       f'<text x="{left + max(float(median), 1) * scale + 5:.0f}" y="{y + i * 17 + 11}" font-size="11">{median}'
                       f' (ahead {ahead}, level {level}, behind {behind})</text>')
        y += 44
    out.append(f'<line x1="{left + scale}" y1="44" x2="{left + scale}" y2="{y - 4}" stroke="black" stroke-dasharray="4 3"/></svg>')
    return "\n".join(out) + "\n"


def sizes_said(text, threads):
    block = text.split(f"| {threads}, against |", 1)[1].split("\n\n", 1)[0]
    return re.findall(r"^\| best peer, ([^|]*) \| ([^\n]*)", block, re.M)
