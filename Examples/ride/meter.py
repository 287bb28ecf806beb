# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""The server of the bicycle rental: it knows the distance from the bicycle, and updates the ride through Apus.

    meter.py RIDE UPDATES [START-KILOMETERS]

Every tenth of a second it adds 300 m and sends the distance and the fee, with priority 5 unless the fee has changed. It
prints each update and its outcome as a line of JSON. APUS, APUS_API_KEY and APUS_APP say where the server is.
"""

import json
import os
import sys
import time
import urllib.request


def update(ride, state, priority):
    """Updates the members of the content state; returns the outcome of the push once it is known."""
    request = urllib.request.Request(
        f"{os.environ['APUS']}/v1/apps/{os.environ['APUS_APP']}/activities/{ride}?wait=true",
        data=json.dumps({"patch": state, "priority": priority}).encode(),
        headers={"Authorization": f"Bearer {os.environ['APUS_API_KEY']}", "Content-Type": "application/json"},
        method="PATCH",
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)["outcome"]


def main(ride, updates, distance=0.0):
    fee = None
    for _ in range(int(updates)):
        distance = round(float(distance) + 0.3, 1)
        before, fee = fee, 400 + 150 * int(distance)
        state = {"fee": fee, "estimatedDistance": distance}
        outcome = update(ride, state, 5 if fee == before else 10)
        print(json.dumps(state | {"outcome": outcome}), flush=True)
        time.sleep(0.1)


main(*sys.argv[1:])
