#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors
"""Sends one payload to a file of device tokens through a stream of Apus.

Usage: stream.py --app com.example.app --payload '{"aps":{"alert":"Hello"}}' tokens.txt

The file has one hexadecimal token in each line. The stream has a name: when the connection breaks, or the server
is restarted, this goes on where it was, and nothing is sent twice. Unless --stream gives the name, it is made from the
file, the payload and the environment: the same once more sends nothing new, and says so. A server that says nothing for `--timeout` seconds may
be gone without a word: this opens the stream again then, and is told what it missed. Where the server is well and only
waits, as for an APNs that asks to come back later, nothing is lost by that. What was not delivered is printed, one line
of JSON each; the exit status is 0 when every token was delivered to.

APUS_URL and APUS_API_KEY name the server and the key. Needs Python 3.8 and nothing else; docs/streams.md describes the
protocol.
"""

import argparse
import codecs
import hashlib
import http.client
import json
import os
import socket
import sys
import threading
import time
import urllib.parse


class Refused(Exception):
    """The server does not take the stream, and repeating would not help."""


class BadFile(Exception):
    """The file of tokens cannot be sent as it is."""


class Silence(Exception):
    """The server has taken up the stream, and has said nothing for too long since."""


class Progress:
    """What is known of the stream: what a client has to keep in order to go on with it."""

    def __init__(self, total):
        self.total = total
        self.accepted = 0   # all lines up to this one are stored by the server
        self.told = 0       # all lines up to this one have their outcome
        self.early = set()  # lines after it that have theirs already
        self.delivered = 0
        self.failures = 0

    def is_new(self, line):
        return line > self.told and line not in self.early

    def finish(self, line):
        self.early.add(line)
        while self.told + 1 in self.early:
            self.told += 1
            self.early.remove(self.told)

    @property
    def is_done(self):
        return self.told == self.total


def lines_of(path, payload, environment, first):
    """The lines of the stream from number `first` on, several in each piece."""
    body = json.loads(payload)
    template = {"payload": body}
    if environment:
        template["environment"] = environment
    rest = json.dumps(template, separators=(",", ":"), ensure_ascii=False)[1:]
    piece = []
    with open(path, "rb") as tokens:
        for number, line in enumerate(tokens, 1):
            if number < first:
                continue
            piece.append('{"token":' + json.dumps(token_in(line, number)) + "," + rest + "\n")
            if len(piece) == 500:
                yield "".join(piece).encode()
                piece = []
    if piece:
        yield "".join(piece).encode()


def token_in(line, number):
    """The token of a line of the file; the mark with which some editors begin a file is none of it."""
    if number == 1 and line.startswith(codecs.BOM_UTF8):
        line = line[len(codecs.BOM_UTF8):]
    try:
        return line.strip().decode("ascii")
    except UnicodeDecodeError:
        raise BadFile("line %d of the file of tokens has characters that no token has: %r" % (number, line[:80])) from None


def write_body(connection, pieces, state):
    """Sends the request's body while the answer is read; runs in a thread of its own."""
    try:
        for piece in pieces:
            connection.send(b"%x\r\n%s\r\n" % (len(piece), piece))
        connection.send(b"0\r\n\r\n")
    except BadFile as error:  # the file has changed since it was looked at
        state["error"] = error
        break_off(connection)
    except Exception:  # the reading side finds out as well, and goes on from there
        pass


def break_off(connection):
    """Lets the reading side find out at once that nothing more comes."""
    try:
        connection.sock.shutdown(socket.SHUT_RDWR)
    except (OSError, AttributeError):  # it is closed already
        pass


def connect(url, timeout):
    parts = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(parts.hostname, parts.port, timeout=timeout)


def run_once(arguments, progress):
    """Opens the stream, sends what is left, and reads until the last line.

    Returns the reason that the last line gives.
    """
    query = urllib.parse.urlencode(
        {"stream": arguments.stream, "from": progress.accepted + 1, "outcomesAfter": progress.told}
    )
    path = "/v1/apps/%s/notifications:stream?%s" % (urllib.parse.quote(arguments.app), query)
    connection = connect(arguments.url, arguments.timeout)
    state = {}
    try:
        connection.putrequest("POST", path)
        connection.putheader("Authorization", "Bearer " + arguments.key)
        connection.putheader("Content-Type", "application/x-ndjson")
        connection.putheader("Transfer-Encoding", "chunked")
        connection.endheaders()
        pieces = lines_of(arguments.tokens, arguments.payload, arguments.environment, progress.accepted + 1)
        writer = threading.Thread(target=write_body, args=(connection, pieces, state), daemon=True)
        writer.start()
        response = connection.getresponse()
        if response.status != 200:
            answer = response.read().decode(errors="replace")
            if response.status >= 500:
                raise ConnectionError(answer)
            raise Refused(answer)
        is_resumed = False
        while True:
            try:
                line = response.readline()
            except (socket.timeout, TimeoutError):
                if is_resumed:
                    raise Silence() from None
                raise
            if not line:
                break
            is_resumed = True
            if not line.endswith(b"\n"):
                raise ConnectionError("the answer ended within a line")
            answer = json.loads(line)
            if answer["type"] == "resumed":
                tell_of_earlier(answer["accepted"], progress, arguments)
            reason = take(answer, progress, arguments)
            if reason:
                return reason
        raise ConnectionError("the answer ended without a last line")
    except (OSError, ValueError, http.client.HTTPException):
        raise state.get("error") or sys.exc_info()[1]
    finally:
        connection.close()


