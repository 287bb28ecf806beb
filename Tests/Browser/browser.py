# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""Headless Chromium over its remote debugging pipe: JSON messages that end with a zero byte, on descriptors 3 and 4."""

import base64
import contextlib
import json
import mimetypes
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time


class Failure(Exception):
    """A condition that did not come true, or an error in the page."""


def executable():
    """The path of Chromium."""
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if path := shutil.which(name):
            return path
    mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
    if os.path.exists(mac):
        return mac
    raise Failure("Chromium is not installed; dev/setup test installs it")


class Browser:
    """A browser with one page.

    `complaints` has what the page must not do: exceptions, errors in the console, requests to other origins and
    responses with an error status, unless the status is in `allowed`. With `page`, a directory, the browser loads the
    files of the page from there, with the headers of the simulator. So a change can be tried without a build.
    """

    def __init__(self, origin, limit=60, page=None):
        self.origin, self.limit, self.page = origin, limit, page and pathlib.Path(page)
        self.complaints, self.allowed = [], set()
        self.session, self.number, self.buffer = None, 0, b""
        self.profile = tempfile.mkdtemp(prefix="apus-browser-")
        to_read, self.to = os.pipe()
        self.from_, to_write = os.pipe()
        command = [
            executable(), "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.profile}",
            "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--disable-component-update",
            "--disable-background-networking", "--hide-scrollbars", "--lang=en-US", "about:blank",
        ]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.insert(1, "--no-sandbox")

        def connect():
            # Copies first, as one of the pipes may be 3 or 4.
            reading, writing = os.dup(to_read), os.dup(to_write)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(
            command, preexec_fn=connect, pass_fds=(3, 4, to_read, to_write), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )
        os.close(to_read)
        os.close(to_write)
        try:
            self.attach()
        except BaseException:
            self.close()
            raise

    def attach(self):
        """Opens a page, and observes it from its first script on."""
        target = self.command("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.command(f"{domain}.enable")
        if self.page:
            name = self.page.name
            urls = [self.origin + path for path in ("/", "/\\?*", f"/{name}", f"/{name}\\?*", f"/{name}/*.*")]
            self.command("Fetch.enable", patterns=[{"urlPattern": url, "requestStage": "Response"} for url in urls])
        self.command("Page.addScriptToEvaluateOnNewDocument", source="""
            globalThis.violations = [];
            addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective));
            globalThis.longTasks = [];
            new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((entry) => entry.duration)))
                .observe({ type: 'longtask', buffered: true });
        """)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the browser with its child processes, and removes its profile."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.to)
        os.close(self.from_)
        shutil.rmtree(self.profile, ignore_errors=True)

    # The protocol

    def send(self, method, **parameters):
        """Sends a command and returns its number."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        return self.number

    def command(self, method, **parameters):
        """Sends a command and returns its result."""
        number = self.send(method, **parameters)
        deadline = time.monotonic() + self.limit
        while True:
            answer = self.receive(deadline)
            if answer is None:
                raise Failure(f"{method}: the browser does not respond")
            if answer.get("id") == number:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def receive(self, deadline):
        """The next message; None after the deadline. Notes what the page must not do."""
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.from_], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                return None
            data = os.read(self.from_, 1 << 20)
            if not data:
                raise Failure("the browser has ended")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        self.inspect(message.get("method"), message.get("params", {}))
        return message

    def inspect(self, method, event):
        """Adds a complaint about an event, if it is one that a page must not cause."""
        if method == "Runtime.exceptionThrown":
            details = event["exceptionDetails"]
            self.complaints.append(f"exception: {details.get('exception', {}).get('description', details['text'])}")
        elif method == "Runtime.consoleAPICalled" and event["type"] in ("error", "assert"):
            self.complaints.append(f"console: {[part.get('value') for part in event['args']]}")
        elif method == "Network.responseReceived" and event["response"]["status"] >= 400:
            if event["response"]["status"] not in self.allowed:
                self.complaints.append(f"status {event['response']['status']}: {event['response']['url']}")
        elif method == "Log.entryAdded":
            entry = event["entry"]
            # The responses are inspected above.
            if entry["level"] == "error" and entry["source"] != "network":
                self.complaints.append(f"log: {entry['text']} {entry.get('url', '')}")
        elif method == "Fetch.requestPaused":
            self.replace(event)
        elif method == "Network.requestWillBeSent":
            url = event["request"]["url"]
            if not url.startswith((self.origin + "/", "data:", "about:", "blob:")):
                self.complaints.append(f"request to another origin: {url}")

    def replace(self, event):
        """Responds with a file of the page's directory, and with the headers of the simulator."""
        path = event["request"]["url"].removeprefix(self.origin + "/").split("?")[0]
        name = path.removeprefix(self.page.name).removeprefix("/") or "index.html"
        file = self.page / name if (self.page / name).exists() else self.page.parent / "shared" / name
        headers = [header for header in event.get("responseHeaders", [])
                   if header["name"].lower() not in ("content-length", "content-type")]
        headers.append({"name": "Content-Type", "value": mimetypes.guess_type(name)[0] or "text/plain"})
        body = base64.b64encode(file.read_bytes()).decode()
        self.send("Fetch.fulfillRequest", requestId=event["requestId"], responseCode=200, responseHeaders=headers,
                  body=body)

    # The page

    def open(self, path="/"):
        self.command("Page.navigate", url=self.origin + path)
        self.wait("document.readyState === 'complete'")

    def blank(self):
        self.command("Page.navigate", url="about:blank")
        self.wait("location.href === 'about:blank'")

    def evaluate(self, expression):
        """The value of a JavaScript expression; a promise is awaited."""
        result = self.command("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise Failure(f"{expression}: {result['exceptionDetails'].get('exception', {}).get('description')}")
        return result["result"].get("value")

    def wait(self, expression, seconds=60):
        """Waits until an expression, or the value of its promise, is true."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                # An element has no value here, but it is true.
                if self.evaluate(f"(async () => !!(await ({expression})))()"):
                    return
            except Failure:
                # The page may be about to be replaced.
                pass
            if time.monotonic() > deadline:
                shown = self.evaluate("document.body ? document.body.innerText.slice(0, 600) : ''")
                # One line, so that a log that keeps the last lines keeps all failures.
                raise Failure(f"never true: {expression}; the page says: {' '.join(shown.split())}")
            self.receive(time.monotonic() + 0.05)

    def click(self, selector, seconds=60):
        """Clicks the middle of an element, as a mouse does.

        The page may move the element in the meantime. A click that would hit another element is discarded and repeated.
        """
        quoted = json.dumps(selector)
        for _ in range(50):
            self.wait(f"document.querySelector({quoted})", seconds)
            place = self.evaluate(f"""(async () => {{
                const element = document.querySelector({quoted});
                element.scrollIntoView({{ block: 'center', behavior: 'instant' }});
                await new Promise(requestAnimationFrame);
                globalThis.clicked = true;
                globalThis.aim?.abort();
                globalThis.aim = new AbortController();
                for (const type of ['mousedown', 'mouseup', 'click']) {{
                    addEventListener(type, (event) => {{
                        clicked &&= element.contains(event.target);
                        if (!clicked) {{ event.preventDefault(); event.stopImmediatePropagation(); }}
                        if (type === 'click') aim.abort();
                    }}, {{ capture: true, signal: aim.signal }});
                }}
                const box = element.getBoundingClientRect();
                return {{ x: box.x + box.width / 2, y: box.y + box.height / 2 }};
            }})()""")
            for kind in ("mousePressed", "mouseReleased"):
                self.command("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)
            if self.evaluate("globalThis.clicked ?? true"):
                return
        raise Failure(f"never hit: {selector}")

    def press(self, key):
        """Presses and releases a key: Tab, Escape or Enter."""
        code = {"Tab": 9, "Escape": 27, "Enter": 13}[key]
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            self.command("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)

    def type(self, selector, text):
        """Replaces the text of an input."""
        self.wait(f"document.querySelector({json.dumps(selector)})")
        self.evaluate(f"(() => {{ const input = document.querySelector({json.dumps(selector)}); input.focus(); "
                      "input.select(); })()")
        self.command("Input.insertText", text=text)

    def focus(self, selector):
        self.evaluate(f"document.querySelector({json.dumps(selector)}).focus()")

    def choose(self, selector, value):
        """Selects an option."""
        self.wait(f"document.querySelector({json.dumps(selector)})")
        self.evaluate(f"""(() => {{
            const select = document.querySelector({json.dumps(selector)});
            select.value = {json.dumps(value)};
            select.dispatchEvent(new Event('input', {{ bubbles: true }}));
            select.dispatchEvent(new Event('change', {{ bubbles: true }}));
        }})()""")

    def resize(self, width, height, scheme="light", motion="no-preference"):
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.command("Emulation.setDeviceMetricsOverride", **size)
        features = {"prefers-color-scheme": scheme, "prefers-reduced-motion": motion}
        self.command("Emulation.setEmulatedMedia",
                     features=[{"name": name, "value": value} for name, value in features.items()])

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.command("Page.captureScreenshot", format="png")["data"]))
