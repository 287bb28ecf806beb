# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""apns_proxy_steps.py STEP PORT APPID TOKEN: uses the original client, or its sockets where it has no function."""

import json
import socket
import sys
import time

import apns_proxy
import zmq

step, port, application, token = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]


def send():
    """Everything that the client's README sends."""
    client = apns_proxy.original.APNSProxyClient(host="127.0.0.1", port=port, application_id=application)
    later = int(time.time()) + 4 * 60 * 60
    with client:
        client.send(token, "simple")
        client.send(token, "sound", sound="custom")
        client.send(token, "silent", sound=None)
        client.send(token, "badge", badge=2)
        client.send(token, None, sound=None, badge=9999)
        client.send(token, "expiry", expiry=later)
        client.send(token, "priority", priority=5)
        client.send(token, None, sound=None, content_available=True)
        client.send(token, "custom", custom={"foo": True, "bar": [200, 300], "boo": "寿司"})
        client.send(
            token,
            {
                "body": "JSON",
                "action_loc_key": None,
                "loc_key": "loc key",
                "loc_args": ["one", "two"],
                "launch_image": "aa.png",
            },
        )
        client.send(token, "test", test=True)
        client.send(token, "last", sound="foo", badge=2, content_available=True, custom={"bar": "boo"}, priority=5)


def feedback():
    """Asks until there is a token."""
    client = apns_proxy.connected(port, application)
    tokens = client.get_feedback()
    while not tokens:
        tokens = client.get_feedback()
    client.close()
    print(json.dumps(tokens))


def requests():
    """Sends messages of which each is acknowledged."""
    client = apns_proxy.connected(port, application)
    for number in range(20):
        print(apns_proxy.send_as_request(client, token, f"request {number}"), flush=True)
    client.close()


def bad_frames():
    """Sends what is no message, to both ports, and then a message to each."""
    client = apns_proxy.connected(port, application)
    push_port = client.get_push_port()
    for garbage in [b"", b"\x02", b"\x02{", b"\x00\xff", b"\x04{}", b'\x02{"aps":{"custom":' + b'{"a":' * 5000]:
        print(apns_proxy.request(client, garbage), flush=True)
        client.publisher.send(garbage)
    for number in [port, int(push_port)]:
        with socket.create_connection(("127.0.0.1", number)) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\n\r\n" + b"\xff" * 1000)
    # Too long: the server closes the connection.
    stranger = zmq.Context().socket(zmq.PUSH)
    stranger.connect(f"tcp://127.0.0.1:{push_port}")
    stranger.send(b"\x02" + b" " * 1_000_000)
    client.send(token, "over PUSH")
    print(apns_proxy.send_as_request(client, token, "over REQ"), flush=True)
    client.close()
    stranger.close(linger=0)


{"send": send, "feedback": feedback, "requests": requests, "bad_frames": bad_frames}[step]()
