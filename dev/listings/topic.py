# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""The listings of document 001 that speak to Amazon SNS: the shell's, which make the topic and the application, and the worker's.

They are run with the clients of AWS, which are told where the server is by their environment.
"""

import json
import os
import re
import subprocess
import sys

ACCOUNT, REGION = "123456789012", "ap-northeast-1"


class Topic:
    """The topic, and how the worker publishes to it."""

    def __init__(self, check, stage):
        self.check, self.stage, self.worker = check, stage, None
        key = stage.make_key("--scope", "admin", "--access-key")
        binaries = os.path.dirname(sys.executable)
        self.environment = dict(
            os.environ,
            AWS_ENDPOINT_URL_SNS=stage.url,
            AWS_ACCESS_KEY_ID=key["accessKeyID"],
            AWS_SECRET_ACCESS_KEY=key["secretAccessKey"],
            AWS_DEFAULT_REGION=REGION,
            AWS_DEFAULT_OUTPUT="json",
            AWS_EC2_METADATA_DISABLED="true",
            AWS_PAGER="",
            HOME=stage.directory,
            PATH=f"{binaries}:{os.environ['PATH']}",
            PYTHONUTF8="1",
        )

    def make(self):
        """Runs the shell's listings."""
        certificate = {"bundleID": self.stage.app, "password": ""}
        p12 = self.stage.control("POST", "/v1/certificates", certificate)["p12"]
        self.application = self._shell("001/3", re.compile("<[^<>]*>"), p12)["PlatformApplicationArn"]
        assert f":{REGION}:{ACCOUNT}:app/APNS/" in self.application, self.application
        rows = self.check.rows
        rows["001/3"].added += ["in the place of <…> a certificate of the simulator's, as the document says"]
        rows["001/3"].seen += [f"the aws command makes {self.application}"]
        self.arn = self._shell("001/2")["TopicArn"]
        assert f":{REGION}:{ACCOUNT}:" in self.arn, self.arn
        rows["001/2"].seen += [f"the aws command makes {self.arn}"]

    def _shell(self, key, place=None, filling=None):
        text = self.check.listings[key].text
        if place:
            text, count = place.subn(lambda _: filling, text)
            assert count == 1, text
        return self._run(["bash", "-eu", "-c", text])

    def aws(self, *arguments):
        """Runs another command; returns what it says."""
        return self._run(["aws", "sns", *arguments])

    def _run(self, command):
        run = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)

    def subscribe(self, token):
        """What the document leaves to the app's backend: the phone is an endpoint, and subscribed."""
        endpoint = self.aws(
            "create-platform-endpoint", "--platform-application-arn", self.application, "--token", token
        )["EndpointArn"]
        self.aws("subscribe", "--topic-arn", self.arn, "--protocol", "application", "--notification-endpoint", endpoint)

    def start_worker(self, device, date):
        file = self.check.file
        environment = self.environment | {
            "LISTING_ACCOUNT": ACCOUNT,
            "LISTING_DATE": date,
            "LISTING_DEVICE": device,
            "LISTING_TEST": file(self.stage, "001/9", "test_push_notification.py"),
            "LISTING_WORKER": file(self.stage, "001/5", "main.py"),
        }
        script = os.path.join(self.check.root, "dev", "listings", "001", "run.py")
        self.stage.start("worker", [sys.executable, "-B", script], environment, ready=False)
        self.worker = self.stage.processes["worker"]

    def publish(self):
        """Has the worker publish, and then its test; returns what was printed."""
        self.worker.stdin.write(b"\n")
        self.worker.stdin.flush()
        lines = []
        for line in self.worker.stdout:
            line = line.decode().rstrip("\n")
            if line == "done":
                assert any("Push notification sent" in line for line in lines), lines
                return lines
            lines.append(line)
        raise AssertionError(f"the worker has ended: {lines}\n{self.stage.log('worker')}")
