# SPDX-License-Identifier: Apache-2.0
"""The GPU benchmark's results as Markdown and as a plot."""

import statistics

# Share of the floor's speed that a row must reach (docs/design.md); None: see `judge`.
BUDGETS = {
    "relu fp32": 0.95,
    "a*b+c fp32": 0.95,
    "a*b+c fp32, into an existing tensor": 0.95,
    "chain of 8 operations fp32": 0.95,
    "add bf16": 0.95,
    "row bias fp32": 0.95,
    "column scale fp32": 0.95,
    "sum fp32": 0.90,
    "mean((a-b)^2) fp32": 0.90,
    "sum of the last axis fp32": 0.90,
    "sum of the first axis fp32": 0.90,
    "softmax fp32": 0.90,
    "layer norm bf16": 0.90,
    "product bf16": 0.98,
    "product fp32": 0.98,
    "product tf32": 0.98,
    "linear bf16 + bias + gelu_tanh": 0.98,
}
FLOORS = ["fill", "copy", "cublaslt", "bare copy", "bare launch", "situ's launch"]


def median(values):
    return statistics.median(values)


def floor_of(peers):
    """(name, milliseconds) of what the row is compared with."""
    for name in FLOORS:
        if name in peers:
            return name, median(peers[name])
    return None, None


def show(ms, clock):
    return f"{ms * 1e3:.2f} µs" if clock == "host" or ms < 0.01 else f"{ms:.3f} ms"


def judge(name, clock, peers):
    """Whether the budget holds: (text, bool or None)."""
    own = median(peers["situ"])
    floor, ms = floor_of(peers)
    if clock == "host":
        if "bare launch" not in peers or not name.startswith("a small operation"):
            return "", None
        over = (own - median(peers["bare launch"])) * 1e3
        return f"launch + {over:.2f} µs (at most 1.0)", over <= 1.0
    if name not in BUDGETS or ms is None:
        return "", None
    return f"{ms / own:.3f} (at least {BUDGETS[name]:.2f})", ms / own >= BUDGETS[name]


def markdown(results):
    rehearsal = results.get("rehearsal", False)
    lines = ["# Rehearsal, emulated: no figure here is a GPU's" if rehearsal else "# GPU benchmark", ""]
    lines += [f"- {key}: {value}" for key, value in results["machine"].items()]
    lines += [
        "- Floor: for rows bound by memory a device-to-device copy that moves as many bytes, timed in turn with the row; for "
        "`rand` and `randn` a fill; for products cuBLASLt called directly; for small operations a bare launch.",
        "- situ: median. Others: their time over situ's in the same run; above 1, situ is faster.",
        "",
    ]
    others = sorted({who for row in results["rows"].values() for who in row.get("ms", {})} - {"situ"} - set(FLOORS))
    lines += [
        "| row | situ | rate | floor | floor / situ | " + " | ".join(others + ["budget"]) + " |",
        "|---|---:|---:|---|---:|" + "---:|" * len(others) + "---|",
    ]
    for name, row in results["rows"].items():
        peers = {who: values for who, values in row.get("ms", {}).items() if values}
        if "situ" not in peers:
            lines.append(
                f"| {name} | {row.get('error', 'not measured').replace('|', '/')} |" + " |" * (len(others) + 4)
            )
            continue
        own = median(peers["situ"])
        floor, ms = floor_of(peers)
        rate = ""
        if row["clock"] != "host" and row["flops"]:
            rate = f"{row['flops'] / own / 1e9:.0f} TFLOP/s"
        elif row["clock"] != "host" and row["bytes"]:
            rate = f"{row['bytes'] / own / 1e6:.0f} GB/s"
        cells = [f"{median(peers[o]) / own:.2f}" if o in peers else "" for o in others]
        text, holds = ("", None) if rehearsal else judge(name, row["clock"], peers)
        mark = "" if holds is None else (" holds" if holds else " **missed**")
        against = f"{floor} {show(ms, row['clock'])}" if floor else ""
        share = f"{ms / own:.3f}" if floor else ""
        lines.append(
            f"| {name} | {show(own, row['clock'])} | {rate} | {against} | {share} | "
            + " | ".join(cells + [text + mark])
            + " |"
        )
    failed = [
        f"- {name}: {who}: {why}" for name, row in results["rows"].items() for who, why in row.get("failed", {}).items()
    ]
    if failed:
        lines += ["", "Peers that could not do a row:", "", *failed]
    return "\n".join(lines) + "\n"


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


def plot(results):
    """Bars for each row: the speed of everybody as a share of the floor's; the line at 1 is the floor."""
    colours = {"situ": "#2a6f97", "torch": "#e07a5f", "torch.compile": "#81b29a"}
    bars = []
    for name, row in results["rows"].items():
        peers = {who: values for who, values in row.get("ms", {}).items() if values}
        floor, ms = floor_of(peers)
        if "situ" in peers and floor:
            bars.append((name, [(who, ms / median(peers[who])) for who in colours if who in peers]))
    left, width, bar = 300, 480, 10
    height = 50 + sum(bar * len(values) + 10 for _, values in bars)
    scale = width / 1.5
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 60}" height="{height}" font-family="sans-serif" '
        'font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="8" y="18" font-size="14">time of the floor / time (capped at 1.5); {escape(results["machine"].get("GPU", ""))}'
        "</text>",
    ]
    for i, (who, colour) in enumerate(colours.items()):
        out.append(
            f'<rect x="{left + 130 * i}" y="24" width="10" height="10" fill="{colour}"/>'
            f'<text x="{left + 14 + 130 * i}" y="33">{who}</text>'
        )
    y = 44
    for name, values in bars:
        out.append(f'<text x="{left - 8}" y="{y + bar * len(values) / 2 + 4}" text-anchor="end">{escape(name)}</text>')
        for i, (who, share) in enumerate(values):
            length = min(share, 1.5) * scale
            out.append(
                f'<rect x="{left}" y="{y + i * bar}" width="{length:.1f}" height="{bar - 1}" fill="{colours[who]}"/>'
                f'<text x="{left + length + 4:.1f}" y="{y + i * bar + 8}" font-size="9">{share:.2f}</text>'
            )
        y += bar * len(values) + 10
    out.append(
        f'<line x1="{left + scale}" y1="38" x2="{left + scale}" y2="{y}" stroke="black" stroke-dasharray="4 3"/></svg>'
    )
    return "\n".join(out) + "\n"
