# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Creates an endpoint for each token in the column `devices.apns_token`, and subscribes it to the topic.

A subscription has a filter policy, so that a phone is sent only the messages with the message attribute `device_id` of its
own device. It can be repeated at any time: endpoints that exist get the token of the column, and are enabled again.
"""

import json
import os

import boto3
from supabase import create_client

TOPIC_ARN = "arn:aws:sns:ap-northeast-1:123456789012:watchme-dashboard-updates"


def main(application):
    supabase = create_client(os.environ["SUPABASE_URL"], os.environ["SUPABASE_KEY"])
    sns = boto3.client("sns", region_name="ap-northeast-1")
    endpoints = {}
    for row in supabase.table("devices").select("*").execute().data:
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
