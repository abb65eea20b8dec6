# SPDX-License-Identifier: Apache-2.0
"""The processes that benchmarks/gpu/run times rows with: situ's program, and PyTorch's beside it."""

import json
import queue
import subprocess
import threading

ANSWER_SECONDS = 90  # what compiles a row for PyTorch takes less, or is not worth the wait; so does an emulated row


class Peer:
    """A process that answers commands, one line of JSON each; see main.cpp."""

    def __init__(self, command, log, seconds=ANSWER_SECONDS):
        self.command, self.log, self.seconds = command, log, seconds
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [str(c) for c in self.command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            encoding="utf-8",
            errors="replace",
        )
        self.lines = queue.Queue()
        threading.Thread(target=self.listen, args=(self.process, self.lines), daemon=True).start()
        self.hello = self.read()

    @staticmethod
    def listen(process, lines):
        for line in process.stdout:
            if line.startswith("{"):  # a library may print as well
                lines.put(line)
        lines.put(None)

    def read(self):
        try:
            line = self.lines.get(timeout=self.seconds)
        except queue.Empty:
            self.process.kill()
            self.ended_with()
            return {"error": f"no answer for {self.seconds} s"}
        if not line:
            return {"error": f"the process ended with {self.ended_with()}"}
        try:
            return json.loads(line, strict=False)
        except ValueError:
            return {"error": f"no answer, but {line[:200]}"}

    def ended_with(self):
        try:
            return self.process.wait(5)
        except subprocess.TimeoutExpired:
            return "nothing yet"

    def ask(self, command):
        """The answer; a process that has ended is started again for the next row."""
        if not self.alive() and command.startswith("prepare"):
            self.start()
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        except (OSError, ValueError):
            return {"error": f"the process ended with {self.process.poll()}"}
        return self.read()

    def alive(self):
        return self.process.poll() is None

    def start_anew(self):
        """For the next row: what an error may have done to the context of this process must not reach it."""
        self.close(2)

    def close(self, seconds=20):
        if self.alive():
            try:
                self.process.stdin.write("quit\n")
                self.process.stdin.close()
                self.process.wait(seconds)
            except (OSError, subprocess.TimeoutExpired):
                self.process.kill()
                self.ended_with()
