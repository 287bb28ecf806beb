# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Sends through aioapns, with a key or a certificate; nothing of it is changed but where it connects to."""

import asyncio
import ssl

from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsDevelopmentClientProtocol

import place

APNsDevelopmentClientProtocol.APNS_SERVER = place.HOST
APNsDevelopmentClientProtocol.APNS_PORT = place.PORT


def client():
    context = ssl.create_default_context(cafile=place.CA)
    if place.CERTIFICATE:
        context.load_cert_chain(place.CERTIFICATE)
        return APNs(
            client_cert=place.CERTIFICATE, topic=place.TOPIC, use_sandbox=True, ssl_context=context, max_connections=1
        )
    with open(place.KEY) as file:
        key = file.read()
    return APNs(
        key=key,
        key_id=place.KEY_ID,
        team_id=place.TEAM_ID,
        topic=place.TOPIC,
        use_sandbox=True,
        ssl_context=context,
        max_connections=1,
    )


async def main():
    apns = client()
    outcomes = []
    for number, token in enumerate(place.TOKENS):
        message = {"aps": {"alert": {"title": "aioapns", "body": f"number {number}"}}, "number": number}
        request = NotificationRequest(
            device_token=token,
            message=message,
            push_type=PushType.ALERT,
            priority=10,
            time_to_live=3600,
            collapse_key=f"game-{number}",
        )
        result = await apns.send_notification(request)
        outcomes.append(
            {"id": request.notification_id, "status": int(result.status), "reason": result.description or None}
        )
    place.report(outcomes)


asyncio.run(main())