def tell_of_earlier(accepted, progress, arguments):
    """Says which lines an earlier run has had accepted, with the first connection; with others, that there is one."""
    if arguments.has_resumed:
        print("stream.py: connected again; %d lines are accepted" % accepted, file=sys.stderr, flush=True)
        return
    arguments.has_resumed = True
    if accepted >= progress.total > 0:
        note = "all %d lines of this stream were accepted before: nothing new is sent" % progress.total
    elif accepted > 0:
        note = "%d of %d lines of this stream were accepted before, and are not sent again" % (accepted, progress.total)
    else:
        return
    print("stream.py: %s; to send them once more, give it another name with --stream" % note, file=sys.stderr, flush=True)


def take(answer, progress, arguments):
    """Takes one line of the answer; returns the reason when it is the last one."""
    kind = answer["type"]
    if kind == "resumed":
        if answer["accepted"] < progress.accepted:
            raise Refused("the server has forgotten the stream")
    elif kind == "accepted":
        progress.accepted = max(progress.accepted, answer["acceptedThrough"])
    elif kind in ("outcome", "rejected") and progress.is_new(answer["line"]):
        progress.finish(answer["line"])
        if answer.get("outcome") == "delivered":
            progress.delivered += 1
        else:
            progress.failures += 1
            print(json.dumps(answer), flush=True)
        show(progress, arguments)
    elif kind == "end":
        return answer["reason"]
    return None


def show(progress, arguments, is_last=False):
    now = time.monotonic()
    if arguments.quiet or (not is_last and now - arguments.shown < 0.5):
        return
    arguments.shown = now
    done = progress.delivered + progress.failures
    end = "\n" if is_last or not sys.stderr.isatty() else "\r"
    print(
        "%d of %d: %d delivered, %d not" % (done, progress.total, progress.delivered, progress.failures),
        end=end, file=sys.stderr, flush=True,
    )


def current_url(arguments):
    """The server's address, read anew from a file where one is named: a restarted server may have another port."""
    if arguments.url_file:
        with open(arguments.url_file, encoding="ascii") as file:
            return file.read().strip()
    return arguments.url


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tokens", help="a file with one hexadecimal token in each line")
    parser.add_argument("--app", required=True, help="the app's bundle identifier")
    parser.add_argument("--payload", required=True, help="the JSON object that the devices receive")
    parser.add_argument("--environment", choices=["sandbox", "production"])
    parser.add_argument("--stream", help="the stream's name; made from the file, the payload and the environment")
    parser.add_argument("--url", default=os.environ.get("APUS_URL", "http://127.0.0.1:8080"))
    parser.add_argument("--url-file", help="a file with the address, which is read for every connection")
    parser.add_argument("--timeout", type=float, default=60, help="seconds of silence that break a connection")
    parser.add_argument("--attempts", type=int, default=30, help="how often in a row it may fail to connect")
    parser.add_argument("--quiet", action="store_true", help="no progress on standard error")
    arguments = parser.parse_args()
    arguments.key = os.environ.get("APUS_API_KEY", "")
    arguments.shown = 0
    arguments.has_resumed = False
    try:
        if not isinstance(json.loads(arguments.payload), dict):
            raise ValueError("--payload has to be a JSON object, got: %.80s" % arguments.payload)
        with open(arguments.tokens, "rb") as file:
            content = file.read()
        for number, line in enumerate(content.split(b"\n"), 1):
            token_in(line, number)
    except (OSError, ValueError, BadFile) as error:
        sys.exit("stream.py: %s" % error)
    if not arguments.stream:
        kind = b"\0" + arguments.environment.encode() if arguments.environment else b""
        name = hashlib.sha256(content + arguments.payload.encode() + kind).hexdigest()[:32]
        arguments.stream = "stream.py-" + name
    progress = Progress(total=content.count(b"\n") + (not content.endswith(b"\n") and bool(content)))

    attempt = 0
    while not progress.is_done:
        before = (progress.accepted, progress.told)
        try:
            arguments.url = current_url(arguments)
            reason = run_once(arguments, progress)
            if progress.is_done:
                break
            note = "the server ended the stream: " + reason
        except Silence:
            # It was there a moment ago, and may only have nothing to tell: this is no failure to connect.
            attempt = 0
            note = "the server has said nothing for %g seconds" % arguments.timeout
        except Refused as error:
            sys.exit("stream.py: refused: %s" % error)
        except BadFile as error:
            sys.exit("stream.py: %s" % error)
        except (OSError, ValueError, http.client.HTTPException) as error:
            note = "the connection broke: %s" % error
        attempt = 1 if (progress.accepted, progress.told) != before else attempt + 1
        if attempt > arguments.attempts:
            sys.exit("stream.py: gave up: " + note)
        print("stream.py: %s; going on from line %d" % (note, progress.accepted + 1), file=sys.stderr, flush=True)
        time.sleep(min(5, 0.1 * 2 ** min(attempt, 10)))
    show(progress, arguments, is_last=True)
    sys.exit(0 if progress.failures == 0 else 1)


if __name__ == "__main__":
    main()
