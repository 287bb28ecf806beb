# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""The listings of document 001 that speak to Amazon SNS: the shell's, which make the topic and the application, and the worker's.

They are run with the clients of AWS, which are told where the server is by their environment.
"""

import os
import re
import sys

from aws import REGION, key_environment, run_json

ACCOUNT = "123456789012"


class Topic:
    """The topic, and how the worker publishes to it."""

    def __init__(self, check, stage):
        self.check, self.stage, self.worker = check, stage, None
        key = stage.make_key("--scope", "admin", "--access-key")
        self.environment = os.environ | key_environment(stage, key)

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
        return run_json(["bash", "-eu", "-c", text], self.environment)

    def aws(self, *arguments):
        """Runs another command; returns what it says."""
        return run_json(["aws", "sns", *arguments], self.environment)

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
