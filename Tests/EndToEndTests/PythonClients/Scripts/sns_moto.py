# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Runs moto's server with a little of everything in its SNS, until standard input ends.

The first line is its port.
"""

import os
import sys

import boto3
from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
_, port = server.get_host_and_port()
sns = boto3.client("sns", endpoint_url=f"http://127.0.0.1:{port}")


def application(name, platform):
    attributes = {"PlatformCredential": "secret", "PlatformPrincipal": "principal"}
    made = sns.create_platform_application(Name=name, Platform=platform, Attributes=attributes)
    return made["PlatformApplicationArn"]


def endpoint(application, token, **attributes):
    made = sns.create_platform_endpoint(PlatformApplicationArn=application, Token=token, Attributes=attributes)
    return made["EndpointArn"]


phones = application("watchme", "APNS")
application("elsewhere", "APNS")
application("others", "GCM")
first = endpoint(phones, os.environ["TOKEN"], CustomUserData="user 7 <&>")
disabled = endpoint(phones, "ab" * 32, Enabled="false")
topic = sns.create_topic(
    Name="news", Attributes={"DisplayName": "寿司"}, Tags=[{"Key": "team", "Value": "a"}]
)["TopicArn"]
sns.create_topic(Name="orders.fifo", Attributes={"FifoTopic": "true"})
for place in [first, disabled]:
    sns.subscribe(
        TopicArn=topic, Protocol="application", Endpoint=place, Attributes={"FilterPolicy": '{"kind":["news"]}'}
    )
sns.subscribe(TopicArn=topic, Protocol="sms", Endpoint="+15551234567")
for number in range(230):
    endpoint(phones, f"{number:064x}")
print(port, flush=True)
sys.stdin.read()
server.stop()
