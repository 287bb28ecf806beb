# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""slowest.py FILE: prints the 50 slowest test cases of an event stream of Swift Testing, in seconds.

A test's own time in the runner's log counts from when it was queued; this counts from when a case began to run.
"""

import json
import sys
from collections import defaultdict

names, began, seconds = {}, {}, defaultdict(float)
with open(sys.argv[1], encoding="utf-8") as stream:
    for line in stream:
        record = json.loads(line)
        payload = record["payload"]
        if record["kind"] == "test":
            names[payload["id"]] = payload.get("displayName") or payload["name"]
        elif payload.get("kind") in ("testCaseStarted", "testCaseEnded"):
            case = (payload["testID"], json.dumps(payload.get("_testCase")))
            instant = payload["instant"]["absolute"]
            if payload["kind"] == "testCaseStarted":
                began[case] = instant
            elif case in began:
                seconds[case[0]] += instant - began.pop(case)
slowest = sorted(seconds.items(), key=lambda item: -item[1])[:50]
for test, duration in slowest:
    print(f"{duration:8.2f}  {test.split('/')[0]}: {names.get(test, test)}")
