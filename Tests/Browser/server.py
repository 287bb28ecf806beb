# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""A server in its own process, whose pushes go to a simulator, and calls of its API."""

import json
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from simulator import APP


class Server:
    """A server with one app that ends with the `with` block.

    `command` is the executable, or the words of a command that runs it. A directory that an earlier server has used keeps
    its data; then `key` is a key of it.
    """

    def __init__(self, command, simulator, directory, port=0, key=None):
        self.command, self.data, self.simulator = command, f"{directory}/data", simulator
        self.key = key or self.create_key("admin", "Ada <b>", "admin")
        ready = simulator.ready
        self.process = subprocess.Popen(
            [*command, "serve", "--json", "--exit-on-stdin-close", "--data", self.data, "--port", str(port),
             "--apns-sandbox-host", "localhost", "--apns-sandbox-port", str(ready["port"]),
             "--apns-sandbox-ca", ready["caPath"], "--log-level", "error"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.origin = json.loads(self.process.stdout.readline())["url"]
        self.port = int(self.origin.rsplit(":", 1)[1])
        if key is None:
            self.create_app(APP)

    def create_key(self, name, title, *scopes):
        """Creates a key in the store, without the API."""
        words = [*self.command, "keys", "create", title, "--data", self.data]
        for scope in scopes:
            words += ["--scope", scope]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()

    def create_app(self, app):
        directory = self.simulator.ready["caPath"].rsplit("/", 1)[0]
        with open(f"{directory}/demo-key.p8") as p8, open(f"{directory}/demo-key.json") as facts:
            credential = {"type": "key", "p8": p8.read()} | {
                name: value for name, value in json.load(facts).items() if name in ("keyID", "teamID")}
        self.call("POST", "/v1/apps", {"id": app, "defaultEnvironment": "sandbox"})
        self.call("POST", f"/v1/apps/{app}/credentials", credential)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def call(self, method, path, body=None, key=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key or self.key}"}
        request = urllib.request.Request(self.origin + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as response:
            text = response.read()
        return json.loads(text) if text else None

    def lines(self, path, text):
        """Posts lines of JSON, and returns the lines of the response."""
        headers = {"Content-Type": "application/x-ndjson", "Authorization": f"Bearer {self.key}"}
        request = urllib.request.Request(self.origin + path, text.encode(), headers, method="POST")
        with urllib.request.urlopen(request, timeout=60) as response:
            return [json.loads(line) for line in response.read().splitlines()]

    def status(self, method, path, headers, body=None):
        """The status of a request with other headers."""
        request = urllib.request.Request(self.origin + path, body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status
        except urllib.error.HTTPError as error:
            return error.code

    def register(self, device, app=APP, **members):
        """Boots a virtual device with the app, and registers it."""
        booted = self.simulator.call("POST", "/v1/devices", {"apps": [app], "environment": "sandbox"})
        body = {"token": booted["tokens"][app]} | members
        self.call("PUT", f"/v1/apps/{app}/devices/{urllib.parse.quote(device, safe='')}", body)
        return booted

    def path(self, *parts, app=APP):
        return "/".join(["/v1/apps", app, *parts])
