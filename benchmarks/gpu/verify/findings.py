# SPDX-License-Identifier: Apache-2.0
"""What scripts/gpu found, kept as it goes in findings.json and summary.md of a folder, so that a stage that is stopped,
or a machine that goes away, loses nothing that was found before; and what an earlier run found there, so that what
passed on the same tree and device is not repeated."""

import json
import time
from pathlib import Path

MOST_LOGGED = 20000  # characters of one program's output
MOST_BYTES = 900_000  # of log.txt


class Findings:
    """`tree` and `device` say what a finding holds for; `stages` has a record of each stage, `items` what each test,
    or other piece of a stage, came to."""

    def __init__(self, output, rehearsal, order, tree, commit):
        self.output = Path(output)
        self.output.mkdir(parents=True, exist_ok=True)
        self.rehearsal, self.order = rehearsal, order
        self.about = {"tree": tree, "commit": commit, "device": "", "date": time.strftime("%Y-%m-%d")}
        self.stages, self.items, self.earlier = {}, {}, []
        path = self.output / "log.txt"
        self.logged = path.stat().st_size if path.is_file() else 0
        self.log_file = open(path, "a")
        self.read(self.output / "findings.json")

    def read(self, path):
        """Takes up what an earlier run found; what it found of another tree is told in a line for each stage."""
        if not path.is_file():
            return
        found = json.loads(path.read_text())
        if found["rehearsal"] != self.rehearsal:
            raise SystemExit(f"{path} is of a {'rehearsal' if found['rehearsal'] else 'GPU'}: choose another folder")
        self.earlier = found["earlier"]
        if found["about"]["tree"] == self.about["tree"]:
            self.stages, self.items = found["stages"], found["items"]
            self.about["device"] = found["about"]["device"]
        elif found["stages"]:
            said = {name: f"{stage['outcome']}: {stage['headline']}" for name, stage in found["stages"].items()}
            self.earlier = [*self.earlier, {"about": found["about"], "stages": said}]

    def on_device(self, device):
        """Of another device nothing is taken up."""
        if self.about["device"] not in ("", device):
            self.stages, self.items = {}, {}
        self.about["device"] = device

    def log(self, text):
        """Writes down what a program said: beginning and end, if it said much."""
        text = text.rstrip()
        if len(text) > MOST_LOGGED:
            text = f"{text[: MOST_LOGGED // 2]}\n[...]\n{text[-MOST_LOGGED // 2 :]}"
        if self.logged + len(text) > MOST_BYTES:
            text = text.splitlines()[0][:200] + " [the log is full]" if self.logged < MOST_BYTES + 50_000 else ""
        if text:
            self.log_file.write(text + "\n")
            self.log_file.flush()
            self.logged += len(text) + 1

    def stage(self, name):
        return Stage(self, name)

    def passed(self, stage, item):
        return self.items.get(stage, {}).get(item, {}).get("passed", False)

    def failed(self, stage, item):
        return item in self.items.get(stage, {}) and not self.passed(stage, item)

    def left(self, stage, items, name=str):
        """What did not pass yet, what failed first."""
        todo = [item for item in items if not self.passed(stage, name(item))]
        return sorted(todo, key=lambda item: not self.failed(stage, name(item)))

    def write(self):
        found = {"rehearsal": self.rehearsal, "about": self.about, "stages": self.stages, "items": self.items}
        replace(self.output / "findings.json", json.dumps({**found, "earlier": self.earlier}, indent=1) + "\n")
        replace(self.output / "summary.md", self.summary())

    def summary(self):
        title = "# Rehearsal: nothing here is a result of a GPU" if self.rehearsal else "# Verified on a GPU"
        about = self.about
        lines = [title, "", f"Made by `scripts/gpu`, {about['date']}, commit {about['commit']}, {about['device'] or 'no device'}.", ""]
        lines += ["| stage | outcome | seconds | |", "|---|---|---:|---|"]
        named = [n for n in self.order if n in self.stages] + [n for n in self.stages if n not in self.order]
        for name in named:
            stage = self.stages[name]
            lines.append(f"| {name} | {stage['outcome']} | {stage['seconds']:.0f} | {stage['headline']} |")
        for name in named:
            lines += ["", f"## {name}", "", *self.stages[name]["lines"]]
        for run in self.earlier:
            about = run["about"]
            lines += ["", f"## Before, {about['date']}, commit {about['commit']}, {about['device'] or 'no device'}", ""]
            lines += [f"- {name}: {said}" for name, said in run["stages"].items()]
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
        self.before = findings.stages.get(name, {}).get("seconds", 0)
        self.record = {"outcome": "running", "seconds": self.before, "headline": "", "lines": [], "data": {}}
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

    def item(self, name, passed, **what):
        """What one piece of the stage came to."""
        self.findings.items.setdefault(self.name, {})[name] = {"passed": passed, **what}
        self.save()

    def end(self, outcome, headline=""):
        self.record["outcome"], self.record["headline"] = outcome, headline.replace("|", "/").replace("\n", " ")
        self.save()
        print(f"{self.name}: {outcome} {headline}", flush=True)

    def save(self):
        self.record["seconds"] = round(self.before + time.monotonic() - self.start, 1)
        self.findings.write()
