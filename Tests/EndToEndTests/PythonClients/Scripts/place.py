# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Where the simulator is: what the test put into the environment."""

import json
import os

HOST = "localhost"
PORT = int(os.environ["SIMULATOR_PORT"])
CA = os.environ["SIMULATOR_CA"]
KEY = os.environ["SIMULATOR_KEY"]
KEY_ID = os.environ["SIMULATOR_KEY_ID"]
TEAM_ID = os.environ["SIMULATOR_TEAM_ID"]
CERTIFICATE = os.environ.get("SIMULATOR_CERTIFICATE")
TOPIC = os.environ["TOPIC"]
TOKENS = os.environ["TOKENS"].split(",")


def report(outcomes):
    """Says what came of the notifications, for the test to read: one line of JSON."""
    print(json.dumps(outcomes), flush=True)
