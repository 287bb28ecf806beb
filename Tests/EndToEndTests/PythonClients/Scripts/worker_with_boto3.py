# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""A worker that publishes to a topic through boto3 when its analysis is done.

The boto3 that it finds is the stand-in beside it, which plays the service's part towards APNs.
"""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "sns"))

import boto3  # noqa: E402

import place  # noqa: E402

sns_client = boto3.client("sns", region_name="ap-northeast-1")
SNS_TOPIC_ARN = "arn:aws:sns:ap-northeast-1:123456789012:watchme-dashboard-updates"


def send_push_notification(device_id: str, date: str):
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


sent = send_push_notification(device_id="1cf67321-f1aa-4c51-b642-cbd7837c45d5", date="2025-10-13")
place.report([{"status": 200 if sent else 500, "reason": None}])
