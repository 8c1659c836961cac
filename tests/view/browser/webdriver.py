"""A small WebDriver client for Chromium (W3C WebDriver over HTTP): what the viewer's tests and pictures need, from the
standard library alone."""
import base64
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


class Missing(Exception):
    """Chromium or its driver is not installed."""


class Browser:
    def __init__(self, width=1280, height=800, dark=False):
        driver = shutil.which("chromedriver")
        chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if not driver or not chromium:
            raise Missing("needs chromium and chromium-driver (scripts/install-deps viewer)")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.profile = tempfile.mkdtemp(prefix="mortise-browser-")
        self.driver = subprocess.Popen([driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{port}"
        self.session = None
        try:
            self._wait_for_driver()
            arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars",
                         "--no-first-run", "--disable-background-networking", "--disable-component-update",
                         "--disable-extensions", f"--user-data-dir={self.profile}", f"--window-size={width},{height}"]
            if dark:
                arguments.append("--force-dark-mode")
            answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome",
                "goog:chromeOptions": {"binary": chromium, "args": arguments},
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
            self.session = answer["sessionId"]
        except BaseException:
            self.close()
            raise

    def _wait_for_driver(self):
        for _ in range(300):
            try:
                if self._call("GET", "/status")["ready"]:
                    return
            except (urllib.error.URLError, ConnectionError):
                pass
            time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def call(self, method, path, body=None):
        return self._call(method, f"/session/{self.session}{path}", body)

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, condition, seconds=30, what=None):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.run(f"return Boolean({condition})"):
                return
            time.sleep(0.05)
        said = self.run("return document.getElementById('trouble')?.textContent ?? ''")
        raise AssertionError(f"still not true after {seconds} s: {what or condition}; the page says '{said}', {self.problems()}")

    def resize(self, width, height, scale=1):
        """The size of the page itself: a headless window cannot be made as narrow as a phone."""
        self.devtools("Emulation.setDeviceMetricsOverride",
                      width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def click(self, x, y):
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}]})

    def press(self, *keys):
        actions = [a for key in keys for a in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def chord(self, held, key):
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [
            {"type": "keyDown", "value": held}, {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key},
            {"type": "keyUp", "value": held}]}]})

    def drag(self, x, y, by_x, by_y):
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "duration": 100, "x": round(x + by_x), "y": round(y + by_y)},
            {"type": "pointerUp", "button": 0}]}]})

    def wheel(self, x, y, by):
        self.call("POST", "/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": by, "duration": 0}]}]})

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    def log(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def problems(self):
        """What the console says beyond remarks on performance of the software renderer."""
        return [e["message"] for e in self.log("browser")
                if e["level"] in ("SEVERE", "WARNING") and "GPU stall due to ReadPixels" not in e["message"]
                and "software WebGL" not in e["message"]]

    def requests(self):
        """Addresses that the page asked for since the last call, each with the fields of its request."""
        found = []
        for entry in self.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                request = message["params"]["request"]
                found.append((request["url"], request["headers"]))
        return found

    def processor_seconds(self):
        """Of the browser with all its processes, so far: what others do on the machine counts less than by the clock."""
        children, seconds = {}, {}
        for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = entry.read_text().rsplit(")", 1)[1].split()
            except OSError:  # it has ended
                continue
            process = int(entry.parent.name)
            children.setdefault(int(fields[1]), []).append(process)
            # its own and that of its children that have ended
            seconds[process] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        total, family = 0.0, [self.driver.pid]
        while family:
            family += (found := children.get(family.pop(), []))
            total += sum(seconds[process] for process in found)
        return total

    def close(self):
        if self.session:
            try:
                self.call("DELETE", "")
            except (RuntimeError, urllib.error.URLError, ConnectionError):
                pass
        self.driver.terminate()
        self.driver.wait(timeout=20)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
