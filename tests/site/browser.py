# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, by its own protocol over a pipe: no driver and no package of Python's are needed."""
import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find():
    """The path of a Chromium, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One tab. Errors of its scripts, and files that a page wanted and did not get, are collected in `errors`."""

    def __init__(self, path, timeout=60):
        self.timeout, self.errors, self.number, self.buffer = timeout, [], 0, b""
        self.profile = tempfile.TemporaryDirectory(prefix="situ_site_", ignore_cleanup_errors=True)
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                 "--disable-extensions", "--disable-background-networking", "--disable-component-update",
                 "--disable-dev-shm-usage", "--allow-file-access-from-files", f"--user-data-dir={self.profile.name}",
                 "--remote-debugging-pipe", "about:blank"]
        # Chromium reads its file 3 and writes its file 4; ours are moved out of the way before.
        files = [fcntl.fcntl(file, fcntl.F_DUPFD, 10) for file in (theirs_in, theirs_out)]
        self.process = subprocess.Popen(["bash", "-c", f'exec "$0" "$@" 3<&{files[0]} 4>&{files[1]}', path, *flags],
                                        pass_fds=files, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for file in (theirs_in, theirs_out, *files):
            os.close(file)
        self.ours_in, self.ours_out = ours_in, ours_out
        self.session = None
        target = next(one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, RuntimeError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.ours_in)
        os.close(self.ours_out)
        self.profile.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def message(self, deadline):
        """The next message of the browser."""
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.ours_in], [], [], left)[0]:
                raise RuntimeError("the browser does not answer")
            more = os.read(self.ours_in, 1 << 16)
            if not more:
                raise RuntimeError("the browser ended")
            self.buffer += more
        text, _, self.buffer = self.buffer.partition(b"\0")
        found = json.loads(text)
        given = found.get("params", {})
        if found.get("method") == "Runtime.exceptionThrown":
            details = given["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif found.get("method") == "Log.entryAdded" and given["entry"]["level"] == "error":
            self.errors.append(f"{given['entry']['text']} {given['entry'].get('url', '')}".strip())
        elif found.get("method") == "Network.loadingFailed" and not given.get("canceled"):
            self.errors.append(f"a file did not load: {given['errorText']}")
        return found

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.ours_out, json.dumps(request).encode() + b"\0")
        deadline = time.monotonic() + self.timeout
        while True:
            found = self.message(deadline)
            if found.get("id") == request["id"]:
                if "error" in found:
                    raise RuntimeError(f"{method}: {found['error'].get('message')}")
                return found["result"]

    def size(self, width, height, dark):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 768)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, url):
        """Goes to a page, and waits until its scripts have run."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)
        self.wait("location.href !== 'about:blank' && document.readyState === 'complete'")

    def run(self, script):
        """The value of an expression, or of a promise."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(f"{script[:80]}: {found['exceptionDetails'].get('exception', {}).get('description')}")
        return found["result"].get("value")

    def wait(self, script):
        """Until an expression is true."""
        deadline = time.monotonic() + self.timeout
        while not self.run(script):
            if time.monotonic() > deadline:
                raise RuntimeError(f"never true: {script}")
            time.sleep(0.02)

    def press(self, key):
        code = {"Enter": 13, "ArrowDown": 40, "Escape": 27}.get(key, ord(key[0].upper()))
        text = {"Enter": {"text": "\r"}}.get(key, {} if len(key) > 1 else {"text": key})
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def write(self, text):
        self.call("Input.insertText", text=text)

    def picture(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))
