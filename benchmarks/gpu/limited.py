# SPDX-License-Identifier: Apache-2.0
"""Runs programs with a limit, whatever they do: one that hangs, and cannot even be killed, costs its limit and a few
seconds; one that ends and leaves a child behind does not keep its caller; nothing runs on when the script has ended, or
was killed."""

import math
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time

GRACE = 2.0  # seconds between being told to end and being killed: doctest uses them to say in which test it was
MOST_KEPT = 1 << 21  # bytes of the beginning of an output, and of its end


class Done:
    def __init__(self, returncode, output, seconds, timed_out):
        self.returncode, self.output, self.seconds, self.timed_out = returncode, output, seconds, timed_out


class Output:
    """Beginning and end of what a program says: one that never stops talking must not fill the memory."""

    def __init__(self):
        self.head, self.tail, self.left_out = bytearray(), bytearray(), False

    def add(self, chunk):
        room = MOST_KEPT - len(self.head)
        self.head += chunk[:room]
        self.tail += chunk[room:] if room < len(chunk) else b""
        if len(self.tail) > 2 * MOST_KEPT:
            self.left_out = True
            del self.tail[:-MOST_KEPT]

    def text(self):
        between = b"\n[...]\n" if self.left_out else b""
        text = (self.head + between + self.tail).decode("utf-8", "replace")
        return text.replace("\r\n", "\n").replace("\0", "\N{SYMBOL FOR NULL}")


RUNNING = set()  # process groups
MARK = ("SITU_GPU_RUN", f"{os.getpid()}-{time.time_ns()}")  # in the environment of all that is started
_guard = _stopping = None


def run_limited(command, limit=None, environment=None, standard_input=None, folder=None):
    """Runs a command with all it starts in a process group of its own, which is told to end at the limit, and killed if
    it does not. Output and errors come back together; the exit code is 124 when it was stopped, 127 when it could not be
    started."""
    start = time.monotonic()
    if _stopping:
        return Done(143, "the script is being stopped", 0.0, False)
    try:
        process = start_process(command, environment, standard_input, folder)
    except OSError as error:
        return Done(127, str(error), 0.0, False)
    RUNNING.add(process.pid)
    output = Output()
    try:
        timed_out = attend(process, output, math.inf if limit is None else start + limit)
    finally:
        kill_group(process.pid)  # what it left behind; itself, if the caller was interrupted
        process.poll()
        process.stdout.close()
        RUNNING.discard(process.pid)
    seconds = time.monotonic() - start
    if timed_out:
        return Done(124, output.text() + f"\nstopped after {limit:.0f} s\n", seconds, True)
    return Done(process.returncode, output.text(), seconds, False)


def start_process(command, environment, standard_input, folder):
    given = subprocess.DEVNULL
    if standard_input:
        given = tempfile.TemporaryFile()
        given.write(standard_input.encode())
        given.seek(0)
    try:
        return subprocess.Popen(
            [str(c) for c in command],
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={**os.environ, **(environment or {}), MARK[0]: MARK[1]},
            start_new_session=True,
        )
    finally:
        if standard_input:
            given.close()


def attend(process, output, end):
    """Reads until the process has ended and nobody has its output open, or until nothing more can be done about it.
    Whether it had to be stopped."""
    is_open, told, timed_out = True, False, False
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while is_open or process.poll() is None:
            if is_open and selector.select(0.2):
                chunk = os.read(process.stdout.fileno(), 1 << 16)
                output.add(chunk)
                is_open = bool(chunk)
            elif not is_open:
                time.sleep(0.01)
            now = time.monotonic()
            ended = process.poll() is not None
            if ended and not told:
                end = min(end, now + 0.5)  # a child has the output open: it is not waited for
            if now < end:
                continue
            if not told:
                told, timed_out = True, not ended
                kill_group(process.pid, signal.SIGTERM)
            elif now > end + 2 * GRACE:
                break  # in the driver, where nothing can kill it, or a child in a group of its own
            elif now > end + GRACE:
                kill_group(process.pid)
    return timed_out


def kill_group(group, with_signal=signal.SIGKILL):
    try:
        os.killpg(group, with_signal)
    except OSError:
        pass  # all have ended


def stop_all(*_):
    """Ends what `run_limited` has started: for a script that is itself told to end."""
    global _stopping
    _stopping = True
    for group in list(RUNNING):
        kill_group(group)
    os._exit(143)


# Ends whatever has the mark in its environment, twice, for what was being started meanwhile.
GUARD = """
import os, sys, time
mark = sys.argv[1].encode()
sys.stdin.read()
for _ in range(2):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if mark in file.read().split(bytes(1)):
                    os.kill(int(pid), 9)
        except OSError:
            pass
    time.sleep(0.2)
"""


def guard():
    """From now on a process beside this one kills what `run_limited` has started when this one is gone: it may be
    killed itself, and what it had started would then have the GPU while the next run measures."""
    global _guard
    _guard = subprocess.Popen(
        [sys.executable, "-S", "-c", GUARD, "=".join(MARK)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
