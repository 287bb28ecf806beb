# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""A stand-in for boto3's SNS client: what the service does towards APNs when something is published to a topic.

Of a message for several platforms it takes the one for APNs, as it is, and sends it to every subscribed token over a
connection with the platform application's certificate.
"""

import json
import ssl
import uuid

import httpx

import place


class _SNS:
    def publish(self, TopicArn, Message, MessageStructure, MessageAttributes):
        payload = json.loads(Message)["APNS"]
        headers = {"apns-topic": place.TOPIC, "apns-push-type": "alert"}
        context = ssl.create_default_context(cafile=place.CA)
        context.load_cert_chain(place.CERTIFICATE)
        with httpx.Client(http2=True, verify=context, base_url=f"https://{place.HOST}:{place.PORT}") as client:
            for token in place.TOKENS:
                answer = client.post(f"/3/device/{token}", content=payload.encode(), headers=headers)
                if answer.status_code != 200:
                    raise RuntimeError(f"{answer.status_code} {answer.text}")
        return {"MessageId": str(uuid.uuid4())}


def client(service, region_name):
    assert service == "sns", service
    return _SNS()
