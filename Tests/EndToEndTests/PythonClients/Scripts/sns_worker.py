# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""A worker that publishes to a topic through boto3 when its analysis is done, as it does at AWS.

Server, region and key are those of the environment, and so is the account in the ARN.
"""

import json
import os

import boto3

sns_client = boto3.client("sns", region_name=os.environ["AWS_DEFAULT_REGION"])
SNS_TOPIC_ARN = os.environ["SNS_TOPIC_ARN"]


def send_push_notification(device_id: str, date: str):
    """プッシュ通知をSNS経由で送信"""
    try:
        message = {
            "default": "Dashboard updated",
            "APNS": json.dumps(
                {
                    "aps": {
                        "alert": {"title": "データ更新完了", "body": "新しい分析結果が利用可能です"},
                        "sound": "default",
                        "badge": 1,
                    },
                    "device_id": device_id,
                    "date": date,
                    "action": "refresh_dashboard",
                }
            ),
        }

        response = sns_client.publish(
            TopicArn=SNS_TOPIC_ARN,
            Message=json.dumps(message),
            MessageStructure="json",
            MessageAttributes={"device_id": {"DataType": "String", "StringValue": device_id}},
        )

        print(f"✅ Push notification sent: {response['MessageId']}")
        return True

    except Exception as e:
        print(f"❌ Failed to send push notification: {e}")
        return False


for device_id in os.environ["DEVICE_IDS"].split(","):
    if not send_push_notification(device_id=device_id, date="2025-10-13"):
        raise SystemExit(1)
