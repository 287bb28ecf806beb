# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""A client of the protocol of apns-proxy-server: one command byte and JSON, over ZeroMQ."""

import json

import zmq

ASK_PORT, SEND, FEEDBACK = b"\x01", b"\x02", b"\x03"


class ProxyClient:
    """Pushes messages without responses, and asks for dead tokens."""

    def __init__(self, port, appid, host="127.0.0.1", timeout=60):
        self.appid = appid
        self.context = zmq.Context()
        self.requests = self.context.socket(zmq.REQ)
        self.requests.setsockopt(zmq.RCVTIMEO, timeout * 1000)
        self.requests.connect(f"tcp://{host}:{port}")
        self.requests.send(ASK_PORT)
        self.messages = self.context.socket(zmq.PUSH)
        # The queue of the server is full at times: this waits then.
        self.messages.setsockopt(zmq.SNDTIMEO, timeout * 1000)
        self.messages.setsockopt(zmq.LINGER, timeout * 1000)
        self.messages.connect(f"tcp://{host}:{int(self.requests.recv())}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.requests.close(linger=0)
        self.messages.close()
        self.context.term()

    def send(self, token, **aps):
        message = {"appid": self.appid, "token": token, "aps": aps}
        self.messages.send(SEND + json.dumps(message).encode())

    def feedback(self):
        """The tokens that APNs called dead, each with the time since when."""
        self.requests.send(FEEDBACK + json.dumps({"appid": self.appid}).encode())
        return json.loads(self.requests.recv())
