# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""A simulator, a server and a scheduler, each a process of its own, and an app that the server knows.

    python3 dev/lib/stage.py APUS COMMAND...

runs a command beside them, which finds them by its environment (`Stage.environment`). As a module it is what
dev/lib/app_day.py and the stories of the examples play on. Nothing but Python's own library is needed.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

APP = "com.example.dashboard"

# A crashed process gives up its port as soon as its trace is written: without symbols that takes no second.
BACKTRACE = "enable=yes,color=no,interactive=no,symbolicate=off,threads=crashed,images=mentioned,registers=none"


class Refused(Exception):
    """An answer that is no success."""

    def __init__(self, status, body, what):
        super().__init__(f"{what}: {status} {body[:500]}")
        self.status, self.body = status, body


class HTTP:
    """Calls an API that speaks JSON."""

    def __init__(self, base, key=None):
        self.base, self.key = base, key

    def __call__(self, method, path, body=None):
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise Refused(error.code, error.read().decode(), f"{method} {path}") from None
        return json.loads(text) if text else None


def until(condition, what, seconds=120):
    """Asks until the answer is true, and returns it; fails with `what` when the time is over."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise TimeoutError(f"after {seconds} s still not: {what}")
        time.sleep(0.02)


class Stage:
    """The processes, in a directory of their own; a context manager that ends them."""

    def __init__(self, apus, app=APP, environment="sandbox", simulator_arguments=(), server_arguments=()):
        self.apus, self.app = os.path.abspath(apus), app
        self.apns = environment
        self.simulator_arguments = ["--environment", environment, *simulator_arguments]
        self.server_arguments = list(server_arguments)
        self.processes = {}
        self.signalled = set()
        #: What is closed after the processes have ended.
        self.resources = contextlib.ExitStack()

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="apus-stage-")
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in reversed(list(self.processes)):
            self.stop(name)
        self.resources.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.directory, name)

    # Processes

    def start(self, name, arguments, environment=None, ready=True, cwd=None, signalled=False):
        """Starts a process whose standard input is a pipe; returns its first line as JSON where it says that it is ready.

        `signalled`: it does not watch its input, and is stopped by SIGTERM.
        """
        log = open(self.path(f"{name}.log"), "ab")
        process = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            env={"SWIFT_BACKTRACE": BACKTRACE} | os.environ | (environment or {}),
            cwd=cwd,
        )
        log.close()
        self.processes[name] = process
        (self.signalled.add if signalled else self.signalled.discard)(name)
        if not ready:
            return None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"{name} did not start:\n{self.log(name)}")
        return json.loads(line)

    def log(self, name):
        with open(self.path(f"{name}.log"), errors="replace") as file:
            return file.read()

    def stop(self, name, kill=False):
        """Ends a process, by closing its input or by SIGTERM, and waits for its end; at once with `kill`."""
        process = self.processes.pop(name)
        if kill:
            process.kill()
        elif name in self.signalled:
            process.send_signal(signal.SIGTERM)
        process.stdin.close()
        # It may have been suspended.
        process.send_signal(signal.SIGCONT)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def _role(self, name, *arguments):
        common = ["--data", self.path("data"), "--json", "--exit-on-stdin-close", "--clock-simulator", self.control.base]
        return self.start(name, [self.apus, name, *common, *arguments])

    def serve(self, port=0):
        apns = f"--apns-{self.apns}"
        arguments = [f"{apns}-host", "localhost", f"{apns}-port", str(self.endpoints["port"])]
        arguments += [f"{apns}-ca", self.endpoints["caPath"], "--port", str(port), *self.server_arguments]
        self.url = self._role("serve", "--with", "delivery", *arguments)["url"]

    def schedule(self):
        self._role("schedule")

    def _start(self):
        arguments = ["--json", "--exit-on-stdin-close", "--dir", self.path("simulator"), *self.simulator_arguments]
        self.endpoints = self.start("simulate", [self.apus, "simulate", *arguments])
        self.control = HTTP(f"http://127.0.0.1:{self.endpoints['controlPort']}")
        self.serve()
        self.schedule()
        self.admin = HTTP(self.url, self.key("admin"))
        self.client_key = self.key("client")
        self.admin("POST", "/v1/apps", {"id": self.app, "defaultEnvironment": self.apns})
        with open(self.endpoints["keyPath"]) as file:
            credential = {"type": "key", "p8": file.read()}
        credential |= {"keyID": self.endpoints["keyID"], "teamID": self.endpoints["teamID"]}
        self.admin("POST", f"/v1/apps/{self.app}/credentials", credential)

    def key(self, scope):
        return self.make_key("--scope", scope)["key"]

    def make_key(self, *arguments):
        """Makes a key; returns all that the command tells of it."""
        command = [self.apus, "keys", "create", "stage", *arguments, "--data", self.path("data"), "--json"]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    def program(self, name):
        """The executable of a target of the root package, which lies beside the server's."""
        return os.path.join(os.path.dirname(self.apus), name)

    # What is played

    @property
    def environment(self):
        """Where everything is, for processes that are started beside it."""
        return {
            "APUS_STAGE_CONTROL": self.control.base,
            "APUS_STAGE_SERVER": self.url,
            "APUS_STAGE_ADMIN_KEY": self.admin.key,
            "APUS_STAGE_CLIENT_KEY": self.client_key,
            "APUS_STAGE_APP": self.app,
        }

    def phone(self, app=None, **traits):
        """Boots a device with the app on it, which has not been launched; returns its id."""
        app = app or self.app
        device = self.control("POST", "/v1/devices", {"apps": [app], "environment": self.apns})["id"]
        traits = {"state": "notLaunched", "permission": "notDetermined"} | traits
        self.control("PATCH", f"/v1/devices/{device}/apps/{app}", traits)
        return device

    def device(self, device):
        return self.control("GET", f"/v1/devices/{device}")

    def send(self, body):
        """Sends a notification, and returns what became of it."""
        return self.admin("POST", f"/v1/apps/{self.app}/notifications?wait=true", body)

    def app_environment(self, device, container, app=None):
        """What makes a process the app on a device."""
        return {
            "APUS_DEVICE_CONTROL": self.control.base,
            "APUS_DEVICE_ID": device,
            "APUS_DEVICE_APP": app or self.app,
            "APUS_DEVICE_CONTAINER": container,
        }


def main():
    with Stage(sys.argv[1]) as stage:
        sys.exit(subprocess.run(sys.argv[2:], env=dict(os.environ, **stage.environment)).returncode)


if __name__ == "__main__":
    main()
