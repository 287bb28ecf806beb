# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Creates an endpoint for each token in the column `devices.apns_token`, and subscribes it to the topic.

A subscription has a filter policy, so that a phone is sent only the messages with the message attribute `device_id` of its
own device. It can be repeated at any time: endpoints that exist get the token of the column, and are enabled again.
"""

import json
import os
import urllib.request

import boto3

TOPIC_ARN = "arn:aws:sns:ap-northeast-1:123456789012:watchme-dashboard-updates"


def rows(table):
    request = urllib.request.Request(
        f"{os.environ['SUPABASE_URL']}/rest/v1/{table}", headers={"apikey": os.environ["SUPABASE_KEY"]}
    )
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


def main(application):
    sns = boto3.client("sns")
    endpoints = {}
    for row in rows("devices"):
        device, token = row["device_id"], row["apns_token"]
        if not token:
            continue
        arn = sns.create_platform_endpoint(PlatformApplicationArn=application, Token=token)["EndpointArn"]
        sns.set_endpoint_attributes(
            EndpointArn=arn, Attributes={"Token": token, "Enabled": "true", "CustomUserData": device}
        )
        sns.subscribe(
            TopicArn=TOPIC_ARN,
            Protocol="application",
            Endpoint=arn,
            Attributes={"FilterPolicy": json.dumps({"device_id": [device]})},
        )
        endpoints[device] = arn
    print(json.dumps(endpoints))


main(os.environ["PLATFORM_APPLICATION_ARN"])
