# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""The original client of apns-proxy-server under Python 3; its file is as PyPI has it.

The client is written for Python 2, whose strings are bytes. So its JSON becomes bytes here, and what it receives text.
"""

import builtins
import hashlib
import importlib.metadata
import json
import sys
import types

import zmq


class Socket(zmq.Socket):
    def recv(self, *arguments, **options):
        return super().recv(*arguments, **options).decode()


class Context(zmq.Context):
    _socket_class = Socket


def encode(value, **options):
    return json.dumps(value, **options).encode()


builtins.basestring = str
zmq.Context = Context
sys.modules["simplejson"] = types.SimpleNamespace(dumps=encode, loads=json.loads)

import apns_proxy_client.core as original  # noqa: E402  (after what it imports)


def check_file():
    """Compares the client's file with the one that version 0.1.0 on PyPI has."""
    version = importlib.metadata.version("apns-proxy-client")
    with open(original.__file__, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    expected = "90cf53461ec062b0a1a01e421bc838c045afb0b2905a5c71ff9ec3e4d692ce1f"
    assert (version, digest) == ("0.1.0", expected), (version, digest)


check_file()


def connected(port, application):
    client = original.APNSProxyClient(host="127.0.0.1", port=port, application_id=application)
    client.connect()
    return client


def request(client, message):
    """Sends a message as a request, and returns the response."""
    client.communicator.send(message)
    return client.communicator.recv()


def send_as_request(client, token, alert, **options):
    message = dict(
        sound="default", badge=None, content_available=False, custom=None, expiry=None, priority=None, test=False
    )
    message.update(options)
    return request(client, client._serialize(original.COMMAND_SEND, token, alert, **message))
