# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""A backend that updates Live Activities with httpx and python-jose, as such backends are written.

It makes a provider token and a connection for every request. The system's trusted certificates come from
SSL_CERT_FILE, the host from its settings.
"""

import asyncio
import json
import time
from types import SimpleNamespace

import httpx

import place

settings = SimpleNamespace(APNS_AUTH_KEY_PATH=place.KEY, APNS_KEY_ID=place.KEY_ID, APNS_TEAM_ID=place.TEAM_ID)


def _make_jwt() -> str:
    from jose import jwt as jose_jwt

    key_path = settings.APNS_AUTH_KEY_PATH
    with open(key_path, "r") as f:
        private_key = f.read()
    headers = {"kid": settings.APNS_KEY_ID}
    payload = {"iss": settings.APNS_TEAM_ID, "iat": int(time.time())}
    return jose_jwt.encode(payload, private_key, algorithm="ES256", headers=headers)


class APNsClient:
    def __init__(self, bundle_id):
        self._bundle_id = bundle_id

    def _host_for(self, environment):
        return f"https://{place.HOST}:{place.PORT}"

    async def send_live_activity_update(self, push_token, event, content_state, environment=None):
        host = self._host_for(environment)
        topic = f"{self._bundle_id}.push-type.liveactivity"
        payload = {
            "aps": {
                "timestamp": int(time.time()),
                "event": event,  # "update" | "end"
                "content-state": content_state,
            }
        }
        headers = {
            "authorization": f"bearer {_make_jwt()}",
            "apns-push-type": "liveactivity",
            "apns-topic": topic,
            "apns-priority": "10",
        }
        async with httpx.AsyncClient(http2=True) as client:
            resp = await client.post(f"{host}/3/device/{push_token}", headers=headers, content=json.dumps(payload))
        return {"status_code": resp.status_code, "body": resp.text}


async def main():
    apns_client = APNsClient(place.TOPIC)
    outcomes = []
    for push_token in place.TOKENS:
        answer = await apns_client.send_live_activity_update(
            push_token=push_token,
            event="update",
            content_state={
                "childName": "지우",
                "scheduleTitle": "피아노",
                "endTime": time.time() + 900,
                "status": "ending",
            },
            environment="sandbox",
        )
        reason = json.loads(answer["body"])["reason"] if answer["body"] else None
        outcomes.append({"status": answer["status_code"], "reason": reason})
    place.report(outcomes)


asyncio.run(main())
