# SPDX-License-Identifier: Apache-2.0
"""What the stages of scripts/gpu_hour found: kept as they go in findings.json and summary.md of the output folder, so
that a stage that is stopped, or a machine that goes away, loses nothing that was found before."""

import json
import time
from pathlib import Path

MOST_LOGGED = 20000  # characters of one program's output


class Findings:
    def __init__(self, output, rehearsal, order):
        self.output = Path(output)
        self.output.mkdir(parents=True, exist_ok=True)
        self.stages = {}
        self.rehearsal, self.order = rehearsal, order
        self.log_file = open(self.output / "log.txt", "a")
        if (self.output / "findings.json").is_file():
            self.merge(self.output / "findings.json")

    def log(self, text):
        """Writes down what a program said: beginning and end, if it said much."""
        text = text.rstrip()
        if len(text) > MOST_LOGGED:
            text = f"{text[: MOST_LOGGED // 2]}\n[...]\n{text[-MOST_LOGGED // 2 :]}"
        self.log_file.write(text + "\n")
        self.log_file.flush()

    def merge(self, path):
        """Takes the stages of an earlier run; those of this run replace them."""
        earlier = json.loads(Path(path).read_text())
        if earlier["rehearsal"] and not self.rehearsal:
            raise SystemExit(f"{path} is from a rehearsal: its figures are none of a GPU")
        for name, stage in earlier["stages"].items():
            self.stages.setdefault(name, stage)

    def stage(self, name):
        return Stage(self, name)

    def write(self):
        text = json.dumps({"rehearsal": self.rehearsal, "stages": self.stages}, indent=1)
        replace(self.output / "findings.json", text + "\n")
        replace(self.output / "summary.md", self.summary())

    def summary(self):
        title = "# Rehearsal of the GPU hour: nothing here is a result" if self.rehearsal else "# Verified on a GPU"
        lines = [title, "", "Made by `scripts/gpu_hour`.", ""]
        lines += ["| stage | outcome | seconds | |", "|---|---|---:|---|"]
        named = [n for n in self.order if n in self.stages] + [n for n in self.stages if n not in self.order]
        for name in named:
            stage = self.stages[name]
            lines.append(f"| {name} | {stage['outcome']} | {stage['seconds']:.0f} | {stage['headline']} |")
        for name in named:
            stage = self.stages[name]
            lines += ["", f"## {name}", "", *stage["lines"]]
        return "\n".join(lines) + "\n"


def replace(path, text):
    """Writes a file so that a reader never sees half of it."""
    temporary = path.with_suffix(path.suffix + ".new")
    temporary.write_text(text)
    temporary.replace(path)


class Stage:
    """One stage's record: `outcome` is ok, failed, partial or skipped; every call writes the files anew."""

    def __init__(self, findings, name):
        self.findings, self.name, self.start = findings, name, time.monotonic()
        self.record = {"outcome": "running", "seconds": 0, "headline": "", "lines": [], "data": {}}
        findings.stages[name] = self.record
        findings.write()

    def say(self, *lines):
        for line in lines:
            print(line, flush=True)
        self.record["lines"] += lines
        self.save()

    def quietly(self, *lines):
        self.record["lines"] += lines
        self.save()

    def code(self, text, last=40):
        """Output of a program, its end."""
        tail = text.rstrip().splitlines()[-last:]
        self.say("", "```", *tail, "```", "")

    def data(self, **values):
        self.record["data"].update(values)
        self.save()

    def end(self, outcome, headline=""):
        self.record["outcome"], self.record["headline"] = outcome, headline.replace("|", "/").replace("\n", " ")
        self.save()
        print(f"{self.name}: {outcome} {headline}", flush=True)

    def save(self):
        self.record["seconds"] = round(time.monotonic() - self.start, 1)
        self.findings.write()
