# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Sends through pyapns-client; nothing of it is changed but where it connects to."""

from pyapns_client import APNSClient, APNSException, IOSNotification, IOSPayload, IOSPayloadAlert

import place

APNSClient.BASE_URLS = {APNSClient.MODE_DEV: f"https://{place.HOST}:{place.PORT}"}

outcomes = []
client = APNSClient(
    mode=APNSClient.MODE_DEV,
    root_cert_path=place.CA,
    auth_key_path=place.KEY,
    auth_key_id=place.KEY_ID,
    team_id=place.TEAM_ID,
)
for number, token in enumerate(place.TOKENS):
    alert = IOSPayloadAlert(title="pyapns-client", body=f"number {number}")
    payload = IOSPayload(alert=alert, badge=number, custom={"number": number})
    notification = IOSNotification(payload=payload, topic=place.TOPIC, collapse_id=f"game-{number}")
    try:
        client.push(notification=notification, device_token=token)
        outcomes.append({"status": 200, "reason": None})
    except APNSException as error:
        reason = type(error).__name__.removesuffix("Exception")
        outcomes.append({"status": error.status_code, "reason": reason})
client.close()
place.report(outcomes)
