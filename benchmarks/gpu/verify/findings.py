# SPDX-License-Identifier: Apache-2.0
"""What scripts/gpu found, kept as it goes in findings.json and summary.md of a folder, so that a stage that is stopped,
or a machine that goes away, loses nothing that was found before; and what an earlier run found there, so that what
passed on the same tree and device is not repeated."""

import json
import sys
import time
from pathlib import Path

MOST_LOGGED = 20000  # bytes of one program's output
MOST_BYTES = 900_000  # of log.txt
OUTCOMES = ("running", "skipped", "stopped", "failed", "partial", "ok")  # each tells more than those before it


class Findings:
    """`tree` and `device` say what a finding holds for; `stages` has a record of each stage, `items` what each test,
    or other piece of a stage, came to."""

    def __init__(self, output, rehearsal, order, tree, commit):
        self.output = Path(output)
        self.output.mkdir(parents=True, exist_ok=True)
        self.rehearsal, self.order = rehearsal, order
        self.about = {"tree": tree, "commit": commit, "device": "", "date": time.strftime("%Y-%m-%d")}
        self.stages, self.items, self.earlier = {}, {}, []
        self.written = True
        self.read(self.output / "findings.json")
        self.log_file = open(self.output / "log.txt", "ab")
        if not self.stages and self.log_file.tell() > MOST_BYTES // 2:  # of another tree: room for this one
            self.log_file.truncate(0)
        self.logged = self.log_file.tell()

    def read(self, path):
        """Takes up what an earlier run found; what it found of another tree is told in a line for each stage."""
        if not path.is_file():
            return
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            path.replace(path.with_suffix(".unreadable"))
            return print(f"{path} cannot be read, and was put aside: {error}", file=sys.stderr)
        if found["rehearsal"] != self.rehearsal:
            raise SystemExit(f"{path} is of a {'rehearsal' if found['rehearsal'] else 'GPU'}: choose another folder")
        self.earlier = found["earlier"]
        if found["about"]["tree"] == self.about["tree"]:
            self.stages, self.items = found["stages"], found["items"]
            self.about["device"] = found["about"]["device"]
        else:
            self.put_away(found["about"], found["stages"])

    def put_away(self, about, stages):
        """Keeps a line for each stage of what is not taken up."""
        said = {name: f"{stage['outcome']}: {stage['headline']}" for name, stage in stages.items()}
        if said:
            self.earlier = [*self.earlier, {"about": about, "stages": said}]

    def on_device(self, device):
        """Of another device nothing is taken up."""
        if self.about["device"] not in ("", device):
            self.put_away(dict(self.about), self.stages)
            self.stages, self.items = {}, {}
        self.about["device"] = device

    def log(self, text):
        """Writes down what a program said: beginning and end, if it said much, and the less the fuller the log is."""
        said = text.rstrip().encode("utf-8", "replace")
        most = max(200, min(MOST_LOGGED, (MOST_BYTES - self.logged) // 10))
        if len(said) > most:
            said = said[: most // 2] + b"\n[...]\n" + said[-most // 2 :]
        try:
            self.log_file.write(said + b"\n")
            self.log_file.flush()
            self.logged += len(said) + 1
        except OSError as error:
            self.cannot_write(error)

    def cannot_write(self, error):
        """What is found is printed as well: a full disk ends nothing."""
        if self.written:
            print(f"findings cannot be written: {error}", file=sys.stderr, flush=True)
        self.written = False

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
        try:
            replace(self.output / "findings.json", json.dumps({**found, "earlier": self.earlier}, indent=1) + "\n")
            replace(self.output / "summary.md", self.summary())
            self.written = True
        except OSError as error:
            self.cannot_write(error)

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
            if before := self.stages[name].get("before"):
                lines += ["", f"### {name} before: {before['outcome']}: {before['headline']}", "", *before["lines"]]
        for run in self.earlier:
            about = run["about"]
            lines += ["", f"## Before, {about['date']}, commit {about['commit']}, {about['device'] or 'no device'}", ""]
            lines += [f"- {name}: {said}" for name, said in run["stages"].items()]
        return "\n".join(lines) + "\n"


def replace(path, text):
    """Writes a file so that a reader never sees half of it."""
    temporary = path.with_suffix(path.suffix + ".new")
    temporary.write_text(text, encoding="utf-8", errors="replace")
    temporary.replace(path)


class Stage:
    """One stage's record: `outcome` is ok, failed, partial or skipped; every call writes the files anew."""

    def __init__(self, findings, name):
        self.findings, self.name, self.start = findings, name, time.monotonic()
        self.before = findings.stages.get(name, {}).get("seconds", 0)
        self.record = {"outcome": "running", "seconds": self.before, "headline": "", "lines": [], "data": {}}
        earlier = findings.stages.get(name, {})
        if earlier.get("outcome") == "running":  # it was killed: what there was before it may tell more
            earlier = earlier.get("before", earlier)
        if earlier.get("lines"):
            self.record["before"] = {key: value for key, value in earlier.items() if key != "before"}
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
        before = self.record.get("before")
        if before and OUTCOMES.index(outcome) >= OUTCOMES.index(before["outcome"]):
            del self.record["before"]
        self.save()
        print(f"{self.name}: {outcome} {headline}", flush=True)

    def save(self):
        self.record["seconds"] = round(self.before + time.monotonic() - self.start, 1)
        self.findings.write()
