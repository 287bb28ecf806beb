# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""A network that can be split: a TCP proxy that drops packets, so that neither end learns of it.

The argument is the port of this machine to connect to. The first line is the port of the proxy. SIGUSR1 splits the
network, and SIGUSR2 joins it again; a line says when that is done. The proxy ends with its standard input.

While the network is split, a socket filter (Linux) drops each packet that arrives at a socket of the proxy, before the
kernel acknowledges it. So retransmissions, keepalives and new connections get no response, as without a network.
"""

import asyncio
import ctypes
import fcntl
import signal
import socket
import struct
import sys
import termios

# <asm/socket.h>, for x86 and ARM.
SO_ATTACH_FILTER, SO_DETACH_FILTER = 26, 27
# One instruction of classic BPF: return 0, the number of bytes to keep.
INSTRUCTION = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0))
FILTER = struct.pack("@HP", 1, ctypes.addressof(INSTRUCTION))


class Network:
    """All sockets of the proxy."""

    def __init__(self):
        self.listener, self.sides, self.is_split = None, set(), False

    async def split(self):
        self.is_split = True
        for side in self.sides:
            side.transport.pause_reading()
        # Packets that are not acknowledged would be sent again, and show the other end that this one is there.
        while any(side.unacknowledged() for side in self.sides):
            await asyncio.sleep(0.001)
        for sock in self.sockets():
            sock.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, FILTER)
        print("split", flush=True)

    async def join(self):
        self.is_split = False
        for sock in self.sockets():
            sock.setsockopt(socket.SOL_SOCKET, SO_DETACH_FILTER, 0)
        for side in self.sides:
            side.probe()
            if side.other:
                side.transport.resume_reading()
        print("joined", flush=True)

    def sockets(self):
        return [self.listener] + [side.socket for side in self.sides]


class Side(asyncio.Protocol):
    """One of the two connections between which bytes are copied."""

    def __init__(self, network, other=None):
        self.network, self.other, self.transport, self.socket = network, other, None, None

    def connection_made(self, transport):
        self.transport = transport
        self.socket = transport.get_extra_info("socket")
        self.network.sides.add(self)
        if self.network.is_split:
            transport.pause_reading()
            self.socket.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, FILTER)

    def data_received(self, data):
        self.other.transport.write(data)

    def connection_lost(self, error):
        self.network.sides.discard(self)
        if self.other and self.other.transport:
            self.other.transport.abort() if error else self.other.transport.close()

    def pause_writing(self):
        self.other.transport.pause_reading()

    def resume_writing(self):
        if not self.network.is_split:
            self.other.transport.resume_reading()

    def unacknowledged(self):
        queued = struct.unpack("i", fcntl.ioctl(self.socket, termios.TIOCOUTQ, bytes(4)))[0]
        return queued + self.transport.get_write_buffer_size()

    def probe(self):
        """Has the kernel ask the other end, which resets the connection if it has closed it meanwhile."""
        for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL):
            self.socket.setsockopt(socket.IPPROTO_TCP, option, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


class Accepted(Side):
    """A connection to the proxy, which opens the connection to the port."""

    def __init__(self, network, port):
        super().__init__(network)
        self.port = port

    def connection_made(self, transport):
        super().connection_made(transport)
        # Nothing is read before there is a connection to copy it to.
        transport.pause_reading()
        self.opening = asyncio.ensure_future(self.open())

    async def open(self):
        loop = asyncio.get_running_loop()
        try:
            _, self.other = await loop.create_connection(lambda: Side(self.network, self), "127.0.0.1", self.port)
        except OSError:
            return self.transport.abort()
        if self.transport.is_closing():
            return self.other.transport.abort()
        if not self.network.is_split:
            self.transport.resume_reading()


async def main(port):
    loop, network = asyncio.get_running_loop(), Network()
    server = await loop.create_server(lambda: Accepted(network, port), "127.0.0.1", 0)
    network.listener = server.sockets[0]
    running = set()
    for number, change in ((signal.SIGUSR1, network.split), (signal.SIGUSR2, network.join)):
        loop.add_signal_handler(number, lambda change=change: running.add(asyncio.ensure_future(change())))
    print(network.listener.getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main(int(sys.argv[1])))
