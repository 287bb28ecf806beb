# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""apns_proxy_rate.py PORT APPID TOKENS COUNT: sends COUNT messages to the tokens of a file, as fast as the client can.

Prints when it began, in seconds since 1970.
"""

import json
import sys
import time

import apns_proxy

port, application, path, count = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
with open(path) as file:
    tokens = file.read().split()

client = apns_proxy.connected(port, application)
began = time.time()
for number in range(count):
    token = tokens[number % len(tokens)]
    client.send(token, f"Your order {number} is on its way.", badge=number % 100, custom={"order": number})
client.close()
print(json.dumps({"began": began}), flush=True)
