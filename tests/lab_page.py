#!/usr/bin/env python3
"""The lab page in headless Chromium, against the native program: tests/lab_page.py SSD [SHOTS]

Waits until the first experiment is done, drags the slider of over-provisioning, and compares what the page
shows with what the command that it shows prints; then the runs of tests/same-bytes.runs, in the browser, byte
for byte.  SHOTS: a folder for screenshots.  Speaks WebDriver (W3C) with chromedriver; the page is a file,
there is no network.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from typing import Any

PAGE = os.path.abspath("lab-page.html")
SECONDS = 120  # longest wait for anything
SHOTS = [("1280", 1280, 1180, False), ("420", 500, 2100, False), ("1280-dark", 1280, 1180, True)]
# Moments (ms) at which the browser drew the page while the run was under way.
COUNT_FRAMES = """window.drawn = [];
    const count = at => {
        if (document.body.dataset.state === "running")
            drawn.push(at), requestAnimationFrame(count);
    };
    requestAnimationFrame(count);"""
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    def __init__(self, folder: str, width: int = 1280, height: int = 1000, dark: bool = False) -> None:
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout or ():
            if "started successfully on port" in line:
                self.url = f"http://127.0.0.1:{line.split()[-1].rstrip('.')}"
                break
        arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--user-data-dir=" + folder,
            f"--window-size={width},{height}",
        ]
        if dark:
            arguments.append("--force-dark-mode")
        options = {"browserName": "chrome", "goog:chromeOptions": {"args": arguments}}
        self.url += (
            "/session/"
            + self.call("POST", "/session", {"capabilities": {"alwaysMatch": options}})["sessionId"]
        )

    def call(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, data, {"Content-Type": "application/json"}, method=method
        )
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return json.load(answer)["value"]

    def open(self, address: str) -> None:
        self.call("POST", "/url", {"url": "about:blank"})
        self.call("POST", "/url", {"url": "file://" + PAGE + address})

    def run(self, script: str, *arguments: str) -> Any:
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector: str) -> dict[str, str]:
        found: dict[str, str] = self.call("POST", "/element", {"using": "css selector", "value": selector})
        return found

    def shows(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def wait(self, state: str) -> None:
        end = time.monotonic() + SECONDS
        while self.run("return document.body.dataset.state") != state:
            if time.monotonic() > end:
                sys.exit(f"lab page: it is never {state}: {self.shows('#fault')}")
            time.sleep(0.05)

    def drag(self, selector: str, by: int) -> None:
        """Drags the thumb of a slider by so many pixels, with the mouse."""
        share = self.run(
            "const r = document.querySelector(arguments[0]);return (r.value - r.min) / (r.max - r.min) - 0.5",
            selector,
        )
        width = self.run("return document.querySelector(arguments[0]).clientWidth", selector)
        x = round(share * (width - 16))
        origin = {ELEMENT: self.find(selector)[ELEMENT]}
        moves = [
            {"type": "pointerMove", "origin": origin, "x": x, "y": 0},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "origin": origin, "x": x + by, "y": 0, "duration": 100},
            {"type": "pointerUp", "button": 0},
        ]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": moves}]})

    def shot(self, path: str) -> None:
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.call("GET", "/screenshot")))

    def close(self) -> None:
        try:
            self.call("DELETE", "")
        finally:
            self.driver.kill()
            self.driver.wait()


def native(ssd: str, words: list[str]) -> str:
    command = [ssd, words[0], "--all", *words[1:]]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def compare_shown(browser: Browser, ssd: str) -> str:
    browser.wait("done")
    command = browser.shows("#command")
    printed = native(ssd, command.split()[1:])
    if browser.shows("#statistics") != printed or not printed:
        sys.exit(f"lab page: {command} prints other numbers natively")
    waf = [line for line in printed.splitlines() if line.startswith("waf = ")][0].split()[2]
    if browser.shows("#n-waf") != f"{float(waf):.3f}":
        sys.exit(f"lab page: WAF is shown as {browser.shows('#n-waf')}, it is {waf}")
    return command


def compare_all(browser: Browser, ssd: str) -> int:
    with open("tests/same-bytes.runs") as file:
        runs = [run for run in file.read().splitlines() if " --" not in run]
    for run in runs:
        if browser.run("return reportOf(arguments[0])", "run " + run) != native(ssd, ["run"] + run.split()):
            sys.exit(f"lab page: ssd run {run} prints other numbers natively")
    return len(runs)


def shots(folder: str) -> None:
    for name, width, height, dark in SHOTS:
        with tempfile.TemporaryDirectory() as own:
            browser = Browser(own, width, height, dark)
            if name == "420":  # no window is narrower than 500
                browser.call(
                    "POST",
                    "/goog/cdp/execute",
                    {
                        "cmd": "Emulation.setDeviceMetricsOverride",
                        "params": {"width": 420, "height": height, "deviceScaleFactor": 1, "mobile": True},
                    },
                )
            if dark:
                browser.call(
                    "POST",
                    "/goog/cdp/execute",
                    {
                        "cmd": "Emulation.setEmulatedMedia",
                        "params": {"features": [{"name": "prefers-color-scheme", "value": "dark"}]},
                    },
                )
            browser.open("#speed=7&requests=20000")
            browser.wait("done")
            time.sleep(4)  # the curve
            browser.shot(os.path.join(folder, f"lab-page-{name}.png"))
            browser.close()


def main(ssd: str, folder: str | None = None) -> None:
    with tempfile.TemporaryDirectory() as own:
        browser = Browser(own)
        try:
            browser.open("#speed=9&requests=5000&ftl=page&op=20")
            before = compare_shown(browser, ssd)
            browser.drag("#op", 60)
            after = compare_shown(browser, ssd)
            if before == after:
                sys.exit("lab page: the slider was dragged, the experiment is the same")
            if "op=" not in browser.run("return location.hash") or "op=20" in browser.run(
                "return location.hash"
            ):
                sys.exit("lab page: the address does not follow")
            browser.open("#ftl=nothing")
            browser.wait("refused")
            runs = compare_all(browser, ssd)
            browser.open("#speed=9&requests=100000")
            browser.wait("running")
            browser.run(COUNT_FRAMES)
            browser.wait("done")
            times, frames = sorted(browser.run("return pictureTimes()")), browser.run("return drawn")
        finally:
            browser.close()
    if folder:
        shots(folder)
    print(
        f"lab page in Chromium: a slider dragged, shown numbers and {runs} of {runs} runs are the native "
        f"bytes; {os.path.getsize(PAGE) // 1024} KB; a picture of 1,000 requests takes "
        f"{times[len(times) // 2]:.1f} ms (median), {times[-1]:.1f} at most; "
        f"{1000 * (len(frames) - 1) / (frames[-1] - frames[0]):.0f} of them a second"
    )


main(*sys.argv[1:])
