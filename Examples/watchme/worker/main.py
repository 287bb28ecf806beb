# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""The function dashboard-analysis-worker: writes the summary of a day and announces it through SNS.

Nothing in this file names Apus. The environment of the function does: AWS_ENDPOINT_URL_SNS, and the key.
"""

import json
import os

import boto3
from supabase import create_client

supabase = create_client(os.environ["SUPABASE_URL"], os.environ["SUPABASE_KEY"])
sns_client = boto3.client("sns", region_name="ap-northeast-1")
SNS_TOPIC_ARN = "arn:aws:sns:ap-northeast-1:123456789012:watchme-dashboard-updates"


def send_push_notification(device_id: str, date: str):
    """Publishes a push for the phone of a device; returns whether SNS accepted it."""
    try:
        message = {
            "default": "Dashboard updated",
            "APNS": json.dumps({
                "aps": {
                    "alert": {"title": "データ更新完了", "body": "新しい分析結果が利用可能です"},
                    "sound": "default",
                    "badge": 1,
                },
                "device_id": device_id,
                "date": date,
                "action": "refresh_dashboard",
            }),
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


def lambda_handler(event, context):
    """Analyzes one recording: an event with `device_id`, `date` and the `levels` that were measured."""
    device_id, date, levels = event["device_id"], event["date"], event["levels"]
    data = {"device_id": device_id, "date": date, "summary": f"average {sum(levels) / len(levels):.1f} of {len(levels)}"}
    upsert_result = supabase.table("dashboard_summary").upsert(data).execute()
    return {"sent": bool(upsert_result) and send_push_notification(device_id, date), "summary": data["summary"]}
